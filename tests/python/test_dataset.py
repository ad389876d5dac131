"""alps.Dataset and alps.make_dataset."""
import numpy as np
import pytest

import alps


def episodes(count=6, length=20, seed=0):
    rng = np.random.default_rng(seed)
    return [(rng.normal(size=(length + 1, 3)), rng.uniform(-1, 1, (length, 1))) for _ in range(count)]


def test_episodes_become_rows():
    made = episodes()
    data = alps.Dataset.from_episodes(made, name="mine")
    assert len(data) == 6 * 21 and len(data.episodes) == 6 and data.observations.dtype == np.float32
    for (seen, done), rows in zip(made, data.episodes):
        assert np.allclose(data.observations[rows], seen, atol=1e-6) and np.allclose(data.actions[rows][:-1], done, atol=1e-6)
        assert data.terminals[rows].tolist() == [False] * 20 + [True]
    with pytest.raises(alps.UsageError, match="episode 0 has 20 observations and 20 actions"):
        alps.Dataset.from_episodes([(np.zeros((20, 3)), np.zeros((20, 1)))])


def test_files_are_those_of_numpy_and_ogbench(tmp_path):
    data = alps.Dataset.from_episodes(episodes())
    path = data.save(tmp_path / "mine.npz")
    with np.load(path) as file:
        assert {key: file[key].dtype for key in file} == {"observations": np.float32, "actions": np.float32, "terminals": bool}
        assert np.array_equal(file["observations"], data.observations)
    from ogbench.utils import load_dataset

    theirs = load_dataset(str(path))
    assert theirs["observations"].shape == (6 * 20, 3) and theirs["next_observations"].shape == (6 * 20, 3)
    back = alps.Dataset.load(path)
    assert back.name == "mine" and all(np.array_equal(a, b) for a, b in zip(back.arrays().values(), data.arrays().values()))
    assert data.save(tmp_path / "again.npz").read_bytes() == path.read_bytes()


def test_transitions_keep_their_final_states(tmp_path):
    """a dict with next_observations, as OGBench's loader gives it, has one row fewer in each episode"""
    data = alps.Dataset.from_episodes(episodes())
    from ogbench.utils import load_dataset

    theirs = load_dataset(str(data.save(tmp_path / "mine.npz")))
    back = alps.Dataset.from_dict(theirs)
    assert np.array_equal(back.observations, data.observations) and np.array_equal(back.terminals, data.terminals)
    moving = ~data.terminals
    assert np.array_equal(back.actions[moving], data.actions[moving])


def test_arrays_are_kept_where_they_are():
    seen = np.zeros((4, 3), np.float32)
    data = alps.Dataset(seen, np.zeros((4, 1)), [0, 1, 0, 1])
    assert data.observations is seen and data.terminals.dtype == bool
    images = np.zeros((4, 8, 8, 3), np.uint8)
    assert alps.Dataset(images, np.zeros((4, 1)), [0, 1, 0, 1]).observations is images


def test_errors(tmp_path):
    with pytest.raises(alps.UsageError, match="'actions' is missing"):
        alps.Dataset.from_dict(dict(observations=np.zeros((2, 1)), terminals=[0, 1]))
    with pytest.raises(alps.UsageError, match="'terminals' has shape"):
        alps.Dataset(np.zeros((3, 2)), np.zeros((3, 1)), [0, 1])
    with pytest.raises(alps.UsageError, match=r"numpy.eye\(4, .*argmax"):
        alps.Dataset(np.zeros((4, 2)), [0, 3, 1, 2], [0, 1, 0, 1])
    with pytest.raises(alps.UsageError, match=r"actions\[:, None\]"):
        alps.Dataset(np.zeros((4, 2)), [0, 0.5, 1, -2], [0, 1, 0, 1])
    bad = alps.Dataset(np.full((4, 2), np.nan), np.zeros((4, 1)), [0, 1, 0, 1])
    with pytest.raises(alps.Error, match="'observations' is NaN or Inf in row 0, column 0"):
        alps.Dataset.load(bad.save(tmp_path / "bad.npz"))
    with pytest.raises(alps.Error, match="no data set at"):
        alps.Dataset.load("none-v0", tmp_path)
    with pytest.raises(alps.UsageError, match="did you mean"):
        alps.make_dataset("pointmaze-medium-navigat-v0", tmp_path)
    with pytest.raises(alps.UsageError, match="a data set is a file.npz"):
        bad.save(tmp_path / "bad.csv")


def test_make_dataset_reads_what_is_there(dataset, folder):
    assert len(dataset.episodes) == 150 and dataset.qpos is not None
    seen = []
    again = alps.make_dataset(dataset.name, folder, progress=lambda *told: seen.append(told))
    assert np.array_equal(again.observations, dataset.observations) and not seen
    other = alps.make_dataset(dataset.name, folder / "other", episodes=2, seed=1, progress=lambda *told: seen.append(told))
    assert len(other.episodes) == 2 and seen[-1][1] == seen[-1][2] and dataset.name in alps.dataset_names()
