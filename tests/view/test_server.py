"""The server of the page: what it refuses, what it bounds, and how it stops."""
import http.client
import json
import math
import socket
import subprocess
import time

import numpy as np
import pytest
from served import ALPS, Served


def test_serves_only_its_own_files(served):
    for path in ("/../config.json", "/%2e%2e/%2e%2e/etc/passwd", "/page/../../run/config.json", "/config.json", "/model.safetensors",
                 "//etc/passwd", "/api", "/api/nothing", "/main.js/", "/mainxjs", "/api/sessions", "/%00", "/" + "a" * 5000):
        status, answer = served.ask("GET", path)
        assert status in (400, 404), (path, status, answer)
    status, page = served.ask("GET", "/")
    assert status == 200 and b"<title>alps view</title>" in page


def test_other_hosts_and_origins_are_refused(served):
    for host in ("evil.example", f"evil.example:{served.port}", "127.0.0.1.evil.example", ""):
        assert served.ask("GET", "/api/run", headers={"Host": host})[0] == 403
    assert served.ask("GET", "/api/run", headers={"Host": f"localhost:{served.port}"})[0] == 200
    for origin in ("http://evil.example", "null", f"https://127.0.0.1:{served.port}", "http://127.0.0.1:1"):
        assert served.ask("POST", "/api/sessions", headers={"Origin": origin})[0] == 403
    session = served.session()
    good = {"Origin": f"http://127.0.0.1:{served.port}"}
    assert served.ask("POST", session + "/pause", headers=good)[0] == 200
    # a form of another site can not be JSON
    assert served.ask("POST", session + "/pause", headers={"Content-Type": "text/plain"})[0] == 415
    for method in ("PUT", "DELETE", "OPTIONS", "PATCH"):
        assert served.ask(method, session, raw="", headers={"Content-Length": "0"})[0] == 405


def test_large_and_endless_bodies_are_refused(served):
    session = served.session()
    for size in (20_000, 50_000_000):
        connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=30)
        connection.putrequest("POST", session + "/place")
        connection.putheader("Content-Type", "application/json")
        connection.putheader("Content-Length", str(size))
        connection.endheaders()  # the body need not come for the answer
        assert connection.getresponse().status == 413
        connection.close()
    assert served.ask("POST", session + "/place", raw="{}", headers={"Transfer-Encoding": "chunked"})[0] == 411
    for length in ("-1", "1e9", "99999999999999999999999999", "x"):
        assert served.ask("POST", session + "/place", raw="", headers={"Content-Length": length})[0] in (400, 413)


def resident(served):
    """kilobytes that the program holds"""
    with open(f"/proc/{served.process.pid}/status") as status:
        return int(next(line for line in status if line.startswith("VmRSS")).split()[1])


