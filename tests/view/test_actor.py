"""The page of a run that learned no map and does not plan (goal-conditioned behaviour cloning): the world and the policy that
acts in it, without the controls of a planner."""
import subprocess

import numpy as np
import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait
from served import ALPS, Served


def train(source, out, *more):
    done = subprocess.run([ALPS, "train", str(source), "--method", "gcbc", "--out", str(out), "--threads", "1", "--set",
                           "actor_steps=300", "--set", "actor_width=64", *map(str, more)], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    return out


@pytest.fixture(scope="module")
def cloned(small_run, tmp_path_factory):
    data = small_run.parent
    page = Served(train("pointmaze-medium-navigate-v0", tmp_path_factory.mktemp("cloned") / "run", "--data_dir", data))
    yield page
    page.stop()


def test_the_program_tells_what_there_is(cloned):
    about = cloned.ask("GET", "/api/run")[1]
    assert about["method"] == "gcbc" and about["space"] == "" and about["dimensions"] == 0
    assert about["graph"] is None and about["planner"] is None and about["axes"] == ["place:0", "place:1"]
    samples = np.frombuffer(cloned.ask("GET", "/api/samples")[1], np.float32)
    assert len(samples) == 2 * about["states"]  # places, and nothing else
    session = cloned.session()
    state = cloned.ask("POST", session + "/place", {"task": 3})[1]
    assert set(state["settings"]) == {"seed", "axes"}
    for _ in range(3):
        state = cloned.ask("POST", session + "/step")[1]
    assert state["moment"]["step"] == 3 and len(state["path"]) == 4 and state["path"][0] != state["path"][3]
    assert len(state["moment"]["action"]) == 2 and state["moment"]["goal_cluster"] == -1 and state["moment"]["route"] == []
    # what it does not have is refused
    for change in ({"samples": 10}, {"samples": None}, {"variant": "cem"}, {"planner": "paper"}):
        status, answer = cloned.ask("POST", session + "/settings", change)
        assert status == 400 and "does not plan" in answer["error"], answer
    assert cloned.ask("POST", session + "/settings", {"axes": ["psi:0", "psi:0"]})[0] == 400
    assert cloned.ask("POST", session + "/settings", {"seed": 4})[1]["settings"]["seed"] == 4
    # a goal of one's own
    state = cloned.ask("POST", session + "/place", {"start": [0, 0], "goal": [4, 0]})[1]
    assert state["task"] == 0 and state["moment"]["preview"]


def test_the_page_hides_what_means_nothing(cloned, browser):
    browser.get(cloned.address)
    until = WebDriverWait(browser, 60, poll_frequency=0.1).until
    until(lambda b: b.execute_script("return document.body.dataset.step") is not None)
    shown = lambda css: [e for e in browser.find_elements(By.CSS_SELECTOR, css) if e.is_displayed()]
    assert not shown("[data-layer]") and not shown("#variant, #planner, #shown, #close, #chart-cost, #chart-distance, .scale, .key.plan, details")
    assert shown("#map") and shown("#play") and shown("#seed") and shown("#chart-time")
    assert "psi" not in browser.find_element(By.TAG_NAME, "body").text
    assert "gcbc" in browser.find_element(By.ID, "facts").text
    # a key of a hidden layer does nothing
    browser.find_element(By.TAG_NAME, "body").send_keys("1246")
    # states, walls, start and goal
    colors = browser.execute_script("""
      const c = document.getElementById('map'), d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data, seen = new Set();
      for (let i = 0; i < d.length; i += 4 * 97) seen.add((d[i] << 16) + (d[i + 1] << 8) + d[i + 2]);
      return seen.size""")
    assert colors >= 4
    browser.find_element(By.ID, "play").click()
    until(lambda b: int(b.execute_script("return document.body.dataset.step")) >= 5)
    assert "gcbc does not plan" in browser.find_element(By.ID, "decision-text").text
    assert not [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]


def test_data_without_an_environment(tmp_path, browser):
    """numbers that are no places: the first two columns are looked at, and one decision is shown"""
    rng = np.random.default_rng(0)
    np.savez(tmp_path / "own.npz", observations=rng.normal(size=(3000, 3)).astype(np.float32),
             actions=rng.uniform(-1, 1, (3000, 2)).astype(np.float32), terminals=np.arange(3000) % 300 == 299)
    page = Served(train(tmp_path / "own.npz", tmp_path / "run"))
    try:
        about = page.ask("GET", "/api/run")[1]
        assert about["axes"] == ["observation:0", "observation:1"] and about["world"] is None and not about["places"]
        state = page.ask("GET", page.session())[1]
        assert state["start"]["index"] != state["goal"]["index"] and len(state["moment"]["action"]) == 2
        browser.get(page.address)
        WebDriverWait(browser, 60).until(lambda b: b.execute_script("return document.body.dataset.step") == "0")
        assert not [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]
    finally:
        page.stop()
