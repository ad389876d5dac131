"""alps.view: the page of a run that acts in an environment of the user's own, which lives in the Python process."""
import os
import pathlib
import re
import signal
import struct
import subprocess
import sys
import time

import gymnasium
import numpy as np
import pytest

import alps

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/view"))
from served import Served, open_browser  # noqa: E402
from shown_world import Drawn, place  # noqa: E402


class Shown(Served):
    """the page of a script that calls alps.view"""

    def __init__(self, run, *how):
        self.process = subprocess.Popen([sys.executable, ROOT / "tests/python/shown_world.py", str(run), *how], stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True)
        found = re.search(r"http://127\.0\.0\.1:(\d+)/", self.process.stdout.readline())
        assert found, self.process.stderr.read()
        self.port = int(found[1])
        self.address = f"http://127.0.0.1:{self.port}/"

    def to_the_end(self, session):
        for _ in range(300):
            state = self.ask("POST", session + "/step")[1]
            if state["moment"]["done"]:
                return state
        raise AssertionError("no end in 300 steps")


def shown(run, *how):
    page = Shown(run, *how)
    yield page
    page.stop()


@pytest.fixture(scope="module")
def page(run):
    yield from shown(run, "placed", "judged")


def test_acts_in_the_environment_of_this_process(page, dataset):
    about = page.ask("GET", "/api/run")[1]
    world = about["world"]
    assert world["starts"] and world["judges"] and world["pictures"] and world["bounds"] is None and len(world["tasks"]) == 1
    # columns that move as a position does are looked at first
    assert about["axes"] == ["observation:0", "observation:1"]
    session = page.session()
    x = np.frombuffer(page.ask("GET", "/api/column?index=0")[1], np.float32)
    y = np.frombuffer(page.ask("GET", "/api/column?index=1")[1], np.float32)
    start, goal = (int(np.argmin((x - a) ** 2 + (y - b) ** 2)) for a, b in ((0, 0), (8, 0)))
    state = page.ask("POST", session + "/place", {"start": start, "goal": goal})[1]
    # what the agent was loaded with is what the page begins with
    assert state["settings"]["variant"] == "dijkstra+cem" and state["settings"]["values"]["samples"] == 48
    assert state["path"] == [pytest.approx([x[start], y[start]], abs=1e-3)] and state["moment"]["preview"]
    state = page.to_the_end(session)
    assert state["moment"]["success"], state["events"]
    assert np.hypot(*(np.array(state["path"][-1]) - [x[goal], y[goal]])) <= 1.001
    # the same steps as in this process
    env = Drawn(alps.make_env("pointmaze-medium-v0", terminate_at_goal=False))
    assert place(env, np.array([x[start], y[start]])) == pytest.approx([x[start], y[start]], abs=1e-6)
    assert state["moment"]["step"] == len(state["path"]) - 1 and "goal reached" in state["events"][-1]["text"]


def test_goals_that_the_environment_names(page):
    session = page.session()
    state = page.ask("POST", session + "/place", {"task": 1})[1]
    assert state["task"] == 1
    other = page.ask("POST", session + "/settings", {"seed": 5})[1]
    assert other["goal"]["point"] != state["goal"]["point"]  # another seed, another task of OGBench's five
    assert page.ask("POST", session + "/settings", {"seed": 0})[1]["goal"] == state["goal"]
    assert page.ask("POST", session + "/place", {"task": 2})[0] == 400


def test_pictures_are_of_now(page):
    session = page.session()
    page.ask("POST", session + "/place", {"task": 1})
    first = page.ask("GET", session + "/picture")[1]
    assert first[:8] == b"\x89PNG\r\n\x1a\n" and struct.unpack(">II", first[16:24]) == (300, 350)
    assert page.ask("GET", session + "/picture")[1] == first
    for _ in range(10):
        page.ask("POST", session + "/step")
    assert page.ask("GET", session + "/picture")[1] != first


def test_the_page_that_began_last_has_the_environment(page):
    one, two = page.session(), page.session()
    status, answer = page.ask("POST", one + "/step")
    assert status == 400 and "another page" in answer["error"]
    assert page.ask("GET", one + "/picture")[0] == 400
    # asked once more, it begins anew, and the other has lost it
    assert page.ask("POST", one + "/step")[1]["moment"]["step"] == 1
    assert page.ask("POST", two + "/step")[0] == 400


