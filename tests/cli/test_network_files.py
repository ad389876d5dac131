"""Folders on a file system that cannot lock, as many network file systems cannot: everything works, without locks. A library put before
the C library's makes flock() fail as it does there."""
import os
import pathlib
import shutil
import signal
import subprocess
import time

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("ALPS_BUILD", ROOT / "build/release"))
ALPS = os.environ.get("ALPS_PROGRAM", str(BUILD / "apps/alps"))
NAME = "pointmaze-medium-navigate-v0"


@pytest.fixture(scope="module")
def without_locks(tmp_path_factory):
    """environments, by the error that flock() gives"""
    folder = tmp_path_factory.mktemp("preload")
    (folder / "flock.c").write_text("""#include <errno.h>
#include <stdlib.h>
int flock(int descriptor, int operation) { (void)descriptor; (void)operation; errno = atoi(getenv("FLOCK_ERROR")); return -1; }
""")
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", folder / "flock.so", folder / "flock.c"], check=True)
    return lambda error: {**os.environ, "LD_PRELOAD": str(folder / "flock.so"), "FLOCK_ERROR": str(int(error))}


def alps(*args, env):
    return subprocess.run([ALPS, *map(str, args)], env=env, capture_output=True, text=True, timeout=300)


ENOLCK, EWOULDBLOCK, EBADF, EOPNOTSUPP, EIO = 37, 11, 9, 95, 5


def test_work_goes_on_without_locks(without_locks, small_run, tmp_path):
    run = pathlib.Path(shutil.copytree(small_run, tmp_path / "run", ignore=shutil.ignore_patterns("results", "eval*")))
    for error in (ENOLCK, EOPNOTSUPP, EBADF):
        env = without_locks(error)
        data = tmp_path / str(error)
        made = alps("data", "make", "pointmaze-medium-stitch-v0", "--episodes", 3, "--data_dir", data, env=env)
        assert made.returncode == 0, made.stderr
        done = alps("eval", run, "--episodes", 1, "--tasks", 3, "--variant", "prior", "--seed", error, "--results", tmp_path / "ledger.csv", env=env)
        assert done.returncode == 0, done.stderr
    assert len((tmp_path / "ledger.csv").read_text().splitlines()) == 4
    trained = alps("train", NAME, "--data_dir", small_run.parent, "--out", run, "--resume", env=without_locks(ENOLCK))
    assert trained.returncode == 0, trained.stderr


def test_somebody_elses_lock_and_a_broken_disk_are_told(without_locks, tmp_path):
    args = ["data", "make", "pointmaze-medium-stitch-v0", "--episodes", 3, "--data_dir", tmp_path]
    held = alps(*args, env=without_locks(EWOULDBLOCK))
    assert held.returncode == 1 and "another process is writing to this folder" in held.stderr
    broken = alps(*args, env=without_locks(EIO))
    assert broken.returncode == 1 and "cannot be locked" in broken.stderr and "Input/output error" in broken.stderr


def test_part_files_carry_the_name_of_the_machine(tmp_path):
    """two machines may have processes of the same number"""
    job = subprocess.Popen([ALPS, "data", "make", "maze2d-rooms-random-v0", "--data_dir", tmp_path], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.time() + 30
    while not (parts := [p.name for p in tmp_path.glob("*.part")]) and time.time() < deadline:
        time.sleep(0.005)
    job.send_signal(signal.SIGKILL)
    job.wait()
    host = os.uname().nodename.split(".")[0]
    assert parts and all(f".npz.{host}.{job.pid}." in name for name in parts)


def test_sigterm_in_training_saves_and_goes_on_to_the_same_weights(small_run, tmp_path):
    """at several moments: while data are loaded, in a part, and where the map is cut into regions; the scheduler asks twice"""
    steps = {"representation_steps": 60, "model_steps": 60, "prior_steps": 60, "prior_batch": 64, "representation_batch": 64, "model_batch": 16}
    sets = [word for key, value in steps.items() for word in ("--set", f"{key}={value}")]
    args = [ALPS, "train", NAME, "--data_dir", small_run.parent, "--threads", "1", *sets, "--out"]
    start = time.time()
    subprocess.run([*args, tmp_path / "whole"], check=True, capture_output=True, timeout=300)
    whole = time.time() - start
    stops = 0
    for share in (0.02, 0.2, 0.4, 0.6, 0.8, 0.9, 0.97, 1):
        job = subprocess.Popen([*args, tmp_path / "run", "--resume"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if share < 1:
            time.sleep(max(0.05, share * whole))
            job.send_signal(signal.SIGTERM)
            time.sleep(0.05)
            job.send_signal(signal.SIGTERM)
        _, err = job.communicate(timeout=300)
        assert job.returncode in (0, 130, -signal.SIGTERM), err  # the last before main()
        stops += job.returncode == 130
        if job.returncode == 130:
            assert "interrupted" in err
    assert job.returncode == 0 and stops >= 2
    for name in ("model.safetensors", "graph.npz"):
        assert (tmp_path / "run" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
