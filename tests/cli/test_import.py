"""alps data import: data sets in the layouts people have, written by the packages that write them, and bad ones."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import time

import layouts
import numpy as np
import pytest
from safetensors.numpy import load_file

ROOT = pathlib.Path(__file__).resolve().parents[2]
ALPS = pathlib.Path(os.environ.get("ALPS_BUILD", ROOT / "build/release")) / "apps/alps"


def alps(*args, **kwargs):
    return subprocess.run([ALPS, *map(str, args)], capture_output=True, text=True, timeout=300, **kwargs)


def imported(source, out, *args):
    """the arrays, what was printed"""
    done = alps("data", "import", source, "--out", out, *args)
    assert done.returncode == 0, done.stderr
    assert f"next: alps data info {out}, then alps train {out}" in done.stdout and done.stderr == ""
    info = alps("data", "info", out)
    assert info.returncode == 0 and "checks passed" in info.stdout, info.stderr
    assert [file for file in out.parent.iterdir() if file.name.startswith(".")] == []
    with np.load(out) as file:
        return {key: file[key] for key in file}, done.stdout


def refused(source, code, *words, args=()):
    out = pathlib.Path(source).parent / "refused.npz"
    done = alps("data", "import", source, "--out", out, *args)
    assert done.returncode == code and done.stderr.startswith("alps: error: ") and "Traceback" not in done.stderr, done.stderr
    assert len(done.stderr.strip().splitlines()) <= 3, done.stderr
    for word in words:
        assert word in done.stderr, done.stderr
    assert not out.exists() and not [file for file in out.parent.iterdir() if file.name.startswith(".")]


def test_minari(tmp_path):
    source, made = layouts.minari_set(tmp_path / "sets")
    arrays, told = imported(source, tmp_path / "a.npz")
    layouts.same(arrays, made)
    assert "4 episodes of 21 to 21 rows, 84 rows in all, from a Minari data set" in told
    # the inner folder, and the id
    assert imported(source / "data", tmp_path / "b.npz")[1] == told.replace("a.npz", "b.npz")
    assert imported("own/walk-v0", tmp_path / "c.npz")[1] == told.replace("a.npz", "c.npz")
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes() == (tmp_path / "c.npz").read_bytes()


def test_minari_with_discrete_actions(tmp_path):
    source, made = layouts.minari_set(tmp_path / "sets", "CartPole-v1", steps=40)
    arrays, told = imported(source, tmp_path / "a.npz")
    layouts.same(arrays, [(seen, np.eye(2)[done]) for seen, done in made])
    assert "discrete actions: each of the 2 becomes a column" in told and len({len(seen) for seen, _ in made}) > 1


def test_minari_with_dictionaries(tmp_path):
    source, made = layouts.minari_goals(tmp_path / "sets")
    arrays, told = imported(source, tmp_path / "a.npz")
    layouts.same(arrays, made)
    assert "the observation is observation; left out: achieved_goal, desired_goal (--keys chooses)" in told
    assert np.array_equal(arrays["qpos"], arrays["observations"][:, :2])
    both, _ = imported(source, tmp_path / "b.npz", "--keys", "desired_goal,observation")
    layouts.same(both, [(np.concatenate([seen[:, :2] + 1, seen], axis=1), done) for seen, done in made])
    refused(source, 2, "no entry 'place'", "achieved_goal", args=("--keys", "place"))


def test_bad_minari(tmp_path):
    source, _ = layouts.minari_set(tmp_path / "sets")
    refused(source, 2, "leave out --keys", args=("--keys", "observation"))
    refused(tmp_path / "sets/own/none-v0", 1, "no such Minari data set", "minari download")
    file = source / "data/main_data.hdf5"
    file.write_bytes(file.read_bytes()[:3000])
    refused(source, 1, "own/walk-v0", "complete?")
    (source / "data/metadata.json").unlink()
    refused(source, 1, "no metadata.json", args=("--from", "minari"))


@pytest.mark.parametrize("after", [False, True])
def test_d4rl(tmp_path, after):
    source, made = layouts.d4rl_file(tmp_path / "walk.hdf5", after=after)
    arrays, told = imported(source, tmp_path / "a.npz")
    layouts.same(arrays, made)
    assert arrays["qpos"].dtype == np.float32 and arrays["qvel"].shape == (len(arrays["actions"]), 2) and "left out: rewards" in told
    moving = ~arrays["terminals"] if after else slice(None)
    assert np.array_equal(arrays["qpos"][moving], arrays["observations"][moving][:, :2])


def test_d4rl_ends_and_single_rows(tmp_path):
    seen, done, ends = layouts.rows(made := layouts.episodes())
    ends[0] = True
    source, _ = layouts.d4rl_file(tmp_path / "walk.hdf5", made, terminals=np.zeros(len(ends), bool), timeouts=ends)
    arrays, told = imported(source, tmp_path / "a.npz")
    layouts.same(arrays, [(made[0][0][1:], made[0][1][1:]), *made[1:]])
    assert "episodes of a single row are left out (1)" in told


def test_d4rl_transitions_that_do_not_follow(tmp_path):
    source, made = layouts.d4rl_file(tmp_path / "walk.hdf5", after=True, terminals=None)
    arrays, told = imported(source, tmp_path / "a.npz")  # one of two ends is marked; the others are seen
    layouts.same(arrays, made)
    assert "is not the next row's observation; episodes are cut there" in told
    seen, done, after, ends = layouts.transitions(made)
    order = np.random.default_rng(0).permutation(len(seen))
    while ((order[1:] - order[:-1]) == 1).any():
        order = np.random.default_rng(order[0]).permutation(order)
    shuffled, _ = layouts.d4rl_file(tmp_path / "b.hdf5", made, after=True, observations=seen[order], actions=done[order],
                                    next_observations=after[order])
    refused(shuffled, 1, "no row follows from another", "trajectories")


@pytest.mark.parametrize("change, words", [
    (dict(observations=None), ["'observations' is missing", "actions"]),
    (dict(actions=None), ["'actions' is missing"]),
    (dict(terminals=None, timeouts=None), ["neither 'terminals' nor 'timeouts'"]),
    (dict(actions=np.zeros((3, 2))), ["'actions' has shape (3, 2)", "one row per observation"]),
    (dict(observations=np.zeros((0, 3))), ["no rows"]),
    (dict(actions=lambda x: np.where(np.arange(len(x)) == 7, np.nan, x[:, 0])), ["'actions' is nan in row 7 of the episode, column 0", "mend"]),
    (dict(observations=lambda x: np.where(x == x[3, 1], 1e300, x.astype(float))), ["'observations' is 1e+300 in row 3 of the episode, column 1"]),
    (dict(terminals=lambda x: np.arange(len(x))), ["'terminals' holds other values than 0 and 1"]),
    (dict(observations=lambda x: np.array([b"a"] * len(x))), ["'observations' has type", "numbers are expected"]),
])
def test_bad_d4rl(tmp_path, change, words):
    made = layouts.episodes(count=1, seed=5)
    arrays = dict(zip(("observations", "actions", "terminals"), layouts.rows(made)))
    change = {key: value(arrays[key]) if callable(value) else value for key, value in change.items()}
    source, _ = layouts.d4rl_file(tmp_path / "bad.hdf5", made, **{"infos/qpos": None, "infos/qvel": None, **change})
    refused(source, 1, "bad.hdf5", *words)


def test_truncated_and_unknown_files(tmp_path):
    source, _ = layouts.d4rl_file(tmp_path / "walk.hdf5")
    source.write_bytes(source.read_bytes()[:1500])
    refused(source, 1, "walk.hdf5", "cannot be read as hdf5", "complete?")
    (tmp_path / "walk.npz").write_bytes(b"PK\x03\x04 and no more")
    refused(tmp_path / "walk.npz", 1, "walk.npz", "cannot be read as an .npz")
    (tmp_path / "walk.bag").write_bytes(b"x")
    refused(tmp_path / "walk.bag", 2, "what kind", "--from")
    (tmp_path / "empty").mkdir()
    refused(tmp_path / "empty", 2, "no data set that is known here")
    refused(tmp_path / "none.csv", 1, "no such file or folder")
    expect = alps("data", "import", source, "--out", tmp_path / "x.npz", "--from", "hdf4")
    assert expect.returncode == 2 and "--from" in expect.stderr
    assert alps("data", "import", source).returncode == 2


@pytest.mark.parametrize("version", ["v2.1", "v3.0"])
def test_lerobot(tmp_path, version):
    source, made = layouts.lerobot_folder(tmp_path / "arm", version)
    arrays, told = imported(source, tmp_path / "a.npz")
    layouts.same(arrays, made)
    assert f"a LeRobot data set ({version})" in told and "left out: observation.images.top" in told and "left out: observation.force" in told
    more, _ = imported(source, tmp_path / "b.npz", "--observations", "observation.force,observation.s*")
    layouts.same(more, [(np.concatenate([seen[:, :1], seen], axis=1), done) for seen, done in made])


def test_bad_lerobot(tmp_path):
    source, _ = layouts.lerobot_folder(tmp_path / "arm")
    refused(source, 2, "no feature of numbers is called 'observation.images.top'", "observation.state", args=("--observations", "observation.images.top"))
    uneven, _ = layouts.lerobot_folder(tmp_path / "uneven", size=2)
    refused(uneven, 1, "'observation.state' has rows of different lengths (2, 3)")
    parts = sorted(source.glob("data/**/*.parquet"))
    whole = parts[1].read_bytes()
    parts[1].unlink()
    assert "total_episodes 5, but 2 are in the files" in imported(source, tmp_path / "a.npz")[1]
    parts[1].write_bytes(whole[:len(whole) // 2])
    refused(source, 1, "file-001.parquet", "cannot be read as parquet")
    info = json.loads((source / "meta/info.json").read_text())
    (source / "meta/info.json").write_text(json.dumps({key: info[key] for key in info if key != "features"}))
    refused(source, 1, "no 'features'")
    shutil.rmtree(uneven / "data")
    refused(uneven, 1, "no parquet file")


def test_csv(tmp_path):
    source, made = layouts.csv_folder(tmp_path / "walks")
    arrays, told = imported(source, tmp_path / "a.npz")
    layouts.same(arrays, made)  # episode_2 before episode_10
    assert "observations: obs_x, obs_y, obs_z; actions: action_0, action_1" in told and "left out: time" in told and "12 CSV files" in told
    source, made = layouts.csv_rows(tmp_path / "walks.csv", layouts.episodes(), ("x", "y", "vx", "left", "right"), number=7)
    arrays, _ = imported(source, tmp_path / "b.npz", "--observations", "v?,x,y", "--actions", "left,right")
    layouts.same(arrays, [(seen[:, [2, 0, 1]], done) for seen, done in made])
    refused(source, 2, "no column begins with", "--actions", "vx")


def test_bad_csv(tmp_path):
    good = "obs,action\n1,2\n3,4\n"
    for text, code, *words in (("", 1, "is empty"), ("obs,action\n", 1, "no rows"), ("1,2\n3,4\n", 1, "it must name the columns"),
                               ("obs,obs\n1,2\n", 1, "two columns are called 'obs'"), (good + "5\n", 1, "line 4", "1 cells"),
                               (good + "5,left\n", 1, "line 4", "'left' in column action"), (good + "nan,1\n", 1, "'observations' is nan"),
                               ("obs,action\n1,2\n", 1, "no episode with two states"), (good + ",1\n5,6\n", 1, "'observations' is nan in row 2")):
        (tmp_path / "bad.csv").write_text(text)
        refused(tmp_path / "bad.csv", code, "bad.csv" if code == 2 or "two states" not in words[0] else "bad", *words)
    folder, _ = layouts.csv_folder(tmp_path / "walks")
    layouts.csv_rows(folder / "episode_99.csv", layouts.episodes(1), ("obs_a", "obs_b", "obs_c", "action_0", "action_1"))
    refused(folder, 1, "episode_99.csv", "are not those of episode_0.csv")


def test_forms_of_npz(tmp_path):
    """OGBench's own file, and what its loader makes of it, give the same data set"""
    from ogbench.utils import load_dataset

    made = layouts.episodes()
    seen, done, ends = layouts.rows(made)
    np.savez_compressed(tmp_path / "own.npz", observations=seen, actions=done, terminals=ends, qpos=seen[:, :2].astype(float))
    np.savez(tmp_path / "compact.npz", **load_dataset(tmp_path / "own.npz", compact_dataset=True))
    # rewards and masks as for its single tasks
    pairs = load_dataset(tmp_path / "own.npz")
    np.savez(tmp_path / "pairs.npz", **pairs, rewards=pairs["terminals"] - 1, masks=1 - pairs["terminals"])
    for form in ("own", "compact", "pairs"):
        arrays, told = imported(tmp_path / f"{form}.npz", tmp_path / f"{form}-imported.npz")
        layouts.same(arrays, made)
        assert ("left out: rewards, masks" in told) == (form == "pairs") and ("qpos" in arrays) == (form == "own")

    # without an import they are pointed to it
    info = alps("data", "info", tmp_path / "compact.npz")
    assert info.returncode == 1 and "'valids'" in info.stderr and f"alps data import {tmp_path}/compact.npz --out compact-imported.npz" in info.stderr
    info = alps("data", "info", tmp_path / "pairs.npz")
    assert info.returncode == 0 and "each episode loses its last transition" in info.stderr


