"""point_mass and reacher of dm_control's suite.

dm_control 1.0.50 cannot load a model with MuJoCo 4.0.0, so the models of the installed package are stepped with MuJoCo
directly, at the suite's control rate. Starts are drawn as there: joints uniform within their ranges, at rest."""

import importlib.util
import math
import pathlib

import gymnasium
import mujoco
import numpy as np

from world import Behaviour, Held, Mixed, World


def suite_file(name):
    spec = importlib.util.find_spec("dm_control")
    return str(pathlib.Path(spec.submodule_search_locations[0]) / "suite" / name)


class Suite(gymnasium.Env):
    """Shows positions (rotations without limits as cosine and sine) and velocities."""

    metadata = {"render_modes": []}

    def __init__(self, file):
        self.model = mujoco.MjModel.from_xml_path(suite_file(file))
        self.data = mujoco.MjData(self.model)
        self.free = ~self.model.jnt_limited.astype(bool)
        size = int(self.model.nq + self.free.sum() + self.model.nv)
        self.observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (size,), np.float64)
        self.action_space = gymnasium.spaces.Box(-1, 1, (self.model.nu,), np.float64)

    def draw(self, rng):
        low, high = np.where(self.free[:, None], [-math.pi, math.pi], self.model.jnt_range).T
        return rng.uniform(low, high)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        mujoco.mj_resetData(self.model, self.data)
        start = (options or {}).get("start")
        self.data.qpos[:] = self.draw(self.np_random) if start is None else start
        mujoco.mj_forward(self.model, self.data)
        return self.observed(self.data.qpos, self.data.qvel), {}

    def observed(self, positions, velocities):
        turned = np.asarray(positions)[self.free]
        return np.concatenate([np.cos(turned), np.sin(turned), np.asarray(positions)[~self.free], velocities]).astype(np.float32)

    def step(self, action):
        self.data.ctrl[:] = action
        mujoco.mj_step(self.model, self.data)
        return self.observed(self.data.qpos, self.data.qvel), 0.0, False, False, {}


class Servo(Behaviour):
    """Drives the joints to positions drawn at random, with noise."""

    def __init__(self, env, rng, stiffness, damping):
        self.env, self.rng, self.stiffness, self.damping = env, rng, stiffness, damping

    def positions(self, observation):
        free, n = self.env.free, int(self.env.free.sum())
        positions = np.zeros(len(free))
        positions[free] = np.arctan2(observation[n:2 * n], observation[:n])
        positions[~free] = observation[2 * n:len(free) + n]
        return positions

    def begin(self, observation, goal=None):
        self.goal, self.noise = goal, self.rng.choice([0.1, 0.4, 0.8])
        self.aim()

    def aim(self):
        self.to = self.env.draw(self.rng) if self.goal is None else self.positions(self.goal)

    def act(self, observation):
        if self.goal is None and self.rng.random() < 0.015:
            self.aim()
        away = self.to - self.positions(observation)
        away[self.env.free] = (away[self.env.free] + math.pi) % (2 * math.pi) - math.pi
        push = self.stiffness * away - self.damping * observation[-len(away):]
        return np.clip(push + self.noise * self.rng.normal(size=len(away)), -1, 1)


def finger(observation):
    a, b = math.atan2(observation[1], observation[0]), observation[2]
    return np.array([0.12 * math.cos(a) + 0.12 * math.cos(a + b), 0.12 * math.sin(a) + 0.12 * math.sin(a + b)])


def tasks(place, least):
    def draw(env, rng, count):
        starts, goals = [], []
        while len(starts) < count:
            a, b = env.draw(rng), env.draw(rng)
            seen = [env.observed(q, np.zeros(len(q))) for q in (a, b)]
            if np.linalg.norm(place(seen[0]) - place(seen[1])) >= least:
                starts.append(a)
                goals.append(seen[1])
        return starts, goals

    return draw


def row(name, file, place, least, tolerance, arrived, stiffness, damping):
    def behaviour(env, rng):
        return Mixed(rng, [(0.6, Servo(env, rng, stiffness, damping)), (0.4, Held(rng, [-1, -1], [1, 1], 0.1))])

    def success(observation, goal, info):
        return np.linalg.norm(place(observation) - place(goal)) < tolerance

    return World(name, lambda: Suite(file), behaviour, tasks(place, least), success, arrived=arrived,
                 doing="60 % servo to positions drawn at random, with noise of 10, 40 or 80 % of the controls; 40 % random controls, held",
                 max_steps=400, data_steps=400, rows=150_000)


WORLDS = [row("dm-point-mass", "point_mass.xml", lambda o: o[:2], 0.3, 0.02,
              "within 0.02 of the goal's place (the table is 0.58 wide), at any speed", 30.0, 3.0),
          row("dm-reacher", "reacher.xml", finger, 0.2, 0.05,
              "finger within 0.05 of the goal's, the radius of the easy task's target (the arm is 0.24 long)", 1.0, 0.05)]
