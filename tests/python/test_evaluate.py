"""alps.evaluate: any Gymnasium environment, goals and tests of success from three sources each."""
import math
import subprocess

import gymnasium
import numpy as np
import pytest

import alps


class Field(gymnasium.Env):
    """A point on a plane that each step moves by the action; a wall at x = 5 ends the episode."""

    metadata = {"render_modes": ["rgb_array"], "render_fps": 20}
    observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (3,), np.float64)
    action_space = gymnasium.spaces.Box(-0.5, 0.5, (2,), np.float64)

    def __init__(self, render_mode=None):
        self.render_mode = render_mode

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place = np.array((options or {}).get("start", self.np_random.uniform(-1, 1, 2)), float)
        return self.seen(), {}

    def seen(self):
        return np.append(self.place, 7.0)

    def step(self, action):
        assert self.action_space.contains(action)
        self.place = self.place + action
        return self.seen(), 0.0, bool(self.place[0] > 5), False, {}

    def render(self):
        if self.render_mode is None:
            return None
        frame = np.full((33, 48, 3), 255, np.uint8)
        i, j = np.clip(self.place * 4 + 12, 0, 30).astype(int)
        frame[i:i + 3, j:j + 3] = 0
        return frame


def straight(observation, goal):
    return goal[:2] - observation[:2]


def test_goals_by_array_and_success_by_distance():
    goals = np.array([[3, 0, 7], [0, 3, 7], [-2, -2, 7]], np.float32)
    result = alps.evaluate(straight, Field(), goals, columns=[0, 1], tolerance=0.1, max_steps=30)
    assert [e.success for e in result.episodes] == [True] * 3
    assert all(np.linalg.norm(e.last[:2] - e.goal[:2]) <= 0.1 for e in result.episodes)
    assert result.successes == 3 and result.census == {} and result.mean_steps == np.mean([e.steps for e in result.episodes])
    # an action is at most 0.5 each way: the steps are those that the largest difference needs
    assert [e.steps for e in result.episodes] == [math.ceil(np.abs(e.goal - e.start)[:2].max() / 0.5 - 0.2)
                                                  for e in result.episodes]


def test_interval_is_wilsons():
    goals = np.array([[2.0, 0, 7], [4.0, 0, 7]])
    result = alps.evaluate(straight, Field(), goals, 10, columns=slice(0, 2), tolerance=0.1, max_steps=6)
    assert result.successes == 5
    # Wilson's interval for 5 of 10, from its formula
    z = 1.959963984540054
    half = z * math.sqrt(0.25 / 10 + z * z / 400) / (1 + z * z / 10)
    assert result.interval == pytest.approx((0.5 - half, 0.5 + half), abs=1e-12)
    assert "5 of 10 goals reached: 50.0 %" in str(result)


def test_failures_have_causes():
    def evaluated(policy, goal):
        return alps.evaluate(policy, Field(), np.array([goal]), 2, columns=[0, 1], tolerance=0.1, max_steps=20)

    assert evaluated(lambda o, g: np.zeros(2), [3, 3, 7]).census == {"stuck in one place": 2}
    assert evaluated(lambda o, g: np.array([0, -0.4]), [3, 3, 7]).census == {"out of time": 2}
    assert evaluated(lambda o, g: np.array([0.5, 0]), [3, 3, 7]).census == {"ended by the environment": 2}
    assert math.isnan(evaluated(lambda o, g: np.zeros(2), [3, 3, 7]).mean_steps)


def test_a_seed_gives_the_same_episodes_and_another_seed_others():
    def evaluated(seed):
        return alps.evaluate(straight, Field(), lambda rng: [*rng.uniform(-4, 4, 2), 7], 8, tolerance=0.1, columns=[0, 1],
                             max_steps=10, seed=seed)

    first, again, other = evaluated(3), evaluated(3), evaluated(4)
    assert first == again
    assert all(np.array_equal(a.goal, b.goal) and np.array_equal(a.start, b.start)
               for a, b in zip(first.episodes, again.episodes))
    assert not any(np.array_equal(a.goal, b.goal) for a, b in zip(first.episodes, other.episodes))


def test_options_place_the_start_and_tolerances_are_for_each_column():
    starts = [dict(start=(0.0, 0.0)), dict(start=(1.0, 1.0))]
    result = alps.evaluate(straight, Field(), np.array([[2.0, 0, 7]]), 4, options=starts, columns=[0, 1], tolerance=[0.1, 1.5],
                           max_steps=10)
    assert [tuple(e.start[:2]) for e in result.episodes] == [(0, 0), (1, 1), (0, 0), (1, 1)]
    assert [e.steps for e in result.episodes] == [4, 2, 4, 2]


