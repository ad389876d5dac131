"""alps sweep on this machine: from a file to results, what is done is not done again, and what is killed goes on."""
import json
import os
import pathlib
import signal
import subprocess
import time

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
ALPS = os.environ.get("ALPS_PROGRAM", str(pathlib.Path(os.environ.get("ALPS_BUILD", ROOT / "build/release")) / "apps/alps"))
NAME = "pointmaze-medium-navigate-v0"
SMALL = "set = { eigenvectors = 4, encoder_width = 16, model_width = 16, prior_width = 16, clusters = 8 }"
TINY = f"""
[[runs]]
data = "{NAME}"
data_episodes = 12
seeds = 2
steps = 20
{SMALL}
[[runs.eval]]
variant = ["alps", "dijkstra+prior"]
episodes = 1
tasks = [1, 3]
set = {{ samples = 8 }}
"""


def write(folder, text):
    path = folder / "sweep.toml"
    path.write_text(text)
    return path


def run(*args, **more):
    return subprocess.run([ALPS, "sweep", *map(str, args)], capture_output=True, text=True, timeout=600, **more)


def refused(folder, text, *args):
    done = run(write(folder, text), "--out", folder / "lab", *args)
    assert done.returncode == 2, done.stderr
    assert not (folder / "lab").exists(), "a sweep that is refused leaves nothing behind"
    return done.stderr


def results(lab):
    return {path.stem: json.loads(path.read_text()) for path in (lab / "ledger").glob("*.json")}


def test_a_file_becomes_runs_and_results(tmp_path):
    sweep, lab = write(tmp_path, TINY), tmp_path / "lab"
    done = run(sweep, "--out", lab)
    assert done.returncode == 0, done.stderr
    assert "7 of 7 tasks done" in done.stdout
    found = results(lab)
    assert len(found) == 4
    assert sorted((r["configuration"]["train_seed"], r["configuration"]["variant"]) for r in found.values()) == [
        (0, "alps"), (0, "dijkstra+prior"), (1, "alps"), (1, "dijkstra+prior")]
    for name, r in found.items():
        assert r["config"] == name and r["configuration"]["tasks"] == [1, 3] and len(r["episodes"]) == 2
        assert r["configuration"]["settings"]["eigenvectors"] == 4 and r["configuration"]["planner_settings"]["samples"] == 8

    # a second time there is nothing to do, and nothing is touched
    before = {path: path.stat().st_mtime_ns for path in lab.rglob("*") if path.is_file()}
    again = run(sweep, "--out", lab)
    assert again.returncode == 0 and "7 of 7 tasks done" in again.stdout
    assert {path: path.stat().st_mtime_ns for path in lab.rglob("*") if path.is_file()} == before

    # a sweep that shares the folder shares the runs: only what is new is done
    more = run(write(tmp_path, TINY.replace('"dijkstra+prior"', '"dijkstra+cem"')), "--out", lab)
    assert more.returncode == 0 and len(results(lab)) == 6
    assert more.stderr.count("train-") == 0

    # data, train, eval; tasks, done, running, stopped, failed, waiting
    status = run(sweep, "--out", lab, "--status")
    assert status.returncode == 0, status.stderr
    assert [line.split()[-1] for line in status.stdout.splitlines()[1:]] == ["0"] * (len(status.stdout.splitlines()) - 1)


def test_dry_and_status_write_nothing(tmp_path):
    sweep = write(tmp_path, TINY)
    for flag in ("--dry", "--status"):
        done = run(sweep, "--out", tmp_path / "lab", flag)
        assert done.returncode == 0, done.stderr
        assert not (tmp_path / "lab").exists()
    dry = run(sweep, "--out", tmp_path / "lab", "--dry").stdout
    assert dry.count("alps train") == 2 and dry.count("alps eval") == 4 and dry.count("alps data make") == 1


def test_axes_multiply_and_repetitions_are_one(tmp_path):
    text = f"""
[[runs]]
data = ["{NAME}", "pointmaze-large-navigate-v0"]
method = ["alps", "gcbc"]
seeds = [3, 5]
[[runs.eval]]
variant = ["alps", "cem"]
clusters = [8, 16]
[[runs]]
data = "{NAME}"
seeds = [3]
[[runs.eval]]
variant = "alps"
clusters = 8
"""
    dry = run(write(tmp_path, text), "--out", tmp_path / "lab", "--dry", "--data_dir", tmp_path).stdout
    assert dry.count("alps data make") == 2
    assert dry.count("alps train") == 2 * 2 * 2
    # alps: 4 runs x 2 variants x 2 numbers of regions; gcbc does not plan: 4 runs, one evaluation each
    assert dry.count("alps eval") == 4 * 4 + 4
    lines = [line for line in dry.splitlines() if "alps eval" in line]
    assert len(set(lines)) == len(lines)
    assert all(("--seed 3" in line) == ("-s3-" in line) for line in lines), "the evaluation's seed is that of training"


