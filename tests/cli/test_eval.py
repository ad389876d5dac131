"""`alps eval`: what an evaluation leaves behind (RUN/results, eval.csv, a ledger), that its command repeats it, and what happens when it
is interrupted or two write at once. The run of tests/conftest.py serves the whole file; gcbc is trained for a second."""
import csv
import json
import os
import pathlib
import shlex
import shutil
import signal
import subprocess
import time

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


@pytest.fixture
def run(small_run, tmp_path):
    """a copy without results; the path has a space, a quote and a comma in it"""
    return pathlib.Path(shutil.copytree(small_run, tmp_path / "it's a run, mine", ignore=shutil.ignore_patterns("results", "eval*")))


def rows(path):
    return list(csv.DictReader(path.open(newline="")))


def result(run, *args):
    told = json.loads(alps("eval", run, "--json", *args).stdout)
    assert told["file"] == str(run / "results" / f"{told['config']}.json")
    return json.loads(pathlib.Path(told["file"]).read_text())


def files(run):
    return sorted(p.name for p in (run / "results").iterdir()) if (run / "results").exists() else []


def test_the_command_of_a_result_repeats_it(run, tmp_path):
    first = result(run, "--episodes", 2, "--tasks", "4,2", "--variant", "dijkstra+cem", "--seed", 7, "--clusters", 16, "--set",
                   "samples_alone=12", "--set", "sigma_alone=0.7", "--planner", "paper", "--set", "horizon=5", "--threads", 2)
    words = shlex.split(first["command"])
    assert words[:3] == ["alps", "eval", str(run)]
    other = shutil.copytree(run, tmp_path / "other", ignore=shutil.ignore_patterns("results", "eval*"))
    assert result(pathlib.Path(other), *words[3:])["config"] == first["config"]
    # the row of the ledger holds the same command; in a shell
    ledger = tmp_path / "ledger.csv"
    subprocess.run(f"{first['command']} --results {shlex.quote(str(ledger))}".replace("alps", shlex.quote(ALPS), 1), shell=True,
                   check=True, capture_output=True)
    row = rows(ledger)[0]
    assert row["command"] == first["command"] and row["config"] == first["config"]
    assert row["set"] == "samples_alone=12 sigma_alone=0.7 horizon=5" and row["clusters"] == "16" and row["planner"] == "paper"
    again = json.loads((run / "results" / f"{first['config']}.json").read_text())
    assert again["finished"] > first["finished"]
    assert again["episodes"] == first["episodes"] and len(again["episodes"]) == 4
    assert [e["task"] for e in again["episodes"]] == [2, 2, 4, 4]
    assert first["configuration"]["tasks"] == [2, 4] and first["configuration"]["planner_settings"]["samples_alone"] == 12
    assert len(files(run)) == 2 and first["deterministic"]


def test_other_settings_leave_other_files(run):
    args = ["--episodes", 1, "--tasks", 3]
    first = result(run, *args, "--set", "samples=8")
    kept = {name: (run / "results" / name).read_bytes() for name in files(run)}
    assert sorted(kept) == [f"{first['config']}.json", f"{first['config']}.npz"]
    for more in (["--set", "samples=9"], ["--set", "samples=8", "--seed", 1], ["--set", "samples=8", "--budget_ms", 50],
                 ["--set", "samples=8", "--clusters", 12], ["--set", "samples=8", "--variant", "cem+prior"]):
        told = result(run, *args, *more)
        assert told["deterministic"] == ("--budget_ms" not in more)
    assert len(files(run)) == 12 and all((run / "results" / n).read_bytes() == b for n, b in kept.items())
    # one row each, which name them
    told = rows(run / "eval.csv")
    assert {f"{r['config']}.json" for r in told} == {n for n in files(run) if n.endswith("json")} and len(told) == 6
    assert told[0]["set"] == "samples=8" and told[3]["budget_ms"] == "50" and told[4]["clusters"] == "12"
    assert [k for k in told[0] if "_success" in k] == [*(f"evaluation/task{t}_success" for t in range(1, 6)), "evaluation/overall_success"]
    timed = json.loads((run / "results" / f"{told[3]['config']}.json").read_text())
    assert "--budget_ms 50" in timed["command"] and "--set samples=8" in timed["command"] and "budget_ms" in timed["note"]


def test_a_result_tells_all(run):
    told = json.loads(alps("eval", run, "--episodes", 2, "--tasks", "3,5", "--json", env={**os.environ, "ALPS_COMMIT": "abc1234"}).stdout)
    stored = json.loads((run / "results" / f"{told['config']}.json").read_text())
    config = json.loads((run / "config.json").read_text())
    assert stored["commit"] == "abc1234" and stored["versions"]["mujoco"] == "4.0.0" and stored["machine"]["cores"] == os.cpu_count()
    assert stored["configuration"]["settings"] == config["settings"]
    assert stored["configuration"]["data"] == {k: config["data"][k] for k in ("name", "crc32")}
    arrays = np.load(run / "results" / f"{told['config']}.npz")
    assert arrays["episodes"][:, 4].tolist() == [e["steps"] for e in stored["episodes"]]
    assert (arrays["episodes"][:, 2] == 0).sum() == stored["totals"]["successes"] == told["successes"]
    assert stored["totals"]["mean_steps"] == told["mean_steps"]
    # the report shows the newest
    result(run, "--episodes", 1, "--tasks", 5)
    alps("plot", run)
    report = (run / "report.html").read_text()
    assert "alps, task 5: " in report and " of 1 arrived" in report and "task 3" not in report


