"""`alps train` and `alps embed` as people use them: run folder, resuming after SIGKILL and Ctrl-C, errors, TensorBoard.

Small networks and data, so that the whole file takes well under a minute on a quiet machine."""
import csv
import json
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import struct
import subprocess
import time

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file

ROOT = pathlib.Path(__file__).resolve().parents[2]
ALPS = os.environ.get("ALPS_PROGRAM", str(ROOT / "build/release/apps/alps"))
SMALL = dict(encoder_width=24, model_width=24, prior_width=24, eigenvectors=4, model_horizon=4, representation_steps=400,
             model_steps=250, prior_steps=300, representation_batch=32, model_batch=16, prior_batch=32, log_every=50,
             validate_every=100)


def alps(*args, **kwargs):
    return subprocess.run([ALPS, *map(str, args)], capture_output=True, text=True, timeout=300, **kwargs)


def train_args(data, run, *extra, **settings):
    sets = [x for k, v in {**SMALL, **settings}.items() for x in ("--set", f"{k}={v}")]
    return ["train", str(data), "--out", str(run), "--threads", "1", *sets, *map(str, extra)]


def unscaled(psi, model, run):
    """phi of psi = phi / lambda^psi_power"""
    power = json.loads((run / "config.json").read_text())["settings"]["psi_power"]
    return psi * model["representation.eigenvalues"] ** power


def write_data(path, episodes=20, length=60, seed=0, state=3):
    rng = np.random.default_rng(seed)
    observations, actions = [], []
    for _ in range(episodes):
        x = rng.uniform(-1, 1, state)
        for _ in range(length):
            a = rng.uniform(-1, 1, 2)
            observations.append(x)
            actions.append(a)
            x = np.clip(x + 0.3 * np.resize(a, state) * np.arange(1, state + 1) / state, -1, 1)
    terminals = np.zeros((episodes, length), bool)
    terminals[:, -1] = True
    np.savez(path, observations=np.array(observations, np.float32), actions=np.array(actions, np.float32), terminals=terminals.ravel())
    return path


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return write_data(tmp_path_factory.mktemp("data") / "walk.npz")


@pytest.fixture(scope="module")
def trained(data, tmp_path_factory):
    run = tmp_path_factory.mktemp("runs") / "whole"
    done = alps(*train_args(data, run, "--tensorboard"))
    assert done.returncode == 0, done.stderr
    return run


def test_run_folder(trained, data):
    config = json.loads((trained / "config.json").read_text())
    assert config["data"]["name"] == "walk" and config["data"]["bytes"] == data.stat().st_size
    assert config["versions"]["torch"] == torch.__version__.split("+")[0] and "mujoco" in config["versions"]
    assert config["settings"]["model_steps"] == 250
    rows = list(csv.DictReader(open(trained / "train.csv")))
    assert [int(r["step"]) for r in rows if r["part"] == "representation"] == list(range(50, 401, 50))
    assert [int(r["step"]) for r in rows if r["part"] == "prior"] == list(range(50, 301, 50))
    assert rows[1]["validation/loss"] and not rows[0]["validation/loss"]
    assert float(rows[-1]["time/total_time"]) > 0
    assert sorted(p.name for p in trained.iterdir()) == ["config.json", "graph.npz", "model.safetensors", "tensorboard", "train.csv"]


def test_the_priors_spread_is_that_of_the_data(trained):
    """the spread saved with the prior is that of its error on other batches of the validation rows"""
    spread = load_file(trained / "model.safetensors")["prior.spread"]
    last = [r for r in csv.DictReader(open(trained / "train.csv")) if r["part"] == "prior" and r["validation/loss"]][-1]
    assert spread.shape == (1,) and abs(spread[0] / np.sqrt(float(last["validation/loss"]) / 2) - 1) < 0.15
    assert 0.4 < spread[0] < 0.6  # uniform noise, of which the goal tells a part: less than 0.577 or a little more