def test_images_and_discrete_actions(tmp_path):
    images = np.random.default_rng(0).integers(0, 255, (12, 3, 8, 10), np.uint8)
    np.savez(tmp_path / "a.npz", observations=images, actions=np.arange(12) % 3, terminals=np.arange(12) % 6 == 5)
    arrays, told = imported(tmp_path / "a.npz", tmp_path / "b.npz")
    assert arrays["observations"].dtype == np.uint8 and np.array_equal(arrays["observations"], images.transpose(0, 2, 3, 1))
    assert np.array_equal(arrays["actions"], np.eye(3)[np.arange(12) % 3]) and "channels first" in told and "each of the 3" in told
    (tmp_path / "grid.csv").write_text("obs,action\n" + "".join(f"{i},{i % 4}\n" for i in range(20)))
    arrays, told = imported(tmp_path / "grid.csv", tmp_path / "grid.npz")
    assert arrays["actions"].shape == (20, 1) and "import with --discrete" in told
    arrays, told = imported(tmp_path / "grid.csv", tmp_path / "grid2.npz", "--discrete")
    assert np.array_equal(arrays["actions"], np.eye(4)[np.arange(20) % 4]) and "each of the 4" in told
    (tmp_path / "slow.csv").write_text("obs,action\n1,0.5\n2,1\n")
    refused(tmp_path / "slow.csv", 1, "leave out --discrete", args=("--discrete",))
    np.savez(tmp_path / "c.npz", observations=images, actions=np.arange(12) - 4, terminals=np.arange(12) % 6 == 5)
    refused(tmp_path / "c.npz", 1, "whole numbers from -4 to 7", "float32")


