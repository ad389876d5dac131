"""Plain advice on data sets and runs: what `alps check` prints."""

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass

from alps._native import core

_MARKS = ("good", "look", "bad")


@dataclass(frozen=True)
class Finding:
    """One line: what was looked at, the measured value, what it means and what to do. mark: "good", "look" or "bad"."""

    mark: str
    what: str
    value: str
    meaning: str
    advice: str = ""

    def __str__(self) -> str:
        todo = f"\n      To do: {self.advice}." if self.advice else ""
        return f"{self.mark:<4}  {self.what}: {self.value}\n      {self.meaning}.{todo}"


class Findings(list[Finding]):
    """The lines of a check, in order; printed, a page to read."""

    @property
    def worst(self) -> str:
        """the worst mark; "good" without lines"""
        return max((f.mark for f in self), key=_MARKS.index, default="good")

    def of(self, mark: str) -> "Findings":
        """those with one mark"""
        return Findings(f for f in self if f.mark == mark)

    def __str__(self) -> str:
        return "\n\n".join(str(f) for f in self)

    @classmethod
    def parse(cls, text: str) -> "Findings":
        lines: Iterable[dict[str, str]] = json.loads(text)
        return cls(Finding(**line) for line in lines)


def check(path: "str | os.PathLike[str]", data_dir: "str | os.PathLike[str]" = "", *, threads: int = 0) -> Findings:
    """Advice on a data set before training (a name or a file.npz), or on a run after it (its folder).

    Looks at samples: seconds for a million rows; the same file gives the same lines. docs/check.md explains them.
    """
    return Findings.parse(core.check(os.fspath(path), os.fspath(data_dir), threads))
