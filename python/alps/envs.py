"""The native environments as Gymnasium knows environments, with OGBench's conventions: tasks by reset options, the goal
and success in info."""

from typing import Any

import gymnasium
import numpy as np

from alps._native import core, find_ogbench
from alps.errors import UsageError


class NativeEnv(gymnasium.Env[np.ndarray, np.ndarray]):
    """A native environment. Steps as OGBench's environment of the same name does, observation by observation.

    reset(seed, options): options as in OGBench: task_id 1 .. num_tasks (default: a random one), render_goal (False);
    and of our own: start and goal, two places (x, y) instead of a task. info holds `goal`, the goal as an observation,
    and after steps `success`; where the agent moves on a plane `xy`, where there is physics `qpos` and `qvel`, where there are buttons
    `button_states`. The
    reward is that of OGBench's goal-conditioned tasks: 1 at the goal, else 0. Observations are float32, as in data sets.
    """

    metadata: dict[str, Any] = {"render_modes": []}

    def __init__(self, name: str, *, terminate_at_goal: bool = True, max_episode_steps: int = 0,
                 render_mode: str | None = None) -> None:
        if render_mode is not None:
            raise UsageError(f"render_mode={render_mode!r}: native environments have no camera; `alps plot RUN` "
                                  "draws evaluated episodes, and OGBench renders its own environments")
        find_ogbench()
        self._env = core.make_env(name, terminate_at_goal, max_episode_steps)
        self.name = name
        self.render_mode = None
        shape, limit = self._env.observation_shape, self._env.action_limit
        self.observation_space: gymnasium.Space[np.ndarray] = (
            gymnasium.spaces.Box(0, 255, shape, np.uint8) if self._env.image
            else gymnasium.spaces.Box(-np.inf, np.inf, shape, np.float32))
        self.action_space: gymnasium.Space[np.ndarray] = gymnasium.spaces.Box(-limit, limit, (self._env.action_size,),
                                                                              np.float32)
        self.max_episode_steps = max_episode_steps or self._env.max_episode_steps
        self.num_tasks = self._env.num_tasks
        self.task_infos = [dict(task_name=f"task{i + 1}", init_xy=start, goal_xy=goal)
                           for i, (start, goal) in enumerate(self._env.tasks)]
        if self._env.button_states is not None:  # an arm: tasks without places
            self.task_infos = [dict(task_name=f"task{i + 1}") for i in range(self.num_tasks)]

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[np.ndarray, dict[str, Any]]:
        super().reset(seed=seed)
        options = dict(options or {})
        if options.pop("render_goal", False):
            raise UsageError("render_goal=True: native environments have no camera; leave it out")
        task, start, goal = (options.pop(key, None) for key in ("task_id", "start", "goal"))
        if options:
            raise UsageError(f"no reset option '{next(iter(options))}'; there are task_id, render_goal, start, goal")
        draw = int(self.np_random.integers(2**63))
        if (start is None) != (goal is None):
            raise UsageError("start and goal go together")
        if start is not None and goal is not None:
            self._env.reset_to((float(start[0]), float(start[1])), (float(goal[0]), float(goal[1])), draw)
        else:
            self._env.reset(int(self.np_random.integers(self.num_tasks)) + 1 if task is None else int(task), draw)
        return np.asarray(self._env.observation), {"goal": self._env.goal_observation, **self._info()}

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        before = {f"prev_{key}": value for key, value in self._physics().items()}
        success, terminated, truncated = self._env.step(np.ascontiguousarray(action, np.float64))
        info = {**self._info(), **before, "success": float(success)}
        return np.asarray(self._env.observation), float(success), terminated, truncated, info

    def _physics(self) -> dict[str, Any]:
        states = self._env.button_states
        found = {"qpos": self._env.qpos, "qvel": self._env.qvel, "button_states": states if states is not None and states.size else None}
        return {key: value for key, value in found.items() if value is not None}

    def _info(self) -> dict[str, Any]:
        xy = self._env.position
        return {**({} if xy is None else {"xy": np.array(xy)}), **self._physics()}

    def _on_plane(self, place: tuple[float, float] | None) -> np.ndarray:
        if place is None:
            raise UsageError(f"{self.name} has no plane, so neither agent nor goal have a place (x, y)")
        return np.array(place)

    def get_xy(self) -> np.ndarray:
        """where the agent is"""
        return self._on_plane(self._env.position)

    @property
    def cur_goal_xy(self) -> np.ndarray:
        """where the goal is"""
        return self._on_plane(self._env.goal)

    @property
    def state(self) -> np.ndarray:
        """all that the next steps depend on; set it to repeat them"""
        return self._env.state

    @state.setter
    def state(self, value: Any) -> None:
        self._env.state = np.ascontiguousarray(value, np.float64)


def make_env(name: str, *, terminate_at_goal: bool = True, max_episode_steps: int = 0) -> NativeEnv:
    """A native environment; the same as gymnasium.make("alps/NAME") without Gymnasium's wrappers.

    max_episode_steps: an episode is truncated then; 0: after as many as in OGBench
    """
    return NativeEnv(name, terminate_at_goal=terminate_at_goal, max_episode_steps=max_episode_steps)


def env_names() -> list[str]:
    """Names that make_env takes."""
    return core.env_names()


for _name in core.env_names():
    gymnasium.register(id=f"alps/{_name}", entry_point="alps.envs:NativeEnv", kwargs={"name": _name})
