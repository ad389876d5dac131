"""Storage that fails: a full disk, a broken one, folders that cannot be written to or that vanish, files that are cut short or have a wrong
bit. What is asked for: one or two plain lines and exit code 1, no half-written file, and what was there before as it was; and once the disk
is well again, the same command goes on to the bytes of work that nothing disturbed."""
import os
import random
import shutil
import signal
import subprocess
import time

import numpy as np
from soak import ALPS, ROOT, Campaign
import kills

KINDS = ("ENOSPC", "EDQUOT", "EIO", "SHORT", "READ")
WORKS = ("data make pointmaze", "data make maze2d", "train --method alps", "train --method hiql", "eval", "expert train ant", "sweep")


def run_program(words, env=None, cwd=None, timeout=600, **more):
    start = time.time()
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, errors="replace", env=env, cwd=cwd, timeout=timeout, **more)
    done.seconds = time.time() - start
    return done


def told(done):
    """whether the words are those of an error for users: a line that says what is wrong, and no more than a few"""
    lines = [line for line in done.stderr.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("alps: error: ") and len(line) > 25]
    return bool(errors) and len(lines) < 60 and "terminate called" not in done.stderr and "std::" not in done.stderr and "basic_" not in done.stderr


def check_failed(campaign, what, done):
    """a failure that was told; a success counts too, where the fault met nothing that matters"""
    if done.returncode == 0:
        return campaign.count(what, "went well")
    if campaign.expect(done.returncode == 1, f"{what}: exit code {done.returncode}: {done.stderr[-500:]}"):
        campaign.expect(told(done), f"{what}: these are no words for a user: {done.stderr[-500:]}")
    campaign.count(what, "told")


def preload(folder):
    library = folder / "faults.so"
    if not library.exists():
        subprocess.run(["gcc", "-O1", "-shared", "-fPIC", "-o", library, ROOT / "tests/soak/faults.c", "-ldl"], check=True)
    return library


def faults(campaign, works, count, rng):
    """calls about files fail, from a random one on"""
    library = preload(campaign.folder)
    for work in works:
        label = "".join(c if c.isalnum() else "_" for c in work.name)
        whole = campaign.folder / f"{label}.whole"
        whole.mkdir()
        work.prepare(whole)
        totals = {}
        for reading in (False, True):
            folder = campaign.folder / f"{label}.{reading}"
            folder.mkdir()
            work.prepare(folder)
            env = dict(os.environ, LD_PRELOAD=str(library), FAULT_FOLDER=str(folder), FAULT_TOLD=str(campaign.folder / "told"), FAULT_KIND="READ" if reading else "ENOSPC")
            done = run_program([ALPS, *work.command(folder), *work.resume(folder)], env=env)
            campaign.expect(done.returncode == 0, f"{work.name}: ended with {done.returncode}: {done.stderr}")
            totals[reading] = int((campaign.folder / "told").read_text())
            if not reading:
                shutil.rmtree(whole)
                folder.rename(whole)
        expected = {n: d for n, d in kills.comparable(whole).items() if not kills.is_task_trace(n)}
        for trial in range(count):
            kind = KINDS[trial % len(KINDS)]
            total = totals[kind == "READ"]
            if total == 0:
                continue
            folder = campaign.folder / f"{label}.{trial}"
            folder.mkdir()
            work.prepare(folder)
            after = rng.randrange(total)
            env = dict(os.environ, LD_PRELOAD=str(library), FAULT_FOLDER=str(folder), FAULT_KIND=kind, FAULT_AFTER=str(after))
            done = run_program([ALPS, *work.command(folder), *work.resume(folder)], env=env)
            campaign.count(f"{work.name}", kind)
            what = f"{work.name}, {kind} after {after} calls of {total}"
            if done.returncode != 0:
                if campaign.expect(done.returncode == 1, f"{what}: exit code {done.returncode}: {done.stderr[-500:]}"):
                    campaign.expect(told(done), f"{what}: these are no words for a user: {done.stderr[-500:]}")
            left = [name for name in kills.tree(folder) if name.endswith(".part")]
            campaign.expect(not left, f"{what}: left behind {left}")
            # the disk is well again
            process = work.start(folder)
            if kills.finish(campaign, work, folder, process):
                kills.check(campaign, work, folder, expected, [what])
            shutil.rmtree(folder)
        campaign.say(f"{work.name}: {count} failing disks")


