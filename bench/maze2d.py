"""Maze2D from images: trains what is missing and measures what is missing, one ledger row per maze, seed, method and
number of clusters. Stop it at any time and start it again; it goes on where it was.

    python bench/maze2d.py [--seeds 5] [--mazes rooms,spiral,hallway] [--methods alps,pclast] [--threads 1]
    python bench/maze2d.py --table      # what the ledger holds, as a table beside the paper's figures

$ALPS_PROGRAM is another program than this tree's build, $ALPS_COMMIT the commit it was built from."""
import argparse
import os
import pathlib
import statistics
import subprocess

from results import rows_of

ROOT = pathlib.Path(__file__).resolve().parents[1]
ALPS = os.environ.get("ALPS_PROGRAM", str(ROOT / "build/release/apps/alps"))
LEDGER = "results/evaluations.csv"  # the ledger of bench/results.py
EARLIER = "results/maze2d.csv"  # of earlier versions, with other columns
VARIANTS = {1: "cem", 16: "dijkstra+cem"}
PAPER = {("hallway", 1): (94, 51), ("hallway", 16): (97, 62), ("rooms", 1): (92, 30), ("rooms", 16): (96, 57),
         ("spiral", 1): (91, 35), ("spiral", 16): (94, 60)}  # ALPS without prior, PcLast


# the commit at the start: what is committed while this runs did not make the rows
COMMIT = os.environ.get("ALPS_COMMIT") or subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT,
                                                         capture_output=True, text=True).stdout.strip()


def alps(*args):
    print("alps", *args, flush=True)
    subprocess.run([ALPS, *map(str, args)], cwd=ROOT, check=True, env={**os.environ, "ALPS_COMMIT": COMMIT})


def measured():
    """success rates in the ledgers by (data set, method, seed, clusters); what was measured last counts"""
    rows = [r for r in rows_of(ROOT / EARLIER) + rows_of(ROOT / LEDGER) if "maze2d-" in r["data_set"]]
    return {(r["data_set"], r["method"], int(r["seed"]), int(r["clusters"])): 100 * float(r["success"]) for r in rows
            if r["clusters"] and r["variant"] == VARIANTS.get(int(r["clusters"])) and not r.get("set") and not r.get("budget_ms")}


def print_table():
    rates = measured()
    print("| maze | clusters | ALPS without prior | paper | PcLast | paper |\n|---|---|---|---|---|---|")
    for (maze, clusters), paper in PAPER.items():
        cells = []
        for method, figure in zip(("alps", "pclast"), paper):
            found = [rate for key, rate in rates.items() if f"-{maze}-" in key[0] and key[1] == method and key[3] == clusters]
            spread = f" ± {statistics.stdev(found):.1f}" if len(found) > 1 else ""
            seeds = f" ({len(found)} seed{'s' * (len(found) > 1)})"
            cells += [f"{statistics.mean(found):.1f}{spread}{seeds}" if found else "not measured yet", str(figure)]
        print(f"| {maze} | {clusters} | " + " | ".join(cells) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--mazes", default="rooms,spiral,hallway")
    parser.add_argument("--methods", default="alps,pclast")
    parser.add_argument("--episodes", type=int, default=100)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--table", action="store_true", help="print the ledger as a table and leave")
    args = parser.parse_args()
    if args.table:
        return print_table()
    threads = ["--threads", args.threads]
    for seed in range(args.seeds):
        for method in args.methods.split(","):
            for maze in args.mazes.split(","):
                data = f"visual-maze2d-{maze}-random-v0"
                missing = [c for c in VARIANTS if (data, method, seed, c) not in measured()]
                if not missing:
                    continue
                run = pathlib.Path(f"runs/maze2d-{maze}-s{seed}" if method == "alps" else f"runs/maze2d-{maze}-{method}-s{seed}")
                for part in ("representation", "model"):  # no prior is needed without one
                    if not trained(ROOT / run, part):
                        start = [] if (ROOT / run / "config.json").exists() else ["--method", method, "--seed", seed]
                        alps("train", data, "--out", run, "--only", part, *start, *threads)
                for clusters in missing:
                    alps("eval", run, "--variant", VARIANTS[clusters], "--clusters", clusters, "--episodes", args.episodes,
                         "--seed", seed, "--results", LEDGER, *threads)


def trained(run, part):
    if not (run / "model.safetensors").exists():
        return False
    with open(run / "model.safetensors", "rb") as file:
        header = file.read(int.from_bytes(file.read(8), "little"))
    return f'"{part}.0.weight"'.encode() in header


if __name__ == "__main__":
    main()
