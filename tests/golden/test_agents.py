"""Losses, every gradient and one step of the baselines of OGBench against an independent PyTorch implementation in double,
on the same weights and batch; their networks without torch against PyTorch.

The dump comes from agents_dump.cc (ALPS_AGENTS_DUMP, or build/release/tests/agents_dump)."""
import math
import os
import pathlib
import subprocess

import pytest
import torch
import torch.nn.functional as F
from safetensors.torch import load_file

ROOT = pathlib.Path(__file__).resolve().parents[2]
DUMP = os.environ.get("ALPS_AGENTS_DUMP", ROOT / "build/release/tests/agents_dump")
TOLERANCE = 1e-5


@pytest.fixture(scope="module")
def dump(tmp_path_factory):
    path = tmp_path_factory.mktemp("golden") / "dump.safetensors"
    subprocess.run([DUMP, path], check=True)
    return {name: tensor.double() for name, tensor in load_file(path).items()}


def close(ours, theirs, tolerance=TOLERANCE):
    theirs = theirs.detach()
    assert ours.numel() == theirs.numel() and torch.isfinite(ours).all()
    error = (ours.flatten() - theirs.flatten()).norm() / theirs.norm().clamp_min(1e-12)
    assert error <= tolerance, f"relative error {error:.2e}"


class Net:
    """GELU in its tanh form between the layers, with layer norm after it where there is one"""

    def __init__(self, dump, name):
        prefix = name + "."
        self.named = {k: v.clone().requires_grad_() for k, v in dump.items() if k.startswith(prefix) and k[len(prefix)].isdigit()}
        self.name, self.layers = name, sum(k.endswith(".weight") and "norm" not in k for k in self.named)

    def __call__(self, x):
        for i in range(self.layers):
            at = f"{self.name}.{i}"
            x = F.linear(x, self.named[at + ".weight"], self.named[at + ".bias"])
            if i + 1 < self.layers:
                x = F.gelu(x, approximate="tanh")
                if at + ".norm.weight" in self.named:
                    x = F.layer_norm(x, x.shape[-1:], self.named[at + ".norm.weight"], self.named[at + ".norm.bias"], 1e-6)
        return x


class Pair:
    def __init__(self, dump, name):
        self.nets = Net(dump, name + "_one"), Net(dump, name + "_two")
        self.named = self.nets[0].named | self.nets[1].named

    def __call__(self, *parts):
        x = torch.cat(parts, 1)
        return torch.stack([net(x) for net in self.nets]).squeeze(-1)


def batch_of(dump, name):
    return {k.removeprefix(name + "."): v for k, v in dump.items() if k.startswith(name + ".") and k.count(".") == 1}


def check(dump, name, loss, terms, named):
    optimizer = torch.optim.Adam(named.values(), lr=1e-3)
    loss.backward()
    close(dump[name + ".loss"], loss)
    for term, value in terms.items():  # means of differences among them
        assert dump[f"{name}.{term}"].item() == pytest.approx(value.item(), rel=1e-5, abs=1e-6)
    for key, parameter in named.items():
        close(dump["grad." + key], parameter.grad)
    optimizer.step()
    for key, parameter in named.items():
        close(dump["after." + key], parameter, 1e-4)  # Adam divides by tiny gradients


def expectile(advantage, diff, tau):
    return (torch.where(advantage >= 0, tau, 1 - tau) * diff**2).mean()


def nll(mean, x):
    """of a Gaussian of deviation 1, without the constant"""
    normal = torch.distributions.Normal(mean, torch.ones_like(mean))
    return -normal.log_prob(x).sum(1) - x.shape[1] * math.log(2 * math.pi) / 2


def awr(mean, x, advantage, temperature):
    return (torch.clamp(torch.exp(temperature * advantage), max=100).detach() * nll(mean, x)).mean()


def ddpg_bc(q, mean, x, weight):
    return -q.mean() / (q.abs().mean() + 1e-6).detach() + weight * nll(mean, x).mean()


def value_loss(value, target, b, discount, tau, goal, next_goal):
    """what GCIVL and HIQL share; value and target (state, goal) -> (2, n)"""
    reward, mask = b["reached"] - 1, 1 - b["reached"]
    with torch.no_grad():
        next_v, v_t = target(b["next"], next_goal), target(b["states"], goal)
        advantage = reward + discount * mask * next_v.min(0).values - v_t.mean(0)
        q = reward + discount * mask * next_v
    v = value(b["states"], goal)
    return expectile(advantage, q[0] - v[0], tau) + expectile(advantage, q[1] - v[1], tau)


