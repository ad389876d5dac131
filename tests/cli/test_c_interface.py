"""The planner from C (alps/plan.h): the examples in C and Rust act like the one in C++, and, by Python's ctypes, what the interface
does with wrong use. The library shows nothing but its functions, and every one of them stands in the header."""
import ctypes
import pathlib
import re
import shutil
import subprocess

import numpy as np
import pytest
from test_plan import BUILD, act, build_example, observations, run  # noqa: F401

HEADER = pathlib.Path(__file__).resolve().parents[2] / "src/alps/plan/c_interface.h"
OK, FAILED, WRONG_USE = 0, 1, 2


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """the example in C++; plan_c lies beside it, and the package in alps"""
    return build_example(tmp_path_factory.mktemp("c"), BUILD)


@pytest.fixture(scope="module")
def library(built):
    path = next((built.parents[1] / "alps").rglob("libalps_plan.so.1"))
    library = ctypes.CDLL(str(path))
    library.alps_planner_load.restype = library.alps_planner_clone.restype = ctypes.c_void_p
    library.alps_planner_message.restype = library.alps_plan_version.restype = ctypes.c_char_p
    library.alps_planner_observation_size.restype = library.alps_planner_action_size.restype = ctypes.c_size_t
    library.path = path
    return library


def floats(values):
    array = np.ascontiguousarray(values, np.float32)
    return array.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(array.size), array


class Planner:
    def __init__(self, library, run, settings=(), variant=None):
        self.library, self.message = library, ctypes.create_string_buffer(512)
        list_of = (ctypes.c_char_p * len(settings))(*(s.encode() for s in settings))
        handle = library.alps_planner_load(str(run).encode(), variant, list_of, ctypes.c_size_t(len(settings)), self.message, ctypes.c_size_t(512))
        self.handle = ctypes.c_void_p(handle)

    def reset(self, goal, seed=0):
        pointer, size, self.kept = floats(goal)
        return self.library.alps_planner_reset(self.handle, pointer, size, ctypes.c_uint64(seed))

    def act(self, observation, room=2):
        pointer, size, self.kept = floats(observation)
        action = np.full(room, 7, np.float32)
        result = self.library.alps_planner_act(self.handle, pointer, size, action.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(room))
        return result, action

    def said(self):
        return self.library.alps_planner_message(self.handle).decode()

    def free(self):
        self.library.alps_planner_free(self.handle)


def test_examples_in_c_and_rust_act_alike(run, observations, built, tmp_path):  # noqa: F811
    start, goal = observations
    seen = [start, start, goal]
    expected, _ = act([built], run, goal, seen)
    actions, _ = act([built.parent / "plan_c"], run, goal, seen)
    assert len(actions) == 3 and np.array_equal(actions, expected)
    assert shutil.which("rustc"), "rustc is missing; as root, run: apt-get install rustc"
    folder = next((built.parents[1] / "alps").rglob("libalps_plan.so.1")).parent
    done = subprocess.run(["rustc", "-O", "-L", folder, "-o", tmp_path / "plan", HEADER.parents[3] / "examples/plan.rs"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    actions, _ = act([tmp_path / "plan"], run, goal, seen, LD_LIBRARY_PATH=str(folder))
    assert np.allclose(actions, expected, atol=1e-5)
    # errors of the library are those of the example
    missing = subprocess.run([built.parent / "plan_c", tmp_path / "none", "0"], input="", text=True, capture_output=True)
    assert missing.returncode == 1 and "no such file; train a run first" in missing.stderr


def test_shows_its_functions_and_nothing_else(library):
    shown = subprocess.run(["nm", "-D", "--defined-only", library.path], capture_output=True, text=True, check=True).stdout
    functions = set(re.findall(r"\b(alps_plan\w*)\(", HEADER.read_text()))
    assert {line.split()[-1] for line in shown.splitlines() if line} == functions and len(functions) > 12
    # the header is C as strict compilers take it
    subprocess.run(["gcc", "-std=c99", "-pedantic", "-Wall", "-Werror", "-fsyntax-only", "-x", "c", HEADER], check=True)


def test_wrong_use_harms_nothing(run, observations, library):  # noqa: F811
    start, goal = observations
    planner = Planner(library, run)
    assert library.alps_plan_abi() == 1 and planner.handle
    assert library.alps_planner_observation_size(planner.handle) == 2 and library.alps_planner_action_size(planner.handle) == 2
    assert planner.act(start)[0] == WRONG_USE and "call reset" in planner.said()
    assert planner.reset(goal) == OK
    untouched, expected = Planner(library, run), []
    untouched.reset(goal)
    for _ in range(3):
        expected.append(untouched.act(start)[1])
    for k in range(3):
        for observation, room in (([np.nan, 0], 2), ([1, 2, 3], 2), (start, 3), ([np.inf, 0], 2)):
            result, action = planner.act(observation, room)
            assert result in (FAILED, WRONG_USE) and planner.said() and (action == 7).all()
        result, action = planner.act(start)
        assert result == OK and np.array_equal(action, expected[k])
    assert planner.reset([1, 2, 3]) != OK and planner.act(start)[0] == OK
    for made in (planner, untouched):
        made.free()
    none = ctypes.c_void_p(None)
    library.alps_planner_free(none)
    assert library.alps_planner_act(none, none, ctypes.c_size_t(0), none, ctypes.c_size_t(0)) == WRONG_USE
    for settings in (["samples=0"], ["nothing=1"], [""]):
        refused = Planner(library, run, settings)
        assert not refused.handle and refused.message.value


def test_clones_go_on_alike_and_memory_stays(run, observations, library):  # noqa: F811
    start, goal = observations
    first = Planner(library, run)
    first.reset(goal, 3)
    first.act(start)
    second = Planner(library, run)
    second.free()
    second.handle = ctypes.c_void_p(library.alps_planner_clone(first.handle))
    assert np.array_equal(first.act(start)[1], second.act(start)[1])
    first.free(), second.free()

    def resident():
        return int(re.search(r"VmRSS:\s+(\d+)", pathlib.Path("/proc/self/status").read_text())[1])

    def load_and_free(times):
        for _ in range(times):
            planner = Planner(library, run)
            planner.reset(goal), planner.act(start), planner.free()

    load_and_free(20)
    before = resident()
    load_and_free(100)
    assert resident() - before < 8_000  # kilobytes
