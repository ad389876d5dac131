"""The package as it is installed: what is in the wheel, what importing it costs, types, the program, the examples."""
import ast
import importlib.metadata
import json
import pathlib
import subprocess
import sys
import textwrap
import zipfile

import numpy as np
import pytest
import torch

import alps
from conftest import NAME, ROOT

WHEEL = next((ROOT / "build/wheel").glob("alps-*.whl"))
PACKAGE = pathlib.Path(alps.__file__).parent


def python(*args, **kwargs):
    done = subprocess.run([sys.executable, *map(str, args)], capture_output=True, text=True, timeout=300, **kwargs)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_it_is_the_installed_one():
    assert ROOT / "build/python-venv" in PACKAGE.parents and ROOT / "python" not in PACKAGE.parents
    assert importlib.metadata.version("alps") == alps.__version__


def test_wheel_carries_no_torch_and_no_mujoco():
    names = zipfile.ZipFile(WHEEL).namelist()
    libraries = [pathlib.Path(n).name for n in names if ".so" in n]
    assert len(libraries) == 2 and "libalps_learn.so" in libraries, libraries
    assert {"alps/alps", "alps/py.typed", "alps/_core.pyi", "alps/experts/ant.safetensors", "alps/reproduce/published.csv",
            "alps/reproduce/best.csv"} <= set(names)
    assert not [n for n in names if not n.startswith("alps")], "only the package and its metadata"
    needs = set(importlib.metadata.requires("alps"))
    assert {"torch==2.13.0", "mujoco==4.0.0", "mujoco-core==4.0.0", "ogbench==1.2.2"} <= needs


def test_binaries_look_for_the_wheels_beside_them():
    for name, place in (("alps", "mujoco"), ("libalps_learn.so", "torch/lib")):
        told = subprocess.run(["readelf", "-d", PACKAGE / name], capture_output=True, text=True, check=True).stdout
        paths = [line.split("[")[1].rstrip("]") for line in told.splitlines() if "PATH" in line and "[" in line]
        assert paths == [f"$ORIGIN/../{place}"], told


def test_importing_does_not_load_torch():
    loaded = json.loads(python("-c", "import sys, json, alps; print(json.dumps(sorted(sys.modules)))"))
    assert "numpy" in loaded and not {"torch", "mujoco", "ogbench", "jax"} & set(loaded)
    maps = python("-c", "import alps; print(open('/proc/self/maps').read())")
    assert "libmujoco" in maps
    for library in ("libtorch", "libcairo", "libGL", "libEGL"):
        assert library not in maps, library


def test_stub_names_all_there_is():
    """the stub was made from the extension that is installed"""
    stub = ast.parse((PACKAGE / "_core.pyi").read_text())
    names = {n.name for n in stub.body if isinstance(n, (ast.FunctionDef, ast.ClassDef))}
    names |= {n.target.id for n in stub.body if isinstance(n, ast.AnnAssign)}
    core = sys.modules["alps._core"]
    assert names >= {n for n in dir(core) if not n.startswith("_")}
    decision = next(n for n in stub.body if isinstance(n, ast.ClassDef) and n.name == "Decision")
    assert {n.name for n in decision.body if isinstance(n, ast.FunctionDef)} >= {n for n in dir(alps.Decision) if n[0] != "_"}


def test_types(tmp_path):
    """a type checker reads the installed package: its own annotations, a right use, and a wrong one"""
    (tmp_path / "right.py").write_text(textwrap.dedent("""
        import numpy as np
        import alps
        agent: alps.Agent = alps.load("run", variant="cem", samples=3)
        action = agent.act(np.zeros(2), np.zeros(2))
        reveal_type(action)
        run: alps.Run = alps.train({"observations": np.zeros((4, 2))}, seed=1)
    """))
    (tmp_path / "wrong.py").write_text("import alps\nalps.load(3)\nalps.Dataset.load('x').nothing\n")
    (tmp_path / "mypy.ini").write_text("[mypy]\n[mypy-gymnasium.*,jax.*,ogbench.*]\nfollow_imports = skip\nignore_missing_imports = True\n")
    done = subprocess.run([sys.executable, "-m", "mypy", "--cache-dir", str(tmp_path / "cache"), "--config-file", "mypy.ini",
                           "-p", "alps", "-m", "right", "-m", "wrong"], cwd=tmp_path, capture_output=True, text=True)
    lines = done.stdout.splitlines()
    assert [line.split(": ")[0] for line in lines if ": error:" in line] == ["wrong.py:2", "wrong.py:3"], done.stdout + done.stderr
    assert any("right.py:6" in line and "_32Bit" in line for line in lines), done.stdout


