"""The program `alps` of this package: where it is, what it needs to know, and calling it for work that the extension leaves
to it. Reports and films are drawn in its process, so that importing the package loads neither Cairo nor OpenGL."""

import os
import pathlib
import subprocess
import sys

from alps._native import package_folder
from alps.errors import Error, UsageError

PROGRAM = pathlib.Path(__file__).parent / "alps"


def environment() -> dict[str, str]:
    """of the program's process"""
    variables = dict(os.environ)
    variables.setdefault("ALPS_PYTHON", sys.executable)  # for alps eval --backend ogbench
    # the program finds these beside the package; otherwise it is told where they are
    libraries = [folder / inner for name, inner in (("mujoco", ""), ("torch", "lib")) if (folder := _elsewhere(name))]
    if libraries:
        known = [variables["LD_LIBRARY_PATH"]] if variables.get("LD_LIBRARY_PATH") else []
        variables["LD_LIBRARY_PATH"] = os.pathsep.join([*map(str, libraries), *known])
    if ogbench := _elsewhere("ogbench"):
        variables.setdefault("ALPS_OGBENCH", str(ogbench))
    return variables


def call(*args: str, progress: bool = False) -> None:
    """Runs `alps ARGS`; what it tells goes to sys.stderr if `progress` is true. Raises its error, with its words."""
    said: list[str] = []
    with subprocess.Popen([PROGRAM, *args], env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if said or line.startswith("alps: error: "):
                said.append(line.removeprefix("alps: error: "))
            elif progress or line.startswith("alps: warning: "):
                print(line, end="", file=sys.stderr, flush=True)
    if process.returncode:
        message = "".join(said).strip() or f"the program alps ended with code {process.returncode}"
        raise (UsageError if process.returncode == 2 else Error)(message)


def _elsewhere(name: str) -> pathlib.Path | None:
    """the folder of a package that does not lie beside this one"""
    folder = package_folder(name)
    return folder if folder and folder.parent != pathlib.Path(__file__).parent.parent else None
