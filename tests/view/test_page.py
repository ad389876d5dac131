"""The page in a real browser (Debian's chromium, headless): one opens it, clicks a start and a goal, watches the agent
arrive, changes settings, reloads, and looks with two browsers at once."""
import numpy as np
import pytest
from served import open_browser
from selenium.webdriver import ActionChains, Keys
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select, WebDriverWait

# the page tells how it draws: pixels from the middle of the canvas for a place of the world
PIXELS = """
const c = document.getElementById('map'), [left, base, sx, sy, x0, y0] = c.dataset.view.split(',').map(Number), [x, y] = arguments[0];
return [left + (x - x0) * sx - c.clientWidth / 2, base - (y - y0) * sy - c.clientHeight / 2].map(Math.round);
"""


def wait(browser, condition, seconds=60):
    return WebDriverWait(browser, seconds, poll_frequency=0.1).until(lambda _: condition())


def element(browser, name):
    return browser.find_element(By.ID, name)


def text(browser, name):
    return element(browser, name).text


def session(browser, served):
    """the session of this browser's page, as the program knows it"""
    name = browser.execute_script("return sessionStorage.getItem('alps-session')")
    status, state = served.ask("GET", f"/api/sessions/{name}")
    assert status == 200
    return state


def visit(browser, served):
    browser.get(served.address)
    wait(browser, lambda: browser.execute_script("return document.body.dataset.step") is not None)


def click_map(browser, place):
    dx, dy = browser.execute_script(PIXELS, place)
    ActionChains(browser).move_to_element_with_offset(element(browser, "map"), dx, dy).click().perform()


def near(point, place):
    return abs(point[0] - place[0]) < 0.5 and abs(point[1] - place[1]) < 0.5


@pytest.fixture
def page(browser, served):
    visit(browser, served)
    yield browser
    severe = [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]
    assert not severe


def test_opens_with_the_map(page, served):
    assert "pointmaze-medium-navigate-v0" in page.title
    assert text(page, "run-name") == "pointmaze-medium-navigate-v0"
    # the canvas shows more than one colour: walls, floor and distances
    colors = page.execute_script("""
      const c = document.getElementById('map'), d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data, seen = new Set();
      for (let i = 0; i < d.length; i += 4 * 97) seen.add((d[i] << 16) + (d[i + 1] << 8) + d[i + 2]);
      return seen.size""")
    assert colors > 50
    # nothing comes from elsewhere
    loaded = page.execute_script("return performance.getEntriesByType('resource').map(e => e.name)")
    assert loaded and all(name.startswith(served.address) for name in loaded)


def test_click_start_and_goal_then_play_to_success(page, served):
    start, goal = (0, 0), (20, 20)
    element(page, "mode-start").click()
    click_map(page, start)
    wait(page, lambda: near(session(page, served)["start"]["point"], start))
    # after the start comes the goal
    wait(page, lambda: element(page, "mode-goal").get_attribute("aria-checked") == "true")
    click_map(page, goal)
    state = wait(page, lambda: (s := session(page, served)) and near(s["goal"]["point"], goal) and s)
    # the route is there at once, before anything moves
    route = state["moment"]["route"]
    assert state["moment"]["preview"] and len(route) > 2 and route[-1] == state["moment"]["goal_cluster"]
    wait(page, lambda: "Next: Cluster" in text(page, "decision-text"))

    page.execute_script("const s = document.getElementById('speed'); s.value = 7; s.dispatchEvent(new Event('input'))")
    element(page, "play").click()
    wait(page, lambda: page.execute_script("return document.body.dataset.done") == "success", 90)
    wait(page, lambda: "Goal reached in" in text(page, "verdict"))
    wait(page, lambda: "a route over" in text(page, "log") and "goal reached in" in text(page, "log"))
    state = session(page, served)
    assert state["moment"]["success"] and near(state["path"][0], start)
    # every decision is in the charts' data, with what it imagined
    assert state["moment"]["step"] == len(state["path"]) - 1 > 20
    assert any(i["elite"] for i in state["moment"]["imagined"]) and not all(i["elite"] for i in state["moment"]["imagined"])


