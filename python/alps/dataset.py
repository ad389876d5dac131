"""Data sets of past trajectories, in OGBench's layout."""

import os
import pathlib
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from alps._arrays import as_numpy
from alps._native import core, find_ogbench
from alps._progress import watcher
from alps.checks import Finding, Findings
from alps.errors import Error, UsageError

_OPTIONAL = ("qpos", "qvel")


def _columns_for(actions: np.ndarray) -> str:
    """what to do with one number a row"""
    if len(actions) and np.all((actions == np.round(actions)) & (actions >= 0)):
        return (f"give each discrete action a column, numpy.eye({int(actions.max()) + 1}, dtype=numpy.float32)[actions], and act by "
                "numpy.argmax(agent.act(observation, goal))")
    return "a single continuous action is actions[:, None]"


class Dataset:
    """Rows of all episodes after each other: observations (n, d) float32 or images (n, h, w, c) uint8, actions (n, a)
    float32, terminals (n,) bool, which is True in the last row of each episode. That row holds the final state of the
    episode; its action is not used. qpos and qvel are optional.

    Arrays that have these types already are kept as they are, without a copy.
    """

    def __init__(self, observations: Any, actions: Any, terminals: Any, qpos: Any = None, qvel: Any = None,
                 name: str = "dataset", path: "str | os.PathLike[str] | None" = None) -> None:
        self.name = name
        self.path = None if path is None else pathlib.Path(path)  # of the file that holds exactly this
        self.warnings: list[str] = []  # what looks odd but can be used
        seen = as_numpy(observations, "observations")
        self.observations = np.ascontiguousarray(seen, np.uint8 if seen.dtype == np.uint8 else np.float32)
        self.actions = np.ascontiguousarray(as_numpy(actions, "actions"), np.float32)
        if self.actions.ndim == 1:
            raise UsageError(f"{name}: 'actions' has shape {self.actions.shape}, but a row of actions for each observation is needed; "
                             f"{_columns_for(self.actions)}")
        ends = as_numpy(terminals, "terminals")
        odd = np.flatnonzero((ends != 0) & (ends != 1))
        if ends.ndim == 1 and len(odd) > 0:
            self.warnings.append(f"{name}: 'terminals' is neither 0 nor 1 in {len(odd):,} rows, first {ends[odd[0]]} in row "
                                 f"{odd[0]}; whatever is not 0 ends an episode")
        self.terminals = np.ascontiguousarray(ends, bool)
        self.qpos = None if qpos is None else np.ascontiguousarray(as_numpy(qpos, "qpos"), np.float32)
        self.qvel = None if qvel is None else np.ascontiguousarray(as_numpy(qvel, "qvel"), np.float32)
        for key, array in self.arrays().items():
            if array.ndim == 0 or len(array) != len(self.observations):
                raise UsageError(f"{name}: '{key}' has shape {array.shape} but 'observations' has "
                                      f"{len(self.observations)} rows; all keys need one row per observation")
        if len(self.terminals) and not self.terminals[-1]:
            self.terminals = np.append(self.terminals[:-1], True)
            self.warnings.append(f"{name}: 'terminals' is 0 in the last row; the last episode is taken to end there")

    @classmethod
    def load(cls, name: "str | os.PathLike[str]", data_dir: "str | os.PathLike[str]" = "") -> "Dataset":
        """Reads and checks a file.npz, or a data set by name from where OGBench keeps them."""
        path = core.dataset_path(os.fspath(name), os.fspath(data_dir))
        arrays = core.load_dataset(path)
        warnings = arrays.pop("warnings")
        data = cls(**arrays, name=pathlib.Path(path).stem, path=path)
        data.warnings = warnings
        return data

    @classmethod
    def from_dict(cls, arrays: Mapping[str, Any], name: str = "dataset") -> "Dataset":
        """From a dict as OGBench and D4RL users have it. Takes terminals, or timeouts and terminals together; with
        next_observations, the state after the last row of each episode is appended to it."""
        if "terminals" not in arrays and "timeouts" in arrays:
            arrays = {**arrays, "terminals": arrays["timeouts"]}
        missing = [key for key in ("observations", "actions", "terminals") if key not in arrays]
        if missing:
            raise UsageError(f"{name}: '{missing[0]}' is missing (the dict has: {', '.join(arrays)}); a data set "
                                  "holds observations, actions and terminals")
        terminals = as_numpy(arrays["terminals"], "terminals").astype(bool)
        if "timeouts" in arrays:
            terminals = terminals | as_numpy(arrays["timeouts"], "timeouts").astype(bool)
        rows = {key: arrays[key] for key in _OPTIONAL if key in arrays}
        observations, actions = arrays["observations"], arrays["actions"]
        if "next_observations" in arrays:
            observations, actions, after = (as_numpy(arrays[key], key)
                                            for key in ("observations", "actions", "next_observations"))
            observations, actions, terminals = _with_final_states(observations, actions, after, terminals)
            rows = {}
        return cls(observations, actions, terminals, **rows, name=name)

    @classmethod
    def from_episodes(cls, episodes: Iterable[tuple[Any, Any]], name: str = "dataset") -> "Dataset":
        """From (observations, actions) of each episode: T + 1 observations and T actions, as a loop over an environment
        gathers them."""
        observations, actions, terminals = [], [], []
        for number, (seen, done) in enumerate(episodes):
            seen, done = np.asarray(seen), np.asarray(done)
            if len(done) == 0 or len(seen) != len(done) + 1:
                raise UsageError(f"{name}: episode {number} has {len(seen)} observations and {len(done)} actions; "
                                      "an episode of T actions has T + 1 observations")
            observations.append(seen)
            actions.append(np.concatenate([done, np.zeros_like(done[:1])]))
            terminals.append(np.arange(len(seen)) == len(done))
        if not observations:
            raise UsageError(f"{name}: no episodes")
        return cls(np.concatenate(observations), np.concatenate(actions), np.concatenate(terminals), name=name)

    @classmethod
    def from_minari(cls, source: Any, keys: Iterable[str] = ()) -> "Dataset":
        """A Minari data set: its folder, the id of one that was downloaded, or a minari.MinariDataset. keys: which entries of
        dictionary observations to take (default "observation")."""
        folder = getattr(getattr(source, "spec", None), "data_path", source)
        return cls._imported(folder, "minari", keys=_words(keys))

    @classmethod
    def from_d4rl(cls, path: "str | os.PathLike[str]", discrete: bool = False) -> "Dataset":
        """An hdf5 file of D4RL. discrete: actions are numbers of discrete actions, even where they are stored as 2.0."""
        return cls._imported(path, "d4rl", discrete=discrete)

    @classmethod
    def from_lerobot(cls, folder: "str | os.PathLike[str]", observations: Iterable[str] = (), actions: Iterable[str] = ()) -> "Dataset":
        """The folder of a LeRobot data set. observations, actions: names or patterns of features (default observation.state, action)."""
        return cls._imported(folder, "lerobot", observations=_words(observations), actions=_words(actions))

    @classmethod
    def from_csv(cls, path: "str | os.PathLike[str]", observations: Iterable[str] = (), actions: Iterable[str] = (),
                 episode: str = "", discrete: bool = False) -> "Dataset":
        """A CSV file, or a folder of them with an episode in each. observations, actions: names or patterns of columns (default: those
        that begin with obs or state, and with act); episode: the column that numbers episodes; discrete: actions are numbers of
        discrete actions."""
        return cls._imported(path, "csv", observations=_words(observations), actions=_words(actions), episode=episode, discrete=discrete)

    @classmethod
    def _imported(cls, source: "str | os.PathLike[str]", kind: str, **choice: Any) -> "Dataset":
        from alps import importers

        try:
            opened = importers.open_source(os.fspath(source), kind, importers.Choice(**choice))
            episodes = list(importers.checked(opened))
        except importers.WrongUse as error:
            raise UsageError(str(error)) from error
        except importers.SourceError as error:
            raise Error(str(error)) from error
        rows: dict[str, Any] = {key: np.concatenate([e.extras[key] for e in episodes]) for key in episodes[0].extras}
        terminals = np.concatenate([np.arange(len(e.actions)) == len(e.actions) - 1 for e in episodes])
        data = cls(np.concatenate([e.observations for e in episodes]), np.concatenate([e.actions for e in episodes]), terminals,
                   **rows, name=opened.name)
        data.warnings += opened.notes
        return data

    def __len__(self) -> int:
        return len(self.observations)

    def __repr__(self) -> str:
        return (f"<alps.Dataset {self.name}: {len(self):,} rows, {len(self.episodes):,} episodes, observations "
                f"{self.observations.shape[1:]}, actions {self.actions.shape[1:]}>")

    @property
    def episodes(self) -> list[slice]:
        """the rows of each episode"""
        ends = np.flatnonzero(self.terminals) + 1
        return [slice(int(a), int(b)) for a, b in zip(np.append(0, ends[:-1]), ends)]

    def arrays(self) -> dict[str, np.ndarray]:
        """what save writes"""
        every = dict(observations=self.observations, actions=self.actions, terminals=self.terminals, qpos=self.qpos,
                     qvel=self.qvel)
        return {key: array for key, array in every.items() if array is not None}

    def check(self, *, threads: int = 0) -> Findings:
        """Advice before training: episodes, columns, actions, coverage, and whether the next state can be told from this one."""
        found = Findings.parse(core.check_arrays(self.name, self.observations, self.actions, self.terminals, threads))
        told = [Finding("look", "file", warning, "the data can be used as described") for warning in self.warnings]
        return Findings([*told, *found])

    def save(self, path: "str | os.PathLike[str]") -> pathlib.Path:
        """Writes an .npz that alps and OGBench read. The file appears when it is complete; equal arrays, equal bytes."""
        path = pathlib.Path(path)
        if path.suffix != ".npz":
            raise UsageError(f"{path}: a data set is a file.npz")
        path.parent.mkdir(parents=True, exist_ok=True)
        arrays = self.arrays()
        core.save_dataset(str(path), list(arrays), list(arrays.values()))
        return path


