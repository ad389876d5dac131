"""Steps an environment of the real OGBench package for `alps eval --backend ogbench`, which starts this as

    python -P ogbench_server.py DATASET_NAME SOCKET

and speaks over the socket (apps/cli/ogbench_env.h). The environment is made as OGBench makes it for that name. Needs
ogbench and NumPy, not the package alps."""

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


def where(env):
    inner = env.unwrapped
    return np.concatenate([inner.data.qpos, inner.data.qvel, inner.get_xy()])


def reset(env, task, seed):
    """the package draws tasks' noise from NumPy's global generator"""
    np.random.seed(seed)
    env.action_space.seed(seed)
    env.unwrapped.action_space.seed(seed)
    observation, info = env.reset(seed=seed, options=dict(task_id=task))
    return np.concatenate([observation, where(env), info["goal"], env.unwrapped.cur_goal_xy])


def step(env, action):
    observation, _, terminated, truncated, info = env.step(action.astype(np.float32))
    return np.concatenate([[info["success"], terminated, truncated], observation, where(env)])


def serve(env, channel):
    about = dict(observation_size=env.observation_space.shape[0], action_size=env.action_space.shape[0],
                 max_episode_steps=env.spec.max_episode_steps, num_tasks=len(env.unwrapped.task_infos))
    write(channel, b"H", json.dumps(about).encode())
    while True:
        (length,) = struct.unpack("<xI", read(channel, 5))
        request = np.frombuffer(read(channel, length))
        answer = reset(env, int(request[1]), int(request[2])) if request[0] == 0 else step(env, request[1:])
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
