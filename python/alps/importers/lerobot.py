"""LeRobot's data sets: a folder with meta/info.json and parquet files, of versions 2 (a file for each episode) and 3 (many episodes in
a file). A row holds observation.state and action of one frame, and episode_index. Images and videos are left out."""

from __future__ import annotations

import fnmatch
import json
import pathlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from .source import Choice, Episode, Source, SourceError, WrongUse, listed, needed


def open_lerobot(path: pathlib.Path, choice: Choice) -> Source:
    needed("pyarrow.parquet", "a LeRobot data set")
    info = _info(path)
    features = info["features"]
    numbers = [name for name, feature in features.items() if feature.get("dtype") not in ("image", "video", "string")]
    seen = _chosen(numbers, choice.observations or ["observation.state"], path, "--observations")
    done = _chosen(numbers, choice.actions or ["action"], path, "--actions")
    files = sorted(path.glob("data/**/*.parquet"))
    if not files:
        raise SourceError(f"{path}: no parquet file is in its folder data; is the download complete?")
    source = Source(f"a LeRobot data set ({info.get('codebase_version', 'of no version')})", path.name,
                    lambda: _episodes(files, seen, done, info, source))
    pictures = [name for name, feature in features.items() if feature.get("dtype") in ("image", "video")]
    if pictures:
        source.note(f"left out: {listed(pictures)}; images of LeRobot data sets cannot be imported yet")
    others = [name for name in numbers if name.startswith("observation.") and name not in seen]
    if others:
        source.note(f"left out: {listed(others)} (--observations chooses)")
    return source


def _info(path: pathlib.Path) -> dict[str, Any]:
    file = path / "meta/info.json"
    try:
        info = json.loads(file.read_text())
    except (OSError, ValueError) as error:
        raise SourceError(f"{file}: cannot be read ({error}); a LeRobot data set has this file") from error
    if not isinstance(info, dict) or not isinstance(info.get("features"), dict):
        raise SourceError(f"{file}: has no 'features'; versions 2.0, 2.1 and 3.0 of LeRobot's layout can be imported")
    return info


def _chosen(names: list[str], patterns: list[str], path: pathlib.Path, flag: str) -> list[str]:
    chosen: list[str] = []
    for pattern in patterns:
        found = [name for name in names if fnmatch.fnmatchcase(name, pattern) and name not in chosen]
        if not found and pattern not in chosen:
            raise WrongUse(f"{path}: no feature of numbers is called '{pattern}'; choose with {flag} among: {listed(names)}")
        chosen += found
    return chosen


def _matrix(column: Any, name: str, where: str) -> np.ndarray:
    """a column of lists, or of numbers, as (rows, size)"""
    if column.null_count:
        raise SourceError(f"{where}: '{name}' has empty cells; remove or mend these episodes")
    rows = len(column)
    compute = needed("pyarrow.compute", "a LeRobot data set")
    while hasattr(column.type, "value_type"):
        lengths = compute.list_value_length(column).unique().to_pylist()
        if len(lengths) > 1:
            raise SourceError(f"{where}: '{name}' has rows of different lengths ({listed(sorted(lengths))})")
        column = column.flatten()
    try:
        values = np.asarray(column.to_numpy(zero_copy_only=False))
        # whole numbers may be discrete actions
        return values.reshape(rows, -1) if values.dtype.kind in "iub" else values.astype(np.float32).reshape(rows, -1)
    except (TypeError, ValueError) as error:
        raise SourceError(f"{where}: '{name}' holds {column.type}, not numbers") from error


def _episodes(files: list[pathlib.Path], seen: list[str], done: list[str], info: dict[str, Any], source: Source) -> Iterator[Episode]:
    # an episode is complete when another one begins
    kept: list[tuple[np.ndarray, np.ndarray]] = []
    current, count, rows = None, 0, 0

    def finished() -> Iterator[Episode]:
        nonlocal count
        if kept:
            count += 1
            both = [np.concatenate(parts) for parts in zip(*kept)]
            if len(both[0]) < 2:
                source.note("episodes of a single row are left out: they hold no transition")
            else:
                yield Episode(f"{source.name}, episode {current}", both[0], both[1])
            kept.clear()

    for file in files:
        for numbers, observations, actions in _batches(file, seen, done):
            cuts = [0, *(np.flatnonzero(np.diff(numbers)) + 1), len(numbers)]
            for begin, end in zip(cuts, cuts[1:]):
                if numbers[begin] != current:
                    yield from finished()
                    current = int(numbers[begin])
                kept.append((observations[begin:end], actions[begin:end]))
                rows += int(end - begin)
    yield from finished()
    for key, found in (("total_episodes", count), ("total_frames", rows)):
        if info.get(key) not in (None, found):
            source.note(f"meta/info.json tells of {key} {info[key]}, but {found} are in the files; is the download complete?")


def _batches(file: pathlib.Path, seen: list[str], done: list[str]) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """(episode numbers, observations, actions) of some thousand rows each"""
    parquet, arrow = needed("pyarrow.parquet", "a LeRobot data set"), needed("pyarrow", "a LeRobot data set")
    columns = ["episode_index", *seen, *done]
    try:
        with parquet.ParquetFile(file) as table:
            missing = [name for name in columns if name not in table.schema_arrow.names]
            if missing:
                raise SourceError(f"{file}: column '{missing[0]}' is missing (it has: {listed(table.schema_arrow.names)})")
            for batch in table.iter_batches(batch_size=1 << 16, columns=columns):
                if batch.num_rows == 0:
                    continue
                parts = {name: _matrix(batch.column(name), name, str(file)) for name in {*seen, *done}}
                yield (np.asarray(batch.column("episode_index").to_numpy(zero_copy_only=False)),
                       np.concatenate([parts[name] for name in seen], axis=1),
                       np.concatenate([parts[name] for name in done], axis=1))
    except (OSError, arrow.ArrowException) as error:
        raise SourceError(f"{file}: cannot be read as parquet ({error}); is the download complete?") from error