def normalized(model, observations):
    return (observations - model["normalizer.mean"]) / model["normalizer.deviation"]


def psi_by_torch(model, observations):
    x = torch.tensor(normalized(model, observations))
    layers = 4
    for i in range(layers):
        x = torch.nn.functional.linear(x, torch.tensor(model[f"representation.{i}.weight"]), torch.tensor(model[f"representation.{i}.bias"]))
        if i == 0:
            x = torch.tanh(torch.nn.functional.layer_norm(x, x.shape[1:], torch.tensor(model["representation.norm.weight"]),
                                                          torch.tensor(model["representation.norm.bias"])))
        elif i < layers - 1:
            x = torch.relu(x)
    return x.numpy()


def test_the_saved_prior_takes_psi_of_state_and_goal(data, tmp_path):
    """training sees phi and the way to the goal in units of its usual length; what is saved takes psi and must be as good"""
    run = tmp_path / "run"
    done = alps(*train_args(data, run, objective="allo", prior_horizon=1, prior_steps=1500))  # a smooth psi for so few rows
    assert done.returncode == 0, done.stderr
    model, arrays = load_file(run / "model.safetensors"), np.load(data)
    here = np.flatnonzero(~arrays["terminals"])[-59:]  # the last twentieth of the episodes is for validation
    psi = psi_by_torch(model, arrays["observations"])
    x = torch.tensor(np.concatenate([normalized(model, arrays["observations"][here]), psi[here], psi[here + 1]], 1))
    for i in range(4):
        x = torch.nn.functional.linear(x, torch.tensor(model[f"prior.{i}.weight"]), torch.tensor(model[f"prior.{i}.bias"]))
        x = torch.relu(x) if i < 3 else x
    error = np.sqrt(((x.numpy() - arrays["actions"][here]) ** 2).mean())
    assert error == pytest.approx(model["prior.spread"][0], rel=0.15)
    assert error < 0.3  # of 0.577; the next state tells the action, but at the walls
    way = np.linalg.norm(psi[1:] - psi[:-1], axis=1)[~arrays["terminals"][:-1]][:-59]
    assert model["prior.way"][0] == pytest.approx(np.sqrt((way**2).mean()), rel=0.03)


def test_embed_and_python_safetensors(trained, data, tmp_path):
    model = load_file(trained / "model.safetensors")
    observations = np.load(data)["observations"]
    np.save(tmp_path / "obs.npy", observations)
    done = alps("embed", trained, "--in", tmp_path / "obs.npy", "--out", tmp_path / "psi.npy")
    assert done.returncode == 0, done.stderr
    psi = np.load(tmp_path / "psi.npy")
    expected = psi_by_torch(model, observations)
    assert np.abs(psi - expected).max() <= 1e-5 * np.abs(expected).max()
    # Rayleigh-Ritz: zero mean, orthonormal up to the scale over the rows that were trained on (the first 19 episodes)
    phi = unscaled(psi[: 19 * 60], model, trained)
    assert np.abs(phi.mean(0)).max() < 1e-3
    assert np.abs(phi.T @ phi / len(phi) - np.eye(4)).max() < 1e-2
    assert (np.diff(model["representation.eigenvalues"]) >= 0).all()
    np.save(tmp_path / "odd.npy", observations[:, :2])
    done = alps("embed", trained, "--in", tmp_path / "odd.npy", "--out", tmp_path / "psi.npy")
    assert done.returncode == 1 and "expects float32 rows of (3,)" in done.stderr


def walkers(path, noise_columns, episodes=60, length=100):
    """a slow walk on a segment, beside columns of noise"""
    rng = np.random.default_rng(1)
    rows = []
    for _ in range(episodes):
        x = rng.uniform(-1, 1)
        for _ in range(length):
            rows.append([x, *rng.normal(size=noise_columns)])
            x = np.clip(x + rng.normal(0, 0.15), -1, 1)
    np.savez(path, observations=np.array(rows, np.float32), actions=np.zeros((len(rows), 1), np.float32),
             terminals=np.arange(len(rows)) % length == length - 1)
    return path


