"""The baselines of OGBench as methods: each trains, acts and shows its value; an interrupted training goes on to the same weights."""
import json
import os
import pathlib
import signal
import subprocess
import time

import numpy as np
import pytest
from safetensors.numpy import load_file

ROOT = pathlib.Path(__file__).resolve().parents[2]
ALPS = os.environ.get("ALPS_PROGRAM", str(ROOT / "build/release/apps/alps"))
SMALL = [x for setting in ("agent_batch=32", "value_width=24", "actor_width=24") for x in ("--set", setting)]


def alps(*args):
    return subprocess.run([ALPS, *map(str, args)], capture_output=True, text=True, timeout=600)


@pytest.fixture(scope="module")
def walks(tmp_path_factory):
    """60 walks of a point across an open field, each in a direction of its own"""
    rng = np.random.default_rng(0)
    episodes, length = 60, 60
    way = rng.uniform(0, 2 * np.pi, episodes)
    actions = np.stack([np.cos(way), np.sin(way)], -1)[:, None] + 0.3 * rng.normal(size=(episodes, length, 2))
    actions = actions.clip(-1, 1).astype(np.float32)
    states = np.concatenate([rng.uniform(0, 20, (episodes, 1, 2)), 0.2 * actions[:, :-1]], 1).cumsum(1).astype(np.float32)
    path = tmp_path_factory.mktemp("walks") / "walks.npz"
    np.savez(path, observations=states.reshape(-1, 2), actions=actions.reshape(-1, 2),
             terminals=np.tile(np.arange(length) == length - 1, episodes))
    return path


@pytest.mark.parametrize("method", ["gcivl", "gciql", "qrl", "crl", "hiql"])
def test_a_baseline_trains_acts_and_shows_its_value(walks, tmp_path, method):
    run = tmp_path / "run"
    latent = ["--set", "latent=16"] if method in ("qrl", "crl") else []
    done = alps("train", walks, "--method", method, "--out", run, "--threads", 1, "--set", "agent_steps=40", *SMALL, *latent)
    assert done.returncode == 0, done.stderr
    config = json.loads((run / "config.json").read_text())
    assert config["policy"] == ("two_levels" if method == "hiql" else "actor") and not (run / "graph.npz").exists()
    assert config["settings"]["agent_steps"] == 40 and config["settings"]["agent_batch"] == 32
    for name, place in (("a", [10, 10]), ("b", [14, 12])):
        np.save(tmp_path / f"{name}.npy", np.array(place, np.float32))
    done = alps("plan", run, "--start", tmp_path / "a.npy", "--goal", tmp_path / "b.npy", "--json")
    assert done.returncode == 0, done.stderr
    decision = json.loads(done.stdout)
    assert len(decision["action"]) == 2 and all(abs(a) <= 1.01 for a in decision["action"])
    done = alps("plot", run)
    assert done.returncode == 0, done.stderr
    assert (run / "plots" / "value.png").exists() and "The value" in (run / "report.html").read_text()


def test_an_interrupted_training_goes_on_to_the_same_weights(walks, tmp_path):
    def command(out):
        return ["train", walks, "--method", "hiql", "--out", out, "--threads", 1, "--set", "agent_steps=400", "--set",
                "checkpoint_seconds=0", *SMALL]
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    assert alps(*command(whole)).returncode == 0
    process = subprocess.Popen([ALPS, *map(str, command(parts))], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while process.poll() is None and not (parts / "checkpoint.safetensors").exists():
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=600) != 0 and not (parts / "model.safetensors").exists()
    assert alps("train", walks, "--out", parts, "--resume").returncode == 0
    one, two = (load_file(run / "model.safetensors") for run in (whole, parts))
    assert one.keys() == two.keys() and all(np.array_equal(one[k], two[k]) for k in one)


def test_what_does_not_go_together_is_refused(walks, tmp_path):
    done = alps("train", walks, "--method", "qrl", "--out", tmp_path / "run", "--set", "latent=20")
    assert done.returncode == 2 and "multiple" in done.stderr
    done = alps("train", walks, "--method", "hiqll", "--out", tmp_path / "run")
    assert done.returncode == 2 and "hiql" in done.stderr
