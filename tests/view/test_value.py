"""The page of a baseline that learned a value: colours show it, from every state to the goal."""
import subprocess

import numpy as np
import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait
from served import ALPS, Served


@pytest.fixture(scope="module", params=["hiql", "gas"])
def valued(request, tmp_path_factory):
    rng = np.random.default_rng(0)
    folder = tmp_path_factory.mktemp("valued")
    np.savez(folder / "walk.npz", observations=rng.normal(size=(3000, 3)).cumsum(0).astype(np.float32),
             actions=rng.uniform(-1, 1, (3000, 2)).astype(np.float32), terminals=np.arange(3000) % 300 == 299)
    done = subprocess.run([ALPS, "train", str(folder / "walk.npz"), "--method", request.param, "--out", str(folder / "run"), "--threads", "1", "--set",
                           "agent_steps=60", "--set", "agent_batch=32", "--set", "value_width=24", "--set", "actor_width=24"],
                          capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    page = Served(folder / "run")
    page.method = request.param
    yield page
    page.stop()


def test_the_program_tells_the_value(valued):
    about = valued.ask("GET", "/api/run")[1]
    assert about["method"] == valued.method and about["dimensions"] == 0
    assert about["value"].startswith("value V" if valued.method == "hiql" else "distance -|phi")
    values = [np.frombuffer(valued.ask("GET", f"/api/value?goal={goal}")[1], np.float32) for goal in (3, 500)]
    assert all(v.shape == (about["states"],) and np.isfinite(v).all() and v.std() > 0 for v in values)
    assert not np.array_equal(*values)
    for wrong in ("", "-1", "1e3", str(about["states"])):
        assert valued.ask("GET", f"/api/value?goal={wrong}")[0] == 400


def test_the_page_colours_by_it(valued, browser):
    browser.get(valued.address)
    until = WebDriverWait(browser, 60, poll_frequency=0.1).until
    until(lambda b: b.execute_script("return document.body.dataset.step") == "0")
    button = browser.find_element(By.CSS_SELECTOR, '[data-layer="distance"]')
    value = "V(s, phi([s; g]))" if valued.method == "hiql" else "|phi(s) - phi(g)|"
    assert button.is_displayed() and value in browser.find_element(By.CSS_SELECTOR, ".scale").text
    says = "hiql does not plan" if valued.method == "hiql" else "in the distance that gas learned"
    until(lambda b: says in b.find_element(By.ID, "decision-text").text)
    colors = lambda b: b.execute_script("""
      const c = document.getElementById('map'), d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data, seen = new Set();
      for (let i = 0; i < d.length; i += 4 * 53) seen.add((d[i] << 16) + (d[i + 1] << 8) + d[i + 2]);
      return seen.size""")
    until(lambda b: colors(b) >= 30)  # a scale, and not one colour for all
    assert not [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]
