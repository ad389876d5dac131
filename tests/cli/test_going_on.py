"""What a run keeps when its training goes on, what is refused then, and what config.json says of it."""
import json
import os
import pathlib
import shutil
import subprocess

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
ALPS = os.environ.get("ALPS_PROGRAM", str(ROOT / "build/release/apps/alps"))
TINY = dict(representation_steps=20, model_steps=20, prior_steps=60, representation_batch=64, model_batch=16, prior_batch=64,
            encoder_width=24, model_width=24, prior_width=24, model_horizon=4, eigenvectors=4)


def alps(*args, **kwargs):
    return subprocess.run([ALPS, *map(str, args)], capture_output=True, text=True, timeout=300, **kwargs)


def sets(**settings):
    return [x for key, value in settings.items() for x in ("--set", f"{key}={value}")]


def config(run):
    return json.loads((run / "config.json").read_text())


def write_walks(path, seed):
    """a point that moves by its actions, which nobody could foretell"""
    rng = np.random.default_rng(seed)
    episodes, length = 40, 80
    states = np.zeros((episodes, length, 2), np.float32)
    actions = rng.uniform(-2, 2, (episodes, length, 2)).astype(np.float32)
    states[:, 0] = rng.uniform(0, 20, (episodes, 2))
    for t in range(length - 1):
        states[:, t + 1] = np.clip(states[:, t] + 0.1 * actions[:, t], 0, 20)
    terminals = np.zeros((episodes, length), bool)
    terminals[:, -1] = True
    np.savez(path, observations=states.reshape(-1, 2), actions=actions.reshape(-1, 2), terminals=terminals.ravel())


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """walks.npz, others.npz, and a run in the folder that training chooses by itself"""
    home = tmp_path_factory.mktemp("home")
    write_walks(home / "walks.npz", 0)
    write_walks(home / "others.npz", 1)
    done = alps("train", "walks.npz", "--seed", 3, "--threads", 1, *sets(**TINY), cwd=home)
    assert done.returncode == 0, done.stderr
    return home


@pytest.fixture
def run(home, tmp_path):
    return shutil.copytree(home / "runs/walks-s3", tmp_path / "run")


def test_config_tells_what_was_used(home):
    c = config(home / "runs/walks-s3")
    assert c["seed"] == 3 and c["threads"] == 1 and c["method"] == "alps" and c["preset"] == "fast" and c["policy"] == "planner"
    assert c["data"]["path"] == str(home / "walks.npz") and c["data"]["name"] == "walks"
    assert c["data"]["bytes"] == (home / "walks.npz").stat().st_size
    assert "torch" in c["versions"] and "alps" in c["versions"]
    # what the map and the networks told is there too, with where it came from
    graph = np.load(home / "runs/walks-s3/graph.npz")
    assert c["settings"]["clusters"] == len(graph["sizes"]) and c["origins"]["clusters"]["origin"] == "measured"
    assert c["settings"]["drop_traps"] is True and "spread" in c["origins"]["drop_traps"]["reason"]


def test_a_run_goes_on_with_what_it_was_started_with(home, run):
    def refused(*args):
        done = alps("train", home / "walks.npz", "--out", run, *args)
        assert done.returncode == 2, (args, done.stderr)
        return done.stderr

    before = {file.name: file.read_bytes() for file in run.iterdir()}
    assert "started with 3" in refused("--resume", "--seed", 4)
    assert "started with fast" in refused("--resume", "--preset", "paper")
    assert "started with alps" in refused("--resume", "--method", "gcbc")
    assert "started with 20" in refused("--resume", "--set", "model_steps=21")
    assert "holds a run already" in refused()
    assert "no such choice" in refused("--only", "pryor")
    other = alps("train", home / "others.npz", "--out", run, "--resume")
    assert other.returncode == 1 and "is not the file" in other.stderr
    assert {file.name: file.read_bytes() for file in run.iterdir()} == before

    # the same words again are no contradiction, and the planner's settings may change
    done = alps("train", home / "walks.npz", "--out", run, "--resume", "--seed", 3, "--preset", "fast", "--method", "alps",
                *sets(model_steps=20, sigma=0.31))
    assert done.returncode == 0, done.stderr
    assert (run / "model.safetensors").read_bytes() == before["model.safetensors"]
    assert (run / "graph.npz").read_bytes() == before["graph.npz"]
    assert config(run)["settings"]["sigma"] == 0.31 and config(run)["origins"]["sigma"]["origin"] == "user"
    assert alps("train", home / "walks.npz", "--out", run, "--resume").returncode == 0
    assert config(run)["settings"]["sigma"] == 0.31 and config(run)["seed"] == 3


def test_killed_between_the_regions_and_config_json(home, run):
    """the graph is there, and config.json is still that of before"""
    whole = config(run)
    before = json.loads(json.dumps(whole))
    before["settings"]["clusters"] = 0
    before["origins"].pop("clusters")
    (run / "config.json").write_text(json.dumps(before))
    done = alps("train", home / "walks.npz", "--out", run, "--resume", "--threads", 1)
    assert done.returncode == 0, done.stderr
    assert config(run) == whole


def test_one_part_anew_with_another_seed_and_settings(home, run):
    graph = (run / "graph.npz").read_bytes()
    done = alps("train", home / "walks.npz", "--out", run, "--only", "prior", "--seed", 5, *sets(prior_steps=30))
    assert done.returncode == 0, done.stderr
    assert config(run)["seed"] == 5 and config(run)["settings"]["prior_steps"] == 30
    assert (run / "graph.npz").read_bytes() == graph  # the regions are those of the representation that stayed
    done = alps("train", home / "walks.npz", "--out", run, "--only", "representation", *sets(representation_steps=40))
    assert done.returncode == 0, done.stderr
    assert (run / "graph.npz").read_bytes() != graph
    assert config(run)["settings"]["clusters"] == len(np.load(run / "graph.npz")["sizes"])


def test_overwrite_forgets_the_run(home, run):
    done = alps("train", home / "others.npz", "--out", run, "--overwrite", "--seed", 9, "--threads", 1, *sets(**TINY, clusters=17))
    assert done.returncode == 0, done.stderr
    c = config(run)
    assert c["data"]["name"] == "others" and c["seed"] == 9
    assert c["settings"]["clusters"] == 17 and c["origins"]["clusters"]["origin"] == "user"
    assert len(np.load(run / "graph.npz")["sizes"]) == 17
