"""What a search costs and what it brings: success and steps to the goal against decisions a second, for settings from hardly any
search to the paper's. Resumable: results/trade.csv holds a row for each part of the episodes, and only what is missing is run.

    .venv/bin/python bench/trade.py run [--runs RUN,RUN] [--episodes 200] [--threads 1]
    .venv/bin/python bench/trade.py table      # rewrites the table and the picture of docs/performance.md
"""
import argparse
import csv
import json
import math
import os
import pathlib
import subprocess

from results import ROOT, put, wilson

LEDGER = ROOT / "results" / "trade.csv"
RUNS = "runs/results/pointmaze-large-navigate-v0-s0,runs/results/pointmaze-giant-navigate-v0-s0"
PART = 2  # episodes of each task in one row
SETTINGS = {  # preset of the planner, what is changed
    "6 x 5 x 1": ("fast", "samples=6 horizon=5 iterations=1"),
    "12 x 10 x 1": ("fast", "samples=12 iterations=1"),
    "12 x 10 x 2": ("fast", "samples=12 iterations=2"),
    "fast: 30 x 10 x 3": ("fast", ""),
    "100 x 10 x 3": ("fast", "samples=100"),
    "100 x 20 x 3": ("fast", "samples=100 horizon=20"),
    "200 x 20 x 4": ("fast", "samples=200 horizon=20 iterations=4"),
    "paper: 500 x 20 x 5": ("paper", ""),
}
FIELDS = ["data_set", "setting", "part", "episodes", "successes", "mean_steps", "p50_ms", "p99_ms", "commit", "command"]


def rows():
    return list(csv.DictReader(LEDGER.open())) if LEDGER.exists() else []


def run(args):
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True).stdout.strip()
    order = sorted(SETTINGS, key=lambda s: s.startswith("paper"))  # the longest last
    for part in range(math.ceil(args.episodes / (5 * PART))):
        for setting in order:
            for folder in args.runs.split(","):
                name = pathlib.Path(folder).name.rsplit("-s", 1)[0]
                if any((r["data_set"], r["setting"], r["part"]) == (name, setting, str(part)) for r in rows()):
                    continue
                if not setting.startswith(("paper", "fast")) and part >= args.others // (5 * PART):
                    continue  # only the two that are compared need all episodes
                preset, changes = SETTINGS[setting]
                command = ["eval", folder, "--planner", preset, "--episodes", str(PART), "--seed", str(1000 + part), "--threads",
                           str(args.threads), *(x for change in changes.split() for x in ("--set", change))]
                done = subprocess.run([args.program, *command, "--json"], cwd=ROOT, capture_output=True, text=True, check=True)
                result = json.loads(done.stdout)
                new = not LEDGER.exists()
                with LEDGER.open("a") as file:
                    out = csv.DictWriter(file, FIELDS, lineterminator="\n")
                    if new:
                        out.writeheader()
                    ms = result["decision_ms"]
                    out.writerow(dict(data_set=name, setting=setting, part=part, episodes=result["episodes"], successes=result["successes"],
                                      mean_steps=round(result["mean_steps"], 2), p50_ms=round(ms["p50"], 3), p99_ms=round(ms["p99"], 3),
                                      commit=commit, command="alps " + " ".join(command)))
                print(name, setting, part, result["successes"], "/", result["episodes"], flush=True)


def pooled():
    """(data set, setting) -> successes, episodes, mean steps, least p50 and its p99 (other programs only make them longer)"""
    groups = {}
    for r in rows():
        groups.setdefault((r["data_set"], r["setting"]), []).append(r)
    found = {}
    for key, group in groups.items():
        good, count = (sum(int(r[k]) for r in group) for k in ("successes", "episodes"))
        steps = sum(float(r["mean_steps"]) * int(r["successes"]) for r in group) / max(1, good)
        quickest = min(group, key=lambda r: float(r["p50_ms"]))
        found[key] = good, count, steps, float(quickest["p50_ms"]), float(quickest["p99_ms"])
    return found


def table(_):
    figures = pooled()
    names = sorted({name for name, _ in figures}, reverse=True)
    lines = ["| data set | setting | success % | episodes | mean steps | p50 ms | p99 ms | decisions/s |", "|---|---|---|---|---|---|---|---|"]
    for name in names:
        for setting in SETTINGS:
            if (name, setting) in figures:
                good, count, steps, p50, p99 = figures[name, setting]
                low, high = wilson(good, count)
                lines.append(f"| {name} | {setting} | {100 * good / count:.1f} ({low:.0f}-{high:.0f}) | {count} | {steps:.0f} | {p50:.1f} | {p99:.1f} | {1e3 / p50:.0f} |")
    put(ROOT / "docs" / "performance.md", "trade", "\n".join(lines))
    picture(figures, names, ROOT / "docs" / "trade.svg")
    print("\n".join(lines))


