"""Fuzzing guided by coverage (clang's libFuzzer, tests/fuzz) of files and requests that may come from somebody else. What counts as a finding:
a crash, an exception that is not alps::Error, undefined behaviour, an input that takes longer than five seconds, memory beyond 512 MB."""
import os
import re
import shutil
import subprocess

from soak import ROOT

FORMATS = ("npz", "npy", "safetensors", "config", "graph", "ledger", "http")
FOLDER = ROOT / "build/fuzz"


def build(formats):
    """the fuzzers by the preset `fuzz`; what is wrong in words if it cannot be done"""
    if not shutil.which("clang++"):
        return "no clang++; as root, run: apt-get install clang libclang-rt-14-dev (of your clang's version)"
    if not (FOLDER / "build.ninja").exists():
        done = subprocess.run(["cmake", "--preset", "fuzz"], cwd=ROOT, capture_output=True, text=True)
        if done.returncode != 0:
            return done.stderr[-1000:]
    done = subprocess.run(["ninja", "-C", FOLDER, *(f"fuzz_{name}" for name in formats)], capture_output=True, text=True)
    return "" if done.returncode == 0 else (done.stdout + done.stderr)[-2000:]


def run(campaign, count, seed=0, only=None):
    """`count` seconds for each format; with $ALPS_KEEP_CORPUS, inputs that reach new code are added to tests/fuzz/corpus"""
    formats = [name for name in FORMATS if not only or name in only]
    if not campaign.expect(not (wrong := build(formats)), f"the fuzzers were not built: {wrong}"):
        return
    for name in formats:
        seeds, found = ROOT / "tests/fuzz/corpus" / name, campaign.folder / name
        found.mkdir(parents=True, exist_ok=True)
        done = subprocess.run([FOLDER / f"tests/fuzz/fuzz_{name}", f"-max_total_time={count}", "-timeout=5", "-rss_limit_mb=512", "-max_len=4096",
                               f"-seed={seed + 1}", "-print_final_stats=1", f"-artifact_prefix={found}/finding-", found, *([seeds] if seeds.exists() else [])],
                              capture_output=True, text=True, errors="replace", env=dict(os.environ, ASAN_OPTIONS="allocator_may_return_null=1"))
        if done.returncode != 0:
            findings = sorted(p.name for p in found.glob("finding-*"))
            campaign.fail(f"{name}: {findings}: {done.stderr[-3000:]}")
        stats = dict(re.findall(r"stat::(\w+):\s+(\d+)", done.stderr))
        covered = re.findall(r"cov: (\d+)", done.stderr)
        campaign.count(name, "inputs", int(stats.get("number_of_executed_units", 0)))
        campaign.count(name, "seconds", count)
        campaign.figures[name] = f"{covered[-1] if covered else 0} places covered, {stats.get('peak_rss_mb')} MB at most, slowest input {stats.get('slowest_unit_time_sec')} s"
        campaign.say(f"{name}: {campaign.counts[name, 'inputs']:,} inputs, {campaign.figures[name]}")
        if os.environ.get("ALPS_KEEP_CORPUS"):  # the smallest of what reaches something that the kept inputs do not
            merged = campaign.folder / f"{name}.merged"
            shutil.copytree(seeds, merged)
            subprocess.run([FOLDER / f"tests/fuzz/fuzz_{name}", "-merge=1", "-max_len=4096", merged, found], capture_output=True)
            new = [path for path in merged.iterdir() if not (seeds / path.name).exists()]
            for path in sorted(new, key=lambda path: path.stat().st_size)[:25]:
                shutil.copy(path, seeds)
