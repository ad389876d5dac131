"""A car with a turning circle and a reverse gear in a yard with walls, written for this suite.

State: place x, y in a square of 8 by 8, heading, speed in [-0.5, 1]. Actions: acceleration and steering, both in [-1, 1].
The car turns only while it rolls; its smallest turning radius is 0.6. A car that touches a wall stops."""

import math

import gymnasium
import numpy as np

from world import Behaviour, Held, Mixed, World, steps_to

WALLS = [(2.4, 0.0, 2.6, 5.4), (5.4, 2.6, 5.6, 8.0)]  # left, bottom, right, top: the way is an S
SIZE, STEP = 8.0, 0.1


def blocked(x, y, margin=0.15):
    return (not (margin < x < SIZE - margin and margin < y < SIZE - margin)
            or any(l - margin < x < r + margin and b - margin < y < t + margin for l, b, r, t in WALLS))


class Car(gymnasium.Env):
    metadata = {"render_modes": []}
    observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (5,), np.float32)
    action_space = gymnasium.spaces.Box(-1, 1, (2,), np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.state = np.array((options or {}).get("start", self.free_state()), float)
        return self.observed(), {}

    def free_state(self):
        while True:
            x, y = self.np_random.uniform(0, SIZE, 2)
            if not blocked(x, y):
                return x, y, self.np_random.uniform(-math.pi, math.pi), 0.0

    def observed(self):
        x, y, heading, speed = self.state
        return np.array([x, y, math.cos(heading), math.sin(heading), speed], np.float32)

    def step(self, action):
        push, steer = np.clip(action, -1, 1)
        x, y, heading, speed = self.state
        speed = float(np.clip(speed + STEP * (2 * push - 0.3 * speed), -0.5, 1.0))
        heading += STEP * speed * steer / 0.6
        there = x + STEP * speed * math.cos(heading), y + STEP * speed * math.sin(heading)
        if blocked(*there):
            there, speed = (x, y), 0.0
        self.state = np.array([*there, heading, speed])
        return self.observed(), 0.0, False, False, {}


CELLS = [(i, j) for i in range(16) for j in range(16) if not blocked(0.5 * i + 0.25, 0.5 * j + 0.25, 0.45)]  # with room to turn


class Driver(Behaviour):
    """Drives to places drawn at random along free cells, with noise; backs out when it has run into a wall."""

    def __init__(self, rng):
        self.rng = rng

    def begin(self, observation, goal=None):
        self.goal, self.noise, self.back = goal, self.rng.choice([0.1, 0.4, 0.8]), 0
        self.aim()

    def cell(self, xy):
        here = int(2 * xy[0]), int(2 * xy[1])
        return here if here in CELLS_SET else min(CELLS, key=lambda c: (0.5 * c[0] + 0.25 - xy[0]) ** 2 + (0.5 * c[1] + 0.25 - xy[1]) ** 2)

    def aim(self):
        self.cell_to = CELLS[self.rng.integers(len(CELLS))] if self.goal is None else self.cell(self.goal[:2])
        self.to = np.array(self.cell_to) * 0.5 + 0.25 if self.goal is None else self.goal[:2]
        self.steps = steps_to(CELLS_SET, self.cell_to)
        self.stopped = 0

    def act(self, observation):
        xy, heading, speed = observation[:2], math.atan2(observation[3], observation[2]), observation[4]
        if self.goal is None and np.linalg.norm(self.to - xy) < 0.4:
            self.aim()
        # two cells down the way
        ahead = self.cell(xy)
        for _ in range(2):
            i, j = ahead
            near = [(i + a, j + b) for a in (-1, 0, 1) for b in (-1, 0, 1)]
            ahead = min(near, key=lambda c: self.steps.get(c, np.inf))
        to = self.to if ahead == self.cell_to else np.array(ahead) * 0.5 + 0.25
        turn = (math.atan2(to[1] - xy[1], to[0] - xy[0]) - heading + math.pi) % (2 * math.pi) - math.pi
        self.stopped = self.stopped + 1 if abs(speed) < 0.03 else 0
        if self.back == 0 and (self.stopped > 5 or abs(turn) > 1.2):  # against a wall, or the place is inside the turning circle
            self.back, self.stopped = int(self.rng.integers(10, 30)), 0
        action = np.array([0.8 - speed if abs(turn) < 1.5 else 0.5 - speed, 2 * turn])
        if self.back > 0:
            self.back -= 1
            action = np.array([-1.0, -2 * turn])
        return np.clip(action + self.noise * self.rng.normal(size=2), -1, 1)


CELLS_SET = set(CELLS)


def tasks(env, rng, count):
    starts, goals = [], []
    while len(starts) < count:
        a, b = (CELLS[rng.integers(len(CELLS))] for _ in range(2))
        if steps_to(CELLS_SET, b)[a] < 18:  # half the longest way, in cells of 0.5
            continue
        starts.append((0.5 * a[0] + 0.25, 0.5 * a[1] + 0.25, rng.uniform(-math.pi, math.pi), 0.0))
        heading = rng.uniform(-math.pi, math.pi)
        goals.append([0.5 * b[0] + 0.25, 0.5 * b[1] + 0.25, math.cos(heading), math.sin(heading), 0.3])
    return starts, goals


def success(observation, goal, info):
    return np.linalg.norm(observation[:2] - goal[:2]) < 0.4


WORLDS = [World("car", Car, lambda env, rng: Mixed(rng, [(0.8, Driver(rng)), (0.2, Held(rng, [-1, -1], [1, 1], 0.05))]), tasks,
                success, arrived="within 0.4 of the goal's place (the yard is 8 wide), in any heading",
                doing="80 % drive to places drawn at random, with noise of 10, 40 or 80 % of the controls; 20 % random controls, held",
                max_steps=500, data_steps=500, rows=150_000)]