def test_without_place_and_test_of_success(run):
    for page in shown(run):
        world = page.ask("GET", "/api/run")[1]["world"]
        assert not world["starts"] and not world["judges"]
        session = page.session()
        status, answer = page.ask("POST", session + "/place", {"start": 3, "goal": 4})
        assert status == 400 and "place=" in answer["error"]
        state = page.ask("POST", session + "/place", {"goal": 4})[1]
        assert state["goal"]["index"] == 4 and state["task"] == 0
        # the nearest state of the data stands for a start that nobody chose
        x = np.frombuffer(page.ask("GET", "/api/column?index=0")[1], np.float32)
        assert abs(x[state["start"]["index"]] - state["start"]["point"][0]) < 1.5
        # nobody says when it has arrived
        page.ask("POST", session + "/place", {"goal": state["start"]["index"]})
        state = page.ask("POST", session + "/step")[1]
        assert not state["moment"]["done"]


def test_an_environment_that_breaks_is_told_of_and_begun_anew(run):
    for page in shown(run, "fails"):
        session = page.session()
        assert [page.ask("POST", session + "/step")[0] for _ in range(2)] == [200, 200]
        status, answer = page.ask("POST", session + "/step")
        assert status == 500 and "ValueError: the motor has come off" in answer["error"]
        assert page.ask("POST", session + "/step")[1]["moment"]["step"] == 1
        page.process.send_signal(signal.SIGINT)
        assert "shown_world.py" in page.process.communicate(timeout=30)[1]  # where it happened, on the terminal


def test_an_environment_that_ends_the_episode(run):
    for page in shown(run, "ends"):
        state = page.to_the_end(page.session())
        assert state["moment"]["step"] == 3 and not state["moment"]["success"]
        assert state["events"][-1]["text"] == "the environment ended the episode after 3 steps"


def program_of(page):
    """the program's process, a child of the script's"""
    return int(subprocess.run(["ps", "-o", "pid=", "--ppid", str(page.process.pid)], capture_output=True, text=True).stdout)


def gone(pid):
    for _ in range(100):
        if not os.path.exists(f"/proc/{pid}") or " Z " in pathlib.Path(f"/proc/{pid}/stat").read_text():
            return True
        time.sleep(0.1)
    return False


def test_ctrl_c_ends_both_and_the_script_goes_on(run):
    page = Shown(run)
    program = program_of(page)
    page.process.send_signal(signal.SIGINT)
    said = page.process.communicate(timeout=30)
    assert page.process.returncode == 0 and said[0] == "over\n" and "Traceback" not in said[1] and gone(program)


def test_no_program_outlives_its_script(run):
    page = Shown(run)
    program = program_of(page)
    page.stop(signal.SIGKILL)
    assert gone(program)


def test_in_a_browser(page, run, tmp_path):
    from selenium.webdriver.common.by import By
    from selenium.webdriver.support.ui import WebDriverWait

    browser = open_browser(tmp_path / "profile")
    try:
        until = WebDriverWait(browser, 60, poll_frequency=0.1).until
        element = lambda name: browser.find_element(By.ID, name)
        browser.get(page.address)
        until(lambda _: browser.execute_script("return document.body.dataset.step") == "0")
        assert "own states" not in browser.page_source and element("mode-start").is_displayed()
        assert not browser.find_element(By.CSS_SELECTOR, "[data-layer=traps]").is_displayed()  # nobody knows a floor plan
        until(lambda _: browser.execute_script("return document.getElementById('camera').naturalWidth") == 300)
        before = element("camera").get_attribute("src")
        browser.execute_script("const s = document.getElementById('speed'); s.value = 7; s.dispatchEvent(new Event('input'))")
        element("play").click()
        until(lambda _: browser.execute_script("return document.body.dataset.done"))
        until(lambda _: element("verdict").is_displayed())  # it fades in
        assert element("camera").get_attribute("src") != before
        assert not [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]
        # an environment that begins where it likes
        for other in shown(run):
            browser.get(other.address)
            until(lambda _: browser.execute_script("return document.body.dataset.step") == "0")
            assert not element("mode-start").is_displayed() and element("mode-goal").is_displayed()
    finally:
        browser.quit()


def test_wrong_use(run, dataset):
    env = alps.make_env("pointmaze-medium-v0")
    cases = [(dict(port=70000), "port"), (dict(tolerance=0.5), "give env= too"), (dict(max_steps=5), "give env= too"),
             (dict(env=env, success=3), "success"), (dict(env=gymnasium.make("MountainCarContinuous-v0"), observe=lambda o: [*o, 0]), "(3,)")]
    for how, words in cases:
        with pytest.raises(alps.UsageError, match=re.escape(words)):
            alps.view(run, **how)
    with pytest.raises(alps.UsageError, match="clusters"):
        alps.view(alps.load(run, clusters=4))
    # the same number of columns, but other actions
    with pytest.raises(alps.UsageError, match="an action of 2 numbers"):
        alps.view(run, gymnasium.make("MountainCarContinuous-v0"))
    with pytest.raises(alps.Error, match="nothing-here"):
        alps.view("nothing-here")
