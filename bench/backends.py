"""Do runs succeed in OGBench's own environments as they do in ours? Fills results/backends.csv, a row for each data set, backend
and task, and makes the table of docs/python.md. Can be stopped and started again at any time.

    .venv/bin/python bench/backends.py run [--data NAME,NAME] [--episodes 40] [--jobs 1]
    .venv/bin/python bench/backends.py table

Needs the runs of bench/results.py (runs/results/NAME-s0). Both backends get the same seeds; these give the planner the same
random numbers, but the package draws starts and goals by NumPy.
"""
import argparse
import concurrent.futures
import pathlib
import sys

from results import PROGRAM, ROOT, call, cell, commit, pooled, put, rows_of

LEDGER = ROOT / "results" / "backends.csv"
EARLIER = ROOT / "results" / "ogbench.csv"  # of earlier versions, with other columns
DATA = ["pointmaze-medium-navigate-v0", "pointmaze-large-navigate-v0", "antmaze-medium-navigate-v0"]
BACKENDS = ["ogbench", "native"]


def rows():
    """what was measured last counts"""
    told = [r | {"task": r["command"].split("--tasks ")[1].split()[0]} for r in rows_of(EARLIER) + rows_of(LEDGER)]
    return list({(r["data_set"], r["backend"], r["task"]): r for r in told}.values())


def run(args):
    built_from = commit()

    def one(name, task, backend):
        folder = pathlib.Path("runs") / "results" / f"{name}-s0"
        if any((r["data_set"], r["backend"], r["task"]) == (name, backend, str(task)) for r in rows()):
            return
        call([args.program, "eval", str(folder), "--episodes", str(args.episodes), "--tasks", str(task), "--seed", "0", "--threads",
              "1", "--backend", backend, "--results", str(LEDGER)], ROOT / f"{folder}.log", ALPS_COMMIT=built_from)
        row = next(r for r in rows() if (r["data_set"], r["backend"], r["task"]) == (name, backend, str(task)))
        print(f"{name} task {task} {backend}: {row['per_task']} ({float(row['mean_steps']):.0f} steps)", flush=True)

    jobs = [(name, task, backend) for name in args.data.split(",") for task in range(1, 6) for backend in BACKENDS]
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        list(pool.map(lambda job: one(*job), jobs))


def table(_):
    lines = ["| data set | OGBench's environment | native environment | episodes each |", "|---|---|---|---|"]
    for name in DATA:
        figures = {b: pooled([r for r in rows() if r["data_set"] == name and r["backend"] == b]).get((name, "alps"))
                   for b in BACKENDS}
        if not all(figures.values()):
            continue
        lines.append(f"| {name} | " + " | ".join(cell(figures[b], steps=True) for b in BACKENDS) + f" | {figures['ogbench'][1]} |")
    put(ROOT / "docs" / "python.md", "ogbench", "\n".join(lines))
    print("\n".join(lines))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["run", "table"])
    parser.add_argument("--data", default=",".join(DATA))
    parser.add_argument("--episodes", type=int, default=40, help="of each task")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--program", default=PROGRAM)
    arguments = parser.parse_args()
    sys.exit({"run": run, "table": table}[arguments.what](arguments))