def folders(campaign, works, count, rng):
    """a folder that vanishes while work goes on; one that may not be written to; and a real disk of 200 kB"""
    for work in works:
        for trial in range(max(1, count // 10)):
            folder = campaign.folder / "vanishes"
            folder.mkdir()
            work.prepare(folder)
            process = work.start(folder)
            time.sleep(rng.uniform(0, 2))
            moved = folder.rename(campaign.folder / "vanished")
            shutil.rmtree(moved, ignore_errors=True)
            out, err = process.communicate(timeout=600)
            process.stderr = err
            done = subprocess.CompletedProcess([], process.returncode, "", err)
            check_failed(campaign, f"{work.name}, folder removed", done)
            shutil.rmtree(folder, ignore_errors=True)
            shutil.rmtree(moved, ignore_errors=True)
        folder = campaign.folder / "readonly"
        folder.mkdir()
        work.prepare(folder)
        if os.getuid() == 0:  # rights do not bind root
            user = {"user": 65534, "group": 65534, "extra_groups": [], "env": dict(os.environ, HOME="/nonexistent")}
            for parent in (campaign.folder, campaign.folder / "kills"):
                parent.chmod(0o755)
        else:
            user = {}
        folder.chmod(0o555)
        before = kills.tree(folder)
        words = [ALPS, *work.command(folder), *work.resume(folder)]
        done = run_program(words, cwd="/", **user)
        campaign.expect(done.returncode == 1, f"{work.name}: exit code {done.returncode} in a folder that is not to be written to: {done.stderr[-300:]}")
        check_failed(campaign, f"{work.name}, read-only folder", done)
        campaign.expect(kills.tree(folder) == before, f"{work.name}: a read-only folder has changed")
        folder.chmod(0o755)
        shutil.rmtree(folder)


def small_disk(campaign, works):
    """a tmpfs of 200 kB, where this machine lets us mount one"""
    can = run_program(["unshare", "-m", "true"]).returncode == 0
    for work in works:
        if not can:
            campaign.say("a small tmpfs: this machine lets nobody mount one (unshare -m is forbidden); left out")
            return
        folder = campaign.folder / "disk"
        folder.mkdir(exist_ok=True)
        script = 'mount -t tmpfs -o size=200k tmpfs "$0" && "$@"; code=$?; ls -R "$0" >&2; exit $code'
        if work.name.startswith("eval"):
            continue  # its run alone is larger
        done = run_program(["unshare", "-m", "bash", "-c", script, folder, ALPS, *work.command(folder)])
        campaign.expect(".part" not in done.stderr, f"{work.name}, small tmpfs: left behind: {done.stderr}")
        check_failed(campaign, f"{work.name}, small tmpfs", done)


def damaged(path, rng):
    """a file with something wrong: cut short, a bit, a page of zeros, bytes of noise, more bytes than there were, empty"""
    data = bytearray(path.read_bytes())
    kind = rng.choice(("cut", "cut", "bit", "bit", "bit", "page", "noise", "longer", "empty"))
    at = rng.randrange(max(1, len(data)))
    if rng.random() < 0.4:
        at = min(at, rng.randrange(200))  # heads decide
    if kind == "cut":
        data = data[:at]
    elif kind == "bit" and data:
        data[at] ^= 1 << rng.randrange(8)
    elif kind == "page":
        data[at:at + 4096] = bytes(len(data[at:at + 4096]))
    elif kind == "noise":
        data[at:at + 16] = rng.randbytes(len(data[at:at + 16]))
    elif kind == "longer":
        data += rng.randbytes(rng.randrange(1, 5000))
    else:
        data = bytearray()
    path.write_bytes(data)
    return f"{kind} at {at}"


def formats(home, only):
    """name, file in a folder of everything we write, and a command that reads it"""
    wants = lambda *names: not only or any(word in name for word in only for name in names)
    base = home / "base"
    if not base.exists():
        base.mkdir()
        shutil.copytree(kills.small_run(home), base / "run")
        name = "pointmaze-medium-navigate-v0"
        for file in (f"{name}.npz", f"{name}-val.npz"):
            shutil.copy(home / file, base / file)
        if wants("checkpoint.safetensors", "train.csv"):  # a training that was stopped
            steps = [w for key in ("representation_steps", "model_steps", "prior_steps") for w in ("--set", f"{key}=40")]
            process = subprocess.Popen([ALPS, "train", name, "--data_dir", base, "--out", base / "begun", "--threads", "1", *steps, "--set", "checkpoint_seconds=0.01",
                                        "--set", "model_steps=4000000"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            while not (base / "begun/checkpoint.safetensors").exists():
                time.sleep(0.01)
            time.sleep(0.3)
            process.send_signal(signal.SIGTERM)
            process.wait()
        if wants("results, JSON", "results, .npz", "eval.csv", "ledger, JSON", "ledger, CSV"):
            done = run_program([ALPS, "eval", base / "run", "--episodes", 2, "--tasks", 3, "--variant", "prior", "--ledger", base / "ledger", "--results", base / "all.csv"])
            assert done.returncode == 0, done.stderr
        if wants("expert", "expert's checkpoint"):
            done = run_program([ALPS, "expert", "train", "ant", "--out", base / "ant.safetensors", "--steps", 100, "--threads", 1])
            assert done.returncode == 0, done.stderr
            process = subprocess.Popen([ALPS, "expert", "train", "ant", "--out", base / "half.safetensors", "--steps", "100000", "--checkpoint_every", "500", "--threads", "1"],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            while not (base / "half.safetensors.checkpoint").exists():
                time.sleep(0.01)
            process.kill()
            process.wait()
        np.save(base / "seen.npy", np.full((40, 2), 4, np.float32))
    name = "pointmaze-medium-navigate-v0"
    evaluate = lambda f: ["eval", f / "run", "--episodes", 1, "--tasks", 3, "--variant", "prior"]
    train = lambda f: ["train", name, "--data_dir", f, "--out", f / "new", "--threads", 1, "--set", "representation_steps=5", "--set", "model_steps=5", "--set", "prior_steps=5"]
    resume = lambda f: ["train", name, "--data_dir", f, "--out", f / "begun", "--resume", "--minutes", 0.01]
    return base, [
        ("data .npz", f"{name}.npz", lambda f: ["data", "info", f / f"{name}.npz"]),
        ("data .npz, training", f"{name}.npz", train),
        ("observations .npy", "seen.npy", lambda f: ["embed", f / "run", "--in", f / "seen.npy", "--out", f / "psi.npy"]),
        ("model.safetensors", "run/model.safetensors", evaluate),
        ("config.json", "run/config.json", evaluate),
        ("graph.npz", "run/graph.npz", lambda f: ["eval", f / "run", "--episodes", 1, "--tasks", 3, "--variant", "dijkstra+prior"]),
        ("checkpoint.safetensors", "begun/checkpoint.safetensors", resume),
        ("train.csv", "begun/train.csv", resume),
        ("results, JSON", "run/results/*.json", lambda f: ["plot", f / "run"]),
        ("results, .npz", "run/results/*.npz", lambda f: ["plot", f / "run"]),
        ("eval.csv", "run/eval.csv", evaluate),
        ("ledger, JSON", "ledger/*.json", lambda f: ["table", f / "ledger"]),
        ("ledger, CSV", "all.csv", lambda f: ["table", f / "all.csv"]),
        ("expert", "ant.safetensors", lambda f: ["data", "make", "antmaze-medium-stitch-v0", "--episodes", 1, "--data_dir", f / "made", "--expert", f / "ant.safetensors"]),
        ("expert's checkpoint", "half.safetensors.checkpoint", lambda f: ["expert", "train", "ant", "--out", f / "half.safetensors", "--resume", "--steps", 1, "--threads", 1]),
    ]


def damages(campaign, home, count, rng, only):
    base, rows = formats(home, only)
    for name, pattern, command in rows:
        if only and not any(word in name for word in only):
            continue
        for _ in range(count):
            folder = home / "damaged"
            shutil.copytree(base, folder)
            path = next(folder.glob(pattern))
            how = damaged(path, rng)
            before = {n: d for n, d in kills.tree(folder).items()}
            try:
                done = run_program([ALPS, *command(folder)], timeout=300)
            except subprocess.TimeoutExpired:
                campaign.fail(f"{name}, {how}: no end after 300 s")
                continue
            campaign.count(f"damaged {name}", "damages")
            what = f"damaged {name}"
            if done.returncode != 0:
                campaign.count(what, "told")
                if campaign.expect(done.returncode in (1, 2), f"{what}, {how}: exit code {done.returncode}: {done.stderr[-500:]}"):
                    campaign.expect(told(done), f"{what}, {how}: these are no words for a user: {done.stderr[-500:]}")
                # what the words are about stays as it is, for somebody to look at
                after = kills.tree(folder)
                gone = [n for n in before if n not in after and not n.endswith(".part")]
                campaign.expect(not gone, f"{what}, {how}: {gone} vanished")
            else:
                campaign.count(what, "went well")
            shutil.rmtree(folder)
        campaign.say(f"{name}: {count} damages")


def run(campaign: Campaign, count, seed=0, only=None):
    rng = random.Random(seed)
    home = campaign.folder / "kills"
    home.mkdir(parents=True, exist_ok=True)
    works = [work for work in kills.chosen(home, only) if work.name.startswith(WORKS)]
    faults(campaign, works, count, rng)
    folders(campaign, works, count, rng)
    small_disk(campaign, works)
    damages(campaign, home, count, rng, only)
