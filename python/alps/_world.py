"""A Gymnasium environment as an agent travels in it: what it shows as an observation of the data set, what an action becomes in
it, and whether a goal is reached. alps.evaluate and alps.view go through here."""

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np

from alps._arrays import as_numpy
from alps.errors import UsageError

Success = Callable[[np.ndarray, np.ndarray, dict[str, Any]], Any]
_FLAGS = ("success", "is_success")  # of info, as environments name them


class World:
    """The arguments that say how an environment and a data set fit together, checked; alps.evaluate explains each."""

    def __init__(self, env: gymnasium.Env[Any, Any], success: Success | None, columns: Any, tolerance: Any, max_steps: int,
                 observe: Callable[[Any], Any] | None) -> None:
        self.env, self._observe = env, observe
        self._columns: Any = columns if columns is None or isinstance(columns, slice) else list(columns)
        self._success = _test(success, self._columns, tolerance)
        own = env.spec.max_episode_steps if env.spec is not None else None
        self.max_steps = max_steps or own or int(getattr(env.unwrapped, "max_episode_steps", 0))
        if self.max_steps < 1:
            raise UsageError("max_steps: the environment has no limit of its own; say after how many steps an episode ends")

    @property
    def judges(self) -> bool:
        """whether goals that the environment does not name have a test of success"""
        return self._success is not None

    def seen(self, shown: Any) -> np.ndarray:
        """the observation, as the data set has it"""
        if self._observe is not None:
            shown = self._observe(shown)
        elif isinstance(shown, dict):
            if "observation" not in shown:
                raise UsageError(f"the environment shows a dict of {', '.join(map(str, shown))}; say with "
                                 "observe=function how the observation of the data set is made from it")
            shown = shown["observation"]
        array = np.asarray(shown)
        return np.ascontiguousarray(array, np.uint8 if array.dtype == np.uint8 else np.float32)

    def own_goal(self, shown: Any, info: dict[str, Any], observation: np.ndarray) -> np.ndarray | None:
        """the goal that the environment has named at reset, as an observation; None: it names none"""
        if "goal" in info:
            goal = as_numpy(info["goal"], "info['goal']")
        elif isinstance(shown, dict) and "desired_goal" in shown:
            goal = np.asarray(shown["desired_goal"])
        else:
            return None
        if goal.shape != observation.shape and self._columns is not None:
            filled = observation.copy()
            filled[self._columns] = goal
            goal = filled
        return self.as_goal(goal, observation)

    def as_goal(self, goal: np.ndarray, observation: np.ndarray) -> np.ndarray:
        if goal.shape != observation.shape:
            raise UsageError(f"a goal of shape {goal.shape}, but observations of {observation.shape}; a goal is a whole "
                             "observation, or with columns= the desired_goal that fills these columns")
        return np.ascontiguousarray(goal, observation.dtype)

    def step(self, action: np.ndarray) -> tuple[np.ndarray, dict[str, Any], bool, bool]:
        """observation, info, terminated and truncated"""
        shown, _, terminated, truncated, info = self.env.step(for_space(action, self.env.action_space))
        return self.seen(shown), info, bool(terminated), bool(truncated)

    def flagged(self, info: dict[str, Any]) -> bool:
        """whether the environment itself says if its own goal is reached"""
        return any(key in info for key in _FLAGS)

    def arrived(self, observation: np.ndarray, goal: np.ndarray, info: dict[str, Any]) -> bool:
        if self._success is not None:
            return bool(self._success(observation, goal, info))
        flags = [info[key] for key in _FLAGS if key in info]
        if not flags:
            raise UsageError("the environment's info has neither 'success' nor 'is_success'; give success=function, or "
                             "columns= and tolerance=")
        return bool(flags[0])


def _test(success: Success | None, columns: Any, tolerance: Any) -> Success | None:
    """the test of success that the arguments describe; None: the environment's own"""
    if success is not None:
        if not callable(success):
            raise UsageError("success: a function (observation, goal, info) -> bool is expected")
        return success
    if tolerance is None:
        return None
    limits = np.asarray(tolerance, float)
    if limits.ndim > 1 or np.any(~(limits >= 0)):
        raise UsageError(f"tolerance: {tolerance!r} is neither a distance nor one for each column")

    def near(observation: np.ndarray, goal: np.ndarray, info: dict[str, Any]) -> bool:
        del info
        difference = np.abs(observation.astype(float) - goal)[slice(None) if columns is None else columns]
        if limits.ndim == 0:
            return bool(np.linalg.norm(difference) <= limits)
        if limits.shape != difference.shape:
            raise UsageError(f"tolerance: {limits.size} numbers for {difference.size} columns")
        return bool(np.all(difference <= limits))

    return near


def for_space(action: np.ndarray, space: gymnasium.Space[Any]) -> Any:
    """the agent's action as the environment takes it"""
    if isinstance(space, gymnasium.spaces.Discrete):
        if action.size != space.n:
            raise UsageError(f"the environment has {space.n} actions, but the agent's action has {action.size} numbers; "
                             "a data set for it holds one-hot actions")
        return int(space.start) + int(np.argmax(action))
    if isinstance(space, gymnasium.spaces.Box):
        if action.size != int(np.prod(space.shape)):
            raise UsageError(f"an action of {action.size} numbers, but the environment takes {space.shape}")
        return np.clip(action.reshape(space.shape), space.low, space.high).astype(space.dtype)
    raise UsageError(f"actions of {space} are not supported; wrap the environment to Box or Discrete actions")
