"""Success rates: trains the runs that are missing and evaluates what the ledger lacks. `alps table --write` makes the tables.

    .venv/bin/python bench/results.py run pointmaze|antmaze [--seeds 3] [--jobs 2] [--only WORD] [--stages main,variants,planners]
                                                             fills results/evaluations.csv

`run` can be stopped and started again at any time: a data set or a run folder that is complete and a row that the ledger
holds are not made twice. Runs live in runs/results, one core each. Every row carries the command and the commit.
"""
import argparse
import collections
import concurrent.futures
import contextlib
import csv
import fcntl
import io
import math
import os
import pathlib
import re
import subprocess
import sys
import threading

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = os.environ.get("ALPS_PROGRAM", str(ROOT / "build" / "release" / "apps" / "alps"))
STAGES = ["main", "variants", "planners"]  # the main table, the other variants, the paper's settings of the search

FAMILIES = ["pointmaze", "antmaze"]
with (ROOT / "reproduce" / "published.csv").open(newline="") as figures:
    NAMES = [r["data_set"] for r in csv.DictReader(figures) if (r["table"], r["variant"]) == ("all_ablations", "alps")]


# `alps eval --results` appends to it from any number of processes. The ledgers of single families (results/pointmaze.csv, antmaze.csv,
# maze2d.csv, ogbench.csv) hold what earlier versions measured; they have other columns and are only read.
LEDGER = ROOT / "results" / "evaluations.csv"


def rows_of(path):
    """rows of a ledger, whichever version wrote it: `planner` is the preset (a run's own settings are those of the preset that it was
    trained with), `method` is alps where there was no other"""
    rows = list(csv.DictReader(path.open(newline=""))) if path.exists() else []
    for r in rows:
        if r.get("planner") == "run":
            r["planner"] = r["train_preset"]
        if "train_preset" in r:
            r["train_preset"], _, method = r["train_preset"].partition(" method=")
            r.setdefault("method", method or "alps")
    return rows


def measured(family):
    """{(data set, variant, planner, seed): row} of a family, with the settings of its presets; what was measured last counts"""
    rows = rows_of(ROOT / "results" / f"{family}.csv") + rows_of(LEDGER)
    return {(r["data_set"], r["variant"], r["planner"], r["seed"]): r for r in rows
            if r["data_set"].startswith(family) and r["method"] == "alps" and r["train_preset"] == "fast" and not r.get("set")
            and not r.get("budget_ms") and r.get("backend", "native") == "native" and "--clusters" not in r["command"]
            and "--tasks" not in r["command"]}


def wanted(name, stage):
    """(variant, planner, episodes of each task) to measure: those of the main table and the cheap ones first, then the other variants
    and the paper's settings in medium and large; of ants fewer, who without a route or a prior walk about until the time is up"""
    ant = name.startswith("antmaze")
    first = ["dijkstra+prior", "alps"] if ant else ["prior", "dijkstra+prior", "alps", "dijkstra+cem"]
    if stage == "main":
        return [(v, "fast", 10) for v in first]
    if "medium" not in name and "large" not in name:
        return []
    if stage == "variants":
        return [(v, "fast", 5 if ant else 10) for v in ("prior", "dijkstra+cem", "cem+prior", "cem") if v not in first]
    return [("alps", "paper", 2 if "medium" in name else 1)] if ant else []  # a decision takes 0.2 s; of points: bench/trade.py


def commit():
    """of the program: $ALPS_COMMIT for one that was built earlier, else the tree's"""
    head = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True).stdout.strip()
    return os.environ.get("ALPS_COMMIT", head)


def append(path, row):
    """a row of a ledger, which begins with the names of its columns; safe between processes"""
    with path.open("a", newline="") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        text = io.StringIO()
        out = csv.DictWriter(text, list(row), lineterminator="\n")
        if file.tell() == 0:
            out.writeheader()
        out.writerow(row)
        file.write(text.getvalue())
        file.flush()  # before the lock goes


def call(command, log, **environment):
    """the program, quietly; its output goes to `log`"""
    with log.open("a") as out:
        print("$", *command, file=out, flush=True)
        subprocess.run(command, cwd=ROOT, stdout=out, stderr=out, check=True, env={**os.environ, **environment})


