"""python -m alps, and the command alps: the program itself, which this process becomes."""

import os
import pathlib
import sys

from alps._native import package_folder


def main() -> None:
    here = pathlib.Path(__file__).parent
    program = here / "alps"
    environment = dict(os.environ)
    environment.setdefault("ALPS_PYTHON", sys.executable)  # for alps eval --backend ogbench
    # the program finds these beside the package; otherwise it is told where they are
    others = {"mujoco": "", "torch": "lib"}
    folders = {name: package_folder(name) for name in (*others, "ogbench")}
    apart = [str(folders[name] / inner) for name, inner in others.items()
             if folders[name] and folders[name].parent != here.parent]
    if apart:
        environment["LD_LIBRARY_PATH"] = os.pathsep.join([*apart, *filter(None, [environment.get("LD_LIBRARY_PATH")])])
    if folders["ogbench"] and folders["ogbench"].parent != here.parent:
        environment.setdefault("ALPS_OGBENCH", str(folders["ogbench"]))
    sys.stdout.flush()
    os.execve(program, ["alps", *sys.argv[1:]], environment)


if __name__ == "__main__":
    main()
