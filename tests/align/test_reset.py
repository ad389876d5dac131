"""Resets of the native environments against the real OGBench package: the same distributions, the same oracle."""
import numpy as np
import pytest
from scipy import stats

from conftest import run_tool

NAMES = [f'{body}maze-{maze}-v0' for body in ('point', 'ant', 'humanoid')
         for maze in ('medium', 'large', 'giant', 'teleport')]
RESETS = 2000


def columns_agree(ours, theirs, what):
    """Two-sample Kolmogorov-Smirnov on every column, Bonferroni over columns; constant columns must be equal."""
    assert ours.shape == theirs.shape
    level = 1e-3 / ours.shape[1]
    for c in range(ours.shape[1]):
        if np.ptp(theirs[:, c]) < 1e-12:
            assert np.allclose(ours[:, c], theirs[:, c], atol=1e-9), f'{what}: column {c} is constant in the package'
            continue
        p = stats.ks_2samp(ours[:, c], theirs[:, c]).pvalue
        assert p > level, f'{what}: column {c} differs, p = {p:.1e}'


@pytest.mark.parametrize('name', NAMES)
def test_start_and_goal_places(name, make_package_env, tmp_path):
    """Start and goal positions of 2,000 resets. The package's own noise function draws its places, so that its slow
    settling steps need not be run for each."""
    run_tool('stepper', 'resets', name, RESETS, 1, tmp_path / 'out.npz')
    out = np.load(tmp_path / 'out.npz')
    inner = make_package_env(name).unwrapped
    np.random.seed(0)
    tasks = out['tasks'][:, 0].astype(int)
    places = np.array([[*inner.add_noise(inner.task_infos[t - 1]['init_xy']), *inner.add_noise(inner.task_infos[t - 1]['goal_xy'])]
                       for t in tasks])
    for task in range(1, 6):
        columns_agree(out['places'][tasks == task], places[tasks == task], f'{name} task {task}')
    assert np.array_equal(out['observations'][:, :2], out['places'][:, :2].astype(np.float32))
    assert np.array_equal(out['goal_observations'][:, :2], out['places'][:, 2:].astype(np.float32))


@pytest.mark.parametrize('name', ['pointmaze-medium-v0', 'antmaze-medium-v0', 'humanoidmaze-medium-v0'])
def test_observations_after_real_resets(name, make_package_env, tmp_path):
    """Whole observations and goal observations (postures some random steps after a reset) of real resets."""
    count = 500 if name.startswith('humanoid') else RESETS
    run_tool('stepper', 'resets', name, count, 2, tmp_path / 'out.npz')
    out = np.load(tmp_path / 'out.npz')
    env = make_package_env(name)
    np.random.seed(1)
    env.action_space.seed(1)
    observations, goals = [], []
    for i in range(count):
        ob, info = env.reset(seed=i, options=dict(task_id=1 + i % 5))
        observations.append(ob)
        goals.append(info['goal'])
    columns_agree(out['observations'], np.array(observations, np.float32), f'{name} observation')
    columns_agree(out['goal_observations'], np.array(goals, np.float32), f'{name} goal observation')


@pytest.mark.parametrize('name', NAMES[:4])
def test_oracle_and_cells(name, make_package_env, tmp_path):
    inner = make_package_env(name).unwrapped
    rng = np.random.default_rng(0)
    free = np.argwhere(inner.maze_map == 0)
    pick = lambda: np.array(inner.ij_to_xy(free[rng.integers(len(free))])) + rng.uniform(-1.9, 1.9, 2)
    points = np.array([np.concatenate([pick(), pick()]) for _ in range(1000)])
    np.savez(tmp_path / 'in.npz', points=points)
    run_tool('stepper', 'oracle', name, tmp_path / 'in.npz', tmp_path / 'out.npz')
    out = np.load(tmp_path / 'out.npz')
    subgoals = np.array([inner.get_oracle_subgoal(p[:2], p[2:])[0] for p in points])
    assert np.array_equal(out['subgoals'], subgoals)
    assert np.array_equal(out['free_cells'], free)

    # straight corridors are no vertices
    m = inner.maze_map
    corridor = [(m[i - 1, j] == m[i + 1, j]) and (m[i, j - 1] == m[i, j + 1]) and m[i - 1, j] != m[i, j - 1] for i, j in free]
    assert np.array_equal(out['vertex_cells'], free[~np.array(corridor)])
