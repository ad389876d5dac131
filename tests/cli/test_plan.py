"""A small run from data to success: `alps data make`, `train`, `eval`, `plan`, `plot`, and the planner as an installed
C++ package (examples/plan.cc). One training of about twenty seconds serves the whole file."""
import csv
import json
import os
import pathlib
import shutil
import subprocess

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("ALPS_BUILD", ROOT / "build/release"))
ALPS = os.environ.get("ALPS_PROGRAM", str(BUILD / "apps/alps"))
NAME = "pointmaze-medium-navigate-v0"


def alps(*args, code=0, **kwargs):
    done = subprocess.run([ALPS, *map(str, args)], capture_output=True, text=True, timeout=600, **kwargs)
    assert done.returncode == code, done.stderr
    return done


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("plan")
    alps("data", "make", NAME, "--data_dir", folder, "--episodes", 150)
    steps = {"representation_steps": 150, "model_steps": 300, "prior_steps": 300, "prior_batch": 256}
    sets = [x for k, v in steps.items() for x in ("--set", f"{k}={v}")]
    alps("train", NAME, "--data_dir", folder, "--out", folder / "run", "--threads", 1, *sets)
    return folder / "run"


@pytest.fixture(scope="module")
def observations(run):
    data = np.load(run.parent / f"{NAME}.npz")["observations"]
    return data[0], data[700]


def last_row(path):
    return list(csv.DictReader(path.open()))[-1]


def test_run_folder_is_complete(run):
    assert {f.name for f in run.iterdir()} >= {"config.json", "model.safetensors", "graph.npz", "train.csv"}
    assert np.load(run / "graph.npz")["centers"].shape == (64, 32)


def test_alps_reaches_the_goals(run, tmp_path):
    ledger = tmp_path / "ledger.csv"
    out = alps("eval", run, "--episodes", 1, "--results", ledger, env={**os.environ, "ALPS_COMMIT": "abc1234"})
    row = last_row(run / "eval.csv")
    assert float(row["evaluation/overall_success"]) >= 0.8, out.stdout
    assert last_row(ledger)["commit"] == "abc1234" and int(last_row(ledger)["episodes"]) == 5
    assert np.load(run / "eval-alps.npz")["episodes"].shape == (5, 5)


@pytest.mark.parametrize("variant", ["alps", "dijkstra+prior", "cem"])
def test_same_seed_same_episodes_whatever_the_threads(run, variant):
    paths = []
    for threads in (1, 2):
        alps("eval", run, "--episodes", 1, "--tasks", "3,5", "--variant", variant, "--threads", threads, "--seed", 7)
        paths.append(np.load(run / f"eval-{variant}.npz")["points"])
    assert len(paths[0]) > 20 and np.array_equal(paths[0], paths[1])


def test_plan_prints_the_trace(run, observations, tmp_path):
    np.save(tmp_path / "start.npy", observations[0])
    np.save(tmp_path / "goal.npy", observations[1])
    trace = json.loads(alps("plan", run, "--start", tmp_path / "start.npy", "--goal", tmp_path / "goal.npy", "--json").stdout)
    assert len(trace["action"]) == 2 and max(map(abs, trace["action"])) <= 1
    assert trace["route"][0] == trace["cluster"] and trace["route"][-1] == trace["goal_cluster"]
    assert trace["elite_costs"][-1] < trace["elite_costs"][0]  # the search found something cheaper


def test_damaged_graph_is_refused(run, tmp_path):
    broken = tmp_path / "run"
    shutil.copytree(run, broken)
    whole = (broken / "graph.npz").read_bytes()
    (broken / "graph.npz").write_bytes(whole[: len(whole) // 2])
    out = alps("eval", broken, "--episodes", 1, code=1)
    assert "graph.npz" in out.stderr and out.stderr.count("\n") <= 2


def test_training_the_representation_anew_makes_new_regions(run, tmp_path):
    other = tmp_path / "run"
    shutil.copytree(run, other)
    alps("train", NAME, "--data_dir", run.parent, "--out", other, "--threads", 1, "--only", "representation", "--set",
         "representation_steps=5", "--set", "eigenvectors=8")
    assert np.load(other / "graph.npz")["centers"].shape == (64, 8)


def test_plot_writes_the_report(run):
    alps("plot", run)
    report = (run / "report.html").read_text()
    assert "<svg" in report or "data:image" in report
    assert "http://" not in report.replace("http://www.w3.org", "") and "https://" not in report


def test_installed_package(run, observations, tmp_path):
    """find_package(alps) in a project of its own; the program acts like `alps plan` and loads neither torch nor MuJoCo"""
    def cmake(*args):
        done = subprocess.run(["cmake", *map(str, args)], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr

    cmake("--install", BUILD, "--prefix", tmp_path / "alps")
    cmake("-S", ROOT / "examples", "-B", tmp_path / "build", "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={tmp_path / 'alps'}",
          "-DCMAKE_BUILD_TYPE=Release")
    cmake("--build", tmp_path / "build")
    program = tmp_path / "build" / "plan"
    libraries = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    assert not any(word in libraries for word in ("torch", "mujoco", "python"))

    start, goal = observations
    line = " ".join(f"{x:.9g}" for x in start)
    acted = subprocess.run([program, run, *(f"{x:.9g}" for x in goal)], input=f"{line}\n{line}\n", text=True, capture_output=True)
    assert acted.returncode == 0, acted.stderr
    actions = [list(map(float, a.split())) for a in acted.stdout.splitlines()]
    np.save(tmp_path / "start.npy", start)
    np.save(tmp_path / "goal.npy", goal)
    trace = json.loads(alps("plan", run, "--start", tmp_path / "start.npy", "--goal", tmp_path / "goal.npy", "--json").stdout)
    assert len(actions) == 2
    assert np.allclose(actions[0], trace["action"], atol=1e-5)

    missing = subprocess.run([program, tmp_path / "none", "0", "0"], input="", text=True, capture_output=True)
    assert missing.returncode == 1 and "no such file; train a run first" in missing.stderr


def test_planner_alone_needs_no_torch_or_mujoco(tmp_path):
    """a robot's machine configures the planner without the Python environment"""
    done = subprocess.run(["cmake", "-S", ROOT, "-B", tmp_path, "-G", "Ninja", "-DALPS_ONLY_PLANNER=ON"], capture_output=True,
                          text=True)
    assert done.returncode == 0, done.stderr
    targets = (tmp_path / "build.ninja").read_text()
    assert "libalps_plan.a" in targets and "torch" not in targets and "mujoco" not in targets
