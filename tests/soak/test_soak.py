"""The campaigns of ./alps soak, for some seconds each; docs/reliability.md has the figures of longer ones."""
import os
import pathlib
import random
import shutil
import subprocess
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import fuzz  # noqa: E402
import kills  # noqa: E402
import robot  # noqa: E402
import storage  # noqa: E402
from soak import BUILD, ROOT, Campaign  # noqa: E402


@pytest.fixture
def campaign(tmp_path, small_run):
    """a folder in which the small run lies where campaigns look for one"""
    home = tmp_path / "kills"
    home.mkdir()
    shutil.copytree(small_run, home / "run")
    for file in small_run.parent.glob("*.npz"):
        os.link(file, home / file.name)
    campaign = Campaign(tmp_path, quiet=True)
    yield campaign
    assert not campaign.failures, "\n".join(campaign.failures)


@pytest.mark.parametrize("work", ["data make pointmaze", "train --method alps", "train --method gcbc", "eval", "sweep"])
def test_killed_work_goes_on_to_the_same_bytes(campaign, work):
    kills.run(campaign, 2, seed=3, only=[work], others=False)
    assert sum(n for (_, kind), n in campaign.counts.items() if kind == "SIGKILL") >= 2


def test_the_campaign_notices_what_it_looks_for(campaign, tmp_path):
    """another byte, a file too many, a file that is left behind, and words that are no words for a user"""
    work = kills.chosen(tmp_path / "kills", ["data make pointmaze"])[0]
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "x.npz").write_bytes(b"12")
    for whole, seen in (({"x.npz": b"12"}, 0), ({"x.npz": b"13"}, 1), ({}, 1), ({"x.npz": b"12", "y": b""}, 1)):
        kills.check(campaign, work, folder, whole, [])
        assert len(campaign.failures) == seen
        campaign.failures.clear()
    (folder / "x.npz.host.1.0.part").write_bytes(b"")
    kills.check(campaign, work, folder, {"x.npz": b"12"}, [])
    assert "left behind" in campaign.failures[0]
    campaign.failures.clear()
    for error, fine in (("alps: error: /x/y.npz: 'a' is missing; make it again\n", True), ("terminate called after throwing\n", False), ("", False),
                        ("alps: error: basic_string::at\n", False)):
        assert storage.told(subprocess.CompletedProcess([], 1, "", error)) == fine


@pytest.mark.parametrize("work", ["data make pointmaze", "train --method alps"])
def test_failing_disks(campaign, work, tmp_path):
    storage.faults(campaign, kills.chosen(tmp_path / "kills", [work]), 5, random.Random(1))
    storage.folders(campaign, kills.chosen(tmp_path / "kills", [work]), 1, random.Random(1))
    assert {kind for _, kind in campaign.counts} >= {"ENOSPC", "EIO", "SHORT"}


def test_damaged_files(campaign, tmp_path):
    storage.damages(campaign, tmp_path / "kills", 1, random.Random(2), ["data .npz", "observations", "model.safetensors", "config.json", "graph.npz", "ledger"])


def test_a_planner_in_a_robots_process(campaign, small_run):
    robot.run(campaign, 20, made=small_run)
    assert {what for what, _ in campaign.counts} == {"decisions", "threads", "loads", "unloads"}


@pytest.mark.skipif(not all((fuzz.FOLDER / f"tests/fuzz/fuzz_{name}").exists() for name in fuzz.FORMATS), reason="no fuzzers; ./alps build fuzz makes them, with clang")
def test_fuzzing_for_some_seconds(tmp_path):
    campaign = Campaign(tmp_path, quiet=True)
    fuzz.run(campaign, 3)
    assert not campaign.failures, "\n".join(campaign.failures)
    assert len(campaign.counts) == 2 * len(fuzz.FORMATS) and all(campaign.counts[name, "inputs"] > 0 for name in fuzz.FORMATS)


@pytest.mark.parametrize("name", ["npz", "npy", "safetensors", "config", "graph", "ledger", "http"])
def test_inputs_that_fuzzing_found(name, tmp_path):
    """the kept inputs of each fuzzer, once more, in the ordinary build"""
    inputs = sorted((ROOT / "tests/fuzz/corpus" / name).iterdir())
    done = subprocess.run([BUILD / f"tests/replay_{name}", *inputs], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0 and f"{len(inputs)} inputs" in done.stdout, done.stderr
    assert inputs and sum(p.stat().st_size for p in inputs) < 150_000
