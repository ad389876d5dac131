"""Mutation testing: would the tests notice if a line were wrong?

    .venv/bin/python tests/mutate.py --count 100 --seed 1 src/alps/plan src/alps/graph     (nice -n 10 beside other work)
    .venv/bin/python tests/mutate.py --list                                                survivors, as diffs
    .venv/bin/python tests/mutate.py --again                                               survivors once more, after new tests

Takes random faults (a < for a <=, a constant off by one, a dropped statement, ...) in the given files, one at a time, in a copy of
the tree (build/mutate); builds the C++ test programs that can see the file, and runs them until one fails. A fault that all of them
pass has survived: either a test is missing, or the fault changes nothing that matters. Results go to a log of JSON lines; the same
call goes on where it stopped. Faults that do not compile are not counted.
"""
import argparse
import concurrent.futures
import difflib
import hashlib
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
SCRATCH = ROOT / "build/mutate"
TREE = SCRATCH / "tree"
BUILD = TREE / "build/release"

# what a compiler says of wrong code is no news here
WARNINGS = ("unused-variable unused-parameter unused-but-set-variable unused-but-set-parameter unused-function unused-value sign-compare "
            "type-limits parentheses bool-compare tautological-compare div-by-zero return-type maybe-uninitialized uninitialized "
            "array-bounds stringop-overflow stringop-overread bool-operation int-in-bool-context empty-body misleading-indentation").split()
PRAGMAS = "".join(f'#pragma GCC diagnostic ignored "-W{w}"\n' for w in WARNINGS)

# (kind, pattern, replacements); operators have spaces around them, which brackets of templates and pointers have not
RULES = [
    ("relation", r" (<) ", ["<=", ">="]), ("relation", r" (<=) ", ["<", ">"]), ("relation", r" (>) ", [">=", "<="]),
    ("relation", r" (>=) ", [">", "<"]), ("relation", r" (==) ", ["!="]), ("relation", r" (!=) ", ["=="]),
    ("arithmetic", r" (\+) ", ["-"]), ("arithmetic", r"[\w)\]] (-) ", ["+"]), ("arithmetic", r"[\w)\]] (\*) ", ["/"]),
    ("arithmetic", r" (/) ", ["*"]), ("arithmetic", r" (%) ", ["/"]), ("arithmetic", r" (\+=) ", ["-="]), ("arithmetic", r" (-=) ", ["+="]),
    ("arithmetic", r" (\*=) ", ["/="]), ("arithmetic", r" (/=) ", ["*="]), ("logic", r" (&&) ", ["||"]), ("logic", r" (\|\|) ", ["&&"]),
    ("logic", r"(?<![\w)!=])(!)(?=[\w(])", [""]), ("boolean", r"\b(true)\b", ["false"]), ("boolean", r"\b(false)\b", ["true"]),
    ("choice", r"\bstd::(min)\b", ["max"]), ("choice", r"\bstd::(max)\b", ["min"]), ("choice", r"\b(min_element)\b", ["max_element"]),
    ("choice", r"\b(max_element)\b", ["min_element"]), ("choice", r"\b(lower_bound)\b", ["upper_bound"]),
    ("choice", r"\b(upper_bound)\b", ["lower_bound"]), ("choice", r"\b(any_of)\b", ["all_of"]), ("choice", r"\b(all_of)\b", ["any_of"]),
    ("choice", r"\.(front)\(\)", ["back"]), ("choice", r"\.(back)\(\)", ["front"]), ("choice", r"\bstd::(floor)\b", ["ceil"]),
    ("choice", r"\bstd::(ceil)\b", ["floor"]), ("choice", r"\bstd::(ranges::)?(greater)\b", ["less"]), ("choice", r"\bstd::(less)\b", ["greater"]),
    ("choice", r"\b(break);", ["continue"]), ("choice", r"\b(continue);", ["break"]),
    ("result", r"\breturn ([^;{}]+);", ["{}"]),
]
NUMBER = re.compile(r"(?<![\w.'])(\d+\.\d*(?:e-?\d+)?f?|\d+e-?\d+f?|\d+)(?![\w.'])")
STATEMENT = re.compile(r"^(\s*(?:(?:if|for|while) \(.*\) |else )?)([^\s].*;)$")
DECLARATION = re.compile(r"^(?:const |static |constexpr |thread_local )*[\w:]+(?:<.*>)?[&*]* [\w\[{]+.*;$|^(?:using|typedef|namespace|struct|class|enum)\b|^(?:const|static|auto|thread_local)\b")