def test_runs_at_once_share_a_ledger(run, tmp_path):
    ledger = tmp_path / "new" / "ledger.csv"
    jobs = [subprocess.Popen([ALPS, "eval", run, "--episodes", "1", "--tasks", "3", "--seed", str(s), "--variant", "dijkstra+prior",
                              "--threads", "1", "--results", ledger], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            for s in range(6)]
    assert [job.wait(120) for job in jobs] == [0] * 6
    for path, column in ((ledger, "eval_seed"), (run / "eval.csv", "seed")):
        assert sorted(int(r[column]) for r in rows(path)) == list(range(6))
    assert len(files(run)) == 12


def test_other_columns_are_refused_before_the_work(run, tmp_path):
    for path, more in ((tmp_path / "old.csv", ["--results", tmp_path / "old.csv"]), (run / "eval.csv", [])):
        path.write_text("data_set,variant\nx,y\n")
        out = alps("eval", run, "--episodes", 100000, *more, code=1)
        assert path.name in out.stderr and "move it away" in out.stderr and out.stderr.count("\n") == 1
        assert path.read_text() == "data_set,variant\nx,y\n" and files(run) == []
        path.unlink()


def without_times(result):
    """a result but for what clocks tell"""
    kept = {key: value for key, value in result.items() if key != "finished"}
    kept["totals"] = {key: value for key, value in result["totals"].items() if key not in ("seconds", "decision_ms")}
    return kept


@pytest.mark.parametrize("more", [[], ["--variant", "dijkstra+cem", "--budget_ms", "1"]])
def test_stopped_and_killed_it_goes_on_to_the_same_result(run, tmp_path, more):
    args = ["--episodes", "60", "--tasks", "1,3", "--threads", "1", *more]
    other = pathlib.Path(shutil.copytree(run, tmp_path / "other"))
    kept = []
    for stop in (signal.SIGTERM, signal.SIGKILL, signal.SIGINT):
        job = subprocess.Popen([ALPS, "eval", run, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        deadline = time.time() + 120
        size = sum(kept)
        while sum(p.stat().st_size for p in run.glob("results/*.episodes/*")) <= size and time.time() < deadline:
            time.sleep(0.005)
        job.send_signal(stop)
        _, err = job.communicate(timeout=60)
        assert job.returncode == (-signal.SIGKILL if stop == signal.SIGKILL else 130), err
        assert stop == signal.SIGKILL or "finished episodes are kept, and the same command goes on" in err
        assert [name for name in files(run) if not name.endswith(".episodes")] == [] and not (run / "eval.csv").exists()
        kept = [p.stat().st_size for p in sorted(run.glob("results/*.episodes/*"))]
    assert len(kept) == 3 and min(kept) > 1000
    # what was cut off in the middle of a record is run again
    last = sorted(run.glob("results/*.episodes/*"))[-1]
    last.write_bytes(last.read_bytes()[:-5])

    job = subprocess.run([ALPS, "eval", run, "--json", *args], capture_output=True, text=True, timeout=600)
    assert job.returncode == 0, job.stderr
    resumed = json.loads(pathlib.Path(json.loads(job.stdout)["file"]).read_text())
    assert files(run) == [f"{resumed['config']}.json", f"{resumed['config']}.npz"] and len(rows(run / "eval.csv")) == 1
    assert [(e["task"], e["index"]) for e in resumed["episodes"]] == [(t, i) for t in (1, 3) for i in range(60)]
    if more:  # with a budget of time no two evaluations are alike
        return
    whole = result(other, *args)
    assert without_times({**resumed, "command": ""}) == without_times({**whole, "command": ""})
    a, b = (np.load(r / "results" / f"{whole['config']}.npz") for r in (run, other))
    for key in ("episodes", "ends", "points"):
        np.testing.assert_array_equal(a[key], b[key])


def test_killed_in_the_middle_of_writing(run):
    """whatever the moment: a result is there with both files and can be drawn, or is not there"""
    first = result(run, "--episodes", 1, "--tasks", 3)
    for wait in np.linspace(0.02, 0.5, 8):
        job = subprocess.Popen([ALPS, "eval", run, "--episodes", "1", "--tasks", "3"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(wait)
        job.kill()
        job.wait()
        stored = json.loads((run / "results" / f"{first['config']}.json").read_text())
        assert stored["episodes"] == first["episodes"]
        assert np.load(run / "results" / f"{first['config']}.npz")["episodes"].shape == (1, 5)
        assert all(len(r) == 22 and None not in r.values() for r in rows(run / "eval.csv"))


def test_a_method_that_does_not_plan(small_run, tmp_path):
    run = tmp_path / "gcbc"
    alps("train", NAME, "--data_dir", small_run.parent, "--out", run, "--method", "gcbc", "--threads", 1, "--set", "actor_steps=50")
    for wrong in (["--variant", "cem"], ["--planner", "paper"], ["--set", "samples=3"], ["--clusters", 8], ["--budget_ms", 3]):
        out = alps("eval", run, "--episodes", 1, *wrong, code=2)
        assert "gcbc, does not plan" in out.stderr, out.stderr
    told = result(run, "--episodes", 1, "--tasks", 3)
    assert shlex.split(told["command"]) == ["alps", "eval", str(run), "--episodes", "1", "--seed", "0", "--tasks", "3"]
    row = rows(run / "eval.csv")[0]
    assert row["method"] == "gcbc" and row["variant"] == row["planner"] == row["clusters"] == ""
