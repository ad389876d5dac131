"""Kills: long work is stopped at random moments, again and again, and goes on; at its end its files must have the bytes of work that
nobody stopped, and nothing else may be left. SIGKILL mostly; also SIGTERM, a pause (SIGSTOP, SIGCONT), and a second process on the same
folder. Each kind of work is tiny: what is tried is where it can be stopped, and that is the same for large work."""
import csv
import json
import pathlib
import random
import shutil
import signal
import subprocess
import time

import numpy as np
from safetensors.numpy import load_file

from soak import ALPS, ROOT, Campaign

TIMES = ("time/", "seconds", "decision_ms", "finished", "command")


def tree(folder, but=()):
    """every file below a folder: name -> bytes"""
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file() and p.name not in but}


def without_times(value):
    """JSON but for what clocks tell"""
    if isinstance(value, dict):
        return {k: without_times(v) for k, v in value.items() if not k.startswith(TIMES)}
    return [without_times(v) for v in value] if isinstance(value, list) else value


def table(text):
    """a CSV file but for its columns of times"""
    rows = list(csv.reader(text.splitlines()))
    kept = [k for k, name in enumerate(rows[0]) if not any(t in name for t in ("time", "seconds", "_ms", "command", "finished", "simulating"))]
    return [[row[k] for k in kept] for row in rows]


def comparable(folder):
    """what two folders of the same work have in common, to the byte where no clock is involved"""
    found = {}
    for name, data in tree(folder).items():
        if name.endswith(".csv"):
            found[name] = table(data.decode())
        elif name.endswith(".json"):
            text = data.decode().replace(str(folder), "FOLDER")
            found[name] = without_times(json.loads(text))
        elif name.endswith(".npz") and "results" in name:
            arrays = np.load(folder / name)
            found[name] = {k: arrays[k].tobytes() for k in arrays if k != "decision_ms"}
        elif name.endswith(".checkpoint"):  # of a teacher that has ended: with the seconds that it took
            tensors = load_file(folder / name)
            found[name] = {k: (v[:1] if k == "counts" else v).tobytes() for k, v in tensors.items()}
        elif name.endswith(("log", ".svg")):
            found[name] = None
        else:
            found[name] = data
    return found


