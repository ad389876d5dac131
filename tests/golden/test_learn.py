"""Losses and every gradient of the objectives against an independent PyTorch implementation on the same weights and
batch, layer by layer; torch-free inference against PyTorch; the Rayleigh-Ritz solve against SciPy.

The dump comes from learn_dump.cc (ALPS_LEARN_DUMP, or build/release/tests/learn_dump)."""
import math
import os
import pathlib
import subprocess

import numpy as np
import pytest
import scipy.linalg
import torch
from safetensors.torch import load_file

ROOT = pathlib.Path(__file__).resolve().parents[2]
DUMP = os.environ.get("ALPS_LEARN_DUMP", ROOT / "build/release/tests/learn_dump")
TOLERANCE = 1e-5


@pytest.fixture(scope="module")
def dump(tmp_path_factory):
    path = tmp_path_factory.mktemp("golden") / "dump.safetensors"
    subprocess.run([DUMP, path], check=True)
    return load_file(path)


def close(ours, theirs, tolerance=TOLERANCE):
    ours, theirs = ours.double(), theirs.detach().double()
    assert ours.shape == theirs.shape
    assert torch.isfinite(ours).all()
    error = (ours - theirs).norm() / theirs.norm().clamp_min(1e-12)
    assert error <= tolerance, f"relative error {error:.2e}"


def network(dump, prefix, norm):
    """torch.nn modules with the dumped weights, in double, and their parameters by our names"""
    layers, named, i = [], {}, 0
    while f"{prefix}.{i}.weight" in dump:
        weight = dump[f"{prefix}.{i}.weight"]
        linear = torch.nn.Linear(weight.shape[1], weight.shape[0])
        linear.load_state_dict({"weight": weight, "bias": dump[f"{prefix}.{i}.bias"]})
        named |= {f"{prefix}.{i}.weight": linear.weight, f"{prefix}.{i}.bias": linear.bias}
        layers.append(linear)
        if i == 0 and norm:
            layer_norm = torch.nn.LayerNorm(weight.shape[0])
            layer_norm.load_state_dict({"weight": dump[f"{prefix}.norm.weight"], "bias": dump[f"{prefix}.norm.bias"]})
            named |= {f"{prefix}.norm.weight": layer_norm.weight, f"{prefix}.norm.bias": layer_norm.bias}
            layers += [layer_norm, torch.nn.Tanh()]
        else:
            layers.append(torch.nn.ReLU())
        i += 1
    return torch.nn.Sequential(*layers[:-1]).double(), named


def check_training(dump, loss, named, name, after=1e-4):
    optimizer = torch.optim.Adam(named.values(), lr=1e-3)
    loss.backward()
    close(dump[f"{name}.loss"], loss)
    for key, parameter in named.items():
        close(dump[f"grad.{key}"], parameter.grad)
    optimizer.step()
    for key, parameter in named.items():
        close(dump[f"after.{key}"], parameter, after)  # Adam divides by tiny gradients


def allo(u, beta, b):
    """written from the paper: the constant is column 0, tril over j >= k, stop gradient on the second factor"""
    s, s2, c1, c2 = u.chunk(4)
    n, d = c1.shape
    graph = ((s - s2) ** 2).sum() / (2 * n)
    total_dual, total_barrier = 0.0, 0.0
    after = torch.zeros(d + 1, d + 1, dtype=u.dtype)
    one = torch.ones(n, dtype=u.dtype)
    for j in range(d + 1):
        for k in range(j + 1):
            e = []
            for c in (c1, c2):
                uj = one if j == 0 else c[:, j - 1]
                uk = one if k == 0 else c[:, k - 1]
                e.append((uj * uk.detach()).mean() - float(j == k))
            total_dual = total_dual + beta[j, k] * (e[0] + e[1]) / 2
            total_barrier = total_barrier + b * e[0] * e[1]
            after[j, k] = (e[0] + e[1]).detach() / 2
    return graph, total_dual, total_barrier, after


def test_allo(dump):
    encoder, named = network(dump, "encoder", norm=True)
    u = encoder(dump["allo.x"].double())
    close(dump["allo.u"], u)
    beta = dump["allo.duals"].double()
    graph, dual, barrier, error = allo(u, beta, 0.5)
    close(dump["allo.graph"], graph)
    close(dump["allo.dual"], dual)
    close(dump["allo.barrier"], barrier)
    check_training(dump, graph + dual + barrier, named, "allo")
    close(dump["allo.duals_after"], (beta + 0.1 * error).clamp(-0.9, 0.9))


