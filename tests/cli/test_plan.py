"""A small run from data to success: `alps data make`, `train`, `eval`, `plan`, `plot`, and the planner as an installed
C++ package (examples/plan.cc), here and on other processors. One training of about twenty seconds (tests/conftest.py) serves the whole file,
but for the processors that qemu emulates: those act with narrow networks."""
import csv
import json
import os
import pathlib
import re
import shutil
import subprocess

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("ALPS_BUILD", ROOT / "build/release"))
ALPS = os.environ.get("ALPS_PROGRAM", str(BUILD / "apps/alps"))
NAME = "pointmaze-medium-navigate-v0"


def alps(*args, code=0, **kwargs):
    done = subprocess.run([ALPS, *map(str, args)], capture_output=True, text=True, timeout=600, **kwargs)
    assert done.returncode == code, done.stderr
    return done


@pytest.fixture(scope="module")
def run(small_run):
    return small_run


@pytest.fixture(scope="module")
def observations(run):
    data = np.load(run.parent / f"{NAME}.npz")["observations"]
    return data[0], data[700]


def last_row(path):
    return list(csv.DictReader(path.open()))[-1]


def test_run_folder_is_complete(run):
    assert {f.name for f in run.iterdir()} >= {"config.json", "model.safetensors", "graph.npz", "train.csv"}
    clusters = json.loads((run / "config.json").read_text())["settings"]["clusters"]
    assert clusters >= 16 and np.load(run / "graph.npz")["centers"].shape == (clusters, 32)


def test_alps_reaches_the_goals(run, tmp_path):
    ledger = tmp_path / "ledger.csv"
    out = alps("eval", run, "--episodes", 1, "--results", ledger, env={**os.environ, "ALPS_COMMIT": "abc1234"})
    row = last_row(run / "eval.csv")
    assert float(row["evaluation/overall_success"]) >= 0.8, out.stdout
    assert last_row(ledger)["commit"] == "abc1234" and int(last_row(ledger)["episodes"]) == 5
    assert np.load(run / "results" / f"{row['config']}.npz")["episodes"].shape == (5, 5)


@pytest.mark.parametrize("variant", ["alps", "dijkstra+prior", "cem"])
def test_same_seed_same_episodes_whatever_the_threads(run, variant):
    paths = []
    for threads in (1, 2):
        alps("eval", run, "--episodes", 1, "--tasks", "3,5", "--variant", variant, "--threads", threads, "--seed", 7)
        paths.append(np.load(run / "results" / f"{last_row(run / 'eval.csv')['config']}.npz")["points"])
    configs = [r["config"] for r in csv.DictReader((run / "eval.csv").open())][-2:]
    assert configs[0] == configs[1]
    assert len(paths[0]) > 20 and np.array_equal(paths[0], paths[1])


def test_another_number_of_regions_is_for_one_evaluation(run, tmp_path):
    ledger, kept = tmp_path / "ledger.csv", (run / "graph.npz").read_bytes()
    for asked in (["--clusters", 16], []):
        alps("eval", run, "--episodes", 1, "--tasks", 2, "--variant", "dijkstra+prior", "--results", ledger, *asked)
    own = json.loads((run / "config.json").read_text())["settings"]["clusters"]
    assert [r["clusters"] for r in csv.DictReader(ledger.open())] == ["16", str(own)] and own != 16
    assert (run / "graph.npz").read_bytes() == kept


def test_plan_prints_the_trace(run, observations, tmp_path):
    np.save(tmp_path / "start.npy", observations[0])
    np.save(tmp_path / "goal.npy", observations[1])
    trace = json.loads(alps("plan", run, "--start", tmp_path / "start.npy", "--goal", tmp_path / "goal.npy", "--json").stdout)
    assert len(trace["action"]) == 2 and max(map(abs, trace["action"])) <= 1
    assert trace["route"][0] == trace["cluster"] and trace["route"][-1] == trace["goal_cluster"]
    assert trace["elite_costs"][-1] < trace["elite_costs"][0]  # the search found something cheaper


