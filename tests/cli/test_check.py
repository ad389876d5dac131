"""alps check, what alps data info finds, and files that NumPy writes in other ways: float16, Fortran order."""
import html
import json
import os
import pathlib
import subprocess

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("ALPS_BUILD", ROOT / "build/release"))
ALPS = os.environ.get("ALPS_PROGRAM", str(BUILD / "apps/alps"))


def alps(*args, code=0):
    done = subprocess.run([ALPS, *map(str, args)], capture_output=True, text=True, timeout=600)
    assert done.returncode == code, done.stderr
    return done


def ball(velocity=True, episodes=40, length=400, seed=0):
    """a ball with momentum on a line"""
    rng = np.random.default_rng(seed)
    actions = rng.uniform(-1, 1, (episodes, length, 1))
    seen = np.zeros((episodes, length, 2))
    seen[:, 0, 0] = rng.uniform(-1, 1, episodes)
    for t in range(length - 1):
        seen[:, t + 1, 0] = seen[:, t, 0] + seen[:, t, 1]
        seen[:, t + 1, 1] = 0.95 * seen[:, t, 1] + 0.01 * actions[:, t, 0]
    ends = np.zeros((episodes, length), bool)
    ends[:, -1] = True
    kept = seen if velocity else seen[:, :, :1]
    return dict(observations=kept.reshape(-1, kept.shape[2]).astype(np.float32), actions=actions.reshape(-1, 1).astype(np.float32),
                terminals=ends.ravel())


def findings(path):
    page = json.loads(alps("check", path, "--json").stdout)
    return page, {f["what"]: f for f in page["findings"]}


def test_a_healthy_file(tmp_path):
    np.savez(tmp_path / "ball.npz", **ball(episodes=300))
    page, found = findings(tmp_path / "ball.npz")
    assert page["kind"] == "data" and page["worst"] == "good", page
    assert {"episodes", "dead columns", "action limits", "coverage", "Markov"} <= set(found)
    text = alps("check", tmp_path / "ball.npz", "--threads", 1).stdout
    assert "0 to look at, 0 bad" in text and all(f["value"] in text for f in page["findings"])


def test_faults_are_found(tmp_path):
    arrays = ball(velocity=False)
    n = len(arrays["actions"])
    turn = np.cumsum(np.random.default_rng(1).uniform(0, 0.2, n))
    arrays["observations"] = np.column_stack([arrays["observations"], np.full(n, 3), turn % (2 * np.pi), 1e8 * np.sin(turn)]).astype(np.float32)
    arrays["actions"][17] = 50
    np.savez(tmp_path / "bad.npz", **arrays)
    page, found = findings(tmp_path / "bad.npz")
    assert page["worst"] == "bad"
    marks = {what: f["mark"] for what, f in found.items()}
    assert marks["Markov"] == "bad" and marks["dead columns"] == "look" and marks["angles"] == "look"
    assert marks["enormous columns"] == "bad" and marks["action limits"] == "bad"
    assert found["dead columns"]["value"] == "column 1" and "column 2" in found["angles"]["value"]
    assert all(f["advice"] for f in page["findings"] if f["mark"] != "good" and f["what"] != "file")
    info = alps("data", "info", tmp_path / "bad.npz").stdout
    assert "look: angles: column 2 wraps" in info and "bad: enormous columns" in info and "alps check" in info


@pytest.mark.parametrize("change", ["float16", "fortran", "timeouts"])
def test_other_ways_to_write_it(tmp_path, change):
    arrays = ball()
    if change == "float16":
        arrays = {key: a if a.dtype == bool else a.astype(np.float16) for key, a in arrays.items()}
    if change == "fortran":
        arrays = {key: np.asfortranarray(a) for key, a in arrays.items()}
    if change == "timeouts":
        arrays["timeouts"] = arrays.pop("terminals")
    for save in (np.savez, np.savez_compressed):
        save(tmp_path / "x.npz", **arrays)
        done = alps("data", "info", tmp_path / "x.npz")
        assert "40 episodes of 400 to 400 rows" in done.stdout
        assert ("episodes are taken to end at timeouts" in done.stderr) == (change == "timeouts")
        _, found = findings(tmp_path / "x.npz")
        assert found["episodes"]["value"].startswith("40 of 399 to 399 steps")


