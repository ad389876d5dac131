"""alps reproduce from nothing to a page in a browser: a table and a figure of our own, a full data set of a small maze, few
training steps. Then the page again without running anything."""
import os
import pathlib
import re
import shutil
import subprocess

import pytest
from selenium.webdriver.common.by import By

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("ALPS_BUILD", ROOT / "build/release"))
ALPS = os.environ.get("ALPS_PROGRAM", str(BUILD / "apps/alps"))

MAZE = "pointmaze-medium-navigate-v0"
SMALL = "eigenvectors = 4, encoder_width = 16, model_width = 16, prior_width = 16, representation_batch = 64, prior_batch = 64"
TABLE = f"""
title = "Two variants"
label = "tab:all_ablations"
shows = "A small table."
order = 1
[show]
as = "table"
rows = ["data_set"]
columns = ["variant"]
published = "all_ablations"
[[protocol]]
preset = "paper"
seeds = 8
episodes = 50
steps = [800_000, 900_000, 1_000_000]
[[runs]]
data = ["{MAZE}", "humanoidmaze-medium-navigate-v0"]
seeds = 2
steps = 30
[[runs.eval]]
variant = ["dijkstra+prior", "prior"]
episodes = 1
"""
FIGURE = f"""
title = "The map"
label = "fig:allo_prop"
shows = "Distances & regions."
order = 2
[show]
as = "pictures"
pictures = ["distance", "regions"]
[[runs]]
data = "{MAZE}"
steps = 30
set = {{ {SMALL} }}
"""
TESTS = """
title = "Tests"
label = "tab:stat_tests"
shows = "p-values."
order = 3
[show]
as = "tests"
published = "all_ablations"
from = "small"
"""
CURVE = f"""
title = "Clusters"
label = "fig:clusters_ablation"
shows = "A curve."
order = 4
[show]
as = "curve"
rows = ["data_set"]
columns = ["clusters"]
[[runs]]
data = "{MAZE}"
steps = 30
[[runs.eval]]
variant = "dijkstra+prior"
clusters = [4, 8]
episodes = 1
"""


def alps(*args, code=0):
    # no humanoid walks here, so that its data cannot be made
    done = subprocess.run([ALPS, "reproduce", *map(str, args)], capture_output=True, text=True, timeout=600,
                          env={**os.environ, "ALPS_EXPERTS": "/no/experts"})
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reproduce")
    tables = folder / "tables"
    tables.mkdir()
    for name in ("published.csv", "best.csv", "published_tests.csv", "costs.csv"):
        shutil.copy(ROOT / "reproduce" / name, tables)
    (tables / "small.toml").write_text(TABLE)
    (tables / "map.toml").write_text(FIGURE)
    (tables / "tests.toml").write_text(TESTS)
    (tables / "clusters.toml").write_text(CURVE)
    options = ("--tables", tables, "--out", folder / "lab", "--data_dir", folder / "data")
    told = alps(*options)
    return folder, options, told


def rows(browser, words):
    """the rows that are left after typing into the box"""
    box = browser.find_element(By.CSS_SELECTOR, ".search input")
    box.clear()
    box.send_keys(words)
    return [row.text for row in browser.find_elements(By.CSS_SELECTOR, "tbody tr") if row.is_displayed()]


def test_tells_the_cost_first_and_what_it_leaves_out(lab):
    _, _, told = lab
    assert re.search(r"train +3 +\d+\.\d", told), told  # two seeds, and the map; the curve takes one of the table's
    assert re.search(r"evaluate +6 ", told), told
    assert "left out: humanoidmaze-medium-navigate-v0 needs the humanoid expert's weights" in told
    assert told.index("core-minutes") < told.index("reproduce.html")


def test_nothing_is_done_twice(lab):
    folder, options, _ = lab
    before = {p: p.stat().st_mtime_ns for p in (folder / "lab" / "ledger").iterdir()}
    assert len(before) == 6
    told = alps(*options, "--dry")
    assert re.search(r"all +0 ", told), told
    assert "11 tasks were done before" in told  # a data set, 3 trainings, 6 evaluations, a report
    assert re.search(r"eval +6 +6 +0 +0 +0 +0", alps(*options, "--status"))
    alps(*options)
    assert before == {p: p.stat().st_mtime_ns for p in (folder / "lab" / "ledger").iterdir()}


def test_page_in_a_browser(lab, browser):
    folder, _, _ = lab
    browser.get(f"file://{folder}/lab/reproduce.html")
    assert "measured again" in browser.title
    # ours, the paper's and the difference in one cell; the paper's 46 +- 10 of dijkstra+prior
    (cell,) = [c for c in browser.find_elements(By.CSS_SELECTOR, "section td") if "paper 46 ± 10" in c.text]
    assert re.fullmatch(r"\d+(\.\d)? \([+−±]\d+(\.\d)?\)\npaper 46 ± 10", cell.text), cell.text
    assert len(rows(browser, "")) > 20
    found = rows(browser, "MEDIUM-navigate point prior")
    assert found and all("pointmaze-medium-navigate" in row for row in found)
    (measured,) = [row for row in found if "dijkstra+prior" in row and "fast, 30 steps" in row and "46 ± 10" in row]
    assert re.search(r"\d+ to \d+(\.\d)? 2 10", measured), measured  # interval, seeds, episodes
    assert rows(browser, "humanoid possible"), "what cannot be made is listed"
    assert not rows(browser, "no such data set")
    assert browser.find_element(By.CSS_SELECTOR, ".search output").text == "0 rows"
    # pictures are in the page; a report of a run is a click away
    rows(browser, "")
    assert browser.execute_script("return [...document.images].every(i => i.naturalWidth > 100 && i.src.startsWith('data:'))")
    assert len(browser.find_elements(By.CSS_SELECTOR, "figure")) == 3
    link = browser.find_element(By.CSS_SELECTOR, "section a[href$='report.html']")
    browser.get(link.get_attribute("href"))
    assert MAZE in browser.title
    assert not [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]


def test_headers_sort(lab, browser):
    folder, _, _ = lab
    browser.get(f"file://{folder}/lab/reproduce.html")
    table = [t for t in browser.find_elements(By.TAG_NAME, "table") if "dijkstra+cem, paper" in t.text][0]
    at = [th.text for th in table.find_elements(By.TAG_NAME, "th")].index("dijkstra+cem, paper")

    def column():
        return [int(c.text.split()[0]) for r in table.find_elements(By.CSS_SELECTOR, "tbody tr")
                for c in [r.find_elements(By.TAG_NAME, "td")[at]]]

    unsorted = column()
    table.find_elements(By.TAG_NAME, "th")[at].click()
    assert column() == sorted(unsorted) != unsorted
    table.find_elements(By.TAG_NAME, "th")[at].click()
    assert column() == sorted(unsorted, reverse=True)


def test_page_alone_shows_what_is_there(lab, tmp_path):
    folder, options, _ = lab
    told = alps(*options, "--page", "--html", tmp_path / "all.html")
    assert told.strip() == str(tmp_path / "all.html")
    page = (tmp_path / "all.html").read_text()
    assert "report.html" not in page  # the runs lie elsewhere: no dead links
    # an empty lab: the paper's figures stand there, and ours are said to be missing
    empty = ("--tables", folder / "tables", "--out", tmp_path / "empty", "--data_dir", folder / "data")
    alps(*empty, "--page")
    page = (tmp_path / "empty" / "reproduce.html").read_text()
    assert "not measured" in page and "not made yet" in page and "paper 46 ± 10" in page
    assert not (tmp_path / "empty" / "runs").exists()
