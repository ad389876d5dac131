"""One CEM decision at the ant's sizes in JAX, jitted as a whole. plan_jax.py SAMPLES HORIZON ITERATIONS THREADS DECISIONS."""
import json
import os
import sys
import time

samples, horizon, iterations, threads, decisions = map(int, sys.argv[1:6])
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=" + ("true" if threads > 1 else "false")
import jax
import jax.numpy as jnp

STATE, ACTION, EIGEN = 29, 8, 32
key = jax.random.key(0)


def weights(sizes, key):
    return [(jax.random.normal(k, (a, b)) / a**0.5, jnp.zeros(b)) for a, b, k in zip(sizes, sizes[1:], jax.random.split(key, len(sizes)))]


MODEL = weights([STATE + ACTION, 512, 512, 512, STATE], key)
PSI = weights([STATE, 256, 256, 256, EIGEN], key)


def forward(layers, x, norm):
    for i, (w, b) in enumerate(layers[:-1]):
        x = x @ w + b
        x = jnp.tanh((x - x.mean(-1, keepdims=True)) / jnp.sqrt(x.var(-1, keepdims=True) + 1e-5)) if norm and i == 0 else jax.nn.relu(x)
    return x @ layers[-1][0] + layers[-1][1]


def costs(state, goal, actions):
    def step(carry, a):
        s, total = carry
        s = s + 0.1 * forward(MODEL, jnp.concatenate([s, a], 1), False)
        return (s, total + ((forward(PSI, s, True) - goal) ** 2).sum(1) + 0.01 * (a**2).sum(1)), None

    start = (jnp.broadcast_to(state, (samples, STATE)), jnp.zeros(samples))
    return jax.lax.scan(step, start, actions.swapaxes(0, 1))[0][1]


@jax.jit
def decide(state, goal, mean, key):
    def iteration(carry, key):
        mean, deviation = carry
        white = jax.random.normal(key, (horizon, samples, ACTION))
        filtered = jax.lax.scan(lambda n, w: (m := 0.9 * n + (1 - 0.81) ** 0.5 * w, m), white[0], white[1:])[1]
        noise = jnp.concatenate([white[:1], filtered]).swapaxes(0, 1)
        actions = jnp.clip(mean + deviation * noise, -1, 1)
        elite = actions[jax.lax.top_k(-costs(state, goal, actions), int(0.15 * samples))[1]]
        return (0.3 * mean + 0.7 * elite.mean(0), jnp.maximum(elite.std(0), 0.025)), None

    return jax.lax.scan(iteration, (mean, jnp.full((horizon, ACTION), 0.5)), jax.random.split(key, iterations))[0][0]


state, goal, mean = jax.random.normal(key, (1, STATE)), jax.random.normal(key, (EIGEN,)), jnp.zeros((horizon, ACTION))
decide(state, goal, mean, key).block_until_ready()
best = 1e9
for _ in range(decisions):
    start = time.perf_counter()
    decide(state, goal, mean, key).block_until_ready()
    best = min(best, time.perf_counter() - start)
print(json.dumps(dict(least_ms=1e3 * best, version=jax.__version__)))
