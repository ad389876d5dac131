"""A run folder: what training leaves behind."""

import csv
import json
import os
import pathlib
from typing import Any

from alps.agent import Agent, load


class Run(os.PathLike[str]):
    """A folder with config.json, model.safetensors, graph.npz, train.csv and, once evaluated, eval.csv. May be given
    wherever a path is taken."""

    def __init__(self, folder: "str | os.PathLike[str]") -> None:
        self.folder = pathlib.Path(folder)

    def __fspath__(self) -> str:
        return str(self.folder)

    __str__ = __fspath__

    def __repr__(self) -> str:
        return f"alps.Run({str(self.folder)!r})"

    @property
    def config(self) -> dict[str, Any]:
        """config.json: settings, seed, data set, versions"""
        return json.loads((self.folder / "config.json").read_text())

    def load(self, *args: Any, **kwargs: Any) -> Agent:
        """the agent of this run; takes what alps.load takes"""
        return load(self, *args, **kwargs)

    def train_log(self) -> list[dict[str, str]]:
        """the rows of train.csv, with OGBench's column names"""
        return _rows(self.folder / "train.csv")

    def eval_log(self) -> list[dict[str, str]]:
        """the rows of eval.csv, one for each evaluation; empty before the first"""
        return _rows(self.folder / "eval.csv")


def _rows(path: pathlib.Path) -> list[dict[str, str]]:
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file))
