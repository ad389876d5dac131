"""Settings follow from the data, the preset and the user; names decide nothing."""
import json
import os
import pathlib
import shutil
import subprocess

import numpy as np
import pytest
from safetensors.numpy import load_file

ROOT = pathlib.Path(__file__).resolve().parents[2]
ALPS = os.environ.get("ALPS_PROGRAM", str(ROOT / "build/release/apps/alps"))
TINY = {"representation_steps": 20, "model_steps": 20, "prior_steps": 20, "representation_batch": 64, "model_batch": 16,
        "prior_batch": 64}


def alps(*args):
    return subprocess.run([ALPS, *map(str, args)], capture_output=True, text=True, timeout=600)


def sets(**settings):
    return [x for key, value in settings.items() for x in ("--set", f"{key}={value}")]


def config(run):
    return json.loads((run / "config.json").read_text())


@pytest.fixture(scope="module")
def walks(tmp_path_factory):
    """40 episodes of a point that moves by its action in a corridor"""
    folder = tmp_path_factory.mktemp("walks")
    rng = np.random.default_rng(0)
    episodes, length = 40, 80
    states = np.zeros((episodes, length, 2), np.float32)
    actions = rng.uniform(-2, 2, (episodes, length, 2)).astype(np.float32)
    states[:, 0] = rng.uniform(0, 20, (episodes, 2))
    for t in range(length - 1):
        states[:, t + 1] = np.clip(states[:, t] + 0.1 * actions[:, t], 0, 20)
    terminals = np.zeros((episodes, length), bool)
    terminals[:, -1] = True
    path = folder / "walks.npz"
    np.savez(path, observations=states.reshape(-1, 2), actions=actions.reshape(-1, 2), terminals=terminals.ravel())
    return path


def test_the_same_data_under_another_name_give_the_same_run(walks, tmp_path):
    runs = []
    for name in ("walks", "antmaze-large-explore-v0", "obscene"):
        data = tmp_path / f"{name}.npz"
        shutil.copy(walks, data)
        done = alps("train", data, "--out", tmp_path / f"run-{name}", "--threads", 1, *sets(**TINY))
        assert done.returncode == 0, done.stderr
        runs.append(tmp_path / f"run-{name}")
    first = runs[0]
    for run in runs[1:]:
        for key in ("settings", "origins", "measured", "method", "preset"):
            assert config(run)[key] == config(first)[key], key
        assert (run / "graph.npz").read_bytes() == (first / "graph.npz").read_bytes()
        one, other = load_file(first / "model.safetensors"), load_file(run / "model.safetensors")
        assert one.keys() == other.keys() and all(np.array_equal(one[key], other[key]) for key in one)


def test_actions_beyond_one_are_planned_with(walks, tmp_path):
    run = tmp_path / "run"
    assert alps("train", walks, "--out", run, "--threads", 1, *sets(**TINY)).returncode == 0
    assert config(run)["measured"]["action_limit"] == pytest.approx([2, 2], abs=0.01)
    np.save(tmp_path / "a.npy", np.array([1, 1], np.float32))
    np.save(tmp_path / "b.npy", np.array([19, 19], np.float32))
    largest = 0
    for seed in range(8):
        done = alps("plan", run, "--start", tmp_path / "a.npy", "--goal", tmp_path / "b.npy", "--json", "--seed", seed,
                    "--variant", "cem", "--set", "sigma_alone=3")
        assert done.returncode == 0, done.stderr
        largest = max(largest, max(map(abs, json.loads(done.stdout)["action"])))
    assert 1.2 < largest <= 2.0001


def test_explain_writes_nothing_and_names_origins(walks, tmp_path):
    done = alps("train", walks, "--out", tmp_path / "run", "--explain", "--set", "sigma=0.3", "model_width=99")
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "run").exists()
    rows = {line.split()[0]: line.split()[1:] for line in done.stdout.splitlines() if line.startswith("  ")}
    assert rows["sigma"][:2] == ["0.3", "user"] and rows["model_width"][:2] == ["99", "user"]
    assert rows["model_steps"][1] == "measured" and rows["eigenvectors"][1] == "default"