def test_folder_of_pieces(tmp_path):
    made = layouts.episodes(count=9)
    (tmp_path / "large").mkdir()
    for i in range(3):
        seen, done, ends = layouts.rows(made[3 * i:3 * i + 3])
        for name in (f"large-{i:03d}.npz", f"large-{i:03d}-val.npz"):
            np.savez_compressed(tmp_path / "large" / name, observations=seen, actions=done, terminals=ends)
    arrays, told = imported(tmp_path / "large", tmp_path / "a.npz")
    layouts.same(arrays, made)
    assert "from 3 npz files" in told

    # the same without an import, in memory and mostly on disk
    info = alps("data", "info", f"{tmp_path}/large/")
    assert info.returncode == 0 and "in 3 files)" in info.stdout and f"({len(arrays['actions'])}, 3)" in info.stdout, info.stderr
    episodes = [next(line for line in text.splitlines() if "transitions" in line)
                for text in (info.stdout, alps("data", "info", tmp_path / "a.npz").stdout)]
    assert episodes[0] == episodes[1]
    np.savez(tmp_path / "large/large-003.npz", observations=seen[:, :2], actions=done, terminals=ends)
    info = alps("data", "info", tmp_path / "large")
    assert info.returncode == 1 and "large-003.npz" in info.stderr and "pieces of one data set" in info.stderr


