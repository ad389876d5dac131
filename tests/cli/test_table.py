"""`alps table`: from evaluations of a real run to tables, comparisons, pictures and documents; what it says to wrong words and damaged
files; and that the tables of this repository's documents are what its ledger says."""
import csv
import io
import json
import os
import pathlib
import shutil
import subprocess

import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import save_file

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("ALPS_BUILD", ROOT / "build/release"))
ALPS = os.environ.get("ALPS_PROGRAM", str(BUILD / "apps/alps"))
NAME = "pointmaze-medium-navigate-v0"


def alps(*args, code=0, cwd=ROOT, **kwargs):
    done = subprocess.run([ALPS, *map(str, args)], capture_output=True, text=True, timeout=600, cwd=cwd, **kwargs)
    assert done.returncode == code, (done.stdout, done.stderr)
    return done


def table(*args, **kwargs):
    """its CSV, a dict for each line"""
    return list(csv.DictReader(io.StringIO(alps("table", *args, "--format", "csv", **kwargs).stdout)))


@pytest.fixture(scope="module")
def lab(small_run, tmp_path_factory):
    """two variants and two seeds of evaluation, and one with another setting, in the run and in a ledger"""
    folder = tmp_path_factory.mktemp("a lab")
    run = shutil.copytree(small_run, folder / "runs/one", ignore=shutil.ignore_patterns("results", "eval*"))
    environment = {**os.environ, "ALPS_COMMIT": "abc1234"}
    for more in (["--seed", 0], ["--seed", 1], ["--seed", 0, "--variant", "prior"], ["--seed", 0, "--set", "sigma=0.1"]):
        variant = [] if "--variant" in more else ["--variant", "dijkstra+prior"]
        alps("eval", run, "--episodes", 2, "--ledger", folder / "ledger", *variant, *more, env=environment)
    return folder


def test_committed_documents_are_fresh():
    """run `alps table --write` after results have changed"""
    alps("table", "--check")


def test_the_papers_tests():
    """the paper's tab:stat_tests from its tab:ogbench_results"""
    with (ROOT / "reproduce/published_tests.csv").open() as file:
        expected = {r["against"] + ", paper": r["p_value"] for r in csv.DictReader(file)}
    told = table("--published", "ogbench_results", "--published_only", "--against", "alps, paper")
    assert {r["alps, paper against"]: f"{float(r['p, corrected']):.6f}" for r in told} == expected


def test_a_ledger_of_real_results(lab):
    assert len(list((lab / "ledger").glob("*.json"))) == 4
    each = table(lab / "ledger", "--each")
    assert len(each) == 4 and {r["data_set"] for r in each} == {NAME} and {r["commit"] for r in each} == {"abc1234"}
    for r in each:
        stored = json.loads((lab / "ledger" / f"{r['config']}.json").read_text())
        assert int(r["successes"]) == stored["totals"]["successes"] and int(r["episodes"]) == 10
        assert float(r["train_seconds"]) > 0
        assert r["train_set"].split() == stored["training"]["set"] and "prior_steps=300" in r["train_set"]
        assert (r["eval_seed"], r["set"]) in {("0", ""), ("1", ""), ("0", "sigma=0.1")}
    # runs and ledger hold the same results: each counts once
    assert table(lab, "--each") == table(lab / "runs", lab / "ledger", "--each")
    assert len(table(lab, "--each")) == 4
    pooled = table(lab, "--where", "set=", "--columns", "variant")
    assert {r["variant"]: (r["episodes"], r["seeds"]) for r in pooled} == {"prior": ("10", "1"), "dijkstra+prior": ("20", "1")}
    by_sigma, = table(lab, "--where", "sigma=0.1", "--rows", "data_set", "--columns", "sigma")
    assert by_sigma["sigma"] == "0.1" and by_sigma["episodes"] == "10"


def test_forms_and_files(lab, tmp_path):
    arguments = [lab, "--where", "set=", "--columns", "variant", "--counts"]
    text = alps("table", *arguments).stdout
    assert text.splitlines()[0].split() == ["data", "set", "prior", "dijkstra+prior", "episodes"]
    markdown = alps("table", *arguments, "--format", "markdown").stdout
    assert markdown.startswith("| data set | prior | dijkstra+prior | episodes |\n|---|---|---|---|\n| " + NAME)
    alps("table", *arguments, "--out", tmp_path / "t.md")
    assert (tmp_path / "t.md").read_text() == markdown
    alps("table", *arguments, "--out", tmp_path / "t.csv")
    assert len(list(csv.DictReader((tmp_path / "t.csv").open()))) == 2


def test_mixed_cells_are_told(lab):
    assert "differ in: set" in alps("table", lab, "--columns", "variant").stderr
    assert alps("table", lab, "--columns", "variant,set").stderr == ""
    assert "differ in: set" in alps("table", lab, "--against", "prior").stderr


