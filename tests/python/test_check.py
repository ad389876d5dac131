"""alps.check, Dataset.check, run.check, and how familiar a decision says its observation and goal are."""
import numpy as np
import pytest

import alps


def test_check_of_files_runs_and_arrays(dataset, run):
    found = alps.check(dataset.path)
    assert isinstance(found, alps.Findings) and {"episodes", "coverage", "Markov"} <= {f.what for f in found}
    assert found == dataset.check() and found.worst in ("good", "look") and not found.of("bad")
    assert all(f.value in str(found) for f in found)
    learned = run.check()
    assert {"psi and time, in an episode", "regions", "reach of the data"} <= {f.what for f in learned}
    assert learned == alps.check(run, threads=1)


def test_faults_of_arrays():
    rng = np.random.default_rng(0)
    ends = np.arange(20_000) % 200 == 199
    seen = np.cumsum(rng.normal(size=(20_000, 2)), 0) * 0.01
    data = alps.Dataset(np.column_stack([seen, np.ones(20_000)]), 3 * rng.uniform(-1, 1, (20_000, 1)), 5 * ends)
    found = {f.what: f for f in data.check()}
    assert found["dead columns"].value == "column 2" and found["action limits"].mark == "look"
    assert "neither 0 nor 1 in 100 rows, first 5 in row 199" in found["file"].value
    images = alps.Dataset(np.zeros((40, 13, 17, 3), np.uint8), np.ones((40, 1)), np.arange(40) % 20 == 19)
    assert images.check().worst == "bad" and "36 x 36" in {f.what: f for f in images.check()}["image size"].meaning


def test_timeouts_instead_of_terminals():
    data = alps.Dataset.from_dict(dict(observations=np.zeros((4, 2)), actions=np.zeros((4, 1)), timeouts=[0, 1, 0, 1]))
    assert len(data.episodes) == 2


def test_bad_input(tmp_path):
    with pytest.raises(alps.Error, match="no data set at"):
        alps.check(tmp_path / "none.npz")
    with pytest.raises(alps.Error, match="NaN or Inf in row 1, column 0"):
        alps.Dataset([[0.0], [np.nan]], [[0.0], [0.0]], [0, 1]).check()
    with pytest.raises(alps.UsageError, match="at least one row"):
        alps.Dataset(np.zeros((0, 2)), np.zeros((0, 1)), []).check()


def test_decisions_say_how_familiar_they_are(agent, ends):
    start, goal = ends
    decision = agent.plan(start, goal)
    assert 0 <= decision.off_data <= 1 and 0 <= decision.goal_off_data <= 1 and "outside" not in repr(decision)
    far = agent.plan(np.full_like(start, 1e6), goal)
    assert far.off_data > 1000 and far.goal_off_data <= 1 and "observation outside the data" in repr(far)
    assert far.trace["off_data"] == far.off_data


def test_odd_data_are_warned_of_without_progress(tmp_path):
    rng = np.random.default_rng(0)
    data = alps.Dataset(rng.normal(size=(400, 2)), 3 * rng.uniform(-1, 1, (400, 1)), np.arange(400) % 40 == 39, name="mine")
    small = dict(representation_steps=2, model_steps=2, prior_steps=2, representation_batch=16, model_batch=8, prior_batch=8, eigenvectors=2)
    with pytest.warns(UserWarning, match=r"'actions' leaves \[-1, 1\]"):
        alps.train(data, out=tmp_path / "run", threads=1, progress=False, **small)
