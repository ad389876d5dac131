"""python -m alps, and the command alps: the program itself, which this process becomes."""

import os
import pathlib
import sys

from alps._native import package_folder


def main() -> None:
    program = pathlib.Path(__file__).parent / "alps"
    environment = dict(os.environ)
    environment.setdefault("ALPS_PYTHON", sys.executable)  # for alps eval --backend ogbench
    # the program finds these beside the package; otherwise it is told where they are
    libraries = [folder / inner for name, inner in (("mujoco", ""), ("torch", "lib")) if (folder := _elsewhere(name))]
    if libraries:
        known = [environment["LD_LIBRARY_PATH"]] if environment.get("LD_LIBRARY_PATH") else []
        environment["LD_LIBRARY_PATH"] = os.pathsep.join([*map(str, libraries), *known])
    if ogbench := _elsewhere("ogbench"):
        environment.setdefault("ALPS_OGBENCH", str(ogbench))
    sys.stdout.flush()
    os.execve(program, ["alps", *sys.argv[1:]], environment)


def _elsewhere(name: str) -> pathlib.Path | None:
    """the folder of a package that does not lie beside this one"""
    folder = package_folder(name)
    return folder if folder and folder.parent != pathlib.Path(__file__).parent.parent else None


if __name__ == "__main__":
    main()