def test_a_newer_answer_replaces_the_older_one(lab, tmp_path):
    folder = pathlib.Path(shutil.copytree(lab / "ledger", tmp_path / "ledger"))
    first = next(p for p in folder.iterdir() if '"variant": "prior"' in p.read_text())
    newer = json.loads(first.read_text())
    newer |= {"config": "0123456789abcdef", "finished": "2999-01-01T00:00:00.000Z"}
    newer["totals"] |= {"successes": 7, "episodes": 50}
    (folder / "0123456789abcdef.json").write_text(json.dumps(newer, indent=1) + "\n")
    count = lambda *more: {r["variant"]: r["episodes"] for r in table(folder, "--where", "set=", "--columns", "variant", *more)}
    assert count()["prior"] == "50"
    assert count("--all")["prior"] == "60"


def test_damaged_files(lab, tmp_path):
    folder = pathlib.Path(shutil.copytree(lab / "ledger", tmp_path / "ledger"))
    broken = sorted(folder.iterdir())[0]
    broken.write_text(broken.read_text()[:-100])
    told = alps("table", folder, code=1).stderr
    assert broken.name in told and "damaged" in told and "--skip_damaged" in told
    done = alps("table", folder, "--each", "--skip_damaged", "--format", "csv")
    assert len(done.stdout.splitlines()) == 4 and broken.name in done.stderr


@pytest.mark.parametrize("args, code, words", [
    (["nowhere"], 1, ["nowhere", "no such file"]),
    (["--where", "variant"], 2, ["'variant'", "column=value"]),
    (["--where", "varient=alps"], 2, ["'varient'", "variant"]),
    (["--columns", "nothing"], 2, ["'nothing'", "data_set"]),
    (["--value", "speed"], 2, ["'speed'", "steps"]),
    (["--published", "nothing"], 2, ["'nothing'", "ogbench_results"]),
    (["--against", "nobody"], 2, ["nobody", "dijkstra+prior"]),
    (["--published_only"], 2, ["--published TABLE"]),
    (["--format", "html"], 2, ["--format"]),
    (["--write", "--check"], 2, ["--check"])])
def test_wrong_use(lab, args, code, words):
    paths = [] if args[0] in ("nowhere", "--write") else [lab]
    done = alps("table", *paths, *args, code=code)
    for word in words:
        assert word in done.stderr
    assert done.stderr.count("\n") <= 2


def test_nothing_here(tmp_path):
    assert "no folder 'results'" in alps("table", cwd=tmp_path, code=2).stderr
    assert "README.md" in alps("table", "--write", cwd=tmp_path, code=2).stderr
    (tmp_path / "results").mkdir()
    assert "no results fit" in alps("table", cwd=tmp_path).stderr


def test_documents(lab, tmp_path):
    document = tmp_path / "docs" / "page.md"
    document.parent.mkdir()
    text = f"# Page\n<!-- table: '{lab}' --where set= --columns variant -->\nold\n<!-- /table -->\nend\n"
    document.write_text(text)
    told = alps("table", "--check", cwd=tmp_path, code=1).stderr
    assert "docs/page.md" in told and "--write" in told and document.read_text() == text
    assert alps("table", "--write", cwd=tmp_path).stdout == "docs/page.md\n"
    made = document.read_text()
    assert made.startswith(text.split("old")[0]) and made.endswith("<!-- /table -->\nend\n") and f"| {NAME} |" in made
    alps("table", "--check", cwd=tmp_path)
    assert alps("table", "--write", document, cwd=tmp_path).stdout == "" and document.read_text() == made
    for wrong, word in [("--nonsense", "--nonsense"), ("nowhere", "no such file"), ("--out x", "--out")]:
        document.write_text(f"<!-- table: {wrong} -->\n<!-- /table -->\n")
        told = alps("table", "--write", document, code=1).stderr
        assert word in told and "page.md" in told
    document.write_text("\n<!-- table: -->\nno end\n")
    assert "page.md, line 2" in alps("table", "--write", document, code=1).stderr


def test_profiles(lab, tmp_path):
    alps("table", lab, "--where", "set=", "--published", "ogbench_results", "--profile", tmp_path / "p.svg")
    assert "</svg>" in (tmp_path / "p.svg").read_text()


def test_other_weights_have_another_result(lab, tmp_path):
    """the same settings, but other weights, by whomever they were written"""
    run = pathlib.Path(shutil.copytree(lab / "runs/one", tmp_path / "run", ignore=shutil.ignore_patterns("results", "eval*")))
    with safe_open(run / "model.safetensors", "numpy") as file:
        tensors, metadata = {k: file.get_tensor(k).copy() for k in file.keys()}, dict(file.metadata())
    name = next(k for k in tensors if k.startswith("prior.") and k.endswith("bias"))
    metadata.pop("crc32")

    def config():
        return json.loads(alps("eval", run, "--episodes", 1, "--tasks", "1", "--variant", "prior", "--json").stdout)["config"]

    seen = [config()]
    for change in (0, 0.001, 0.002):
        save_file({**tensors, name: tensors[name] + np.float32(change)}, run / "model.safetensors", metadata)
        seen.append(config())
    assert seen[0] == seen[1] and len(set(seen)) == 3


def test_a_ledger_that_cannot_be_made(lab, tmp_path):
    """refused before the evaluation, not after hours of it"""
    (tmp_path / "file").write_text("")
    done = alps("eval", lab / "runs/one", "--episodes", 1, "--ledger", tmp_path / "file" / "ledger", code=1)
    assert "--ledger" in done.stderr and "cannot create" in done.stderr and done.stdout == ""
