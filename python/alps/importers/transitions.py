"""Arrays of rows into episodes: the forms that OGBench's and D4RL's users have.

    terminals               True in the last row of each episode, which holds its final state (OGBench's files)
    terminals, timeouts     either of them ends an episode (D4RL)
    valids                  0 in the last row of each episode (OGBench's loader, compact)
    next_observations       one row for each transition; the state after the last one becomes a row of its own

The arrays may lie in a file: they are read in blocks of whole episodes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from .source import Episode, Source, SourceError, listed

_BLOCK = 1 << 16  # rows that are read at once, if episodes are not longer
_PLACES: tuple[str, ...] = ("qpos", "qvel")
_USED = ("observations", "actions", "terminals", "timeouts", "valids", "next_observations", *_PLACES)


def check(arrays: Mapping[str, Any], where: str) -> None:
    """keys and lengths, before anything is read"""
    for key in ("observations", "actions"):
        if key not in arrays:
            raise SourceError(f"{where}: '{key}' is missing (it has: {listed(arrays)}); a data set holds observations, actions "
                              "and terminals or timeouts")
    if not any(key in arrays for key in ("terminals", "timeouts", "valids")):
        raise SourceError(f"{where}: neither 'terminals' nor 'timeouts' is there (it has: {listed(arrays)}); "
                          "they tell where episodes end")
    rows = arrays["observations"].shape[:1]
    if not rows or rows[0] == 0:
        raise SourceError(f"{where}: 'observations' has no rows; an empty data set cannot be used")
    for key in _USED:
        if key in arrays and arrays[key].shape[:1] != rows:
            raise SourceError(f"{where}: '{key}' has shape {arrays[key].shape} but 'observations' has {rows[0]} rows; "
                              "all keys need one row per observation")


def ends_of(arrays: Mapping[str, Any], where: str) -> np.ndarray:
    """the last row of each episode"""
    rows = arrays["observations"].shape[0]
    over = np.zeros(rows, bool)
    for key in ("valids",) if "valids" in arrays else ("terminals", "timeouts"):
        if key not in arrays:
            continue
        flags = np.asarray(arrays[key][...]).reshape(rows, -1)
        if flags.shape[1] != 1 or not np.isin(flags, (0, 1)).all():
            raise SourceError(f"{where}: '{key}' holds other values than 0 and 1, one in each row; it tells where episodes end")
        over |= flags[:, 0].astype(bool) != (key == "valids")
    over[-1] = True
    return np.flatnonzero(over)


def episodes_of(arrays: Mapping[str, Any], where: str, source: Source) -> Iterator[Episode]:
    check(arrays, where)
    ends = ends_of(arrays, where)
    keys = [key for key in ("observations", "actions", "next_observations", "qpos", "qvel") if key in arrays]
    if "valids" in arrays:
        keys = [key for key in keys if key != "next_observations"]
    unused = [key for key in arrays if key not in _USED]
    if unused:
        source.note(f"left out: {listed(unused)}")
    if len(ends) == 1 and len(arrays["observations"]) > 1:
        source.note(f"{where}: no row is marked as the end of an episode; all {len(arrays['observations']):,} rows are taken for one")
    first, at, single = 0, 0, 0
    while at < len(ends):
        # as many whole episodes as fit into a block, at least one
        stop = max(at + 1, int(np.searchsorted(ends, first + _BLOCK)))
        last = int(ends[stop - 1])
        block = {key: np.asarray(arrays[key][first:last + 1]) for key in keys}
        begin = 0
        for end in ends[at:stop] - first:
            rows = {key: array[begin:end + 1] for key, array in block.items()}
            number = f"{where}, rows {first + begin} to {first + int(end)}"
            begin = int(end) + 1
            if "next_observations" in rows:
                yield from _with_final_states(rows, number, source)
            elif len(rows["observations"]) < 2:
                single += 1
            else:
                extras = {key: rows[key] for key in _PLACES if key in rows}
                yield Episode(number, rows["observations"], rows["actions"], extras)
        first, at = last + 1, stop
    if single:
        source.note(f"episodes of a single row are left out ({single:,}): they hold no transition")


def _with_final_states(rows: dict[str, np.ndarray], where: str, source: Source) -> Iterator[Episode]:
    """transitions (s, a, s') as T + 1 observations; cut where the next row is not where the last one led to"""
    seen, after = rows["observations"], rows["next_observations"]
    if seen.shape != after.shape:
        raise SourceError(f"{where}: 'next_observations' has shape {after.shape[1:]} in a row, 'observations' {seen.shape[1:]}; "
                          "they must be equal")
    axes = tuple(range(1, seen.ndim))
    follows = np.isclose(after[:-1], seen[1:], rtol=1e-4, atol=1e-5, equal_nan=True).all(axis=axes)
    breaks = np.flatnonzero(~follows)
    if len(breaks):
        source.note("in some rows 'next_observations' is not the next row's observation; episodes are cut there")
    for begin, end in zip([0, *(breaks + 1)], [*(breaks + 1), len(seen)]):
        # places are for pictures only
        extras = {key: np.concatenate([rows[key][begin:end], rows[key][end - 1:end]]) for key in _PLACES if key in rows}
        if extras:
            source.note(f"the final state of each episode has the {' and '.join(extras)} of the state before it: the source has none")
        yield Episode(where, np.concatenate([seen[begin:end], after[end - 1:end]]), rows["actions"][begin:end], extras)