def masked(text):
    """the text with comments, strings and preprocessor lines blanked out, as long as before"""
    pattern = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<!\w)\'(?:\\.|[^\'\\\n])\'|^#[^\n]*', re.S | re.M)
    return pattern.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)


def enumerators():
    """enumerator -> the others of its enum, for enums of our headers and sources"""
    others = {}
    for path in (ROOT / "src").rglob("*.[hc]*"):
        for name, body in re.findall(r"enum class (\w+)[^{;]*\{([^}]*)\}", masked(path.read_text())):
            values = re.findall(r"\bk\w+", body)
            for value in values:
                others[f"{name}::{value}"] = [f"{name}::{v}" for v in values if v != value]
    return others


def numbers_near(text):
    if re.fullmatch(r"\d+", text):
        return [str(int(text) + 1)] + ([str(int(text) - 1)] if int(text) > 0 else [])
    bare = text.rstrip("f")
    return [f"(2 * {text})"] if float(bare) else [text.replace("0", "1", 1)]


def condition_end(code, at):
    """the place of the bracket that closes the one at `at`"""
    depth = 0
    for i in range(at, len(code)):
        depth += {"(": 1, ")": -1}.get(code[i], 0)
        if depth == 0:
            return i
    return None


def mutations_of(path, enums):
    """all faults of one file: (offset, old, new, kind)"""
    text = (ROOT / path).read_text()
    code = masked(text)
    found = []
    for kind, pattern, replacements in RULES:
        for match in re.finditer(pattern, code):
            group = match.lastindex
            found += [(match.start(group), text[match.start(group):match.end(group)], new, kind) for new in replacements]
    for match in NUMBER.finditer(code):
        found += [(match.start(), match[0], new, "constant") for new in numbers_near(match[0])]
    for match in re.finditer(r"\b\w+::k\w+\b", code):
        found += [(match.start(), match[0], new, "enum") for new in enums.get(match[0], [])]
    for match in re.finditer(r"\b(?:if|while) (\()", code):
        end = condition_end(code, match.start(1))
        if end is not None and "\n" not in code[match.start(1):end]:
            old = text[match.start(1):end + 1]
            found.append((match.start(1), old, f"(!{old})", "condition"))
    offset = 0
    for line in code.splitlines(keepends=True):
        match = STATEMENT.match(line.rstrip("\n"))
        body = match and match[2].strip()
        if match and not DECLARATION.match(body) and not body.startswith(("return ", "}", "public", "private")):
            at = offset + match.start(2)
            whole_brackets = all(body.count(a) == body.count(b) for a, b in ("()", "{}", "[]"))
            if whole_brackets:
                found.append((at, text[at:offset + match.end(2)], ";", "dropped"))
        offset += len(line)
    # guards against our own bugs, and room made in advance, change nothing that a test could see
    lines = text.splitlines()
    quiet = [bool(re.search(r"ALPS_CHECK|\breserve\(|static_assert|^\s*template", line)) for line in lines]
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    result = []
    for at, old, new, kind in found:
        number = next(n for n in range(len(lines)) if starts[n] <= at < starts[n + 1])
        if not quiet[number]:
            result.append(dict(file=str(path), line=number + 1, at=at, old=old, new=new, kind=kind))
    return result


def draw(files, seed):
    """All faults in random order: first a line, then one of its faults, so that lines with many operators do not crowd out the
    others; what is left of those lines comes after."""
    enums = enumerators()
    rng = random.Random(seed)
    by_line = {}
    for path in files:
        for m in mutations_of(path, enums):
            by_line.setdefault((m["file"], m["line"]), []).append(m)
    rounds = []
    for faults in by_line.values():
        rng.shuffle(faults)
        rounds += [(i, rng.random(), m) for i, m in enumerate(faults)]
    return [m for _, _, m in sorted(rounds, key=lambda r: r[:2])]


def sync():
    """the copy of the tree: what differs is copied, so that little is built again"""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, check=True, capture_output=True, text=True).stdout.splitlines()
    wanted = {f for f in listed if (ROOT / f).is_file()}
    for name in wanted:
        source, target = ROOT / name, TREE / name
        if not target.exists() or target.read_bytes() != source.read_bytes():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target)
    for folder in ("src", "apps", "tests"):
        for path in (TREE / folder).rglob("*"):
            if path.is_file() and str(path.relative_to(TREE)) not in wanted:
                path.unlink()
    if not (TREE / ".venv").exists():
        (TREE / ".venv").symlink_to(ROOT / ".venv")


