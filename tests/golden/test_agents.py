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


def test_gciql(dump):
    value, actor = Net(dump, "gciql.value"), Net(dump, "gciql.actor")
    critic, target = Pair(dump, "gciql.critic"), Pair(dump, "gciql.target")
    b = batch_of(dump, "gciql")
    v = value(torch.cat([b["states"], b["value_goals"]], 1)).squeeze(1)
    with torch.no_grad():
        least = target(b["states"], b["value_goals"], b["actions"]).min(0).values
        q = b["reached"] - 1 + 0.99 * (1 - b["reached"]) * value(torch.cat([b["next"], b["value_goals"]], 1)).squeeze(1)
    of_value = expectile(least - v, least - v, 0.9)
    of_critic = ((critic(b["states"], b["value_goals"], b["actions"]) - q) ** 2).sum(0).mean()
    mean = actor(torch.cat([b["states"], b["actor_goals"]], 1))
    assert (mean.abs() > 1).any() and (mean.abs() < 1).any()
    wished = critic(b["states"], b["actor_goals"], mean.clamp(-1, 1)).min(0).values
    of_actor = ddpg_bc(wished, mean, b["actions"], 0.3)
    of_actor.backward()
    for parameter in critic.named.values():  # the actor's loss is none of the critic's
        parameter.grad = None
    close(dump["gciql.actor_loss"], of_actor)
    gradients = {k: p.grad.clone() for k, p in actor.named.items()}
    (of_value + of_critic).backward()
    close(dump["gciql.loss"], of_value + of_critic + of_actor)
    for key, p in (value.named | critic.named).items():
        close(dump["grad." + key], p.grad)
    for key, gradient in gradients.items():
        close(dump["grad." + key], gradient)


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
