"""Episodes of any source as OGBench's layout has them: float32, or images (height, width, channels) of uint8; actions of numbers, as
many rows as observations; discrete actions one-hot; the same sizes in every episode; every number finite."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import numpy as np

from .source import Episode, Source, SourceError

_MOST_DISCRETE = 1024


def as_discrete(source: Source) -> Source:
    """the same with actions as whole numbers"""

    def episodes() -> Iterator[Episode]:
        for episode in source.episodes():
            whole = np.nan_to_num(episode.actions).astype(np.int64)
            if episode.actions.size != len(episode.actions) or not np.array_equal(whole, episode.actions):
                raise SourceError(f"{episode.where}: actions are not one whole number in each row; leave out --discrete")
            yield dataclasses.replace(episode, actions=whole)

    return dataclasses.replace(source, episodes=episodes)


def checked(source: Source) -> Iterator[Episode]:
    first: Episode | None = None
    count = source.discrete
    observations, single, whole = source.discrete_observations, True, True
    for raw in source.episodes():
        if first is None and count is None and raw.actions.dtype.kind in "iu" and raw.actions.size == len(raw.actions):
            count = _count(source)
        if count:
            source.note(f"discrete actions: each of the {count} becomes a column of 0 and 1; the largest column of a planned action is the one to take")
        seen = _one_hot(raw.observations, observations, raw.where, "observations") if observations else _observations(raw, source)
        done = _one_hot(raw.actions, count, raw.where, "actions") if count else _actions(raw, source)
        if len(done) == len(seen) - 1:
            done = np.concatenate([done, np.zeros_like(done[:1])])
        if len(seen) != len(done):
            raise SourceError(f"{raw.where}: {len(seen)} observations and {len(done)} actions; an episode of T actions has T + 1 observations")
        extras = {key: _float(array.reshape(len(array), -1), key, raw.where) for key, array in raw.extras.items() if len(array) == len(seen)}
        episode = Episode(raw.where, seen, done, extras)
        if first is None:
            first = dataclasses.replace(episode, observations=seen[:0], actions=done[:0], extras={k: a[:0] for k, a in extras.items()})
        _same(first, episode)
        single = single and len(seen) == 2
        whole = whole and done.shape[1] == 1 and bool((done == np.abs(np.floor(done))).all())
        yield episode
    if first is None:
        raise SourceError(f"{source.name}: has no episode with two states or more; an empty data set cannot be used")
    if whole:
        source.note("actions are one column of whole numbers; if they number discrete actions, import with --discrete")
    if single:
        raise SourceError(f"{source.name}: no row follows from another: every episode has one transition. Planning learns from trajectories; "
                          "import them in the order in which they were recorded")


def _count(source: Source) -> int:
    """how many discrete actions there are, where the source does not say it: one pass over all of them"""
    least, largest = 0, 0
    for episode in source.episodes():
        if episode.actions.size:
            least, largest = min(least, int(episode.actions.min())), max(largest, int(episode.actions.max()))
    if least < 0 or largest >= _MOST_DISCRETE:
        raise SourceError(f"{source.name}: 'actions' holds whole numbers from {least} to {largest}, one in a row; discrete actions are numbered from 0 on. "
                          "If these are not discrete actions, store them as float32")
    return largest + 1


def _one_hot(values: np.ndarray, count: int, where: str, what: str) -> np.ndarray:
    flat = np.asarray(values).reshape(-1)
    if len(flat) != len(values) or flat.dtype.kind not in "iub" or (len(flat) and not (0 <= flat.min() and flat.max() < count)):
        raise SourceError(f"{where}: discrete {what} must be one whole number from 0 to {count - 1} in each row")
    return np.eye(count, dtype=np.float32)[flat.astype(int)]


def _observations(raw: Episode, source: Source) -> np.ndarray:
    seen = raw.observations
    if seen.ndim == 0 or len(seen) < 2:
        raise SourceError(f"{raw.where}: 'observations' has shape {seen.shape}; an episode has two rows or more")
    if seen.dtype == np.uint8 and seen.ndim == 4:
        if seen.shape[1] in (1, 3) and seen.shape[3] not in (1, 3):
            source.note("images have their channels first; they are turned to (height, width, channels)")
            seen = np.moveaxis(seen, 1, -1)
        return np.ascontiguousarray(seen)
    if seen.ndim > 2:
        source.note(f"observations of shape {seen.shape[1:]} are laid out as {seen[0].size} numbers")
    return _float(seen.reshape(len(seen), -1), "observations", raw.where)


def _actions(raw: Episode, source: Source) -> np.ndarray:
    if raw.actions.ndim > 2:
        source.note(f"actions of shape {raw.actions.shape[1:]} are laid out as {raw.actions[0].size} numbers")
    return _float(raw.actions.reshape(len(raw.actions), -1), "actions", raw.where)


def _float(values: np.ndarray, what: str, where: str) -> np.ndarray:
    if values.dtype.kind not in "fiub":
        raise SourceError(f"{where}: '{what}' has type {values.dtype}; numbers are expected")
    if values.shape[1] == 0:
        raise SourceError(f"{where}: '{what}' has rows of size 0; expected at least one column")
    with np.errstate(over="ignore"):
        result = np.ascontiguousarray(values, np.float32)
    bad = np.argwhere(~np.isfinite(result))
    if len(bad):
        row, column = bad[0]
        raise SourceError(f"{where}: '{what}' is {values[row, column]} in row {row} of the episode, column {column}; "
                          "remove or mend that episode; nothing can be learned from it")
    return result


def _same(first: Episode, episode: Episode) -> None:
    for what, ours, theirs in (("observations", first.observations, episode.observations), ("actions", first.actions, episode.actions),
                               *((key, array, episode.extras.get(key)) for key, array in first.extras.items())):
        if theirs is None or ours.shape[1:] != theirs.shape[1:] or ours.dtype != theirs.dtype:
            told = "is missing" if theirs is None else f"has rows of shape {theirs.shape[1:]} and type {theirs.dtype}"
            raise SourceError(f"{episode.where}: '{what}' {told}, but {ours.shape[1:]} and {ours.dtype} in the first episode; "
                              "all episodes must be of one robot")
