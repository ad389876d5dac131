"""The launcher `./alps` in a tree without a build: what it can answer, it answers at once and without building."""
import json
import os
import pathlib
import re
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("ALPS_BUILD", ROOT / "build/release"))
COMMANDS = ["build", "test", "bench", "soak", "licences", "format", "clean"]


@pytest.fixture
def tree(tmp_path):
    """what the launcher reads of the tree, in a folder with a space in its name"""
    tree = tmp_path / "a tree"
    for file in ("alps", "apps/cli/verbs.h", "bench/run.py", "CMakePresets.json"):
        (tree / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / file, tree / file)
    return tree


def launch(tree, *args):
    before = sorted(tree.rglob("*"))
    done = subprocess.run([tree / "alps", *args], capture_output=True, text=True, timeout=20)
    assert sorted(tree.rglob("*")) == before, "it made or removed something"
    return done


def program_verbs():
    told = subprocess.run([BUILD / "apps/alps", "--help"], capture_output=True, text=True, check=True).stdout
    block = re.search(r"(?:Subcommands|SUBCOMMANDS):\n((?:  +\S.*\n)+)", told)[1]
    return sorted(line.split()[0] for line in block.splitlines() if re.match(r"  \S", line))


def test_wrong_words_are_refused_with_the_list(tree):
    done = launch(tree, "nonsense")
    assert done.returncode == 2 and "'nonsense'" in done.stderr and done.stderr.count("\n") == 1
    assert set(COMMANDS + program_verbs()) <= set(re.findall(r"\w+", done.stderr))


@pytest.mark.parametrize("args, words", [
    (["build", "fast"], ["'fast'", "release", "aarch64"]), (["build", "debug", "release"], ["one preset"]),
    (["test", "--sanitize", "memory"], ["address or thread"]), (["test", "--only"], ["pattern"]), (["test", "kmeans"], ["'kmeans'", "--help"]),
    (["bench", "speed"], ["'speed'", "plan", "train"]), (["format", "x"], ["no arguments"]), (["clean", "--everything"], ["--all"]), ([], ["Usage"])])
def test_wrong_use(tree, args, words):
    done = launch(tree, *args)
    assert done.returncode == 2 and done.stdout == "", done
    for word in words:
        assert word in done.stderr


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_commands(tree, command):
    done = launch(tree, command, "--help")
    assert done.returncode == 0 and done.stdout.startswith(f"Usage: ./alps {command}") and done.stderr == ""


def test_presets_are_those_of_cmake(tree):
    presets = {p["name"] for p in json.loads((ROOT / "CMakePresets.json").read_text())["configurePresets"] if not p.get("hidden")}
    told = launch(tree, "build", "--help").stdout
    assert set(re.findall(r"^  (\w+)", told, re.MULTILINE)) == presets
    assert set(launch(tree, "build", "none").stderr.split("there are: ")[1].split()) == presets


def test_help_comes_before_a_build_and_with_one(tree):
    told = launch(tree, "--help").stdout
    assert told.startswith("Usage: ./alps") and "not built yet" in told
    for word in COMMANDS + program_verbs():
        assert re.search(rf"\b{word}\b", told)
    (tree / "build/release/apps").mkdir(parents=True)
    (tree / "build/release/apps/alps").symlink_to(BUILD / "apps/alps")
    told = launch(tree, "--help").stdout
    assert told.startswith("Usage: ./alps") and "not built yet" not in told
    assert told.endswith(subprocess.run([BUILD / "apps/alps", "--help"], capture_output=True, text=True).stdout)


def test_the_commit_of_the_tree(tmp_path):
    """what the launcher puts into $ALPS_COMMIT: the commit, -dirty after a change of a tracked file, nothing outside git"""
    function = re.search(r"^tree_commit\(\) \{\n.*?^\}\n", (ROOT / "alps").read_text(), re.M | re.S)[0]

    def git(*args):
        who = ["-c", "user.name=a", "-c", "user.email=a@b.c"]
        return subprocess.run(["git", "-C", tmp_path, *who, *args], check=True, capture_output=True, text=True).stdout.strip()

    def told():
        script = f"set -euo pipefail\nroot={tmp_path}\n{function}\ncommit=\"$(tree_commit)\"\necho \"$commit\""
        return subprocess.run(["bash", "-c", script], check=True, capture_output=True, text=True).stdout.strip()

    (tmp_path / "file").write_text("one")
    assert told() == ""
    git("init", "-q")
    git("add", "file")
    git("commit", "-qm", "one")
    assert told() == git("rev-parse", "--short", "HEAD")
    (tmp_path / "untracked").write_text("x")
    assert not told().endswith("-dirty")
    (tmp_path / "file").write_text("two")
    assert told() == git("rev-parse", "--short", "HEAD") + "-dirty"
