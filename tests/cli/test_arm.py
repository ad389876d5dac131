"""A robot arm through the program: data, training, evaluation here and in the package, report. Nothing of it has a plane."""
import csv
import subprocess

import pytest

from test_train import ALPS, SMALL


def alps(*args):
    done = subprocess.run([ALPS, *map(str, args)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("arm")
    alps("data", "make", "scene-play-v0", "--episodes", 3, "--data_dir", folder)
    sets = [x for k, v in SMALL.items() for x in ("--set", f"{k}={v}")]
    alps("train", "scene-play-v0", "--data_dir", folder, "--out", folder / "run", *sets)
    return folder / "run"


def test_info_knows_the_buttons(run):
    told = alps("data", "info", run.parent / "scene-play-v0.npz")
    assert "button_states" in told and "3 episodes of 1,001 to 1,001 rows" in told


def test_is_evaluated_and_drawn(run):
    told = alps("eval", run, "--tasks", "2", "--episodes", 1)
    assert "task2" in told
    (row,) = csv.DictReader((run / "eval.csv").open())
    assert 0 <= float(row["evaluation/task2_success"]) <= 1
    alps("plot", run)
    assert "scene-play-v0" in (run / "report.html").read_text()


def test_is_evaluated_in_the_package(run):
    assert "task1" in alps("eval", run, "--tasks", "1", "--episodes", 1, "--backend", "ogbench")
