"""Training steps a CPU second of the baselines written in plain PyTorch, for comparison with `alps train` (whose train.csv
has time/step_time). Usage: torch_baselines.py METHOD [WIDTH BATCH STATES ACTIONS STEPS]; one thread, random data."""
import math
import resource
import sys

import torch
import torch.nn.functional as F
from torch import nn

torch.set_num_threads(1)
method = sys.argv[1]
width, batch, states, actions, steps = (int(v) for v in (sys.argv[2:] + ["256", "256", "29", "8", "50"][len(sys.argv) - 2:]))
latent, goal = width // 2 if width < 512 else 512, 10


def net(inputs, outputs, norm):
    layers, last = [], inputs
    for _ in range(3):
        layers += [nn.Linear(last, width), nn.GELU("tanh")] + ([nn.LayerNorm(width, eps=1e-6)] if norm else [])
        last = width
    return nn.Sequential(*layers, nn.Linear(last, outputs))


class Twins(nn.Module):
    def __init__(self, inputs, outputs=1):
        super().__init__()
        self.one, self.two = net(inputs, outputs, True), net(inputs, outputs, True)

    def forward(self, *parts):
        x = torch.cat(parts, 1)
        return torch.stack([self.one(x), self.two(x)]).squeeze(-1)


def expectile(a, d, t):
    return (torch.where(a >= 0, t, 1 - t) * d**2).mean()


def awr(mean, x, a, t):
    return (torch.clamp(torch.exp(t * a), max=100).detach() * 0.5 * ((mean - x) ** 2).sum(1)).mean()


def ddpg_bc(q, mean, x, w):
    return -q.mean() / (q.abs().mean() + 1e-6).detach() + w * 0.5 * ((mean - x) ** 2).sum(1).mean()


def value_loss(value, target, s, n, here, there, r, t):
    with torch.no_grad():
        nv, v = target(n, there), target(s, here)
        a, q = r + 0.99 * nv.min(0).values - v.mean(0), r + 0.99 * nv
    v = value(s, here)
    return expectile(a, q[0] - v[0], t) + expectile(a, q[1] - v[1], t)


def iqe(x, y, alpha):
    x, y = x.unflatten(-1, (-1, 8)), y.unflatten(-1, (-1, 8))
    valid = x < y
    ends, order = torch.cat([torch.where(valid, x, 0), torch.where(valid, y, 0)], -1).sort(-1)
    covered = torch.gather(torch.cat([valid.float(), -valid.float()], -1), -1, order).cumsum(-1)[..., :-1] > 0.5
    unions = ((ends[..., 1:] - ends[..., :-1]) * covered).sum(-1)
    return alpha * unions.mean(-1) + (1 - alpha) * unions.amax(-1)


def gcivl():
    value, target, actor = Twins(2 * states), Twins(2 * states), net(2 * states, actions, False)

    def loss(s, n, g, h, w, a):
        with torch.no_grad():
            better = (value(n, h) - value(s, h)).mean(0)
        return value_loss(value, target, s, n, g, g, -1.0, 0.9) + awr(actor(torch.cat([s, h], 1)), a, better, 10)
    return [value, actor], [(value, target)], loss


def gciql():
    value, critic, target = net(2 * states, 1, True), Twins(2 * states + actions), Twins(2 * states + actions)
    actor = net(2 * states, actions, False)

    def loss(s, n, g, h, w, a):
        with torch.no_grad():
            least, q = target(s, g, a).min(0).values, -1 + 0.99 * value(torch.cat([n, g], 1)).squeeze(1)
        v = value(torch.cat([s, g], 1)).squeeze(1)
        mean = actor(torch.cat([s, h], 1))
        critic.requires_grad_(False)
        wished = critic(s, h, mean.clamp(-1, 1)).min(0).values
        critic.requires_grad_(True)
        return expectile(least - v, least - v, 0.9) + ((critic(s, g, a) - q) ** 2).sum(0).mean() + ddpg_bc(wished, mean, a, 0.3)
    return [value, critic, actor], [(critic, target)], loss