def test_training_on_a_folder(tmp_path):
    """gives the same run as on one file"""
    rng = np.random.default_rng(0)
    made = []
    for _ in range(60):
        done = rng.uniform(-1, 1, (60, 2)).astype(np.float32)
        made.append((np.concatenate([rng.uniform(-5, 5, (1, 2)), done]).cumsum(0).astype(np.float32), done))
    (tmp_path / "many").mkdir()
    for path, some in (("one.npz", made), *((f"many/many-{i:03d}.npz", made[20 * i:20 * i + 20]) for i in range(3))):
        seen, done, ends = layouts.rows(some)
        np.savez_compressed(tmp_path / path, observations=seen, actions=done, terminals=ends)
    sets = [word for key in ("representation_steps", "model_steps", "prior_steps") for word in ("--set", f"{key}=20")]
    for name in ("one.npz", "many"):
        done = alps("train", tmp_path / name, "--out", tmp_path / f"run-{name}", "--threads", 1, *sets)
        assert done.returncode == 0, done.stderr
    one, many = (load_file(tmp_path / f"run-{name}/model.safetensors") for name in ("one.npz", "many"))
    assert one.keys() == many.keys() and all(np.array_equal(one[key], many[key]) for key in one)
    config = json.loads((tmp_path / "run-many/config.json").read_text())
    assert config["data"]["path"] == str(tmp_path / "many") and config["data"]["name"] == "many"
    assert alps("plot", tmp_path / "run-many").returncode == 0


