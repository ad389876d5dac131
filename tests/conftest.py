"""What tests of several folders share: one small trained run, which takes about twenty seconds, and how tests are shared out
between worker processes (./alps test starts one per core)."""
import contextlib
import os
import pathlib
import shutil
import subprocess

import pytest
from made_once import made_once

# PyPI's torch loads Triton with its first optimizer. Triton's LLVM crashes a process that has drawn with Mesa's before; loaded first, both work.
with contextlib.suppress(ImportError):
    import triton  # noqa: F401

ROOT = pathlib.Path(__file__).resolve().parents[1]
BUILD = pathlib.Path(os.environ.get("ALPS_BUILD", ROOT / "build/release"))
ALPS = os.environ.get("ALPS_PROGRAM", str(BUILD / "apps/alps"))
NAME = "pointmaze-medium-navigate-v0"


def pytest_collection_modifyitems(items):
    """Tests that share a fixture of their file stay together on one worker; the others go wherever there is time."""
    for item in items:
        fixtures = item._fixtureinfo.name2fixturedefs.values()
        if any(definition.scope == "module" for definitions in fixtures for definition in definitions):
            item.add_marker(pytest.mark.xdist_group(item.path.stem))


def alps(*args):
    done = subprocess.run([ALPS, *map(str, args)], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="session")
def small_run(tmp_path_factory):
    """trained on 150 episodes of pointmaze-medium; the data lie beside it. Each worker has a copy to evaluate and draw in."""
    with made_once(tmp_path_factory, "small") as (folder, first):
        if first:
            alps("data", "make", NAME, "--data_dir", folder, "--episodes", 150)
            steps = {"representation_steps": 150, "model_steps": 300, "prior_steps": 300, "prior_batch": 256}
            sets = [x for k, v in steps.items() for x in ("--set", f"{k}={v}")]
            alps("train", NAME, "--data_dir", folder, "--out", folder / "run", "--threads", 1, *sets)
    return shutil.copytree(folder, tmp_path_factory.mktemp("small") / "copy") / "run"
