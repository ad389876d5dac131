"""What a world of the suite is: an environment, behaviour that makes its data, and goals that are far away.

A file of this folder holds one world, or one family of them, and a list WORLDS with a row for each."""

import collections
import dataclasses
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np

import alps


@dataclasses.dataclass(frozen=True)
class World:
    name: str
    make: Callable[[], gymnasium.Env]  # shows observations as the data have them; reset takes options={"start": ...}
    behaviour: Callable[[gymnasium.Env, np.random.Generator], "Behaviour"]
    tasks: Callable[[gymnasium.Env, np.random.Generator, int], tuple[list, list]]  # starts and goals (observations)
    success: Callable[[np.ndarray, np.ndarray, dict], bool]
    arrived: str  # what counts as success, in words
    doing: str  # the behaviour, in words
    max_steps: int  # of an episode that is evaluated
    data_steps: int  # of an episode of the data
    rows: int = 200_000


class Behaviour:
    """Acts without a goal to make data (`begin(observation)`), or towards one where it can be told."""

    def begin(self, observation: np.ndarray, goal: np.ndarray | None = None) -> None:
        """another episode"""

    def act(self, observation: np.ndarray) -> np.ndarray:
        raise NotImplementedError


class Held(Behaviour):
    """Actions drawn at random and held for some steps, with a little noise."""

    def __init__(self, rng: np.random.Generator, low: Any, high: Any, change: float = 0.15, noise: float = 0.2) -> None:
        self.rng, self.change, self.noise = rng, change, noise
        self.low, self.high = np.atleast_1d(np.asarray(low, float)), np.atleast_1d(np.asarray(high, float))
        self.action: np.ndarray | None = None

    def begin(self, observation, goal=None):
        self.action = None

    def act(self, observation):
        if self.action is None or self.rng.random() < self.change:
            self.action = self.rng.uniform(self.low, self.high)
        noisy = self.action + self.noise * (self.high - self.low) / 2 * self.rng.normal(size=self.low.size)
        return np.clip(noisy, self.low, self.high)


class Mixed(Behaviour):
    """One of several behaviours, drawn for each episode; told a goal, always the first."""

    def __init__(self, rng: np.random.Generator, parts: list[tuple[float, Behaviour]]) -> None:
        self.rng = rng
        self.shares, self.parts = [share for share, _ in parts], [part for _, part in parts]
        self.part = self.parts[0]

    def begin(self, observation, goal=None):
        self.part = self.parts[0 if goal is not None else int(self.rng.choice(len(self.parts), p=self.shares))]
        self.part.begin(observation, goal)

    def act(self, observation):
        return self.part.act(observation)


class Shown(gymnasium.Wrapper):
    """An environment that shows flat float32 observations and can be put into a state.

    observe: what it shows -> the observation; place: (bare environment, start) -> what it shows there"""

    def __init__(self, env, observe=lambda shown: shown, place=None):
        super().__init__(env)
        self._observe, self._place = observe, place

    def reset(self, *, seed=None, options=None):
        shown, info = self.env.reset(seed=seed)
        if options and "start" in options:
            shown = self._place(self.env.unwrapped, options["start"])
        return np.asarray(self._observe(shown), np.float32), info

    def step(self, action):
        shown, reward, terminated, truncated, info = self.env.step(action)
        return np.asarray(self._observe(shown), np.float32), reward, terminated, truncated, info


def steps_to(cells, goal):
    """how many cells away every cell is from the goal"""
    steps, queue = {goal: 0}, collections.deque([goal])
    while queue:
        i, j = queue.popleft()
        for cell in ((i + 1, j), (i - 1, j), (i, j + 1), (i, j - 1)):
            if cell in cells and cell not in steps:
                steps[cell] = steps[i, j] + 1
                queue.append(cell)
    return steps


def for_env(action: np.ndarray, space: gymnasium.Space) -> Any:
    """one-hot actions of the data as a discrete environment takes them"""
    return int(np.argmax(action)) if isinstance(space, gymnasium.spaces.Discrete) else action.astype(space.dtype)


def collect(world: World, seed: int = 0) -> alps.Dataset:
    """Episodes of the world's behaviour, from starts that the environment draws, until there are enough rows."""
    env = world.make()
    rng = np.random.default_rng([seed, 1])
    behaviour = world.behaviour(env, rng)
    episodes, rows = [], 0
    while rows < world.rows:
        observation, _ = env.reset(seed=int(rng.integers(2**31)))
        behaviour.begin(observation)
        seen, done = [observation], []
        for _ in range(world.data_steps):
            action = np.asarray(behaviour.act(observation), np.float32)
            observation, _, terminated, truncated, _ = env.step(for_env(action, env.action_space))
            seen.append(observation)
            done.append(action)
            if terminated or truncated:
                break
        episodes.append((np.array(seen, np.float32), np.array(done, np.float32)))
        rows += len(seen)
    return alps.Dataset.from_episodes(episodes, name=world.name)


def goals_of(world: World, count: int, seed: int = 0) -> tuple[np.ndarray, list[dict]]:
    """goals as observations, and the options of reset that begin each episode"""
    starts, goals = world.tasks(world.make(), np.random.default_rng([seed, 2]), count)
    return np.array(goals, np.float32), [{"start": start} for start in starts]


class Told:
    """A behaviour as alps.evaluate takes it: told each episode's goal."""

    def __init__(self, behaviour: Behaviour) -> None:
        self._behaviour = behaviour
        self._goal: np.ndarray | None = None

    def __call__(self, observation, goal):
        if goal is not self._goal:  # every episode has a goal array of its own
            self._goal = goal
            self._behaviour.begin(observation, goal)
        return np.asarray(self._behaviour.act(observation), np.float32)