def test_logdet(dump):
    encoder, named = network(dump, "span", norm=True)
    u = encoder(dump["logdet.states"].double())
    here, there = u.chunk(2)
    matrices = [(here - there).T @ (here - there) / 2 / len(here), torch.cov(u.T, correction=0)]
    d, c = (m + 1e-5 * m.trace() / len(m) * torch.eye(len(m)) for m in matrices)
    loss = torch.log(torch.linalg.eigvals(torch.linalg.solve(c, d)).real).mean()  # of the generalized eigenvalues
    assert dump["grad.span.3.bias"].abs().max() < 1e-6  # a constant changes nothing
    del named["span.3.bias"]
    check_training(dump, loss, named, "logdet")


def test_forward_model(dump):
    model, named = network(dump, "dynamics", norm=False)
    states, actions = dump["model.states"].double(), dump["model.actions"].double()
    x, loss = states[0], 0.0
    for t in range(len(actions)):
        x = x + dump["model.mean"].double() + dump["model.deviation"].double() * model(torch.cat([x, actions[t]], 1))
        loss = loss + (((x - states[t + 1]) / dump["model.unit"].double()) ** 2).sum(1).mean() / len(actions)
    check_training(dump, loss, named, "model")


def test_prior(dump):
    psi, _ = network(dump, "psi", norm=True)
    prior, named = network(dump, "policy", norm=False)
    states, goals, actions = (dump[f"prior.{k}"].double() for k in ("states", "goals", "actions"))
    with torch.no_grad():
        here, there = psi(states), psi(goals)
    close(dump["prior.psi_nn"], here)  # the same network in nn/, without torch
    loss = ((prior(torch.cat([states, here, there], 1)) - actions) ** 2).sum(1).mean()
    check_training(dump, loss, named, "prior")


def test_censored_prior(dump):
    wish, named = network(dump, "wish", norm=False)
    named["wish.log_sigma"] = log_sigma = dump["wish.log_sigma"].double().requires_grad_()
    actions, limit = dump["censored.actions"].double(), 0.8
    noise = torch.distributions.Normal(wish(dump["prior.states"].double()), log_sigma.exp())
    below, above = actions <= -limit + 1e-6, actions >= limit - 1e-6
    assert below.any() and above.any() and not (below | above).all()
    likely = torch.where(below, noise.cdf(torch.tensor(-limit)).log(), torch.where(
        above, (1 - noise.cdf(torch.tensor(limit))).log(), noise.log_prob(actions) + 0.5 * math.log(2 * math.pi)))
    check_training(dump, -likely.sum(1).mean(), named, "censored")


def tents(heights):
    """kernels of the first layer: heights (out, in, 1, 1) times a product of two tents over 8 pixels"""
    tent = 1 - (2 * torch.arange(8, dtype=torch.double) + 1 - 8).abs() / 8
    return heights * torch.outer(tent, tent)


def test_trunk(dump):
    head, named = network(dump, "head", norm=True)
    shapes = [(4,), (2,), (2,)]
    x = dump["trunk.pixels"].double().permute(0, 3, 1, 2) / 255
    for i, stride in enumerate(shapes):
        weight, bias = (dump[f"trunk.{i}.{k}"].double().requires_grad_() for k in ("weight", "bias"))
        named |= {f"trunk.{i}.weight": weight, f"trunk.{i}.bias": bias}
        x = torch.relu(torch.nn.functional.conv2d(x, weight if i else tents(weight), bias, stride=stride[0]))
    weight, bias = (dump[f"trunk.head.{k}"].double().requires_grad_() for k in ("weight", "bias"))
    named |= {"trunk.head.weight": weight, "trunk.head.bias": bias}
    latent = x.flatten(1) @ weight.T + bias
    close(dump["trunk.latent_nn"], latent)
    duals = -torch.ones(7, 7, dtype=torch.double).tril()
    graph, dual, barrier, _ = allo(head(latent), duals, 0.5)
    check_training(dump, graph + dual + barrier, named, "trunk")


