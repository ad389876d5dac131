"""Training speed: `alps train` beside the same losses in PyTorch eager, in the same run on the same machine, in turns.

    .venv/bin/python bench/train_peers.py build/release/apps/alps [--threads 2] [--rounds 3]

Data: pointmaze-medium-navigate-v0 if it is on disk, and a made-up set of 1,000,000 rows with 29 state and 8 action columns.
Prints a table of milliseconds a step (the least of the rounds, so that other programs on the machine disturb less).
"""
import argparse
import csv
import json
import pathlib
import subprocess
import tempfile
import time

import numpy as np
import torch

STEPS = {"representation": 60, "model": 30, "prior": 60}


def made_up(path):
    rng = np.random.default_rng(0)
    episodes, length, state, action = 1000, 1000, 29, 8
    walk = rng.standard_normal((episodes, length, state), dtype=np.float32).cumsum(1) / 30
    terminals = np.zeros((episodes, length), bool)
    terminals[:, -1] = True
    np.savez(path, observations=walk.reshape(-1, state), actions=rng.uniform(-1, 1, (episodes * length, action)).astype(np.float32),
             terminals=terminals.ravel())


def network(sizes, norm=False):
    layers = []
    for i, (a, b) in enumerate(zip(sizes, sizes[1:])):
        layers += [torch.nn.Linear(a, b)] + ([torch.nn.LayerNorm(b), torch.nn.Tanh()] if norm and i == 0 else [torch.nn.ReLU()])
    return torch.nn.Sequential(*layers[:-1])


class Eager:
    """the plain PyTorch program a researcher would write"""

    def __init__(self, path, config):
        data = np.load(path)
        self.c = config
        obs = data["observations"]
        self.obs = torch.tensor((obs - obs.mean(0)) / obs.std(0))
        self.act = torch.tensor(data["actions"])
        ends = np.flatnonzero(data["terminals"])
        self.last = torch.tensor(np.repeat(ends, np.diff(np.r_[-1, ends])))
        s, a, d = obs.shape[1], self.act.shape[1], config["eigenvectors"]
        w, m, p = config["encoder_width"], config["model_width"], config["prior_width"]
        self.nets = {"representation": network([s, w, w, w, d], True), "model": network([s + a, m, m, m, s]),
                     "prior": network([s + 2 * d, p, p, p, a])}
        self.beta = -torch.ones(d + 1, d + 1).tril()

    def starts(self, n, ahead):
        t = torch.randint(len(self.obs) - ahead, (n,))
        return torch.where(t + ahead <= self.last[t], t, (self.last[t] - ahead).clamp_min(0))

    def representation(self):
        n, c = self.c["representation_batch"], self.c
        t = self.starts(n, 1)
        left = (self.last[t] - t).double()
        i = (torch.log1p(-torch.rand(n, dtype=torch.double) * (1 - c["gamma"] ** left)) / np.log(c["gamma"])).floor()
        rows = torch.cat([t, t + 1 + i.long().clamp(max=10**6).minimum(self.last[t] - t - 1), torch.randint(len(self.obs), (2 * n,))])
        u, u2, c1, c2 = self.nets["representation"](self.obs[rows]).chunk(4)

        def error(x):
            x = torch.cat([torch.ones(n, 1), x], 1)
            return (x.T @ x.detach() / n - torch.eye(x.shape[1])).tril()

        e1, e2 = error(c1), error(c2)
        e = (e1 + e2) / 2
        loss = 0.5 * (u - u2).square().sum(1).mean() + (self.beta * e).sum() + c["barrier"] * (e1 * e2).sum()
        self.beta = (self.beta + c["representation_lr"] * e.detach()).tril().clamp(-100, 100)
        return loss

    def model(self):
        h = self.c["model_horizon"]
        t = self.starts(self.c["model_batch"], h)
        x, loss = self.obs[t], 0
        for k in range(h):
            x = x + self.nets["model"](torch.cat([x, self.act[t + k]], 1))
            loss = loss + (x - self.obs[t + k + 1]).square().sum(1).mean() / h
        return loss

    def prior(self):
        n = self.c["prior_batch"]
        t = self.starts(n, 1)
        k = 1 + (torch.rand(n) * (self.last[t] - t).clamp(max=self.c["prior_horizon"])).long()
        goal = torch.minimum(t + k, self.last[t])
        with torch.no_grad():
            here, there = self.nets["representation"](self.obs[torch.cat([t, goal])]).chunk(2)
        return (self.nets["prior"](torch.cat([self.obs[t], here, there], 1)) - self.act[t]).square().sum(1).mean()

    def time(self, part):
        optimizer = torch.optim.Adam(self.nets[part].parameters(), lr=1e-4)
        for step in range(STEPS[part] + 5):
            if step == 5:
                start = time.perf_counter()
            optimizer.zero_grad()
            loss = getattr(self, part)()
            loss.backward()
            optimizer.step()
            loss.item()
        return 1e3 * (time.perf_counter() - start) / STEPS[part]


def time_alps(program, data, folder, threads):
    sets = [x for part, n in STEPS.items() for x in ("--set", f"{part}_steps={n + 10}")]
    sets += ["--set", "log_every=10", "--set", "validate_every=1000000", "--set", "rayleigh_ritz=off"]
    subprocess.run([program, "train", data, "--out", folder, "--threads", str(threads), *sets], check=True, capture_output=True)
    times, share = {}, {}
    for row in csv.DictReader(open(folder / "train.csv")):
        if int(row["step"]) > 10:
            times.setdefault(row["part"], []).append(1e3 * float(row["time/step_time"]))
            share[row["part"]] = 100 * float(row["time/sampling_share"])
    config = json.loads((folder / "config.json").read_text())["train"]
    return {part: float(np.mean(t)) for part, t in times.items()}, share, config


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("alps")
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    print("| data | part | alps ms/step | PyTorch eager ms/step | alps is faster by | sampling in alps |\n|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        sets = {"made-up 29/8, 1 M rows": folder / "made_up.npz"}
        made_up(sets["made-up 29/8, 1 M rows"])
        maze = pathlib.Path.home() / ".ogbench/data/pointmaze-medium-navigate-v0.npz"
        if maze.exists():
            sets = {"pointmaze-medium-navigate": maze, **sets}
        for label, path in sets.items():
            best = {part: [np.inf, np.inf] for part in STEPS}
            for r in range(args.rounds):
                ours, share, config = time_alps(args.alps, path, folder / f"{path.stem}{r}", args.threads)
                eager = Eager(path, config)
                for part in STEPS:
                    best[part] = [min(best[part][0], ours[part]), min(best[part][1], eager.time(part))]
            for part, (a, b) in best.items():
                print(f"| {label} | {part} | {a:.1f} | {b:.1f} | {b / a:.2f} x | {share[part]:.1f} % |", flush=True)


if __name__ == "__main__":
    main()
