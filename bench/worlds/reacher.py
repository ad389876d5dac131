"""Gymnasium's Reacher: an arm of two links in the plane, moved by torques. The target is left out of the observation."""

import math

import gymnasium
import numpy as np

from world import Behaviour, Held, Mixed, Shown, World


def tip(observation):
    """where the fingertip is; an observation is cos, cos, sin, sin of the joints and their speeds"""
    a, b = math.atan2(observation[2], observation[0]), math.atan2(observation[3], observation[1])
    return np.array([0.1 * math.cos(a) + 0.11 * math.cos(a + b), 0.1 * math.sin(a) + 0.11 * math.sin(a + b)])


def make():
    def place(env, start):
        env.set_state(np.concatenate([start, env.data.qpos[2:]]), np.zeros(4))
        return env._get_obs()

    return Shown(gymnasium.make("Reacher-v5", max_episode_steps=-1), lambda shown: shown[[0, 1, 2, 3, 6, 7]], place)


class Servo(Behaviour):
    """Drives the joints to angles drawn at random, with noise."""

    def __init__(self, rng):
        self.rng = rng

    def begin(self, observation, goal=None):
        self.goal, self.noise = goal, self.rng.choice([0.05, 0.2, 0.5])
        self.aim()

    def aim(self):
        self.target = (np.arctan2(self.goal[2:4], self.goal[:2]) if self.goal is not None
                       else self.rng.uniform([-math.pi, -2.6], [math.pi, 2.6]))

    def act(self, observation):
        if self.goal is None and self.rng.random() < 0.03:
            self.aim()
        angles = np.arctan2(observation[2:4], observation[:2])
        turn = self.target - angles
        turn[0] = (turn[0] + math.pi) % (2 * math.pi) - math.pi
        return np.clip(0.5 * turn - 0.1 * observation[4:] + self.noise * self.rng.normal(size=2), -1, 1)


def behaviour(env, rng):
    return Mixed(rng, [(0.6, Servo(rng)), (0.4, Held(rng, [-0.3, -0.3], [0.3, 0.3], 0.2))])


def tasks(env, rng, count):
    starts, goals = [], []
    while len(starts) < count:
        a, b = rng.uniform([-math.pi, -2.6], [math.pi, 2.6]), rng.uniform([-math.pi, -2.6], [math.pi, 2.6])
        first, last = ([math.cos(q[0]), math.cos(q[1]), math.sin(q[0]), math.sin(q[1]), 0, 0] for q in (a, b))
        if np.linalg.norm(tip(first) - tip(last)) > 0.2:
            starts.append(a)
            goals.append(last)
    return starts, goals


def success(observation, goal, info):
    return np.linalg.norm(tip(observation) - tip(goal)) < 0.02 and np.abs(observation[4:]).max() < 5


WORLDS = [World("reacher", make, behaviour, tasks, success,
                arrived="fingertip within 0.02 of the goal's (the arm is 0.21 long), joints slower than 5 rad/s",
                doing="60 % servo to joint angles drawn at random, with noise of 5, 20 or 50 % of the torque; 40 % random torques, held",
                max_steps=150, data_steps=200, rows=150_000)]
