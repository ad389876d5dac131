"""What a user looks at: `alps plot` and its report, `alps eval --video` and its two films. Small runs: a maze, images of
Maze2D, data of the user's own that leap, and runs of a method that learns no map and does not plan."""
import csv
import html.parser
import json
import os
import pathlib
import re
import shutil
import subprocess

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("ALPS_BUILD", ROOT / "build/release"))
ALPS = os.environ.get("ALPS_PROGRAM", str(BUILD / "apps/alps"))
MAZE = "pointmaze-medium-navigate-v0"


def alps(*args, code=0, **environment):
    env = {k: v for k, v in os.environ.items() if k != "MUJOCO_GL"} | environment
    done = subprocess.run([ALPS, *map(str, args)], capture_output=True, text=True, timeout=600, env=env)
    assert done.returncode == code, done.stderr
    return done


def train(source, out, *more, **settings):
    small = dict(representation_steps=60, model_steps=60, prior_steps=60, representation_batch=128, prior_batch=128,
                 encoder_width=48, model_width=48, prior_width=48) | settings
    alps("train", source, "--out", out, "--threads", 1, *more, *(x for k, v in small.items() for x in ("--set", f"{k}={v}")))
    return out


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("seeing")
    alps("data", "make", MAZE, "--data_dir", folder, "--episodes", 40)
    return train(MAZE, folder / "run", "--data_dir", folder)


@pytest.fixture(scope="module")
def leaping(tmp_path_factory):
    """a walk to and fro on a ring of length 30, which now and then leaps to the other side"""
    rng = np.random.default_rng(0)
    actions = rng.uniform(-1, 1, (6000, 2)).astype(np.float32)
    at, places = 0.0, []
    for step, action in enumerate(actions):
        places.append(at)
        at = (at + 0.3 * action[0] + (15 if step % 500 == 250 else 0)) % 30
    angle = np.array(places) * 2 * np.pi / 30
    observations = np.stack([5 * np.cos(angle), 5 * np.sin(angle), rng.normal(size=6000)], 1).astype(np.float32)
    path = tmp_path_factory.mktemp("own") / "ring.npz"
    np.savez(path, observations=observations, actions=actions, terminals=np.arange(6000) % 1000 == 999)
    return path


class Page(html.parser.HTMLParser):
    """refuses what is not balanced; gathers headings, pictures, links and text"""
    VOID = {"meta", "img", "br"}

    def __init__(self, path):
        super().__init__()
        self.open, self.headings, self.sources, self.links, self.text = [], [], [], [], ""
        self.source = path.read_text()
        self.feed(self.source)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        assert not any(name.startswith("on") for name in attrs) and tag not in ("script", "link", "iframe")
        if tag == "img":
            assert attrs["alt"] and attrs["src"].startswith("data:image/")
            self.sources.append(attrs["src"])
        if tag == "a":
            self.links.append(attrs["href"])
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] == "h2":
            self.headings.append(data)
        if "style" not in self.open:
            self.text += data


def report(run):
    alps("plot", run)
    page = Page(run / "report.html")
    # nothing from elsewhere, neither in the page nor in its drawings
    assert "http://" not in page.source and "https://" not in page.source
    assert all(link.startswith(("#s", "./")) for link in page.links)
    return page


