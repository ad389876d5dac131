"""alps.make_env and Gymnasium."""
import warnings

import gymnasium
import mujoco
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import alps


@pytest.mark.parametrize("name", ["pointmaze-medium-v0", "antmaze-large-v0", "humanoidmaze-medium-v0", "maze2d-rooms-v0",
                                  "visual-maze2d-spiral-v0", "visual-antmaze-teleport-v0", "scene-v0"])
def test_gymnasium_finds_no_fault(name):
    env = gymnasium.make(f"alps/{name}")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # observations of mazes have no bounds in OGBench either
        warnings.filterwarnings("ignore", message=".*(infinity|-inf|inf).*")
        check_env(env.unwrapped, skip_render_check=True)


def test_every_name_is_registered():
    registered = {key for key in gymnasium.registry if key.startswith("alps/")}
    assert registered == {f"alps/{name}" for name in alps.env_names()} and len(registered) == 29


def test_reset_options_and_info():
    env = alps.make_env("antmaze-medium-v0")
    seen, info = env.reset(seed=4, options=dict(task_id=2, render_goal=False))
    again, _ = alps.make_env("antmaze-medium-v0").reset(seed=4, options=dict(task_id=2))
    assert np.array_equal(seen, again) and seen.shape == info["goal"].shape == (29,) and seen.dtype == np.float32
    assert np.linalg.norm(env.cur_goal_xy - env.task_infos[1]["goal_xy"]) < 2 and env.num_tasks == 5
    assert np.array_equal(info["goal"][:2], env.cur_goal_xy.astype(np.float32)) and info["goal"].dtype == np.float32
    _, reward, terminated, truncated, info = env.step(env.action_space.sample())
    assert (reward, terminated, truncated, info["success"]) == (0.0, False, False, 0.0)
    assert info["qpos"].shape == (15,) and info["prev_qpos"].shape == (15,) and np.allclose(info["xy"], info["qpos"][:2])

    near = alps.make_env("pointmaze-medium-v0", max_episode_steps=3)
    near.reset(seed=0, options=dict(start=(0, 0), goal=(0.3, 0)))
    assert near.step(np.zeros(2))[1:4] == (1.0, True, False)
    near.reset(seed=0, options=dict(start=(0, 0), goal=(20, 20)))
    assert [near.step(np.zeros(2))[3] for _ in range(3)] == [False, False, True]


def test_arms_tell_of_their_buttons():
    env = alps.make_env("scene-v0")
    _, info = env.reset(seed=1, options=dict(task_id=3))
    assert info["button_states"].tolist() == [1, 0] and "xy" not in info and len(env.task_infos) == env.num_tasks == 5
    _, _, _, _, info = env.step(env.action_space.sample())
    assert info["prev_button_states"].tolist() == [1, 0] and info["qpos"].shape == (25,)
    assert "button_states" not in alps.make_env("cube-single-v0").reset(seed=1)[1]
    with pytest.raises(alps.UsageError, match="no plane"):
        env.get_xy()


def test_errors():
    with pytest.raises(alps.UsageError, match="did you mean"):
        alps.make_env("antmaze-larg-v0")
    env = alps.make_env("pointmaze-medium-v0")
    with pytest.raises(alps.UsageError, match="tasks are 1 to 5"):
        env.reset(options=dict(task_id=6))
    with pytest.raises(alps.UsageError, match="no reset option 'task'"):
        env.reset(options=dict(task=1))
    with pytest.raises(alps.UsageError, match="no camera"):
        env.reset(options=dict(render_goal=True))
    env.reset(seed=0)
    with pytest.raises(alps.UsageError, match="has 2 numbers, not 3"):
        env.step(np.zeros(3))
    with pytest.raises(alps.Error, match="not finite"):
        env.step(np.array([np.nan, 0]))


@pytest.mark.parametrize("name", ["pointmaze-medium-v0", "antmaze-medium-v0"])
def test_steps_equal_those_of_the_package(name):
    """side by side through the two Gymnasium interfaces, from the same state"""
    import ogbench  # noqa: F401  registers its environments

    theirs, ours = gymnasium.make(name), gymnasium.make(f"alps/{name}")
    np.random.seed(1)
    theirs.reset(seed=1, options=dict(task_id=1))
    ours.reset(seed=1, options=dict(task_id=1))
    inner, kind = theirs.unwrapped, mujoco.mjtState.mjSTATE_INTEGRATION
    state = np.zeros(mujoco.mj_stateSize(inner.model, kind))
    mujoco.mj_getState(inner.model, inner.data, state, kind)
    ours.unwrapped.state = np.concatenate([[0], inner.cur_goal_xy, state])
    rng = np.random.default_rng(2)
    for step in range(200):
        action = rng.uniform(-1, 1, ours.action_space.shape)
        seen, expected = ours.step(action), theirs.step(action)
        # ours is the package's number, rounded to float32
        assert np.array_equal(seen[0], expected[0].astype(np.float32)), step
        assert seen[1:4] == expected[1:4] and seen[4]["success"] == expected[4]["success"]
        for key in ("qpos", "qvel", "prev_qpos", "prev_qvel", "xy"):
            assert np.abs(seen[4][key] - expected[4][key]).max() <= 1e-10, key


def test_agent_reaches_goals_in_the_native_environment(agent):
    env = gymnasium.make("alps/" + agent.env_name)
    for task in (3, 4):
        observation, info = env.reset(seed=task, options=dict(task_id=task))
        agent.reset(info["goal"])
        done = False
        while not done:
            observation, _, terminated, truncated, info = env.step(agent.act(observation))
            done = terminated or truncated
        assert info["success"] == 1.0
