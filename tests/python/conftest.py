"""What the tests of the installed Python package share. They run in an environment of their own (./alps test makes it,
build/python-venv) and must not see the sources of the package."""
import pathlib
import shutil
import sys

import numpy as np
import pytest

import alps
from made_once import made_once

ROOT = pathlib.Path(__file__).resolve().parents[2]
NAME = "pointmaze-medium-navigate-v0"
SMALL = dict(representation_steps=120, model_steps=250, prior_steps=250, prior_batch=256, encoder_width=64, model_width=64,
             prior_width=64)
sys.path.insert(0, str(ROOT / "examples"))


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """with the data set and the run that all workers make once; each has a copy to work in"""
    with made_once(tmp_path_factory, "python") as (folder, first):
        if first:
            dataset = alps.make_dataset(NAME, folder, episodes=150, progress=False)
            alps.train(dataset, out=folder / "run", threads=1, progress=False, **SMALL)
    return shutil.copytree(folder, tmp_path_factory.mktemp("python") / "copy")


@pytest.fixture(scope="session")
def dataset(folder):
    return alps.make_dataset(NAME, folder, episodes=150, progress=False)


@pytest.fixture(scope="session")
def run(folder):
    return alps.Run(folder / "run")


@pytest.fixture(scope="session")
def ends(dataset):
    """a start and a goal of the data"""
    return dataset.observations[0], dataset.observations[700]


@pytest.fixture
def agent(run):
    return alps.load(run)


@pytest.fixture
def rows(dataset):
    return dataset.observations[np.random.default_rng(0).choice(len(dataset), 64)]
