"""A run folder: what training leaves behind."""

import csv
import json
import os
import pathlib
from collections.abc import Sequence
from typing import Any

from alps import _program
from alps.agent import Agent, load
from alps.checks import Findings, check


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

    def check(self, *, threads: int = 0) -> Findings:
        """advice on what was learned: whether the map follows time, how far the model can be trusted; what `alps check` prints"""
        return check(self, threads=threads)

    def report(self) -> pathlib.Path:
        """writes report.html, one page of what the run knows and did, and returns its path; what `alps plot` does"""
        return report(self)

    def film(self, episodes: int = 1, tasks: Sequence[int] | None = None, *, variant: str = "alps", seed: int = 0,
             progress: bool = True) -> list[pathlib.Path]:
        """Films the first episodes of each task (default: all tasks), and writes the report, which links to the films.

        Returns the paths of map.mp4, seen from above, and video.mp4, rendered by MuJoCo; a world without a map or a machine
        without OpenGL has only the other. Needs ffmpeg. Adds nothing to eval.csv.
        """
        args = ["plot", os.path.abspath(self), "--video", str(episodes), "--variant", variant, "--seed", str(seed)]
        if tasks is not None:
            args += ["--tasks", ",".join(str(int(task)) for task in tasks)]
        films = [self.folder / name for name in ("map.mp4", "video.mp4")]
        before = {path: path.stat().st_mtime_ns for path in films if path.exists()}
        _program.call(*args, progress=progress)
        return [path for path in films if path.exists() and path.stat().st_mtime_ns != before.get(path)]


def report(run: "str | os.PathLike[str]") -> pathlib.Path:
    """Writes RUN/report.html, one page of what the run knows and did, with pictures in RUN/plots, and returns its path."""
    _program.call("plot", os.path.abspath(run))
    return pathlib.Path(run) / "report.html"


def _rows(path: pathlib.Path) -> list[dict[str, str]]:
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file))
