"""Loads the extension. It finds MuJoCo's library beside this package, as pip installs it; where the two packages lie in
different folders, MuJoCo's is looked up and loaded first."""

import ctypes
import importlib.util
import os
import pathlib


def package_folder(name: str) -> pathlib.Path | None:
    """where a package is installed, without importing it"""
    spec = importlib.util.find_spec(name)
    places = list(spec.submodule_search_locations or []) if spec else []
    return pathlib.Path(places[0]) if places else None


def find_ogbench() -> None:
    """tells the library where the models of the environments are, if they are not beside this package"""
    folder = package_folder("ogbench")
    if folder and folder.parent != pathlib.Path(__file__).parent.parent:
        os.environ.setdefault("ALPS_OGBENCH", str(folder))


def _preload(package: str, pattern: str) -> None:
    folder = package_folder(package)
    for library in sorted(folder.glob(pattern)) if folder else []:
        ctypes.CDLL(str(library))


def preload_torch() -> None:
    """for training, where torch is not beside this package"""
    if not (pathlib.Path(__file__).parent.parent / "torch").exists():
        _preload("torch", "lib/libtorch.so")


try:
    from alps import _core as core
except ImportError as error:
    if "libmujoco" not in str(error):
        raise
    _preload("mujoco", "libmujoco.so.*")
    from alps import _core as core

__all__ = ["core", "find_ogbench", "package_folder", "preload_torch"]
