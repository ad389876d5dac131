"""The native environments against the real OGBench package, full episodes, every id and every task."""
import mujoco
import numpy as np
import pytest

from conftest import compare_episodes

NAMES = [f'{body}maze-{maze}-v0' for body in ('point', 'ant', 'humanoid')
         for maze in ('medium', 'large', 'giant', 'teleport')]
TOLERANCE = 1e-10  # of qpos and qvel, which are double on both sides
EXITS = [0, 2, 1, 2, 0, 1, 1, 0, 2] * 200


def mujoco_state(env):
    spec = mujoco.mjtState.mjSTATE_INTEGRATION
    state = np.zeros(mujoco.mj_stateSize(env.unwrapped.model, spec))
    mujoco.mj_getState(env.unwrapped.model, env.unwrapped.data, state, spec)
    return state


def oracle_action(env, rng):
    """Towards the goal with noise: a point gets there; an ant or humanoid just moves."""
    inner = env.unwrapped
    size = inner.action_space.shape[0]
    if size != 2:
        return rng.uniform(-1, 1, size)
    subgoal, _ = inner.get_oracle_subgoal(inner.get_xy(), inner.cur_goal_xy)
    return np.clip((subgoal - inner.get_xy()) / 2 + rng.normal(0, 0.5, 2), -1, 1)


def roll(env, rng, steps, stop_at_goal):
    """Steps the package's environment from where it stands; returns what the native one is to repeat."""
    inner = env.unwrapped
    episode = dict(state=mujoco_state(env), goal=np.array(inner.cur_goal_xy, dtype=float), actions=[],
                   observations=[inner.get_ob()], qpos=[inner.data.qpos.copy()], qvel=[inner.data.qvel.copy()],
                   flags=[(0.0, 0.0, 0.0)])
    for _ in range(steps):
        action = oracle_action(env, rng)
        ob, _, terminated, truncated, info = env.step(action)
        episode['actions'].append(action)
        episode['observations'].append(ob)
        episode['qpos'].append(inner.data.qpos.copy())
        episode['qvel'].append(inner.data.qvel.copy())
        episode['flags'].append((info['success'], float(terminated), float(truncated)))
        if truncated or (terminated and stop_at_goal):
            break
    return {key: np.array(value) for key, value in episode.items()}


def set_place(env, xy, goal):
    env.unwrapped.set_xy(np.array(xy, dtype=float))
    env.unwrapped.set_goal(goal_xy=np.array(goal, dtype=float))


def compare(name, episodes, tmp_path):
    keys = ('state', 'goal', 'actions')
    given = {f'{k}/{key}': e[key] for k, e in enumerate(episodes) for key in keys}
    given |= {f'{k}/exits': np.array(EXITS) for k in range(len(episodes))}
    compare_episodes(name, given, episodes, ('observations', 'qpos', 'qvel', 'flags'), TOLERANCE, tmp_path)


@pytest.mark.parametrize('name', NAMES)
def test_full_episodes_of_every_task(name, make_package_env, teleport_exits, tmp_path):
    env = make_package_env(name)
    rng = np.random.default_rng(7)
    episodes = []
    for task in range(1, 6):
        teleport_exits.release()
        env.reset(seed=task, options=dict(task_id=task))
        teleport_exits(list(EXITS))
        # past the goal too: the episode goes on until it is cut off by its length
        episodes.append(roll(env, rng, env.spec.max_episode_steps, stop_at_goal=False))
        assert episodes[-1]['flags'][-1, 2] == 1.0
    teleport_exits.release()
    if name.startswith('point') and 'teleport' not in name:
        assert any(e['flags'][:, 0].any() for e in episodes), 'a point should have reached some goal'
    compare(name, episodes, tmp_path)


@pytest.mark.parametrize('name', NAMES)
def test_success_and_teleports(name, make_package_env, teleport_exits, tmp_path):
    """Short episodes that start beside the goal, and beside a teleport where there is one."""
    env = make_package_env(name)
    rng = np.random.default_rng(11)
    episodes = []
    for distance in (0.1, 0.45, 0.55, 0.95, 1.05, 1.5):
        teleport_exits.release()
        env.reset(seed=3, options=dict(task_id=1))
        start = np.array(env.unwrapped.ij_to_xy((1, 1)), dtype=float)
        set_place(env, start, start + [distance, 0])
        teleport_exits(list(EXITS))
        episodes.append(roll(env, rng, 30, stop_at_goal=True))
    assert any(e['flags'][:, 1].any() for e in episodes), 'some episode should have ended in success'
    if 'teleport' in name:
        for entry in ((4, 6), (5, 1)):
            for step in range(3):
                teleport_exits.release()
                env.reset(seed=step, options=dict(task_id=1))
                set_place(env, np.array(env.unwrapped.ij_to_xy(entry)) + [0, 1.2 + 0.25 * step], env.unwrapped.ij_to_xy((7, 10)))
                teleport_exits(list(EXITS))
                episodes.append(roll(env, rng, 60, stop_at_goal=True))
        assert sum(np.any(np.linalg.norm(np.diff(e['qpos'][:, :2], axis=0), axis=1) > 3) for e in episodes) >= 4
    teleport_exits.release()
    compare(name, episodes, tmp_path)


@pytest.mark.parametrize('name', [n for n in NAMES if n.startswith('point')])
def test_point_along_walls(name, make_package_env, teleport_exits, tmp_path):
    """Pushes the ball into walls and corners, where contacts decide the motion."""
    env = make_package_env(name)
    rng = np.random.default_rng(5)
    maze = env.unwrapped.maze_map
    episodes = []
    free = np.argwhere(maze == 0)
    for cell in free[rng.choice(len(free), 12, replace=False)]:
        teleport_exits.release()
        env.reset(seed=1, options=dict(task_id=1))
        set_place(env, env.unwrapped.ij_to_xy(cell) + rng.uniform(-1, 1, 2), (100, 100))
        teleport_exits(list(EXITS))
        episode = dict(state=mujoco_state(env), goal=np.array([100.0, 100.0]))
        push = rng.uniform(-1, 1, 2)
        rows = [(env.unwrapped.get_ob(), env.unwrapped.data.qpos.copy(), env.unwrapped.data.qvel.copy(), (0.0, 0.0, 0.0))]
        actions = []
        for step in range(120):
            if step % 30 == 0:
                push = rng.uniform(-1.5, 1.5, 2)
            action = np.clip(push + rng.normal(0, 0.1, 2), -1, 1)
            ob, _, terminated, truncated, info = env.step(action)
            actions.append(action)
            rows.append((ob, env.unwrapped.data.qpos.copy(), env.unwrapped.data.qvel.copy(),
                         (info['success'], float(terminated), float(truncated))))
        episode |= dict(zip(('observations', 'qpos', 'qvel', 'flags'), map(np.array, zip(*rows))), actions=np.array(actions))
        episodes.append(episode)
    teleport_exits.release()
    compare(name, episodes, tmp_path)
