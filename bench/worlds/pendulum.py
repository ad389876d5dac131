"""Gymnasium's Pendulum, whose motor is too weak to lift it at once. Torques lie in [-2, 2]."""

import math

import gymnasium
import numpy as np

from world import Held, Shown, World


def observed(angle, speed):
    return [math.cos(angle), math.sin(angle), speed]


def make():
    def place(env, start):
        env.state = np.array(start, float)
        return env._get_obs()

    return Shown(gymnasium.make("Pendulum-v1", max_episode_steps=-1), place=place)


def tasks(env, rng, count):
    starts, goals = [], []
    for i in range(count):
        # every second goal is upright, from anywhere in the lower half
        goal = 0.0 if i % 2 == 0 else rng.uniform(-math.pi, math.pi)
        starts.append((goal + math.pi + rng.uniform(-1.2, 1.2), rng.uniform(-1, 1)))
        goals.append(observed(goal, 0.0))
    return starts, goals


def success(observation, goal, info):
    turn = math.atan2(observation[1], observation[0]) - math.atan2(goal[1], goal[0])
    return abs((turn + math.pi) % (2 * math.pi) - math.pi) < 0.2 and abs(observation[2] - goal[2]) < 1.0


WORLDS = [World("pendulum", make, lambda env, rng: Held(rng, -2, 2), tasks, success,
                arrived="within 0.2 rad of the goal's angle and slower than 1 rad/s",
                doing="random torques, held for 7 steps on average, with noise", max_steps=200, data_steps=200, rows=100_000)]
