"""Steps an environment of the real OGBench package for `alps eval --backend ogbench`, which starts this as

    python -P ogbench_server.py DATASET_NAME SOCKET

and speaks over the socket (apps/cli/ogbench_env.h). The environment is made as OGBench makes it for that name. Needs
ogbench (with it mujoco and NumPy), not the package alps."""

import json
import signal
import socket
import struct
import sys
import tempfile

import numpy as np


def read(channel, count):
    data = channel.read(count)
    if len(data) < count:  # the planner is gone, or done
        sys.exit(0)
    return data


def write(channel, kind, body):
    channel.write(kind + struct.pack("<I", len(body)) + body)
    channel.flush()


def has_places(env):
    """of a maze; else an arm"""
    return hasattr(env.unwrapped, "get_xy")


def moment(env, observation):
    inner = env.unwrapped
    return np.concatenate([observation, inner.data.qpos, inner.data.qvel, inner.get_xy() if has_places(env) else []])


def reset(env, task, seed):
    """the package draws mazes' noise from NumPy's global generator, arms' from the environment's own"""
    np.random.seed(seed)
    env.action_space.seed(seed)
    env.unwrapped.action_space.seed(seed)
    observation, info = env.reset(seed=seed, options=dict(task_id=task))
    goal = env.unwrapped.cur_goal_xy if has_places(env) else []
    return np.concatenate([moment(env, observation), info["goal"], goal])


def step(env, action):
    observation, _, terminated, truncated, info = env.step(action.astype(np.float32))
    return np.concatenate([[info["success"], terminated, truncated], moment(env, observation)])


def time_limit(env):
    """the wrapper that counts steps"""
    while not hasattr(env, "_elapsed_steps"):
        env = env.env
    return env


def simulation(env):
    """MuJoCo, model, data, and which of its state the next steps depend on"""
    # here, so that a Python without it is told of like one without ogbench
    import mujoco  # type: ignore[import-untyped]

    return mujoco, env.unwrapped.model, env.unwrapped.data, mujoco.mjtState.mjSTATE_INTEGRATION


def hand(env):
    """what an arm's next action depends on beyond MuJoCo's state: the hand and the pad's force as the last physics step
    saw them; views that can be written to"""
    inner = env.unwrapped
    return [inner.data.site("ur5e/robotiq/pinch").xpos, inner.data.site("ur5e/robotiq/pinch").xmat,
            inner.data.body("ur5e/robotiq/right_pad").cfrc_ext]


BUTTONS = "_target_button_states", "_cur_button_states"
SLIDES = "_target_drawer_pos", "_target_window_pos"


def about_task(env):
    """of a maze: the goal; of an arm: 0 (it does not play), where drawer and window belong, buttons' goals and states"""
    inner = env.unwrapped
    if has_places(env):
        return [inner.cur_goal_xy]
    return [[0], [getattr(inner, name, 0) for name in SLIDES], *(getattr(inner, name, []) for name in BUTTONS), *hand(env)]


def state(env):
    """(steps, task, MuJoCo's integration state), as the native environments have it"""
    mujoco, model, data, kind = simulation(env)
    numbers = np.zeros(mujoco.mj_stateSize(model, kind))
    mujoco.mj_getState(model, data, numbers, kind)
    return np.concatenate([[time_limit(env)._elapsed_steps or 0], *about_task(env), numbers])


def set_state(env, numbers):
    mujoco, model, data, kind = simulation(env)
    inner = env.unwrapped
    size = mujoco.mj_stateSize(model, kind)
    task, physics = numbers[1:-size], numbers[-size:]
    time_limit(env)._elapsed_steps = int(numbers[0])
    if has_places(env):
        inner.set_goal(goal_xy=task)
    else:
        inner._target_drawer_pos, inner._target_window_pos = task[1:3]
        count = len(getattr(inner, "_cur_button_states", []))
        for k, name in enumerate(BUTTONS):
            if count:
                setattr(inner, name, task[3 + k * count:][:count].astype(int))
        if count:
            inner._apply_button_states()
    # derived quantities, without the change of the warm start that they bring along
    mujoco.mj_setState(model, data, physics, kind)
    mujoco.mj_forward(model, data)
    mujoco.mj_setState(model, data, physics, kind)
    if has_places(env):
        return moment(env, inner.get_ob())
    at = len(task) - sum(view.size for view in hand(env))
    for view in hand(env):
        view[:] = task[at:at + view.size]
        at += view.size
    return moment(env, inner.compute_observation())


def make(name):
    import gymnasium
    import ogbench

    env = ogbench.make_env_and_datasets(name, env_only=True)
    if not has_places(env):
        # the package makes a new space, seeded by chance, whenever its arm is asked for one; resets draw actions from it
        kind = type(env.unwrapped)
        kind.action_space = gymnasium.spaces.Box(-1, 1, kind.action_space.fget(env.unwrapped).shape, np.float32)
        env.reset(seed=0)
    return env


def serve(env, channel):
    about = dict(observation_size=env.observation_space.shape[0], action_size=env.action_space.shape[0],
                 max_episode_steps=env.spec.max_episode_steps, num_tasks=len(env.unwrapped.task_infos),
                 state_size=len(state(env)))
    write(channel, b"H", json.dumps(about).encode())
    while True:
        (length,) = struct.unpack("<xI", read(channel, 5))
        request = np.frombuffer(read(channel, length))
        numbers = request[1:]
        # in the order of OgbenchEnv::Request
        answer = [lambda: reset(env, int(numbers[0]), int(numbers[1])), lambda: step(env, numbers),
                  lambda: state(env), lambda: set_state(env, numbers)][int(request[0])]()
        write(channel, b"D", answer.astype("<f8").tobytes())


def main():
    name, number = sys.argv[1], int(sys.argv[2])
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the planner's to handle
    channel = socket.socket(fileno=number).makefile("rwb")
    # the package leaves the XML of its maze behind
    with tempfile.TemporaryDirectory(prefix="alps-ogbench-") as folder:
        tempfile.tempdir = folder
        try:
            serve(make(name), channel)
        except Exception as error:
            write(channel, b"E", f"{type(error).__name__}: {error}".encode())


if __name__ == "__main__":
    main()