def test_interrupted_and_killed_sweeps_go_on(tmp_path):
    text = TINY.replace("steps = 20", "steps = 4000")
    sweep, lab = write(tmp_path, text), tmp_path / "lab"

    def start():
        return subprocess.Popen([ALPS, "sweep", str(sweep), "--out", str(lab)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    def wait_for_training():
        end = time.time() + 120
        while not any("steps/s" in p.read_text() or (p.parent / "1.begin.json").exists() for p in lab.glob("tasks/train-*/log")):
            assert time.time() < end
            time.sleep(0.1)
        time.sleep(1)

    def alps_processes():
        return subprocess.run(["pgrep", "-f", f"--out {lab}/runs"], capture_output=True, text=True).stdout.split()

    # Ctrl-C: the running tasks save their work
    process = start()
    wait_for_training()
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 130
    assert "the same command goes on" in process.stderr.read()
    assert not alps_processes()
    stopped = [json.loads(p.read_text())["ending"] for p in lab.glob("tasks/train-*/*.end.json")]
    assert stopped and set(stopped) == {"stopped"}
    reasons = [json.loads(p.read_text())["reason"] for p in lab.glob("tasks/train-*/*.end.json")]
    assert set(reasons) == {""}, "told to stop is not killed"

    # killed outright: its tasks notice and end by themselves
    process = start()
    time.sleep(3)
    process.kill()
    process.wait()
    end = time.time() + 60
    while alps_processes():
        assert time.time() < end, "a task lives on without its owner"
        time.sleep(0.1)

    done = run(sweep, "--out", lab)
    assert done.returncode == 0, done.stderr
    assert len(results(lab)) == 4
    assert not list(lab.rglob("*.part"))

    # the same figures as without interruptions
    whole = tmp_path / "whole"
    assert run(sweep, "--out", whole).returncode == 0

    def figures(lab):
        return {name: (r["episodes"], r["model_crc32"]) for name, r in results(lab).items()}
    assert figures(whole) == figures(lab)


def test_a_failed_task_is_told_and_tried_again(tmp_path):
    sweep, lab = write(tmp_path, TINY), tmp_path / "lab"
    (lab / "runs").mkdir(parents=True)
    # a file where a folder has to be stops root, too
    first = run(sweep, "--out", lab, "--dry").stdout
    folder = next(word for line in first.splitlines() for word in line.split() if "/runs/" in word and "-s0-" in word)
    with open(folder, "w"):
        pass
    done = run(sweep, "--out", lab)
    assert done.returncode == 1
    assert "1 tasks failed, 2 that need them were not begun" in done.stderr and "/log" in done.stderr
    assert len(results(lab)) == 2, "the others are not held up"
    status = run(sweep, "--out", lab, "--status").stdout
    assert "failed   train-" in status
    os.remove(folder)
    again = run(sweep, "--out", lab)
    assert again.returncode == 0, again.stderr
    assert len(results(lab)) == 4


@pytest.mark.parametrize("old,new,words", [
    ("seeds = 2", "seedz = 2", ["sweep.toml:5", "no key 'seedz'", "did you mean 'seeds'"]),
    ("steps = 20", "steps = 'many'", ["sweep.toml:6", "steps takes a whole number"]),
    (NAME, "pointmaze-medium-navigat-v0", ["sweep.toml:3", NAME]),
    (f'"{NAME}"', "[]", ["sweep.toml:3", "empty list"]),
    (f'data = "{NAME}"', "", ["lacks data"]),
    ('"alps", "dijkstra+prior"', '"alp"', ["sweep.toml:9", "alp"]),
    ("samples = 8", "sampels = 8", ["sweep.toml:12", "sampels", "samples"]),
    ("samples = 8", "samples = -8", ["sweep.toml:12", "samples"]),
    ("eigenvectors = 4", "eigenvector = 4", ["sweep.toml:7", "eigenvectors"]),
    ("episodes = 1\n", "episodes = 0\n", ["sweep.toml:10", "episodes takes a whole number from 1"]),
    ("[[runs]]", "[[runs]", ["sweep.toml:2", "not TOML"]),
    ("[[runs", "[[ruins", ["no [[runs]]"]),
    ("seeds = 2", "seeds = 2\nmethod = 'apls'", ["sweep.toml:6", "apls"]),
    ("seeds = 2", "seeds = 2\npreset = 'papre'", ["sweep.toml:6", "papre"]),
    (NAME, "humanoidmaze-medium-navigate-v0", ["sweep.toml:3", "cannot be made here", "alps data get"]),
])
def test_what_cannot_run_is_refused_before_anything_runs(tmp_path, monkeypatch, old, new, words):
    monkeypatch.setenv("ALPS_EXPERTS", str(tmp_path / "no experts"))
    assert old in TINY
    told = refused(tmp_path, TINY.replace(old, new), "--data_dir", tmp_path)
    for word in words:
        assert word in told, told


def test_a_missing_file(tmp_path):
    done = run(tmp_path / "none.toml")
    assert done.returncode == 2 and "none.toml: no such file" in done.stderr
