"""An .npz in OGBench's layout, written as episodes come: each array grows in a file beside it, and at the end they become members of one
archive, stored, so that training can read rows in place. The file appears when it is complete; nothing is left behind otherwise."""

from __future__ import annotations

import os
import pathlib
import shutil
import tempfile
import zipfile
from types import TracebackType
from typing import BinaryIO

import numpy as np

from .source import Episode


class NpzWriter:
    def __init__(self, path: pathlib.Path) -> None:
        self.path = path
        self.rows, self.lengths = 0, [2**63, 0, 0]  # shortest, longest, number of episodes
        self.arrays: dict[str, tuple[BinaryIO, np.dtype, tuple[int, ...]]] = {}
        path.parent.mkdir(parents=True, exist_ok=True)
        self._folder = tempfile.TemporaryDirectory(prefix=f".{path.name}.", dir=path.parent)

    def __enter__(self) -> NpzWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        for file, _, _ in self.arrays.values():
            file.close()
        self._folder.cleanup()

    def add(self, episode: Episode) -> None:
        rows = len(episode.observations)
        self._append("observations", episode.observations)
        self._append("actions", episode.actions)
        self._append("terminals", np.arange(rows) == rows - 1)
        for key, array in episode.extras.items():
            self._append(key, array)
        self.rows += rows
        self.lengths = [min(self.lengths[0], rows), max(self.lengths[1], rows), self.lengths[2] + 1]

    def _append(self, key: str, array: np.ndarray) -> None:
        if key not in self.arrays:
            self.arrays[key] = (open(os.path.join(self._folder.name, key), "w+b"), array.dtype, array.shape[1:])
        self.arrays[key][0].write(np.ascontiguousarray(array).data)

    def finish(self) -> None:
        whole = os.path.join(self._folder.name, "whole.npz")
        with zipfile.ZipFile(whole, "w", zipfile.ZIP_STORED, allowZip64=True) as archive:
            for key, (file, dtype, shape) in self.arrays.items():
                # the same arrays give the same bytes, whenever they were imported
                member = zipfile.ZipInfo(f"{key}.npy", date_time=(1980, 1, 1, 0, 0, 0))
                with archive.open(member, "w", force_zip64=True) as to:
                    header = dict(descr=np.lib.format.dtype_to_descr(dtype), fortran_order=False, shape=(self.rows, *shape))
                    np.lib.format.write_array_header_1_0(to, header)  # type: ignore[arg-type]
                    file.seek(0)
                    shutil.copyfileobj(file, to, 1 << 22)
                file.truncate(0)  # so that the disk holds little more than the data twice
        os.replace(whole, self.path)
