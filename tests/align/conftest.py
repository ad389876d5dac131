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


def compare_episodes(name, given, episodes, keys, tolerance, folder):
    """Steps the native environment from the arrays `given`, and holds what it saw against the package's `episodes`."""
    np.savez(folder / 'in.npz', **given)
    run_tool('stepper', 'episodes', name, folder / 'in.npz', folder / 'out.npz')
    out = np.load(folder / 'out.npz')
    for k, e in enumerate(episodes):
        for key in keys:
            native, package = out[f'{k}/{key}'], e[key]
            assert native.shape == package.shape
            allowed = tolerance
            if key == 'observations':
                # the package's value rounded to float32: at most one unit in the last place apart, for two doubles that
                # differ by the tolerance may lie on two sides of a float's rounding limit
                package = package.astype(np.float32)
                allowed = tolerance + np.spacing(np.abs(package)).astype(float)
            wrong = (np.abs(native - package.astype(float)) > allowed).any(axis=1)
            assert not wrong.any(), f'{name}, episode {k}: {key} first differs at step {np.argmax(wrong)}'


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
