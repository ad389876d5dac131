"""alps reproduce --on slurm: a small table on a real Slurm; the page is there before and after its results."""
import os
import pathlib
import re
import shutil
import subprocess
import time

from slurm_cluster import slurm  # noqa: F401

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("ALPS_BUILD", ROOT / "build/release"))
ALPS = os.environ.get("ALPS_PROGRAM", str(BUILD / "apps/alps"))
TABLE = """
title = "Small"
label = "tab:small"
shows = "A table of one cell."
[show]
as = "table"
rows = ["data_set"]
columns = ["variant"]
[engine]
heartbeat = 0.5
stale = 10
grace = 5
memory_mb = 1000
[[runs]]
data = "pointmaze-medium-navigate-v0"
data_episodes = 24
steps = 20
set = { eigenvectors = 4, encoder_width = 16, model_width = 16, prior_width = 16, clusters = 8 }
[[runs.eval]]
variant = "dijkstra+prior"
episodes = 1
"""


def test_a_table_on_slurm(tmp_path, slurm):
    tables = tmp_path / "tables"
    tables.mkdir()
    for name in ("published.csv", "best.csv", "published_tests.csv", "costs.csv"):
        shutil.copy(ROOT / "reproduce" / name, tables)
    (tables / "small.toml").write_text(TABLE)

    def alps(*args):
        done = subprocess.run([ALPS, "reproduce", "--tables", tables, "--out", tmp_path / "lab", *args], capture_output=True,
                              text=True, timeout=300, env=slurm.environment)
        assert done.returncode == 0, done.stderr
        return done.stdout

    told = alps("--on", "slurm")
    assert "3 tasks in 3 arrays sent to Slurm" in told, told
    assert "alps reproduce --page" in told
    alps("--page")
    page = tmp_path / "lab" / "reproduce.html"
    assert "not measured" in page.read_text()
    end = time.time() + 150
    while not re.search(r"eval +1 +1 ", status := alps("--status")):
        assert time.time() < end, status + slurm.picture()
        time.sleep(1)
    alps("--page")
    assert "not measured" not in page.read_text()
    assert "data_episodes=24" in page.read_text()
