"""The suite of worlds that are not OGBench's: makes data, trains with default settings only, and counts goals reached.

    pip install -r bench/worlds/requirements.txt
    python bench/worlds/run.py [WORLD ...] [--seeds 2] [--goals 50]     resumable; rows go to results.csv beside it
    python bench/worlds/run.py --table                                  the table of docs/worlds.md, from these rows

Every world has one data set (seed 0) and one list of starts and goals (seed 0), shared by all training seeds. Training is
`alps train FILE --seed S`. Three variants of the planner travel to the goals in the real environment, and so does the behaviour
that made the data, told the goal where it can be told. What is there already is kept: data, runs and rows; --again
measures anew, with the runs that are there."""

import argparse
import csv
import datetime
import importlib
import os
import pathlib
import resource
import subprocess
import sys
import warnings

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import alps  # noqa: E402
from world import Told, World, collect, goals_of  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
FILES = ("pointmaze", "pendulum", "reacher", "acrobot", "mountaincar", "fetch", "dm_suite", "car", "grid", "boat", "quadrotor")
VARIANTS = ("alps", "dijkstra+prior", "dijkstra+cem")
COLUMNS = ("world", "seed", "goals", "success", "low", "high", "steps", "decision_ms", "failures", "dijkstra+prior", "dijkstra+cem",
           "behaviour", "rows", "train_seconds", "version", "date")


def worlds() -> dict[str, World]:
    return {world.name: world for file in FILES for world in importlib.import_module(file).WORLDS}


def data_of(world: World, folder: pathlib.Path) -> pathlib.Path:
    path = folder / "data" / f"{world.name}.npz"
    if not path.exists():
        print(f"{world.name}: making data", flush=True)
        collect(world).save(path)
    return path


def processor_seconds() -> float:
    """of the programs that this one has run"""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def trained(world: World, seed: int, data: pathlib.Path, folder: pathlib.Path, threads: int) -> tuple[pathlib.Path, float]:
    """the run, and the processor time that its training took: a busy machine does not change it much"""
    run, clock = folder / f"{world.name}-s{seed}", folder / f"{world.name}-s{seed}" / "seconds"
    if not clock.exists():
        print(f"{world.name}: training, seed {seed}", flush=True)
        before = processor_seconds()
        command = [sys.executable, "-m", "alps", "train", data, "--out", run, "--seed", str(seed), "--threads", str(threads)]
        with open(folder / f"{world.name}-s{seed}.log", "w") as log:
            subprocess.run([*map(str, command), *(["--resume"] if (run / "config.json").exists() else [])], check=True, stdout=log,
                           stderr=subprocess.STDOUT)
        clock.write_text(f"{processor_seconds() - before:.1f}\n")
    return run, float(clock.read_text())


def measured(world: World, agent, goals: int) -> alps.Evaluation:
    """an agent, or the behaviour told its goals, on the world's goals"""
    targets, options = goals_of(world, goals)
    return alps.evaluate(agent, world.make(), targets, success=world.success, options=options, max_steps=world.max_steps)


def behaviour_of(world: World) -> Told:
    return Told(world.behaviour(world.make(), np.random.default_rng(3)))


def row_of(world: World, seed: int, goals: int, folder: pathlib.Path, threads: int) -> dict[str, str]:
    data = data_of(world, folder)
    run, seconds = trained(world, seed, data, folder, threads)
    results = {}
    for variant in VARIANTS:
        results[variant] = measured(world, alps.load(run, variant=variant), goals)
        print(f"{world.name} s{seed} {variant}: {results[variant]}", flush=True)
    own = measured(world, behaviour_of(world), goals)
    print(f"{world.name} behaviour: {own}", flush=True)
    best = results["alps"]
    values = (world.name, seed, goals, f"{best.success_rate:.3f}", *(f"{x:.3f}" for x in best.interval), f"{best.mean_steps:.0f}",
              f"{best.decision_ms:.2f}", "; ".join(f"{n} {cause}" for cause, n in best.census.items()),
              *(f"{results[v].success_rate:.3f}" for v in VARIANTS[1:]), f"{own.success_rate:.3f}",
              len(alps.Dataset.load(data)), f"{seconds:.0f}", alps.__version__, datetime.date.today().isoformat())
    return dict(zip(COLUMNS, map(str, values)))


