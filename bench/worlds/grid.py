"""Four rooms of a grid, walked with three actions as in MiniGrid (turn left, turn right, go forward), written for this suite.

An observation is one-hot: the row, the column and the direction, 13 + 13 + 4 numbers. Actions of the data are one-hot too."""

import gymnasium
import numpy as np

from world import Behaviour, World, steps_to

PLAN = ["#############",
        "#.....#.....#",
        "#.....#.....#",
        "#...........#",
        "#.....#.....#",
        "#.....#.....#",
        "##.####.....#",
        "#.....####.##",
        "#.....#.....#",
        "#.....#.....#",
        "#...........#",
        "#.....#.....#",
        "#############"]
SIZE = len(PLAN)
FREE = {(i, j) for i, row in enumerate(PLAN) for j, cell in enumerate(row) if cell == "."}
CELLS = sorted(FREE)
AHEAD = [(0, 1), (1, 0), (0, -1), (-1, 0)]  # east, south, west, north


def observed(i, j, direction):
    seen = np.zeros(2 * SIZE + 4, np.float32)
    seen[[i, SIZE + j, 2 * SIZE + direction]] = 1
    return seen


def state_of(observation):
    return (int(np.argmax(observation[:SIZE])), int(np.argmax(observation[SIZE:2 * SIZE])), int(np.argmax(observation[2 * SIZE:])))


class Rooms(gymnasium.Env):
    metadata = {"render_modes": []}
    observation_space = gymnasium.spaces.Box(0, 1, (2 * SIZE + 4,), np.float32)
    action_space = gymnasium.spaces.Discrete(3)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        drawn = (*CELLS[self.np_random.integers(len(CELLS))], int(self.np_random.integers(4)))
        self.state = (options or {}).get("start", drawn)
        return observed(*self.state), {}

    def step(self, action):
        i, j, direction = self.state
        if action == 2:
            there = i + AHEAD[direction][0], j + AHEAD[direction][1]
            i, j = there if there in FREE else (i, j)
        else:
            direction = (direction + (1 if action == 1 else -1)) % 4
        self.state = i, j, direction
        return observed(*self.state), 0.0, False, False, {}


class Visitor(Behaviour):
    """Walks to cells drawn at random, with a share of random actions that is drawn for each episode."""

    def __init__(self, rng):
        self.rng = rng

    def begin(self, observation, goal=None):
        self.goal, self.chance = goal, self.rng.choice([0.1, 0.4, 0.8])
        self.aim()

    def aim(self):
        self.to = CELLS[self.rng.integers(len(CELLS))] if self.goal is None else state_of(self.goal)[:2]
        self.steps = steps_to(FREE, self.to)

    def act(self, observation):
        i, j, direction = state_of(observation)
        if (i, j) == self.to and self.goal is None:
            self.aim()
        best = min(range(4), key=lambda d: self.steps.get((i + AHEAD[d][0], j + AHEAD[d][1]), np.inf))
        action = 2 if best == direction else 1 if (best - direction) % 4 < 3 else 0
        return np.eye(3)[self.rng.integers(3) if self.rng.random() < self.chance else action]


def tasks(env, rng, count):
    starts, goals = [], []
    while len(starts) < count:
        a, b = (CELLS[rng.integers(len(CELLS))] for _ in range(2))
        if steps_to(FREE, b)[a] >= 12:
            starts.append((*a, int(rng.integers(4))))
            goals.append(observed(*b, int(rng.integers(4))))
    return starts, goals


def success(observation, goal, info):
    return state_of(observation)[:2] == state_of(goal)[:2]


WORLDS = [World("grid", Rooms, lambda env, rng: Visitor(rng), tasks, success,
                arrived="in the goal's cell, in any direction",
                doing="walks to cells drawn at random, 10, 40 or 80 % of the actions at random", max_steps=100, data_steps=200,
                rows=100_000)]