def test_dragging_the_goal_moves_the_route(page, served):
    element(page, "restart").click()
    before = session(page, served)
    dx, dy = page.execute_script(PIXELS, before["goal"]["point"])
    to_x, to_y = page.execute_script(PIXELS, (0, 20))
    chain = ActionChains(page).move_to_element_with_offset(element(page, "map"), dx, dy).click_and_hold()
    chain.move_by_offset((to_x - dx) // 2, (to_y - dy) // 2).move_by_offset(to_x - dx - (to_x - dx) // 2, to_y - dy - (to_y - dy) // 2)
    chain.release().perform()
    state = wait(page, lambda: (s := session(page, served)) and near(s["goal"]["point"], (0, 20)) and s)
    # the start of a task lies beside the state that stands for it from now on
    assert state["moment"]["route"] != before["moment"]["route"] and state["start"]["index"] == before["start"]["index"]


def test_single_steps_and_pause(page, served):
    element(page, "restart").click()
    wait(page, lambda: session(page, served)["moment"]["step"] == 0)
    element(page, "step").click()
    ActionChains(page).send_keys(".").perform()
    wait(page, lambda: session(page, served)["moment"]["step"] == 2)
    wait(page, lambda: text(page, "status").startswith("step 2 of"))
    # the slowest speed, then a pause: the number of steps stays
    page.execute_script("const s = document.getElementById('speed'); s.value = 2; s.dispatchEvent(new Event('input'))")
    element(page, "play").click()
    wait(page, lambda: session(page, served)["moment"]["step"] >= 4)
    element(page, "play").click()
    wait(page, lambda: not session(page, served)["playing"])
    step = session(page, served)["moment"]["step"]
    ActionChains(page).pause(0.7).perform()
    assert session(page, served)["moment"]["step"] == step


def test_settings_have_their_effect(page, served):
    element(page, "restart").click()
    Select(element(page, "variant")).select_by_value("dijkstra+prior")
    state = wait(page, lambda: (s := session(page, served)) and s["settings"]["variant"] == "dijkstra+prior" and s)
    assert state["moment"]["imagined"] == [] and state["moment"]["best_costs"] == []
    wait(page, lambda: "no search" in text(page, "settings-note"))
    Select(element(page, "variant")).select_by_value("alps")
    samples = element(page, "set-samples")
    wait(page, samples.is_displayed)
    for name, value in (("samples", "200"), ("iterations", "4"), ("horizon", "7")):
        field = element(page, f"set-{name}")
        field.send_keys(Keys.CONTROL, "a")
        field.send_keys(value, Keys.TAB)
    state = wait(page, lambda: (s := session(page, served)) and s["settings"]["values"]["horizon"] == 7 and s)
    assert state["settings"]["values"]["samples"] == 200
    moment = state["moment"]
    assert len(moment["best_costs"]) == 4 and len(moment["imagined_plan"]) == 2 * (7 + 1)
    assert {len(i["path"]) for i in moment["imagined"]} == {16}
    # the others are under "more", each with a line that says what it does
    page.find_element(By.TAG_NAME, "summary").click()
    switch = element(page, "set-avoid_traps")
    wait(page, switch.is_displayed)
    assert "only if there is no other way" in switch.find_element(By.XPATH, "..").get_attribute("title")
    switch.click()
    wait(page, lambda: session(page, served)["settings"]["values"]["avoid_traps"] is False)
    wait(page, lambda: "own" in switch.get_attribute("class"))  # what was changed is marked
    element(page, "defaults").click()
    state = wait(page, lambda: (s := session(page, served)) and not s["settings"]["own"] and s)
    assert state["settings"]["values"]["samples"] != 200 and state["settings"]["values"]["avoid_traps"] is True
    # a variant shows the settings it uses
    Select(element(page, "variant")).select_by_value("cem")
    wait(page, lambda: element(page, "set-samples_alone").is_displayed() and not samples.is_displayed())
    Select(element(page, "variant")).select_by_value("alps")
    wait(page, samples.is_displayed)


def test_the_keyboards_cursor_may_stand_on_state_0(page, served):
    """a cursor on the very first state is drawn like any other"""
    name = page.execute_script("return sessionStorage.getItem('alps-session')")
    served.ask("POST", f"/api/sessions/{name}/place", {"start": 900, "goal": 0})
    visit(page, served)
    picture = "return document.getElementById('map').toDataURL()"
    page.execute_script("document.getElementById('map').focus()")
    ActionChains(page).pause(0.5).perform()
    before = page.execute_script(picture)
    # the cursor begins at the goal, which is state 0: an arrow and back
    ActionChains(page).send_keys(Keys.ARROW_RIGHT).send_keys(Keys.ARROW_LEFT).pause(0.5).perform()
    assert text(page, "scale-from") == "the cursor"
    assert page.execute_script(picture) != before


def test_other_axes_show_a_scatter(page, served):
    name = page.execute_script("return sessionStorage.getItem('alps-session')")
    served.ask("POST", f"/api/sessions/{name}/place", {"start": 5, "goal": 900})
    visit(page, served)
    Select(element(page, "axis-x")).select_by_value("psi:0")
    Select(element(page, "axis-y")).select_by_value("psi:1")
    state = wait(page, lambda: (s := session(page, served)) and s["settings"]["axes"] == ["psi:0", "psi:1"] and s)
    psi = np.frombuffer(served.ask("GET", "/api/samples")[1], np.float32)
    dimensions = served.ask("GET", "/api/run")[1]["dimensions"]
    for point, index in ((state["path"][0], 5), (state["goal"]["point"], 900)):
        assert np.allclose(point, psi[index * dimensions:][:2], rtol=1e-3, atol=1e-3)
    # a click picks the state under it
    wait(page, lambda: element(page, "map").get_attribute("data-axes") == "psi:0,psi:1")
    click_map(page, psi[77 * dimensions:][:2].tolist())
    wait(page, lambda: np.linalg.norm(np.subtract(session(page, served)["goal"]["point"], psi[77 * dimensions:][:2])) < 5)
    for axis, value in (("axis-x", "place:0"), ("axis-y", "place:1")):
        Select(element(page, axis)).select_by_value(value)
    wait(page, lambda: session(page, served)["settings"]["axes"] == ["place:0", "place:1"])


def test_layers_and_words_on_traps(page):
    for key in "236":
        ActionChains(page).send_keys(key).perform()
    layers = ["distance", "clusters", "graph", "route", "search", "traps"]
    wait(page, lambda: [b.get_attribute("data-layer")
                        for b in page.find_elements(By.CSS_SELECTOR, "[data-layer][aria-pressed=true]")] == layers)
    wait(page, lambda: "No leaps in these data" in text(page, "traps-text"))


def test_reload_keeps_the_episode(page, served):
    element(page, "restart").click()
    for _ in range(3):
        element(page, "step").click()
    before = wait(page, lambda: (s := session(page, served)) and s["moment"]["step"] == 3 and s)
    visit(page, served)
    after = session(page, served)
    assert after["path"] == before["path"] and after["goal"] == before["goal"]
    wait(page, lambda: text(page, "status").startswith("step 3 of"))


def test_two_browsers_have_their_own_episodes(page, served, tmp_path):
    other = open_browser(tmp_path, 420, 900)
    try:
        visit(other, served)
        here = session(page, served)
        ActionChains(other).send_keys("..").perform()
        wait(other, lambda: session(other, served)["moment"]["step"] == 2)
        assert session(page, served)["path"] == here["path"]
        # a phone's width: nothing to be scrolled sideways
        assert other.execute_script("return document.documentElement.scrollWidth <= innerWidth")
    finally:
        other.quit()
