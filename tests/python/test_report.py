"""Reports and films from Python: drawn by the program of the installed package, in a process of its own."""
import pathlib
import shutil

import pytest

import alps


@pytest.fixture
def fresh(run, tmp_path):
    """a copy of the run in a folder whose name needs care, without what tests before have evaluated"""
    evaluated = shutil.ignore_patterns("eval.csv", "results", "*.mp4", "report.html")
    return alps.Run(shutil.copytree(run, tmp_path / "-a run, copied", ignore=evaluated))


def test_report(fresh):
    page = fresh.report()
    assert page == fresh.folder / "report.html" and isinstance(page, pathlib.Path)
    text = page.read_text()
    assert "The map" in text and "Not evaluated yet" in text
    assert (fresh.folder / "plots/regions.png").stat().st_size > 1000
    page.unlink()
    assert alps.report(str(fresh)) == page and page.read_text() == text


def test_report_of_a_path_from_here(fresh, monkeypatch):
    monkeypatch.chdir(fresh.folder.parent)
    assert alps.report(fresh.folder.name) == pathlib.Path(fresh.folder.name, "report.html")
    assert (fresh.folder / "report.html").exists()


def test_errors_are_the_program_s(fresh, tmp_path):
    with pytest.raises(alps.Error, match="config.json") as caught:
        alps.report(tmp_path / "nothing")
    assert not str(caught.value).startswith("alps: error") and "\n" not in str(caught.value)
    with pytest.raises(alps.UsageError, match="--video"):
        fresh.film(episodes=0)
    with pytest.raises(alps.UsageError, match="task 9"):
        fresh.film(tasks=[9], progress=False)
    with pytest.raises(alps.UsageError, match="best"):
        fresh.film(variant="best", progress=False)


def test_film(fresh, capfd):
    assert fresh.film(tasks=[3], progress=False) == [fresh.folder / "map.mp4", fresh.folder / "video.mp4"]
    assert all(film.stat().st_size > 1000 for film in fresh.folder.glob("*.mp4"))
    assert "./video.mp4" in (fresh.folder / "report.html").read_text()
    assert not (fresh.folder / "eval.csv").exists() and fresh.eval_log() == []
    assert capfd.readouterr().err == ""


def test_film_without_opengl_is_the_map_alone(fresh, monkeypatch, capsys):
    monkeypatch.setenv("MUJOCO_GL", "off")
    (fresh.folder / "video.mp4").write_bytes(b"an old one")
    assert fresh.film(tasks=[3], variant="dijkstra+prior") == [fresh.folder / "map.mp4"]
    told = capsys.readouterr().err
    assert "warning: no video.mp4, only map.mp4" in told and "drawing map.mp4" in told
