"""NumPy's .npz in the forms of transitions.py: one file, or a folder of pieces NAME-000.npz, NAME-001.npz, ... as OGBench's sets
of 100 million rows are. Files that end in -val.npz are for validation and left out of a folder. One piece is in memory at a time."""

from __future__ import annotations

import pathlib
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from .source import Choice, Episode, Source, SourceError
from .transitions import episodes_of


def open_npz(path: pathlib.Path, choice: Choice) -> Source:
    files = [path]
    if path.is_dir():
        files = sorted(file for file in path.glob("*.npz") if not file.stem.endswith("-val"))
        if not files:
            raise SourceError(f"{path}: no .npz file is in this folder (files ending in -val.npz are not counted)")
    source = Source("an npz file" if len(files) == 1 else f"{len(files)} npz files", path.stem, lambda: _episodes(files, source))
    return source


def _episodes(files: list[pathlib.Path], source: Source) -> Iterator[Episode]:
    for file in files:
        yield from episodes_of(_Members(file), str(file), source)


class _Members(Mapping[str, np.ndarray]):
    """the arrays of a file, each read when it is first asked for"""

    def __init__(self, file: pathlib.Path) -> None:
        self.file, self.read = file, dict[str, np.ndarray]()
        self.names = self._try(lambda members: list(members.files))

    def _try(self, work: Callable[[Any], Any]) -> Any:
        try:
            with np.load(self.file, allow_pickle=False) as members:
                return work(members)
        except (OSError, ValueError, EOFError, AttributeError, zipfile.BadZipFile, zlib.error) as error:
            raise SourceError(f"{self.file}: cannot be read as an .npz ({error}); is it complete?") from error

    def __getitem__(self, key: str) -> np.ndarray:
        if key not in self.names:
            raise KeyError(key)
        if key not in self.read:
            self.read[key] = self._try(lambda members: members[key])
        return self.read[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)