def test_gcivl(dump):
    value, target, actor = Pair(dump, "gcivl.value"), Pair(dump, "gcivl.target"), Net(dump, "gcivl.actor")
    b = batch_of(dump, "gcivl")
    loss = value_loss(value, target, b, 0.99, 0.9, b["value_goals"], b["value_goals"])
    with torch.no_grad():
        advantage = value(b["next"], b["actor_goals"]).mean(0) - value(b["states"], b["actor_goals"]).mean(0)
    assert (torch.exp(10 * advantage) > 100).any() and (advantage < 0).any()
    imitation = awr(actor(torch.cat([b["states"], b["actor_goals"]], 1)), b["actions"], advantage, 10)
    check(dump, "gcivl", loss + imitation, {"value_loss": loss, "actor_loss": imitation, "advantage": advantage.mean()},
          value.named | actor.named)
    for key, slow in target.named.items():
        close(dump["followed." + key], 0.995 * slow + 0.005 * value.named[key.replace("target", "value")], 1e-4)


def test_inference_without_torch(dump):
    x = torch.cat([dump["gcivl.states"], dump["gcivl.value_goals"]], 1)
    for kind in ("rescaled", "plain"):
        close(dump[f"units.{kind}_nn"], Net(dump, f"units.{kind}")(x))


def critic_losses(value, critic, target, b, goals, reward, go_on, tau):
    """of V and Q; and V and the lesser Q themselves"""
    v = value(torch.cat([b["states"], goals], 1)).squeeze(1)
    with torch.no_grad():
        least = target(b["states"], goals, b["actions"]).min(0).values
        q = reward + go_on * value(torch.cat([b["next"], goals], 1)).squeeze(1)
    return expectile(least - v, least - v, tau), ((critic(b["states"], goals, b["actions"]) - q) ** 2).sum(0).mean(), v, least


def critic_networks(dump, name):
    return Net(dump, name + ".value"), Pair(dump, name + ".critic"), Pair(dump, name + ".target"), Net(dump, name + ".actor")


def check_climbing(dump, name, goals, actor_goals, reward, go_on, tau, weight):
    """values, and an actor by DDPG+BC whose loss is none of the critic's"""
    value, critic, target, actor = critic_networks(dump, name)
    b = batch_of(dump, name)
    of_value, of_critic, _, _ = critic_losses(value, critic, target, b, goals, reward, go_on, tau)
    mean = actor(torch.cat([b["states"], actor_goals], 1))
    assert (mean.abs() > 1).any() and (mean.abs() < 1).any()
    wished = critic(b["states"], actor_goals, mean.clamp(-1, 1)).min(0).values
    of_actor = ddpg_bc(wished, mean, b["actions"], weight)
    of_actor.backward()
    for parameter in critic.named.values():
        parameter.grad = None
    close(dump[name + ".actor_loss"], of_actor)
    gradients = {k: p.grad.clone() for k, p in actor.named.items()}
    (of_value + of_critic).backward()
    close(dump[name + ".loss"], of_value + of_critic + of_actor)
    for key, p in (value.named | critic.named).items():
        close(dump["grad." + key], p.grad)
    for key, gradient in gradients.items():
        close(dump["grad." + key], gradient)


def test_gciql(dump):
    b = batch_of(dump, "gciql")
    check_climbing(dump, "gciql", b["value_goals"], b["actor_goals"], b["reached"] - 1, 0.99 * (1 - b["reached"]), 0.9, 0.3)


def test_gas(dump):
    b = batch_of(dump, "gas")
    any_way, way = F.normalize(b["any"], dim=1), F.normalize(b["way"], dim=1)
    progress = ((b["there"] - b["here"]) * any_way).sum(1)
    assert (progress > 0).any() and (progress < 0).any()
    check_climbing(dump, "gas", any_way, way, progress, 0.99, 0.7, 0.5)


