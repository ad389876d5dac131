"""The page as a user starts it, and a browser to look at it with."""
import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("ALPS_BUILD", ROOT / "build/release"))
ALPS = os.environ.get("ALPS_PROGRAM", str(BUILD / "apps/alps"))


class Served:
    """`alps view RUN --port 0 ...` until it is stopped"""

    def __init__(self, run, *more):
        self.process = subprocess.Popen([ALPS, "view", str(run), "--port", "0", *more], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        text=True)
        line = self.process.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:(\d+)/", line)
        assert found, line + self.process.stderr.read()
        self.port = int(found[1])
        self.address = f"http://127.0.0.1:{self.port}/"

    def ask(self, method, path, body=None, headers=None, raw=None):
        """status and answer; `raw` is sent as it is, `body` as JSON"""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        head = {"Content-Type": "application/json"} if method == "POST" else {}
        data = raw if raw is not None else json.dumps(body if body is not None else {}) if method == "POST" else None
        connection.request(method, path, data, {**head, **(headers or {})})
        response = connection.getresponse()
        text = response.read()
        connection.close()
        is_json = response.getheader("Content-Type", "").startswith("application/json")
        return response.status, json.loads(text) if is_json else text

    def session(self):
        status, answer = self.ask("POST", "/api/sessions")
        assert status == 200, answer
        return f"/api/sessions/{answer['session']}"

    def stop(self, number=signal.SIGINT):
        """exit code"""
        if self.process.poll() is None:
            self.process.send_signal(number)
        code = self.process.wait(timeout=30)
        self.process.stdout.close()
        self.process.stderr.close()
        return code


def open_browser(profile, width=1280, height=900):
    from selenium import webdriver

    assert shutil.which("chromedriver"), "chromedriver is missing; as root, run: apt-get install chromium chromium-driver"
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium")
    for flag in ("--headless=new", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-quic", "--no-first-run", "--disable-dev-shm-usage",
                 "--disable-background-networking", "--disable-component-update", "--disable-sync", f"--user-data-dir={profile}",
                 f"--window-size={width},{height}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which("chromedriver")))