def film(path):
    """width, height, frames"""
    done = subprocess.run(["ffprobe", "-v", "error", "-count_frames", "-select_streams", "v:0", "-show_entries",
                           "stream=codec_name,pix_fmt,width,height,nb_read_frames", "-of", "json", path],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    stream = json.loads(done.stdout)["streams"][0]
    assert stream["codec_name"] == "h264" and stream["pix_fmt"] == "yuv420p"
    return stream["width"], stream["height"], int(stream["nb_read_frames"])


def first_frame(path, size):
    done = subprocess.run(["ffmpeg", "-v", "error", "-i", path, "-frames:v", "1", "-f", "rawvideo", "-pix_fmt", "rgb24", "-"],
                          capture_output=True)
    assert done.returncode == 0, done.stderr
    return np.frombuffer(done.stdout, np.uint8).reshape(size[1], size[0], 3).astype(int)


def test_report_before_any_evaluation(run, tmp_path):
    fresh = tmp_path / "fresh"
    shutil.copytree(run, fresh, ignore=shutil.ignore_patterns("eval*", "results", "*.mp4", "report.html", "plots"))
    page = report(fresh)
    assert page.headings == ["The run", "Success", "The map", "Spectrum and eigenfunctions", "Training", "Check", "Timings", "Settings"]
    assert "Not evaluated yet" in page.text
    assert "representation_steps" in page.text and "jump_factor" in page.text
    # without curves too
    (fresh / "train.csv").unlink()
    assert "Training" not in report(fresh).headings


def newest(run, variant):
    """the episodes of the last evaluation of a variant"""
    config = [r["config"] for r in csv.DictReader((run / "eval.csv").open()) if r["variant"] == variant][-1]
    return run / "results" / f"{config}.npz"


def test_report_of_an_evaluated_run(run, tmp_path):
    done = tmp_path / "done"
    shutil.copytree(run, done, ignore=shutil.ignore_patterns("eval*", "results", "*.mp4"))
    for variant in ("alps", "dijkstra+prior"):
        alps("eval", done, "--episodes", 2, "--tasks", "3,4", "--variant", variant)
    page = report(done)
    assert {"Success", "Trajectories", "Failures", "Timings"} <= set(page.headings)
    episodes = np.load(newest(done, "alps"))
    arrived = int((episodes["episodes"][:, 2] == 0).sum())
    assert len(episodes["decision_ms"]) == episodes["episodes"][:, 4].sum()
    assert f"alps, task 3: {int((episodes['episodes'][:2, 2] == 0).sum())} of 2 arrived" in page.text
    assert re.search(rf"success of alps, %\s*{25 * arrived}\.0", page.text)
    # 2 variants x 2 tasks, bars, distance, regions, landscape, spectrum, 8 functions, and a curve of each part
    assert len(page.sources) >= 4 + 1 + 3 + 1 + 8 + 3
    assert len(page.source) < 6e6

    # what is damaged is named
    file = newest(done, "alps")
    file.write_bytes(file.read_bytes()[:-100])
    assert file.name in alps("plot", done, code=1).stderr


def test_video(run, tmp_path):
    """both films, of the very episodes that were evaluated, which do not notice"""
    out = {}
    for name, more in {"plain": [], "filmed": ["--video", 1]}.items():
        out[name] = tmp_path / name
        shutil.copytree(run, out[name], ignore=shutil.ignore_patterns("eval*", "results", "*.mp4"))
        alps("eval", out[name], "--episodes", 2, "--tasks", "3,4", "--seed", 5, *more)
    plain, filmed = (np.load(newest(out[name], "alps")) for name in ("plain", "filmed"))
    assert np.array_equal(plain["points"], filmed["points"])

    steps = filmed["episodes"][filmed["episodes"][:, 1] == 0][:, 4]
    moments = int(max(-(-s // 3) for s in steps))  # every third step, rounded up
    width, height, frames = film(out["filmed"] / "video.mp4")
    assert (width, height) == (2 * 324 + 4, 22 + 2 * 324) and frames == moments + 1 + 30  # the end, and two seconds of it
    assert film(out["filmed"] / "map.mp4")[2] == moments + 30
    # above, the ball hides the goal's disc; below, both are to be seen. The disc is red but not green, the ball not blue.
    first = first_frame(out["filmed"] / "video.mp4", (width, height))
    disc = first[..., 0] - first[..., 1] > 60
    ball = (first[..., 0] - first[..., 2] > 40) & ~disc
    for left in (4, 328):
        above, below = ((slice(top, top + 320), slice(left, left + 320)) for top in (22, 346))
        assert ball[above].sum() > 100 and disc[above].sum() < 20
        assert ball[below].sum() > 100 and disc[below].sum() > 50
    assert "./video.mp4" in report(out["filmed"]).links


@pytest.mark.parametrize("backend", ["egl", "osmesa"])
def test_either_backend_renders(run, tmp_path, backend):
    shutil.copytree(run, tmp_path / "run", ignore=shutil.ignore_patterns("eval*", "results", "*.mp4"))
    done = alps("eval", tmp_path / "run", "--episodes", 1, "--tasks", 3, "--video", 1, MUJOCO_GL=backend)
    assert f"rendering video.mp4 ({backend})" in done.stderr
    assert film(tmp_path / "run/video.mp4")[0] > 300


def test_without_opengl_the_map_is_still_filmed(run, tmp_path):
    nowhere = {"__EGL_VENDOR_LIBRARY_DIRS": str(tmp_path), "__EGL_VENDOR_LIBRARY_FILENAMES": str(tmp_path / "none.json")}
    for name, environment in {"off": {"MUJOCO_GL": "off"}, "egl": {"MUJOCO_GL": "egl", **nowhere}}.items():
        shutil.copytree(run, tmp_path / name, ignore=shutil.ignore_patterns("eval*", "results", "*.mp4"))
        done = alps("eval", tmp_path / name, "--episodes", 1, "--tasks", 3, "--video", 1, **environment)
        assert "warning: no video.mp4, only map.mp4" in done.stderr
        assert name == "off" or "install libegl1 and libgl1-mesa-dri, or libosmesa6" in done.stderr
        assert film(tmp_path / name / "map.mp4")[2] > 30 and not (tmp_path / name / "video.mp4").exists()


def test_without_ffmpeg_nothing_is_begun(run, tmp_path):
    shutil.copytree(run, tmp_path / "run", ignore=shutil.ignore_patterns("eval*", "results", "*.mp4"))
    before = sorted(f.name for f in (tmp_path / "run").iterdir())
    done = alps("eval", tmp_path / "run", "--episodes", 1, "--video", 1, code=1, PATH="")
    assert "install the Debian package ffmpeg" in done.stderr and done.stderr.count("\n") <= 2
    assert sorted(f.name for f in (tmp_path / "run").iterdir()) == before
    assert alps("eval", tmp_path / "run", "--video", 0, code=2)


def test_images(tmp_path):
    """Maze2D from images: what the agent sees, and a map whose imagined states are found by psi"""
    name = "visual-maze2d-hallway-random-v0"
    alps("data", "make", name, "--data_dir", tmp_path, "--episodes", 3)
    run = train(name, tmp_path / "run", "--data_dir", tmp_path, latent=8, eigenvectors=8, representation_steps=20)
    alps("eval", run, "--episodes", 2, "--video", 3, "--variant", "dijkstra+cem")
    assert film(run / "video.mp4")[:2] == (3 * 304 + 4, 22 + 2 * 304)
    assert film(run / "map.mp4")[2] > 8
    page = report(run)
    assert "Trajectories" in page.headings and "Videos" in page.headings and "Leaps" not in page.text


@pytest.fixture(scope="module")
def cloned(run, tmp_path_factory):
    """goal-conditioned behaviour cloning on the same data: no map, no regions, no search"""
    out = tmp_path_factory.mktemp("cloned") / "run"
    alps("train", MAZE, "--data_dir", run.parent, "--method", "gcbc", "--out", out, "--threads", 1, "--set", "actor_steps=100",
         "--set", "actor_width=48")
    return out


def test_a_run_that_does_not_plan(cloned):
    assert report(cloned).headings == ["The run", "Success", "Training", "Timings", "Settings"]
    alps("eval", cloned, "--episodes", 2, "--tasks", "3,4", "--video", 1)
    page = report(cloned)
    assert page.headings == ["The run", "Success", "Trajectories", "Failures", "Videos", "Training", "Timings", "Settings"]
    assert "gcbc, task 3:" in page.text and "Actor: loss" in page.text and "leaves a part of the planner out" not in page.text
    # neither what it has not learned nor settings of a planner
    for word in ("psi", "regions", "horizon", "reach_steps"):
        assert word not in re.sub("data:image[^\"]*", "", page.text), word
    assert "actor_width" in page.text
    width, height, frames = film(cloned / "map.mp4")
    # walls and floor, but no colours of regions
    first = first_frame(cloned / "map.mp4", (width, height))
    colored = (first.max(-1) - first.min(-1) > 40).mean()
    assert frames > 30 and 0 < colored < 0.01, colored
    assert film(cloned / "video.mp4")[2] > 30


def test_plot_films_without_an_evaluation(cloned, tmp_path):
    shutil.copytree(cloned, tmp_path / "run", ignore=shutil.ignore_patterns("eval*", "results", "*.mp4", "report.html", "plots"))
    alps("plot", tmp_path / "run", "--video", 1, "--tasks", 3, "--seed", 2)
    assert film(tmp_path / "run/map.mp4")[2] > 30 and film(tmp_path / "run/video.mp4")[2] > 30
    assert (tmp_path / "run/report.html").exists() and not (tmp_path / "run/eval.csv").exists()
    assert "--video" in alps("plot", tmp_path / "run", "--tasks", 3, code=2).stderr


def test_data_of_ones_own_cloned(leaping, tmp_path):
    alps("train", leaping, "--method", "gcbc", "--out", tmp_path / "run", "--threads", 1, "--set", "actor_steps=30")
    page = report(tmp_path / "run")
    assert page.headings == ["The run", "Success", "Training", "Timings", "Settings"] and "belong to no environment" in page.text
    assert "belongs to no environment" in alps("plot", tmp_path / "run", "--video", 1, code=1).stderr


@pytest.mark.parametrize("factor", [0, 10])
def test_data_of_ones_own_that_leap(leaping, tmp_path, factor):
    run = train(leaping, tmp_path / "run", jump_factor=factor, eigenvectors=8, representation_steps=300)
    page = report(run)
    assert "Leaps: near in psi, far on foot" in page.headings
    assert "The data leap 12 times" in page.text
    assert ("kept leaps as motion" in page.text) == (factor == 0)
    assert ("cut its episodes at leaps (jump_factor = 10)" in page.text) == (factor == 10)
    assert "columns 1 and 2 of the observation" in page.text and "belong to no environment" in page.text


def test_images_of_ones_own_have_no_positions(tmp_path):
    """then the map itself is the plane to draw on"""
    rng = np.random.default_rng(0)
    dots = np.clip(np.cumsum(rng.integers(-2, 3, (600, 2)), 0), 0, 35)
    images = np.zeros((600, 40, 40, 1), np.uint8)
    for image, (y, x) in zip(images, dots):
        image[y : y + 5, x : x + 5] = 255
    np.savez(tmp_path / "dots.npz", observations=images, actions=rng.uniform(-1, 1, (600, 2)).astype(np.float32),
             terminals=np.arange(600) % 200 == 199)
    page = report(train(tmp_path / "dots.npz", tmp_path / "run", latent=6, eigenvectors=4, representation_steps=20))
    assert "columns 1 and 2 of psi" in page.text