def read_rows(path: pathlib.Path) -> list[dict[str, str]]:
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def write_rows(path: pathlib.Path, rows: list[dict[str, str]]) -> None:
    """whole or not at all"""
    part = path.with_name(path.name + ".part")
    with part.open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    os.replace(part, path)


def table(rows: list[dict[str, str]], every: dict[str, World]) -> str:
    """Markdown: the seeds of a world pooled"""
    lines = ["| world | alps | steps | dijkstra+prior | dijkstra+cem | behaviour | goals | training |", "|---|---|---|---|---|---|---|---|"]
    for name in every:
        own = [r for r in rows if r["world"] == name]
        if not own:
            continue
        goals = sum(int(r["goals"]) for r in own)
        reached = {key: sum(round(float(r[key]) * int(r["goals"])) for r in own)
                   for key in ("success", "dijkstra+prior", "dijkstra+cem", "behaviour")}
        low, high = alps._core.wilson(reached["success"], goals)
        steps = np.nanmean([float(r["steps"]) for r in own]) if reached["success"] else float("nan")
        share = {key: f"{100 * count / goals:.0f}" for key, count in reached.items()}
        lines.append(f"| {name} | {share['success']} ({100 * low:.0f}-{100 * high:.0f}) | {steps:.0f} | {share['dijkstra+prior']} | "
                     f"{share['dijkstra+cem']} | {share['behaviour']} | {goals} ({len(own)} seed{'s' if len(own) > 1 else ''}) | "
                     f"{np.mean([float(r['train_seconds']) for r in own]):.0f} s |")
    return "\n".join(lines)


def write_table(rows: list[dict[str, str]], every: dict[str, World], page: pathlib.Path) -> None:
    """between the marks of the page"""
    first, last = "<!-- worlds -->\n", "<!-- /worlds -->"
    text = page.read_text()
    before, rest = text.split(first)
    page.write_text(before + first + table(rows, every) + "\n" + last + rest.split(last)[1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("world", nargs="*", help="default: all")
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--goals", type=int, default=50)
    parser.add_argument("--threads", type=int, default=1, help="of the training")
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "runs" / "worlds", help="of data and runs")
    parser.add_argument("--results", type=pathlib.Path, default=pathlib.Path(__file__).with_name("results.csv"))
    parser.add_argument("--again", action="store_true", help="measure rows anew that are there already")
    parser.add_argument("--table", action="store_true", help="only write the table into docs/worlds.md")
    args = parser.parse_args()
    warnings.filterwarnings("ignore", module="gymnasium")
    every = worlds()
    unknown = [name for name in args.world if name not in every]
    if unknown:
        parser.error(f"no world '{unknown[0]}'; there are {', '.join(every)}")
    args.folder.mkdir(parents=True, exist_ok=True)
    for seed in range(0 if args.table else args.seeds):
        for name in args.world or every:
            key = (name, str(seed), str(args.goals))
            there = [r for r in read_rows(args.results) if (r["world"], r["seed"], r["goals"]) == key]
            if there and not args.again:
                continue
            row = row_of(every[name], seed, args.goals, args.folder, args.threads)
            # read again: another process may have added rows meanwhile
            others = [r for r in read_rows(args.results) if (r["world"], r["seed"]) != key[:2]]
            write_rows(args.results, sorted([*others, row], key=lambda r: (list(every).index(r["world"]), int(r["seed"]))))
    write_table(read_rows(args.results), every, ROOT / "docs" / "worlds.md")


if __name__ == "__main__":
    main()