def test_hilp(dump):
    value, critic, target, actor = critic_networks(dump, "hilp")
    b = batch_of(dump, "hilp")
    any_way = F.normalize(b["any"], dim=1)
    progress = ((b["there"] - b["here"]) * any_way).sum(1)
    of_value, of_critic, v, least = critic_losses(value, critic, target, b, any_way, progress, 0.99, 0.9)
    imitation = awr(actor(torch.cat([b["states"], any_way], 1)), b["actions"], least - v, 10)
    check(dump, "hilp", of_value + of_critic + imitation,
          {"value_loss": of_value, "critic_loss": of_critic, "actor_loss": imitation, "value": v.mean()},
          value.named | critic.named | actor.named)


def test_distance(dump):
    phi, target = Pair(dump, "distance.phi"), Pair(dump, "distance.target")
    b = batch_of(dump, "distance")

    def value(nets):
        return lambda s, g: torch.stack([-torch.sqrt(((net(s) - net(g)) ** 2).sum(1).clamp_min(1e-6)) for net in nets.nets])

    assert torch.equal(b["value_goals"][0], b["states"][0])
    loss = value_loss(value(phi), value(target), b, 0.99, 0.95, b["value_goals"], b["value_goals"])
    # what is added to phi everywhere changes no distance
    shifts = [key for key in phi.named if key.endswith((".3.bias", ".2.norm.bias"))]
    assert len(shifts) == 4 and all(dump["grad." + key].abs().max() < 1e-6 for key in shifts)
    check(dump, "distance", loss, {"distance": -value(phi)(b["states"], b["value_goals"])[0].mean()},
          {key: p for key, p in phi.named.items() if key not in shifts})


def test_crl(dump):
    phi, psi, actor = Pair(dump, "crl.phi"), Pair(dump, "crl.psi"), Net(dump, "crl.actor")
    b = batch_of(dump, "crl")
    left, right = phi(b["states"], b["actions"]), psi(b["value_goals"])
    logits = torch.einsum("eik,ejk->eij", left, right) / math.sqrt(left.shape[-1])
    critic = F.binary_cross_entropy_with_logits(logits, torch.eye(logits.shape[1]).double().expand_as(logits))
    critic.backward()
    for key, p in (phi.named | psi.named).items():
        close(dump["grad." + key], p.grad)
    mean = actor(torch.cat([b["states"], b["actor_goals"]], 1))
    q = (phi(b["states"], mean.clamp(-1, 1)) * psi(b["actor_goals"]).detach()).sum(-1).min(0).values / math.sqrt(left.shape[-1])
    imitation = ddpg_bc(q, mean, b["actions"], 0.1)
    check(dump, "crl", imitation + critic.detach(), {"critic_loss": critic, "q": q.mean()}, actor.named)


def iqe(x, y, alpha, group=8):
    """by the ends in order: a piece is covered while more intervals have begun than ended"""
    x, y = x.unflatten(-1, (-1, group)), y.unflatten(-1, (-1, group))
    valid = x < y
    ends = torch.cat([torch.where(valid, x, 0), torch.where(valid, y, 0)], -1)
    steps = torch.cat([valid.double(), -valid.double()], -1)
    ends, order = ends.sort(-1)
    open_now = torch.gather(steps, -1, order).cumsum(-1)[..., :-1] > 0.5
    unions = ((ends[..., 1:] - ends[..., :-1]) * open_now).sum(-1)
    return unions if alpha is None else alpha * unions.mean(-1) + (1 - alpha) * unions.max(-1).values


def test_interval_unions(dump):
    x, y = dump["iqe.x"].clone().requires_grad_(), dump["iqe.y"].clone().requires_grad_()
    unions = iqe(x, y, None)
    close(dump["iqe.unions"], unions)
    (unions * dump["iqe.weights"]).sum().backward()
    close(dump["iqe.x_gradient"], x.grad)
    close(dump["iqe.y_gradient"], y.grad)