@pytest.mark.parametrize("begin", [b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ", b"GET /", b"GET / HTTP/1.1\r\n"])
def test_an_endless_head_is_cut_off(served, begin):
    before, sent = resident(served), 0
    chunk = b"X: y\r\n" * 10_000 if begin.endswith(b"\n") else b"a" * 60_000
    with socket.create_connection(("127.0.0.1", served.port), timeout=20) as connection:
        connection.sendall(begin)
        with pytest.raises(OSError):
            while sent < 200_000_000:
                connection.sendall(chunk)
                sent += len(chunk)
    assert sent < 20_000_000  # what the sockets' buffers hold
    assert resident(served) - before < 20_000
    assert served.ask("GET", "/api/run")[0] == 200


def test_a_request_that_never_ends_is_given_up(served):
    began = time.monotonic()
    with socket.create_connection(("127.0.0.1", served.port), timeout=30) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ")
        with pytest.raises(OSError):
            while time.monotonic() - began < 60:
                connection.sendall(b"a")
                time.sleep(0.5)
                connection.setblocking(False)
                try:
                    if connection.recv(1000) == b"":
                        raise ConnectionResetError
                except BlockingIOError:
                    pass
                connection.setblocking(True)
    assert time.monotonic() - began < 40


def test_requests_on_one_connection_follow_each_other(served):
    """two at once, the second waits in the buffer"""
    ask = f"GET /api/run HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\n\r\n".encode()
    answers = b""
    with socket.create_connection(("127.0.0.1", served.port), timeout=20) as connection:
        connection.sendall(2 * ask)
        while part := connection.recv(1 << 20):
            answers += part
    assert answers.count(b"HTTP/1.1 200 OK") == 2


@pytest.mark.parametrize("command, body", [
    ("place", "{"), ("place", "[]"), ("place", "7"), ("place", '{"goal": NaN}'), ("place", '{"goal": [NaN, 0]}'),
    ("place", '{"goal": [1e999, 0]}'), ("place", '{"goal": [1]}'), ("place", '{"goal": -1}'), ("place", '{"goal": 99999999}'),
    ("place", '{"goal": 1.5}'), ("place", '{"goal": "x"}'), ("place", '{"goal": null}'), ("place", '{"task": 6}'), ("place", '{"task": 0}'),
    ("place", '{"nothing": 1}'), ("place", "[" * 10000), ("place", '{"goal": "\\ud800"}'), ("place", b'{"\xff": 1}'),
    ("settings", '{"samples": 0}'), ("settings", '{"samples": 1000000}'), ("settings", '{"samples": 1.5}'), ("settings", '{"horizon": "x"}'),
    ("settings", '{"variant": "best"}'), ("settings", '{"variant": 3}'), ("settings", '{"planner": "slow"}'), ("settings", '{"seed": -1}'),
    ("settings", '{"axes": ["psi:99", "psi:0"]}'), ("settings", '{"axes": ["observation:-1", "psi:0"]}'), ("settings", '{"axes": "psi:0"}'),
    ("settings", '{"threads": 1025}'), ("settings", '{"sample": 3}'), ("settings", '{"samples": [3]}'), ("settings", '{"nothing": null}'),
    ("settings", '{"budget_ms": -1}'), ("settings", '{"precision": "fp99"}'), ("settings", '{"keep_plan": "maybe"}'), ("settings", '{"shown": 5000}'), ("play", '{"speed": -1}'), ("play", '{"speed": "fast"}'), ("play", '{"speed": 1e9}')])
def test_what_makes_no_sense_is_refused_and_changes_nothing(served, command, body, shared=[]):
    if not shared:
        shared.append(served.session())
    before = served.ask("GET", shared[0])[1]
    status, answer = served.ask("POST", f"{shared[0]}/{command}", raw=body)
    assert status == 400 and answer["error"], answer
    after = served.ask("GET", shared[0])[1]
    assert {k: after[k] for k in after if k != "moment"} == {k: before[k] for k in before if k != "moment"}


def test_unknown_sessions_and_commands(served):
    name = "0" * 32
    assert served.ask("GET", f"/api/sessions/{name}")[0] == 404
    assert served.ask("GET", f"/api/sessions/{name}/events")[0] == 404
    assert served.ask("POST", f"/api/sessions/{name}/play")[0] == 404
    assert served.ask("GET", "/api/sessions/../run")[0] == 404
    session = served.session()
    assert served.ask("POST", session + "/explode")[0] == 404
    for index in ("2", "-1", "x", "", "1e3", "99999999999999999999"):
        assert served.ask("GET", f"/api/column?index={index}")[0] == 400
    assert len(served.ask("GET", "/api/column?index=1")[1]) == 4 * served.ask("GET", "/api/run")[1]["states"]


def test_garbage_is_survived(served):
    for garbage in (b"\0" * 100, b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"POST /api/sessions HTTP/1.1\r\nContent-Length: 5\r\n\r\n",
                    b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 5000 + b"\r\n", b"GET /" + b"x" * 20000 + b" HTTP/1.1\r\n\r\n"):
        with socket.create_connection(("127.0.0.1", served.port), timeout=10) as raw:
            raw.sendall(garbage)
            try:
                raw.recv(100)
            except (TimeoutError, ConnectionResetError):
                pass
    assert served.ask("GET", "/api/run")[0] == 200


def test_every_setting_of_the_table_can_be_changed_and_taken_back(served):
    """the page makes its controls from this table: each field, changed to another value of its kind, arrives in the planner"""
    planner = served.ask("GET", "/api/run")[1]["planner"]
    assert {v["name"] for v in planner["variants"]} >= {"alps", "cem", "prior"} and planner["planners"] == ["run", "fast", "paper"]
    session = served.session()
    before = served.ask("GET", session)[1]["settings"]["values"]
    assert {s["key"] for s in planner["settings"]} == set(before)
    for setting in planner["settings"]:
        key, value = setting["key"], before[setting["key"]]
        assert len(setting["help"]) > 20
        if setting["kind"] == "switch":
            other = not value
        elif setting["kind"] == "word":
            other = "fp32"
        else:
            other = value / 2 if setting["kind"] == "number" and value else 1 if key == "threads" else min(value + 1, setting["most"])
        status, state = served.ask("POST", session + "/settings", {key: other})
        assert status == 200 and state["settings"]["values"][key] == other and state["settings"]["own"] == [key], (key, state)
        status, state = served.ask("POST", session + "/settings", {key: None})
        assert status == 200 and state["settings"]["values"] == before and state["settings"]["own"] == []
    # a search that is too large for a page gets a limit of time
    state = served.ask("POST", session + "/settings", {"samples": 4000, "iterations": 40})[1]
    assert state["settings"]["values"]["budget_ms"] == 2000
    state = served.ask("POST", session + "/settings", {"samples": None, "iterations": None, "planner": "paper"})[1]
    assert state["settings"]["values"]["samples"] == 500 and state["settings"]["values"]["horizon"] == 20


def test_the_trace_is_that_of_the_program(served, small_run, tmp_path):
    """`alps plan --json` and the page's events have the same keys, written by one function"""
    data = np.load(next(small_run.parent.glob("*.npz")))["observations"]
    for name, row in (("start", 0), ("goal", 700)):
        np.save(tmp_path / f"{name}.npy", data[row])
    told = subprocess.run([ALPS, "plan", small_run, "--start", tmp_path / "start.npy", "--goal", tmp_path / "goal.npy", "--json"],
                          check=True, capture_output=True, text=True).stdout
    moment = served.ask("GET", served.session())[1]["moment"]
    assert set(json.loads(told)) < set(moment)
    assert moment["psi"] and moment["plan"] and moment["imagined"][0].keys() == {"iteration", "elite", "cost", "path"}


def test_same_seed_same_episode(served):
    paths = []
    for _ in range(2):
        session = served.session()
        served.ask("POST", session + "/place", {"start": [0, 0], "goal": [20, 20]})
        served.ask("POST", session + "/settings", {"seed": 5})
        for _ in range(8):
            status, state = served.ask("POST", session + "/step")
            assert status == 200
        paths.append(state["path"])
    assert paths[0] == paths[1] and len(paths[0]) == 9


def test_distances_of_the_page_are_those_of_the_run(served, small_run, tmp_path):
    """the sample that the page computes with, against `alps embed`"""
    run = served.ask("GET", "/api/run")[1]
    n, d = run["states"], run["dimensions"]
    floats = np.frombuffer(served.ask("GET", "/api/samples")[1], np.float32)
    assert floats.size == n * d + 3 * n
    places = floats[n * d:n * d + 2 * n].reshape(n, 2)
    np.save(tmp_path / "obs.npy", places)
    subprocess.run([ALPS, "embed", small_run, "--in", tmp_path / "obs.npy", "--out", tmp_path / "psi.npy"], check=True, capture_output=True)
    assert np.allclose(np.load(tmp_path / "psi.npy"), floats[:n * d].reshape(n, d), atol=1e-5)
    centers = np.load(small_run / "graph.npz")["centers"]
    nearest = ((floats[:n * d].reshape(n, 1, d) - centers) ** 2).sum(-1).argmin(1)
    assert (nearest == floats[n * d + 2 * n:]).mean() > 0.999


class Stream:
    """a page's open stream of events"""

    def __init__(self, port, session):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        self.connection.request("GET", session + "/events")
        self.response = self.connection.getresponse()
        assert self.response.status == 200

    def next(self):
        kind = None
        while True:
            line = self.response.readline().decode().rstrip("\n")
            if line.startswith("event: "):
                kind = line[7:]
            elif line.startswith("data: "):
                return kind, json.loads(line[6:])

    def close(self):
        self.response.close()
        self.connection.close()


def test_events_sessions_bound_and_a_clean_stop(small_run):
    page = Served(small_run)
    streams, sessions = [], []
    try:
        for _ in range(16):
            sessions.append(page.session())
            streams.append(Stream(page.port, sessions[-1]))
            kind, state = streams[-1].next()
            assert kind == "state" and state["moment"]["step"] == 0
        status, answer = page.ask("POST", "/api/sessions")
        assert status == 503 and "16 sessions" in answer["error"]

        # all play at once; each page hears of its own steps, in order
        for session in sessions[:4]:
            assert page.ask("POST", session + "/play", {"speed": 0})[0] == 200
        for stream in streams[:4]:
            for step in (1, 2, 3):
                kind, moment = stream.next()
                assert kind == "moment" and moment["step"] == step and math.isfinite(moment["ms"]["total"])

        # whoever listens later takes over
        later = Stream(page.port, sessions[5])
        assert later.next()[0] == "state" and streams[5].next()[0] == "taken"
        streams.append(later)

        # Ctrl-C with all streams open and episodes under way
        assert page.stop() == 0
        assert streams[15].response.read().strip() == b""  # the stream has ended
    finally:
        for stream in streams:
            stream.close()
        page.stop()


def test_nobody_looks_nobody_acts(served):
    session = served.session()
    stream = Stream(served.port, session)
    stream.next()
    served.ask("POST", session + "/play", {"speed": 50})
    stream.next()
    stream.close()
    deadline = time.monotonic() + 30
    while served.ask("GET", session)[1]["playing"]:
        assert time.monotonic() < deadline
        time.sleep(0.1)


def run_view(*args):
    done = subprocess.run([ALPS, "view", *map(str, args)], capture_output=True, text=True, timeout=60)
    return done.returncode, done.stderr


def test_wrong_use(served, small_run, tmp_path):
    code, words = run_view(small_run, "--port", served.port)
    assert code == 1 and f"port {served.port}" in words and "--port 0" in words
    assert run_view(small_run, "--port", 70000)[0] == 2
    code, words = run_view(tmp_path / "nothing")
    assert code == 1 and "nothing" in words
    assert run_view()[0] == 2
    for wrong in (("--variant", "best"), ("--set", "samples=0"), ("--set", "nothing=1"), ("--planner", "slow")):
        assert run_view(small_run, *wrong)[0] == 2, wrong


def test_begins_with_the_planner_of_the_command_line(small_run):
    page = Served(small_run, "--variant", "dijkstra+cem", "--planner", "fast", "--set", "samples=33", "--budget_ms", "40")
    try:
        settings = page.ask("GET", page.session())[1]["settings"]
        assert settings["variant"] == "dijkstra+cem" and settings["planner"] == "fast"
        assert settings["values"]["samples"] == 33 and settings["values"]["budget_ms"] == 40
        assert set(settings["own"]) == {"samples", "budget_ms"}
    finally:
        assert page.stop() == 0


@pytest.fixture(scope="module")
def own_page(tmp_path_factory):
    """a run on data of one's own: three numbers that no environment knows"""
    folder, rng = tmp_path_factory.mktemp("own"), np.random.default_rng(0)
    episodes, length = 30, 60
    actions = rng.uniform(-1, 1, (episodes, length, 2)).astype(np.float32)
    places = np.clip(rng.uniform(-1, 1, (episodes, 1, 2)) + 0.1 * np.cumsum(actions, 1), -2, 2)
    observations = np.concatenate([places, places[..., :1] ** 2], -1).reshape(-1, 3).astype(np.float32)
    terminals = np.tile(np.arange(length) == length - 1, episodes)
    np.savez(folder / "mine.npz", observations=observations, actions=actions.reshape(-1, 2), terminals=terminals)
    sets = dict(encoder_width=24, model_width=24, prior_width=24, eigenvectors=4, representation_steps=60, model_steps=60, prior_steps=60,
                representation_batch=64, model_batch=32, prior_batch=32)
    subprocess.run([ALPS, "train", folder / "mine.npz", "--out", folder / "run", "--threads", "1",
                    *(x for k, v in sets.items() for x in ("--set", f"{k}={v}"))], check=True, capture_output=True)
    page = Served(folder / "run")
    yield page
    page.stop()


def test_data_of_ones_own_have_no_world_but_routes(own_page):
    run = own_page.ask("GET", "/api/run")[1]
    assert run["world"] is None and run["axes"] == ["psi:0", "psi:1"] and run["columns"] == 3
    session = own_page.session()
    status, state = own_page.ask("POST", session + "/place", {"start": 10, "goal": 1500})
    assert status == 200 and state["moment"]["imagined"] and state["start"]["index"] == 10
    assert state["moment"]["no_route"] or state["moment"]["route"][-1] == state["moment"]["goal_cluster"]
    status, state = own_page.ask("POST", session + "/settings", {"axes": ["observation:2", "psi:3"]})
    assert status == 200
    column = np.frombuffer(own_page.ask("GET", "/api/column?index=2")[1], np.float32)
    assert abs(state["start"]["point"][0] - column[10]) < 1e-3
    for command in ("play", "step"):
        status, answer = own_page.ask("POST", f"{session}/{command}")
        assert status == 400 and "no environment to act in" in answer["error"]


def test_the_page_of_data_of_ones_own(own_page, browser):
    """a scatter with axes, a route between states that one clicks, and nothing that needs a world"""
    from selenium.webdriver import ActionChains
    from selenium.webdriver.common.by import By
    from selenium.webdriver.support.ui import WebDriverWait

    browser.get(own_page.address)
    until = WebDriverWait(browser, 60, poll_frequency=0.1).until
    until(lambda b: b.execute_script("return document.body.dataset.step") == "0")
    displayed = lambda css: [e for e in browser.find_elements(By.CSS_SELECTOR, css) if e.is_displayed()]
    assert not displayed("#play, #step, #task, #chart-time, #chart-distance, #camera, [data-layer=traps]")
    assert displayed("#mode-start") and displayed("[data-layer=route]") and displayed("#chart-cost")
    assert "alps.view(run, env)" in browser.find_element(By.ID, "log").text
    state = lambda: own_page.ask("GET", "/api/sessions/" + browser.execute_script("return sessionStorage.getItem('alps-session')"))[1]
    before = state()
    # beside the goal, so that its marker is not taken, there is another state
    canvas = browser.find_element(By.ID, "map")
    ActionChains(browser).move_to_element_with_offset(canvas, 0, 0).perform()
    tip = browser.find_element(By.ID, "tip").text
    assert "psi 1 " in tip and "psi 2 " in tip and "cluster" in tip
    ActionChains(browser).click().perform()
    after = until(lambda b: (s := state())["goal"]["index"] != before["goal"]["index"] and s)
    assert after["start"] == before["start"] and len(after["moment"]["action"]) == 2
    assert after["moment"]["no_route"] or after["moment"]["route"][-1] == after["moment"]["goal_cluster"]
    assert not [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]