def test_other_layouts_are_pointed_to_the_import(tmp_path):
    source, _ = layouts.d4rl_file(tmp_path / "walk.hdf5")
    folder, _ = layouts.lerobot_folder(tmp_path / "arm")
    walks, _ = layouts.csv_folder(tmp_path / "walks")
    for path in (source, folder, walks):
        for verb in (("train",), ("data", "info")):
            done = alps(*verb, path)
            assert done.returncode == 2 and f"alps data import {path} --out {path.stem}.npz" in done.stderr, done.stderr


def test_names_of_single_tasks(tmp_path):
    seen, done, ends = layouts.rows(layouts.episodes())
    np.savez(tmp_path / "walk-large-v0.npz", observations=seen, actions=done, terminals=ends)
    for name in ("walk-large-singletask-v0", "walk-large-singletask-task2-v0"):
        info = alps("data", "info", name, "--data_dir", tmp_path)
        assert info.returncode == 0 and "walk-large-v0.npz" in info.stdout, info.stderr


def test_what_is_there_is_kept(tmp_path):
    source, made = layouts.d4rl_file(tmp_path / "walk.hdf5")
    (tmp_path / "refused.npz").write_text("mine")
    done = alps("data", "import", source, "--out", tmp_path / "refused.npz")
    assert done.returncode == 2 and "--overwrite" in done.stderr and (tmp_path / "refused.npz").read_text() == "mine"
    imported(source, tmp_path / "refused.npz", "--overwrite")
    done = alps("data", "import", source, "--out", tmp_path / "walk.hdf5")
    assert done.returncode == 2 and "a data set is a file.npz" in done.stderr
    (tmp_path / "file").write_text("")
    done = alps("data", "import", source, "--out", tmp_path / "file/a.npz")
    assert done.returncode == 1 and "cannot be written" in done.stderr


@pytest.mark.parametrize("stop, code", [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_interrupted_work_leaves_nothing(tmp_path, stop, code):
    (tmp_path / "out").mkdir()
    os.mkfifo(tmp_path / "walk.csv")  # which nobody writes to
    work = subprocess.Popen([ALPS, "data", "import", tmp_path / "walk.csv", "--out", tmp_path / "out/a.npz"], stderr=subprocess.PIPE, text=True)
    deadline = time.time() + 60
    while not list((tmp_path / "out").iterdir()) and time.time() < deadline:
        time.sleep(0.02)
    time.sleep(0.2)
    work.send_signal(stop)
    told = work.communicate(timeout=20)[1]
    assert work.returncode == code and "Traceback" not in told and list((tmp_path / "out").iterdir()) == []


def test_without_the_packages(tmp_path):
    """another Python is named, or the package that is missing"""
    source, _ = layouts.d4rl_file(tmp_path / "walk.hdf5")
    done = alps("data", "import", source, "--out", tmp_path / "a.npz", env=dict(os.environ, ALPS_PYTHON="/none/python"))
    assert done.returncode == 1 and "ALPS_PYTHON" in done.stderr
    (tmp_path / "h5py.py").write_text("raise ImportError('no h5py here')")
    done = alps("data", "import", source, "--out", tmp_path / "a.npz", env=dict(os.environ, PYTHONPATH=str(tmp_path)))
    assert done.returncode == 1 and "pip install 'alps[import]'" in done.stderr and not (tmp_path / "a.npz").exists()
