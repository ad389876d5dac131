"""How good a trained run is, in two tables (docs/experiments.md).

    .venv/bin/python bench/quality.py distance RUN [--data_dir D]    psi distance against travel time, mazes only
    .venv/bin/python bench/quality.py model RUN [--data_dir D] [--svg FILE]  open-loop error of the forward model

`distance`: Spearman correlation, over pairs of free cells of the maze and over pairs of states, of the breadth-first path length
with the distance in psi, scaled by several powers of the eigenvalues, and with the Euclidean distance. Unvisited cells are left out.
`model`: root mean squared error of the predicted state after 1 .. 20 steps on validation data, in units of the state's
deviation, against "the state does not change".
"""
import argparse
import collections
import json
import pathlib

import numpy as np
import scipy.stats
import torch
from safetensors.torch import load_file


def mlp(model, prefix, x):
    i = 0
    while f"{prefix}.{i}.weight" in model:
        x = torch.nn.functional.linear(x, model[f"{prefix}.{i}.weight"], model[f"{prefix}.{i}.bias"])
        last = f"{prefix}.{i + 1}.weight" not in model
        if i == 0 and f"{prefix}.norm.weight" in model:
            x = torch.tanh(torch.nn.functional.layer_norm(x, x.shape[-1:], model[f"{prefix}.norm.weight"], model[f"{prefix}.norm.bias"]))
        elif not last:
            x = torch.relu(x)
        i += 1
    return x


def load(run, data_dir):
    model = load_file(run / "model.safetensors")
    config = json.loads((run / "config.json").read_text())
    folder = pathlib.Path(data_dir) if data_dir else pathlib.Path(config["data"]["path"]).parent
    return model, config, folder / f"{config['data']['name']}.npz"


def maze_of(name):
    """map and the centres of its free cells, from ogbench"""
    import gymnasium
    import ogbench  # noqa: F401

    parts = name.split("-")
    env = gymnasium.make(f"{parts[0]}-{parts[1]}-v0").unwrapped
    cells = [(i, j) for i in range(env.maze_map.shape[0]) for j in range(env.maze_map.shape[1]) if env.maze_map[i, j] == 0]
    return cells, np.array([env.ij_to_xy(c) for c in cells])


def path_lengths(cells):
    index = {c: k for k, c in enumerate(cells)}
    lengths = np.full((len(cells), len(cells)), np.inf)
    for k, start in enumerate(cells):
        lengths[k, k] = 0
        queue = collections.deque([start])
        while queue:
            c = queue.popleft()
            for d in ((1, 0), (-1, 0), (0, 1), (0, -1)):
                n = (c[0] + d[0], c[1] + d[1])
                if n in index and np.isinf(lengths[k, index[n]]):
                    lengths[k, index[n]] = lengths[k, index[c]] + 1
                    queue.append(n)
    return lengths


def distance(args):
    model, config, path = load(args.run, args.data_dir)
    cells, centres = maze_of(config["data"]["name"])
    observations = np.load(path)["observations"]
    lengths = path_lengths(cells)
    eigenvalues, power = model["representation.eigenvalues"].numpy(), config["settings"].get("psi_power", 0.5)

    # a typical state of each cell: the row nearest to its centre (position first, the rest as in the data)
    nearest = [int(np.argmin(((observations[:, :2] - c) ** 2).sum(1))) for c in centres]
    visited = np.linalg.norm(observations[nearest, :2] - centres, axis=1) < 1.0
    some = np.random.default_rng(0).choice(len(observations), 2000, replace=False)
    cell_of = np.array([int(np.argmin(((centres - o) ** 2).sum(1))) for o in observations[some, :2]])
    groups = {"cell centres": (np.array(nearest)[visited], np.flatnonzero(visited)), "states of the data": (some, cell_of)}

    powers = (0.5, 0.75, 1.0)
    print(f"{config['data']['name']}, psi_power {power}: Spearman correlation with the path length\n")
    print("| pairs of | pairs |" + "".join(f" phi / lambda^{p} |" for p in powers) + " first 4 of the first |  Euclidean |\n" + "|---" * (4 + len(powers)) + "|")
    for name, (rows, cell) in groups.items():
        x = (torch.tensor(observations[rows]) - model["normalizer.mean"]) / model["normalizer.deviation"]
        phi = mlp(model, "representation", x).numpy() * eigenvalues**power
        first, second = np.triu_indices(len(rows), 1)
        keep = np.isfinite(lengths[cell[first], cell[second]])
        first, second = first[keep], second[keep]
        travel = lengths[cell[first], cell[second]]

        def rank(points):
            squares = (points**2).sum(1)
            return scipy.stats.spearmanr((squares[:, None] + squares - 2 * points @ points.T)[first, second], travel)[0]

        scores = [rank(phi / eigenvalues**p) for p in powers] + [rank((phi / eigenvalues**0.5)[:, :4]), rank(observations[rows, :2])]
        print(f"| {name} | {len(first):,} |" + "".join(f" {s:.3f} |" for s in scores))


