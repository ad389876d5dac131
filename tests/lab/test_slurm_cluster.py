"""How Slurm itself behaves where sweeps rely on it: signals, requeueing, cancelling, nodes that die. No part of alps runs here; a later
Slurm that behaves otherwise is found out by these tests first."""
import os
import signal
import subprocess
import sys
import time

import pytest
import slurm_cluster
from slurm_cluster import NODES, SlurmCluster, name_of, processes_of, slurm  # noqa: F401

# As a sweep's: no trap, so that scancel ends the shell before it can requeue what somebody cancelled; srun in the foreground, whose
# status is the task's. A task that says 130 was asked to end, and goes on later.
SCRIPT = """#!/bin/bash
srun bash @task@ "$@"
status=$?
echo "srun gave $status"
me=${SLURM_ARRAY_JOB_ID}_${SLURM_ARRAY_TASK_ID}   # never SLURM_JOB_ID: the last element's is the id of the whole array
if [ $status = 130 ] && [ "$(squeue -h -j $me -o %T)" = RUNNING ]; then scontrol requeue $me && sleep 60; fi
exit $status
"""
# runs until it is told to end; the second time it has nothing left to do
TASK = """
echo "start ${SLURM_RESTART_COUNT:-0} on $SLURMD_NODENAME by $$"
trap 'echo term; exit 130' TERM
if [ -z "$SLURM_RESTART_COUNT" ] || [ "$1" = long ]; then for i in $(seq 600); do sleep 0.1; done; fi
echo end
"""


@pytest.fixture(scope="module")
def array(slurm):
    """submits an array of jobs that run TASK by SCRIPT; returns its id and a function that reads an element's log"""
    (slurm.folder / "task.sh").write_text(TASK)
    (slurm.folder / "job.sh").write_text(SCRIPT.replace("@task@", str(slurm.folder / "task.sh")))

    def submit(*options, words=()):
        job = slurm.submit("--requeue", "--open-mode=append", f"--output={slurm.folder}/%A_%a.txt", *options, slurm.folder / "job.sh", *words)

        def log(index):
            path = slurm.folder / f"{job}_{index}.txt"
            return path.read_text() if path.exists() else ""

        return job, log

    return submit


def until(condition, what, seconds=60):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"waited {seconds} s for {what}"
        time.sleep(0.1)


def test_six_jobs_over_two_nodes_and_one_after_them(slurm):
    """six steps that wait for each other need both nodes, of three processors each; the job after them sees all six"""
    met = slurm.folder / "met"
    met.mkdir()
    step = f"srun bash -c 'echo $SLURMD_NODENAME >{met}/$SLURM_ARRAY_TASK_ID; until [ $(ls {met} | wc -l) = 6 ]; do sleep 0.1; done'"
    first = slurm.submit("--array=0-5", f"--wrap={step}")
    second = slurm.submit(f"--dependency=afterok:{first}", f"--wrap=ls {met} | wc -l >{slurm.folder}/seen")
    slurm.wait_ended(first, second)
    assert {(met / str(i)).read_text().strip() for i in range(6)} == set(NODES)
    assert (slurm.folder / "seen").read_text() == "6\n"
    assert slurm.job(f"{first}_3")["JobState"] == "COMPLETED" and slurm.job(f"{first}_3")["ExitCode"] == "0:0"


