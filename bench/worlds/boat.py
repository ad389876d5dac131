"""A boat in a harbour with piers and a current, written for this suite.

State: place x, y in a square of 10 by 10, and velocity. Actions: thrust along x and y, each in [-2, 2]. The water turns round the middle of
the harbour at up to 0.5, and drags the boat along. A boat that touches a pier or the rim slides along it."""

import gymnasium
import numpy as np

from world import Behaviour, Held, Mixed, World, steps_to

PIERS = [(3.0, 2.0, 3.4, 10.0), (6.6, 0.0, 7.0, 8.0), (4.6, 4.8, 5.4, 5.2)]  # left, bottom, right, top
SIZE, STEP, RADIUS = 10.0, 0.1, 0.2


def blocked(x, y, margin=RADIUS):
    return (not (margin <= x <= SIZE - margin and margin <= y <= SIZE - margin)
            or any(l - margin < x < r + margin and b - margin < y < t + margin for l, b, r, t in PIERS))


def current(x, y):
    """of the water: round the middle, fastest half way to the rim"""
    away = np.array([x - SIZE / 2, y - SIZE / 2])
    distance = np.linalg.norm(away) / (SIZE / 4)
    return 0.5 * min(distance, 1 / max(distance, 1e-9)) * np.array([-away[1], away[0]]) / max(np.linalg.norm(away), 1e-9)


class Boat(gymnasium.Env):
    metadata = {"render_modes": []}
    observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (4,), np.float32)
    action_space = gymnasium.spaces.Box(-2, 2, (2,), np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place, self.velocity = np.array((options or {}).get("start", self.free_place()), float), np.zeros(2)
        return self.observed(), {}

    def free_place(self):
        while True:
            place = self.np_random.uniform(0, SIZE, 2)
            if not blocked(*place):
                return place

    def observed(self):
        return np.concatenate([self.place, self.velocity]).astype(np.float32)

    def step(self, action):
        thrust = np.clip(action, -2, 2)
        self.velocity += STEP * (thrust - 0.8 * (self.velocity - current(*self.place)))
        for axis in range(2):
            there = self.place.copy()
            there[axis] += STEP * self.velocity[axis]
            if blocked(*there):
                self.velocity[axis] = 0.0
            else:
                self.place = there
        return self.observed(), 0.0, False, False, {}


CELLS = {(i, j) for i in range(20) for j in range(20) if not blocked(0.5 * i + 0.25, 0.5 * j + 0.25, 0.35)}
LISTED = sorted(CELLS)


def middle(cell):
    return 0.5 * np.array(cell) + 0.25


def cell_at(xy):
    here = int(2 * xy[0]), int(2 * xy[1])
    return here if here in CELLS else min(LISTED, key=lambda c: np.sum((middle(c) - xy) ** 2))


class Sailor(Behaviour):
    """Steers for places drawn at random along free cells, with noise."""

    def __init__(self, rng):
        self.rng = rng

    def begin(self, observation, goal=None):
        self.goal, self.noise = goal, self.rng.choice([0.2, 1.0, 2.0])
        self.aim()

    def aim(self):
        self.last = LISTED[self.rng.integers(len(LISTED))] if self.goal is None else cell_at(self.goal[:2])
        self.to = middle(self.last) if self.goal is None else self.goal[:2]
        self.steps = steps_to(CELLS, self.last)

    def act(self, observation):
        place, velocity = observation[:2], observation[2:]
        if self.goal is None and np.linalg.norm(self.to - place) < 0.4:
            self.aim()
        ahead = cell_at(place)
        for _ in range(2):
            i, j = ahead
            ahead = min(((i, j), (i + 1, j), (i - 1, j), (i, j + 1), (i, j - 1)), key=lambda c: self.steps.get(c, np.inf))
        way = (self.to if ahead == self.last else middle(ahead)) - place
        wanted = way / max(np.linalg.norm(way), 0.5) * 1.0
        thrust = 3 * (wanted - velocity) + 0.8 * velocity + self.noise * self.rng.normal(size=2)
        return np.clip(thrust, -2, 2)


def tasks(env, rng, count):
    starts, goals = [], []
    while len(starts) < count:
        a, b = (LISTED[rng.integers(len(LISTED))] for _ in range(2))
        if steps_to(CELLS, b)[a] >= 22:  # half the longest way, in cells of 0.5
            starts.append(middle(a))
            goals.append([*middle(b), 0, 0])
    return starts, goals


def success(observation, goal, info):
    return np.linalg.norm(observation[:2] - goal[:2]) < 0.4


WORLDS = [World("boat", Boat, lambda env, rng: Mixed(rng, [(0.8, Sailor(rng)), (0.2, Held(rng, [-2, -2], [2, 2], 0.05))]), tasks, success,
                arrived="within 0.4 of the goal's place (the harbour is 10 wide), at any speed",
                doing="80 % steer for places drawn at random, with noise of 10, 50 or 100 % of the thrust; 20 % random thrust, held",
                max_steps=400, data_steps=400, rows=200_000)]
