"""Campaigns of disturbances with figures: ./alps soak [NAME ...]. Each does something rude to the program many times and counts what
happened; the last lines say how often what was done and what failed. The tests run each of them for a few seconds."""
import argparse
import collections
import importlib
import os
import pathlib
import shutil
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("ALPS_BUILD", ROOT / "build/release"))
ALPS = os.environ.get("ALPS_PROGRAM", str(BUILD / "apps/alps"))
CAMPAIGNS = {  # name: what it counts
    "kills": "SIGKILLs of each kind of work",
    "storage": "failures of each kind for each command",
    "robot": "decisions of a planner, in thousands",
    "fuzz": "seconds for each format",
}
USUAL = {"kills": 100, "storage": 30, "robot": 10_000, "fuzz": 1800}


class Campaign:
    """counts what was done, remembers what failed"""

    def __init__(self, folder, quiet=False):
        self.folder, self.quiet = pathlib.Path(folder), quiet
        self.counts, self.failures, self.figures = collections.Counter(), [], {}

    def count(self, what, kind, times=1):
        self.counts[what, kind] += times

    def expect(self, true, message):
        if not true:
            self.fail(message)
        return bool(true)

    def fail(self, message):
        self.failures.append(message)
        self.say("FAILED " + message)

    def say(self, text):
        if not self.quiet:
            print(text, flush=True)

    def summary(self):
        kinds = sorted({kind for _, kind in self.counts})
        rows = [["", *kinds]] + [[what, *(str(self.counts[what, kind]) for kind in kinds)] for what in dict.fromkeys(w for w, _ in self.counts)]
        widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
        for row in rows:
            print("  ".join(cell.ljust(width) if k == 0 else cell.rjust(width) for k, (cell, width) in enumerate(zip(row, widths))))
        for name, value in self.figures.items():
            print(f"{name}: {value}")
        print(f"{len(self.failures)} failures")


class Parser(argparse.ArgumentParser):
    def format_help(self):  # as the launcher's other commands begin
        return "U" + super().format_help()[1:]


def main():
    names = "".join(f"\n  {name:8} --count: {what} ({USUAL[name]:,})" for name, what in CAMPAIGNS.items())
    parser = Parser(prog="./alps soak", usage="./alps soak [NAME ...] [--count N] [--seed S] [--only TEXT]", description=__doc__ + "\n\ncampaigns:" + names, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="campaigns (default: all)")
    parser.add_argument("--count", type=int, help="how much of each; see above")
    parser.add_argument("--seed", type=int, default=0, help="of the random moments and places")
    parser.add_argument("--only", action="append", metavar="TEXT", help="only work or formats whose name has this in it; may be given several times")
    args = parser.parse_args()
    for name in args.names:
        if name not in CAMPAIGNS:
            parser.error(f"no campaign '{name}'; there are: {', '.join(CAMPAIGNS)}")
    sys.path.insert(0, str(pathlib.Path(__file__).parent))
    failed = 0
    for name in args.names or CAMPAIGNS:
        folder = pathlib.Path(tempfile.mkdtemp(prefix=f"alps-soak-{name}-"))
        campaign = Campaign(folder)
        start = time.time()
        module = importlib.import_module(name)
        module.run(campaign, args.count or USUAL[name], seed=args.seed, only=args.only)
        print(f"\n# {name}, seed {args.seed}, {time.time() - start:.0f} s")
        campaign.summary()
        failed += len(campaign.failures)
        if campaign.failures:
            print(f"what failed is in {folder}")
        else:
            shutil.rmtree(folder)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    sys.modules["soak"] = sys.modules["__main__"]
    main()