def test_damaged_graph_is_refused(run, tmp_path):
    broken = tmp_path / "run"
    shutil.copytree(run, broken)
    whole = (broken / "graph.npz").read_bytes()
    (broken / "graph.npz").write_bytes(whole[: len(whole) // 2])
    out = alps("eval", broken, "--episodes", 1, code=1)
    assert "graph.npz" in out.stderr and out.stderr.count("\n") <= 2


def test_training_the_representation_anew_makes_new_regions(run, tmp_path):
    other = tmp_path / "run"
    shutil.copytree(run, other)
    alps("train", NAME, "--data_dir", run.parent, "--out", other, "--threads", 1, "--only", "representation", "--set",
         "representation_steps=5", "--set", "eigenvectors=8")
    clusters = json.loads((other / "config.json").read_text())["settings"]["clusters"]
    assert np.load(other / "graph.npz")["centers"].shape == (clusters, 8)


def test_plot_writes_the_report(run):
    alps("plot", run)
    report = (run / "report.html").read_text()
    assert "<svg" in report or "data:image" in report
    assert "http://" not in report.replace("http://www.w3.org", "") and "https://" not in report


def cmake(*args):
    done = subprocess.run(["cmake", *map(str, args)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def build_example(folder, build, *options):
    """examples/plan.cc as a project of its own, which finds the package that `build` installs"""
    cmake("--install", build, "--prefix", folder / "alps")
    cmake("-S", ROOT / "examples", "-B", folder / "build", "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={folder / 'alps'}",
          "-DCMAKE_BUILD_TYPE=Release", *options)
    cmake("--build", folder / "build")
    return folder / "build" / "plan"


@pytest.fixture(scope="module")
def example(tmp_path_factory):
    return build_example(tmp_path_factory.mktemp("native"), BUILD)


def act(command, run, goal, observations, **environment):
    """what the example does: its actions, and the lines on where it was heading"""
    text = "".join(" ".join(f"{x:.9g}" for x in row) + "\n" for row in observations)
    done = subprocess.run([*command, run, *(f"{x:.9g}" for x in goal)], input=text, text=True, capture_output=True,
                          env={**os.environ, **environment})
    assert done.returncode == 0, done.stderr
    actions = np.array([list(map(float, line.split())) for line in done.stdout.splitlines()])
    return actions, re.findall(r"region .* to go", done.stderr)


def test_installed_package(run, observations, example, tmp_path):
    """the program that found the package acts like `alps plan`"""
    start, goal = observations
    actions, _ = act([example], run, goal, [start, start])
    np.save(tmp_path / "start.npy", start)
    np.save(tmp_path / "goal.npy", goal)
    trace = json.loads(alps("plan", run, "--start", tmp_path / "start.npy", "--goal", tmp_path / "goal.npy", "--json").stdout)
    assert len(actions) == 2
    assert np.allclose(actions[0], trace["action"], atol=1e-5)

    missing = subprocess.run([example, tmp_path / "none", "0", "0"], input="", text=True, capture_output=True)
    assert missing.returncode == 1 and "no such file; train a run first" in missing.stderr


def test_installed_package_is_small_and_needs_only_zlib(example, tmp_path):
    """neither torch, MuJoCo nor Python: nothing beyond zlib and the compiler's own libraries, read from the loader"""
    loaded = subprocess.run(["ldd", example], capture_output=True, text=True, check=True).stdout
    names = {re.match(r"[a-z+_]+(-linux|-vdso)?", pathlib.Path(line.split()[0]).name)[0] for line in loaded.splitlines()}
    assert "libz" in names
    assert names <= {"libz", "libstdc++", "libm", "libgcc_s", "libc", "libpthread", "ld-linux", "linux-vdso"}, loaded
    subprocess.run(["strip", "-o", tmp_path / "plan", example], check=True)
    size = (tmp_path / "plan").stat().st_size
    print(f"examples/plan.cc with the planner: {size / 1e6:.2f} MB, stripped")
    assert size < 2e6


def test_installed_package_holds_the_planner_and_nothing_else(example):
    prefix = example.parents[1] / "alps"
    installed = [p.relative_to(prefix) for p in prefix.rglob("*") if p.is_file()]
    assert len(installed) > 20
    for path in installed:
        header = path.parts[:2] == ("include", "alps") and path.parts[2] in ("base", "nn", "graph", "plan") and path.suffix == ".h"
        library = path.parts[0].startswith("lib") and (path.suffix == ".a" or path.name.startswith("libalps_plan.so") or
                                                       path.parts[-3:-1] == ("cmake", "alps"))
        header |= path.parts == ("include", "alps", "plan.h")
        assert header or library, f"{path} is installed too"


@pytest.fixture(scope="module")
def narrow_run(run):
    """networks of width 48, because an emulated processor takes seconds for a decision of ordinary ones"""
    sets = {"representation_steps": 150, "model_steps": 200, "prior_steps": 200, "prior_batch": 256}
    sets |= {f"{part}_width": 48 for part in ("encoder", "model", "prior")}
    alps("train", NAME, "--data_dir", run.parent, "--out", run.parent / "narrow", "--threads", 1,
         *(x for k, v in sets.items() for x in ("--set", f"{k}={v}")))
    return run.parent / "narrow"


def emulator(name):
    assert shutil.which(name), f"{name} is missing; as root, run: apt-get install qemu-user"
    return name


@pytest.fixture(scope="module")
def on_processor(example, tmp_path_factory):
    """the command that runs the example on another processor"""
    def command(processor):
        if processor != "aarch64":
            return [emulator("qemu-x86_64"), "-cpu", processor, example]
        done = subprocess.run([ROOT / "alps", "build", "aarch64"], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        program = build_example(tmp_path_factory.mktemp("aarch64"), ROOT / "build/aarch64",
                                f"-DCMAKE_TOOLCHAIN_FILE={ROOT / 'cmake/aarch64.cmake'}")
        assert "AArch64" in subprocess.run(["readelf", "-h", program], capture_output=True, text=True).stdout
        return [emulator("qemu-aarch64"), "-L", "/usr/aarch64-linux-gnu", program]

    return command


@pytest.mark.parametrize("processor", ["aarch64", "Nehalem", "Haswell"])
def test_other_processors_decide_alike(narrow_run, observations, example, on_processor, processor):
    """The portable path on Arm, and on x86-64 the copies of the kernels for SSE only (Nehalem: a copy for AVX would end
    the program there) and for AVX2 (Haswell), beside the processor of this machine, which takes the best copy it can.
    qemu knows no AVX-512. Sums are rounded differently where there is no fused multiply-add; in about two decisions of a
    thousand, that lets another candidate among the elites of the search, which moves the action by some hundredths."""
    data = np.load(narrow_run.parent / f"{NAME}.npz")["observations"][:80:10]
    here, heading_here = act([example], narrow_run, observations[1], data, ALPS_PRECISION="fp32")
    there, heading_there = act(on_processor(processor), narrow_run, observations[1], data)
    assert len(here) == len(data) and heading_here == heading_there
    apart = np.sort(np.abs(here - there).max(axis=1))
    print(f"{processor}: actions differ by {apart}")
    assert apart[-2] < 1e-3 and apart[-1] < 0.1


def test_processors_with_bf16_decide_nearly_alike(run, observations, example):
    """The search in bf16 takes other candidates for elites where costs are close: the same routes, actions that differ a little.
    On a processor without bf16 both are the same."""
    data = np.load(run.parent / f"{NAME}.npz")["observations"][:1000:10]
    fp32, heading = act([example], run, observations[1], data, ALPS_PRECISION="fp32")
    default, heading_default = act([example], run, observations[1], data)
    assert len(fp32) == len(data) and heading == heading_default
    apart = np.linalg.norm(fp32 - default, axis=1)
    along = (fp32 * default).sum(1) / np.linalg.norm(fp32, axis=1) / np.linalg.norm(default, axis=1)
    print(f"bf16: actions differ by {np.median(apart):.3f} (median), {np.quantile(apart, 0.9):.3f} (nine tenths), {apart.max():.3f} (most); "
          f"cosine {np.median(along):.4f}, {along.min():.3f}")
    assert np.median(apart) < 0.1 and np.median(along) > 0.98


def test_planner_alone_needs_no_torch_or_mujoco(tmp_path):
    """a robot's machine configures the planner without the Python environment"""
    done = subprocess.run(["cmake", "-S", ROOT, "-B", tmp_path, "-G", "Ninja", "-DALPS_ONLY_PLANNER=ON"], capture_output=True,
                          text=True)
    assert done.returncode == 0, done.stderr
    targets = (tmp_path / "build.ninja").read_text()
    assert "libalps_plan.a" in targets and "torch" not in targets and "mujoco" not in targets