def call(*command, timeout=None, **kwargs):
    try:
        done = subprocess.run([str(c) for c in command], capture_output=True, text=True, errors="replace", timeout=timeout, **kwargs)
        return done.returncode, done.stdout + done.stderr
    except subprocess.TimeoutExpired:
        return None, ""


def ninja(jobs, *targets):
    return call("ninja", "-C", BUILD, "-j", jobs, *targets)


class Tests:
    """the test programs of the copy, and which sources each can see"""

    def __init__(self, args):
        self.jobs, self.pytest = args.jobs, args.pytest
        code, told = call("cmake", "--preset", "release", cwd=TREE)  # each time: files come and go
        if code:
            sys.exit(told)
        listed = call("ninja", "-C", BUILD, "-t", "targets", "all")[1]
        self.programs = sorted(set(re.findall(r"^(tests/\w+_test):", listed, re.M)))
        self.sees = {p: set(re.findall(r"src/alps/\S+\.cc\b", call("ninja", "-C", BUILD, "-t", "inputs", p)[1])) for p in self.programs}

    def program_of(self, path):
        """those that see the file, its own room's first"""
        room = pathlib.Path(path).parts[2]
        seeing = [p for p in self.programs if path in self.sees[p]]
        return sorted(seeing, key=lambda p: (p != f"tests/{room}_test", p))

    def measure(self, files):
        """builds and runs everything once without a fault; how long each program takes"""
        programs = sorted({p for f in files for p in self.program_of(f)})
        code, told = ninja(self.jobs, *programs, *(["apps/alps"] if self.pytest else []))
        if code:
            sys.exit(told[-3000:])
        self.seconds = {}
        for program in [*programs, *self.pytest]:
            start = time.time()
            if failed := self.run(program, 1200):
                sys.exit(f"{program} fails without any fault: {failed}")
            self.seconds[program] = time.time() - start

    def run(self, program, timeout):
        """None if it passes, else what failed"""
        if program in self.pytest:
            code, told = call(ROOT / ".venv/bin/python", "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", TREE / program,
                              env={**os.environ, "ALPS_BUILD": str(BUILD)}, timeout=timeout)
            failed = re.search(r"^FAILED \S*?::(\S+)", told, re.M)
        else:
            code, told = call(BUILD / program, "--gtest_fail_fast", "--gtest_brief=1", timeout=timeout)
            failed = re.search(r"^\[  FAILED  \] (\S+?)(?: \(|$)", told, re.M)
        if code == 0:
            return None
        return "too long" if code is None else failed[1] if failed else f"exit code {code}"

    def judge(self, mutation):
        programs = self.program_of(mutation["file"])
        own = [p for p in programs if p == f"tests/{pathlib.Path(mutation['file']).parts[2]}_test"]
        # the room's own tests first; most faults end there
        for batch in [own, [p for p in programs if p not in own], self.pytest]:
            if not batch:
                continue
            code, told = ninja(self.jobs, *(["apps/alps"] if batch is self.pytest else batch))
            if code:
                return "not compiled", next((line for line in told.splitlines() if "error:" in line), told[-300:])
            with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
                tries = {pool.submit(self.run, p, 30 + 5 * self.seconds[p]): p for p in batch}
                for done in concurrent.futures.as_completed(tries):
                    if failed := done.result():
                        return "killed", f"{tries[done]}: {failed}"
        return "survived", f"{len(programs) + len(self.pytest)} programs pass"


    def attempt(self, mutation):
        """puts the fault in, judges, takes it out again"""
        start, target, text = time.time(), TREE / mutation["file"], (ROOT / mutation["file"]).read_text()
        target.write_text(PRAGMAS + changed(mutation, text))
        try:
            mutation["status"], mutation["by"] = self.judge(mutation)
        finally:
            target.write_text(text)
        mutation |= {"diff": diff(mutation), "seconds": round(time.time() - start, 1)}


def changed(mutation, text):
    at, old = mutation["at"], mutation["old"]
    assert text[at:at + len(old)] == old, f"{mutation['file']} has changed"
    return text[:at] + mutation["new"] + text[at + len(old):]


