"""The native manipulation worlds against the real OGBench package: full episodes of every id and every task, one half with
a script that moves objects, the other with random actions.

Contacts amplify the last bit of a joint target to anything within some hundred steps, so equal episodes need equal bits.
In three places the package's bits are those of the machine: NumPy's linear algebra (OpenBLAS chooses an order of sums for
each kind of processor), its vectorized sines, and squares by pow(). `same_order` has the package do its sums in the order
of the native code, take sines from the C library and multiply. What it replaces is held against the original (test_what_is_replaced)."""
import math

import mujoco
import numpy as np
import pytest
from ogbench.manipspace.controllers import diff_ik
from ogbench.manipspace.lie import so3

from conftest import compare_episodes

CUBES = [f'cube-{count}-v0' for count in ('single', 'double', 'triple', 'quadruple')]
NAMES = [*CUBES, 'scene-v0', 'puzzle-3x3-v0', 'puzzle-4x4-v0']
TOLERANCE = 1e-10


class ScalarNumpy:
    """NumPy with the C library's sines"""
    cos, sin, arctan2 = staticmethod(math.cos), staticmethod(math.sin), staticmethod(math.atan2)

    def __getattr__(self, name):
        return getattr(np, name)


def solve_in_order(controller):
    """DiffIKController._solve, number by number: elimination with row pivots"""
    n, jacobian = 6, controller._jac.tolist()
    a = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(n):
            for k in range(n):
                a[i][j] += jacobian[i][k] * jacobian[j][k]
            if i == j:
                a[i][j] += 1e-12
    b = controller._err.ravel().tolist()
    for k in range(n):
        pivot = k
        for i in range(k + 1, n):
            if abs(a[i][k]) > abs(a[pivot][k]):
                pivot = i
        a[k], a[pivot], b[k], b[pivot] = a[pivot], a[k], b[pivot], b[k]
        for i in range(k + 1, n):
            factor = a[i][k] / a[k][k]
            for j in range(k + 1, n):
                a[i][j] -= factor * a[k][j]
            b[i] -= factor * b[k]
    x = [0.0] * n
    for i in reversed(range(n)):
        rest = b[i]
        for j in range(i + 1, n):
            rest -= a[i][j] * x[j]
        x[i] = rest / a[i][i]
    turn = [0.0] * n
    for k in range(n):
        for i in range(n):
            turn[k] += jacobian[i][k] * x[i]
    return np.array(turn)


def yaw_by_products(rotation):
    """SO3.compute_yaw_radians"""
    w, x, y, z = rotation.wxyz.tolist()
    return math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))


@pytest.fixture
def same_order(monkeypatch):
    monkeypatch.setattr(diff_ik.DiffIKController, '_solve', solve_in_order)
    monkeypatch.setattr(so3, 'np', ScalarNumpy())
    monkeypatch.setattr(so3.SO3, 'compute_yaw_radians', yaw_by_products)


def full_state(inner, steps=0):
    """ArmEnv's state, from the package's environment"""
    model, data = inner.model, inner.data
    kind = mujoco.mjtState.mjSTATE_INTEGRATION
    physics = np.zeros(mujoco.mj_stateSize(model, kind))
    mujoco.mj_getState(model, data, physics, kind)
    pinch, pad = model.site('ur5e/robotiq/pinch').id, model.body('ur5e/robotiq/right_pad').id
    return np.concatenate([[steps, 0, getattr(inner, '_target_drawer_pos', 0), getattr(inner, '_target_window_pos', 0)],
                           getattr(inner, '_target_button_states', []), getattr(inner, '_cur_button_states', []),
                           data.site_xpos[pinch], data.site_xmat[pinch], data.cfrc_ext[pad], physics])


def buttons(inner):
    return np.array(getattr(inner, '_cur_button_states', []), float)


class Hand:
    """Moves the hand to places one after the other: above a target, down, shut or open, up."""

    def __init__(self, inner, rng):
        self.inner, self.rng, self.plan, self.shut = inner, rng, [], False

    def target(self):
        """somewhere where something is to be touched"""
        inner, data = self.inner, self.inner.data
        places = [data.joint(f'object_joint_{i}').qpos[:3].copy() for i in range(getattr(inner, '_num_cubes', 0))]
        places += [data.site(f'btntop_{i}').xpos - [0, 0, 0.025] for i in range(getattr(inner, '_num_buttons', 0))]
        if hasattr(inner, '_drawer_site_id'):
            places += [data.site_xpos[inner._drawer_site_id], data.site_xpos[inner._window_site_id]]
        return np.array(places[self.rng.integers(len(places))])

    def action(self):
        if not self.plan:
            place, elsewhere = self.target(), self.rng.uniform([0.3, -0.25, 0.02], [0.55, 0.25, 0.1])
            up = np.array([0, 0, 0.12])
            self.plan = [(place + up, -1)] * 8 + [(place, -1)] * 8 + [(place, 1)] * 6 + [(place + up, 1)] * 6 + \
                        [(elsewhere + up, 1)] * 10 + [(elsewhere, 1)] * 6 + [(elsewhere, -1)] * 5
        place, grip = self.plan.pop(0)
        hand = self.inner.data.site_xpos[self.inner._pinch_site_id]
        action = np.array([*(place - hand) / 0.05, self.rng.normal(0, 0.1), grip]) + self.rng.normal(0, 0.1, 5)
        return np.clip(action, -1, 1)


