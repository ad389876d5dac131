"""D4RL's hdf5 files: observations, actions, terminals, timeouts, in some next_observations, and infos/qpos, infos/qvel."""

from __future__ import annotations

import pathlib
from collections.abc import Iterator
from typing import Any

from .source import Choice, Episode, Source, SourceError, needed
from .transitions import episodes_of

_NESTED = {"infos/qpos": "qpos", "infos/qvel": "qvel"}


def open_d4rl(path: pathlib.Path, choice: Choice) -> Source:
    needed("h5py", "an hdf5 file")
    source = Source("a D4RL file", path.stem, lambda: _episodes(path, source))
    return source


def _episodes(path: pathlib.Path, source: Source) -> Iterator[Episode]:
    h5py = needed("h5py", "an hdf5 file")
    try:
        with h5py.File(path, "r") as file:
            yield from episodes_of(_arrays(file), str(path), source)
    except OSError as error:
        raise SourceError(f"{path}: cannot be read as hdf5 ({error}); is it complete?") from error


def _arrays(file: Any) -> dict[str, Any]:
    """the file's arrays by the names we use; they stay on disk"""
    h5py = needed("h5py", "an hdf5 file")
    arrays: dict[str, Any] = {}

    def take(name: str, item: Any) -> None:
        # metadata holds networks and the like
        if isinstance(item, h5py.Dataset) and not name.startswith("metadata"):
            arrays.setdefault(_NESTED.get(name, name), item)

    file.visititems(take)
    return arrays