def crl():
    phi, psi, actor = Twins(states + actions, latent), Twins(states, latent), net(2 * states, actions, False)
    eye = torch.eye(batch).expand(2, -1, -1)

    def loss(s, n, g, h, w, a):
        logits = torch.einsum("eik,ejk->eij", phi(s, a), psi(g)) / math.sqrt(latent)
        mean = actor(torch.cat([s, h], 1))
        with torch.no_grad():
            there = psi(h)
        phi.requires_grad_(False)
        q = (phi(s, mean.clamp(-1, 1)) * there).sum(-1).min(0).values / math.sqrt(latent)
        phi.requires_grad_(True)
        return F.binary_cross_entropy_with_logits(logits, eye) + ddpg_bc(q, mean, a, 0.1)
    return [phi, psi, actor], [], loss


def qrl():
    phi, dynamics, actor = net(states, latent, True), net(latent + actions, latent, True), net(2 * states, actions, False)
    raw = nn.ParameterList([nn.Parameter(torch.zeros(())), nn.Parameter(torch.zeros(()))])

    def loss(s, n, g, h, w, a):
        here, after, there = phi(s), phi(n), phi(g)
        alpha, factor = torch.sigmoid(raw[0]), raw[1].exp()
        excess = (F.relu(iqe(here, after, alpha) - 1) ** 2).mean()
        value = (100 * F.softplus(5 - iqe(here, there, alpha) / 100)).mean() + excess * factor.detach() + factor * (0.05 - excess.detach())
        imagined = here + dynamics(torch.cat([here, a], 1))
        model = (iqe(after, imagined, alpha) + iqe(imagined, after, alpha)).mean() / 2
        mean = actor(torch.cat([s, h], 1))
        with torch.no_grad():
            goal_phi = phi(h)
        dynamics.requires_grad_(False)
        then = here.detach() + dynamics(torch.cat([here.detach(), mean.clamp(-1, 1)], 1))
        dynamics.requires_grad_(True)
        return value + model + ddpg_bc(-iqe(then, goal_phi, alpha.detach()), mean, a, 0.003)
    return [phi, dynamics, actor, raw], [], loss


def hiql():
    phi, value, target = net(2 * states, goal, True), Twins(states + goal), Twins(states + goal)
    high, low = net(2 * states, goal, False), net(states + goal, actions, False)
    rep = lambda s, g: F.normalize(phi(torch.cat([s, g], 1)), dim=1) * math.sqrt(goal)

    def loss(s, n, g, h, w, a):
        with torch.no_grad():
            there, near, far = rep(n, g), rep(s, w), rep(s, w)
            low_better = (value(n, rep(n, w)) - value(s, near)).mean(0)
            high_better = (value(w, rep(w, h)) - value(s, rep(s, h))).mean(0)
        return (value_loss(value, target, s, n, rep(s, g), there, -1.0, 0.7) + awr(low(torch.cat([s, near], 1)), a, low_better, 3)
                + awr(high(torch.cat([s, h], 1)), far, high_better, 3))
    return [phi, value, high, low], [(value, target)], loss


trained, follow, loss_of = globals()[method]()
adam = torch.optim.Adam([p for m in trained for p in m.parameters()], lr=3e-4)
of = [torch.randn(batch, states) for _ in range(5)] + [torch.rand(batch, actions) * 2 - 1]
cpu = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_utime
for step in range(steps + 3):
    if step == 3:
        begin = cpu()
    adam.zero_grad()
    loss_of(*of).backward()
    adam.step()
    with torch.no_grad():
        for fast, slow in follow:
            for p, q in zip(fast.parameters(), slow.parameters()):
                q.lerp_(p, 0.005)
print(f"{method}: width {width}, batch {batch}: {steps / (cpu() - begin):.1f} steps a CPU second")