class Work:
    """a command that can be stopped and begun again: `command(folder)`, what it needs first, and how it is asked to go on"""

    def __init__(self, name, command, prepare=lambda folder: None, resume=lambda folder: []):
        self.name, self.command, self.prepare, self.resume = name, command, prepare, resume

    def start(self, folder):
        return subprocess.Popen([str(word) for word in [ALPS, *self.command(folder), *self.resume(folder)]], cwd=folder.parent,
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def write_walks(path, seed=0):
    """points that move by their actions"""
    rng = np.random.default_rng(seed)
    episodes, length = 20, 60
    actions = rng.uniform(-1, 1, (episodes, length, 2)).astype(np.float32)
    states = (rng.uniform(0, 20, (episodes, 1, 2)) + 0.3 * np.cumsum(actions, 1)).astype(np.float32)
    np.savez(path, observations=states.reshape(-1, 2), actions=actions.reshape(-1, 2), terminals=np.tile(np.arange(length) == length - 1, episodes))


def sets(**settings):
    return [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]


def small_run(home):
    """a run to evaluate, made once; its data lie beside it"""
    run, name = home / "run", "pointmaze-medium-navigate-v0"
    if not run.exists():
        for args in (["data", "make", name, "--data_dir", home, "--episodes", 30],
                     ["train", name, "--data_dir", home, "--out", run, "--threads", 1,
                      *sets(representation_steps=150, model_steps=300, prior_steps=300, prior_batch=256)]):
            subprocess.run([str(word) for word in [ALPS, *args]], check=True, capture_output=True)
    return run


def works(home):
    """all kinds of work; what several of them need is made in `home`"""
    list_of = []

    def data(name, *more):
        list_of.append(Work(f"data make {name}", lambda folder: ["data", "make", name, "--data_dir", folder, "--threads", 1, *more]))

    data("pointmaze-large-stitch-v0", "--episodes", 400)  # nine pieces
    data("antmaze-medium-stitch-v0", "--episodes", 100)
    data("maze2d-rooms-random-v0")
    data("cube-single-play-v0", "--episodes", 10)

    write_walks(home / "walks.npz")

    def train(method, **settings):
        list_of.append(Work(f"train --method {method}", lambda folder: [
            "train", home / "walks.npz", "--method", method, "--out", folder, "--threads", 1, *sets(checkpoint_seconds=0.02, **settings)],
            resume=lambda folder: ["--resume"]))

    small = dict(encoder_width=16, model_width=16, prior_width=16, eigenvectors=4)
    train("alps", representation_steps=150, model_steps=150, prior_steps=300, **small)
    train("pclast", **{k: v for k, v in small.items() if k != "eigenvectors"} | dict(representation_steps=150, model_steps=150, prior_steps=300))
    train("gcbc", actor_steps=300)
    for method in ("gcivl", "gciql", "qrl", "crl", "hiql"):
        train(method, agent_steps=60, agent_batch=64)

    list_of.append(Work("eval --results --ledger", lambda folder: [
        "eval", folder / "run", "--variant", "dijkstra+prior", "--episodes", 12, "--tasks", "1,3", "--threads", 1,
        "--results", folder / "all.csv", "--ledger", folder / "ledger"],
        prepare=lambda folder: shutil.copytree(small_run(home), folder / "run")))

    def expert(body, prepare, *more):
        def resume(folder):
            begun = list(folder.glob("expert*.checkpoint"))
            return ["--resume"] if begun or (folder / "expert.safetensors").exists() else []
        list_of.append(Work(f"expert train {body}", lambda folder: ["expert", "train", body, "--out", folder / "expert.safetensors", "--threads", 1, *more],
                            prepare, resume))

    expert("ant", lambda folder: None, "--steps", 6000, "--checkpoint_every", 500)
    # to search for the ways up takes minutes
    expert("humanoid", lambda folder: shutil.copy(ROOT / "experts/humanoid.safetensors.ways", folder / "expert.safetensors.ways"),
           "--steps", 8000, "--checkpoint_every", 2000)

    (home / "sweep.toml").write_text('''
[[runs]]
data = "pointmaze-medium-navigate-v0"
data_episodes = 12
seeds = 2
steps = 20
set = { eigenvectors = 4, encoder_width = 16, model_width = 16, prior_width = 16, clusters = 8 }
[[runs.eval]]
variant = ["dijkstra+prior"]
episodes = 1
tasks = [3]
''')
    list_of.append(Work("sweep", lambda folder: ["sweep", home / "sweep.toml", "--out", folder]))
    return list_of


def chosen(home, only):
    """the kinds of work whose name has one of these words in it"""
    return [work for work in works(home) if not only or any(word in work.name for word in only)]


def check(campaign, work, folder, whole, history):
    """the finished folder against the one nobody disturbed"""
    left = [name for name in tree(folder) if name.endswith((".part", ".checkpoint", ".making", ".begun")) and "expert" not in name]
    left += [name for name in tree(folder) if name.endswith(".part")]
    campaign.expect(not left, f"{work.name}: left behind {left} after {history}")
    mine = {name: data for name, data in comparable(folder).items() if not is_task_trace(name)}
    for name in sorted(set(mine) | set(whole)):
        if name not in mine or name not in whole:
            campaign.fail(f"{work.name}: {name} is only in the {'undisturbed' if name in whole else 'disturbed'} folder, after {history}")
        elif mine[name] != whole[name]:
            campaign.fail(f"{work.name}: {name} differs after {history}")


def is_task_trace(name):
    """what a sweep notes of its attempts: there are more of them where it was stopped"""
    return name.startswith("tasks/") or name.startswith("sweep")


def disturb(campaign, work, process, kind, folder, rng, whole):
    """one disturbance; whether the process has ended by it"""
    campaign.count(f"{work.name}", kind)
    if kind == "pause":
        process.send_signal(signal.SIGSTOP)
        time.sleep(rng.uniform(0.05, 0.3))
        process.send_signal(signal.SIGCONT)
        return False
    if kind == "second":  # somebody starts the same work once more: refused, or it helps; in no case does it harm
        other = work.start(folder)
        _, err = other.communicate(timeout=600)
        campaign.expect(other.returncode in (0, 1, 2), f"{work.name}: a second process ended with {other.returncode}: {err}")
        campaign.expect(other.returncode == 0 or err.strip(), f"{work.name}: a second process was refused without a word")
        if process.poll() != 1:
            return False
        # the second was quicker, and the first one was refused
        _, err = process.communicate()
        campaign.expect("another process" in err, f"{work.name}: refused by {err}")
        return True
    process.send_signal(signal.SIGKILL if kind == "SIGKILL" else signal.SIGTERM)
    _, err = process.communicate(timeout=600)
    campaign.expect(process.returncode in ((-9, 0) if kind == "SIGKILL" else (130, 0, -15)), f"{work.name}: {kind} gave {process.returncode}: {err}")
    return True


def finish(campaign, work, folder, process):
    _, err = process.communicate(timeout=1200)
    campaign.expect(process.returncode == 0, f"{work.name}: ended with {process.returncode}: {err}")
    return process.returncode == 0


def run(campaign: Campaign, count, seed=0, only=None, others=True):
    """`count` SIGKILLs of each kind of work that `only` (a part of its name) leaves, about four of them in a folder"""
    rng = random.Random(seed)
    home = campaign.folder / "kills"
    home.mkdir(parents=True, exist_ok=True)
    for work in chosen(home, only):
        label = "".join(c if c.isalnum() else "_" for c in work.name)
        whole_folder = home / f"{label}.whole"
        whole_folder.mkdir()
        work.prepare(whole_folder)
        start = time.time()
        if not finish(campaign, work, whole_folder, work.start(whole_folder)):
            continue
        seconds = time.time() - start
        whole = {name: data for name, data in comparable(whole_folder).items() if not is_task_trace(name)}
        kills, folders = 0, 0
        while kills < count:
            folder = home / f"{label}.{folders}"
            folders += 1
            folder.mkdir()
            work.prepare(folder)
            history, here = [], 0
            most = rng.randint(2, 6)
            while True:
                process = work.start(folder)
                if kills >= count or here >= most:
                    break
                # moments spread over the whole work, and some in its first and last instants
                wait = rng.choice((rng.uniform(0, seconds), rng.uniform(0, 0.4 * seconds), rng.uniform(0, 0.05)))
                try:
                    process.wait(wait)
                    break  # it was done before
                except subprocess.TimeoutExpired:
                    pass
                kind = rng.choice(("SIGKILL",) * 8 + ("SIGTERM", "pause", "second")) if others else "SIGKILL"
                if kind == "second" and work.name.startswith("eval"):  # each of two evaluations has a row in --results
                    kind = "pause"
                history.append(f"{kind} {wait:.2f} s")
                if not disturb(campaign, work, process, kind, folder, rng, seconds):
                    try:
                        process.wait(rng.uniform(0, 0.5 * seconds))
                        break
                    except subprocess.TimeoutExpired:
                        process.kill()
                        process.communicate()
                        kind = "SIGKILL"
                        campaign.count(work.name, kind)
                if kind == "SIGKILL":
                    kills += 1
                here += 1
            before = len(campaign.failures)
            if finish(campaign, work, folder, process):
                check(campaign, work, folder, whole, history)
            if len(campaign.failures) == before:  # or it is for somebody to look at
                shutil.rmtree(folder)
        campaign.say(f"{work.name}: {kills} kills in {folders} folders ({seconds:.1f} s undisturbed)")
        shutil.rmtree(whole_folder)
