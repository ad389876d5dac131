"""What set-up takes from others: only packages whose hashes are known, and nothing more once it is done. The launcher's own functions run
here with small packages in a folder instead of PyPI, as a user without rights, and the program in a network without routes."""
import base64
import ctypes
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("ALPS_BUILD", ROOT / "build/release"))
PROGRAM = BUILD / "apps/alps"
NAME = "pointmaze-medium-navigate-v0"


def entries(file):
    """name -> (version, marker, hashes) of one file of hashes"""
    found = {}
    for name, version, marker, hashes in re.findall(r"^([\w.-]+)==([^\s;]+)(?: ; (.*?))?((?: \\\n    --hash=sha256:[0-9a-f]{64})+)$",
                                                    (ROOT / "requirements" / file).read_text(), re.M):
        found.setdefault(name, []).append((version, marker, hashes.count("--hash")))
    return found


def test_every_pin_has_its_hashes():
    files = {file: entries(file) for file in ("wheels.txt", "sources.txt", "cpu.txt", "gpu.txt")}
    for file, found in files.items():  # no line without a hash
        lines = [line for line in (ROOT / "requirements" / file).read_text().splitlines() if "==" in line]
        assert len(lines) == sum(map(len, found.values())), file
    hashed = files["wheels.txt"] | files["sources.txt"] | {"torch": files["gpu.txt"].pop("torch")}
    pins = dict(line.split("==") for line in (ROOT / "requirements.txt").read_text().splitlines() if line and line[0] != "#")
    for name, version in pins.items():
        assert [v for v, _, _ in hashed[name.lower().replace("_", "-")]] == [version], name
    # three Pythons; PyPI's, and that for processors alone
    assert hashed["torch"][0][2] == 3 and files["cpu.txt"] == {"torch": [(pins["torch"] + "+cpu", "", 3)]}
    assert not set(files["gpu.txt"]) & set(hashed) and any(name.startswith("nvidia") for name in files["gpu.txt"])


def write_wheel(folder, name, body=""):
    files = {f"{name}.py": body, f"{name}-1.0.dist-info/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n",
             f"{name}-1.0.dist-info/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"}
    record = "".join(f"{file},sha256={base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b'=').decode()},{len(text)}\n"
                     for file, text in files.items()) + f"{name}-1.0.dist-info/RECORD,,\n"
    path = folder / f"{name}-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for file, text in (files | {f"{name}-1.0.dist-info/RECORD": record}).items():
            archive.writestr(file, text)
    return f"{name}==1.0 \\\n    --hash=sha256:{hashlib.sha256(path.read_bytes()).hexdigest()}\n"


@pytest.fixture
def tree(tmp_path):
    """a tree whose launcher wants two packages, which lie in a folder; the function setup_python alone"""
    tree = tmp_path / "tree"
    (tree / "requirements").mkdir(parents=True)
    (tmp_path / "index").mkdir()
    text = (ROOT / "alps").read_text()
    (tree / "setup").write_text(text[:text.index('\ncase "${1:-}" in\n')] + "\nsetup_python\n")
    one, two = (write_wheel(tmp_path / "index", name) for name in ("alps_one", "alps_two"))
    (tree / "requirements.txt").write_text("alps_one==1.0\nalps_two==1.0\n")
    (tree / "requirements/wheels.txt").write_text(one + two)
    (tree / "requirements/sources.txt").write_text("# none\n")
    for file in ("cpu.txt", "gpu.txt"):
        (tree / "requirements" / file).write_text("# none\n")
    (tree / "apps/cli").mkdir(parents=True)
    (tree / "bench").mkdir()
    for file in ("apps/cli/verbs.h", "bench/run.py"):
        shutil.copy(ROOT / file, tree / file)
    return tree


def set_up(tree, **env):
    env = dict(os.environ, PIP_CONFIG_FILE="/dev/null", PIP_NO_INDEX="1", PIP_FIND_LINKS=str(tree.parent / "index"), ALPS_PYTHON=sys.executable, **env)
    return subprocess.run(["bash", tree / "setup"], env=env, capture_output=True, text=True, timeout=120)


def test_only_packages_with_their_hashes_are_installed(tree):
    mine = (tree.parent / "index/alps_two-1.0-py3-none-any.whl").read_bytes()
    write_wheel(tree.parent / "index", "alps_two", "print('somebody else')")
    done = set_up(tree)
    assert done.returncode == 1 and "not the one whose hash stands in" in done.stderr and "ALPS_HASHES=0" in done.stderr
    assert not list(tree.glob(".venv/lib/*/site-packages/alps_*")) and not (tree / ".venv/.alps-requirements").exists()
    (tree.parent / "index/alps_two-1.0-py3-none-any.whl").write_bytes(mine)
    done = set_up(tree)
    assert done.returncode == 0 and len(list(tree.glob(".venv/lib/*/site-packages/alps_*.py"))) == 2, done.stderr
    assert set_up(tree).stderr == ""  # what was done is not done again
    # a changed hash is a changed list: it is looked at again, and the user may do without hashes
    (tree / "requirements/gpu.txt").write_text("# other\n")
    done = set_up(tree, ALPS_HASHES="0")
    assert done.returncode == 0 and "not holding the packages to the hashes" in done.stderr, done.stderr


