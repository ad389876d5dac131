"""One small grid world with an exact spectrum, end to end: data, `alps train`, `alps embed`. All six: bench/spectra.py."""
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))
import spectra  # noqa: E402

ALPS = os.environ.get("ALPS_PROGRAM", str(ROOT / "build/release/apps/alps"))


def test_bottleneck(tmp_path):
    settings = ["representation_steps=300", "representation_batch=256", "--threads 1"]  # of the fast preset's 2,000 x 512
    result = spectra.run_world(ALPS, "bottleneck", tmp_path, episodes=400, length=500, settings=settings)
    assert result["cosines"].mean() >= 0.99, result
    assert result["cosines"].min() >= 0.95, result
    assert result["errors"].max() <= 0.05, result
