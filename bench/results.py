"""Success rates: trains the runs that are missing, evaluates what the ledger lacks, makes the tables.

    .venv/bin/python bench/results.py run pointmaze|antmaze [--seeds 3] [--jobs 2] [--only WORD] [--stages main,variants,planners]
                                                             fills results/evaluations.csv
    .venv/bin/python bench/results.py table                  rewrites the tables of README.md and docs/results.md

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
VARIANTS = ["cem", "prior", "cem+prior", "dijkstra+cem", "dijkstra+prior", "alps"]
PROGRAM = os.environ.get("ALPS_PROGRAM", str(ROOT / "build" / "release" / "apps" / "alps"))
STAGES = ["main", "variants", "planners"]  # the main table, the other variants, the paper's settings of the search

# the paper's figures, in the order of VARIANTS (tab:all_ablations), and the best published success rate that we know
PAPER = {
    "pointmaze-medium-navigate-v0": ([58, 19, 30, 100, 46, 82], "ALPS without prior 100"),
    "pointmaze-large-navigate-v0": ([19, 17, 21, 100, 44, 80], "ALPS without prior 100"),
    "pointmaze-giant-navigate-v0": ([0, 0, 0, 52, 64, 67], "TTGS 92"),
    "pointmaze-teleport-navigate-v0": ([5, 16, 20, 15, 33, 40], "CFGRL 57"),
    "pointmaze-medium-stitch-v0": ([40, 40, 46, 99, 82, 94], "ALPS without prior 99"),
    "pointmaze-large-stitch-v0": ([0, 12, 9, 100, 93, 96], "ALPS without prior 100"),
    "pointmaze-giant-stitch-v0": ([0, 0, 0, 68, 98, 98], "ALPS 98"),
    "pointmaze-teleport-stitch-v0": ([5, 8, 9, 10, 19, 13], "GCIVL 44"),
    "antmaze-medium-navigate-v0": ([0, 50, 57, 0, 92, 97], "ALPS and SAW 97"),
    "antmaze-large-navigate-v0": ([0, 30, 29, 0, 90, 93], "ALPS 93"),
    "antmaze-giant-navigate-v0": ([0, 2, 2, 0, 54, 69], "S2AW 87"),
    "antmaze-teleport-navigate-v0": ([0, 35, 38, 0, 44, 45], "CRL 53"),
    "antmaze-medium-stitch-v0": ([0, 50, 55, 0, 92, 93], "SAW 96"),
    "antmaze-large-stitch-v0": ([0, 14, 11, 0, 93, 95], "ALPS 95"),
    "antmaze-giant-stitch-v0": ([0, 0, 0, 0, 88, 92], "ALPS 92"),
    "antmaze-teleport-stitch-v0": ([0, 21, 24, 0, 33, 35], "GCIVL 39"),
    "antmaze-medium-explore-v0": ([0, 11, 7, 47, 92, 100], "ALPS 100"),
    "antmaze-large-explore-v0": ([0, 1, 0, 11, 43, 90], "GAS 94"),
    "antmaze-teleport-explore-v0": ([6, 4, 9, 13, 38, 48], "ALPS 48"),
}
# beside `alps`, the variant that the paper finds nearly as good in a family
SECOND = {"pointmaze": "dijkstra+cem", "antmaze": "dijkstra+prior"}


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

    jobs = [(name, seed, stage) for stage in args.stages.split(",") for seed in range(args.seeds) for name in PAPER
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


def of_family(family):
    return {name: row for name, row in PAPER.items() if name.startswith(family)}


def main_table(figures, family):
    second = SECOND[family]
    lines = [f"| data set | ALPS, paper | best published | alps here | {second}, paper | here | episodes |",
             "|---|---|---|---|---|---|---|"]
    for name, (paper, best) in of_family(family).items():
        if not any((name, v) in figures for v in VARIANTS):
            continue
        full, other = figures.get((name, "alps")), figures.get((name, second))
        count = f"{full[1]} ({full[2]} seed{'s' * (full[2] > 1)})" if full else "-"
        told, own = paper[VARIANTS.index(second)], f"**{cell(full)}**" if full else "-"
        lines.append(f"| {name} | {paper[5]} | {best} | {own} | {told} | {cell(other)} | {count} |")
    return "\n".join(lines)


def ablation_table(figures, family):
    lines = ["| data set | " + " | ".join(VARIANTS) + " |", "|---|" + "---|" * len(VARIANTS)]
    for name, (paper, _) in of_family(family).items():
        if not any((name, v) in figures for v in VARIANTS):
            continue
        cells = [cell(figures.get((name, v)), steps=True) + f" [{p}]" for v, p in zip(VARIANTS, paper)]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def planner_table(rows, family):
    """the fast planner against the paper's settings in the same runs"""
    fast, paper = pooled(rows), pooled(rows, "paper")
    ms = {(r["data_set"], r["planner"]): float(r["decision_ms"]) for r in rows if r["variant"] == "alps"}
    lines = ["| data set | fast | ms a decision | paper's settings | ms a decision | episodes |", "|---|---|---|---|---|---|"]
    for name in of_family(family):
        key = name, "alps"
        if key in paper:
            lines.append(f"| {name} | {cell(fast.get(key), steps=True)} | {ms[name, 'fast']:.1f} | {cell(paper[key], steps=True)} | "
                         f"{ms[name, 'paper']:.0f} | {fast[key][1]}, {paper[key][1]} |")
    return "\n".join(lines)


def put(path, mark, table):
    """replaces what stands between <!-- MARK --> and <!-- /MARK -->"""
    text = path.read_text()
    new, count = re.subn(rf"(<!-- {mark} -->\n).*?(<!-- /{mark} -->)", lambda m: m[1] + table + "\n" + m[2], text, flags=re.S)
    assert count == 1, f"{path} lacks <!-- {mark} -->"
    path.write_text(new)


def table(_):
    for family in SECOND:
        rows = list(measured(family).values())
        figures = pooled(rows)
        if not figures:
            continue
        main, ablation = main_table(figures, family), ablation_table(figures, family)
        put(ROOT / "README.md", family, main)
        put(ROOT / "docs" / "results.md", family, main)
        put(ROOT / "docs" / "results.md", f"{family} ablation", ablation)
        if any(r["planner"] == "paper" for r in rows):
            put(ROOT / "docs" / "results.md", f"{family} planners", planner_table(rows, family))
        print(main, ablation, sep="\n\n", end="\n\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    verbs = parser.add_subparsers(required=True)
    run = verbs.add_parser("run")
    run.add_argument("family", choices=SECOND)
    run.add_argument("--only", default="", metavar="WORD", help="data sets with this word in their name")
    run.add_argument("--stages", default=",".join(STAGES), help="some of main, variants, planners, in this order")
    run.add_argument("--seeds", type=int, default=3)
    run.add_argument("--jobs", type=int, default=2)
    run.add_argument("--again", action="store_true", help="measure anew what only earlier versions measured, whose rows have no `config`")
    run.add_argument("--program", default=PROGRAM)
    run.set_defaults(verb=measure)
    verbs.add_parser("table").set_defaults(verb=table)
    args = parser.parse_args()
    if unknown := set(getattr(args, "stages", "main").split(",")) - set(STAGES):
        parser.error(f"no stage {', '.join(sorted(unknown))}; there are {', '.join(STAGES)}")
    return args.verb(args)


if __name__ == "__main__":
    sys.exit(main())