def svg_chart(path, curves, title):
    width, height, left, bottom = 640, 360, 60, 40
    top = max(max(c) for c in curves.values()) * 1.05
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" font-size="12">',
             f'<rect width="{width}" height="{height}" fill="white"/><text x="{left}" y="18">{title}</text>']
    for i in range(5):
        y = 30 + (height - 30 - bottom) * i / 4
        parts.append(f'<line x1="{left}" y1="{y}" x2="{width - 20}" y2="{y}" stroke="#ddd"/><text x="8" y="{y + 4}">{top * (4 - i) / 4:.3g}</text>')
    for (name, curve), color in zip(curves.items(), ("#1b6ca8", "#b5442e")):
        step = (width - 20 - left) / len(curve)
        points = " ".join(f"{left + (i + 1) * step:.1f},{30 + (height - 30 - bottom) * (1 - v / top):.1f}" for i, v in enumerate(curve))
        parts.append(f'<polyline points="{points}" fill="none" stroke="{color}" stroke-width="2"/>')
        parts.append(f'<text x="{left + 10}" y="{46 + 16 * list(curves).index(name)}" fill="{color}">{name}</text>')
    parts.append(f'<text x="{width // 2 - 40}" y="{height - 10}">horizon (steps, 1 to {len(curve)})</text></svg>')
    pathlib.Path(path).write_text("\n".join(parts))


def model_error(args):
    model, config, path = load(args.run, args.data_dir)
    data = np.load(path.with_name(path.stem + "-val.npz"))
    observations, actions, terminals = data["observations"], data["actions"], data["terminals"].astype(bool)
    horizon = 20
    ends = np.flatnonzero(terminals)
    starts = np.concatenate([np.arange(f, e + 1 - horizon) for f, e in zip(np.r_[0, ends[:-1] + 1], ends)])
    starts = np.random.default_rng(0).choice(starts, min(5000, len(starts)), replace=False)
    states = (torch.tensor(observations) - model["normalizer.mean"]) / model["normalizer.deviation"]
    x = states[starts]
    errors, still = [], []
    for t in range(horizon):
        step = mlp(model, "model", torch.cat([x, torch.tensor(actions[starts + t]) / model["actions.limit"]], 1))
        x = x + model["model.change_mean"] + model["model.change_deviation"] * step
        actual = states[starts + t + 1]
        errors.append((x - actual).square().mean().sqrt().item())
        still.append((states[starts] - actual).square().mean().sqrt().item())
    print(f"open-loop error on {path.stem}-val, {len(starts)} windows, in deviations of the state\n")
    print("| horizon | forward model | state does not change | ratio |\n|---|---|---|---|")
    for t in range(horizon):
        if t + 1 in (1, 2, 3, 5, 7, 10, 15, 20) or args.all:
            print(f"| {t + 1} | {errors[t]:.4f} | {still[t]:.4f} | {errors[t] / still[t]:.3f} |")
    if args.svg:
        svg_chart(args.svg, {"forward model": errors, "state does not change": still}, f"open-loop error, {config['data']['name']}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["distance", "model"])
    parser.add_argument("run", type=pathlib.Path)
    parser.add_argument("--data_dir")
    parser.add_argument("--svg")
    parser.add_argument("--all", action="store_true", help="every horizon")
    arguments = parser.parse_args()
    with torch.no_grad():
        (distance if arguments.what == "distance" else model_error)(arguments)
