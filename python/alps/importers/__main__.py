"""alps data import, which the program starts as

    python -P importers/__main__.py SOURCE --out FILE.npz [--from KIND] ...

Prints what was imported; errors and notes go to stderr in the program's form, and its exit codes hold: 1 the work failed, 2 wrong use."""

from __future__ import annotations

import argparse
import pathlib
import shlex
import signal
import sys
import time

# this folder as a package of its own: the package alps around it need not be built or installed here
sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))


def words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="alps data import")
    parser.add_argument("source")
    parser.add_argument("--out", required=True)
    parser.add_argument("--from", dest="kind", default="")
    for choice in ("--observations", "--actions", "--keys"):
        parser.add_argument(choice, type=words, default=[])
    parser.add_argument("--episode", default="")
    parser.add_argument("--discrete", action="store_true")
    parser.add_argument("--overwrite", action="store_true")
    return parser.parse_args()


class Counter:
    """a line that counts, on a terminal"""

    def __init__(self) -> None:
        self.next, self.shown = time.monotonic() + 0.5, False

    def show(self, episodes: int, rows: int) -> None:
        if not sys.stderr.isatty() or time.monotonic() < self.next:
            return
        print(f"\r{episodes:,} episodes, {rows:,} rows ", end="", file=sys.stderr, flush=True)
        self.next, self.shown = time.monotonic() + 0.2, True

    def end(self) -> None:
        if self.shown:
            print(file=sys.stderr)


def run(args: argparse.Namespace) -> None:
    import importers  # type: ignore[import-not-found]
    from importers.npz_writer import NpzWriter  # type: ignore[import-not-found]

    out = pathlib.Path(args.out).expanduser()
    if out.suffix != ".npz":
        raise importers.WrongUse(f"--out {out}: a data set is a file.npz")
    if out.exists() and not args.overwrite:
        raise importers.WrongUse(f"{out} is there already; choose another --out, or --overwrite it")
    source = importers.open_source(args.source, args.kind, importers.Choice(args.observations, args.actions, args.keys, args.episode, args.discrete))
    counter = Counter()
    try:
        with NpzWriter(out) as writer:
            for episode in importers.checked(source):
                writer.add(episode)
                counter.show(writer.lengths[2], writer.rows)
            writer.finish()
    except OSError as error:
        raise importers.SourceError(f"{out}: cannot be written ({error})") from error
    finally:
        counter.end()
    shortest, longest, count = writer.lengths
    print(f"{out}: {count:,} episodes of {shortest:,} to {longest:,} rows, {writer.rows:,} rows in all, from {source.kind}")
    for key, (_, dtype, shape) in writer.arrays.items():
        print(f"  {key:<13} {dtype.name:<8} ({', '.join(map(str, (writer.rows, *shape)))}{',' if not shape else ''})")
    for note in source.notes:
        print(f"- {note}")
    quoted = shlex.quote(str(out))
    print(f"next: alps data info {quoted}, then alps train {quoted}")


def main() -> int:
    try:
        import numpy  # noqa: F401
    except ImportError as error:
        print(f"alps: error: {sys.executable} has no NumPy ({error}), which importing needs; name another Python by ALPS_PYTHON=...", file=sys.stderr)
        return 1
    import importers  # type: ignore[import-not-found]

    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that what was begun is removed
    try:
        run(arguments())
    except importers.SourceError as error:
        print(f"alps: error: {error}", file=sys.stderr)
        return 2 if isinstance(error, importers.WrongUse) else 1
    except KeyboardInterrupt:
        print("alps: error: interrupted; nothing was written", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