def test_dots(dump):
    """images that are mostly black are computed only where they are not"""
    named = {}
    x = dump["dots.pixels"].double().permute(0, 3, 1, 2) / 255
    for i, stride in enumerate((4, 2, 2)):
        weight, bias = (dump[f"dots.{i}.{k}"].double().requires_grad_() for k in ("weight", "bias"))
        named |= {f"dots.{i}.weight": weight, f"dots.{i}.bias": bias}
        x = torch.relu(torch.nn.functional.conv2d(x, weight if i else tents(weight), bias, stride=stride))
    close(dump["dots.sparse"], x.flatten(1))
    close(dump["dots.dense"], x.flatten(1))
    weight, bias = (dump[f"dots.head.{k}"].double().requires_grad_() for k in ("weight", "bias"))
    named |= {"dots.head.weight": weight, "dots.head.bias": bias}
    check_training(dump, ((x.flatten(1) @ weight.T + bias) ** 2).sum(), named, "dots")


def test_tents(dump):
    """kernels that start as tents: the same numbers both ways, and black stays black"""
    close(dump["tents.sparse"], dump["tents.dense"].double())
    seen = dump["tents.dense"].flatten(1).abs().amax(1)
    assert seen[-1] == 0 and seen[0] > 0


def test_other_sizes(dump):
    """four layers, a stride beyond the kernel, free kernels: the same numbers by boxes, by convolutions, without torch"""
    close(dump["other.sparse"], dump["other.dense"].double())
    close(dump["other.latent_nn"], dump["other.latent"].double())
    assert dump["other.dense"].abs().amax() > 0


def test_pclast(dump):
    """written from the paper's appendix: log of sigmoids of e^alpha - e^beta d^2"""
    inverse, named = network(dump, "inverse", norm=False)
    here, there, other = dump["pclast.xi"].double().chunk(3)
    guess = inverse(torch.cat([here, there, dump["pclast.apart"].double()], 1))
    check_training(dump, ((guess - dump["pclast.actions"].double()) ** 2).sum(1).mean(), named, "inverse")

    gamma, named = network(dump, "map", norm=True)
    alpha, beta = (dump[f"contrast.{k}"].double().requires_grad_() for k in ("alpha", "beta"))
    named |= {"contrast.alpha": alpha, "contrast.beta": beta}
    named.pop("map.3.bias")  # distances do not change with it: its gradient is rounding
    assert dump["grad.map.3.bias"].abs().max() < 1e-6
    near = torch.sigmoid(torch.exp(alpha) - torch.exp(beta) * ((gamma(here) - gamma(there)) ** 2).sum(1))
    far = torch.sigmoid(torch.exp(alpha) - torch.exp(beta) * ((gamma(here) - gamma(other)) ** 2).sum(1))
    check_training(dump, -(torch.log(near) + torch.log(1 - far)).mean(), named, "contrast", after=1e-3)


def test_rayleigh_ritz(dump):
    a, b, mean = (dump[f"ritz.{k}"].double().numpy() for k in ("a", "b", "mean"))
    values, vectors = scipy.linalg.eigh(a, b)
    np.testing.assert_allclose(dump["ritz.values"].numpy(), values[:4], rtol=1e-4)
    weight, bias = dump["ritz.weight"].double().numpy(), dump["ritz.bias"].double().numpy()
    np.testing.assert_allclose(np.abs(np.diag(weight @ b @ vectors[:, :4])), 1, atol=1e-4)
    np.testing.assert_allclose(weight @ b @ weight.T, np.eye(4), atol=1e-4)
    np.testing.assert_allclose(weight @ mean + bias, 0, atol=1e-4)


def test_allo_by_autograd_is_the_known_gradient(dump):
    for batches in (3, 4):
        path = f"allo.path{batches}"
        assert dump[f"{path}.autograd"].abs().max() > 1e-3
        close(dump[f"{path}.known"], dump[f"{path}.autograd"])
        close(dump[f"{path}.known_loss"], dump[f"{path}.autograd_loss"])


def test_gcbc(dump):
    actor, named = network(dump, "actor", norm=False)
    states, goals, actions = (dump[f"gcbc.{key}"].double() for key in ("states", "goals", "actions"))
    loss = ((actor(torch.cat([states, goals], 1)) - actions) ** 2).sum(1).mean()
    check_training(dump, loss, named, "gcbc")