def make_dataset(name: str, data_dir: "str | os.PathLike[str]" = "", *, episodes: int = 0, seed: int = 0,
                 threads: int = 0, overwrite: bool = False, progress: Any = True) -> Dataset:
    """The data set of that name: read if it is on disk, else made in the native environment, as `alps data make` does.

    episodes: of training; 0: the full size. progress: True, False, or a function (what, done, total, note).
    After Ctrl-C or a kill the same call goes on from the episodes that were finished.
    """
    find_ogbench()
    path = core.dataset_path(name, os.fspath(data_dir))
    if overwrite or not os.path.exists(path):
        core.make_dataset(name, path, episodes, seed, threads, watcher(progress))
    return Dataset.load(path)


def dataset_names() -> list[str]:
    """Names that make_dataset knows."""
    return core.dataset_names()


def _with_final_states(observations: np.ndarray, actions: np.ndarray, after: np.ndarray,
                       terminals: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """transitions (s, a, s') as rows, the last s' of each episode as a row of its own"""
    ends = np.flatnonzero(terminals)
    if len(terminals) and (len(ends) == 0 or ends[-1] != len(terminals) - 1):
        ends = np.append(ends, len(terminals) - 1)
    return (np.insert(observations, ends + 1, after[ends], axis=0), np.insert(actions, ends + 1, actions[ends], axis=0),
            np.insert(np.zeros(len(terminals), bool), ends + 1, True))


def _words(names: Iterable[str]) -> list[str]:
    return [names] if isinstance(names, str) else list(names)
