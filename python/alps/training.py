"""From a data set to a run."""

import os
import pathlib
import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from alps._native import core, preload_torch
from alps._progress import watcher
from alps.dataset import Dataset
from alps.errors import UsageError
from alps.run import Run


def train(dataset: "str | os.PathLike[str] | Mapping[str, Any] | Dataset | None" = None, *,
          out: "str | os.PathLike[str] | None" = None, name: str | None = None, preset: str = "", method: str = "",
          seed: int | None = None, resume: bool = False, overwrite: bool = False, only: str = "", device: str | None = None,
          precision: str | None = None, threads: int | None = None, minutes: float = 0,
          tensorboard: bool = False,
          data_dir: "str | os.PathLike[str]" = "", progress: Any = True, **config: Any) -> Run:
    """Learns representation, forward model and prior, and cuts the map into regions; what `alps train` does.

    dataset:   an OGBench name, a file.npz, a dict of arrays or an alps.Dataset. Arrays are written to OUT/NAME.npz, so
               that the run keeps what it was trained on. With resume=True and `out`, it may be left out.
    out:       run folder (default runs/NAME-sSEED)
    name:      of a dict (default "dataset"); it changes nothing but the names of files
    preset:    "fast" (default): settings measured from the data, minutes; "paper": the paper's settings, days
    method:    "alps" (default); "pclast", "gcbc", "gcivl", "gciql", "qrl", "crl", "hiql", "saw", "hilp" or "gas" for comparison
    resume:    go on with the run in the folder; parts already trained are kept
    overwrite: delete the run in the folder and train anew
    only:      "representation", "model" or "prior" (of gcbc "actor", of hilp and gas "distance" or "agent", of other baselines "agent"): train this part anew, keep the others
    device:    "auto" (default), "cpu", "cuda"; precision "fp32", "bf16", "auto" (default): bf16 where the processor has it; threads 0 (default): all cores
    minutes:   train no longer than about this, if more would pay; 0 (default): as long as it pays
    progress:  True, False, or a function (part, step, steps, note); without True, what looks odd in the data is a Python warning
    config:    any setting, as `alps train --set` takes it: representation_steps=2000, gamma=0.9, clusters=128, sigma=0.2, ...

    Ctrl-C saves a checkpoint and raises KeyboardInterrupt; train(..., resume=True) goes on from it, to the same weights
    as an uninterrupted run.
    """
    if dataset is None:
        if out is None or not resume:
            raise UsageError("train takes a dataset; it may be left out only with out=RUN and resume=True")
        source = Run(out).config["data"]["path"]
    elif isinstance(dataset, (Dataset, Mapping)):
        source, out = _write(dataset, out, name, seed or 0, resume or bool(only), overwrite)
    else:
        source = os.fspath(dataset)
    preload_torch()
    words = [f"{key}={_text(value)}" for key, value in config.items()]
    return Run(core.train(os.fspath(source), os.fspath(data_dir), "" if out is None else os.fspath(out), preset, method,
                          words, seed, device, precision, threads, resume, overwrite, only, minutes, tensorboard, _listener(progress)))


def _listener(progress: Any) -> Callable[..., None]:
    """The progress that was asked for. Where nothing prints remarks, what looks odd in the data becomes a Python warning."""
    watch = watcher(progress)
    if watch is not None and progress is True:
        return watch

    def told(what: str, done: int | None, total: int | None, note: str) -> None:
        if total is not None:
            if watch is not None:
                watch(what, done, total, note)
        elif ".npz: '" in what or ".npz: has '" in what:
            warnings.warn(what.removeprefix("note: "), stacklevel=3)

    return told


def _text(value: Any) -> str:
    if isinstance(value, (bool, np.bool_)):
        return str(int(value))
    return repr(float(value)) if isinstance(value, (float, np.floating)) else str(value)


def _write(dataset: "Mapping[str, Any] | Dataset", out: "str | os.PathLike[str] | None", name: str | None, seed: int,
           goes_on: bool, overwrite: bool) -> tuple[pathlib.Path, pathlib.Path]:
    """arrays into the folder of the run; a file that is there already is kept if it holds the same"""
    data = dataset if isinstance(dataset, Dataset) else Dataset.from_dict(dataset, name or "dataset")
    name = name or data.name
    folder = pathlib.Path("runs", f"{name}-s{seed}") if out is None else pathlib.Path(out)
    if data.path is not None and data.path.exists() and data.path.stem == name:
        return data.path, folder
    path = folder / f"{name}.npz"
    if path.exists() and goes_on:
        before = Dataset.load(path).arrays()
        now = data.arrays()
        if before.keys() != now.keys() or not all(np.array_equal(before[key], now[key]) for key in now):
            raise UsageError(f"{path}: holds other data than these; start another run with out=")
        return path, folder
    if (folder / "model.safetensors").exists() and not overwrite:
        raise UsageError(f"{folder} holds a run already; go on with it (resume=True), forget it (overwrite=True), or choose another out=")
    return data.save(path), folder