@contextlib.contextmanager
def alone(folder):
    """one at a time on a run folder, whichever call of this script it is"""
    with open(f"{folder}.lock", "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def measure(args):
    built_from = commit()
    program = [args.program]
    making = threading.Lock()
    (ROOT / "runs" / "results").mkdir(parents=True, exist_ok=True)

    def one_run(name, seed, stage):
        folder = pathlib.Path("runs") / "results" / f"{name}-s{seed}"
        with alone(ROOT / folder):
            fill(name, seed, stage, folder)

    def fill(name, seed, stage, folder):
        log = ROOT / f"{folder}.log"
        done = {key for key, r in measured(args.family).items() if not args.again or "config" in r}
        missing = [w for w in wanted(name, stage) if (name, *w[:2], str(seed)) not in done]
        if not missing:
            return
        if not (ROOT / folder / "graph.npz").exists():
            with making:  # it uses all cores
                call(program + ["data", "make", name], log)
            resume = ["--resume"] if (ROOT / folder / "config.json").exists() else []
            call(program + ["train", name, "--out", str(folder), "--seed", str(seed), "--threads", "1"] + resume, log)
        for variant, planner, episodes in missing:
            call(program + ["eval", str(folder), "--variant", variant, "--planner", "run" if planner == "fast" else planner, "--episodes",
                            str(episodes), "--seed", str(seed), "--threads", "1", "--results", str(LEDGER)], log, ALPS_COMMIT=built_from)
            row = measured(args.family)[name, variant, planner, str(seed)]
            print(f"{name} seed {seed} {variant} {planner}: {row['per_task']} ({float(row['mean_steps']):.0f} steps)", flush=True)

    jobs = [(name, seed, stage) for stage in args.stages.split(",") for seed in range(args.seeds) for name in NAMES
            if name.startswith(args.family) and args.only in name]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for job, future in [(j, pool.submit(one_run, *j)) for j in jobs]:
            try:
                future.result()
            except subprocess.CalledProcessError as e:
                failed += 1
                print(f"{job[0]} seed {job[1]}: {e}; see runs/results/{job[0]}-s{job[1]}.log", file=sys.stderr)
    return failed


def wilson(good, count, z=1.959964):
    p, spread = good / count, z * math.sqrt(good / count * (1 - good / count) / count + z * z / (4 * count * count))
    scale = 1 / (1 + z * z / count)
    return 100 * scale * (p + z * z / (2 * count) - spread), 100 * scale * (p + z * z / (2 * count) + spread)


def pooled(rows, planner="fast"):
    """{(data set, variant): (successes, episodes, seeds, mean steps)} over seeds"""
    groups = collections.defaultdict(list)
    for r in rows:
        if r.get("planner", planner) == planner:
            groups[r["data_set"], r["variant"]].append(r)
    return {
        key: (
            sum(int(r["successes"]) for r in g),
            sum(int(r["episodes"]) for r in g),
            len({r["seed"] for r in g}),
            sum(float(r["mean_steps"]) * int(r["successes"]) for r in g) / max(1, sum(int(r["successes"]) for r in g)),
        )
        for key, g in groups.items()
    }


def cell(figure, steps=False):
    if figure is None:
        return "-"
    good, count, _, mean = figure
    low, high = wilson(good, count)
    return f"{100 * good / count:.0f} ({low:.0f}-{high:.0f})" + (f", {mean:.0f} steps" if steps and good else "")


def put(path, mark, table):
    """replaces what stands between <!-- MARK --> and <!-- /MARK -->"""
    text = path.read_text()
    new, count = re.subn(rf"(<!-- {mark} -->\n).*?(<!-- /{mark} -->)", lambda m: m[1] + table + "\n" + m[2], text, flags=re.S)
    assert count == 1, f"{path} lacks <!-- {mark} -->"
    path.write_text(new)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    verbs = parser.add_subparsers(required=True)
    run = verbs.add_parser("run")
    run.add_argument("family", choices=FAMILIES)
    run.add_argument("--only", default="", metavar="WORD", help="data sets with this word in their name")
    run.add_argument("--stages", default=",".join(STAGES), help="some of main, variants, planners, in this order")
    run.add_argument("--seeds", type=int, default=3)
    run.add_argument("--jobs", type=int, default=2)
    run.add_argument("--again", action="store_true", help="measure anew what only earlier versions measured, whose rows have no `config`")
    run.add_argument("--program", default=PROGRAM)
    run.set_defaults(verb=measure)
    args = parser.parse_args()
    if unknown := set(getattr(args, "stages", "main").split(",")) - set(STAGES):
        parser.error(f"no stage {', '.join(sorted(unknown))}; there are {', '.join(STAGES)}")
    return args.verb(args)


if __name__ == "__main__":
    sys.exit(main())
