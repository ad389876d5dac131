"""Data made natively against data made by the same procedure in the real environment: the same places and strides."""
import subprocess

import numpy as np
import pytest

from conftest import BUILD

EPISODES = {'navigate': 40, 'stitch': 200}
LENGTH = {'navigate': 1001, 'stitch': 201}


def package_rows(env, behaviour, episodes, length, rng):
    """OGBench's procedure, on its own environment: returns the observations of all rows."""
    inner = env.unwrapped
    free = [tuple(c) for c in np.argwhere(inner.maze_map == 0)]
    m = inner.maze_map
    vertices = [(i, j) for i, j in free
                if not ((m[i - 1, j] == m[i + 1, j]) and (m[i, j - 1] == m[i, j + 1]) and m[i - 1, j] != m[i, j - 1])]
    draw = lambda cells: cells[rng.integers(len(cells))]
    known = {}  # the oracle looks at cells only, and is slow

    def subgoal(xy, goal):
        key = (*inner.xy_to_ij(xy), *inner.xy_to_ij(goal))
        if key not in known:
            known[key] = inner.get_oracle_subgoal(xy, goal)[0]
        return known[key]

    rows = []
    for _ in range(episodes):
        start = draw(free)
        goal = draw(vertices)
        if behaviour == 'stitch':
            steps = inner.get_oracle_subgoal(inner.ij_to_xy(start), inner.ij_to_xy(start))[1]
            goal = draw([c for c in free if steps[c] == 4] or [start])
        ob, _ = env.reset(options=dict(task_info=dict(init_ij=start, goal_ij=goal)))
        for _ in range(length):
            rows.append(ob)
            xy = inner.get_xy()
            direction = subgoal(xy, inner.cur_goal_xy) - xy
            direction = direction / (np.linalg.norm(direction) + 1e-6)
            ob, _, _, _, info = inner.step(np.clip(direction + rng.normal(0, 0.5, 2), -1, 1))
            if info['success'] and behaviour == 'navigate':
                inner.set_goal(goal_xy=inner.add_noise(inner.ij_to_xy(draw(vertices))))
    return np.array(rows)


def total_variation(a, b):
    return 0.5 * np.abs(a / a.sum() - b / b.sum()).sum()


def cells(xy, maze):
    ij = ((xy[:, ::-1] + 6) / 4).astype(int)
    counts = np.zeros(maze.shape)
    np.add.at(counts, (ij[:, 0], ij[:, 1]), 1)
    return counts.ravel()


def strides(xy, length):
    d = np.linalg.norm(np.diff(xy.reshape(-1, length, 2), axis=1), axis=2).ravel()
    return np.histogram(np.minimum(d, 0.4), bins=40, range=(0, 0.4001))[0].astype(float)


def native(name, episodes, seed, tmp_path):
    subprocess.run([BUILD / 'apps/alps', 'data', 'make', name, '--episodes', str(episodes), '--seed', str(seed),
                    '--data_dir', tmp_path, '--overwrite'], check=True, capture_output=True)
    return np.load(tmp_path / f'{name}.npz')


@pytest.mark.parametrize('maze', ['medium', 'teleport'])
@pytest.mark.parametrize('behaviour', ['navigate', 'stitch'])
def test_same_places_and_strides(maze, behaviour, make_package_env, tmp_path):
    """Strides agree at equal size. Occupancy is compared with the native data at ten times the size: at equal size two
    runs of the same generator differ by more than 0.03 through their few start cells and goals alone, and so the bound
    is 0.03 beyond what two halves of native data of that size show."""
    name, episodes, length = f'pointmaze-{maze}-{behaviour}-v0', EPISODES[behaviour], LENGTH[behaviour]
    env = make_package_env(f'pointmaze-{maze}-v0', terminate_at_goal=False, max_episode_steps=10**9)
    np.random.seed(3)
    package = package_rows(env, behaviour, episodes, length, np.random.default_rng(3))
    ours = native(name, 10 * episodes, 1, tmp_path)['observations']
    same_size = ours[:len(package)]
    assert total_variation(strides(same_size, length), strides(package, length)) < 0.03

    m = env.unwrapped.maze_map
    everything = cells(ours, m)
    spread = [total_variation(cells(part, m), everything) for part in np.split(ours, 10)]
    assert total_variation(cells(package, m), everything) < max(spread) + 0.03


def test_layout_and_determinism(tmp_path):
    name = 'pointmaze-medium-stitch-v0'
    files = []
    for threads in ('1', '2'):
        folder = tmp_path / threads
        subprocess.run([BUILD / 'apps/alps', 'data', 'make', name, '--episodes', '30', '--seed', '5', '--threads', threads,
                        '--data_dir', folder], check=True, capture_output=True)
        files.append([(folder / f'{name}{end}').read_bytes() for end in ('.npz', '-val.npz')])
        assert sorted(p.name for p in folder.iterdir()) == [f'{name}-val.npz', f'{name}.npz']
    assert files[0] == files[1]

    data = np.load(tmp_path / '1' / f'{name}.npz')
    assert {k: (v.dtype.name, v.shape) for k, v in data.items()} == {
        'observations': ('float32', (6030, 2)), 'actions': ('float32', (6030, 2)), 'terminals': ('bool', (6030,)),
        'qpos': ('float32', (6030, 2)), 'qvel': ('float32', (6030, 2))}
    assert np.array_equal(np.flatnonzero(data['terminals']), np.arange(200, 6030, 201))
    assert len(np.load(tmp_path / '1' / f'{name}-val.npz')['terminals']) == 603


def main():
    """At the full size of a data set, where chance no longer blurs the comparison (some minutes): python test_collect.py"""
    import pathlib
    import tempfile

    import gymnasium

    for behaviour, episodes in (('navigate', 1000), ('stitch', 5000)):
        env = gymnasium.make('pointmaze-medium-v0', terminate_at_goal=False, max_episode_steps=10**9)
        maze, length = env.unwrapped.maze_map, LENGTH[behaviour]
        np.random.seed(3)
        package = package_rows(env, behaviour, episodes, length, np.random.default_rng(3))
        with tempfile.TemporaryDirectory() as folder:
            for seed in (1, 2):
                ours = native(f'pointmaze-medium-{behaviour}-v0', episodes, seed, pathlib.Path(folder))['observations']
                print(f'{behaviour}, {len(ours):,} rows, seed {seed}: total variation of cells '
                      f'{total_variation(cells(package, maze), cells(ours, maze)):.4f}, of strides '
                      f'{total_variation(strides(package, length), strides(ours, length)):.4f}')


if __name__ == '__main__':
    main()