def roll(env, rng, steps):
    inner = env.unwrapped
    hand = Hand(inner, rng)
    episode = dict(state=full_state(inner), actions=[], observations=[inner.compute_observation()],
                   qpos=[inner.data.qpos.copy()], qvel=[inner.data.qvel.copy()], buttons=[buttons(inner)],
                   flags=[(0.0, 0.0, 0.0)])
    for step in range(steps):
        action = hand.action() if step < steps / 2 else rng.uniform(-1, 1, 5)
        ob, _, terminated, truncated, info = env.step(action)
        episode['actions'].append(action)
        episode['observations'].append(ob)
        episode['qpos'].append(inner.data.qpos.copy())
        episode['qvel'].append(inner.data.qvel.copy())
        episode['buttons'].append(buttons(inner))
        episode['flags'].append((info['success'], float(terminated), float(truncated)))
    return {key: np.array(value, float) for key, value in episode.items()}


def compare(name, episodes, tmp_path):
    """exactly 0 where it was tried; the tolerance is for other machines"""
    given = {f'{k}/{key}': e[key] for k, e in enumerate(episodes) for key in ('state', 'actions')}
    compare_episodes(name, given, episodes, ('buttons', 'flags', 'qpos', 'qvel', 'observations'), TOLERANCE, tmp_path)


@pytest.mark.parametrize('name', NAMES)
def test_full_episodes_of_every_task(name, make_package_env, same_order, tmp_path):
    env = make_package_env(name)
    rng = np.random.default_rng(7)
    episodes = []
    for task in range(1, 6):
        env.reset(seed=task, options=dict(task_id=task))
        # past the goal too: the episode goes on until it is cut off by its length
        episodes.append(roll(env, rng, env.spec.max_episode_steps))
        assert episodes[-1]['flags'][-1, 2] == 1.0
    if name.startswith('cube'):
        assert any((e['qpos'][:, 16] > 0.08).any() for e in episodes), 'some cube should have been lifted'
    else:
        assert any(np.ptp(e['buttons'], axis=0).any() for e in episodes), 'some button should have been pressed'
    compare(name, episodes, tmp_path)


@pytest.mark.parametrize('name', ['cube-double-v0', 'scene-v0', 'puzzle-3x3-v0'])
def test_success(name, make_package_env, same_order, tmp_path):
    """Short episodes in the goal's scene, or beside it."""
    env = make_package_env(name)
    rng = np.random.default_rng(3)
    episodes = []
    for task in range(1, 6):
        env.reset(seed=task, options=dict(task_id=task))
        inner, info = env.unwrapped, env.unwrapped.cur_task_info
        # the package's own way to the goal, with a cube up to 5 cm off
        for i, mocap in enumerate(getattr(inner, '_cube_target_mocap_ids', [])):
            inner.data.joint(f'object_joint_{i}').qpos[:3] = inner.data.mocap_pos[mocap] + [0.01 * task if i == 0 else 0, 0, 0]
        if hasattr(inner, '_target_button_states'):
            inner._cur_button_states[:] = inner._target_button_states
            inner._apply_button_states()
        if name == 'scene-v0':
            inner.data.joint('drawer_slide').qpos[0] = info['goal']['drawer_pos']
            inner.data.joint('window_slide').qpos[0] = info['goal']['window_pos']
        mujoco.mj_forward(inner.model, inner.data)
        episodes.append(roll(env, rng, 6))
    success = np.array([e['flags'][1:, 0].any() for e in episodes])
    assert success.any() and (name == 'puzzle-3x3-v0' or not success.all())
    compare(name, episodes, tmp_path)


def test_what_is_replaced(make_package_env, monkeypatch):
    """The package's solver and ours in one order, from the same states of an episode: the same steps."""
    env = make_package_env('cube-single-v0')
    env.reset(seed=1, options=dict(task_id=1))
    original, seen = diff_ik.DiffIKController._solve, []

    def both(controller):
        step = original(controller)
        seen.append(np.abs(solve_in_order(controller) - step).max() / np.abs(step).max())
        return step

    monkeypatch.setattr(diff_ik.DiffIKController, '_solve', both)
    rng = np.random.default_rng(0)
    for _ in range(200):
        env.step(rng.uniform(-1, 1, 5))
    assert len(seen) > 300 and max(seen) < 1e-8
    turns = [so3.SO3(q / np.linalg.norm(q)) for q in rng.normal(0, 1, (1000, 4))]
    assert max(abs(yaw_by_products(q) - q.compute_yaw_radians()) for q in turns) < 1e-12
    angles = rng.uniform(-4, 4, 10000)
    assert max(abs(math.sin(x) - np.sin(x)) for x in angles) < 1e-15
