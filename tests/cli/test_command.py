"""What holds for the command line of several verbs: --set with several settings, values that are refused, the environment."""
import json
import os
import pathlib
import subprocess

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
ALPS = pathlib.Path(os.environ.get("ALPS_BUILD", ROOT / "build/release")) / "apps/alps"


def alps(*args, **environment):
    return subprocess.run([ALPS, *map(str, args)], capture_output=True, text=True, timeout=300, env={**os.environ, **environment})


@pytest.fixture
def ends(small_run, tmp_path):
    """options of `alps plan`: a start and a goal of the data"""
    data = np.load(next(small_run.parent.glob("*v0.npz")))["observations"]
    for name, row in (("start", 0), ("goal", 700)):
        np.save(tmp_path / f"{name}.npy", data[row])
    return ["--start", tmp_path / "start.npy", "--goal", tmp_path / "goal.npy", "--json"]


def test_several_settings_after_one_set(small_run, ends):
    def iterations(*args):
        done = alps("plan", *args)
        assert done.returncode == 0, done.stderr
        trace = json.loads(done.stdout)
        return len(trace["elite_costs"]), len(trace["plan"])

    want = (4, 2 * 6)  # iterations, and two numbers for each step of the horizon
    assert iterations(small_run, *ends, "--set", "iterations=4", "--set", "horizon=6") == want
    assert iterations(small_run, *ends, "--set", "iterations=4", "horizon=6") == want
    assert iterations(small_run, "--set", "iterations=4", "horizon=6", *ends) == want
    assert iterations(*ends, "--set=iterations=4", "horizon=6", small_run) == want, "what comes after the settings is the run"


def test_settings_that_are_refused(small_run, ends, tmp_path):
    for args, word in [(["plan", small_run, *ends, "--set", "samples=8", "horizn=6"], "'horizn'"),
                       (["plan", small_run, *ends, "--set", "samples=8", "6"], "6"),
                       (["plan", small_run, *ends, "--set"], "--set"),
                       (["eval", small_run, "--set", "samples=8", "horizn=6"], "'horizn'"),
                       (["train", next(small_run.parent.glob("*v0.npz")), "--out", tmp_path / "run", "--set", "gamma=0.2", "stepz=3"], "'stepz'"),
                       (["demo", "--data_dir", small_run.parent, "--out", tmp_path / "demo", "--set", "gamma=0.2", "stepz=3"], "'stepz'")]:
        done = alps(*args)
        assert done.returncode == 2 and word in done.stderr and done.stderr.count("\n") <= 3, (args, done.stderr)
    assert not (tmp_path / "run").exists()


def test_precision_of_the_environment(small_run, ends):
    done = alps("plan", small_run, *ends, ALPS_PRECISION="fp99")
    assert done.returncode == 2 and "ALPS_PRECISION=fp99" in done.stderr and "auto, fp32 or bf16" in done.stderr
    plain, auto = (json.loads(alps("plan", small_run, *ends, **env).stdout)["action"] for env in ({}, {"ALPS_PRECISION": "auto"}))
    assert plain == auto
    assert alps("plan", small_run, *ends, ALPS_PRECISION="fp32").returncode == 0


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_embed_refuses_what_is_no_number(small_run, tmp_path, dtype, value):
    observations = np.zeros((20, 2), dtype)
    observations[13, 1] = value
    np.save(tmp_path / "obs.npy", observations)
    done = alps("embed", small_run, "--in", tmp_path / "obs.npy", "--out", tmp_path / "psi.npy")
    assert done.returncode == 1 and not (tmp_path / "psi.npy").exists()
    assert str(tmp_path / "obs.npy") in done.stderr and "row 13, column 1" in done.stderr
