"""Success rates of an agent in any Gymnasium environment."""

import collections
import dataclasses
import math
import os
import time
from collections.abc import Callable, Sequence
from typing import Any

import gymnasium
import numpy as np

from alps._arrays import as_numpy
from alps._film import Film
from alps._native import core
from alps._world import Success, World
from alps.agent import Agent
from alps.errors import UsageError



@dataclasses.dataclass(frozen=True)
class Episode:
    """What happened in one episode. Equal seeds give equal episodes; times do not count."""

    index: int
    success: bool
    outcome: str  # "success", or why not, in the words of `alps eval`
    steps: int
    no_routes: int  # decisions for which the graph knew no way to the goal
    replans: int  # decisions at which the agent had left its route
    start: np.ndarray = dataclasses.field(compare=False, repr=False)  # observation at the start
    goal: np.ndarray = dataclasses.field(compare=False, repr=False)
    last: np.ndarray = dataclasses.field(compare=False, repr=False)  # observation at the end
    decision_ms: tuple[float, ...] = dataclasses.field(compare=False, repr=False)  # of each decision


@dataclasses.dataclass(frozen=True)
class Evaluation:
    """What alps.evaluate returns. print() shows it in words."""

    episodes: tuple[Episode, ...]

    @property
    def successes(self) -> int:
        return sum(e.success for e in self.episodes)

    @property
    def success_rate(self) -> float:
        return self.successes / len(self.episodes)

    @property
    def interval(self) -> tuple[float, float]:
        """of the success rate: Wilson's, 95 %"""
        return core.wilson(self.successes, len(self.episodes))

    @property
    def mean_steps(self) -> float:
        """of the successful episodes; NaN without one"""
        steps = [e.steps for e in self.episodes if e.success]
        return float(np.mean(steps)) if steps else math.nan

    @property
    def census(self) -> dict[str, int]:
        """causes of the failures, most frequent first"""
        return dict(collections.Counter(e.outcome for e in self.episodes if not e.success).most_common())

    @property
    def decision_ms(self) -> float:
        """the median time of a decision"""
        return float(np.median(np.concatenate([e.decision_ms for e in self.episodes])))

    def __str__(self) -> str:
        low, high = self.interval
        steps = f", {self.mean_steps:.0f} steps" if self.successes else ""
        failures = ", ".join(f"{count} {cause}" for cause, count in self.census.items()) or "none"
        return (f"{self.successes} of {len(self.episodes)} goals reached: {100 * self.success_rate:.1f} % "
                f"({100 * low:.1f} - {100 * high:.1f}){steps}, {self.decision_ms:.2f} ms a decision; failures: {failures}")


def evaluate(agent: "Agent | Callable[[np.ndarray, np.ndarray], Any]", env: gymnasium.Env[Any, Any], goals: Any = None,
             episodes: int | None = None, *, success: Success | None = None,
             columns: "Sequence[int] | slice | None" = None, tolerance: "float | Sequence[float] | None" = None,
             max_steps: int = 0, seed: int = 0, options: Any = None,
             observe: Callable[[Any], Any] | None = None, film: "str | os.PathLike[str] | None" = None,
             film_episodes: int = 3) -> Evaluation:
    """Lets an agent travel to goals in an environment, and counts where it arrives.

    agent:     of alps.load, or any function (observation, goal) -> action, to compare with
    env:       a Gymnasium environment. Observations that are dicts (goal environments) give their "observation". Discrete
               actions are taken as the largest number of the agent's action (data with one-hot actions). Continuous ones
               are clipped to the action space
    goals:     observations (n, ...), one for each episode in turn; or a function rng -> observation; or None: the goal that
               the environment names at reset, in info["goal"] or as "desired_goal"
    episodes:  default: as many as there are goals, else 50
    success:   a function (observation, goal, info) -> bool, asked after each step
    columns, tolerance:  without `success`: arrived is who is within `tolerance` of the goal in these columns of the
               observation (Euclidean distance; a tolerance for each column instead: each on its own).
               Without either, info["success"] or info["is_success"] decides, for goals of the environment only.
               A "desired_goal" that is shorter than an observation fills `columns`; the other columns are the start's
    max_steps: of an episode; 0: the environment's own limit
    seed:      the same seed, the same episodes
    options:   of env.reset: a dict, a list of dicts (one for each episode in turn), or a function rng -> dict
    observe:   what the environment shows -> the observation, as the data set had it
    film:      a file.mp4 for what env.render() shows of the first `film_episodes` episodes; needs ffmpeg, and an
               environment made with render_mode="rgb_array"
    """
    loop = _Loop(agent, env, goals, success, columns, tolerance, max_steps, options, observe)
    count = loop.count if episodes is None else episodes
    if not isinstance(count, (int, np.integer)) or isinstance(count, bool) or count < 1:
        raise UsageError(f"episodes: {count!r} is not a whole number of at least 1")
    if seed < 0:
        raise UsageError(f"seed: {seed} is less than 0")
    reel = None if film is None else Film(film, float(env.metadata.get("render_fps") or 30))
    try:
        done = tuple(loop.run(i, np.random.SeedSequence([seed, i]), reel if i < film_episodes else None)
                     for i in range(count))
        if reel is not None:
            reel.finish()
    finally:
        if reel is not None:
            reel.drop()
    return Evaluation(done)


