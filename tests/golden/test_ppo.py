"""An update of our PPO against an independent PyTorch implementation in double: generalized advantages, both losses,
every gradient (by Adam's first moment), weights, deviations and scales afterwards. The dump comes from ppo_dump.cc."""
import os
import pathlib
import subprocess

import pytest
import torch
from safetensors.torch import load_file

ROOT = pathlib.Path(__file__).resolve().parents[2]
DUMP = os.environ.get("ALPS_PPO_DUMP", ROOT / "build/release/tests/ppo_dump")
BODIES, STEPS, DISCOUNT, LAMBDA, CLIP, LR, LONGEST, ENTROPY = 5, 8, 0.99, 0.95, 0.2, 1e-2, 0.4, 0.01
SIZES = {"actor": (4, 12, 8, 3), "critic": (4, 12, 8, 1)}
TERMINATED, CUT = 1, 2


@pytest.fixture(scope="module")
def dump(tmp_path_factory):
    path = tmp_path_factory.mktemp("ppo") / "dump.safetensors"
    subprocess.run([DUMP, path], check=True, env={**os.environ, "ALPS_PRECISION": "fp32"})
    return {name: value.double() for name, value in load_file(path).items()}


def network(values, sizes):
    layers, at = [], 0
    for inputs, outputs in zip(sizes, sizes[1:]):
        layers.append(values[at:at + inputs * outputs].reshape(outputs, inputs).clone().requires_grad_())
        at += inputs * outputs
        layers.append(values[at:at + outputs].clone().requires_grad_())
        at += outputs
    assert at == len(values)
    return layers


def apply(layers, x):
    x = (x / (1 + 1e-5) ** 0.5).clamp(-8, 8)  # nothing was seen before: mean 0, variance 1
    for k in range(0, len(layers), 2):
        x = x @ layers[k].T + layers[k + 1]
        if k + 2 < len(layers):
            x = x.relu()
    return x


def flat(tensors):
    return torch.cat([t.reshape(-1) for t in tensors])


def close(ours, theirs, tolerance=2e-5):
    assert ours.shape == theirs.shape and torch.isfinite(ours).all()
    error = (ours - theirs.detach()).norm() / theirs.detach().norm().clamp_min(1e-12)
    assert error <= tolerance, f"relative error {error:.2e}"


def advantages(dump, critic):
    """by the recursion, body by body, from the last step to the first"""
    with torch.no_grad():
        here, after = apply(critic, dump["observations"])[:, 0], apply(critic, dump["after"])[:, 0]
    out = torch.zeros_like(here)
    for body in range(BODIES):
        ahead = 0.0
        for t in reversed(range(STEPS)):
            row = body * STEPS + t
            end = dump["ends"][row]
            following = 0.0 if end == TERMINATED else after[row] if end == CUT or t + 1 == STEPS else here[row + 1]
            ahead = dump["rewards"][row] + DISCOUNT * following - here[row] + (DISCOUNT * LAMBDA * ahead if end == 0 else 0)
            out[row] = ahead
    return out, out + here


def test_an_update(dump):
    nets = {name: network(dump[f"start.{name}.values"], sizes) for name, sizes in SIZES.items()}
    log_sigma = dump["start.sigma.values"].clone().requires_grad_()
    adams = {name: torch.optim.Adam(layers, lr=LR) for name, layers in nets.items()}
    sigma_adam = torch.optim.Adam([log_sigma], lr=LR)
    moments = {name: torch.zeros_like(dump[f"start.{name}.values"]) for name in nets}
    sigma_moment = torch.zeros_like(log_sigma)

    gain, returns = advantages(dump, nets["critic"])
    gain = (gain - gain.mean()) / (gain.std(unbiased=False) + 1e-6)
    close(dump["after.returns.mean"], returns.mean()[None], 1e-4)
    close(dump["after.returns.variance"], returns.var(unbiased=False)[None], 1e-4)
    returns = (returns - returns.mean()) / returns.std(unbiased=False)

    losses = torch.zeros(3, dtype=torch.double)
    for epoch in (0, 1):
        mirrored = dump[f"mirrored{epoch}"][:, None] > 0
        assert 0.2 < mirrored.double().mean() < 0.8
        s, a = dump["observations"], dump["actions"]
        s = torch.where(mirrored, torch.stack([s[:, 1], s[:, 0], -s[:, 2], s[:, 3]], 1), s)
        a = torch.where(mirrored, torch.stack([a[:, 2], -a[:, 1], a[:, 0]], 1), a)
        normal = torch.distributions.Normal(apply(nets["actor"], s), log_sigma.exp())
        ratio = (normal.log_prob(a).sum(1) - dump["log_probs"]).exp()
        kept = ratio.clamp(1 - CLIP, 1 + CLIP)
        policy_loss = -torch.minimum(ratio * gain, kept * gain).mean()
        (policy_loss - ENTROPY * log_sigma.sum()).backward()
        value_loss = ((apply(nets["critic"], s)[:, 0] - returns) ** 2).mean()
        value_loss.backward()
        losses += torch.stack([policy_loss.detach(), value_loss.detach(), (ratio != kept).double().mean()]) / 2
        for name, layers in nets.items():
            torch.nn.utils.clip_grad_norm_(layers, LONGEST)
            moments[name] = 0.9 * moments[name] + 0.1 * flat([p.grad for p in layers])
            adams[name].step()
            adams[name].zero_grad()
        sigma_moment = 0.9 * sigma_moment + 0.1 * log_sigma.grad
        sigma_adam.step()
        sigma_adam.zero_grad()
    assert 0 < losses[2] < 1  # some were clipped
    close(dump["losses"], losses, 1e-4)
    for name, layers in nets.items():
        close(dump[f"after.{name}.first"], moments[name], 1e-4)
        close(dump[f"after.{name}.values"], flat(layers), 1e-3)  # Adam divides by tiny gradients
    close(dump["after.sigma.first"], sigma_moment, 1e-4)
    close(dump["after.sigma.values"], log_sigma, 1e-4)
    close(dump["after.seen.mean"], dump["observations"].mean(0), 1e-4)
