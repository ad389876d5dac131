"""bench/worlds: the worlds that need no packages beyond the tests' own. Their data can be made again, their behaviour reaches their
goals, and results are kept as they are measured."""
import dataclasses
import importlib
import pathlib
import sys

import gymnasium
import numpy as np
import pytest

import alps

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench" / "worlds"))
import world as suite  # noqa: E402

# what the behaviour reaches of 20 goals, told the goal where it can be: at least, and at most
REACHED = {"pendulum": (1, 12), "mountaincar": (10, 19), "acrobot": (15, 20), "car": (19, 20), "grid": (12, 20)}


def row(name):
    return next(w for w in importlib.import_module(name).WORLDS if w.name == name)


def run_module():
    return importlib.import_module("run")


@pytest.mark.parametrize("name", REACHED)
def test_behaviour_reaches_what_it_should(name):
    world = row(name)
    goals, options = suite.goals_of(world, 20)
    assert len(goals) == len(options) == 20
    policy = suite.Told(world.behaviour(world.make(), np.random.default_rng(3)))
    result = alps.evaluate(policy, world.make(), goals, success=world.success, options=options, max_steps=world.max_steps)
    least, most = REACHED[name]
    assert least <= result.successes <= most
    # nobody starts at the goal
    assert not any(world.success(e.start, e.goal, {}) for e in result.episodes)


@pytest.mark.parametrize("name", REACHED)
def test_data_can_be_made_again_and_fit_the_environment(name, tmp_path):
    world = dataclasses.replace(row(name), rows=2000)
    data, again = suite.collect(world), suite.collect(world)
    assert all(np.array_equal(a, b) for a, b in zip(data.arrays().values(), again.arrays().values()))
    assert not np.array_equal(data.observations[:50], suite.collect(world, seed=1).observations[:50])
    env = world.make()
    if isinstance(env.action_space, gymnasium.spaces.Discrete):
        used = np.delete(data.actions, np.flatnonzero(data.terminals), axis=0)
        assert np.all((used == 0) | (used == 1)) and np.all(used.sum(axis=1) == 1)
    else:
        assert np.all(data.actions >= env.action_space.low) and np.all(data.actions <= env.action_space.high)
        assert np.abs(data.actions).max() == env.action_space.high.max()
    data.save(tmp_path / "data.npz")
    assert len(alps.Dataset.load(tmp_path / "data.npz")) == len(data) >= 2000


def test_a_car_stops_at_walls_and_turns_only_while_it_rolls():
    car = importlib.import_module("car")
    env = car.Car()
    env.reset(seed=0, options={"start": (2.0, 1.0, 0.0, 1.0)})
    for _ in range(20):
        observation, *_ = env.step(np.array([1.0, 0.0]))
    assert observation[0] < 2.25 and observation[4] == 0
    env.reset(seed=0, options={"start": (1.0, 1.0, 0.5, 0.0)})
    before = env.observed()
    assert np.array_equal(env.step(np.array([0.0, 1.0]))[0], before)


def test_rows_are_kept_and_become_a_table(tmp_path, monkeypatch):
    run = run_module()
    values = dict.fromkeys(run.COLUMNS, "0") | dict(world="car", goals="50", rows="1000", train_seconds="60", steps="100")
    rows = [values | {"seed": "0", "success": "0.980", "dijkstra+prior": "1.000"},
            values | {"seed": "1", "success": "1.000", "dijkstra+prior": "0.900"}]
    path = tmp_path / "worlds.csv"
    run.write_rows(path, rows)
    assert run.read_rows(path) == rows and [p.name for p in tmp_path.iterdir()] == ["worlds.csv"]
    low, high = alps._core.wilson(99, 100)
    line = run.table(rows, {"car": row("car")}).splitlines()[-1]
    assert line == f"| car | 99 ({100 * low:.0f}-{100 * high:.0f}) | 100 | 95 | 0 | 0 | 100 (2 seeds) | 60 s |"
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- worlds -->\nold\n<!-- /worlds -->\nafter\n")
    run.write_table(rows, {"car": row("car")}, page)
    assert page.read_text().startswith("before\n<!-- worlds -->\n| world |") and page.read_text().endswith("<!-- /worlds -->\nafter\n")
    assert "old" not in page.read_text()
