"""The scene in three dimensions: of an arm, whose world has no plane and no places to choose, and of an ant, in a browser."""
import subprocess

import numpy as np
import pytest
from PIL import Image
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait
from served import ALPS, Served
from test_actor import train


def page_of(name, folder):
    subprocess.run([ALPS, "data", "make", name, "--episodes", "2", "--data_dir", str(folder)], check=True, capture_output=True, timeout=300)
    return Served(train(name, folder / "run", "--data_dir", folder))


@pytest.fixture(scope="module")
def arm(tmp_path_factory):
    page = page_of("scene-play-v0", tmp_path_factory.mktemp("arm"))
    yield page
    page.stop()


@pytest.fixture(scope="module")
def ant(tmp_path_factory):
    page = page_of("antmaze-medium-navigate-v0", tmp_path_factory.mktemp("ant"))
    yield page
    page.stop()


def test_an_arm_plays_its_tasks(arm):
    about = arm.ask("GET", "/api/run")[1]
    world, scene = about["world"], about["scene"]
    assert world["bounds"] is None and len(world["tasks"]) == 5 and not world["starts"] and not world["goals"]
    moving = len(scene["parts"]) - len(scene["still"])
    session = arm.session()
    state = arm.ask("POST", session + "/place", {"task": 2})[1]
    before = np.array(state["moment"]["scene"]["poses"]).reshape(-1, 7)
    assert before.shape[0] == moving > 20 and state["task"] == 2
    assert state["moment"]["scene"]["buttons"] in ([True, True], [True, False], [False, True], [False, False])
    # the cube, the parts of drawer and window, and the buttons; not the arm
    assert len(state["goal_poses"]) == 7 * sum(part["goal"] for part in scene["parts"]) > 0
    for _ in range(5):
        state = arm.ask("POST", session + "/step")[1]
    after = np.array(state["moment"]["scene"]["poses"]).reshape(-1, 7)
    assert state["moment"]["step"] == 5 and np.abs(after - before).max() > 1e-3
    np.testing.assert_allclose(np.linalg.norm(after[:, 3:], axis=1), 1, atol=1e-3)
    # start and goal are those of the tasks
    for body in ({"goal": 3}, {"start": 3}, {"task": 6}):
        status, answer = arm.ask("POST", session + "/place", body)
        assert status == 400 and "task" in answer["error"], answer


def test_meshes_have_all_their_corners(arm):
    scene = arm.ask("GET", "/api/run")[1]["scene"]
    corners = np.frombuffer(arm.ask("GET", "/api/meshes")[1], np.float32).reshape(-1, 6)
    assert len(corners) == sum(scene["meshes"]) > 10_000
    assert all(scene["meshes"][part["mesh"]] > 0 for part in scene["parts"] if "mesh" in part)
    np.testing.assert_allclose(np.linalg.norm(corners[:, 3:], axis=1), 1, atol=1e-3)


def colors(element, path):
    element.screenshot(str(path))
    pixels = np.asarray(Image.open(path).convert("RGB")).reshape(-1, 3)
    return {tuple(color) for color in pixels[:: 3]}


def test_an_ant_is_drawn_and_turned(ant, browser, tmp_path):
    browser.get(ant.address)
    until = WebDriverWait(browser, 60, poll_frequency=0.2).until
    until(lambda b: b.execute_script("return document.body.dataset.step") == "0")
    canvas = browser.find_element(By.ID, "body")
    assert canvas.is_displayed() and not browser.find_element(By.ID, "no-webgl").is_displayed()
    picture = tmp_path / "canvas.png"
    until(lambda b: len(colors(canvas, picture)) > 100)  # shaded limbs, and not a floor alone
    before = picture.read_bytes()
    browser.execute_script("""
      const canvas = document.getElementById('body'), send = (type, x) => canvas.dispatchEvent(new PointerEvent(type, {clientX: x, clientY: 9, pointerId: 1}));
      canvas.setPointerCapture = () => {};
      send('pointerdown', 0); send('pointermove', 80); send('pointerup', 80);""")
    until(lambda b: canvas.screenshot(str(picture)) and picture.read_bytes() != before)
    assert not [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]
