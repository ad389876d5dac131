"""NumPy's .npz in the forms of transitions.py: one file, or a folder of pieces NAME-000.npz, NAME-001.npz, ... as OGBench's sets
of 100 million rows are. Files that end in -val.npz are for validation and left out of a folder. One piece is in memory at a time."""

from __future__ import annotations

import pathlib
import zipfile
from collections.abc import Iterator

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
        yield from episodes_of(_arrays(file), str(file), source)


def _arrays(file: pathlib.Path) -> dict[str, np.ndarray]:
    try:
        with np.load(file, allow_pickle=False) as members:
            return {key: members[key] for key in members.files}
    except (OSError, ValueError, EOFError, KeyError, zipfile.BadZipFile, zipfile.zlib.error) as error:  # type: ignore[attr-defined]
        raise SourceError(f"{file}: cannot be read as an .npz ({error}); is it complete?") from error
