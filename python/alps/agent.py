"""A trained run that acts."""

import os
from typing import Any

import numpy as np
import numpy.typing as npt

from alps._arrays import as_numpy, rows_of
from alps._native import core
from alps.errors import UsageError

FloatArray = npt.NDArray[np.float32]


def load(run: "str | os.PathLike[str]", variant: str = "alps", planner: str = "fast", *, budget_ms: float = 0.0,
         clusters: int = 0, seed: int = 0, threads: int = 0, **settings: float) -> "Agent":
    """The agent of a trained run (a folder, or what alps.train returned).

    variant:   alps, or an ablation: cem, prior, cem+prior, dijkstra+cem, dijkstra+prior
    planner:   settings of the search: fast, or paper
    budget_ms: anytime, act on the best plan found in so many milliseconds; 0: no limit
    clusters:  cut the map into so many regions; 0: as the run has it
    seed:      of episodes that are begun without a seed of their own
    threads:   of batches; 0: all cores. Results do not depend on it
    settings:  of the search, as `alps eval --set` takes them: samples, horizon, iterations, sigma, ...
    """
    words = [f"{key}={float(value):.17g}" for key, value in settings.items()]
    return Agent(core.load(os.fspath(run), variant, planner, float(budget_ms), words, clusters, seed, threads), threads)


class Agent:
    """Plans actions, one at a time, towards goals. Made by alps.load.

    Arrays are NumPy's or of any library that speaks DLPack. An observation is one row as the data set has it (images:
    uint8); where one is taken, a batch (n, ...) is taken too, with a goal for each, and answered as a batch: n episodes
    side by side, planned on all cores.

    The goal tells episodes apart: `act(observation, goal)` goes on with its episode as long as the goal stays the same,
    and begins another when it changes; `reset` begins one in any case. Deterministic: the same seed and calls, the same
    actions.

    One thread at a time: a call while another thread plans raises alps.Error. `clone()` gives every thread an agent of
    its own, over the same model. `embed` and `distance` may be called from any number of threads at once. The
    interpreter's lock is released meanwhile.
    """

    def __init__(self, native: core.Agent, threads: int = 0) -> None:
        self._native = native
        self._threads = threads
        self._shape: tuple[int, ...] = native.observation_shape

    def __repr__(self) -> str:
        return f"<alps.Agent {self.variant} of {self.folder}: {self._shape} -> {self.action_size} actions>"

    @property
    def folder(self) -> str:
        """of the run"""
        return self._native.folder

    @property
    def data_name(self) -> str:
        """of the data set that the run was trained on"""
        return self._native.data_name

    @property
    def env_name(self) -> str:
        """of the native environment that the data come from; alps.Error for data of your own"""
        return self._native.env_name

    @property
    def variant(self) -> str:
        return self._native.variant

    @property
    def observation_shape(self) -> tuple[int, ...]:
        return self._shape

    @property
    def action_size(self) -> int:
        return self._native.action_size

    @property
    def action_limit(self) -> float:
        """actions lie in [-limit, limit]"""
        return self._native.action_limit

    @property
    def eigenvalues(self) -> FloatArray:
        """that psi is scaled with, ascending"""
        return self._native.eigenvalues

    @property
    def centers(self) -> FloatArray:
        """of the regions, in psi, (clusters, eigenvectors)"""
        return self._native.centers

    def clone(self, seed: int = 0) -> "Agent":
        """another agent over the same model and graph, with no episode under way"""
        return Agent(self._native.clone(seed), self._threads)

    def reset(self, goal: Any, seed: int | None = None) -> None:
        """Begins an episode towards a goal; a batch of goals begins as many."""
        goals, _ = rows_of(goal, self._shape, "goal")
        self._native.reset(goals, seed)

    def plan(self, observation: Any, goal: Any = None, seed: int | None = None) -> Any:
        """The Decision for an observation: the action and how it was found. A list of them for a batch."""
        decisions, batch = self._plan(observation, goal, seed)
        return decisions if batch else decisions[0]

    def act(self, observation: Any, goal: Any = None, seed: int | None = None) -> FloatArray:
        """The action for an observation, (action_size,) float32; (n, action_size) for a batch.

        Without a goal, the episode that `reset` began goes on. `seed` is for an episode that begins with this call.
        """
        decisions, batch = self._plan(observation, goal, seed)
        return np.stack([d.action for d in decisions]) if batch else decisions[0].action.copy()

    def sample_actions(self, observations: Any, goals: Any = None, seed: Any = None,
                       temperature: float = 1.0) -> FloatArray:
        """`act` under the name and with the arguments that OGBench's evaluation calls.

        `seed` may be a JAX key, as OGBench supplies it; it serves episodes that begin with this call. `temperature` is
        taken and has no effect: the planner acts on the best plan it found and samples no action from a policy.
        """
        del temperature
        return self.act(observations, goals, None if seed is None else _whole_number(seed))

    def embed(self, observations: Any, threads: int = 0) -> FloatArray:
        """psi, in which distance means travel time: (eigenvectors,), or (n, eigenvectors) for a batch."""
        rows, batch = rows_of(observations, self._shape, "observations", keep_bytes=self._native.image)
        if self._native.image and rows.dtype != np.uint8:
            raise UsageError(f"observations: type {as_numpy(observations, 'observations').dtype}; this run takes "
                                  "images of uint8")
        psi = self._native.embed(rows, threads)
        return psi if batch else psi[0]

    def distance(self, a: Any, b: Any) -> Any:
        """How far apart states are, as psi sees it. A float for two observations; (n,) where one or both are batches."""
        difference = self.embed(a) - self.embed(b)
        distances = np.sqrt(np.einsum("...i,...i->...", difference, difference, dtype=np.float64))
        return float(distances) if distances.ndim == 0 else distances

    def _plan(self, observation: Any, goal: Any, seed: int | None) -> tuple[list[core.Decision], bool]:
        observations, batch = rows_of(observation, self._shape, "observation")
        goals = None
        if goal is not None:
            goals, many = rows_of(goal, self._shape, "goal")
            if batch and not many:
                goals = np.repeat(goals, len(observations), axis=0)
            if many and not batch:
                raise UsageError("one observation, but a batch of goals; give a batch of observations too")
        return self._native.plan(observations, goals, seed, self._threads), batch


def _whole_number(seed: Any) -> int:
    """a seed as one number of 64 bits; the words of a JAX key are joined"""
    if isinstance(seed, (int, np.integer)):
        return int(seed) % 2**64
    if "key<" in str(getattr(seed, "dtype", "")):  # JAX's new kind of key
        import jax

        seed = jax.random.key_data(seed)
    number = 0
    for word in np.asarray(seed).ravel().tolist():
        number = (number << 32 | int(word) % 2**32) % 2**64
    return number
