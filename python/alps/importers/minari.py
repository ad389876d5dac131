"""Minari's data sets, read by the package minari: a folder on disk, or the id of a data set that was downloaded. Observations that
are dictionaries give up their entry `observation`, or those that were asked for."""

from __future__ import annotations

import pathlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from .source import Choice, Episode, Source, SourceError, WrongUse, listed, needed


def open_minari(path: pathlib.Path, choice: Choice, name: str = "") -> Source:
    minari = needed("minari", "a Minari data set")
    try:
        # a folder is the data set's own or its inner folder data
        data = minari.MinariDataset(_data_folder(path)) if path.exists() else minari.load_dataset(name)
        observation_space, action_space = data.observation_space, data.action_space
        total = data.total_episodes
    except SourceError:
        raise
    except FileNotFoundError as error:
        raise SourceError(f"{name or path}: no such Minari data set here ({error}); fetch it with: minari download {name or path}") from error
    except Exception as error:  # the package raises all kinds of things
        raise SourceError(f"{name or path}: cannot be read as a Minari data set ({error}); is the folder complete?") from error
    if total == 0:
        raise SourceError(f"{name or path}: has no episodes; an empty data set cannot be used")
    names = _leaves(observation_space)
    keys = _chosen(names, choice.keys, name or str(path))
    source = Source("a Minari data set", (name or str(path)).strip("/").replace("/", "-"),
                    lambda: _episodes(data, keys, str(name or path), source),
                    discrete=_discrete(action_space, "actions", name or str(path)))
    if names != [""]:
        source.note(f"the observation is {' and '.join(keys)}" +
                    (f"; left out: {listed(left)} (--keys chooses)" if (left := [n for n in names if n not in keys]) else ""))
    else:
        source.discrete_observations = _discrete(observation_space, "observations", name or str(path))
    return source


def _data_folder(path: pathlib.Path) -> pathlib.Path:
    if path.is_file():
        path = path.parent
    for folder in (path, path / "data"):
        if (folder / "metadata.json").exists():
            return folder
    raise SourceError(f"{path}: has no metadata.json, neither here nor in data; give the folder of a Minari data set")


def _leaves(space: Any, prefix: str = "") -> list[str]:
    """names of the entries of a dictionary space, inner ones as outer/inner; [""] if it is none"""
    if not hasattr(space, "spaces"):
        return [prefix]
    if not hasattr(space.spaces, "items"):
        raise SourceError(f"observations are tuples ({space}); only arrays and dictionaries of arrays can be imported")
    return [leaf for key, inner in space.spaces.items() for leaf in _leaves(inner, f"{prefix}/{key}" if prefix else key)]


def _chosen(names: list[str], keys: list[str], where: str) -> list[str]:
    if names == [""]:
        if keys:
            raise WrongUse(f"{where}: observations are plain arrays; leave out --keys")
        return [""]
    unknown = [key for key in keys if key not in names]
    if unknown:
        raise WrongUse(f"{where}: observations have no entry '{unknown[0]}'; they have: {listed(names)}")
    if keys:
        return keys
    if "observation" not in names:
        raise WrongUse(f"{where}: observations are dictionaries without an entry 'observation'; choose with --keys among: {listed(names)}")
    return ["observation"]


def _discrete(space: Any, what: str, where: str) -> int | None:
    if hasattr(space, "n") and np.ndim(space.n) == 0:
        if getattr(space, "start", 0) != 0:
            raise SourceError(f"{where}: {what} are {space}; only discrete {what} that start at 0 can be imported")
        return int(space.n)
    if not hasattr(space, "low"):
        raise SourceError(f"{where}: {what} are {space}; only Box and Discrete can be imported")
    return None


def _entry(values: Any, key: str) -> np.ndarray:
    for part in key.split("/") if key else []:
        values = values[part]
    return np.asarray(values)


def _episodes(data: Any, keys: list[str], where: str, source: Source) -> Iterator[Episode]:
    try:
        for number, episode in enumerate(data.iterate_episodes()):
            parts = [_entry(episode.observations, key) for key in keys]
            if len(parts) > 1:
                parts = [part.reshape(len(part), -1) for part in parts]
            infos = episode.infos if isinstance(episode.infos, dict) else {}
            extras = {key: np.asarray(infos[key]) for key in ("qpos", "qvel") if key in infos}
            if not isinstance(episode.actions, np.ndarray):
                raise SourceError(f"{where}, episode {number}: actions are {type(episode.actions).__name__}; only arrays can be imported")
            yield Episode(f"{where}, episode {number}", parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1),
                          episode.actions, extras)
    except (OSError, KeyError, ValueError) as error:
        raise SourceError(f"{where}: cannot be read ({error}); is the folder complete?") from error