def test_a_warning_before_the_limit_requeues_and_a_cancelled_job_stays_so(slurm, array):
    # Slurm counts limits in minutes and looks at them every thirty seconds: the warning comes at its next look
    warned, warned_log = array("--array=0-1", "--time=1", "--signal=TERM@60")
    cancelled, cancelled_log = array("--array=7", "--time=9")
    killed, killed_log = array("--array=5", "--time=9")
    until(lambda: all("start 0" in log for log in (cancelled_log(7), killed_log(5))), "tasks to start")

    # scancel ends task and script; nothing comes back
    slurm.run("scancel", f"{cancelled}_7")
    slurm.wait_ended(cancelled)
    assert slurm.job(f"{cancelled}_7")["JobState"] == "CANCELLED"
    assert "term" in cancelled_log(7) and "srun gave" not in cancelled_log(7)

    # a task that somebody killed is a failure with a status of its own
    os.kill(int(killed_log(5).split(" by ")[1].split()[0]), signal.SIGKILL)
    slurm.wait_ended(killed)
    assert slurm.job(f"{killed}_5")["JobState"] == "FAILED" and slurm.job(f"{killed}_5")["ExitCode"] == "137:0"
    assert "srun gave 137" in killed_log(5)

    # the warning reaches the tasks only: the script goes on, requeues its own element, and the second start finishes
    slurm.wait_ended(warned)
    for index in (0, 1):
        lines = [line for line in warned_log(index).split("\n") if line.startswith(("start", "term", "end", "srun gave"))]
        assert [line.split(" on ")[0] for line in lines] == ["start 0", "term", "srun gave 130", "start 1", "end", "srun gave 0"], warned_log(index)
        assert slurm.job(f"{warned}_{index}")["JobState"] == "COMPLETED" and slurm.job(f"{warned}_{index}")["Restarts"] == "1"
    assert slurm.jobs()[f"{cancelled}_7"] == "CANCELLED"


def test_a_node_whose_daemon_dies_leaves_an_orphan_and_the_job_starts_elsewhere(slurm, array):
    job, log = array("--array=0-1", words=["long"])
    until(lambda: all("start 0" in log(i) for i in (0, 1)), "tasks to start")
    node = log(0).split("start 0 on ")[1].split()[0]
    mine = [i for i in (0, 1) if f"start 0 on {node} " in log(i)]
    orphans = {int(log(i).split(" by ")[1].split()[0]) for i in mine}
    slurm.kill_node_daemon(node)
    slurm.wait_nodes({node: "down*"})
    until(lambda: all("start 1 on " in log(i) for i in mine), "jobs to start on the other node")

    # the old task lives beside the new one, and srun has told its script that all was well
    assert orphans <= slurm.job_processes(node)
    for i in mine:
        assert f"start 1 on {node}" not in log(i) and "srun gave 0" in log(i) and slurm.job(f"{job}_{i}")["Restarts"] == "1"
    slurm.start_node(node)
    until(lambda: not orphans & slurm.job_processes(node), "the daemon to end orphans")
    slurm.run("scancel", job)
    slurm.wait_ended(job)
    slurm.wait_nodes({node: "idle"})


def test_a_node_that_crashes_gives_its_jobs_back(slurm, array):
    job, log = array("--array=0", words=["long"])
    until(lambda: "start 0" in log(0), "the task to start")
    node = log(0).split("start 0 on ")[1].split()[0]
    slurm.crash_node(node)
    assert not slurm.job_processes(node)
    until(lambda: "start 1 on " in log(0), "the job to start on the other node")
    slurm.start_node(node)
    slurm.run("scancel", job)
    slurm.wait_ended(job)
    slurm.wait_nodes({each: "idle" for each in NODES})


def test_nothing_is_left_however_the_tests_end():
    """a process with a cluster, a job of it running, is killed: within seconds nothing of it lives"""
    program = "import slurm_cluster, time; c = slurm_cluster.SlurmCluster().__enter__(); c.submit('--wrap=srun sleep 300'); print(c.folder, flush=True); time.sleep(300)"
    with subprocess.Popen([sys.executable, "-c", program], cwd=os.path.dirname(slurm_cluster.__file__), stdout=subprocess.PIPE, text=True) as owner:
        folder = owner.stdout.readline().strip()
        until(lambda: "sleep" in [name_of(pid) for pid in processes_of(folder)], "the job to run")
        owner.kill()
    until(lambda: not processes_of(folder) and not os.path.exists(folder), "the cluster to end", 20)


def test_where_slurm_cannot_run_a_sentence_says_why(monkeypatch):
    monkeypatch.setattr(slurm_cluster, "find", lambda program: None if program == "slurmd" else program)
    with pytest.raises(RuntimeError, match="there is no slurmd; as root, run: apt-get install slurm-wlm munge"):
        SlurmCluster().__enter__()
    monkeypatch.setattr(slurm_cluster, "find", lambda program: program)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(RuntimeError, match="needs root"):
        SlurmCluster().__enter__()
