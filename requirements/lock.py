"""Writes the hashes that `./alps` holds pip to: wheels.txt, sources.txt, cpu.txt and gpu.txt, beside this file, from ../requirements.txt.

`uv` (pip install uv, in an environment of its own) finds the versions of everything that the pinned packages need in turn, for
Python 3.11 to 3.13 on Linux, x86-64. Of each package the hashes of its wheels for these Pythons are kept; what has no wheel stands in
sources.txt with the hash of its source, and is built with what wheels.txt has installed. torch stands alone, because there are two of
it: cpu.txt is its build for processors, which is taken where pip is told of an index or a folder that has it; gpu.txt is PyPI's, with
the libraries that it needs. In one file pip would take PyPI's always: a wheel in a folder shows its hash only when it is opened.

    python requirements/lock.py [--uv UV] [--upgrade]     --upgrade: newer versions of what requirements.txt does not pin
"""
import argparse
import pathlib
import re
import subprocess
import tempfile
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
INDEX = "https://pypi.org/simple"
PYTHONS = ("311", "312", "313")
GPU = re.compile(r"nvidia-|cuda-|triton$")

# torch for processors alone is not on PyPI but on download.pytorch.org/whl/cpu, whose versions end in +cpu. The hash of the first was taken
# from the wheel itself; the other two are those that lock files of other projects name for these wheels.
TORCH_CPU = {"2.13.0": {"311": "6746dbcbeb526eb61330b76b41ff1b4eb848951103a892eeb080dfa2b264667b",
                        "312": "4ca4a9394b0c771238a4f73590fdbbc4debad85ed0fa63d026ae1b085da7d6e2",
                        "313": "3fbf9c9d1f3c10c2d59d04aca426dee9ccc6ceb32d255c61e93acc3b4f75fae6"}}

# Without a wheel for the newest Python, and its source is built with Bazel. dm_control asks for it, but only its mazes import it, which
# neither ogbench nor alps does; where there is no wheel it is left out.
MAY_BE_MISSING = {"labmaze"}


def pythons_of(wheel):
    """which of our Pythons a wheel is for, by the tags in its name"""
    python, abi, platform = wheel.removesuffix(".whl").split("-")[-3:]
    if platform != "any" and not ("manylinux" in platform and "x86_64" in platform):
        return set()
    if abi == "none":
        return set(PYTHONS) if {"py3", "py311", "py310"} & set(python.split(".")) else set()
    if abi == "abi3":
        return {p for p in PYTHONS if int(p[1:]) >= int(python.removeprefix("cp3"))}
    return {p for p in PYTHONS if python == abi == f"cp{p}"}


def needs(marker):
    """the Pythons for which a line with this marker counts"""
    bound = re.search(r"python_full_version (<|>=) '3\.(\d+)'", marker or "")
    if not bound:
        return set(PYTHONS)
    below = {p for p in PYTHONS if int(p[1:]) < int(bound[2])}
    return below if bound[1] == "<" else set(PYTHONS) - below


def resolve(uv, upgrade):
    """the packages of uv.lock by name and version, and the lines (name, version, marker) of what is to be installed"""
    direct = [line for line in (HERE.parent / "requirements.txt").read_text().splitlines() if line and not line.startswith("#")]
    with tempfile.TemporaryDirectory() as folder:
        project = pathlib.Path(folder)
        (project / "pyproject.toml").write_text(
            '[project]\nname = "alps-lock"\nversion = "0"\nrequires-python = ">=3.11,<3.14"\ndependencies = ' + repr(direct) +
            "\n[tool.uv]\nenvironments = [\"sys_platform == 'linux' and platform_machine == 'x86_64'\"]\n")
        if not upgrade:  # what has been chosen before stays
            known = [f"{name}=={version}" + (f" ; {marker}" if marker else "") for name, version, marker in written()]
            with open(project / "pyproject.toml", "a") as file:
                file.write("constraint-dependencies = " + repr(known) + "\n")
        base = [uv, "--directory", folder, "--no-config"]
        subprocess.run([*base, "lock", "--default-index", INDEX], check=True)
        exported = subprocess.run([*base, "export", "--default-index", INDEX, "--frozen", "--no-emit-project", "--no-hashes", "--no-annotate"],
                                  check=True, capture_output=True, text=True).stdout
        lock = tomllib.loads((project / "uv.lock").read_text())
    lines = [m.groups() for line in exported.splitlines() if (m := re.match(r"([\w.-]+)==([^\s;]+)(?: ; (.*))?$", line))]
    return {(p["name"], p["version"]): p for p in lock["package"]}, lines


def written():
    """the lines (name, version, marker) of the files as they are"""
    for file in ("wheels.txt", "sources.txt", "gpu.txt"):  # cpu.txt says what gpu.txt does
        if (HERE / file).exists():
            for m in re.finditer(r"^([\w.-]+)==([^\s;]+)(?: ; (.*?))? \\$", (HERE / file).read_text(), re.M):
                yield m.groups()


def line(name, version, marker, hashes):
    return (f"{name}=={version}" + (f" ; {marker}" if marker else "") + "".join(f" \\\n    --hash={h}" for h in sorted(hashes)) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--uv", default="uv")
    parser.add_argument("--upgrade", action="store_true")
    args = parser.parse_args()
    packages, lines = resolve(args.uv, args.upgrade)
    files = {"wheels.txt": [], "sources.txt": [], "cpu.txt": [], "gpu.txt": []}
    for name, version, marker in sorted(lines):
        package = packages[name, version]
        marker = " and ".join(part for part in (marker or "").split(" and ") if re.match(r"python_full_version", part))
        wheels = {pathlib.PurePosixPath(w["url"]).name: w["hash"] for w in package.get("wheels", [])}
        fitting = {file: pythons_of(file) & needs(marker) for file in wheels}
        missing = needs(marker) - set().union(*fitting.values())
        hashes = {wheels[file] for file, pythons in fitting.items() if pythons}
        target = "gpu.txt" if GPU.match(name) or name == "torch" else "wheels.txt"
        if not hashes:
            target, hashes = "sources.txt", {package["sdist"]["hash"]}
        elif missing == {PYTHONS[-1]} and name in MAY_BE_MISSING:
            marker = f"python_full_version < '3.{PYTHONS[-1][1:]}'"
        elif missing:
            raise SystemExit(f"{name} {version} has no wheel for Python {sorted(missing)}")
        files[target].append(line(name, version, marker, hashes))
        if name == "torch":
            files["cpu.txt"].append(line(name, version + "+cpu", marker, {"sha256:" + h for h in TORCH_CPU[version].values()}))
    for file, entries in files.items():
        (HERE / file).write_text("# Written by requirements/lock.py, for Python 3.11 to 3.13 on Linux, x86-64.\n" + "".join(entries))
        print(f"{file}: {len(entries)} packages")


if __name__ == "__main__":
    main()
