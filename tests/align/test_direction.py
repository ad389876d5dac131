"""Walking along directions, where experts learn, against the package's online-ant-v0 in its direction wrapper."""
import gymnasium
import mujoco
import numpy as np
import ogbench.online_locomotion  # noqa: F401  registers it
from ogbench.online_locomotion.wrappers import GymXYWrapper

from conftest import run_tool

TOLERANCE = 1e-10


def test_a_thousand_steps(tmp_path):
    rng = np.random.default_rng(3)
    actions = rng.uniform(-1, 1, (1000, 8))
    np.savez(tmp_path / 'in.npz', actions=actions)
    run_tool('stepper', 'directions', tmp_path / 'in.npz', 5, tmp_path / 'out.npz')
    native = np.load(tmp_path / 'out.npz')
    observations, places, results = native['observations'], native['places'], native['results']
    directions = observations[:, -2:]
    np.testing.assert_allclose(np.linalg.norm(directions, axis=1), 1)

    # the package's environment at the same start, told the same directions
    env = GymXYWrapper(gymnasium.make('online-ant-v0', terminate_when_unhealthy=True, disable_env_checker=True))
    inner = env.unwrapped
    env.reset(seed=0)
    mujoco.mj_resetData(inner.model, inner.data)
    inner.set_state(np.concatenate([places[0], observations[0, :13]]), observations[0, 13:27])
    for t, action in enumerate(actions):
        env.z = directions[t]
        before = env.z.copy()
        ob, reward, terminated, _, _ = env.step(action)
        assert np.abs(ob[:27] - observations[t + 1, :27]).max() <= TOLERANCE, t
        assert abs(reward - results[t + 1, 0]) <= TOLERANCE
        assert terminated == bool(results[t + 1, 1])
        # a new direction every hundred steps, and only then
        assert np.array_equal(before, directions[t + 1]) == ((t + 1) % 100 != 0)
