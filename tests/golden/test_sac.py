"""The updates of our SAC against an independent PyTorch implementation in double: losses, every gradient (by Adam's
first moment), the weights, targets and temperature afterwards. The dump comes from sac_dump.cc."""
import os
import pathlib
import subprocess

import pytest
import torch
from safetensors.torch import load_file

ROOT = pathlib.Path(__file__).resolve().parents[2]
DUMP = os.environ.get("ALPS_SAC_DUMP", ROOT / "build/release/tests/sac_dump")
LR, DISCOUNT, TAU, TARGET_ENTROPY = 1e-3, 0.9, 0.05, -1.5
SIZES = {"actor": (5, 24, 24, 6), "critic0": (8, 24, 24, 1), "critic1": (8, 24, 24, 1)}


@pytest.fixture(scope="module")
def dump(tmp_path_factory):
    path = tmp_path_factory.mktemp("sac") / "dump.safetensors"
    subprocess.run([DUMP, path], check=True)
    return {name: value.double() for name, value in load_file(path).items()}


def network(values, sizes):
    """weights and biases of each layer, as leaves"""
    layers, at = [], 0
    for inputs, outputs in zip(sizes, sizes[1:]):
        weight = values[at:at + inputs * outputs].reshape(outputs, inputs).clone().requires_grad_()
        at += inputs * outputs
        bias = values[at:at + outputs].clone().requires_grad_()
        at += outputs
        layers += [weight, bias]
    assert at == len(values)
    return layers


def apply(layers, x):
    for k in range(0, len(layers), 2):
        x = x @ layers[k].T + layers[k + 1]
        if k + 2 < len(layers):
            x = x.relu()
    return x


def flat(tensors):
    return torch.cat([t.reshape(-1) for t in tensors])


def policy(layers, observations, noise):
    mu, log_sigma = apply(layers, observations).chunk(2, 1)
    normal = torch.distributions.Normal(mu, log_sigma.clamp(-5, 2).exp())
    u = mu + normal.scale * noise
    tanh = torch.distributions.transforms.TanhTransform()
    return u.tanh(), (normal.log_prob(u) - tanh.log_abs_det_jacobian(u, u.tanh())).sum(1)


def close(ours, theirs, tolerance=1e-5):
    assert ours.shape == theirs.shape and torch.isfinite(ours).all()
    error = (ours - theirs.detach()).norm() / theirs.detach().norm().clamp_min(1e-12)
    assert error <= tolerance, f"relative error {error:.2e}"


def test_two_updates(dump):
    nets = {name: network(dump[f"start.{name}.values"], sizes) for name, sizes in SIZES.items()}
    targets = [network(dump[f"start.critic{k}.values"], SIZES["critic0"]) for k in (0, 1)]
    for k in (0, 1):  # targets start as their critics
        close(dump[f"start.target{k}.values"], dump[f"start.critic{k}.values"])
    log_alpha = dump["start.alpha"][:1].clone().requires_grad_()
    adams = {name: torch.optim.Adam(layers, lr=LR) for name, layers in nets.items()}
    alpha_adam = torch.optim.Adam([log_alpha], lr=LR)
    moments = {name: torch.zeros_like(dump[f"start.{name}.values"]) for name in nets}

    for step in ("1", "2"):
        s, a, r, s2, mask = (dump[key + step] for key in ("observations", "actions", "rewards", "next", "masks"))
        alpha = log_alpha.detach().exp()
        with torch.no_grad():
            a2, log_prob2 = policy(nets["actor"], s2, dump[f"noise0_{step}"])
            q2 = torch.minimum(*(apply(t, torch.cat([s2, a2], 1)) for t in targets))
            y = r + DISCOUNT * mask * (q2 - alpha * log_prob2[:, None])
        critic_loss = sum(((apply(nets[f"critic{k}"], torch.cat([s, a], 1)) - y) ** 2).mean() for k in (0, 1))
        critic_loss.backward()
        for k in (0, 1):
            adams[f"critic{k}"].step()

        here, log_prob = policy(nets["actor"], s, dump[f"noise1_{step}"])
        q = sum(apply(nets[f"critic{k}"], torch.cat([s, here], 1)) for k in (0, 1))[:, 0] / 2
        actor_loss = (alpha * log_prob - q).mean()
        gradients = torch.autograd.grad(actor_loss, nets["actor"])
        for parameter, gradient in zip(nets["actor"], gradients):
            parameter.grad = gradient
        adams["actor"].step()
        entropy = -log_prob.mean().detach()
        (log_alpha.exp() * (entropy - TARGET_ENTROPY)).backward()
        alpha_adam.step()

        close(dump["losses" + step], torch.stack([critic_loss.detach(), actor_loss.detach(), entropy]))
        for name, layers in nets.items():
            moments[name] = 0.9 * moments[name] + 0.1 * flat([p.grad for p in layers])
            close(dump[f"after{step}.{name}.first"], moments[name])
            close(dump[f"after{step}.{name}.values"], flat(layers), 1e-4)  # Adam divides by tiny gradients
        with torch.no_grad():
            for k in (0, 1):
                for mine, critic in zip(targets[k], nets[f"critic{k}"]):
                    mine += TAU * (critic - mine)
                close(dump[f"after{step}.target{k}.values"], flat(targets[k]))
        close(dump[f"after{step}.alpha"][:1], log_alpha)
        for optimizer in [*adams.values(), alpha_adam]:
            optimizer.zero_grad()
