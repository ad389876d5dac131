"""Steps of the three parts' training as a researcher writes them in PyTorch, eager. train_torch.py DATA CONFIG STEPS THREADS:
CONFIG is the resolved table of alps (config.json's "train"), STEPS a JSON object of steps by part. Prints milliseconds a step as JSON."""
import json
import sys
import time

import numpy as np
import torch

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

    def time(self, part, steps):
        optimizer = torch.optim.Adam(self.nets[part].parameters(), lr=1e-4)
        times = []
        for _ in range(steps + 2):
            start = time.perf_counter()
            optimizer.zero_grad()
            loss = getattr(self, part)()
            loss.backward()
            optimizer.step()
            loss.item()
            times.append(time.perf_counter() - start)
        return 1e3 * float(np.median(times[2:]))


if __name__ == "__main__":
    torch.set_num_threads(int(sys.argv[4]))
    torch.manual_seed(0)
    eager = Eager(sys.argv[1], json.loads(sys.argv[2]))
    print(json.dumps({part: eager.time(part, n) for part, n in json.loads(sys.argv[3]).items()}))
