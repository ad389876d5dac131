"""alps reproduce on the command line: its list, its cost, the paper's protocol, and files that are wrong."""
import os
import pathlib
import re
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("ALPS_BUILD", ROOT / "build/release"))
ALPS = os.environ.get("ALPS_PROGRAM", str(BUILD / "apps/alps"))


def alps(*args, code=0):
    done = subprocess.run([ALPS, "reproduce", *map(str, args)], capture_output=True, text=True, timeout=120)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout if code == 0 else done.stderr


def tasks(told, kind):
    found = re.search(rf"^{kind} +([\d,]+) +([\d.,]+)", told, re.M)
    return (int(found[1].replace(",", "")), float(found[2].replace(",", ""))) if found else (0, 0)


@pytest.fixture
def where(tmp_path):
    return "--out", tmp_path / "lab", "--data_dir", tmp_path / "data"


def test_list():
    told = alps("--list")
    for name in ("ogbench_results", "PcLast_results", "all_ablations", "eigenvector_ablation", "clusters_ablation", "allo_prop",
                 "spiral_viz", "teleport_issues", "stat_tests"):
        assert re.search(rf"^{name} ", told, re.M)


def test_dry_tells_the_cost_and_runs_nothing(where, tmp_path):
    told = alps("tab:eigenvector_ablation", "--dry", *where)
    assert tasks(told, "make data")[0] == 4
    assert tasks(told, "train")[0] == 4 * 6 * 3
    assert tasks(told, "evaluate")[0] == 4 * 6 * 3
    assert "estimated" in told
    assert list(tmp_path.iterdir()) == []


def test_options_change_seeds_episodes_and_preset(where):
    usual = alps("eigenvector_ablation", "--dry", *where)
    more = alps("eigenvector_ablation", "--dry", "--seeds", 6, "--episodes", 20, *where)
    assert tasks(more, "train")[0] == 2 * tasks(usual, "train")[0]
    assert tasks(more, "evaluate")[1] == pytest.approx(4 * tasks(usual, "evaluate")[1], rel=0.1)
    paper = alps("eigenvector_ablation", "--dry", "--preset", "paper", *where)
    assert tasks(paper, "train")[0] == tasks(usual, "train")[0]
    assert tasks(paper, "train")[1] > 100 * tasks(usual, "train")[1]


def test_protocol_of_the_paper(where):
    """8 seeds and 3 checkpoints of training, 50 episodes of each of 5 tasks; 10 seeds in Maze2D"""
    told = alps("eigenvector_ablation", "--dry", "--protocol", "paper", *where)
    assert tasks(told, "train")[0] == 4 * 6 * 8 * 3
    assert tasks(told, "evaluate")[0] == 4 * 6 * 8 * 3
    fewer = alps("eigenvector_ablation", "--dry", "--protocol", "paper", "--seeds", 1, *where)
    assert tasks(fewer, "train")[0] == 4 * 6 * 3
    assert tasks(alps("PcLast_results", "--dry", "--protocol", "paper", *where), "train")[0] == 3 * 2 * 10


def test_tables_share_runs(where):
    """tab:ablation's runs are among tab:all_ablations'"""
    both = alps("ablation", "all_ablations", "--dry", *where)
    assert tasks(both, "train") == tasks(alps("all_ablations", "--dry", *where), "train")


def test_tests_take_the_runs_of_their_table(where):
    assert alps("stat_tests", "--dry", *where) == alps("ogbench_results", "--dry", *where)
    page = pathlib.Path(alps("stat_tests", "--page", "--ledger", ROOT / "results", *where).strip()).read_text()
    # what the paper prints, and the same from its table
    assert re.search(r"<td>hiql</td><td class=\"number\">0.000031</td><td class=\"number\">0.000031</td>", page)
    assert "tab:ogbench_results" in page and "tab:ablation" not in page


@pytest.mark.parametrize(
    "args, words",
    [
        (["ablatoin"], "did you mean 'ablation'?"),
        (["--tables", "/no/such/folder"], "--tables FOLDER"),
        (["--protocol", "mine"], "--protocol"),
        (["--seeds", "0"], "--seeds"),
    ],
)
def test_wrong_use(args, words):
    assert words in alps(*args, "--dry", code=2)


@pytest.mark.parametrize(
    "old, new, words",
    [
        ('as = "curve"', 'as = "cuvre"', r"clusters_ablation.toml:\d+: .*did you mean 'curve'\?"),
        ("[show]", "[show]\nrow = 1", r"clusters_ablation.toml:\d+: there is no key 'row' in \[show\], did you mean 'rows'\?"),
        ("seeds = [0, 1, 2]", 'seeds = "many"', r"clusters_ablation.toml:\d+: seeds takes"),
        ("episodes = 10", "episode = 10", r"clusters_ablation.toml:\d+: there is no key 'episode'.*did you mean 'episodes'\?"),
        ('variant = "alps"', 'variant = "alp"', r"clusters_ablation.toml:\d+: "),
    ],
)
def test_wrong_files_are_told_with_line_and_remedy(tmp_path, where, old, new, words):
    tables = shutil.copytree(ROOT / "reproduce", tmp_path / "tables")
    file = tables / "clusters_ablation.toml"
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new, 1))
    assert re.search(words, alps("clusters_ablation", "--dry", "--tables", tables, *where, code=2))
