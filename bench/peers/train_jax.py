"""The same steps in JAX: loss, gradient and Adam in one jitted function, batches drawn by NumPy. train_jax.py DATA CONFIG STEPS
THREADS, as train_torch.py."""
import json
import os
import sys
import time

threads = int(sys.argv[4])
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=" + ("true" if threads > 1 else "false")
import jax
import jax.numpy as jnp
import numpy as np

data, c, steps = np.load(sys.argv[1]), json.loads(sys.argv[2]), json.loads(sys.argv[3])
obs, act = data["observations"], data["actions"]
obs = (obs - obs.mean(0)) / obs.std(0)
ends = np.flatnonzero(data["terminals"])
last = np.repeat(ends, np.diff(np.r_[-1, ends]))
rng = np.random.default_rng(0)
s, a, d = obs.shape[1], act.shape[1], c["eigenvectors"]


def network(sizes, norm=False):
    bound = [1 / i**0.5 for i in sizes]
    layers = [(jnp.array(rng.uniform(-w, w, (i, o)), jnp.float32), jnp.array(rng.uniform(-w, w, o), jnp.float32))
              for i, o, w in zip(sizes, sizes[1:], bound)]
    return {"layers": layers, **({"gain": jnp.ones(sizes[1]), "shift": jnp.zeros(sizes[1])} if norm else {})}


def forward(net, x):
    for i, (w, b) in enumerate(net["layers"][:-1]):
        x = x @ w + b
        if i == 0 and "gain" in net:
            x = jnp.tanh((x - x.mean(-1, keepdims=True)) / jnp.sqrt(x.var(-1, keepdims=True) + 1e-5) * net["gain"] + net["shift"])
        else:
            x = jax.nn.relu(x)
    return x @ net["layers"][-1][0] + net["layers"][-1][1]


def starts(n, ahead):
    t = rng.integers(len(obs) - ahead, size=n)
    return np.where(t + ahead <= last[t], t, np.maximum(last[t] - ahead, 0))


def draw_representation():
    n = c["representation_batch"]
    t = starts(n, 1)
    i = np.floor(np.log1p(-rng.random(n) * (1 - c["gamma"] ** (last[t] - t))) / np.log(c["gamma"])).astype(int)
    return (obs[np.r_[t, t + 1 + np.minimum(i, last[t] - t - 1), rng.integers(len(obs), size=2 * n)]],)


def representation(net, beta, x):
    u, u2, c1, c2 = jnp.split(forward(net, x), 4)

    def error(v):
        v = jnp.concatenate([jnp.ones((len(v), 1)), v], 1)
        return jnp.tril(v.T @ jax.lax.stop_gradient(v) / len(v) - jnp.eye(v.shape[1]))

    e1, e2 = error(c1), error(c2)
    e = (e1 + e2) / 2
    loss = 0.5 * ((u - u2) ** 2).sum(1).mean() + (beta * e).sum() + c["barrier"] * (e1 * e2).sum()
    return loss, jnp.clip(jnp.tril(beta + c["representation_lr"] * e), -100, 100)


def draw_model():
    h, t = c["model_horizon"], starts(c["model_batch"], c["model_horizon"])
    return obs[t], np.stack([act[t + k] for k in range(h)]), np.stack([obs[t + k + 1] for k in range(h)])


def model(net, _, x, actions, targets):
    def step(x, at):
        x = x + forward(net, jnp.concatenate([x, at[0]], 1))
        return x, ((x - at[1]) ** 2).sum(1).mean()

    return jax.lax.scan(step, x, (actions, targets))[1].mean(), _


def draw_prior():
    n = c["prior_batch"]
    t = starts(n, 1)
    k = 1 + (rng.random(n) * np.minimum(last[t] - t, c["prior_horizon"])).astype(int)
    return obs[t], obs[np.minimum(t + k, last[t])], act[t]


PSI = network([s] + [c["encoder_width"]] * 3 + [d], True)


def prior(net, _, x, goal, actions):
    here, there = jnp.split(jax.lax.stop_gradient(forward(PSI, jnp.concatenate([x, goal]))), 2)
    return ((forward(net, jnp.concatenate([x, here, there], 1)) - actions) ** 2).sum(1).mean(), _


PARTS = {"representation": (representation, draw_representation, PSI),
         "model": (model, draw_model, network([s + a] + [c["model_width"]] * 3 + [s])),
         "prior": (prior, draw_prior, network([s + 2 * d] + [c["prior_width"]] * 3 + [a]))}


def timed(part, count):
    loss, draw, net = PARTS[part]

    @jax.jit
    def step(net, m, v, t, extra, *batch):
        (value, extra), g = jax.value_and_grad(loss, has_aux=True)(net, extra, *batch)
        m = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, m, g)
        v = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, v, g)
        net = jax.tree.map(lambda w, m, v: w - 1e-4 * (m / (1 - 0.9**t)) / (jnp.sqrt(v / (1 - 0.999**t)) + 1e-8), net, m, v)
        return net, m, v, extra, value

    m = v = jax.tree.map(jnp.zeros_like, net)
    extra, times = -jnp.tril(jnp.ones((d + 1, d + 1))), []
    for t in range(1, count + 3):
        start = time.perf_counter()
        net, m, v, extra, value = step(net, m, v, float(t), extra, *draw())
        value.block_until_ready()
        times.append(time.perf_counter() - start)
    return 1e3 * float(np.median(times[2:]))


print(json.dumps({part: timed(part, n) for part, n in steps.items()}))
