"""Gymnasium's MountainCarContinuous: a car in a valley, too weak to climb out of it without a run-up."""

import gymnasium
import numpy as np

from world import Behaviour, Held, Mixed, Shown, World


def make():
    def place(env, start):
        env.state = np.array(start, float)
        return env.state

    return Shown(gymnasium.make("MountainCarContinuous-v0", max_episode_steps=-1), place=place)


class Pump(Behaviour):
    """Pushes in the direction of travel, with some strength and noise of its own in each episode."""

    def __init__(self, rng):
        self.rng = rng

    def begin(self, observation, goal=None):
        self.strength, self.noise = self.rng.uniform(0.3, 1), self.rng.choice([0.2, 0.6, 1.0])

    def act(self, observation):
        return np.clip([self.strength * np.sign(observation[1]) + self.noise * self.rng.normal()], -1, 1)


def tasks(env, rng, count):
    """from the bottom of the valley to the flag, and to the left rim"""
    goals = [[0.45, 0.02] if i % 2 == 0 else [-1.1, 0.0] for i in range(count)]
    return [(rng.uniform(-0.6, -0.4), 0.0) for _ in goals], goals


def success(observation, goal, info):
    return abs(observation[0] - goal[0]) < 0.05


WORLDS = [World("mountaincar", make, lambda env, rng: Mixed(rng, [(0.5, Pump(rng)), (0.5, Held(rng, -1, 1, 0.05))]), tasks,
                success, arrived="within 0.05 of the goal's place, the flag or the left rim",
                doing="50 % push in the direction of travel, with strengths of 0.3 to 1 and noise of 0.2, 0.6 or 1; 50 % random forces, held",
                max_steps=300, data_steps=300, rows=150_000)]
