"""Data sets in the layouts that people have, written by the packages that write them: minari, h5py, pyarrow, NumPy. Each maker returns
(source, episodes), where an episode is (observations, actions) as they should arrive."""
import csv
import json
import os
import warnings

import numpy as np


def episodes(count=5, size=3, actions=2, seed=0):
    """of different lengths; T + 1 observations and T actions"""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(4, 30, count)
    return [(rng.normal(size=(n + 1, size)).astype(np.float32), rng.uniform(-1, 1, (n, actions)).astype(np.float32)) for n in lengths]


def rows(made):
    """as rows: every observation with the action of that row, 0 in the last; and ends"""
    seen = np.concatenate([s for s, _ in made])
    done = np.concatenate([np.concatenate([a, 0 * a[:1]]) for _, a in made])
    ends = np.concatenate([np.arange(len(s)) == len(s) - 1 for s, _ in made])
    return seen, done, ends


def transitions(made):
    """as transitions: observations, actions, next_observations and ends"""
    return (np.concatenate([s[:-1] for s, _ in made]), np.concatenate([a for _, a in made]), np.concatenate([s[1:] for s, _ in made]),
            np.concatenate([np.arange(len(a)) == len(a) - 1 for _, a in made]))


def _minari_write(folder, name, made, told, infos, **about):
    """by minari from buffers; its DataCollector does the same, but needs jax"""
    os.environ["MINARI_DATASETS_PATH"] = str(folder)
    import minari
    from minari.data_collector import EpisodeBuffer

    buffers = []
    for number, (seen, done) in enumerate(made):
        ends = [False] * (len(done) - 1) + [True]
        buffers.append(EpisodeBuffer(id=number, observations=told(seen), actions=list(done), rewards=[0.0] * len(done),
                                     terminations=[False] * len(done), truncations=ends, infos=infos(seen)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # there is no environment to evaluate in
        minari.create_dataset_from_buffers(dataset_id=name, buffer=buffers, author="a", author_email="a@b.c", code_permalink="x",
                                           algorithm_name="random", description="x", **about)
    return folder / name, made


def minari_set(folder, env="Pendulum-v1", name="own/walk-v0", steps=20, count=4):
    """episodes of a Gymnasium environment"""
    import gymnasium

    world = gymnasium.make(env, max_episode_steps=steps)
    world.action_space.seed(0)
    made = []
    for number in range(count):
        seen, done, over = [world.reset(seed=number)[0]], [], False
        while not over:
            done.append(world.action_space.sample())
            observation, _, terminated, truncated, _ = world.step(done[-1])
            seen.append(observation)
            over = terminated or truncated
        made.append((np.array(seen), np.array(done)))
    return _minari_write(folder, name, made, list, lambda seen: {}, env=world)


def minari_goals(folder, name="own/goals-v0", count=3):
    """with dictionary observations, as Gymnasium's goal environments have them"""
    from gymnasium.spaces import Box, Dict

    state, place = Box(-np.inf, np.inf, (3,), np.float32), Box(-np.inf, np.inf, (2,), np.float32)
    return _minari_write(folder, name, episodes(count),
                         lambda seen: dict(observation=list(seen), achieved_goal=list(seen[:, :2]), desired_goal=list(seen[:, :2] + 1)),
                         lambda seen: dict(qpos=list(seen[:, :2])),
                         observation_space=Dict(observation=state, achieved_goal=place, desired_goal=place),
                         action_space=Box(-1, 1, (2,), np.float32))


def d4rl_file(path, made=None, after=False, **change):
    """after: with next_observations. change: other arrays, or None to leave one out"""
    import h5py

    made = made or episodes()
    seen, done, ends = rows(made)
    arrays = dict(observations=seen, actions=done)
    if after:
        arrays["observations"], arrays["actions"], arrays["next_observations"], ends = transitions(made)
    number = np.cumsum(ends) - ends
    arrays |= dict(terminals=ends & (number % 2 == 0), timeouts=ends & (number % 2 == 1), rewards=np.zeros(len(ends), np.float32))
    arrays |= {"infos/qpos": arrays["observations"][:, :2].astype(float), "infos/qvel": arrays["observations"][:, 1:].astype(float)}
    with h5py.File(path, "w") as file:
        for key, array in (arrays | change).items():
            if array is not None:
                file.create_dataset(key, data=array, compression="gzip")
        file.create_dataset("metadata/policy/weight", data=np.zeros(3))
    return path, made


def lerobot_folder(path, version="v3.0", made=None, size=None):
    """as LeRobot writes it: v2 has a file for each episode, v3 many episodes in a file"""
    import pyarrow as pa
    import pyarrow.parquet as pq

    made = made or episodes()
    features = {"observation.state": dict(dtype="float32", shape=[3], names=["x", "y", "z"]), "action": dict(dtype="float32", shape=[2], names=None),
                "observation.images.top": dict(dtype="video", shape=[48, 64, 3], names=["height", "width", "channels"]),
                "observation.force": dict(dtype="float32", shape=[1], names=None)}
    features |= {key: dict(dtype="int64", shape=[1], names=None) for key in ("frame_index", "episode_index", "index", "task_index")}
    tables, start = [], 0
    for number, (seen, done) in enumerate(made):
        # a frame for every action: the state after the last one is not recorded
        n = len(done)
        kind = pa.list_(pa.float32(), 3 if size is None else -1)
        states = seen[:-1].tolist()
        if size is not None:
            states[-1] = states[-1][:size]
        tables.append(pa.table({"observation.state": pa.array(states, kind), "action": pa.array(done.tolist(), pa.list_(pa.float32(), 2)),
                                "observation.force": pa.array(seen[:-1, 0], pa.float32()), "timestamp": pa.array(np.arange(n) / 30, pa.float32()),
                                "frame_index": np.arange(n), "episode_index": np.full(n, number), "index": start + np.arange(n),
                                "task_index": np.zeros(n, int)}))
        start += n
    folder = path / "data/chunk-000"
    folder.mkdir(parents=True)
    if version.startswith("v2"):
        for number, table in enumerate(tables):
            pq.write_table(table, folder / f"episode_{number:06d}.parquet")
    else:
        for number, some in enumerate((tables[:2], tables[2:])):
            pq.write_table(pa.concat_tables(some), folder / f"file-{number:03d}.parquet", row_group_size=7)
    (path / "meta").mkdir()
    info = dict(codebase_version=version, total_episodes=len(made), total_frames=start, fps=30, features=features)
    (path / "meta/info.json").write_text(json.dumps(info))
    return path, [(seen[:-1], done[:-1]) for seen, done in made]


def csv_rows(path, made, names=("obs_x", "obs_y", "obs_z", "action_0", "action_1"), number=None):
    """number: of the first episode, if there is to be a column `episode`; the action of a final state is left empty"""
    with open(path, "w", newline="") as file:
        out = csv.writer(file)
        out.writerow([*(["episode"] if number is not None else []), "time", *names])
        for i, (seen, done) in enumerate(made):
            for t, state in enumerate(seen):
                action = done[t] if t < len(done) else [""] * done.shape[1]
                out.writerow([*([number + i] if number is not None else []), t, *state, *action])
    return path, made


def csv_folder(path, made=None):
    path.mkdir()
    made = made or episodes(count=12)
    for i, episode in enumerate(made):
        csv_rows(path / f"episode_{i}.csv", [episode])
    return path, made


def same(arrays, made):
    """the arrays of a data set hold just these episodes"""
    ends = np.flatnonzero(arrays["terminals"]) + 1
    assert arrays["terminals"].dtype == bool and len(ends) == len(made) and ends[-1] == len(arrays["observations"])
    for begin, end, (seen, done) in zip([0, *ends], ends, made):
        np.testing.assert_allclose(arrays["observations"][begin:end], seen, rtol=1e-6)
        np.testing.assert_allclose(arrays["actions"][begin:end][:len(done)], done, rtol=1e-6)
        assert end - begin == len(seen)
    assert arrays["observations"].dtype in (np.float32, np.uint8) and arrays["actions"].dtype == np.float32
