"""What the tests of this folder share: the build folder's tools, and OGBench's real environments."""
import os
import pathlib
import subprocess

import gymnasium
import numpy as np
import pytest

os.environ.setdefault('MUJOCO_GL', 'egl')
import ogbench  # noqa: E402,F401  registers the environments
from ogbench.locomaze import humanoid  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get('ALPS_BUILD', ROOT / 'build/release'))


def run_tool(name, *args):
    """Runs a tool of the build folder and fails with its words."""
    done = subprocess.run([BUILD / 'tests' / name, *map(str, args)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope='session')
def humanoid_with_teleports(tmp_path_factory):
    """The package's humanoidmaze-teleport-v0 does not load: its XML lacks the teleports' materials, which are only
    colours. The test adds them to a copy."""
    text = pathlib.Path(humanoid.HumanoidEnv.xml_file).read_text()
    text = text.replace('</asset>', '<material name="teleport_in"/><material name="teleport_out"/></asset>')
    path = tmp_path_factory.mktemp('humanoid') / 'humanoid.xml'
    path.write_text(text)
    before, humanoid.HumanoidEnv.xml_file = humanoid.HumanoidEnv.xml_file, str(path)
    yield
    humanoid.HumanoidEnv.xml_file = before


@pytest.fixture
def make_package_env(humanoid_with_teleports):
    envs = []

    def make(name, **kwargs):
        envs.append(gymnasium.make(name, **kwargs))
        return envs[-1]

    yield make
    for env in envs:
        env.close()


@pytest.fixture
def teleport_exits(monkeypatch):
    """Forces the package's choice of teleport exits: a list to fill, used up in order. The package draws an exit with
    np.random.randint(3) while stepping; nothing else does then."""
    exits = []

    def randint(low, high=None, *args, **kwargs):
        assert high is None and low == 3 and not args and not kwargs
        return exits.pop(0)

    def force(values):
        exits[:] = values
        monkeypatch.setattr(np.random, 'randint', randint)

    def release():
        monkeypatch.undo()
        return exits

    force.release = release
    return force
