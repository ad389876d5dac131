"""Losses and gradients of the baselines against OGBench's own code, on the weights and batch of agents_dump. Not one of the
suite's tests, because that code and JAX are no dependencies of ours: run it by hand in an environment that has them.

    python tests/golden/compare_ogbench.py OGBENCH/impls [build/release/tests/agents_dump]

Prints, for each method, whether the parameters have the same names and shapes, the worst relative error of a gradient, and
the losses side by side (theirs, ours); exits with 1 where something differs by more than 1e-5."""
import importlib
import json
import os
import struct
import subprocess
import sys
import tempfile

os.environ["JAX_PLATFORMS"] = "cpu"
sys.path.insert(0, sys.argv[1])
import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from agents import agents  # noqa: E402

PROGRAM = sys.argv[2] if len(sys.argv) > 2 else "build/release/tests/agents_dump"
TOLERANCE = 1e-5
# their names of losses, ours
TERMS = {"value/value_loss": "value_loss", "critic/critic_loss": "critic_loss", "critic/contrastive_loss": "critic_loss",
         "dynamics/dynamics_loss": "dynamics_loss", "value/d_neg_loss": "far_loss", "value/d_pos_loss": "excess", "actor/q_mean": "q"}


def load(path):
    raw = open(path, "rb").read()
    start = 8 + struct.unpack("<Q", raw[:8])[0]
    out = {}
    for key, entry in json.loads(raw[8:start]).items():
        if key != "__metadata__":
            first, last = entry["data_offsets"]
            out[key] = np.frombuffer(raw[start + first:start + last], np.float32).reshape(entry["shape"])
    return out


with tempfile.TemporaryDirectory() as folder:
    subprocess.run([PROGRAM, folder + "/dump.safetensors"], check=True)
    dump = load(folder + "/dump.safetensors")


def mlp(name, of):
    layers = {}
    for i in range(4):
        layers[f"Dense_{i}"] = {"kernel": dump[f"{of}{name}.{i}.weight"].T, "bias": dump[f"{of}{name}.{i}.bias"]}
        if f"{of}{name}.{i}.norm.weight" in dump:
            layers[f"LayerNorm_{i}"] = {"scale": dump[f"{of}{name}.{i}.norm.weight"], "bias": dump[f"{of}{name}.{i}.norm.bias"]}
    return layers


def twins(name, of):
    return jax.tree_util.tree_map(lambda a, b: np.stack([a, b]), mlp(name + "_one", of), mlp(name + "_two", of))


def actor(name, of):
    layers = mlp(name, of)
    return {"mean_net": layers.pop("Dense_3"), "actor_net": layers}


def tree(method, of=""):
    """ours under their names; of = "grad.": gradients"""
    n = method + "."
    if method == "hiql":
        found = {"goal_rep": {"layers_0": mlp(n + "goal", of)}, "value": {"value_net": twins(n + "value", of)},
                 "low_actor": actor(n + "low_actor", of), "high_actor": actor(n + "high_actor", of)}
    else:
        found = {"actor": actor(n + "actor", of)}
    if method == "gcivl":
        found["value"] = {"value_net": twins(n + "value", of)}
    if method == "gciql":
        found |= {"value": {"value_net": mlp(n + "value", of)}, "critic": {"value_net": twins(n + "critic", of)}}
    if method == "crl":
        found["critic"] = {"phi": twins(n + "phi", of), "psi": twins(n + "psi", of)}
    if method == "qrl":
        found |= {"value": {"phi": mlp(n + "phi", of), "alpha": {"value": dump[of + n + "alpha"][0]}},
                  "dynamics": mlp(n + "dynamics", of), "lam": {"log_value": dump[of + n + "log_multiplier"][0]}}
    if not of and method in ("gcivl", "gciql", "hiql"):
        found["target_critic" if method == "gciql" else "target_value"] = {"value_net": twins(n + "target", of)}
    return {"modules_" + key: value for key, value in found.items()}


def compare(method):
    config = importlib.import_module("agents." + method).get_config()
    config.value_hidden_dims, config.actor_hidden_dims = (37,) * 3, (45,) * 3
    if "latent_dim" in config:
        config.latent_dim = 32
    b = {key: jnp.array(dump[f"{method}.{key}"]) for key in ("states", "next", "actions", "value_goals", "actor_goals", "reached")}
    batch = {"observations": b["states"], "next_observations": b["next"], "actions": b["actions"], "value_goals": b["value_goals"],
             "actor_goals": b["actor_goals"], "masks": 1 - b["reached"], "rewards": b["reached"] - 1}
    if method == "hiql":
        batch |= {theirs: jnp.array(dump["hiql." + ours]) for theirs, ours in
                  (("low_actor_goals", "low_goals"), ("high_actor_goals", "high_goals"), ("high_actor_targets", "subgoals"))}
    agent = agents[method].create(0, batch["observations"], batch["actions"], config)
    parameters = jax.tree_util.tree_map(jnp.asarray, tree(method))
    shapes = lambda of: jax.tree_util.tree_map(jnp.shape, dict(of))
    same = shapes(parameters) == shapes(agent.network.params)
    agent = agent.replace(network=agent.network.replace(params=parameters))
    (_, info), gradients = jax.value_and_grad(lambda p: agent.total_loss(batch, p, rng=jax.random.PRNGKey(0)), has_aux=True)(parameters)
    worst = 0.0
    for path, ours in jax.tree_util.tree_flatten_with_path(tree(method, "grad."))[0]:
        theirs = gradients
        for key in path:
            theirs = theirs[key.key]
        worst = max(worst, float(jnp.linalg.norm(theirs - ours) / jnp.maximum(jnp.linalg.norm(theirs), 1e-12)))
    losses = {key: (float(info[key]), dump[f"{method}.{name}"].item()) for key, name in TERMS.items()
              if key in info and f"{method}.{name}" in dump}
    print(f"{method}: same parameters {same}, worst gradient {worst:.1e}, losses {losses}", flush=True)
    return same and worst <= TOLERANCE and all(abs(x - y) <= TOLERANCE * max(1, abs(x)) for x, y in losses.values())


results = [compare(method) for method in ("gcivl", "gciql", "crl", "qrl", "hiql")]
sys.exit(0 if all(results) else 1)