def test_images(tmp_path):
    ends = np.arange(40) % 20 == 19
    rng = np.random.default_rng(0)
    def save(*shape, order="C"):
        images = np.asarray(rng.integers(0, 255, (40, *shape)), np.uint8, order=order)
        np.savez(tmp_path / "images.npz", observations=images, actions=np.ones((40, 1), np.float32), terminals=ends)
    save(13, 17, 3)
    assert "bad: image size: (13, 17, 3)" in alps("data", "info", tmp_path / "images.npz").stdout
    save(40, 40, 3, order="F")
    assert "image size" not in alps("data", "info", tmp_path / "images.npz").stdout
    assert "images" in findings(tmp_path / "images.npz")[1]
    save(3, 40, 40)
    assert "moveaxis" in alps("data", "info", tmp_path / "images.npz", code=1).stderr


def test_what_is_not_there(tmp_path):
    assert "no data set at" in alps("check", tmp_path / "none.npz", code=1).stderr
    assert "config.json" in alps("check", tmp_path, code=1).stderr
    alps("check", code=2)
    (tmp_path / "text.npz").write_text("not a data set")
    alps("check", tmp_path / "text.npz", code=1)


def test_a_run(small_run):
    page, found = findings(small_run)
    assert page["kind"] == "run"
    assert {"psi and time, in an episode", "psi and time, between episodes", "model error on the map", "prior", "regions",
            "reach of the data"} <= set(found)
    assert found["model error in the state"]["mark"] == "good" and found["psi and time, between episodes"]["mark"] == "good", page
    assert "0 % of the validation states lie outside" in found["reach of the data"]["value"], found["reach of the data"]
    assert alps("check", small_run, "--json").stdout == alps("check", small_run, "--json", "--threads", 1).stdout


def test_decisions_say_how_familiar_they_are(small_run, tmp_path):
    seen = np.load(small_run.parent / "pointmaze-medium-navigate-v0.npz")["observations"]
    np.save(tmp_path / "start.npy", seen[0])
    np.save(tmp_path / "goal.npy", seen[700])
    np.save(tmp_path / "far.npy", np.full_like(seen[0], 1e6))
    known = json.loads(alps("plan", small_run, "--start", tmp_path / "start.npy", "--goal", tmp_path / "goal.npy", "--json").stdout)
    assert 0 <= known["off_data"] <= 1 and 0 <= known["goal_off_data"] <= 1
    words = alps("plan", small_run, "--start", tmp_path / "far.npy", "--goal", tmp_path / "far.npy").stdout
    assert "the observation lies outside the data" in words and "the goal lies outside the data" in words
    # a run of before says nothing, and decides the same
    graph = dict(np.load(small_run / "graph.npz"))
    try:
        np.savez(small_run / "graph.npz", **{key: a for key, a in graph.items() if key not in ("radii", "low", "high", "reached_low", "reached_high")})
        old = json.loads(alps("plan", small_run, "--start", tmp_path / "start.npy", "--goal", tmp_path / "goal.npy", "--json").stdout)
    finally:
        np.savez(small_run / "graph.npz", **graph)
    assert old["off_data"] is None and old["goal_off_data"] is None and old["action"] == known["action"] and old["plan"] == known["plan"]


def test_the_report_shows_it(small_run):
    alps("plot", small_run)
    text = html.unescape((small_run / "report.html").read_text())
    page, _ = findings(small_run)
    assert all(f["value"] in text for f in page["findings"]), page
