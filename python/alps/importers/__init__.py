"""Data sets in layouts that people have, as episodes: one file of this folder for each layout.

`alps data import` starts this folder as a program (__main__.py); alps.Dataset.from_minari and its sisters read through it in the user's
process. It needs NumPy, and for some layouts h5py, pyarrow or minari (pip install 'alps[import]'), and never the extension.
"""

from __future__ import annotations

import pathlib
import re

from .checks import as_discrete, checked
from .csv import open_csv
from .d4rl import open_d4rl
from .lerobot import open_lerobot
from .minari import open_minari
from .npz import open_npz
from .source import Choice, Episode, Source, SourceError, WrongUse

KINDS = {"minari": open_minari, "d4rl": open_d4rl, "lerobot": open_lerobot, "csv": open_csv, "npz": open_npz}

__all__ = ["KINDS", "Choice", "Episode", "Source", "SourceError", "WrongUse", "checked", "open_source", "recognized"]


def recognized(path: pathlib.Path) -> str:
    """the kind of a file or folder"""
    if path.is_dir():
        for kind, pattern in (("lerobot", "meta/info.json"), ("minari", "metadata.json"), ("minari", "data/metadata.json"),
                              ("npz", "*.npz"), ("csv", "*.csv")):
            if next(path.glob(pattern), None) is not None:
                return kind
        raise WrongUse(f"{path}: this folder holds no data set that is known here: no meta/info.json (LeRobot), no metadata.json (Minari), "
                       "no .npz and no .csv")
    kinds = {".npz": "npz", ".csv": "csv", ".hdf5": "d4rl", ".h5": "d4rl"}
    if path.suffix not in kinds:
        raise WrongUse(f"{path}: what kind of data set is this? Name it with --from {'|'.join(KINDS)}")
    return "minari" if path.name == "main_data.hdf5" else kinds[path.suffix]


def open_source(name: str, kind: str = "", choice: Choice | None = None) -> Source:
    """Looks at the source and checks what can be told without reading all of it. `name`: a path, or the id of a Minari data set."""
    path = pathlib.Path(name).expanduser()
    choice = choice or Choice()
    if kind and kind not in KINDS:
        raise WrongUse(f"no kind of data set is called '{kind}'; these are known: {', '.join(KINDS)}")
    if not path.exists():
        if kind == "minari" or (not kind and re.fullmatch(r"[\w./-]+-v\d+", name)):
            return open_minari(path, choice, name)
        raise SourceError(f"{path}: no such file or folder" + ("; a Minari id ends in -v0 or the like" if not kind else ""))
    source = KINDS[kind or recognized(path)](path, choice)
    return as_discrete(source) if choice.discrete else source