def eigenfunctions(data, run, **settings):
    """phi of all rows, and the eigenvalues, of a representation trained with these settings"""
    done = alps(*train_args(data, run, "--only", "representation", encoder_width=64, representation_batch=128, **settings))
    assert done.returncode == 0, done.stderr
    np.save(run / "obs.npy", np.load(data)["observations"])
    done = alps("embed", run, "--in", run / "obs.npy", "--out", run / "psi.npy")
    assert done.returncode == 0, done.stderr
    model = load_file(run / "model.safetensors")
    return unscaled(np.load(run / "psi.npy"), model, run).astype(float), model["representation.eigenvalues"]


def test_slow_columns_are_favoured(tmp_path):
    data = walkers(tmp_path / "noise.npz", noise_columns=20)
    plain, gained = (eigenfunctions(data, tmp_path / f"run{gain}", slow_gain=gain, representation_steps=150, objective="allo", gamma=0.6, still_share=0)[1].sum() for gain in (0, 0.5))
    assert gained < 0.8 * plain


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0x82F63B78 if crc & 1 else 0)
    crc ^= 0xFFFFFFFF
    return (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF


def fields(message):
    at, out = 0, []
    while at < len(message):
        key, at = message[at], at + 1
        if key & 7 == 0:
            value, shift = 0, 0
            while True:
                byte, at = message[at], at + 1
                value |= (byte & 127) << shift
                shift += 7
                if byte < 128:
                    break
        elif key & 7 == 2:
            size, at = message[at], at + 1
            assert size < 128
            value, at = message[at : at + size], at + size
        else:
            size = {1: 8, 5: 4}[key & 7]
            value, at = message[at : at + size], at + size
        out.append((key >> 3, value))
    return dict(out)


def test_tensorboard(trained):
    path = sorted((trained / "tensorboard").glob("events.out.tfevents.*"))[0]
    data, at, scalars = path.read_bytes(), 0, {}
    while at < len(data):
        length, check = struct.unpack_from("<QI", data, at)
        assert check == crc32c(data[at : at + 8])
        message = data[at + 12 : at + 12 + length]
        assert struct.unpack_from("<I", data, at + 12 + length)[0] == crc32c(message)
        event = fields(message)
        if 5 in event:
            value = fields(fields(event[5])[1])
            scalars[value[1].decode(), event[2]] = struct.unpack("<f", value[2])[0]
        else:
            assert event[3] == b"brain.Event:2"
        at += 16 + length
    rows = list(csv.DictReader(open(trained / "train.csv")))
    first = rows[0]
    assert scalars["representation/training/loss", 50] == pytest.approx(float(first["training/loss"]), rel=1e-5)


def test_killed_at_ten_moments_and_resumed_is_bit_identical(trained, data, tmp_path):
    run = tmp_path / "killed"
    start = time.time()
    alps(*train_args(data, tmp_path / "timing", checkpoint_seconds=0.05))
    whole = time.time() - start
    rng = random.Random(5)
    kills = 0
    for _ in range(60):
        process = subprocess.Popen([ALPS, *train_args(data, run, "--resume", checkpoint_seconds=0.05)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            process.wait(timeout=whole * rng.uniform(0.2, 0.55) if kills < 10 else 300)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
            kills += 1
            continue
        if kills >= 10:
            break
        # it got to its end before the tenth kill: start over with another folder
        assert process.returncode == 0
        assert (run / "model.safetensors").read_bytes() == (trained / "model.safetensors").read_bytes()
        run = tmp_path / f"killed{kills}"
    assert kills == 10 and process.returncode == 0
    assert (run / "model.safetensors").read_bytes() == (trained / "model.safetensors").read_bytes()
    for name in ("part", "step", "training/loss", "validation/loss"):
        assert [r[name] for r in csv.DictReader(open(run / "train.csv"))] == [r[name] for r in csv.DictReader(open(trained / "train.csv"))]
    assert not (run / "checkpoint.safetensors").exists()


def test_interrupt_saves_and_says_how_to_go_on(trained, data, tmp_path):
    run = tmp_path / "interrupted"
    process = subprocess.Popen([ALPS, *train_args(data, run, checkpoint_seconds=1000, model_steps=100000, lr_schedule="constant")], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while not (run / "model.safetensors").exists():
        time.sleep(0.02)
    time.sleep(0.3)
    second = alps(*train_args(data, run, "--resume", checkpoint_seconds=1000, model_steps=100000, lr_schedule="constant"))
    assert second.returncode == 1 and "another process" in second.stderr
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=60)
    assert process.returncode == 130 and "--resume" in stderr and "model at step" in stderr
    assert (run / "checkpoint.safetensors").exists()
    refused = alps(*train_args(data, run, "--resume"))
    assert refused.returncode == 2 and "model_steps" in refused.stderr


def test_censored_prior_finds_what_was_wished(tmp_path):
    # states go round by themselves, so that goals do not tell the noise; the wish is 0.9 on one side and -0.9 on the other
    rng = np.random.default_rng(3)
    angle = (rng.uniform(0, 2 * np.pi, (40, 1)) + 0.1 * np.arange(100)).ravel()
    states = np.stack([np.cos(angle), np.sin(angle)], 1)
    wishes = 0.9 * np.sign(states)
    data = tmp_path / "round.npz"
    np.savez(data, observations=states.astype(np.float32), actions=np.clip(wishes + rng.normal(0, 1, wishes.shape), -1, 1).astype(np.float32),
             terminals=np.arange(len(states)) % 100 == 99)
    settings = dict(prior_steps=2000, prior_batch=128, representation_steps=200, model_steps=20)

    def wished(run):
        """the prior's action on the diagonals, where both wishes are clear, in the direction of the wish"""
        found = []
        for side in ([1, 1], [1, -1], [-1, 1], [-1, -1]):
            np.save(tmp_path / "start.npy", np.array(side, np.float32) / np.sqrt(np.float32(2)))
            done = alps("plan", run, "--variant", "prior", "--start", tmp_path / "start.npy", "--goal", tmp_path / "start.npy", "--json")
            assert done.returncode == 0, done.stderr
            found += list(np.array(json.loads(done.stdout)["action"]) * side)
        return np.mean(found)

    runs = {loss: tmp_path / loss for loss in ("square", "censored")}
    for loss, run in runs.items():
        done = alps(*train_args(data, run, prior_loss=loss, **settings))
        assert done.returncode == 0, done.stderr
    assert wished(runs["square"]) == pytest.approx(0.56, abs=0.08)  # the mean of what was done
    assert wished(runs["censored"]) == pytest.approx(0.9, abs=0.08)
    assert load_file(runs["censored"] / "model.safetensors")["prior.spread"] == pytest.approx(1, abs=0.1)

    # stopped in the middle and resumed: the same bytes
    run = tmp_path / "stopped"
    process = subprocess.Popen([ALPS, *train_args(data, run, prior_loss="censored", checkpoint_seconds=0.05, **settings)],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while process.poll() is None and not ((run / "train.csv").exists() and "prior,500" in (run / "train.csv").read_text().replace(" ", "")):
        time.sleep(0.005)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=60) == 130
    assert alps("train", data, "--out", run, "--resume").returncode == 0
    assert (run / "model.safetensors").read_bytes() == (runs["censored"] / "model.safetensors").read_bytes()


def test_only_and_reuse(trained, data, tmp_path):
    run = tmp_path / "parts"
    assert "needs the representation" in alps(*train_args(data, run, "--only", "prior")).stderr
    for part in ("model", "representation"):
        assert alps(*train_args(data, run, "--only", part)).returncode == 0
    before = load_file(run / "model.safetensors")
    assert not any(k.startswith("prior") for k in before)
    done = alps("train", data, "--out", run, "--resume")
    assert done.returncode == 0 and "kept" in done.stdout
    assert (run / "model.safetensors").read_bytes() == (trained / "model.safetensors").read_bytes()
    again = alps("train", data, "--out", run)
    assert again.returncode == 2 and "holds a run already" in again.stderr


def test_training_ends_when_it_does_not_pay_or_time_is_up(data, tmp_path):
    def steps(*extra, representation_steps=20, **settings):
        run = tmp_path / f"r{random.random()}"
        done = alps(*train_args(data, run, *extra, representation_steps=representation_steps, **settings))
        assert done.returncode == 0, done.stderr
        # who has no time is told what it did
        assert ("the time was up" in done.stdout + done.stderr) == (extra != ())
        rows = list(csv.DictReader(open(run / "train.csv")))
        return {part: int([r for r in rows if r["part"] == part][-1]["step"]) for part in ("representation", "model", "prior")}

    # twenty short episodes are learned by heart soon, and nothing more is learned of the one that is held out
    settled = steps(model_steps=200_000, prior_steps=200_000)
    assert settled["representation"] == 20 and settled["model"] < 30_000 and settled["prior"] < 30_000
    assert settled == steps(model_steps=200_000, prior_steps=200_000)
    # no machine takes as many steps in the tenth of a second that each part has here
    before = time.monotonic()
    short = steps("--minutes", "0.01", representation_steps=10_000_000, model_steps=10_000_000, prior_steps=10_000_000,
                  representation_batch=4096, model_batch=512, prior_batch=4096)
    assert time.monotonic() - before < 60
    assert 1 < short["representation"] < 1000 and 1 < short["model"] < settled["model"] and 1 < short["prior"] < settled["prior"]
    assert alps(*train_args(data, tmp_path / "never", "--minutes", "0")).returncode == 2


def test_non_finite_loss_stops_and_keeps_the_checkpoint(data, tmp_path):
    run = tmp_path / "wild"
    done = alps(*train_args(data, run, objective="allo", representation_lr=10, dual_step=1000, barrier=1000, checkpoint_seconds=0))
    assert done.returncode == 1
    assert re.search(r"representation's (loss|gradient) is not finite at step \d+; likely cause", done.stderr), done.stderr
    assert "is intact" in done.stderr
    weights = load_file(run / "checkpoint.safetensors")
    assert all(np.isfinite(w).all() for w in weights.values())


def test_clear_errors(data, tmp_path):
    def error(path, *extra, **settings):
        done = alps(*train_args(path, tmp_path / f"e{random.random()}", *extra, **settings))
        assert done.returncode in (1, 2) and done.stderr.count("\n") <= 3, done.stderr
        assert "alps: error:" in done.stderr
        return done.stderr

    assert "no such file" in error(tmp_path / "missing.npz")
    assert "longest episode has only 59" in error(data, model_horizon=60)
    constant = tmp_path / "constant.npz"
    np.savez(constant, observations=np.ones((50, 3), np.float32), actions=np.zeros((50, 2), np.float32), terminals=np.arange(50) % 10 == 9)
    assert "never change" in error(constant)
    tiny = tmp_path / "tiny.npz"
    np.savez(tiny, observations=np.eye(2, dtype=np.float32), actions=np.zeros((2, 2), np.float32), terminals=np.array([False, True]))
    assert "1 transitions" in error(tiny)
    one = write_data(tmp_path / "one.npz", episodes=1, length=400)
    done = alps(*train_args(one, tmp_path / "one"))
    assert done.returncode == 0 and "without validation" in done.stderr
    assert "no setting 'stepz'" in error(data, stepz=3)
    if not torch.cuda.is_available():
        assert "no CUDA" in error(data, "--device", "cuda")
    # settings that contradict each other leave nothing behind
    done = alps("train", data, "--out", tmp_path / "span", "--set", "objective=logdet", "--set", "rayleigh_ritz=off")
    assert done.returncode == 2 and "rayleigh_ritz" in done.stderr and not (tmp_path / "span").exists()


def test_damaged_runs(trained, data, tmp_path):
    np.save(tmp_path / "obs.npy", np.zeros((1, 3), np.float32))
    good = (trained / "model.safetensors").read_bytes()
    run = tmp_path / "run"
    run.mkdir()
    rng = random.Random(1)
    for _ in range(20):
        bad = bytearray(good)
        if rng.random() < 0.5:
            bad = bad[: rng.randrange(len(bad))]
        else:
            bad[rng.randrange(len(bad))] ^= 1 << rng.randrange(8)
        (run / "model.safetensors").write_bytes(bad)
        done = alps("embed", run, "--in", tmp_path / "obs.npy", "--out", tmp_path / "psi.npy")
        assert done.returncode == 1 and "model.safetensors" in done.stderr, done.stderr
    (run / "config.json").write_text((trained / "config.json").read_text().replace('"format": 2', '"format": 3'))
    assert "newer alps" in alps("train", data, "--out", run, "--resume").stderr


def test_disk_full(data, tmp_path):
    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))

    run = tmp_path / "full"
    done = alps(*train_args(data, run, checkpoint_seconds=0), preexec_fn=limit)
    assert done.returncode == 1 and "cannot write" in done.stderr
    assert not list(run.glob("*.part"))


def test_precisions(data, tmp_path):
    """fp32 and bf16 learn the same; by itself training takes bf16 where the processor has it, and says so in config.json"""
    losses, precisions = {}, {}
    for precision in ("fp32", "bf16", None):
        run = tmp_path / str(precision)
        done = alps(*train_args(data, run, *(("--precision", precision) if precision else ())))
        assert done.returncode == 0, done.stderr
        precisions[precision] = json.loads((run / "config.json").read_text())["precision"]
        losses[precision] = {row["part"]: float(row["training/loss"]) for row in csv.DictReader(open(run / "train.csv"))}
    cpu = open("/proc/cpuinfo").read()
    assert precisions == {"fp32": "fp32", "bf16": "bf16", None: "bf16" if "avx512_bf16" in cpu and "avx512_vbmi2" in cpu else "fp32"}
    assert losses[None] == losses[precisions[None]]
    for part, loss in losses["fp32"].items():
        assert abs(losses["bf16"][part] - loss) < 0.05 * abs(loss) + 0.02, part


def test_images(tmp_path):
    rng = np.random.default_rng(0)
    at = np.clip(np.cumsum(rng.uniform(-4, 4, (400, 2)), 0) % 80, 0, 79)
    at = np.where(at > 40, 80 - at, at)  # reflected
    y, x = np.mgrid[:40, :40]
    blobs = np.exp(-((x - at[:, :1, None]) ** 2 + (y - at[:, 1:, None]) ** 2) / 8)
    path = tmp_path / "dots.npz"
    np.savez(path, observations=(255 * blobs).astype(np.uint8)[..., None], actions=rng.uniform(-1, 1, (400, 2)).astype(np.float32),
             terminals=np.arange(400) % 200 == 199)
    small = dict(representation_steps=20, model_steps=20, prior_steps=20, latent=6)
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    done = alps(*train_args(path, whole, **small))
    assert done.returncode == 0, done.stderr
    settings = json.loads((whole / "config.json").read_text())
    assert settings["settings"]["detail_steps"] == 0 and "too few" in json.dumps(settings)  # 398 transitions
    assert "needs the representation" in alps(*train_args(path, parts, "--only", "model", **small)).stderr
    assert alps(*train_args(path, parts, "--only", "representation", **small)).returncode == 0
    assert alps("train", path, "--out", parts, "--resume").returncode == 0
    assert (parts / "model.safetensors").read_bytes() == (whole / "model.safetensors").read_bytes()
    model = load_file(whole / "model.safetensors")
    assert model["trunk.image"].tolist() == [40, 40, 1] and model["model.0.weight"].shape[1] == 4 + 2  # phi, action
    np.save(tmp_path / "obs.npy", np.load(path)["observations"])
    assert alps("embed", whole, "--in", tmp_path / "obs.npy", "--out", tmp_path / "psi.npy").returncode == 0
    phi = unscaled(np.load(tmp_path / "psi.npy"), model, whole)
    assert np.abs(phi.T @ phi / len(phi) - np.eye(4)).max() < 1e-2

    # what phi does not tell of the actions
    whole, parts = tmp_path / "detail", tmp_path / "detail-parts"
    detail = dict(small, detail_steps=20, detail_size=5, detail_width=24, detail_batch=16)
    done = alps(*train_args(path, whole, **detail))
    assert done.returncode == 0, done.stderr
    assert alps(*train_args(path, parts, "--only", "representation", **detail)).returncode == 0
    assert "needs the detail" in alps("train", path, "--out", parts, "--only", "model").stderr
    assert alps("train", path, "--out", parts, "--only", "detail").returncode == 0
    assert alps("train", path, "--out", parts, "--resume").returncode == 0
    assert (parts / "model.safetensors").read_bytes() == (whole / "model.safetensors").read_bytes()
    model, plain = load_file(whole / "model.safetensors"), model
    assert model["model.0.weight"].shape[1] == 4 + 5 + 2 and model["prior.0.weight"].shape[1] == 4 + 5 + 4 + 4
    assert alps("embed", whole, "--in", tmp_path / "obs.npy", "--out", tmp_path / "psi-detail.npy").returncode == 0
    assert np.allclose(np.load(tmp_path / "psi-detail.npy"), np.load(tmp_path / "psi.npy"), atol=1e-4)  # the same map
    # anew: the state is phi again before another detail stands beside it
    assert alps("train", path, "--out", parts, "--only", "detail", "--set", "detail_size=7").returncode == 0
    assert alps("train", path, "--out", parts, "--resume").returncode == 0
    model = load_file(parts / "model.safetensors")
    assert model["model.0.weight"].shape[1] == 4 + 7 + 2 and model["trunk.beside.head.0.weight"].shape[0] == 7
    assert alps("embed", parts, "--in", tmp_path / "obs.npy", "--out", tmp_path / "psi-anew.npy").returncode == 0
    assert np.allclose(np.load(tmp_path / "psi-anew.npy"), np.load(tmp_path / "psi.npy"), atol=1e-4)
    assert plain["trunk.head.0.weight"].shape == model["trunk.head.0.weight"].shape

    # PcLast on the same images: its own latents, stopped and resumed to the same bytes
    whole, parts = tmp_path / "pclast", tmp_path / "pclast-parts"
    done = alps(*train_args(path, whole, "--method", "pclast", **small))
    assert done.returncode == 0, done.stderr
    assert alps(*train_args(path, parts, "--method", "pclast", "--only", "representation", **small)).returncode == 0
    assert alps("train", path, "--out", parts, "--resume").returncode == 0
    assert (parts / "model.safetensors").read_bytes() == (whole / "model.safetensors").read_bytes()
    assert load_file(whole / "model.safetensors")["model.0.weight"].shape[1] == 4 + 2  # Gamma, action
    with open(whole / "train.csv") as file:
        last = [row for row in csv.DictReader(file) if row["part"] == "representation"][-1]
    total = sum(float(last[f"training/{term}"]) for term in ("contrastive_loss", "inverse_loss"))
    assert abs(total - float(last["training/loss"])) < 1e-5
    done = alps("train", path, "--out", parts, "--resume", "--method", "allo")
    assert done.returncode == 2 and "started with pclast" in done.stderr
