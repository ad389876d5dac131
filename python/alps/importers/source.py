"""What every layout becomes: episodes, one after the other, so that no more than a part of the source is in memory at a time."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np


class SourceError(Exception):
    """A source that cannot be read: what is wrong, where, and what to do next."""


class WrongUse(SourceError):
    """An argument that cannot be."""


@dataclasses.dataclass
class Choice:
    """What the user chose; each layout takes what it understands."""

    observations: list[str] = dataclasses.field(default_factory=list)  # columns of a CSV, features of LeRobot; * and ? as in a shell
    actions: list[str] = dataclasses.field(default_factory=list)
    keys: list[str] = dataclasses.field(default_factory=list)  # of dictionary observations
    episode: str = ""  # the column of a CSV that numbers the episodes
    discrete: bool = False  # actions are numbers of discrete actions, even where they are stored as 2.0


@dataclasses.dataclass
class Episode:
    """T + 1 observations; T actions, or T + 1 of which the last is not used."""

    where: str  # for messages: "walk.hdf5, episode 3"
    observations: np.ndarray
    actions: np.ndarray
    extras: dict[str, np.ndarray] = dataclasses.field(default_factory=dict)  # qpos, qvel; a row per observation


@dataclasses.dataclass
class Source:
    kind: str  # "a D4RL file"
    name: str
    episodes: Callable[[], Iterator[Episode]]  # each call reads from the beginning
    discrete: int | None = None  # how many discrete actions there are, if the source says so
    discrete_observations: int | None = None
    notes: list[str] = dataclasses.field(default_factory=list)  # what was left out or done to the data

    def note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)


def needed(module: str, what: str) -> Any:
    """a package that only one layout needs"""
    import importlib

    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise SourceError(f"{what} is read by the package {module}, which cannot be imported ({error}); "
                          f"install it: pip install 'alps[import]', or pip install {module}") from error


def listed(names: Any, most: int = 12) -> str:
    """a, b, c"""
    names = [str(name) for name in names]
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "") if names else "nothing"