def diff(mutation):
    text = (ROOT / mutation["file"]).read_text()
    lines = difflib.unified_diff(text.splitlines(), changed(mutation, text).splitlines(), mutation["file"], "", lineterm="", n=2)
    return "\n".join(list(lines)[2:])


def report(number, mutation):
    print(f"{number:4} {mutation['status']:12} {mutation['file']}:{mutation['line']} {mutation['kind']}: "
          f"{mutation['old'][:50]!r} -> {mutation['new'][:50]!r}   {mutation['by'][:80]} ({mutation['seconds']:.0f} s)", flush=True)


def summary(results):
    rooms = {}
    for r in results:
        if r["status"] != "not compiled":
            room = rooms.setdefault(pathlib.Path(r["file"]).parts[2], [0, 0])
            room[r["status"] == "killed"] += 1
    killed = sum(k for _, k in rooms.values())
    total = sum(s + k for s, k in rooms.values())
    for room, (s, k) in sorted(rooms.items()):
        print(f"{room:10} {k:4} of {k + s:4} noticed")
    stillborn = sum(r["status"] == "not compiled" for r in results)
    print(f"{'all':10} {killed:4} of {total:4} noticed ({100 * killed / max(1, total):.0f} %), {stillborn} more did not compile")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", metavar="PATH", help="files, or folders with .cc files (default: plan, graph, eval, data and run)")
    parser.add_argument("--count", type=int, default=100, help="faults that compile, to try in all (default 100)")
    parser.add_argument("--seed", type=int, default=0, help="of the choice of faults")
    parser.add_argument("--jobs", type=int, default=1, help="compilers and test programs at once (default 1)")
    parser.add_argument("--pytest", action="append", default=[], metavar="FILE", help="also run this file of Python tests; may be given several times")
    parser.add_argument("--log", type=pathlib.Path, default=ROOT / "build/mutations.jsonl", help="where results are kept (default build/mutations.jsonl)")
    parser.add_argument("--again", action="store_true", help="only try the survivors of the log again (in PATHs, if any are given)")
    parser.add_argument("--list", action="store_true", help="only show the log: survivors as diffs, and the sums")
    args = parser.parse_args()

    results = [json.loads(line) for line in args.log.read_text().splitlines()] if args.log.exists() else []
    if args.list:
        for r in results:
            if r["status"] == "survived":
                print(f"{r['file']}:{r['line']} ({r['kind']})\n{r['diff']}\n")
        return summary(results)

    paths = args.paths or [f"src/alps/{room}" for room in ("plan", "graph", "eval", "data", "run")]
    files = []
    for path in map(pathlib.Path, paths):
        path = path.resolve().relative_to(ROOT)
        files += map(str, sorted(p.relative_to(ROOT) for p in (ROOT / path).rglob("*.cc")) if (ROOT / path).is_dir() else [path])
    if not files:
        parser.error("no .cc files there")
    sync()
    tests = Tests(args)
    unseen = [f for f in files if not tests.program_of(f)]
    for f in unseen:
        print(f"{f}: no C++ test program sees it")
    print(f"building and running the tests of {len(files)} files without a fault ...", flush=True)
    tests.measure(files)
    if args.again:
        for number, mutation in enumerate(r for r in results if r["status"] == "survived" and r["file"] in files):
            tests.attempt(mutation)
            args.log.write_text("".join(json.dumps(r) + "\n" for r in results))
            report(number + 1, mutation)
        return summary(results)
    known = {(r["file"], r["sha"], r["at"], r["old"], r["new"]) for r in results}
    compiled = sum(r["status"] != "not compiled" for r in results)
    args.log.parent.mkdir(parents=True, exist_ok=True)
    for mutation in draw(files, args.seed):
        if compiled >= args.count:
            break
        mutation["sha"] = hashlib.sha1((ROOT / mutation["file"]).read_bytes()).hexdigest()[:10]
        if (mutation["file"], mutation["sha"], mutation["at"], mutation["old"], mutation["new"]) in known:
            continue
        tests.attempt(mutation)
        with args.log.open("a") as log:
            log.write(json.dumps(mutation) + "\n")
        results.append(mutation)
        compiled += mutation["status"] != "not compiled"
        report(compiled, mutation)
    summary(results)


if __name__ == "__main__":
    main()
