"""Resets of the native manipulation worlds against the real OGBench package, and the scenes that data start from: the same
distributions, column by column."""
import gymnasium
import numpy as np
import pytest

from conftest import run_tool
from test_reset import columns_agree

RESETS = 250


def settled(observations):
    """Without columns that tell of contacts at rest by chance of rounding (speeds of still joints), rounded."""
    return np.round(observations.astype(float), 3)


@pytest.mark.parametrize('name', ['cube-single-v0', 'cube-triple-v0', 'scene-v0', 'puzzle-3x3-v0'])
def test_resets_of_tasks(name, make_package_env, tmp_path):
    run_tool('stepper', 'resets', name, RESETS, 1, tmp_path / 'out.npz')
    out = np.load(tmp_path / 'out.npz')
    env = make_package_env(name)
    observations, goals = [], []
    for i in range(RESETS):
        ob, info = env.reset(seed=i, options=dict(task_id=1 + i % 5))
        observations.append(ob)
        goals.append(info['goal'])
    columns_agree(settled(out['observations']), settled(np.array(observations)), f'{name} observation')
    columns_agree(settled(out['goal_observations']), settled(np.array(goals)), f'{name} goal observation')


@pytest.mark.parametrize('name', ['cube-double-v0', 'scene-v0', 'puzzle-4x4-v0'])
def test_scenes_that_data_start_from(name, tmp_path):
    run_tool('stepper', 'play_starts', name, 2 * RESETS, 1, tmp_path / 'out.npz')
    env = gymnasium.make(name, mode='data_collection', terminate_at_goal=False)
    observations = np.array([env.reset(seed=i)[0] for i in range(2 * RESETS)])
    env.close()
    columns_agree(settled(np.load(tmp_path / 'out.npz')['observations']), settled(observations), name)
