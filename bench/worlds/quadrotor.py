"""A quadrotor seen from the side, in a hall with two walls to fly over and under, written for this suite.

State: place x, y, tilt, velocity, rate of turning. Actions: thrust of the left and of the right rotor, each in [0, 1]; hovering takes 0.5.
It is unstable: left alone it tips over. What touches a wall, the floor or the ceiling stops there, upright."""

import math

import gymnasium
import numpy as np

from world import Behaviour, Held, Mixed, World

WALLS = [(2.4, 0.0, 2.6, 2.2), (5.4, 1.8, 5.6, 4.0)]  # left, bottom, right, top
WIDTH, HEIGHT, STEP, MARGIN = 8.0, 4.0, 0.05, 0.15
GRAVITY, ARM = 4.0, 6.0


def blocked(x, y, margin=MARGIN):
    return (not (margin <= x <= WIDTH - margin and margin <= y <= HEIGHT - margin)
            or any(l - margin < x < r + margin and b - margin < y < t + margin for l, b, r, t in WALLS))


class Quadrotor(gymnasium.Env):
    metadata = {"render_modes": []}
    observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (7,), np.float32)
    action_space = gymnasium.spaces.Box(0, 1, (2,), np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place = np.array((options or {}).get("start", self.free_place()), float)
        self.velocity, self.tilt, self.rate = np.zeros(2), 0.0, 0.0
        return self.observed(), {}

    def free_place(self):
        while True:
            place = self.np_random.uniform(0, (WIDTH, HEIGHT))
            if not blocked(*place, 0.4):
                return place

    def observed(self):
        return np.array([*self.place, math.cos(self.tilt), math.sin(self.tilt), *self.velocity, self.rate], np.float32)

    def step(self, action):
        left, right = np.clip(action, 0, 1)
        lift = GRAVITY * (left + right)
        self.velocity += STEP * (np.array([-lift * math.sin(self.tilt), lift * math.cos(self.tilt) - GRAVITY]) - 0.3 * self.velocity)
        self.rate += STEP * (ARM * (right - left) - 0.5 * self.rate)
        self.tilt += STEP * self.rate
        there = self.place + STEP * self.velocity
        if blocked(*there):
            self.velocity, self.tilt, self.rate = np.zeros(2), 0.0, 0.0
        else:
            self.place = there
        return self.observed(), 0.0, False, False, {}


# the way through the hall: over the first wall, under the second
GATES = [np.array([2.5, 3.1]), np.array([5.5, 0.9])]


def room_of(x):
    return sum(x > gate[0] for gate in GATES)


class Pilot(Behaviour):
    """Flies to places drawn at random, through the gates between, with noise on the rotors."""

    def __init__(self, env, rng):
        self.env, self.rng = env, rng

    def begin(self, observation, goal=None):
        self.goal, self.noise = goal, self.rng.choice([0.02, 0.1, 0.2])
        self.aim()

    def aim(self):
        self.to = self.goal[:2] if self.goal is not None else self.free_place()

    def free_place(self):
        while True:
            place = self.rng.uniform(0, (WIDTH, HEIGHT))
            if not blocked(*place, 0.4):
                return place

    def act(self, observation):
        place, velocity, rate = observation[:2], observation[4:6], observation[6]
        tilt = math.atan2(observation[3], observation[2])
        if self.goal is None and np.linalg.norm(self.to - place) < 0.3:
            self.aim()
        here, there = room_of(place[0]), room_of(self.to[0])
        to = self.to
        if here != there:
            gate = GATES[here if there > here else here - 1]
            side = np.sign(gate[0] - place[0])
            # up to the gate's height first, then through it
            to = gate + (side * 0.6, 0) if abs(place[1] - gate[1]) < 0.4 else np.array([gate[0] - side * 0.6, gate[1]])
        way = to - place
        wanted = way / max(np.linalg.norm(way), 0.8) * 1.0
        push = 2.5 * (wanted - velocity)
        lift = np.clip((GRAVITY + push[1]) / GRAVITY, 0.2, 1.8) / 2
        lean = np.clip(-push[0] / GRAVITY, -0.5, 0.5)
        turn = np.clip(2.0 * (lean - tilt) - 0.7 * rate, -0.4, 0.4)
        return np.clip(np.array([lift - turn, lift + turn]) + self.noise * self.rng.normal(size=2), 0, 1)


def tasks(env, rng, count):
    pilot, starts, goals = Pilot(env, rng), [], []
    while len(starts) < count:
        a, b = pilot.free_place(), pilot.free_place()
        if abs(a[0] - b[0]) >= 4:
            starts.append(a)
            goals.append([*b, 1, 0, 0, 0, 0])
    return starts, goals


def success(observation, goal, info):
    return np.linalg.norm(observation[:2] - goal[:2]) < 0.3


WORLDS = [World("quadrotor", Quadrotor, lambda env, rng: Mixed(rng, [(0.8, Pilot(env, rng)), (0.2, Held(rng, [0.3, 0.3], [0.7, 0.7], 0.1, 0.5))]),
                tasks, success, arrived="within 0.3 of the goal's place (the hall is 8 by 4), in any pose",
                doing="80 % fly to places drawn at random, with noise of 2, 10 or 20 % of the thrust; 20 % random thrust round hovering, held",
                max_steps=500, data_steps=400, rows=200_000)]
