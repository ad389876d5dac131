"""A planner in a robot's process (tests/soak/robot.cc): many decisions without growth of memory or time, wrong observations that must not
harm the next decision, eight planners on eight threads, loading and freeing, opening and closing the library."""
import json
import subprocess

from soak import ALPS, BUILD

NAME = "pointmaze-medium-navigate-v0"
QUICK = ["samples=8", "horizon=3", "iterations=1", "doubt=0", "threads=1"]  # a search in every decision, but a short one


def small_run(folder):
    """a run with small networks"""
    run = folder / "run"
    if not run.exists():
        sets = dict(representation_steps=100, model_steps=100, prior_steps=200, prior_batch=256, encoder_width=32, model_width=32, prior_width=32, eigenvectors=8)
        for args in (["data", "make", NAME, "--data_dir", folder, "--episodes", 40],
                     ["train", NAME, "--data_dir", folder, "--out", run, "--threads", 1, *(x for k, v in sets.items() for x in ("--set", f"{k}={v}"))]):
            subprocess.run([str(word) for word in [ALPS, *args]], check=True, capture_output=True)
    return run


def run(campaign, count, seed=0, only=None, made=None):
    """`count` thousand decisions; a fifth as many on each of eight threads; loads and unloads by the thousand"""
    folder = made or small_run(campaign.folder)
    library = next(BUILD.glob("libalps_plan.so"))
    loads = max(20, min(1000, count))
    for what, times in (("decisions", 1000 * count), ("threads", 20 * count), ("loads", loads), ("unloads", loads)):
        if only and what not in only:
            continue
        settings = QUICK[:-1] + ["threads=8"] if what == "unloads" else QUICK
        done = subprocess.run([BUILD / "tests/soak_robot", library, folder, what, str(times), *settings], capture_output=True, text=True)
        if not campaign.expect(done.returncode == 0, f"{what}: ended with {done.returncode}: {done.stderr}"):
            continue
        told = json.loads(done.stdout)
        campaign.count(what, "times", times)
        campaign.expect(told["failures"] == 0, f"{what}: {told['failures']} times wrong: {done.stderr}")
        early, late = told["early"], told["late"]
        campaign.figures[what] = {k: v for k, v in told.items() if k != "failures"}
        if what != "threads":  # all memory is there after a tenth of the work
            campaign.expect(late["rss_kb"] - early["rss_kb"] < 2000, f"{what}: memory grew from {early['rss_kb']} to {late['rss_kb']} kB")
            campaign.expect((early["threads"], early["files"]) == (late["threads"], late["files"]), f"{what}: threads or files grew: {early}, {late}")
