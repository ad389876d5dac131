"""What tests of several folders share: one small trained run, which takes about twenty seconds."""
import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[1]
BUILD = pathlib.Path(os.environ.get("ALPS_BUILD", ROOT / "build/release"))
ALPS = os.environ.get("ALPS_PROGRAM", str(BUILD / "apps/alps"))
NAME = "pointmaze-medium-navigate-v0"


def alps(*args):
    done = subprocess.run([ALPS, *map(str, args)], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="session")
def small_run(tmp_path_factory):
    """trained on 150 episodes of pointmaze-medium; the data lie beside it"""
    folder = tmp_path_factory.mktemp("small")
    alps("data", "make", NAME, "--data_dir", folder, "--episodes", 150)
    steps = {"representation_steps": 150, "model_steps": 300, "prior_steps": 300, "prior_batch": 256}
    sets = [x for k, v in steps.items() for x in ("--set", f"{k}={v}")]
    alps("train", NAME, "--data_dir", folder, "--out", folder / "run", "--threads", 1, *sets)
    return folder / "run"
