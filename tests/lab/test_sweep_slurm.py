"""alps sweep --on slurm on a real Slurm: tasks, nodes and steps that are killed, time limits, cancelling; every result arrives exactly
once, and is the same as without a cluster."""
import json
import os
import pathlib
import signal
import subprocess
import time

import pytest
from slurm_cluster import slurm  # noqa: F401

ROOT = pathlib.Path(__file__).resolve().parents[2]
ALPS = os.environ.get("ALPS_PROGRAM", str(pathlib.Path(os.environ.get("ALPS_BUILD", ROOT / "build/release")) / "apps/alps"))
NAME = "pointmaze-medium-navigate-v0"
STEPS = "1500"
ENGINE = """
[engine]
heartbeat = 0.5
stale = 10
grace = 5
memory_mb = 1000
"""
# two parts of a data set and their join, three runs, six evaluations: twelve tasks
TWELVE = ENGINE + f"""
[[runs]]
data = "{NAME}"
data_episodes = 24
data_parts = 2
seeds = 3
steps = @steps@
set = {{ eigenvectors = 4, encoder_width = 16, model_width = 16, prior_width = 16, clusters = 8, model_batch = 64, prior_batch = 64, representation_batch = 64 }}
[[runs.eval]]
variant = ["alps", "dijkstra+prior"]
episodes = 1
tasks = [1]
set = {{ samples = 8 }}
"""


class Lab:
    """a sweep in a folder, on a cluster"""

    def __init__(self, folder, cluster, text):
        self.folder, self.cluster, self.file = folder / "lab", cluster, folder / "sweep.toml"
        self.file.write_text(text)

    def alps(self, *args):
        done = subprocess.run([ALPS, "sweep", str(self.file), "--out", str(self.folder), *args], capture_output=True, text=True,
                              timeout=300, env=self.cluster.environment)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def submit(self):
        return self.alps("--on", "slurm")

    def endings(self, kind):
        """how each attempt of the tasks of a kind ended"""
        return [json.loads(p.read_text())["ending"] for p in sorted(self.folder.glob(f"tasks/{kind}-*/*.end.json"))]

    def states(self):
        return {key: state for line in self.alps("--status").splitlines() if (words := line.split())[:1] and words[0] in
                ("running", "failed", "stopped") for state, key in [(words[0], words[1].rstrip(":"))]}

    def results(self):
        return {p.stem: json.loads(p.read_text()) for p in self.folder.glob("ledger/*.json")}

    def programs(self, verb):
        """processes that do the work of a kind of task here"""
        found = subprocess.run(["pgrep", "-f", f"^{ALPS} {verb} .*{self.folder}"], capture_output=True, text=True).stdout
        return [int(pid) for pid in found.split()]

    def wait(self, condition, what, seconds=150):
        end = time.time() + seconds
        while not condition():
            assert time.time() < end, f"waited for {what}\n{self.cluster.picture()}\n{self.alps('--status')}"
            time.sleep(0.1)

    def wait_until_idle(self, seconds=240):
        self.wait(lambda: not self.cluster.run("squeue", "-h", "-r"), "the queue to be empty", seconds)

    def node_of(self, pid):
        """the node that a process of a job belongs to"""
        with open(f"/proc/{pid}/environ", "rb") as file:
            return next(e.split(b"=")[1].decode() for e in file.read().split(b"\0") if e.startswith(b"SLURMD_NODENAME="))


def figures(lab):
    """all that a result says but times and places"""
    return sorted((name, json.dumps(r["episodes"]), r["model_crc32"]) for name, r in lab.results().items())


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory, slurm):
    """the twelve tasks on this machine, without a cluster"""
    lab = Lab(tmp_path_factory.mktemp("local"), slurm, TWELVE.replace("@steps@", STEPS))
    lab.alps()
    assert len(lab.results()) == 6
    return lab


