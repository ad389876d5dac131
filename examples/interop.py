"""A run in plain PyTorch: reads RUN/model.safetensors into torch.nn modules, which give the same psi, the same next states
and the same actions of the prior as alps does. For people who want to go on from a trained run in their own code.

    python examples/interop.py RUN

States only; the trunk of image runs is described in src/alps/nn/trunk.h."""

import json
import pathlib
import sys

import numpy as np
import torch
from safetensors.torch import load_file


def network(tensors: dict[str, torch.Tensor], part: str) -> torch.nn.Sequential:
    """Linear layers with ReLU between them; after the first one LayerNorm and tanh, where the part has a norm."""
    layers: list[torch.nn.Module] = []
    count = sum(1 for key in tensors if key.startswith(f"{part}.") and key.endswith(".weight") and key.split(".")[1].isdigit())
    for i in range(count):
        weight, bias = tensors[f"{part}.{i}.weight"], tensors[f"{part}.{i}.bias"]
        linear = torch.nn.Linear(weight.shape[1], weight.shape[0])
        linear.load_state_dict({"weight": weight, "bias": bias})
        layers.append(linear)
        if i == 0 and f"{part}.norm.weight" in tensors:
            norm = torch.nn.LayerNorm(weight.shape[0])
            norm.load_state_dict({"weight": tensors[f"{part}.norm.weight"], "bias": tensors[f"{part}.norm.bias"]})
            layers += [norm, torch.nn.Tanh()]
        elif i + 1 < count:
            layers.append(torch.nn.ReLU())
    return torch.nn.Sequential(*layers)


class RunModel(torch.nn.Module):
    """The three learned parts of a run, on observations as the data set has them."""

    def __init__(self, run: str) -> None:
        super().__init__()
        tensors = load_file(f"{run}/model.safetensors")
        for name in ("normalizer.mean", "normalizer.deviation", "model.change_mean", "model.change_deviation", "actions.limit", "prior.way"):
            self.register_buffer(name.replace(".", "_"), tensors[name])
        self.far = json.loads(pathlib.Path(run, "config.json").read_text())["settings"]["far"]
        self.representation = network(tensors, "representation")
        self.model = network(tensors, "model")
        self.prior = network(tensors, "prior")

    def state(self, observations: torch.Tensor) -> torch.Tensor:
        return (observations - self.normalizer_mean) / self.normalizer_deviation

    def psi(self, observations: torch.Tensor) -> torch.Tensor:
        """(n, d) -> (n, eigenvectors); the scale 1 / lambda^psi_power is in the last layer"""
        return self.representation(self.state(observations))

    def step(self, observations: torch.Tensor, actions: torch.Tensor) -> torch.Tensor:
        """what the forward model expects to observe next; networks see actions in units of their limits"""
        x = self.state(observations)
        x = x + self.model_change_mean + self.model_change_deviation * self.model(torch.cat([x, actions / self.actions_limit], -1))
        return x * self.normalizer_deviation + self.normalizer_mean

    def within_reach(self, psi: torch.Tensor, goals: torch.Tensor) -> torch.Tensor:
        """what the prior is shown of psi of a goal: where it is more than `far` times as far away as the goals that the
        prior learned from usually are, the point at that usual distance on the straight line to it"""
        distance = (goals - psi).norm(dim=-1, keepdim=True)
        beyond = (self.far * self.prior_way > 0) & (distance > self.far * self.prior_way)
        return torch.where(beyond, psi + self.prior_way / distance * (goals - psi), goals)

    def act(self, observations: torch.Tensor, goals: torch.Tensor) -> torch.Tensor:
        """the behaviour prior's action, as alps.load(run, variant="prior") acts in the first step of an episode"""
        psi = self.psi(observations)
        inputs = torch.cat([self.state(observations), psi, self.within_reach(psi, self.psi(goals))], -1)
        return self.prior(inputs).clamp(-1, 1) * self.actions_limit


def main(run: str) -> None:
    import alps

    agent = alps.load(run, variant="prior")
    data = alps.Dataset.load(alps.Run(run).config["data"]["path"])
    rng = np.random.default_rng(0)
    observations, goals = (data.observations[rng.choice(len(data), 256)] for _ in range(2))

    model = RunModel(run).eval()
    with torch.no_grad():
        psi = model.psi(torch.from_numpy(observations)).numpy()
        actions = model.act(torch.from_numpy(observations), torch.from_numpy(goals)).numpy()
    for name, theirs, ours in (("psi", psi, agent.embed(observations)), ("actions", actions, agent.act(observations, goals))):
        scale = np.abs(ours).max()
        print(f"{name:8} {ours.shape}: PyTorch and alps differ by {np.abs(theirs - ours).max() / scale:.1e} of the largest")


if __name__ == "__main__":
    main(sys.argv[1])
