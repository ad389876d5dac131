"""Gymnasium's Acrobot: two links that hang from a bar, with a motor between them that turns left, right or not at all.

Actions of the data are one-hot."""

import math

import gymnasium
import numpy as np

from world import Behaviour, Mixed, Shown, World


def height(observation):
    """of the tip above the bar, in lengths of a link; an observation is cos, sin of both joints and their speeds"""
    c1, s1, c2, s2 = observation[:4]
    return -c1 - (c1 * c2 - s1 * s2)


def make():
    def place(env, start):
        env.state = np.array(start, np.float32)
        return env._get_ob()

    return Shown(gymnasium.make("Acrobot-v1", max_episode_steps=-1), place=place)


class Pump(Behaviour):
    """Turns the motor the way that its joint turns, which adds energy, with a share of held random actions."""

    def __init__(self, rng, chances):
        self.rng, self.chances = rng, chances

    def begin(self, observation, goal=None):
        self.chance, self.action, self.held = self.rng.choice(self.chances), 1, 0

    def act(self, observation):
        if self.held > 0:
            self.held -= 1
        elif self.rng.random() < self.chance:
            self.action, self.held = int(self.rng.integers(3)), int(self.rng.integers(1, 6))
        else:
            self.action = 2 if observation[5] > 0 else 0
        return np.eye(3)[self.action]


def tasks(env, rng, count):
    """from hanging at rest to states in which the tip has swung above the line, as the behaviour got there"""
    starts, goals = [], []
    pump = Pump(rng, [0.1])
    while len(starts) < count:
        start = rng.uniform(-0.1, 0.1, 4)
        observation, _ = env.reset(options={"start": start})
        pump.begin(observation)
        for _ in range(500):
            observation, _, terminated, _, _ = env.step(int(np.argmax(pump.act(observation))))
            if terminated:
                starts.append(start)
                goals.append(observation)
                break
    return starts, goals


def success(observation, goal, info):
    return height(observation) > 1.0


WORLDS = [World("acrobot", make, lambda env, rng: Mixed(rng, [(0.5, Pump(rng, [0.1, 0.3])), (0.5, Pump(rng, [0.6, 1.0]))]), tasks,
                success, arrived="the tip higher than one link above the bar, as in the environment's own task",
                doing="50 % pump energy with 10 or 30 % random actions, held; 50 % with 60 or 100 %", max_steps=300, data_steps=300,
                rows=150_000)]
