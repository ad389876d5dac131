"""The learned representation against exact spectra: six grid worlds, random-walk data, eigenvectors from SciPy.

    .venv/bin/python bench/spectra.py build/release/apps/alps [--scale 2] [--worlds "ring,open room"] [--set key=value ...]

For each world: 1,000 random walks of 1,000 steps with (x, y) as state, `alps train --only representation` with the fast
preset, `alps embed` of every cell, and the comparison with the eigenvectors of L = I - (1-g) sum_i g^i P^(i+1). Prints the
table of docs/experiments.md and fails if a figure misses its bound. --scale 2 makes every cell 2 x 2 cells: then a world has
more cells than the encoder has hidden units, so that the learned span, not only the final solve, is put to the test.
"""
import argparse
import json
import math
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np
import scipy.linalg

GAMMA = 0.6
COUNT = 10  # eigenvectors compared

WORLDS = {
    "four rooms": """
        .....#.....
        .....#.....
        ...........
        .....#.....
        .....#.....
        ##.####.###
        .....#.....
        .....#.....
        .....#.....
        ...........
        .....#.....""",
    "corridor maze": """
        ..........
        .########.
        .#......#.
        .#.####.#.
        .#.#..#.#.
        .#.##.#.#.
        .#....#.#.
        .######.#.
        ........#.""",
    "bottleneck": """
        .......#.....
        .......#.....
        .......#.....
        .............
        .......#.....
        .......#.....""",
    "asymmetric rooms": """
        .........#...
        .........#...
        .............
        .........####
        #######.#....
        .....#.......
        .....#..#....
        ........#....
        .....#..#....""",
    "open room": """
        .............
        .............
        .............
        .............
        .............
        .............
        .............""",
    "ring": None,  # 60 cells on a circle
}


def cells_of(world, scale=1):
    """coordinates (n, 2) and for each cell the four (ring: two) cells a step leads to"""
    if WORLDS[world] is None:
        n = 60 * scale
        angle = 2 * np.pi * np.arange(n) / n
        return 10 * np.stack([np.cos(angle), np.sin(angle)], 1), np.stack([(np.arange(n) + 1) % n, (np.arange(n) - 1) % n], 1)
    rows = [["".join(c * scale for c in row)] * scale for row in WORLDS[world].split()]
    rows = [r for group in rows for r in group]
    index = {}
    for y, row in enumerate(rows):
        for x, c in enumerate(row):
            if c == ".":
                index[x, y] = len(index)
    step = np.zeros((len(index), 4), int)
    for (x, y), i in index.items():
        for a, (dx, dy) in enumerate([(1, 0), (-1, 0), (0, 1), (0, -1)]):
            step[i, a] = index.get((x + dx, y + dy), i)  # into a wall: stay
    return np.array(list(index), float), step


def exact(step):
    n = len(step)
    p = np.zeros((n, n))
    for i in range(n):
        for j in step[i]:
            p[i, j] += 1 / step.shape[1]
    discounted = (1 - GAMMA) * p @ np.linalg.inv(np.eye(n) - GAMMA * p)
    laplacian = np.eye(n) - 0.5 * (discounted + discounted.T)
    values, vectors = scipy.linalg.eigh(laplacian)
    return values[1:], vectors[:, 1:] * math.sqrt(n)  # without the constant one; unit mean square


def write_walks(path, coordinates, step, episodes, length, seed):
    rng = np.random.default_rng(seed)
    at = rng.integers(len(step), size=episodes)
    states = np.zeros((episodes, length + 1), int)
    for t in range(length + 1):
        states[:, t] = at
        at = step[at, rng.integers(step.shape[1], size=episodes)]
    terminals = np.zeros(states.shape, bool)
    terminals[:, -1] = True
    observations = coordinates[states.ravel()].astype(np.float32)
    np.savez(path, observations=observations, actions=np.zeros((observations.shape[0], 1), np.float32), terminals=terminals.ravel())


def compare(values, vectors, learned_values, phi):
    """cosine similarity of the first COUNT eigenvectors, rotated within eigenvalues closer than 5 %"""
    phi = phi - phi.mean(0)
    phi = phi / np.sqrt((phi**2).mean(0))
    cosines = []
    first = 0
    while first < COUNT:
        last = first
        while last + 1 < phi.shape[1] and values[last + 1] < 1.05 * values[last]:
            last += 1
        group = slice(first, last + 1)
        u, _, vt = np.linalg.svd(phi[:, group].T @ vectors[:, group])
        rotated = phi[:, group] @ (u @ vt)
        rotated /= np.sqrt((rotated**2).mean(0))
        cosines += list((rotated * vectors[:, group]).mean(0))
        first = last + 1
    errors = np.abs(learned_values[:COUNT] / values[:COUNT] - 1)
    return np.array(cosines[:COUNT]), errors


def run_world(alps, world, folder, episodes, length, settings, seed=0, scale=1):
    coordinates, step = cells_of(world, scale)
    values, vectors = exact(step)
    name = world.replace(" ", "_")
    data, run = folder / f"{name}.npz", folder / f"run_{name}"
    write_walks(data, coordinates, step, episodes, length, seed)
    start = time.time()
    command = [alps, "train", data, "--only", "representation", "--out", run, "--seed", str(seed),
               "--set", f"gamma={GAMMA}", "objective=allo", "slow_gain=0", "still_share=0", "psi_power=0.5"]
    subprocess.run(command + [x for s in settings for x in (["--set", s] if "=" in s else s.split())], check=True, capture_output=True)
    seconds = time.time() - start
    np.save(folder / "cells.npy", coordinates.astype(np.float32))
    subprocess.run([alps, "embed", run, "--in", folder / "cells.npy", "--out", folder / "psi.npy"], check=True, capture_output=True)
    from safetensors.numpy import load_file

    model = load_file(run / "model.safetensors")
    learned = model["representation.eigenvalues"]
    phi = np.load(folder / "psi.npy") * np.sqrt(learned)
    cosines, errors = compare(values, vectors, learned, phi)
    duals = np.abs(np.sort(model["representation.eigenvalues_duals"])[:COUNT] / values[:COUNT] - 1)
    steps = json.loads((run / "config.json").read_text())["settings"]["representation_steps"]
    return dict(world=world, cells=len(step), first=values[0], cosines=cosines, errors=errors, duals=duals, seconds=seconds, steps=steps)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("alps")
    parser.add_argument("--worlds", default=",".join(WORLDS))
    parser.add_argument("--episodes", type=int, default=1000)
    parser.add_argument("--length", type=int, default=1000)
    parser.add_argument("--scale", type=int, default=1)
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--set", action="append", default=[])
    args = parser.parse_args()
    good = True
    print("| world | cells | steps | seconds | mean cosine | least cosine | eigenvalues, worst error | from duals |")
    print("|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for world in args.worlds.split(","):
            r = run_world(args.alps, world, pathlib.Path(folder), args.episodes, args.length, args.set + [f"--threads {args.threads}"], scale=args.scale)
            print(f"| {world} | {r['cells']} | {r['steps']} | {r['seconds']:.0f} | {r['cosines'].mean():.4f} | {r['cosines'].min():.4f} "
                  f"| {100 * r['errors'].max():.1f} % | {100 * r['duals'].max():.0f} % |", flush=True)
            good &= bool(r["cosines"].mean() >= 0.99 and r["cosines"].min() >= 0.95 and r["errors"].max() <= 0.05)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