def test_discrete_actions_are_the_largest_of_one_hot_actions():
    env = gymnasium.make("Acrobot-v1")
    actions = []

    def pump(observation, goal):
        action = np.zeros(3)
        action[2 if observation[5] > 0 else 0] = 1
        actions.append(action)
        return action

    def high(observation, goal, info):
        c1, s1, c2, s2 = observation[:4]
        return -c1 - (c1 * c2 - s1 * s2) > 0.5

    result = alps.evaluate(pump, env, np.tile([-1.0, 0, 1, 0, 0, 0], (3, 1)), success=high)
    assert result.successes == 3 and len(actions) == sum(e.steps for e in result.episodes)
    with pytest.raises(alps.UsageError, match="3 actions, but the agent's action has 2"):
        alps.evaluate(lambda o, g: np.zeros(2), env, np.zeros((1, 6)), success=high)


def test_a_planner_in_an_environment_that_names_its_goals(agent):
    env = alps.make_env("pointmaze-medium-v0", max_episode_steps=40)
    result = alps.evaluate(agent, env, episodes=4, seed=1)
    assert result == alps.evaluate(agent, env, episodes=4, seed=1)
    assert len(result.episodes) == 4 and all(len(e.decision_ms) == e.steps for e in result.episodes)
    assert sum(result.census.values()) == 4 - result.successes
    assert result.decision_ms > 0
    for episode in result.episodes:
        assert episode.success == (np.linalg.norm(episode.last[:2] - episode.goal[:2]) < 1.0)


def test_desired_goal_of_a_goal_environment_fills_the_columns():
    class GoalField(gymnasium.ObservationWrapper):
        def observation(self, seen):
            return dict(observation=seen, achieved_goal=seen[:2], desired_goal=np.array([1.0, -1.0]))

        def step(self, action):
            *rest, info = super().step(action)
            return *rest, dict(info, is_success=float(np.linalg.norm(rest[0]["achieved_goal"] - [1, -1]) < 0.2))

    result = alps.evaluate(straight, GoalField(Field()), episodes=3, columns=[0, 1], max_steps=20)
    assert result.successes == 3
    assert all(np.array_equal(e.goal, [1, -1, 7]) for e in result.episodes)
    with pytest.raises(alps.UsageError, match="a goal of shape"):
        alps.evaluate(straight, GoalField(Field()), episodes=1, max_steps=20)


def test_film_from_render(tmp_path):
    goals = np.array([[3.0, 0, 7]])
    film = tmp_path / "films" / "field.mp4"
    result = alps.evaluate(straight, Field("rgb_array"), goals, 3, columns=[0, 1], tolerance=0.1, max_steps=30, film=film,
                           film_episodes=2)
    frames = subprocess.run(["ffprobe", "-v", "error", "-count_frames", "-show_entries",
                             "stream=nb_read_frames,width,height", "-of", "csv=p=0", film],
                            capture_output=True, text=True, check=True).stdout.strip()
    assert frames == f"48,34,{sum(e.steps + 1 for e in result.episodes[:2])}"
    assert [p.name for p in film.parent.iterdir()] == ["field.mp4"]


def test_a_film_that_cannot_be_made_leaves_nothing(tmp_path):
    for env, name, message in ((Field(), "a.mp4", "render_mode"), (Field("rgb_array"), "a.gif", "a film is a file.mp4")):
        with pytest.raises(alps.UsageError, match=message):
            alps.evaluate(straight, env, np.zeros((1, 3)), columns=[0, 1], tolerance=0.1, max_steps=3, film=tmp_path / name)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("arguments, message", [
    (dict(goals=np.zeros((1, 3)), max_steps=5), "need a test of success"),
    (dict(goals=np.zeros((1, 3)), tolerance=0.1), "no limit of its own"),
    (dict(goals=np.zeros(3), tolerance=0.1, max_steps=5), "one row"),
    (dict(goals=np.zeros((1, 2)), tolerance=0.1, max_steps=5), "a goal of shape"),
    (dict(goals=np.zeros((1, 3)), tolerance=-1, max_steps=5), "tolerance"),
    (dict(goals=np.zeros((1, 3)), tolerance=[1, 2], max_steps=5), "2 numbers for 3 columns"),
    (dict(goals=np.zeros((1, 3)), tolerance=0.1, max_steps=5, episodes=0), "episodes: 0"),
    (dict(goals=np.zeros((1, 3)), success=0.5, max_steps=5), "success: a function"),
    (dict(max_steps=5), "names no goal"),
])
def test_wrong_use_is_said(arguments, message):
    with pytest.raises(alps.UsageError, match=message):
        alps.evaluate(straight, Field(), **arguments)
    with pytest.raises(alps.UsageError, match="neither an agent"):
        alps.evaluate(3, Field(), np.zeros((1, 3)), tolerance=0.1, max_steps=5)
