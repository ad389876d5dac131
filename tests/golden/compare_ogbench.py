"""Losses and gradients of the baselines against their authors' own code, on the weights and batch of agents_dump. Not one of
the suite's tests, because that code and JAX are no dependencies of ours: run it by hand in an environment that has them.

    python tests/golden/compare_ogbench.py CODE [build/release/tests/agents_dump [METHOD ...]]

CODE is folder `impls` of OGBench, the same of SAW's fork of it (then saw is compared too), or GAS's repository (then gas alone).

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

GAS = os.path.isdir(sys.argv[1] + "/M_utils")
if GAS:
    from M_utils.agents import gas as of_gas  # noqa: E402
else:
    from agents import agents  # noqa: E402
    if os.path.exists(sys.argv[1] + "/agents/saw.py"):
        from agents.saw import SAWAgent  # noqa: E402
        agents = agents | {"saw": SAWAgent}

PROGRAM = sys.argv[2] if len(sys.argv) > 2 else "build/release/tests/agents_dump"
TOLERANCE = 1e-5
# their names of losses, ours
TERMS = {"value/value_loss": "value_loss", "critic/critic_loss": "critic_loss", "critic/contrastive_loss": "critic_loss",
         "waypoint/waypoint_loss": "way_loss", "waypoint/wadv": "way_advantage", "dynamics/dynamics_loss": "dynamics_loss", "value/d_neg_loss": "far_loss", "value/d_pos_loss": "excess", "actor/q_mean": "q"}


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
    if method == "saw":
        found |= {"goal_rep": {"layers_0": mlp(n + "goal", of)}, "actor_goal_rep_def": {"layers_0": mlp(n + "actor_goal", of)},
                  "value": {"value_net": twins(n + "value", of)}, "low_actor": actor(n + "low_actor", of)}
    if method == "gcivl":
        found["value"] = {"value_net": twins(n + "value", of)}
    if method == "gciql":
        found |= {"value": {"value_net": mlp(n + "value", of)}, "critic": {"value_net": twins(n + "critic", of)}}
    if method == "crl":
        found["critic"] = {"phi": twins(n + "phi", of), "psi": twins(n + "psi", of)}
    if method == "qrl":
        found |= {"value": {"phi": mlp(n + "phi", of), "alpha": {"value": dump[of + n + "alpha"][0]}},
                  "dynamics": mlp(n + "dynamics", of), "lam": {"log_value": dump[of + n + "log_multiplier"][0]}}
    if not of and method in ("gcivl", "gciql", "hiql", "saw"):
        found["target_critic" if method == "gciql" else "target_value"] = {"value_net": twins(n + "target", of)}
    return {"modules_" + key: value for key, value in found.items()}


def worst_gradient(gradients, ours):
    worst = 0.0
    for path, of_ours in jax.tree_util.tree_flatten_with_path(ours)[0]:
        theirs = gradients
        for key in path:
            theirs = theirs[key.key]
        size = jnp.linalg.norm(theirs)
        if size > 1e-6:  # or else it is rounding: what shifts all phi alike changes no distance
            worst = max(worst, float(jnp.linalg.norm(theirs - of_ours) / size))
    return worst


def compare_gas():
    """the distance, and the low-level policy with given directions"""
    config = of_gas.get_config()
    config.tdr_value_hidden_dims, config.value_hidden_dims, config.actor_hidden_dims = (37,) * 3, (37,) * 3, (45,) * 3
    config.discount, config.tdr_expectile, config.alpha = 0.99, 0.95, 0.5
    of = lambda name, *keys: [jnp.array(dump[f"{name}.{key}"]) for key in keys]
    states, following, actions, goals, reached = of("distance", "states", "next", "actions", "value_goals", "reached")
    agent = of_gas.GASAgent.create(0, states[:1], actions[:1], config)
    trees = {}
    for prefix in ("", "grad."):
        trees[prefix] = {"modules_tdr_value": {"phi_net": twins("distance.phi", prefix)},
                         "modules_value": {"value_net": mlp("gas.value", prefix)}, "modules_critic": {"value_net": twins("gas.critic", prefix)},
                         "modules_actor": actor("gas.actor", prefix)}
    parameters = trees[""] | {"modules_target_tdr_value": {"phi_net": twins("distance.target", "")},
                              "modules_target_critic": {"value_net": twins("gas.target", "")}}
    shapes = lambda of: jax.tree_util.tree_map(jnp.shape, dict(of))
    same = shapes(parameters) == shapes(agent.network.params)
    parameters = jax.tree_util.tree_map(jnp.asarray, parameters)
    agent = agent.replace(network=agent.network.replace(params=parameters))
    batch = {"observations": states, "next_observations": following, "tdr_value_goals": goals, "tdr_rewards": reached - 1, "tdr_masks": 1 - reached}
    (of_distance, _), one = jax.value_and_grad(lambda p: agent.tdr_value_loss(batch, p), has_aux=True)(parameters)
    states, following, actions, here, there, any_way, way = of("gas", "states", "next", "actions", "here", "there", "any", "way")
    unit = lambda x: x / (jnp.linalg.norm(x, axis=1, keepdims=True) + 1e-10)
    batch = {"observations": states, "next_observations": following, "actions": actions, "value_skills": unit(any_way), "actor_skills": unit(way),
             "rewards": ((there - here) * unit(any_way)).sum(1), "masks": jnp.ones(len(states))}
    policy = lambda p: agent.value_loss(batch, p)[0] + agent.critic_loss(batch, p)[0] + agent.actor_loss(batch, p, jax.random.PRNGKey(0))[0]
    of_policy, two = jax.value_and_grad(policy)(parameters)
    constant = 0.5 * 3 * float(jnp.log(2 * jnp.pi)) / 2  # of their likelihood, weight and size of actions
    losses = {"distance": (float(of_distance), dump["distance.loss"].item()), "policy": (float(of_policy) - constant, dump["gas.loss"].item())}
    worst = max(worst_gradient(one, {"modules_tdr_value": trees["grad."]["modules_tdr_value"]}),
                worst_gradient(two, {key: trees["grad."][key] for key in ("modules_value", "modules_critic", "modules_actor")}))
    print(f"gas: same parameters {same}, worst gradient {worst:.1e}, losses {losses}", flush=True)
    return same and worst <= TOLERANCE and all(abs(x - y) <= TOLERANCE * max(1, abs(x)) for x, y in losses.values())


def compare(method):
    config = importlib.import_module("agents." + method).get_config()
    config.value_hidden_dims, config.actor_hidden_dims = (37,) * 3, (45,) * 3
    if "latent_dim" in config:
        config.latent_dim = 32
    if method == "saw":
        config.low_actor_hidden_dims = (45,) * 3
        config.low_alpha, config.awr_alpha, config.kl_alpha = 3.0, 2.0, 4.0
    b = {key: jnp.array(dump[f"{method}.{key}"]) for key in ("states", "next", "actions", "value_goals", "actor_goals", "reached")}
    batch = {"observations": b["states"], "next_observations": b["next"], "actions": b["actions"], "value_goals": b["value_goals"],
             "actor_goals": b["actor_goals"], "masks": 1 - b["reached"], "rewards": b["reached"] - 1}
    if method in ("hiql", "saw"):
        batch |= {theirs: jnp.array(dump[f"{method}.{ours}"]) for theirs, ours in
                  (("low_actor_goals", "low_goals"), ("high_actor_goals", "high_goals"), ("high_actor_targets", "subgoals"))}
    agent = agents[method].create(0, batch["observations"], batch["actions"], config)
    parameters = jax.tree_util.tree_map(jnp.asarray, tree(method))
    shapes = lambda of: jax.tree_util.tree_map(jnp.shape, dict(of))
    same = shapes(parameters) == shapes(agent.network.params)
    agent = agent.replace(network=agent.network.replace(params=parameters))
    (_, info), gradients = jax.value_and_grad(lambda p: agent.total_loss(batch, p, rng=jax.random.PRNGKey(0)), has_aux=True)(parameters)
    worst = worst_gradient(gradients, tree(method, "grad."))
    losses = {key: (float(info[key]), dump[f"{method}.{name}"].item()) for key, name in TERMS.items()
              if key in info and f"{method}.{name}" in dump}
    print(f"{method}: same parameters {same}, worst gradient {worst:.1e}, losses {losses}", flush=True)
    return same and worst <= TOLERANCE and all(abs(x - y) <= TOLERANCE * max(1, abs(x)) for x, y in losses.values())


methods = sys.argv[3:] or ["gcivl", "gciql", "crl", "qrl", "hiql", "saw"]
results = [compare_gas()] if GAS else [compare(method) for method in methods if method in agents]
sys.exit(0 if all(results) else 1)