def test_qrl(dump):
    phi, dynamics, actor = (Net(dump, "qrl." + k) for k in ("phi", "dynamics", "actor"))
    raw, log_lambda = (dump["qrl." + k].clone().requires_grad_() for k in ("alpha", "log_multiplier"))
    b = batch_of(dump, "qrl")
    here, after, goal = phi(b["states"]), phi(b["next"]), phi(b["value_goals"])
    alpha = torch.sigmoid(raw)
    far = iqe(here, goal, alpha)
    push = (100 * F.softplus(5 - far / 100)).mean()
    excess = (F.relu(iqe(here, after, alpha) - 1) ** 2).mean()
    assert excess > 0
    factor = log_lambda.exp().squeeze()
    value = push + excess * factor.detach() + factor * (0.05 - excess.detach())
    imagined = here + dynamics(torch.cat([here, b["actions"]], 1))
    model = (iqe(after, imagined, alpha) + iqe(imagined, after, alpha)).mean() / 2
    (value + model).backward()
    for key, p in (phi.named | dynamics.named).items():
        close(dump["grad." + key], p.grad, 2e-5)
    close(dump["grad.qrl.alpha"], raw.grad, 2e-5)
    close(dump["grad.qrl.log_multiplier"], log_lambda.grad)
    mean = actor(torch.cat([b["states"], b["actor_goals"]], 1))
    with torch.no_grad():
        start, there = phi(b["states"]), phi(b["actor_goals"])
    q = -iqe(start + dynamics(torch.cat([start, mean.clamp(-1, 1)], 1)), there, alpha.detach())
    imitation = ddpg_bc(q, mean, b["actions"], 0.003)
    check(dump, "qrl", imitation + (value + model).detach(),
          {"far_loss": push, "excess": excess, "dynamics_loss": model, "actor_loss": imitation}, actor.named)


def test_hiql(dump):
    phi, value, target = Net(dump, "hiql.goal"), Pair(dump, "hiql.value"), Pair(dump, "hiql.target")
    high, low = Net(dump, "hiql.high_actor"), Net(dump, "hiql.low_actor")
    b = batch_of(dump, "hiql")

    def rep(s, g):
        x = phi(torch.cat([s, g], 1))
        return F.normalize(x, dim=1) * math.sqrt(x.shape[1])

    of_value = value_loss(value, target, b, 0.99, 0.7, rep(b["states"], b["value_goals"]), rep(b["next"], b["value_goals"]))
    with torch.no_grad():
        v = lambda s, g: value(s, rep(s, g)).mean(0)
        near = v(b["next"], b["low_goals"]) - v(b["states"], b["low_goals"])
        far = v(b["subgoals"], b["high_goals"]) - v(b["states"], b["high_goals"])
        low_goal, subgoal = rep(b["states"], b["low_goals"]), rep(b["states"], b["subgoals"])
    of_low = awr(low(torch.cat([b["states"], low_goal], 1)), b["actions"], near, 3)
    of_high = awr(high(torch.cat([b["states"], b["high_goals"]], 1)), subgoal, far, 3)
    check(dump, "hiql", of_value + of_low + of_high,
          {"value_loss": of_value, "low_loss": of_low, "high_loss": of_high, "low_advantage": near.mean(),
           "high_advantage": far.mean()}, phi.named | value.named | high.named | low.named)


def test_saw(dump):
    phi, value, target = Net(dump, "saw.goal"), Pair(dump, "saw.value"), Pair(dump, "saw.target")
    seen, actor, low = Net(dump, "saw.actor_goal"), Net(dump, "saw.actor"), Net(dump, "saw.low_actor")
    b = batch_of(dump, "saw")

    def rep(net, s, g):
        x = net(torch.cat([s, g], 1))
        return F.normalize(x, dim=1) * math.sqrt(x.shape[1])

    of_value = value_loss(value, target, b, 0.99, 0.7, rep(phi, b["states"], b["value_goals"]),
                          rep(phi, b["next"], b["value_goals"]).detach())
    with torch.no_grad():
        v = lambda s, g: value(s, rep(phi, s, g)).mean(0)
        near = v(b["next"], b["low_goals"]) - v(b["states"], b["low_goals"])
        step = v(b["next"], b["high_goals"]) - v(b["states"], b["high_goals"])
        way = v(b["subgoals"], b["high_goals"]) - v(b["states"], b["high_goals"])
        taught = low(torch.cat([b["states"], b["subgoals"]], 1))
    of_low = awr(low(torch.cat([b["states"], b["low_goals"]], 1)), b["actions"], near, 3)
    mean = actor(torch.cat([b["states"], rep(seen, b["states"], b["high_goals"])], 1))
    imitation = awr(mean, b["actions"], step, 2)
    bootstrapped = (torch.exp(4 * way).clamp(max=100) * ((mean - taught) ** 2).sum(1)).mean()
    check(dump, "saw", of_value + of_low + imitation + bootstrapped,
          {"value_loss": of_value, "low_loss": of_low, "actor_loss": imitation, "way_loss": bootstrapped,
           "way_advantage": way.mean()},
          phi.named | value.named | seen.named | actor.named | low.named)