def test_paper_preset_end_to_end(walks, tmp_path):
    run = tmp_path / "run"
    done = alps("train", walks, "--preset", "paper", "--out", run, "--threads", 1, *sets(**TINY))
    assert done.returncode == 0, done.stderr
    settings, origins = config(run)["settings"], config(run)["origins"]
    assert settings["clusters"] == 64 and settings["region_sizes"] == "plain" and settings["objective"] == "allo"
    assert settings["samples"] == 500 and settings["iterations_alone"] == 15 and not settings["warm_start"]
    assert origins["samples"]["origin"] == "preset" and origins["model_steps"]["origin"] == "user"
    np.save(tmp_path / "a.npy", np.array([1, 1], np.float32))
    np.save(tmp_path / "b.npy", np.array([3, 3], np.float32))
    done = alps("plan", run, "--start", tmp_path / "a.npy", "--goal", tmp_path / "b.npy", "--json")
    assert done.returncode == 0, done.stderr
    decision = json.loads(done.stdout)
    assert len(decision["best_costs"]) == 5 and len(decision["plan"]) == 20 * 2  # its iterations and horizon, by default


def test_overwrite_and_a_folder_in_which_training_failed(walks, tmp_path):
    run = tmp_path / "a run"
    first = alps("train", walks, "--out", run, "--threads", 1, *sets(**TINY | {"representation_lr": 9}))
    if first.returncode != 0:  # a learning rate that is too high leaves a folder with nothing in it
        assert not (run / "model.safetensors").exists()
    again = alps("train", walks, "--out", run, "--threads", 1, "--overwrite", *sets(**TINY))
    assert again.returncode == 0, again.stderr
    refused = alps("train", walks, "--out", run, "--threads", 1, *sets(**TINY))
    assert refused.returncode == 2 and "--overwrite" in refused.stderr
    (run / "model.safetensors").unlink()  # as if it had failed before its first checkpoint
    assert alps("train", walks, "--out", run, "--threads", 1, *sets(**TINY)).returncode == 0


def test_a_graph_that_is_gone_is_told_and_made_again(walks, tmp_path):
    run = tmp_path / "run"
    assert alps("train", walks, "--out", run, "--threads", 1, *sets(**TINY)).returncode == 0
    graph = (run / "graph.npz").read_bytes()
    (run / "graph.npz").unlink()
    np.save(tmp_path / "a.npy", np.array([1, 1], np.float32))
    done = alps("plan", run, "--start", tmp_path / "a.npy", "--goal", tmp_path / "a.npy")
    assert done.returncode == 1 and "graph.npz" in done.stderr and "--resume" in done.stderr
    assert alps("train", walks, "--out", run, "--resume").returncode == 0
    assert (run / "graph.npz").read_bytes() == graph


def test_gcbc_is_a_method_like_any_other(walks, tmp_path):
    run = tmp_path / "gcbc"
    done = alps("train", walks, "--method", "gcbc", "--out", run, "--threads", 1, *sets(actor_steps=400, actor_batch=64))
    assert done.returncode == 0, done.stderr
    assert config(run)["policy"] == "actor" and not (run / "graph.npz").exists()
    np.save(tmp_path / "a.npy", np.array([10, 10], np.float32))
    np.save(tmp_path / "b.npy", np.array([19, 19], np.float32))
    done = alps("plan", run, "--start", tmp_path / "a.npy", "--goal", tmp_path / "b.npy", "--json")
    assert done.returncode == 0, done.stderr
    assert all(0 < a <= 2 for a in json.loads(done.stdout)["action"])  # towards the goal
    done = alps("plan", run, "--start", tmp_path / "a.npy", "--goal", tmp_path / "b.npy", "--set", "samples=3")
    assert done.returncode == 2 and "does not plan" in done.stderr


def test_a_run_of_an_older_alps_is_refused_with_a_remedy(tmp_path):
    (tmp_path / "config.json").write_text(json.dumps({"format": 1, "train": {}}))
    done = alps("eval", tmp_path)
    assert done.returncode == 1 and "older alps" in done.stderr and "train it anew" in done.stderr
