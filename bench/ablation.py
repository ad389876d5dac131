"""The paper's ablations on ants: success against the number of regions (fig:clusters_ablation) and the number of eigenvectors
(tab:eigenvector_ablation), one at a time. Starts from the runs of bench/results.py; resumable, a row of results/ablation.csv each.

    .venv/bin/python bench/ablation.py run clusters|eigenvectors [--data NAME,NAME] [--episodes 5] [--seed 0]
    .venv/bin/python bench/ablation.py table      # rewrites the tables and pictures of docs/results.md
"""
import argparse
import csv
import json
import os
import pathlib
import shutil
import subprocess

from chart import chart
from results import ROOT, pooled, put, rows_of, wilson

LEDGER = ROOT / "results" / "ablation.csv"
VALUES = {"clusters": [16, 32, 64, 96, 128, 192, 256], "eigenvectors": [2, 8, 16, 24, 32, 48]}
DATA = {
    "clusters": [f"antmaze-large-{kind}-v0" for kind in ("navigate", "stitch", "explore")],
    "eigenvectors": [f"antmaze-{maze}-{kind}-v0" for maze in ("large", "giant") for kind in ("navigate", "stitch")],
}
FIELDS = ["what", "value", "data_set", "variant", "seed", "episodes", "successes", "mean_steps", "commit", "command"]


def run(args):
    head = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True).stdout.strip()
    for name in args.data.split(",") if args.data else DATA[args.what]:
        base = ROOT / "runs" / "results" / f"{name}-s{args.seed}"
        if not (base / "graph.npz").exists():
            print(f"{name}: no run at {base}; bench/results.py makes it")
            continue
        for value in VALUES[args.what]:
            key = (args.what, str(value), name, args.variant, str(args.seed))
            if any(tuple(r[k] for k in ("what", "value", "data_set", "variant", "seed")) == key for r in rows_of(LEDGER)):
                continue
            folder = ROOT / "runs" / "ablation" / f"{name}-s{args.seed}-{args.what}{value}"
            prepare(args, name, base, folder, value)
            command = ["eval", str(folder.relative_to(ROOT)), "--variant", args.variant, "--episodes", str(args.episodes),
                       "--seed", str(args.seed), "--threads", "1"]
            done = subprocess.run([args.program, *command, "--json"], cwd=ROOT, capture_output=True, text=True, check=True)
            result = json.loads(done.stdout)
            new = not LEDGER.exists()
            with LEDGER.open("a") as file:
                out = csv.DictWriter(file, FIELDS, lineterminator="\n")
                if new:
                    out.writeheader()
                out.writerow(dict(zip(FIELDS, key), episodes=result["episodes"], successes=result["successes"],
                                  mean_steps=round(result["mean_steps"], 1), commit=os.environ.get("ALPS_COMMIT", head),
                                  command="alps " + " ".join(command)))
            print(name, args.what, value, result["successes"], "/", result["episodes"], flush=True)


def prepare(args, name, base, folder, value):
    """a copy of the run with another number of regions, or another representation and the prior that goes with it"""
    if (folder / "ready").exists():
        return
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(base, folder, ignore=shutil.ignore_patterns("eval*", "plots", "report.html"))

    def alps(*command):
        subprocess.run([args.program, *command], cwd=ROOT, check=True, capture_output=True)

    if args.what == "clusters":
        alps("eval", str(folder), "--variant", "dijkstra+prior", "--episodes", "1", "--clusters", str(value))
    else:
        options = ["--set", f"eigenvectors={value}", "--seed", str(args.seed), "--threads", "1"]
        alps("train", name, "--out", str(folder), "--only", "representation", *options)
        alps("train", name, "--out", str(folder), "--only", "prior", *options)
    (folder / "ready").touch()


def table(_):
    for what, values in VALUES.items():
        figures = {}
        for value in values:
            rows = [r for r in rows_of(LEDGER) if r["what"] == what and r["value"] == str(value)]
            figures |= {(*key, value): figure for key, figure in pooled(rows).items()}
        names = [n for n in DATA[what] if any(key[0] == n for key in figures)]
        if not names:
            continue
        lines = [f"| data set, {what} | " + " | ".join(map(str, values)) + " |", "|---|" + "---|" * len(values)]
        series = {}
        for name in names:
            cells = []
            for value in values:
                good, count, _, steps = figures.get((name, "alps", value), (0, 0, 0, 0))
                if not count:
                    cells.append("-")
                    continue
                low, high = wilson(good, count)
                cells.append(f"{100 * good / count:.0f} ({low:.0f}-{high:.0f})" + (f", {steps:.0f} steps" if good else ""))
                series.setdefault(name, []).append((value, 100 * good / count, ""))
            lines.append(f"| {name} | " + " | ".join(cells) + " |")
        put(ROOT / "docs" / "results.md", f"{what} ablation", "\n".join(lines))
        chart(ROOT / "docs" / f"{what}.svg", f"Success against the number of {what}", what, "success, %", series)
        print("\n".join(lines), end="\n\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    verbs = parser.add_subparsers(required=True)
    verb = verbs.add_parser("run")
    verb.add_argument("what", choices=VALUES)
    verb.add_argument("--data", default="", metavar="NAME,NAME", help="default: those of the paper")
    verb.add_argument("--variant", default="alps")
    verb.add_argument("--episodes", type=int, default=5, help="of each task")
    verb.add_argument("--seed", type=int, default=0)
    verb.add_argument("--program", default=os.environ.get("ALPS_PROGRAM", str(ROOT / "build" / "release" / "apps" / "alps")))
    verb.set_defaults(verb=run)
    verbs.add_parser("table").set_defaults(verb=table)
    args = parser.parse_args()
    args.verb(args)


if __name__ == "__main__":
    main()
