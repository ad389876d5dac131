"""The frames of the native visual mazes against those of the real OGBench package, rendered by MuJoCo with OpenGL."""
import numpy as np
import pytest

from conftest import run_tool
from test_step import mujoco_state

MAZES = ('medium', 'large', 'giant', 'teleport')
# without a GPU the package renders a frame in 50 ms to 400 ms
STATES = 7


def close(native, package):
    """Mean absolute difference, and the share of the pixels whose channels all lie within 8 levels of 255."""
    assert native.shape == package.shape and native.dtype == package.dtype == np.uint8
    apart = np.abs(native.astype(int) - package.astype(int))
    return apart.mean(), (apart.max(axis=-1) <= 8).mean()


def assert_close(native, package):
    mean, within = close(native, package)
    assert mean < 2, f'mean difference {mean:.3f}'
    assert within >= 0.99, f'only {100 * within:.2f} % of the pixels within 8 levels'


def posture(env, rng, kind):
    """Somewhere in the maze after some random steps; at times turned over, high above the floor, or on a disc."""
    inner = env.unwrapped
    free = np.argwhere(inner.maze_map == 0)
    xy = np.array(inner.ij_to_xy(free[rng.integers(len(free))]), dtype=float)
    if kind == 0 and inner._teleport_info is not None:
        xy = np.array(inner._teleport_info['teleport_out_xys'][rng.integers(3)], dtype=float)
    qpos = inner.init_qpos + rng.uniform(-0.1, 0.1, inner.model.nq)
    qpos[:2] = xy + rng.uniform(-1, 1, 2)
    turn = rng.uniform(-np.pi, np.pi)
    qpos[3:7] = [np.cos(turn / 2), 0, 0, np.sin(turn / 2)]
    if kind == 1:
        qpos[3:7] = rng.standard_normal(4)
        qpos[3:7] /= np.linalg.norm(qpos[3:7])
        qpos[2] = 1.0
    inner.set_state(qpos, np.zeros(inner.model.nv))
    # in the air MuJoCo's light is only as high as the legs: parts above it cast no shadow
    for _ in range(0 if kind == 2 else rng.integers(1, 40)):
        inner.do_simulation(rng.uniform(-1, 1, 8), 5)
    return inner.data.qpos.astype(np.float32)


@pytest.mark.parametrize('maze', MAZES)
def test_frames_equal_mujocos(maze, make_package_env, tmp_path):
    env = make_package_env(f'visual-antmaze-{maze}-v0')
    env.reset(seed=5, options=dict(task_id=1))
    rng = np.random.default_rng(11)
    qpos = np.array([posture(env, rng, kind) for kind in range(STATES)])
    frames = []
    for q in qpos:
        env.unwrapped.set_state(q.astype(float), np.zeros(env.unwrapped.model.nv))
        frames.append(env.unwrapped.render())
    np.savez(tmp_path / 'in.npz', qpos=qpos)
    run_tool('frames_tool', 'render', f'visual-antmaze-{maze}-v0', tmp_path / 'in.npz', tmp_path / 'out.npz')
    native = np.load(tmp_path / 'out.npz')['frames']
    assert_close(native, np.array(frames))
    # each frame for itself: the mean over all would hide one that is wrong
    for ours, theirs in zip(native, frames):
        mean, within = close(ours, theirs)
        assert mean < 2 and within > 0.98
    # frames differ from each other by far more
    assert close(native[0], np.array(frames[1]))[0] > 10


def test_steps_and_goals_look_as_in_the_package(make_package_env, tmp_path):
    """The package renders what its simulation saw last; the native environment renders the positions as data sets keep
    them. That is the same but for thousandths of a cell."""
    env = make_package_env('visual-antmaze-medium-v0')
    inner = env.unwrapped
    # the posture of the goal's image
    looks = []
    get_ob = inner.get_ob
    inner.get_ob = lambda *args, **kwargs: (looks.append(inner.data.qpos.astype(np.float32)), get_ob(*args, **kwargs))[1]
    np.random.seed(3)
    ob, info = env.reset(seed=3, options=dict(task_id=2))
    inner.get_ob = get_ob
    goal = next(q for q in reversed(looks) if np.allclose(q[:2], inner.cur_goal_xy))
    np.savez(tmp_path / 'goal.npz', qpos=goal[None])
    run_tool('frames_tool', 'render', 'visual-antmaze-medium-v0', tmp_path / 'goal.npz', tmp_path / 'goal_out.npz')
    assert_close(np.load(tmp_path / 'goal_out.npz')['frames'][0], info['goal'])

    state, frames, actions = mujoco_state(env), [ob], []
    rng = np.random.default_rng(4)
    for _ in range(8):
        actions.append(rng.uniform(-1, 1, 8))
        frames.append(env.step(actions[-1])[0])
    np.savez(tmp_path / 'in.npz', state=state, actions=np.array(actions))
    run_tool('frames_tool', 'follow', 'visual-antmaze-medium-v0', tmp_path / 'in.npz', tmp_path / 'out.npz')
    assert_close(np.load(tmp_path / 'out.npz')['frames'], np.array(frames))
