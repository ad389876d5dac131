"""alps.load and what an agent does."""
import json
import pickle
import shutil
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
import torch

import alps
from alps._arrays import rows_of
from conftest import NAME


def test_acts_like_the_program(run, ends, tmp_path):
    for name, observation in zip(("start", "goal"), ends):
        np.save(tmp_path / f"{name}.npy", observation)
    command = [sys.executable, "-m", "alps", "plan", run, "--start", tmp_path / "start.npy", "--goal",
               tmp_path / "goal.npy", "--seed", "5", "--json"]
    told = json.loads(subprocess.run(list(map(str, command)), capture_output=True, text=True, check=True).stdout)
    decision = alps.load(run).plan(*ends, seed=5)
    for key in ("action", "route", "psi", "subgoal", "best_costs", "elite_costs"):
        assert np.allclose(getattr(decision, key), told[key], atol=1e-6), key
    assert decision.plan.shape == (len(told["plan"]) // 2, 2) and np.allclose(decision.plan.ravel(), told["plan"], atol=1e-6)
    for key in ("cluster", "target", "goal_cluster", "replanned", "no_route", "kept_plan"):
        assert getattr(decision, key) == told[key], key
    assert decision.total_ms >= decision.search_ms > 0
    # the trace as a dict is what the program prints, but for the times
    trace = decision.trace
    assert list(trace) == list(told) and {k: v for k, v in trace.items() if k != "ms"} == {k: v for k, v in told.items() if k != "ms"}
    assert repr(decision).startswith("<alps.Decision action=[") and "clusters to go" in repr(decision)


def test_trace_outlives_its_decision_and_is_read_only(agent, ends):
    psi = agent.plan(*ends).psi
    other = agent.embed(ends[0])
    assert np.allclose(psi, other, atol=1e-6) and psi.dtype == np.float32
    with pytest.raises(ValueError):
        psi[0] = 1


def test_reset_then_act_equals_act_with_goal(run, dataset, ends):
    """the same seed: the same actions, whether the goal is told once or every time, and as rows of a batch"""
    seen = dataset.observations[:6]
    told_once = alps.load(run)
    told_once.reset(ends[1], seed=3)
    first = [told_once.act(row) for row in seen]
    told_always = alps.load(run)
    assert np.array_equal(first, [told_always.act(row, ends[1], seed=3) for row in seen])
    batch = alps.load(run, threads=2)
    side_by_side = [batch.act(np.stack([row, row]), ends[1], seed=3) for row in seen]
    assert np.array_equal(first, [a[0] for a in side_by_side])
    assert first[0].shape == (2,) and first[0].dtype == np.float32 and np.abs(first).max() <= 1


def test_another_goal_begins_another_episode(run, dataset, ends):
    agent, fresh = alps.load(run), alps.load(run)
    for row in dataset.observations[:5]:
        agent.act(row, ends[1])
    other = dataset.observations[1500]
    assert np.array_equal(agent.act(ends[0], other, seed=8), fresh.act(ends[0], other, seed=8))


def test_batches_do_not_depend_on_threads(run, rows):
    actions = []
    for threads in (1, 2):
        agent = alps.load(run, threads=threads)
        agent.reset(rows[:32], seed=1)
        actions.append([agent.act(rows[32:]) for _ in range(2)])
    assert np.array_equal(*actions) and np.array(actions[0]).shape == (2, 32, 2)
    assert [d.cluster for d in agent.plan(rows[32:])] == [alps.load(run).plan(r, rows[0]).cluster for r in rows[32:]]


def test_embed_and_distance(agent, rows, run):
    psi = agent.embed(rows)
    assert psi.shape == (64, 32) and psi.dtype == np.float32
    assert np.allclose(agent.embed(rows[3]), psi[3], atol=1e-6)
    assert np.allclose(agent.embed(rows.astype(np.float64)), psi, atol=1e-5)
    assert agent.distance(rows[0], rows[1]) == pytest.approx(np.linalg.norm(psi[0] - psi[1]), rel=1e-4)
    assert agent.distance(rows, rows[0]).shape == (64,) and agent.distance(rows[0], rows[0]) == 0
    assert np.allclose(agent.distance(rows[:8], rows[8:16]), np.linalg.norm(psi[:8] - psi[8:16], axis=1), rtol=1e-4)
    assert agent.centers.shape == (run.config["settings"]["clusters"], 32) and (np.diff(agent.eigenvalues) >= 0).all()


def test_arrays_of_other_libraries_are_not_copied(agent, rows):
    for values in (rows, torch.from_numpy(rows)):
        taken, batch = rows_of(values, (2,), "rows")
        assert batch and np.shares_memory(taken, rows)
    tensor = torch.from_numpy(rows)
    assert np.array_equal(agent.embed(tensor), agent.embed(rows))
    assert np.array_equal(agent.act(tensor[0], tensor[1], seed=0), agent.clone().act(rows[0].tolist(), rows[1].tolist(), seed=0))
    assert torch.from_dlpack(agent.embed(rows)).shape == (64, 32)
    assert np.array_equal(agent.embed(tensor.T.contiguous().T), agent.embed(rows))  # not contiguous: copied, not refused
    with pytest.raises(alps.UsageError, match="without a gradient"):
        agent.embed(tensor.clone().requires_grad_())


def test_sample_actions_in_an_evaluation_loop_as_ogbench_has_it(agent):
    """keywords observations, goals, seed and temperature; the environment is told tasks by options; no reset of the agent"""
    import ogbench

    env = ogbench.make_env_and_datasets(NAME, env_only=True)
    np.random.seed(0)
    successes = []
    for task in (3, 4):
        observation, info = env.reset(seed=task, options=dict(task_id=task, render_goal=False))
        goal, done = info["goal"], False
        while not done:
            key = np.random.randint(0, 2**32, 2, dtype=np.uint32)  # what a JAX key looks like
            action = np.array(agent.sample_actions(observations=observation, goals=goal, temperature=0, seed=key))
            observation, _, terminated, truncated, info = env.step(np.clip(action, -1, 1))
            done = terminated or truncated
        successes.append(info["success"])
    assert successes == [1.0, 1.0]


def test_errors_say_what_is_wrong(run, agent, rows, tmp_path):
    assert issubclass(alps.UsageError, ValueError) and issubclass(alps.UsageError, alps.Error)
    assert issubclass(alps.Error, RuntimeError)
    with pytest.raises(alps.Error, match="no such file; train a run first|config.json"):
        alps.load(tmp_path)
    with pytest.raises(alps.UsageError, match="no goal yet"):
        agent.act(rows[0])
    with pytest.raises(alps.UsageError, match=r"shape \(3,\)"):
        agent.act(np.zeros(3), rows[0])
    with pytest.raises(alps.Error, match="not finite"):
        agent.act(np.array([np.nan, 0]), rows[0])
    with pytest.raises(alps.UsageError, match="batch of goals"):
        agent.act(rows[0], rows)
    with pytest.raises(alps.UsageError, match="2 observations for 1 episodes"):
        agent.reset(rows[0])
        agent.act(rows[:2])
    with pytest.raises(alps.UsageError, match="did you mean 'cem\\+prior'"):
        alps.load(run, variant="cem+prio")
    with pytest.raises(alps.UsageError, match="did you mean 'samples'"):
        alps.load(run, sample=3)
    for wrong in (dict(samples=0), dict(samples=1.5), dict(budget_ms=-1), dict(keep_plan="maybe"), dict(precision="fp99"), dict(sigma=[1])):
        with pytest.raises(alps.UsageError, match=next(iter(wrong))):
            alps.load(run, **wrong)
    with pytest.raises(alps.UsageError, match="numbers are expected"):
        agent.embed(np.array(["a", "b"]))


def test_settings_reach_the_search(run, ends):
    assert alps.load(run, horizon=4, iterations=2).plan(*ends).plan.shape == (4, 2)
    assert len(alps.load(run, iterations=5).plan(*ends).best_costs) == 5
    assert len(alps.load(run, variant="dijkstra+prior").plan(*ends).best_costs) == 0
    assert alps.load(run, clusters=1).centers.shape == (1, 32)
    agent = alps.load(run, samples=np.int64(7), sigma=np.float32(0.5), keep_elites=False, precision="fp32")
    assert agent.settings | dict(samples=7, sigma=0.5, keep_elites=False, precision="fp32") == agent.settings
    assert alps.load(run, planner="paper").settings["samples"] == 500
    # every setting is explained
    for key in agent.settings:
        assert f"  {key} " in alps.load.__doc__


def test_a_run_without_a_graph_is_refused(run, tmp_path):
    other = shutil.copytree(run.folder, tmp_path / "run")
    (other / "graph.npz").unlink()
    with pytest.raises(alps.Error, match="graph.npz.*alps train"):
        alps.load(other)


def test_agents_can_be_pickled(run, rows):
    """for worker processes: the same run, settings and seed"""
    agent = alps.load(run, variant="dijkstra+cem", samples_alone=20, seed=5)
    copy = pickle.loads(pickle.dumps(agent))
    assert copy.variant == "dijkstra+cem" and copy.settings == agent.settings
    assert np.array_equal(copy.act(rows[0], rows[1]), agent.act(rows[0], rows[1]))
    clone = pickle.loads(pickle.dumps(agent.clone(seed=8)))
    assert np.array_equal(clone.act(rows[0], rows[1]), agent.clone(seed=8).act(rows[0], rows[1]))
    code = "import pickle, sys; print(pickle.load(sys.stdin.buffer).settings['samples_alone'])"
    told = subprocess.run([sys.executable, "-c", code], input=pickle.dumps(agent), capture_output=True, check=True)
    assert told.stdout.strip() == b"20"


def test_the_interpreter_goes_on_while_planning(run, ends):
    slow = alps.load(run, samples=3000, iterations=20)
    slow.reset(ends[1])
    ticks, stop = [], threading.Event()

    def tick():
        while not stop.wait(0.001):
            ticks.append(time.monotonic())

    thread = threading.Thread(target=tick)
    thread.start()
    began = time.monotonic()
    slow.act(ends[0])
    ended = time.monotonic()
    stop.set()
    thread.join()
    assert sum(began < t < ended for t in ticks) >= 10, f"{ended - began:.3f} s"


def test_threads_on_one_agent(run, rows):
    """planning at once is refused in words, embedding works, and clones plan side by side"""
    slow = alps.load(run, samples=3000, iterations=20)
    slow.reset(rows[0])
    refused, psi = [], []
    began = threading.Event()

    def other():
        began.wait()
        deadline = time.monotonic() + 20
        while not refused and time.monotonic() < deadline:
            psi.append(slow.embed(rows))
            try:
                slow.act(rows[1])
            except alps.Error as error:
                refused.append(str(error))

    thread = threading.Thread(target=other)
    thread.start()
    began.set()
    mine = []
    while thread.is_alive():
        try:
            slow.act(rows[2])
        except alps.Error as error:
            mine.append(str(error))
    thread.join()
    assert all("another thread is using this agent" in words and "clone()" in words for words in refused + mine)
    assert refused + mine and all(np.array_equal(psi[0], p) for p in psi)

    quick = alps.load(run)
    clones = [quick.clone() for _ in range(4)]
    results = [None] * 4

    def work(i):
        clones[i].reset(rows[0], seed=1)
        results[i] = [clones[i].act(row) for row in rows[:10]]

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert all(np.array_equal(results[0], r) for r in results)


def resident_bytes():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096


def test_ten_thousand_calls_leave_nothing_behind(run, rows):
    agent = alps.load(run, variant="dijkstra+prior")
    env = alps.make_env("pointmaze-medium-v0")
    env.reset(seed=0)
    refused = [0]

    def call(i):
        agent.act(rows[i % 64], rows[i // 100 % 64])
        decision = agent.plan(rows[i % 64])
        agent.embed(rows)
        agent.distance(rows[0], rows[i % 64])
        env.step(decision.action)
        try:
            agent.act(np.zeros(5))
        except alps.UsageError:
            refused[0] += 1
        if i % 500 == 0:
            agent.clone().reset(rows[0])
            env.reset(seed=i)

    for i in range(2000):
        call(i)
    before = resident_bytes()
    for i in range(10_000):
        call(i)
    grown = resident_bytes() - before
    assert refused == [12_000]
    assert grown < 4e6, f"{grown / 1e6:.1f} MB more after 10,000 calls"
