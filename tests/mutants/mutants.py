#!/usr/bin/env python3
"""Plants small faults in the engine, one at a time, and checks whether a test detects each.

  mutants.py             all faults of faults.py; exit code 1 unless every test named for a fault detects it
  mutants.py --list      lists the faults with their tests
  mutants.py --only N    the faults with names that contain N
  mutants.py --check     only checks that every fault still matches its text

Each job copies the tree to a scratch directory and builds it there. A fault then costs one source file, the
programs that link it, and the tests named for it. A test that fails without a fault, a fault that does not
compile, or one without its text in the source is an error: it would prove nothing.
"""
import argparse
import json
import os
import queue
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

from faults import FAULTS

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SKIPPED = {".git", "build", "out", "__pycache__"}
SKIP_CODE = 77


class Broken(Exception):
    """The runner cannot decide anything about this fault."""


def count_of(root, fault):
    with open(os.path.join(root, fault.file), encoding="utf-8") as file:
        return file.read().count(fault.text)


def misfits(root, faults):
    """One line for each fault that cannot be planted because its text does not occur exactly once."""
    found = []
    for fault in faults:
        count = count_of(root, fault) if os.path.exists(os.path.join(root, fault.file)) else 0
        if count != 1:
            found.append(f"{fault.name}: {fault.file} holds its text {count} times, not once")
        if fault.text == fault.replacement:
            found.append(f"{fault.name}: changes nothing")
    return found


def killer(target, output, code):
    """The test that detected the fault: the failed case of a cmocka program, or the one that crashed."""
    failed = re.search(r"^\[  FAILED  \] (test_\w+)", output, re.MULTILINE)
    if failed:
        return failed.group(1)
    running = re.findall(r"^\[ RUN      \] (\w+)", output, re.MULTILINE)
    how = "timeout" if code is None else f"signal {-code}" if code < 0 else f"exit {code}"
    return f"{running[-1] if running else target} ({how})"


def read_to_first_failure(running, timeout_s):
    """The output, and whether the program ended by itself. It is killed at the first failed case, because a fault
    may make the cases after it hang, and at the timeout."""
    def kill():
        is_killed.set()
        os.killpg(running.pid, signal.SIGKILL)  # also kills the child processes that run the test cases

    is_killed, lines = threading.Event(), []
    timer = threading.Timer(timeout_s, kill)
    timer.start()
    for line in running.stdout:
        lines.append(line)
        if line.startswith("[  FAILED  ] test_") and not is_killed.is_set():
            kill()
    timer.cancel()
    return "".join(lines), not is_killed.is_set()


