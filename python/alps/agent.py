"""A trained run that acts."""

import os
from typing import Any

import numpy as np
import numpy.typing as npt

from alps._arrays import as_numpy, rows_of
from alps._native import core
from alps.errors import UsageError

FloatArray = npt.NDArray[np.float32]


def load(run: "str | os.PathLike[str]", variant: str = "alps", planner: str = "run", *, clusters: int = 0, seed: int = 0,
         threads: int = 0, **settings: "float | bool | str") -> "Agent":
    """The agent of a trained run (a folder, or what alps.train returned).

    variant:   alps, or an ablation: cem, prior, cem+prior, dijkstra+cem, dijkstra+prior
    planner:   settings of the planner to start from: "run" (its own), or those that preset "fast" or "paper" gives for its data
    clusters:  number of regions, found anew; 0: those of the run
    seed:      of episodes that are begun without a seed of their own
    threads:   of batches; 0: all cores. Results do not depend on it. One decision takes one thread
    settings:  of the planner, as `alps eval --set` takes them, for example samples=64, budget_ms=5. All of them, with
               their defaults (agent.settings has the values of a run):

    """
    if not isinstance(threads, int) or isinstance(threads, bool) or threads < 0:
        raise UsageError(f"threads: {threads!r} is not a whole number of at least 0")
    how = dict(run=os.fspath(run), variant=variant, planner=planner, set=[_assignment(k, v) for k, v in settings.items()],
               clusters=clusters, threads=threads)
    return _loaded(how, seed)


if load.__doc__:
    load.__doc__ += core.planner_help().replace("\n", "\n    ")


def _assignment(key: str, value: Any) -> str:
    """key=value as the table of settings reads it"""
    if isinstance(value, (bool, np.bool_)):
        return f"{key}={'true' if value else 'false'}"
    if isinstance(value, (int, np.integer, str)):
        return f"{key}={value}"
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise UsageError(f"{key}: {value!r} is neither a number, a word, True nor False") from None
    return f"{key}={int(number)}" if number.is_integer() else f"{key}={number!r}"


def _loaded(how: dict[str, Any], seed: int) -> "Agent":
    return Agent(core.load(**how, seed=seed), how, seed)


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

    An agent can be pickled, for worker processes: what is kept is the run's folder, the settings and the seed. The copy
    loads the run again and has no episode under way.
    """

    def __init__(self, native: core.Agent, how: dict[str, Any], seed: int) -> None:
        self._native = native
        self._how = how  # what it was loaded with
        self._seed = seed
        self._shape: tuple[int, ...] = native.observation_shape

    def __reduce__(self) -> tuple[Any, ...]:
        return _loaded, (self._how, self._seed)

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
    def action_limit(self) -> FloatArray:
        """actions lie within action_middle +- action_limit, (action_size,)"""
        return self._native.action_limit

    @property
    def action_middle(self) -> FloatArray:
        """0 unless the data's actions lie mostly on one side of 0, (action_size,)"""
        return self._native.action_middle

    @property
    def settings(self) -> dict[str, Any]:
        """of the planner: the run's own, and what alps.load was told to change"""
        return self._native.settings

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
        return Agent(self._native.clone(seed), self._how, seed)

    def reset(self, goal: Any, seed: int | None = None) -> None:
        """Begins an episode towards a goal; a batch of goals begins as many."""
        goals, _ = self._rows(goal, "goal")
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
        rows, batch = self._rows(observations, "observations")
        psi = self._native.embed(rows, threads)
        return psi if batch else psi[0]

    def distance(self, a: Any, b: Any) -> Any:
        """How far apart states are, as psi sees it. A float for two observations; (n,) where one or both are batches."""
        difference = self.embed(a) - self.embed(b)
        distances = np.sqrt(np.einsum("...i,...i->...", difference, difference, dtype=np.float64))
        return float(distances) if distances.ndim == 0 else distances

    def _rows(self, values: Any, what: str) -> tuple[np.ndarray, bool]:
        """as rows_of; images are bytes and stay so"""
        rows, batch = rows_of(values, self._shape, what, keep_bytes=self._native.image)
        if self._native.image and rows.dtype != np.uint8:
            raise UsageError(f"{what}: type {as_numpy(values, what).dtype}; this run takes images of uint8")
        return rows, batch

    def _plan(self, observation: Any, goal: Any, seed: int | None) -> tuple[list[core.Decision], bool]:
        observations, batch = self._rows(observation, "observation")
        goals = None
        if goal is not None:
            goals, many = self._rows(goal, "goal")
            if batch and not many:
                goals = np.repeat(goals, len(observations), axis=0)
            if many and not batch:
                raise UsageError("one observation, but a batch of goals; give a batch of observations too")
        return self._native.plan(observations, goals, seed, self._how["threads"]), batch


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
