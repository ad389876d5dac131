"""What a search costs and what it brings: success and steps to the goal against decisions a second, for settings from hardly any
search to the paper's. Resumable: results/trade.csv holds a row for each part of the episodes, and only what is missing is run. Both
planners act in the same runs, of preset fast.

    .venv/bin/python bench/trade.py run [--data_sets NAME,NAME] [--episodes 100] [--only fast] [--threads 1]
    .venv/bin/python bench/trade.py table      # rewrites the table and the picture of docs/performance.md
"""
import argparse
import csv
import fcntl
import io
import json
import math
import os
import pathlib
import re
import resource
import subprocess

from chart import chart

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = os.environ.get("ALPS_PROGRAM", str(ROOT / "build" / "release" / "apps" / "alps"))

LEDGER = ROOT / "results" / "trade.csv"
DATA_SETS = "pointmaze-large-navigate-v0,pointmaze-giant-navigate-v0"
TRAINING = ["--seed", "0"]
PART = 1  # episodes of each task in one row
SETTINGS = {  # preset of the planner, what is changed
    "6 x 5 x 1": ("run", "samples=6 horizon=5 iterations=1"),
    "12 x 10 x 1": ("run", "samples=12 iterations=1"),
    "12 x 10 x 2": ("run", "samples=12 iterations=2"),
    "fast: 30 x 10 x 3": ("run", ""),
    "100 x 10 x 3": ("run", "samples=100"),
    "100 x 20 x 3": ("run", "samples=100 horizon=20"),
    "200 x 20 x 4": ("run", "samples=200 horizon=20 iterations=4"),
    "paper: 500 x 20 x 5": ("paper", ""),
}


def rows_of(path):
    return list(csv.DictReader(path.open(newline=""))) if path.exists() else []


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


def wilson(good, count, z=1.959964):
    p, spread = good / count, z * math.sqrt(good / count * (1 - good / count) / count + z * z / (4 * count * count))
    scale = 1 / (1 + z * z / count)
    return 100 * scale * (p + z * z / (2 * count) - spread), 100 * scale * (p + z * z / (2 * count) + spread)


def put(path, mark, table):
    """replaces what stands between <!-- MARK --> and <!-- /MARK -->"""
    text = path.read_text()
    new, count = re.subn(rf"(<!-- {mark} -->\n).*?(<!-- /{mark} -->)", lambda m: m[1] + table + "\n" + m[2], text, flags=re.S)
    assert count == 1, f"{path} lacks <!-- {mark} -->"
    path.write_text(new)


def run(args):
    built_from = commit()
    names = args.data_sets.split(",")
    for name in names:
        if not (ROOT / "runs" / "trade" / name / "graph.npz").exists():
            subprocess.run([args.program, "data", "make", name], cwd=ROOT, check=True)
            subprocess.run([args.program, "train", name, "--out", f"runs/trade/{name}", *TRAINING], cwd=ROOT, check=True)
    order = sorted((s for s in SETTINGS if args.only in s), key=lambda s: s.startswith("paper"))  # the longest last
    for part in range(math.ceil(args.episodes / (5 * PART))):
        for setting in order:
            for name in names:
                folder = f"runs/trade/{name}"
                if any((r["data_set"], r["setting"], r["part"]) == (name, setting, str(part)) for r in rows_of(LEDGER)):
                    continue
                if not setting.startswith(("paper", "fast")) and part >= args.others // (5 * PART):
                    continue  # only the two that are compared need all episodes
                preset, changes = SETTINGS[setting]
                command = ["eval", folder, "--planner", preset, "--episodes", str(PART), "--seed", str(1000 + part), "--threads",
                           str(args.threads), *(x for change in changes.split() for x in ("--set", change))]
                before = resource.getrusage(resource.RUSAGE_CHILDREN)
                done = subprocess.run([args.program, *command, "--json"], cwd=ROOT, capture_output=True, text=True, check=True)
                result = json.loads(done.stdout)
                after = resource.getrusage(resource.RUSAGE_CHILDREN)
                cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
                append(LEDGER, dict(data_set=name, setting=setting, part=part, episodes=result["episodes"], successes=result["successes"],
                                    mean_steps=round(result["mean_steps"], 2), decisions=result["decisions"],
                                    cpu_ms=round(1e3 * cpu / result["decisions"], 3), commit=built_from, command="alps " + " ".join(command)))
                print(name, setting, part, result["successes"], "/", result["episodes"], flush=True)


def pooled():
    """(data set, setting) -> successes, episodes, mean steps, least processor time of a decision with its step in the world"""
    groups = {}
    for r in rows_of(LEDGER):
        groups.setdefault((r["data_set"], r["setting"]), []).append(r)
    found = {}
    for key, group in groups.items():
        good, count = (sum(int(r[k]) for r in group) for k in ("successes", "episodes"))
        steps = sum(float(r["mean_steps"]) * int(r["successes"]) for r in group) / max(1, good)
        found[key] = good, count, steps, min(float(r["cpu_ms"]) for r in group)
    return found


def table(_):
    figures = pooled()
    names = sorted({name for name, _ in figures}, reverse=True)
    lines = ["| data set | setting | success % | episodes | mean steps | processor ms a decision | decisions/s on one core |", "|---|---|---|---|---|---|---|"]
    for name in names:
        for setting in SETTINGS:
            if (name, setting) in figures:
                good, count, steps, ms = figures[name, setting]
                low, high = wilson(good, count)
                lines.append(f"| {name} | {setting} | {100 * good / count:.1f} ({low:.0f}-{high:.0f}) | {count} | {steps:.0f} | {ms:.2f} | {1e3 / ms:.0f} |")
    put(ROOT / "docs" / "performance.md", "trade", "\n".join(lines))
    least = {name: min(f[2] for key, f in figures.items() if key[0] == name) for name in names}
    series = {f"{name}; at the points: setting, success": [(1e3 / f[3], f[2] / least[name], f"{s.split(':')[0]}, {100 * f[0] / f[1]:.0f} %")
                                                          for s in SETTINGS if (f := figures.get((name, s)))] for name in names}
    chart(ROOT / "docs" / "trade.svg", "Steps to the goal, as a multiple of the best setting's, against the rate of decisions",
          "decisions a second on one core", "steps, relative", series)
    print("\n".join(lines))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    verbs = parser.add_subparsers(required=True)
    verb = verbs.add_parser("run")
    verb.add_argument("--data_sets", default=DATA_SETS)
    verb.add_argument("--episodes", type=int, default=100, help="of the fast and the paper's settings, on each data set")
    verb.add_argument("--others", type=int, default=50, help="of the other settings")
    verb.add_argument("--only", default="", help="settings whose name contains this")
    verb.add_argument("--threads", type=int, default=1)
    verb.add_argument("--program", default=PROGRAM)
    verb.set_defaults(verb=run)
    verbs.add_parser("table").set_defaults(verb=table)
    args = parser.parse_args()
    args.verb(args)


if __name__ == "__main__":
    main()