def test_twelve_tasks_arrive_exactly_once_whatever_is_killed(tmp_path, slurm, undisturbed):
    lab = Lab(tmp_path, slurm, TWELVE.replace("@steps@", STEPS))
    assert "12 tasks in 6 arrays" in lab.submit()
    # a second call finds all of them in the queue
    assert "0 tasks in 0 arrays sent to Slurm" in lab.submit()

    # kill -9 of a task's program: the task is begun again
    lab.wait(lambda: lab.programs("train"), "a training to run")
    victim = lab.programs("train")[0]
    os.kill(victim, signal.SIGKILL)
    # kill -9 of the daemon of a node that trains: the job starts on the other node while its first process is still there
    lab.wait(lambda: [p for p in lab.programs("train") if p != victim], "another training to run")
    node = lab.node_of(lab.programs("train")[-1])
    slurm.kill_node_daemon(node)
    lab.wait(lambda: slurm.node_states().get(node, "").startswith("down"), f"{node} to be down")
    slurm.start_node(node)

    lab.wait_until_idle()
    # Slurm may end an innocent job when a daemon comes back: the same command heals it
    for _ in range(3):
        if len(lab.results()) == 6:
            break
        lab.submit()
        lab.wait_until_idle()
    assert "stopped" in lab.endings("train"), "the killed one was not a failure"
    assert "failed" not in lab.endings("train") + lab.endings("eval") + lab.endings("data")
    assert figures(lab) == figures(undisturbed)
    for folder in lab.folder.glob("tasks/*"):
        done = [p for p in folder.glob("*.end.json") if json.loads(p.read_text())["ending"] == "done"]
        assert len(done) == 1, f"{folder.name} was done {len(done)} times"
    assert not list(lab.folder.rglob("*.part"))
    assert "12 were done" in lab.submit()


def test_a_warning_before_the_time_limit_saves_and_requeues(tmp_path, slurm, undisturbed):
    """a limit of one minute, of which Slurm warns at once: trainings are stopped and go on until they are done"""
    lab = Lab(tmp_path, slurm, TWELVE.replace("@steps@", STEPS).replace("[engine]", '[engine]\ntime = "1"').replace("grace = 5", "grace = 1"))
    lab.submit()
    lab.wait(lambda: lab.programs("train"), "a training to run")
    # what the limit does, without waiting for half a minute: SIGTERM to the steps
    time.sleep(1)
    for job, state in slurm.jobs().items():
        if state == "RUNNING":
            slurm.run("scancel", "--signal=TERM", job)
    lab.wait(lambda: "stopped" in lab.endings("train"), "a training to be stopped")
    lab.wait_until_idle()
    for _ in range(3):
        if len(lab.results()) == 6:
            break
        lab.submit()
        lab.wait_until_idle()
    assert "failed" not in lab.endings("train") + lab.endings("eval")
    assert figures(lab) == figures(undisturbed)


def test_cancelled_tasks_stay_away_until_they_are_sent_again(tmp_path, slurm):
    lab = Lab(tmp_path, slurm, TWELVE.replace("@steps@", "200000"))
    lab.submit()
    lab.wait(lambda: lab.programs("train"), "a training to run")
    assert "jobs cancelled" in lab.alps("--cancel")
    lab.wait_until_idle(60)
    lab.wait(lambda: not lab.programs("train"), "the trainings to end", 30)
    time.sleep(8)  # longer than a requeued job waits here
    assert not slurm.run("squeue", "-h", "-r"), "a cancelled job came back"
    assert "failed" not in lab.states().values()
    assert not lab.results()
    assert "9 tasks in" in lab.submit()
    lab.alps("--cancel")
    lab.wait_until_idle(60)


def test_a_failure_is_told_apart_and_leaves_nothing_in_the_queue(tmp_path, slurm):
    lab = Lab(tmp_path, slurm, TWELVE.replace("@steps@", "20"))
    folder = next(word for line in lab.alps("--dry").splitlines() for word in line.split() if "/runs/" in word and "-s1-" in word)
    os.makedirs(os.path.dirname(folder))
    with open(folder, "w"):
        pass
    lab.submit()
    lab.wait_until_idle()
    assert len(lab.results()) == 4
    failed = [key for key, state in lab.states().items() if state == "failed"]
    assert len(failed) == 1 and failed[0].startswith("train-") and "-s1-" in failed[0]
    os.remove(folder)
    assert "3 tasks in 2 arrays" in lab.submit()
    lab.wait_until_idle()
    assert len(lab.results()) == 6 and not lab.states()


def test_without_slurm_it_says_so(tmp_path, slurm):
    lab = Lab(tmp_path, slurm, TWELVE.replace("@steps@", "20"))
    done = subprocess.run([ALPS, "sweep", str(lab.file), "--out", str(lab.folder), "--on", "slurm"], capture_output=True, text=True,
                          env={**os.environ, "PATH": "/nowhere"})
    assert done.returncode == 1 and "there is no squeue here" in done.stderr
