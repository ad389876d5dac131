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


POLICIES = {"hiql": "two_levels", "hilp": "directions", "gas": "waypoints"}  # the others: actor


@pytest.mark.parametrize("method", ["gcivl", "gciql", "qrl", "crl", "hiql", "saw", "hilp", "gas"])
def test_a_baseline_trains_acts_and_shows_its_value(walks, tmp_path, method):
    run = tmp_path / "run"
    latent = ["--set", "latent=16"] if method in ("qrl", "crl", "hilp", "gas") else []
    done = alps("train", walks, "--method", method, "--out", run, "--threads", 1, "--set", "agent_steps=40", *SMALL, *latent)
    assert done.returncode == 0, done.stderr
    config = json.loads((run / "config.json").read_text())
    assert config["policy"] == POLICIES.get(method, "actor") and not (run / "graph.npz").exists()
    assert config["settings"]["agent_steps"] == 40 and config["settings"]["agent_batch"] == 32
    for name, place in (("a", [10, 10]), ("b", [14, 12])):
        np.save(tmp_path / f"{name}.npy", np.array(place, np.float32))
    done = alps("plan", run, "--start", tmp_path / "a.npy", "--goal", tmp_path / "b.npy", "--json")
    assert done.returncode == 0, done.stderr
    decision = json.loads(done.stdout)
    assert len(decision["action"]) == 2 and all(abs(a) <= 1.01 for a in decision["action"])
    done = alps("embed", run, "--in", tmp_path / "a.npy", "--out", tmp_path / "phi.npy")
    assert (done.returncode == 0) == bool(latent), done.stderr
    if latent:
        assert np.load(tmp_path / "phi.npy").shape == (1, 16)
    done = alps("plot", run)
    assert done.returncode == 0, done.stderr
    assert (run / "plots" / "value.png").exists() and "The value" in (run / "report.html").read_text()


@pytest.mark.parametrize("method", ["hiql", "gas"])
def test_an_interrupted_training_goes_on_to_the_same_weights(walks, tmp_path, method):
    def command(out):
        return ["train", walks, "--method", method, "--out", out, "--threads", 1, "--set", "agent_steps=400", "--set",
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
    if method == "gas":
        assert (whole / "waypoints.npz").read_bytes() == (parts / "waypoints.npz").read_bytes()


def test_what_does_not_go_together_is_refused(walks, tmp_path):
    done = alps("train", walks, "--method", "qrl", "--out", tmp_path / "run", "--set", "latent=20")
    assert done.returncode == 2 and "multiple" in done.stderr
    done = alps("train", walks, "--method", "hiqll", "--out", tmp_path / "run")
    assert done.returncode == 2 and "hiql" in done.stderr


def test_waypoints_are_those_of_the_definition(walks, tmp_path):
    """phi of all states by the program; efficient states, waypoints and what is joined by NumPy"""
    run, reach = tmp_path / "run", 1.5
    done = alps("train", walks, "--method", "gas", "--out", run, "--threads", 1, "--set", "agent_steps=300", "--set", f"way_distance={reach}",
                "--set", "efficiency=0.9", *SMALL)
    assert done.returncode == 0, done.stderr
    data = np.load(walks)
    np.save(tmp_path / "all.npy", data["observations"])
    assert alps("embed", run, "--in", tmp_path / "all.npy", "--out", tmp_path / "phi.npy").returncode == 0
    phi, steps = np.load(tmp_path / "phi.npy").astype(np.float64), round(reach)
    efficient = []
    for episode in np.split(phi, np.flatnonzero(data["terminals"])[:-1] + 1):
        for i, here in enumerate(episode):
            if i + steps >= len(episode):
                efficient.append(here)
                continue
            far = np.flatnonzero(np.linalg.norm(episode[i + 1:] - here, axis=1) >= reach)
            way, taken = episode[i + 1 + far[0] if len(far) else -1] - here, episode[i + steps] - here
            if way @ taken >= 0.9 * np.linalg.norm(way) * np.linalg.norm(taken):
                efficient.append(here)
    assert 100 < len(efficient) < len(phi)
    first, members = [], []
    for row in efficient:
        distances = np.linalg.norm(np.array(first) - row, axis=1) if first else np.array([np.inf])
        if distances.min() > reach / 2:
            first.append(row)
            members.append([row])
        else:
            members[distances.argmin()].append(row)
    nodes = np.array([np.mean(group, axis=0) for group in members])
    found = np.load(run / "waypoints.npz")
    assert len(nodes) > 5 and found["nodes"].shape == nodes.shape and np.allclose(found["nodes"], nodes, atol=1e-3)
    near = np.linalg.norm(nodes[:, None] - nodes, axis=2) <= reach
    for i, (a, b) in enumerate(zip(found["starts"], found["starts"][1:])):
        missing = set(np.flatnonzero(near[i])) - {i} - set(found["neighbours"][a:b])
        assert not missing and i not in found["neighbours"][a:b]
    # the actor alone anew: the distance and its waypoints stay
    kept, weights = (run / "waypoints.npz").read_bytes(), load_file(run / "model.safetensors")
    done = alps("train", walks, "--out", run, "--only", "agent", "--seed", 1, "--set", "agent_steps=40")
    assert done.returncode == 0, done.stderr
    again = load_file(run / "model.safetensors")
    assert (run / "waypoints.npz").read_bytes() == kept
    assert np.array_equal(weights["phi.0.weight"], again["phi.0.weight"]) and not np.array_equal(weights["actor.0.weight"], again["actor.0.weight"])


def test_the_learned_distance_goes_round_the_corner(tmp_path):
    """walks along a corridor in the shape of a U, whose ends are near each other and far apart on foot"""
    rng = np.random.default_rng(0)
    corners, episodes, length = np.array([(0, 10), (0, 0), (10, 0), (10, 10)], float), 150, 100

    def place(u):
        part = np.clip(u // 10, 0, 2).astype(int)
        return corners[part] + (corners[part + 1] - corners[part]) * (u / 10 - part)[..., None]

    along = rng.uniform(0, 30, episodes)
    goals, walk = rng.uniform(0, 30, episodes), []
    for _ in range(length):
        walk.append(along)
        goals = np.where(np.abs(goals - along) < 0.3, rng.uniform(0, 30, episodes), goals)
        along = along + 0.3 * np.sign(goals - along)
    states = place(np.array(walk).T) + rng.uniform(-0.3, 0.3, (episodes, length, 2))
    actions = np.diff(states, axis=1, append=states[:, -1:])
    np.savez(tmp_path / "u.npz", observations=states.reshape(-1, 2).astype(np.float32), actions=actions.reshape(-1, 2).astype(np.float32),
             terminals=np.tile(np.arange(length) == length - 1, episodes))
    done = alps("train", tmp_path / "u.npz", "--method", "gas", "--only", "distance", "--out", tmp_path / "run", "--threads", 1, "--set",
                "agent_steps=3000", "--set", "agent_batch=64", "--set", "value_width=48", "--set", "latent=16", "--set", "tau=0.05")
    assert done.returncode == 0, done.stderr
    # the ends are 10 apart in the plane, as an end and its corner are; on foot 30
    ends_and_corner = place(np.array([0.0, 30.0, 10.0]))
    np.save(tmp_path / "line.npy", ends_and_corner.astype(np.float32))
    assert alps("embed", tmp_path / "run", "--in", tmp_path / "line.npy", "--out", tmp_path / "phi.npy").returncode == 0
    phi = np.load(tmp_path / "phi.npy")
    assert np.linalg.norm(phi[1] - phi[0]) > 1.2 * np.linalg.norm(phi[2] - phi[0]) > 5