@pytest.fixture
def open_folder():
    """pytest's own folders are for their owner alone"""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        yield pathlib.Path(folder)


def test_a_user_without_rights_is_told(open_folder):
    """no sudo, and Debian packages missing; then a tree that somebody else owns"""
    tree = open_folder / "tree"
    shutil.copytree(ROOT, tree, ignore=lambda folder, names: [n for n in names if folder == str(ROOT) and n not in ("alps", "apps", "bench", "requirements", "requirements.txt", "CMakePresets.json")])
    bin = open_folder / "bin"
    bin.mkdir()
    for program in ("bash", "env", "dirname", "readlink", "sed", "sort", "cat", "id", "mkdir", "grep", "nproc", "cmp", "tail", "git"):
        if found := shutil.which(program):
            (bin / program).symlink_to(found)
    (bin / "dpkg-query").write_text("#!/bin/bash\nexit 1\n")
    (bin / "dpkg-query").chmod(0o755)
    user = {"user": 65534, "group": 65534, "extra_groups": []} if os.getuid() == 0 else {}

    def launch():
        return subprocess.run([tree / "alps", "build"], env={"PATH": str(bin)}, capture_output=True, text=True, timeout=60, **user)

    if user:
        done = launch()
        assert done.returncode == 1 and done.stderr.count("\n") == 1 and "cannot be written to by" in done.stderr, done.stderr
    (tree / "build").mkdir()
    if user:
        os.chown(tree / "build", 65534, 65534)
    done = launch()
    assert done.returncode == 1 and done.stderr.count("\n") == 1, done.stderr
    assert "missing Debian packages; as root, run: apt-get install " in done.stderr and "cmake" in done.stderr


PRELOAD = r"""
// notes every socket that is not local
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>
int socket(int domain, int type, int protocol) {
  static int (*real)(int, int, int);
  if (!real) real = (int (*)(int, int, int))dlsym(RTLD_NEXT, "socket");
  if (domain == AF_INET || domain == AF_INET6) {
    int file = open(getenv("SOCKETS_TOLD"), O_WRONLY | O_CREAT | O_APPEND, 0644);
    if (write(file, "x", 1) < 0) abort();
    close(file);
  }
  return real(domain, type, protocol);
}
"""
CLONE_NEWUSER, CLONE_NEWNET = 0x10000000, 0x40000000


def leave_the_network():
    """in the child: a network of its own, without routes"""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(CLONE_NEWNET) != 0 and libc.unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0:
        os._exit(99)


def test_no_network_after_set_up(small_run, tmp_path):
    (tmp_path / "sockets.c").write_text(PRELOAD)
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", tmp_path / "sockets.so", tmp_path / "sockets.c", "-ldl"], check=True)
    told = tmp_path / "told"
    env = dict(os.environ, LD_PRELOAD=str(tmp_path / "sockets.so"), SOCKETS_TOLD=str(told))

    def offline(*args):
        done = subprocess.run([*map(str, args)], env=env, capture_output=True, text=True, timeout=300, preexec_fn=leave_the_network)
        if done.returncode == 99:
            pytest.skip("this machine lets nobody leave the network (unshare of a network namespace is forbidden)")
        return done

    # nobody is reached from there, and the preload sees who tries
    probe = offline(sys.executable, "-c", "import socket; socket.create_connection(('192.0.2.1', 80), timeout=5)")
    assert probe.returncode == 1 and "unreachable" in probe.stderr.lower() and told.read_text() == "x"
    told.unlink()
    run = shutil.copytree(small_run, tmp_path / "run")
    steps = [word for key in ("representation_steps", "model_steps", "prior_steps") for word in ("--set", f"{key}=20")]
    for args in (["data", "list"], ["env", "list"], ["data", "make", "pointmaze-medium-stitch-v0", "--episodes", 3, "--data_dir", tmp_path],
                 ["train", NAME, "--data_dir", small_run.parent, "--out", tmp_path / "new", "--threads", 1, *steps],
                 ["eval", run, "--episodes", 1, "--tasks", 3, "--ledger", tmp_path / "ledger"], ["check", run], ["plot", run], ["table", tmp_path / "ledger"]):
        done = offline(PROGRAM, *args)
        assert done.returncode == 0, (args, done.stderr)
    assert not told.exists(), "the program opened a socket of the internet"
    # what needs the network says so
    done = offline(PROGRAM, "data", "get", NAME, "--data_dir", tmp_path / "none")
    assert done.returncode == 1 and done.stderr.startswith("alps: error: cannot download") and "check the network" in done.stderr, done.stderr
