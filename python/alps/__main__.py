"""python -m alps, and the command alps: the program itself, which this process becomes."""

import os
import sys

from alps._program import PROGRAM, environment


def main() -> None:
    sys.stdout.flush()
    os.execve(PROGRAM, ["alps", *sys.argv[1:]], environment())


if __name__ == "__main__":
    main()
