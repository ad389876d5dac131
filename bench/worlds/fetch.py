"""FetchReach and FetchPush of Gymnasium-Robotics: a robot's gripper above a table, moved by changes of its place; in FetchPush with
a block on the table that it can push."""

import types

import gymnasium
import gymnasium_robotics
import mujoco
import numpy as np
from gymnasium_robotics.utils import mujoco_utils

from world import Behaviour, Held, Mixed, Shown, World

gymnasium.register_envs(gymnasium_robotics)
# its check of joint types compares numbers with an enumeration of MuJoCo, which MuJoCo 4 answers with "not equal"
mujoco_utils.mujoco = types.SimpleNamespace(**{**vars(mujoco), "mjtJoint": types.SimpleNamespace(
    **{name: int(getattr(mujoco.mjtJoint, name)) for name in ("mjJNT_FREE", "mjJNT_BALL", "mjJNT_HINGE", "mjJNT_SLIDE")})})


def make(name):
    def place(env, start):
        """the block at (x, y) on the table, where there is one"""
        if env.has_object:
            pose = env._utils.get_joint_qpos(env.model, env.data, "object0:joint")
            pose[:2] = start
            env._utils.set_joint_qpos(env.model, env.data, "object0:joint", pose)
            env._mujoco.mj_forward(env.model, env.data)
        return env._get_obs()

    return Shown(gymnasium.make(name, max_episode_steps=-1), lambda shown: shown["observation"], place)


class Reacher(Behaviour):
    """Moves the gripper to places drawn at random above the table, with noise."""

    def __init__(self, rng):
        self.rng = rng

    def begin(self, observation, goal=None):
        self.goal, self.noise = goal, self.rng.choice([0.1, 0.4, 0.8])
        self.aim()

    def aim(self):
        self.to = self.goal[:3] if self.goal is not None else self.rng.uniform([1.15, 0.55, 0.42], [1.5, 0.95, 0.75])

    def act(self, observation):
        if self.goal is None and self.rng.random() < 0.05:
            self.aim()
        move = np.append(8 * (self.to - observation[:3]), 0.0) + self.noise * self.rng.normal(size=4)
        return np.clip(move, -1, 1)


class Pusher(Behaviour):
    """Goes above the block, down behind it and pushes it to a place drawn at random on the table, with noise."""

    def __init__(self, rng):
        self.rng = rng

    def begin(self, observation, goal=None):
        self.goal, self.noise = goal, self.rng.choice([0.05, 0.2, 0.5])
        self.aim()

    def aim(self):
        self.to = self.goal[3:5] if self.goal is not None else self.rng.uniform([1.2, 0.6], [1.45, 0.9])

    def act(self, observation):
        grip, block = observation[:3], observation[3:6]
        away = self.to - block[:2]
        if self.goal is None and (np.linalg.norm(away) < 0.02 or self.rng.random() < 0.01):
            self.aim()
        ahead = away / max(np.linalg.norm(away), 1e-6)
        behind = block[:2] - 0.08 * ahead
        off = grip[:2] - block[:2]
        lined_up = off @ ahead < -0.02 and abs(off @ [-ahead[1], ahead[0]]) < 0.02
        if lined_up and grip[2] < 0.45:
            to = np.append(block[:2] + 0.02 * ahead, 0.425)
        elif np.linalg.norm(grip[:2] - behind) < 0.02:
            to = np.append(behind, 0.425)
        else:
            to = np.append(behind, 0.5 if grip[2] > 0.47 else grip[2] + 0.05)
            if grip[2] < 0.47:  # rise first
                to[:2] = grip[:2]
        move = np.append(10 * (to - grip), 0.0) + self.noise * self.rng.normal(size=4)
        return np.clip(move, -1, 1)


def reach_tasks(env, rng, count):
    rest, _ = env.reset(seed=0)
    goals = []
    while len(goals) < count:
        goal = rest.copy()
        goal[:3] = rng.uniform([1.15, 0.55, 0.45], [1.5, 0.95, 0.72])
        if np.linalg.norm(goal[:3] - rest[:3]) > 0.15:
            goals.append(goal)
    return [None] * count, goals


def push_tasks(env, rng, count):
    """goals are the last states of pushes without noise, so that gripper and block are where they can be together"""
    starts, goals, pusher = [], [], Pusher(rng)
    while len(goals) < count:
        start, to = rng.uniform([1.2, 0.6], [1.45, 0.9]), rng.uniform([1.2, 0.6], [1.45, 0.9])
        if np.linalg.norm(start - to) < 0.15:
            continue
        observation, _ = env.reset(seed=int(rng.integers(2**31)), options={"start": start})
        goal = observation.copy()
        goal[3:5] = to
        pusher.begin(observation, goal)
        pusher.noise = 0.02
        for _ in range(100):
            observation, *_ = env.step(pusher.act(observation).astype(np.float32))
            if np.linalg.norm(observation[3:5] - to) < 0.03:
                starts.append(start)
                goals.append(observation)
                break
    return starts, goals


def near(columns):
    return lambda observation, goal, info: np.linalg.norm(observation[columns] - goal[columns]) < 0.05


WORLDS = [
    World("fetch-reach", lambda: make("FetchReach-v4"),
          lambda env, rng: Mixed(rng, [(0.7, Reacher(rng)), (0.3, Held(rng, [-1] * 4, [1] * 4, 0.3))]), reach_tasks,
          near(slice(0, 3)), arrived="gripper within 0.05 of the goal's place, the environment's own test",
          doing="70 % move to places drawn at random, with noise of 10, 40 or 80 %; 30 % random moves, held", max_steps=50, data_steps=100,
          rows=100_000),
    World("fetch-push", lambda: make("FetchPush-v4"),
          lambda env, rng: Mixed(rng, [(0.8, Pusher(rng)), (0.2, Held(rng, [-1] * 4, [1] * 4, 0.3))]), push_tasks,
          near(slice(3, 6)), arrived="block within 0.05 of the goal's place, the environment's own test",
          doing="80 % push the block to places drawn at random, with noise of 5, 20 or 50 %; 20 % random moves, held", max_steps=100,
          data_steps=150, rows=150_000)]