class Tree:
    """A copy of the sources, with a build directory of its own."""

    def __init__(self, scratch, number):
        self.sources = os.path.join(scratch, str(number), "tree")
        self.build = os.path.join(scratch, str(number), "build")

    def refresh(self):
        """Makes the copy equal to the original. Unchanged files keep their time stamp, so they are not rebuilt."""
        kept = set()
        for where, folders, names in os.walk(ROOT):
            folders[:] = [name for name in folders if name not in SKIPPED]
            for name in names:
                source = os.path.join(where, name)
                path = os.path.relpath(source, ROOT)
                kept.add(path)
                target = os.path.join(self.sources, path)
                os.makedirs(os.path.dirname(target), exist_ok=True)
                with open(source, "rb") as file:
                    content = file.read()
                if not os.path.exists(target) or open(target, "rb").read() != content:
                    shutil.copy(source, target)
        for where, _, names in os.walk(self.sources):
            for name in names:
                path = os.path.join(where, name)
                if os.path.relpath(path, self.sources) not in kept:
                    os.remove(path)

    def configure(self):
        arguments = ["cmake", "-S", self.sources, "-B", self.build, "-G", "Ninja",
                     "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_C_FLAGS_DEBUG=-O1",
                     "-DLOCKSTEP_TESTS=ON", "-DLOCKSTEP_WERROR=OFF"]
        if shutil.which("ccache"):
            arguments.append("-DCMAKE_C_COMPILER_LAUNCHER=ccache")
        self.run(arguments, "cannot configure")

    def make(self, targets):
        self.run(["ninja", "-C", self.build, "-j1", *(f"{target}_program" for target in targets)], "does not build")

    @staticmethod
    def run(arguments, what):
        done = subprocess.run(arguments, capture_output=True, text=True, errors="replace")
        if done.returncode != 0:
            raise Broken(f"{what}:\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
        return done.stdout

    def test(self, target, timeout_s):
        """None if the test passes, otherwise the case that detected the fault."""
        listed = json.loads(self.run(["ctest", "--test-dir", self.build, "--show-only=json-v1", "-R", f"^{target}$"],
                                     "has no tests"))["tests"]
        if not listed or "command" not in listed[0]:
            raise Broken(f"there is no test {target}")
        environment = {key: value for key, value in os.environ.items() if key != "LOCKSTEP_LONG"}
        environment["LOCKSTEP_NO_SHRINK"] = "1"
        with subprocess.Popen(listed[0]["command"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              errors="replace", env=environment, cwd=self.build,
                              start_new_session=True) as running:
            output, has_ended = read_to_first_failure(running, timeout_s)
            code = running.wait() if has_ended else None
        return killer(target, output, code) if code != 0 else None

    def judge(self, fault, timeouts_s):
        """For each test, the case that detected the fault, or None."""
        path = os.path.join(self.sources, fault.file)
        with open(path, encoding="utf-8") as file:
            original = file.read()
        try:
            with open(path, "w", encoding="utf-8") as file:
                file.write(original.replace(fault.text, fault.replacement))
            self.make(fault.tests)
            return {target: self.test(target, timeouts_s[target]) for target in fault.tests}
        finally:
            with open(path, "w", encoding="utf-8") as file:
                file.write(original)


def prepare(tree, faults):
    """Builds without a fault and checks that every test passes."""
    targets = sorted({target for fault in faults for target in fault.tests})
    tree.refresh()
    tree.configure()
    tree.make(targets)
    return targets


def verdict_of(noticed):
    """Every named test must detect the fault, so that a strong test cannot hide one that became weaker."""
    if not noticed:
        return "BROKEN"
    if all(noticed.values()):
        return "killed"
    return "MISSED" if any(noticed.values()) else "SURVIVED"


def describe(noticed):
    return ", ".join(f"{target}: {who}" if who else f"not {target}" for target, who in noticed.items())


def work(tree, waiting, timeouts_s, report):
    while True:
        try:
            fault = waiting.get_nowait()
        except queue.Empty:
            return
        started = time.monotonic()
        try:
            noticed = tree.judge(fault, timeouts_s)
            report(fault, noticed, describe(noticed), time.monotonic() - started)
        except Broken as broken:
            report(fault, {}, str(broken), time.monotonic() - started)


def run(faults, scratch, jobs):
    """The result of judge() for each fault; a fault that cannot be tried has none."""
    trees = [Tree(scratch, number) for number in range(jobs)]
    threads = ThreadPoolExecutor(jobs)
    targets = list(threads.map(lambda tree: prepare(tree, faults), trees))[0]
    timeouts_s = {}
    for target in targets:
        started = time.monotonic()
        noticed = trees[0].test(target, 600)
        if noticed:
            raise Broken(f"{target} fails without any fault: {noticed}")
        # A fault may hang the engine, so a limit is needed; a busy machine needs a generous one.
        timeouts_s[target] = 15 + 5 * (time.monotonic() - started)

    waiting = queue.Queue()
    for fault in faults:
        waiting.put(fault)
    lock, results = threading.Lock(), {}

    def report(fault, noticed, text, seconds):
        with lock:
            results[fault.name] = noticed
            print(f"{verdict_of(noticed):8}  {fault.name:38}  {text}  ({seconds:.1f} s)", flush=True)

    started = time.monotonic()
    list(threads.map(lambda tree: work(tree, waiting, timeouts_s, report), trees))
    killed = sum(verdict_of(noticed) == "killed" for noticed in results.values())
    print(f"{killed} of {len(faults)} faults killed in {time.monotonic() - started:.0f} s")
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--list", action="store_true", help="name the faults, what they break and their tests")
    parser.add_argument("--check", action="store_true", help="only look for their texts")
    parser.add_argument("--only", default="", metavar="NAME", help="faults with this in the name")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--scratch", default=os.path.join(ROOT, "build", "mutants"))
    parser.add_argument("--if-long", action="store_true",
                        help=f"exit {SKIP_CODE} at once unless LOCKSTEP_LONG is set")
    options = parser.parse_args()
    if options.if_long and not os.environ.get("LOCKSTEP_LONG"):
        return SKIP_CODE
    faults = [fault for fault in FAULTS if options.only in fault.name]
    if not faults:
        print(f"no fault has \"{options.only}\" in its name", file=sys.stderr)
        return 2
    if options.list:
        for fault in faults:
            print(f"{fault.name:38}  {fault.file:20}  {fault.breaks}: {', '.join(fault.tests)}")
        return 0
    wrong = misfits(ROOT, faults)
    for line in wrong:
        print(line)
    if wrong or options.check:
        return 1 if wrong else 0
    try:
        results = run(faults, options.scratch, max(1, min(options.jobs, len(faults))))
        return 1 if any(verdict_of(noticed) != "killed" for noticed in results.values()) else 0
    except Broken as broken:
        print(broken)
        return 1


if __name__ == "__main__":
    sys.exit(main())
