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


def moment(env, observation):
    inner = env.unwrapped
    return np.concatenate([observation, inner.data.qpos, inner.data.qvel, inner.get_xy()])


def reset(env, task, seed):
    """the package draws tasks' noise from NumPy's global generator"""
    np.random.seed(seed)
    env.action_space.seed(seed)
    env.unwrapped.action_space.seed(seed)
    observation, info = env.reset(seed=seed, options=dict(task_id=task))
    return np.concatenate([moment(env, observation), info["goal"], env.unwrapped.cur_goal_xy])


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


def state(env):
    """(steps, goal, MuJoCo's integration state), as the native environments have it"""
    mujoco, model, data, kind = simulation(env)
    numbers = np.zeros(mujoco.mj_stateSize(model, kind))
    mujoco.mj_getState(model, data, numbers, kind)
    return np.concatenate([[time_limit(env)._elapsed_steps or 0], env.unwrapped.cur_goal_xy, numbers])


def set_state(env, numbers):
    mujoco, model, data, kind = simulation(env)
    time_limit(env)._elapsed_steps = int(numbers[0])
    env.unwrapped.set_goal(goal_xy=numbers[1:3])
    # derived quantities, without the change of the warm start that they bring along
    mujoco.mj_setState(model, data, numbers[3:], kind)
    mujoco.mj_forward(model, data)
    mujoco.mj_setState(model, data, numbers[3:], kind)
    return moment(env, env.unwrapped.get_ob())


def serve(env, channel):
    mujoco, model, _, kind = simulation(env)
    about = dict(observation_size=env.observation_space.shape[0], action_size=env.action_space.shape[0],
                 max_episode_steps=env.spec.max_episode_steps, num_tasks=len(env.unwrapped.task_infos),
                 state_size=3 + mujoco.mj_stateSize(model, kind))
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
            import ogbench

            serve(ogbench.make_env_and_datasets(name, env_only=True), channel)
        except Exception as error:
            write(channel, b"E", f"{type(error).__name__}: {error}".encode())


if __name__ == "__main__":
    main()