class _Loop:
    """The arguments of evaluate, checked, and the loop over one episode."""

    def __init__(self, agent: Any, env: gymnasium.Env[Any, Any], goals: Any, success: Success | None, columns: Any,
                 tolerance: Any, max_steps: int, options: Any, observe: Callable[[Any], Any] | None) -> None:
        if not isinstance(agent, Agent) and not callable(agent):
            raise UsageError(f"agent: {type(agent).__name__} is neither an agent of alps.load nor a function "
                             "(observation, goal) -> action")
        self._agent, self._options = agent, options
        self._goals = goals if goals is None or callable(goals) else as_numpy(goals, "goals")
        self._world = World(env, success, columns, tolerance, max_steps, observe)
        if not self._world.judges and goals is not None:
            raise UsageError("goals of your own need a test of success: give success=function, or columns= and tolerance=")
        self.count = len(self._goals) if isinstance(self._goals, np.ndarray) else 50
        if isinstance(self._goals, np.ndarray) and (self._goals.ndim < 2 or self.count == 0):
            raise UsageError(f"goals: shape {self._goals.shape}; one row (an observation) for each goal is expected")

    def run(self, index: int, seeds: np.random.SeedSequence, film: Film | None) -> Episode:
        """one episode"""
        of_env, of_agent, of_draws = (int(s) for s in seeds.generate_state(3))
        rng = np.random.default_rng(of_draws)
        world, env = self._world, self._world.env
        shown, info = env.reset(seed=of_env, options=self._reset_options(index, rng))
        observation = world.seen(shown)
        goal = self._goal(index, rng, shown, info, observation)
        if isinstance(self._agent, Agent):
            self._agent.reset(goal, seed=of_agent)
        journal = _Journal(observation, goal)
        start, arrived, cause = observation, False, ""
        if film is not None:
            film.add(env.render())
        while not arrived and not cause and journal.steps < world.max_steps:
            observation, info, terminated, truncated = world.step(self._decide(observation, goal, journal))
            arrived = world.arrived(observation, goal, info)
            if film is not None:
                film.add(env.render())
            if terminated and not arrived:
                cause = "ended by the environment"
            elif truncated and not arrived:
                cause = journal.cause()
        outcome = "success" if arrived else cause or journal.cause()
        return Episode(index, arrived, outcome, journal.steps, journal.no_routes, sum(journal.replanned), start, goal,
                       observation, tuple(journal.times))

    def _reset_options(self, index: int, rng: np.random.Generator) -> Any:
        if callable(self._options):
            return self._options(rng)
        if isinstance(self._options, (list, tuple)):
            return self._options[index % len(self._options)]
        return self._options

    def _goal(self, index: int, rng: np.random.Generator, shown: Any, info: dict[str, Any],
              observation: np.ndarray) -> np.ndarray:
        if callable(self._goals):
            return self._world.as_goal(as_numpy(self._goals(rng), "goals"), observation)
        if self._goals is not None:
            return self._world.as_goal(self._goals[index % len(self._goals)], observation)
        goal = self._world.own_goal(shown, info, observation)
        if goal is None:
            raise UsageError("the environment names no goal (info['goal'] or 'desired_goal'); give goals=, an array of "
                             "observations or a function rng -> observation")
        return goal

    def _decide(self, observation: np.ndarray, goal: np.ndarray, journal: "_Journal") -> np.ndarray:
        if isinstance(self._agent, Agent):
            decision = self._agent.plan(observation)
            journal.add(observation, decision)
            return decision.action
        before = time.perf_counter()
        action = np.asarray(self._agent(observation, goal))
        journal.add(observation, None, 1e3 * (time.perf_counter() - before))
        return action


class _Journal:
    """What an episode's decisions tell about a failure."""

    def __init__(self, start: np.ndarray, goal: np.ndarray) -> None:
        self.steps = self.no_routes = 0
        self.replanned: list[bool] = []
        self.times: list[float] = []
        self._clusters: list[int] = []
        self._goal_cluster = -1
        self._standing = 0
        self._still = core.StillCount()
        self._still.start(start, goal)

    def add(self, observation: np.ndarray, decision: Any, milliseconds: float = 0.0) -> None:
        self.steps += 1
        self._standing = self._still.add(observation)
        self.times.append(milliseconds if decision is None else decision.total_ms)
        self.replanned.append(decision is not None and decision.replanned)
        self._clusters.append(-1 if decision is None else decision.cluster)
        if decision is not None:
            self.no_routes += decision.no_route
            self._goal_cluster = decision.goal_cluster

    def cause(self) -> str:
        return core.judge(self.steps, self.no_routes, self._clusters, self._goal_cluster, self.replanned, self._standing)
