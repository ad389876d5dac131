"""PointMaze of Gymnasium-Robotics: a ball with momentum, pushed by forces through a maze."""

import gymnasium
import gymnasium_robotics
import numpy as np

from world import Behaviour, Held, Mixed, Shown, World, steps_to

gymnasium.register_envs(gymnasium_robotics)


def make(name, limit):
    def place(env, start):
        env.point_env.set_state(np.asarray(start, float), np.zeros(2))
        return env._get_obs(env.point_env._get_obs()[0])

    return Shown(gymnasium.make(name, max_episode_steps=limit), lambda shown: shown["observation"], place)


def cells_of(maze):
    return [(i, j) for i, row in enumerate(maze.maze_map) for j, cell in enumerate(row) if cell != 1]


class Walker(Behaviour):
    """Pushes towards the next cell on the way to a cell drawn at random, and on to another one from there."""

    def __init__(self, maze, rng):
        self.maze, self.rng = maze, rng
        self.cells = cells_of(maze)
        self.places = {c: maze.cell_rowcol_to_xy(np.array(c)) for c in self.cells}
        self.target = self.target_xy = None

    def begin(self, observation, goal=None):
        self.goal = goal
        self.noise = self.rng.choice([0.1, 0.5, 1.0])
        self.aim(None if goal is None else goal[:2])

    def aim(self, xy):
        self.target = self.cells[self.rng.integers(len(self.cells))] if xy is None else self.cell(xy)
        self.target_xy = self.places[self.target] if xy is None else xy
        self.steps = steps_to(self.cells, self.target)

    def cell(self, xy):
        i, j = self.maze.cell_xy_to_rowcol(xy)
        return (int(i), int(j)) if (i, j) in self.places else min(self.cells, key=lambda c: np.sum((self.places[c] - xy) ** 2))

    def act(self, observation):
        xy, velocity = observation[:2], observation[2:]
        here = self.cell(xy)
        if self.goal is None and np.linalg.norm(xy - self.target_xy) < 0.3:
            self.aim(None)
        waypoint = self.target_xy
        if here != self.target:
            i, j = here
            ahead = min(((i + 1, j), (i - 1, j), (i, j + 1), (i, j - 1)), key=lambda c: self.steps.get(c, np.inf))
            waypoint = self.places[ahead]
        force = 5 * (waypoint - xy) - velocity + self.noise * self.rng.normal(size=2)
        return np.clip(force, -1, 1)


def behaviour(env, rng):
    return Mixed(rng, [(0.8, Walker(env.unwrapped.maze, rng)), (0.2, Held(rng, [-1, -1], [1, 1], 0.05))])


def tasks(env, rng, count):
    maze = env.unwrapped.maze
    cells = cells_of(maze)
    pairs = [(a, b, n) for b in cells for a, n in steps_to(cells, b).items()]
    far = [(a, b) for a, b, n in pairs if n >= 0.6 * max(n for *_, n in pairs)]
    starts, goals = [], []
    for _ in range(count):
        a, b = (maze.cell_rowcol_to_xy(np.array(c)) + rng.uniform(-0.25, 0.25, 2) for c in far[rng.integers(len(far))])
        starts.append(a)
        goals.append([*b, 0, 0])
    return starts, goals


def success(observation, goal, info):
    return np.linalg.norm(observation[:2] - goal[:2]) <= 0.45


def row(name, env, limit):
    return World(name, lambda: make(env, -1), behaviour, tasks, success,
                 arrived="within 0.45 of the goal's place (a cell is 1 wide), at any speed",
                 doing="80 % walk to cells drawn at random with noise 0.1, 0.5 or 1 of the largest force; 20 % random forces, held",
                 max_steps=limit, data_steps=500, rows=150_000)


WORLDS = [row("pointmaze-umaze", "PointMaze_UMaze-v3", 300), row("pointmaze-medium", "PointMaze_Medium-v3", 600)]