def picture(figures, names, path):
    """steps to the goal (left axis: relative to the paper's or the best setting) and success, against decisions a second"""
    width, height, left, bottom, top, right = 760, 420, 70, 330, 50, 730
    rates = [1e3 / f[3] for f in figures.values()]
    x_low, x_high = math.log10(min(rates)) - 0.1, math.log10(max(rates)) + 0.1
    least = {name: min(f[2] for key, f in figures.items() if key[0] == name) for name in names}
    most = max([1.05] + [f[2] / least[key[0]] for key, f in figures.items()])

    def x(rate):
        return left + (math.log10(rate) - x_low) / (x_high - x_low) * (right - left)

    def y(ratio):
        return bottom - (ratio - 0.98) / (most - 0.98 + 0.02) * (bottom - top)

    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" font-family="sans-serif" font-size="12">',
             f'<rect width="{width}" height="{height}" fill="white"/>',
             f'<text x="{left}" y="24" font-size="14">Steps to the goal, as a multiple of the best setting, against decisions a second</text>',
             f'<path d="M{left} {top}V{bottom}H{right}" fill="none" stroke="#444"/>']
    for power in range(math.floor(x_low), math.ceil(x_high) + 1):
        for k in (1, 2, 5):
            if x_low <= math.log10(k) + power <= x_high:
                at = x(k * 10**power)
                parts.append(f'<path d="M{at:.0f} {bottom}v5" stroke="#444"/><text x="{at:.0f}" y="{bottom + 20}" text-anchor="middle">{k * 10**power:g}</text>')
    for ratio in [1 + 0.02 * i for i in range(50) if 1 + 0.02 * i <= most + 0.01]:
        parts.append(f'<path d="M{left} {y(ratio):.0f}H{right}" stroke="#eee"/><text x="{left - 8}" y="{y(ratio) + 4:.0f}" text-anchor="end">{ratio:.2f}</text>')
    parts.append(f'<text x="{(left + right) / 2:.0f}" y="{bottom + 40}" text-anchor="middle">decisions a second, one core (logarithmic)</text>')
    for name, color, side in zip(names, ("#1f6fb4", "#c5500c", "#2d8a4e"), (-1, 1, 1)):
        points = sorted((1e3 / figures[name, s][3], figures[name, s][2] / least[name], s, figures[name, s]) for s in SETTINGS if (name, s) in figures)
        parts.append('<path d="M' + 'L'.join(f'{x(r):.1f} {y(v):.1f}' for r, v, _, _ in points) + f'" fill="none" stroke="{color}"/>')
        for rate, value, setting, (good, count, *_) in points:
            label = setting.split(":")[0] + f" {100 * good / count:.0f} %"
            parts.append(f'<circle cx="{x(rate):.1f}" cy="{y(value):.1f}" r="4" fill="{color}"/><text x="{x(rate):.1f}" y="{y(value) + (18 if side > 0 else -9):.1f}" '
                         f'text-anchor="middle" font-size="10" fill="{color}">{label}</text>')
    for i, (name, color) in enumerate(zip(names, ("#1f6fb4", "#c5500c", "#2d8a4e"))):
        parts.append(f'<text x="{left + 10}" y="{height - 30 + 16 * i}" fill="{color}">{name}, numbers: success</text>')
    path.write_text("\n".join(parts) + "</svg>\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    verbs = parser.add_subparsers(required=True)
    verb = verbs.add_parser("run")
    verb.add_argument("--runs", default=RUNS)
    verb.add_argument("--episodes", type=int, default=200, help="of the fast and the paper's settings, on each data set")
    verb.add_argument("--others", type=int, default=50, help="of the other settings")
    verb.add_argument("--threads", type=int, default=1)
    verb.add_argument("--program", default=os.environ.get("ALPS_PROGRAM", str(ROOT / "build" / "release" / "apps" / "alps")))
    verb.set_defaults(verb=run)
    verbs.add_parser("table").set_defaults(verb=table)
    args = parser.parse_args()
    args.verb(args)


if __name__ == "__main__":
    main()
