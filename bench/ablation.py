"""The paper's ablations on ants: success against the number of regions (fig:clusters_ablation) and the number of eigenvectors
(tab:eigenvector_ablation), one at a time. Starts from the runs of bench/results.py; resumable, a row of results/ablation.csv each.

    .venv/bin/python bench/ablation.py run clusters|eigenvectors [--data NAME,NAME] [--episodes 5] [--seed 0]
    .venv/bin/python bench/ablation.py draw       # the pictures of docs/results.md; `alps table --write` makes its tables
"""
import argparse
import json
import shutil
import subprocess

from chart import chart
from results import PROGRAM, ROOT, append, commit, pooled, rows_of

LEDGER = ROOT / "results" / "ablation.csv"
VALUES = {"clusters": [16, 32, 64, 96, 128, 192, 256], "eigenvectors": [2, 8, 16, 24, 32, 48]}
DATA = {
    "clusters": [f"antmaze-large-{kind}-v0" for kind in ("navigate", "stitch", "explore")],
    "eigenvectors": [f"antmaze-{maze}-{kind}-v0" for maze in ("large", "giant") for kind in ("navigate", "stitch")],
}
# the paper's, in the order of VALUES (tab:eigenvector_ablation); of its figure of clusters there are no numbers
PAPER = {
    "antmaze-large-navigate-v0": [33, 90, 94, 93, 94, 94],
    "antmaze-large-stitch-v0": [19, 93, 95, 94, 95, 94],
    "antmaze-giant-navigate-v0": [0, 28, 51, 64, 68, 76],
    "antmaze-giant-stitch-v0": [1, 59, 88, 91, 92, 92],
}
KEY = ["what", "value", "data_set", "variant", "seed"]


def run(args):
    built_from = commit()
    for name in args.data.split(",") if args.data else DATA[args.what]:
        base = ROOT / "runs" / "results" / f"{name}-s{args.seed}"
        if not (base / "graph.npz").exists():
            print(f"{name}: no run at {base}; bench/results.py makes it")
            continue
        for value in VALUES[args.what]:
            key = (args.what, str(value), name, args.variant, str(args.seed))
            if any(tuple(r[k] for k in KEY) == key for r in rows_of(LEDGER)):
                continue
            folder = base if args.what == "clusters" else other_run(args, name, base, value)
            command = ["eval", str(folder.relative_to(ROOT)), "--variant", args.variant, "--episodes", str(args.episodes),
                       "--seed", str(args.seed), "--threads", "1"]
            if args.what == "clusters":
                command += ["--clusters", str(value)]
            done = subprocess.run([args.program, *command, "--json"], cwd=ROOT, capture_output=True, text=True, check=True)
            result = json.loads(done.stdout)
            append(LEDGER, dict(zip(KEY, key), episodes=result["episodes"], successes=result["successes"],
                                mean_steps=round(result["mean_steps"], 1), commit=built_from, command="alps " + " ".join(command)))
            print(name, args.what, value, result["successes"], "/", result["episodes"], flush=True)


def other_run(args, name, base, value):
    """a copy of the run with another representation and the prior that goes with it; the run itself where it has that one"""
    if json.loads((base / "config.json").read_text())["settings"][args.what] == value:
        return base
    folder = ROOT / "runs" / "ablation" / f"{name}-s{args.seed}-{args.what}{value}"
    if not (folder / "ready").exists():
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(base, folder, ignore=shutil.ignore_patterns("eval*", "results", "plots", "report.html"))
        for part in ("representation", "prior"):
            subprocess.run([args.program, "train", name, "--out", str(folder), "--only", part, "--set", f"eigenvectors={value}",
                            "--seed", str(args.seed), "--threads", "1"], cwd=ROOT, check=True, capture_output=True)
        (folder / "ready").touch()
    return folder


def draw(_):
    for what, values in VALUES.items():
        figures = {}
        for value in values:
            rows = [r for r in rows_of(LEDGER) if r["what"] == what and r["value"] == str(value)]
            figures |= {(*key, value): figure for key, figure in pooled(rows).items()}
        series = {}
        for name in DATA[what]:
            measured = {value: figures.get((name, "alps", value)) for value in values}
            series[name] = [(value, 100 * f[0] / f[1], "") for value, f in measured.items() if f]
            if what == "eigenvectors":
                series[f"{name}, the paper's"] = [(value, p, "") for value, p in zip(values, PAPER[name])]
        if any(series.values()):
            chart(ROOT / "docs" / f"{what}.svg", f"Success against the number of {what}", what, "success, %", series, x_ticks=values)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    verbs = parser.add_subparsers(required=True)
    verb = verbs.add_parser("run")
    verb.add_argument("what", choices=VALUES)
    verb.add_argument("--data", default="", metavar="NAME,NAME", help="default: those of the paper")
    verb.add_argument("--variant", default="alps")
    verb.add_argument("--episodes", type=int, default=5, help="of each task")
    verb.add_argument("--seed", type=int, default=0)
    verb.add_argument("--program", default=PROGRAM)
    verb.set_defaults(verb=run)
    verbs.add_parser("draw").set_defaults(verb=draw)
    args = parser.parse_args()
    args.verb(args)


if __name__ == "__main__":
    main()
