"""eval/wilcoxon.h and eval/bootstrap.h beside SciPy and rliable. Figures must be equal; ends of bootstrap intervals, which come from other
random numbers, must agree within what many resamples leave to chance."""
import json
import os
import pathlib
import subprocess

import numpy as np
import pytest
import scipy.stats
from rliable import library as rliable
from rliable import metrics

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOL = pathlib.Path(os.environ.get("ALPS_BUILD", ROOT / "build/release")) / "tests/statistics_tool"
RESAMPLES = 20_000


def ask(**question):
    done = subprocess.run([TOOL], input=json.dumps(question), capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def pairs():
    """pairs with and without ties and zeros, of the sizes where the choice of the method changes"""
    rng = np.random.default_rng(0)
    for n in [1, 2, 5, 8, 13, 14, 20, 39, 50, 51, 200]:
        yield rng.normal(size=n), rng.normal(size=n) + 0.3               # neither
        yield rng.integers(0, 100, n).astype(float), rng.integers(0, 100, n).astype(float)  # a few ties
        yield rng.integers(0, 6, n).astype(float), rng.integers(0, 5, n).astype(float)      # many ties, zeros


def test_wilcoxon_equals_scipy():
    cases = [(x, y) for x, y in pairs() if np.any(x != y)]
    ours = ask(pairs=[[x.tolist(), y.tolist()] for x, y in cases])["wilcoxon"]
    assert len(ours) == len(cases) > 30
    for (x, y), own in zip(cases, ours):
        theirs = scipy.stats.wilcoxon(x, y)
        assert own["statistic"] == theirs.statistic
        assert own["p"] == pytest.approx(theirs.pvalue, rel=1e-9, abs=1e-300), len(x)


def test_holm_equals_its_definition():
    rng = np.random.default_rng(1)
    for n in [1, 2, 6, 30]:
        p = rng.random(n) ** 3
        order = np.argsort(p)
        adjusted = np.empty(n)
        adjusted[order] = np.minimum(1, np.maximum.accumulate((n - np.arange(n)) * p[order]))
        assert ask(p=p.tolist())["holm"] == pytest.approx(adjusted, rel=1e-12)


@pytest.fixture(scope="module")
def scores():
    """of two methods, 8 and 5 runs on 6 data sets, in per cent with ties; runs x data sets, as rliable has them"""
    rng = np.random.default_rng(2)
    level = rng.uniform(20, 90, 6)
    x = np.clip(np.round(level + rng.normal(5, 12, (8, 6))), 0, 100)
    y = np.clip(np.round(level + rng.normal(0, 12, (5, 6))), 0, 100)
    return x, y


@pytest.fixture(scope="module")
def ours(scores):
    x, y = scores
    return ask(x=x.T.tolist(), y=y.T.tolist(), taus=list(range(0, 101, 10)), resamples=RESAMPLES)


def check(own, value, interval, scale):
    """the value is the same, the ends of the interval are near: a twentieth of its width, and what one run can change"""
    assert own[0] == pytest.approx(value, rel=1e-12)
    tolerance = 0.05 * (interval[1] - interval[0]) + scale
    assert own[1] == pytest.approx(interval[0], abs=tolerance)
    assert own[2] == pytest.approx(interval[1], abs=tolerance)


@pytest.mark.parametrize("name, metric", [("mean", metrics.aggregate_mean), ("iqm", metrics.aggregate_iqm)])
def test_aggregates_equal_rliable(scores, ours, name, metric):
    value, interval = rliable.get_interval_estimates({"x": scores[0]}, lambda s: np.array([metric(s)]), reps=5_000)
    check(ours[name], value["x"][0], interval["x"][:, 0], 0)


def test_improvement_equals_rliable(scores, ours):
    value, interval = rliable.get_interval_estimates({"x,y": scores}, metrics.probability_of_improvement, reps=3_000)
    check(ours["improvement"], value["x,y"], interval["x,y"][:, 0], 0)


def test_profile_equals_rliable(scores, ours):
    taus = np.arange(0, 101, 10)
    value, interval = rliable.create_performance_profile({"x": scores[0]}, taus, reps=5_000)
    for k, own in enumerate(ours["profile"]):
        check(own, value["x"][k], interval["x"][:, k], 1 / scores[0].size)