def test_everything_public_is_described():
    for name in alps.__all__:
        assert getattr(alps, name).__doc__, name
    for thing in (alps.Agent, alps.Dataset, alps.Run):
        for name in vars(thing):
            if not name.startswith("_") and name not in ("variant", "observation_shape", "action_size"):
                assert getattr(thing, name).__doc__, f"{thing.__name__}.{name}"


def test_the_program_is_in_the_package(tmp_path):
    assert python("-m", "alps", "--version") == f"alps {alps.__version__} (MuJoCo 4.0.0)\n"
    script = PACKAGE.parents[3] / "bin/alps"
    assert "antmaze-large-v0" in subprocess.run([script, "env", "list"], capture_output=True, text=True).stdout
    wrong = subprocess.run([script, "plan"], capture_output=True, text=True)
    assert wrong.returncode == 2 and wrong.stderr.startswith("alps: error: ") and wrong.stderr.count("\n") <= 2
    # the expert of the ant's data comes along
    python("-m", "alps", "data", "make", "antmaze-medium-navigate-v0", "--data_dir", tmp_path, "--episodes", 1)
    assert len(alps.Dataset.load("antmaze-medium-navigate-v0", tmp_path).episodes) == 1


def test_evaluation_in_the_real_package(run):
    told = json.loads(python("-m", "alps", "eval", run, "--backend", "ogbench", "--tasks", "3,4", "--episodes", 2, "--json"))
    assert told["successes"] == told["episodes"] == 4 and set(told["tasks"]) == {"task3", "task4"}
    row = run.eval_log()[-1]
    assert row["backend"] == "ogbench" and row["config"] == told["config"] and row["evaluation/task3_success"] == "1"
    file = run.folder / "results" / f"{told['config']}.npz"
    ends = np.load(file)["ends"]
    assert ends.shape == (4, 4) and len(np.unique(ends, axis=0)) == 4  # each episode has its own noise
    python("-m", "alps", "eval", run, "--backend", "ogbench", "--tasks", "3,4", "--episodes", 2, "--threads", 1)
    assert np.array_equal(ends, np.load(file)["ends"])


def test_real_package_missing_is_said(run, tmp_path):
    (tmp_path / "ogbench.py").write_text("raise ImportError('no such thing here')")
    done = subprocess.run([sys.executable, "-m", "alps", "eval", run, "--backend", "ogbench", "--episodes", "1"],
                          capture_output=True, text=True, env={"ALPS_PYTHON": "/usr/bin/no-python", "PATH": "/usr/bin"})
    assert done.returncode == 1 and "cannot start /usr/bin/no-python" in done.stderr and "ALPS_PYTHON" in done.stderr
    done = subprocess.run([sys.executable, "-m", "alps", "eval", run, "--backend", "ogbench", "--episodes", "1"],
                          capture_output=True, text=True, env={"PYTHONPATH": str(tmp_path), "PATH": "/usr/bin"})
    assert done.returncode == 1 and "ogbench: ImportError: no such thing here" in done.stderr, done.stderr


def test_interop_with_plain_pytorch(run, rows):
    """examples/interop.py: the same psi, next states and actions from torch.nn modules"""
    from interop import RunModel

    model = RunModel(str(run)).eval()
    goals = rows[::-1].copy()
    with torch.no_grad():
        psi = model.psi(torch.from_numpy(rows)).numpy()
        actions = model.act(torch.from_numpy(rows), torch.from_numpy(goals)).numpy()
    ours = alps.load(run).embed(rows)
    assert np.abs(psi - ours).max() <= 1e-5 * np.abs(ours).max()
    # the prior amplifies psi's last digits, which are rounded differently
    acted = alps.load(run, variant="prior").act(rows, goals)
    apart = np.abs(actions - acted)
    assert apart.mean() <= 2e-5 and apart.max() <= 2e-4 and np.abs(acted).max() > 0.1
    assert NAME in alps.Run(run).config["data"]["name"]


@pytest.mark.parametrize("script", ["own_data"])
def test_examples_run(script, tmp_path):
    """the worked example of docs/own-data.md, small; the full figures are in the document"""
    told = python(ROOT / "examples" / f"{script}.py", "--out", tmp_path / "run", "--episodes", 1, "--data_episodes", 30,
                  "--steps", 40, "--threads", 1, cwd=tmp_path)
    assert "upright" in told and (tmp_path / "run/report.html").exists()
