"""One CEM decision at the ant's sizes as a researcher writes it in PyTorch. plan_torch.py MODE SAMPLES HORIZON ITERATIONS
THREADS DECISIONS, MODE one of eager, compile, bf16. Prints one JSON object, with the rate of large matrix products too."""
import json
import sys
import time

import torch

STATE, ACTION, EIGEN = 29, 8, 32
mode, (samples, horizon, iterations, threads, decisions) = sys.argv[1], map(int, sys.argv[2:7])
torch.set_num_threads(threads)
torch.manual_seed(0)


def mlp(sizes, norm):
    layers = []
    for i, (a, b) in enumerate(zip(sizes, sizes[1:])):
        layers.append(torch.nn.Linear(a, b))
        if i + 2 < len(sizes):
            layers += [torch.nn.LayerNorm(b), torch.nn.Tanh()] if norm and i == 0 else [torch.nn.ReLU()]
    return torch.nn.Sequential(*layers)


model = mlp([STATE + ACTION, 512, 512, 512, STATE], False)
psi = mlp([STATE, 256, 256, 256, EIGEN], True)
dtype = torch.bfloat16 if mode == "bf16" else torch.float32
if mode == "bf16":
    model, psi = model.to(dtype), psi.to(dtype)


def costs(state, goal, actions):
    s, total = state.expand(samples, STATE), torch.zeros(samples)
    for t in range(horizon):
        a = actions[:, t]
        s = s + 0.1 * model(torch.cat([s, a], 1).to(dtype)).float()
        total = total + (psi(s.to(dtype)).float() - goal).square().sum(1) + 0.01 * a.square().sum(1)
    return total


if mode == "compile":
    costs = torch.compile(costs)


@torch.no_grad()
def decide(state, goal, mean):
    deviation = torch.full((horizon, ACTION), 0.5)
    for _ in range(iterations):
        white, noise = torch.randn(samples, horizon, ACTION), torch.empty(samples, horizon, ACTION)
        noise[:, 0] = white[:, 0]
        for t in range(1, horizon):
            noise[:, t] = 0.9 * noise[:, t - 1] + (1 - 0.81) ** 0.5 * white[:, t]
        actions = (mean + deviation * noise).clamp(-1, 1)
        elite = actions[costs(state, goal, actions).topk(int(0.15 * samples), largest=False).indices]
        mean = 0.3 * mean + 0.7 * elite.mean(0)
        deviation = elite.std(0, unbiased=False).clamp_min(0.025)
    return mean


def timed(work, count):
    best = 1e9
    for _ in range(count):
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best


state, goal, mean = torch.randn(1, STATE), torch.randn(EIGEN), torch.zeros(horizon, ACTION)
decide(state, goal, mean)
seconds = timed(lambda: decide(state, goal, mean), decisions)
a = torch.randn(2048, 2048, dtype=dtype)
gemm = 2 * 2048**3 / timed(lambda: a @ a, 5) / 1e9
print(json.dumps(dict(least_ms=1e3 * seconds, gemm_gflops=gemm, version=torch.__version__)))
