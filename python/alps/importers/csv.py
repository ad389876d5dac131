"""CSV: a folder with one file for each episode, or one file with a column that numbers the episodes. The first line names the columns.
Those that begin with obs or state are the observation, those that begin with act the action, in the order of the file, unless
patterns are given. A column called done, terminal or timeout ends an episode where it is not 0. Cells of the last action may be empty."""

from __future__ import annotations

import csv
import fnmatch
import pathlib
import re
from collections.abc import Iterator

import numpy as np

from .source import Choice, Episode, Source, SourceError, WrongUse, listed

_OBSERVATIONS = ["obs*", "state*"]
_ACTIONS = ["act*"]
_EPISODE = ("episode", "episode_index", "episode_id", "trajectory", "traj")
_ENDS = ("done", "terminal", "terminals", "terminated", "truncated", "timeout", "timeouts")
_LINES = 1 << 14  # that are turned into numbers at once


def open_csv(path: pathlib.Path, choice: Choice) -> Source:
    files = [path]
    if path.is_dir():
        # episode_2 before episode_10
        files = sorted(path.glob("*.csv"), key=lambda file: [int(word) if word.isdigit() else word for word in re.split(r"(\d+)", file.name)])
        if not files:
            raise SourceError(f"{path}: no .csv file is in this folder")
    source = Source("a CSV file" if len(files) == 1 else f"{len(files)} CSV files", path.stem, lambda: _episodes(files, choice, source))
    return source


def _episodes(files: list[pathlib.Path], choice: Choice, source: Source) -> Iterator[Episode]:
    names: list[str] = []
    for file in files:
        table = _Table(file, choice)
        if names and table.chosen != names:
            raise SourceError(f"{file}: its columns ({listed(table.chosen)}) are not those of {files[0].name} ({listed(names)})")
        names = table.chosen
        source.note(f"observations: {listed(table.observations)}; actions: {listed(table.actions)}")
        if table.unused:
            source.note(f"left out: {listed(table.unused)} (--observations and --actions choose)")
        yield from table.episodes(source)


class _Table:
    """one file"""

    def __init__(self, file: pathlib.Path, choice: Choice) -> None:
        self.file = file
        try:
            with open(file, newline="", encoding="utf-8-sig") as lines:
                first = lines.readline()
        except (OSError, UnicodeDecodeError) as error:
            raise SourceError(f"{file}: cannot be read as CSV ({error})") from error
        if not first.strip():
            raise SourceError(f"{file}: is empty; the first line names the columns")
        self.separator = max(",;\t", key=first.count)
        self.header = [name.strip() for name in next(csv.reader([first], delimiter=self.separator))]
        if len(set(self.header)) < len(self.header):
            twice = next(name for name in self.header if self.header.count(name) > 1)
            raise SourceError(f"{file}: two columns are called '{twice}'")
        if all(_is_number(name) for name in self.header):
            raise SourceError(f"{file}: the first line holds numbers ({listed(self.header, 3)}); it must name the columns")
        if choice.episode and choice.episode not in self.header:
            raise WrongUse(f"{file}: no column '{choice.episode}' for --episode; it has: {listed(self.header)}")
        self.number = choice.episode or next((name for name in self.header if name.lower() in _EPISODE), "")
        self.ends = [name for name in self.header if name.lower() in _ENDS]
        self.actions = self._matching(choice.actions, _ACTIONS, "--actions", [])
        self.observations = self._matching(choice.observations, _OBSERVATIONS, "--observations", self.actions)
        self.chosen = [*self.observations, *self.actions]
        self.unused = [name for name in self.header if name not in (*self.chosen, *self.ends, self.number)]

    def _matching(self, asked: list[str], usual: list[str], flag: str, taken: list[str]) -> list[str]:
        found: list[str] = []
        for pattern in asked or usual:
            # what was asked for keeps the order of the patterns
            some = [n for n in self.header if fnmatch.fnmatchcase(n if asked else n.lower(), pattern) and n not in (*found, *taken, self.number)]
            if asked and not some:
                raise WrongUse(f"{self.file}: no column matches {flag} '{pattern}'; it has: {listed(self.header)}")
            found += some
        if not found:
            raise WrongUse(f"{self.file}: no column begins with {' or '.join(p.rstrip('*') for p in usual)}; choose with {flag} 'PATTERN' "
                           f"among: {listed(self.header)}")
        return found

    def episodes(self, source: Source) -> Iterator[Episode]:
        numbers, over, values = self._read()
        if len(values) == 0:
            raise SourceError(f"{self.file}: has no rows under its header; an empty data set cannot be used")
        cut = over[:-1] | (numbers[1:] != numbers[:-1])
        ends = [*(np.flatnonzero(cut) + 1), len(values)]
        size = len(self.observations)
        for begin, end in zip([0, *ends], ends):
            if end - begin < 2:
                source.note("episodes of a single row are left out: they hold no transition")
                continue
            actions = values[begin:end, size:]
            if np.isnan(actions[-1]).all():
                actions = actions[:-1]
            yield Episode(f"{self.file}, lines {begin + 2} to {end + 1}", values[begin:end, :size], actions)

    def _read(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """episode numbers (as text), ends and values of all rows"""
        places = [self.header.index(name) for name in self.chosen]
        ends = [self.header.index(name) for name in self.ends]
        number = self.header.index(self.number) if self.number else None
        numbers, over, blocks = [], [], []
        with open(self.file, newline="", encoding="utf-8-sig") as lines:
            reader = csv.reader(lines, delimiter=self.separator)
            next(reader)
            block: list[list[str]] = []
            try:
                for row in reader:
                    if not row:
                        continue
                    if len(row) != len(self.header):
                        raise SourceError(f"{self.file}, line {reader.line_num}: {len(row)} cells, but the header names {len(self.header)} columns")
                    numbers.append(row[number] if number is not None else "")
                    over.append(any(row[i].strip().lower() not in ("", "0", "0.0", "false") for i in ends))
                    block.append([row[i] for i in places])
                    if len(block) == _LINES:
                        blocks.append(self._numbers(block, reader.line_num))
                        block = []
            except (csv.Error, UnicodeDecodeError) as error:
                raise SourceError(f"{self.file}: cannot be read as CSV ({error})") from error
            if block:
                blocks.append(self._numbers(block, reader.line_num))
        return np.array(numbers), np.array(over, bool), np.concatenate(blocks) if blocks else np.zeros((0, len(places)))

    def _numbers(self, block: list[list[str]], last_line: int) -> np.ndarray:
        """an empty cell is NaN"""
        try:
            return np.array([[float(cell) if cell else np.nan for cell in row] for row in block])
        except ValueError as error:
            for line, row in enumerate(block, last_line - len(block) + 1):
                for name, cell in zip(self.chosen, row):
                    if cell and not _is_number(cell):
                        raise SourceError(f"{self.file}, line {line}: '{cell}' in column {name} is not a number") from error
            raise


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
