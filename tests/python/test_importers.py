"""alps.Dataset.from_minari, from_d4rl, from_lerobot and from_csv; tests/cli/test_import.py has the layouts in all their forms."""
import layouts
import numpy as np
import pytest

import alps


def test_minari(tmp_path):
    source, made = layouts.minari_set(tmp_path / "sets")
    data = alps.Dataset.from_minari(source)
    layouts.same(data.arrays(), made)
    import minari

    layouts.same(alps.Dataset.from_minari(minari.load_dataset("own/walk-v0")).arrays(), made)
    layouts.same(alps.Dataset.from_minari("own/walk-v0").arrays(), made)
    goals, made = layouts.minari_goals(tmp_path / "sets")
    data = alps.Dataset.from_minari(goals, keys=["achieved_goal"])
    layouts.same(data.arrays(), [(seen[:, :2], done) for seen, done in made])
    assert np.array_equal(data.qpos, data.observations) and any("desired_goal" in note for note in data.warnings)
    with pytest.raises(alps.UsageError, match="no entry 'place'"):
        alps.Dataset.from_minari(goals, keys="place")
    with pytest.raises(alps.Error, match="minari download own/none-v0"):
        alps.Dataset.from_minari("own/none-v0")


def test_d4rl(tmp_path):
    source, made = layouts.d4rl_file(tmp_path / "walk.hdf5", after=True)
    data = alps.Dataset.from_d4rl(source)
    layouts.same(data.arrays(), made)
    assert data.name == "walk" and data.qvel.shape == (len(data), 2)
    bad, _ = layouts.d4rl_file(tmp_path / "bad.hdf5", actions=None)
    with pytest.raises(alps.Error, match="'actions' is missing"):
        alps.Dataset.from_d4rl(bad)
    with pytest.raises(alps.Error, match="no such file"):
        alps.Dataset.from_d4rl(tmp_path / "none.hdf5")


def test_lerobot(tmp_path):
    source, made = layouts.lerobot_folder(tmp_path / "arm")
    layouts.same(alps.Dataset.from_lerobot(source).arrays(), made)
    data = alps.Dataset.from_lerobot(source, observations="observation.force")
    layouts.same(data.arrays(), [(seen[:, :1], done) for seen, done in made])


def test_csv(tmp_path):
    source, made = layouts.csv_folder(tmp_path / "walks")
    layouts.same(alps.Dataset.from_csv(source).arrays(), made)
    source, made = layouts.csv_rows(tmp_path / "walks.csv", layouts.episodes(), ("x", "y", "z", "a", "b"), number=0)
    data = alps.Dataset.from_csv(source, observations=["z", "x"], actions="[ab]", episode="episode")
    layouts.same(data.arrays(), [(seen[:, [2, 0]], done) for seen, done in made])


def test_what_was_imported_can_be_saved_and_trained_on(tmp_path):
    """a point that is moved by its action, from a D4RL file to a run"""
    rng = np.random.default_rng(0)
    made = []
    for _ in range(40):
        done = rng.uniform(-1, 1, (60, 2)).astype(np.float32)
        made.append((np.concatenate([rng.uniform(-5, 5, (1, 2)), done]).cumsum(0).astype(np.float32), done))
    source, _ = layouts.d4rl_file(tmp_path / "point.hdf5", made)
    data = alps.Dataset.from_d4rl(source)
    layouts.same(alps.Dataset.load(data.save(tmp_path / "point.npz")).arrays(), made)
    run = alps.train(data, out=tmp_path / "run", threads=1, progress=False, representation_steps=20, model_steps=20, prior_steps=20)
    assert alps.load(run).act(made[0][0][0], made[0][0][-1]).shape == (2,)


def test_a_folder_of_files(tmp_path):
    made = layouts.episodes(count=6)
    (tmp_path / "large").mkdir()
    for i in range(3):
        seen, done, ends = layouts.rows(made[2 * i:2 * i + 2])
        np.savez_compressed(tmp_path / f"large/large-{i:03d}.npz", observations=seen, actions=done, terminals=ends)
    layouts.same(alps.Dataset.load(tmp_path / "large").arrays(), made)
