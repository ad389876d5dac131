"""Progress of long work on sys.stderr, which notebooks show too: one line that is rewritten on a terminal, a line now and
then elsewhere."""

import sys
import time
from collections.abc import Callable
from typing import Any


def watcher(progress: Any) -> Callable[..., None] | None:
    """what the library calls: progress(what, done, total, note), or progress(line, None, None, "") for a remark"""
    if progress is True:
        return Bar()
    if callable(progress):
        return lambda what, done, total, note: progress(what, done, total, note) if total is not None else None
    return None


class Bar:
    def __init__(self) -> None:
        self._what = ""
        self._start = self._shown = 0.0
        self._open = False

    def __call__(self, what: str, done: int | None, total: int | None, note: str) -> None:
        if done is None or not total:
            self._end_line()
            print(what, file=sys.stderr, flush=True)
            return
        now = time.monotonic()
        if what != self._what:
            self._end_line()
            self._what, self._start, self._shown = what, now, 0.0
        terminal = sys.stderr.isatty()
        if done < total and now - self._shown < (0.2 if terminal else 10.0):
            return
        self._shown = now
        left = (now - self._start) * (total - done) / done if done else 0.0
        text = f"{what}  {100 * done // total} %  {done:,}/{total:,}  {note}"
        text += f"  {int(left // 60)}:{int(left % 60):02d} left" if done < total else ""
        if terminal:
            sys.stderr.write(f"\r\033[K{text}")
            self._open = True
        else:
            sys.stderr.write(text + "\n")
        sys.stderr.flush()
        if done >= total:
            self._end_line()

    def _end_line(self) -> None:
        if self._open:
            sys.stderr.write("\n")
            self._open = False
