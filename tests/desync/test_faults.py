"""Each planted fault in a match over real ENet: detected, the cell named, the class concluded, the
system and the line found. With --document FILE the table of docs/desync.md is written anew.

A scenario says how the second client comes to differ; everything else is the same."""
import argparse
import collections
import concurrent.futures
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
DIVERGED = 1
PATIENCE_S = 60
TICKS, RATE = 160, 60

# class (two words where what a thread keeps to itself is both); who is named: the system, or "-" where the fault is no system's doing (then those that may
# write the cell are named); whether the line with FAULT is, or another one that the text explains.
Fault = collections.namedtuple("Fault", "how kind system line what")
LINE, NO_LINE = True, False
FAULTS = {
    "arrival_order": Fault("threads", "order_race", "judge", LINE, "pages are taken in the order in which threads arrive"),
    "bit_flip": Fault("env", "memory_fault", "move", NO_LINE, "one bit of a cell changes by itself, once"),
    "client_state": Fault("bots", "outside_state", "-", NO_LINE, "what a client's bot remembers is read by a system"),
    "environment": Fault("env", "outside_state", "-", NO_LINE, "an environment variable decides"),
    "float_contraction": Fault("other", "build_difference", "move", LINE, "a build with fused multiply-add"),
    "hash_order": Fault("plain", "address_dependence", "move", LINE, "a table hashed by address is walked"),
    "input_truncated": Fault("env", "input_mismatch", "command", NO_LINE, "a tick's inputs are cut short on one side"),
    "libm": Fault("preload", "build_difference", "move", LINE, "exp() of another C library"),
    "order_race": Fault("shuffle", "order_race", "drift", NO_LINE, "an untrue `ls_independent` hides two writers"),
    "pointer_as_number": Fault("plain", "address_dependence", "move", LINE, "a pointer is stored as a number"),
    "rand_call": Fault("plain", "machine_dependence", "judge", LINE, "random() seeded by time"),
    "rounding_mode": Fault("bots", "outside_state", "move", LINE, "a client's view changes the rounding mode"),
    "stale_reference": Fault("plain", "unsaved_state", "move", LINE, "a pointer to a cell is kept over ticks"),
    "static_counter": Fault("late", "unsaved_state", "move", LINE, "a static counter; the client joins late"),
    "thread_number": Fault("threads", "order_race unsaved_state", "move", LINE, "a thread-local counter is read"),
    "toy_build": Fault("other", "build_difference", "inertia", LINE, "signed overflow, wrapping in one build"),
    "toy_clock": Fault("plain", "machine_dependence", "inertia", LINE, "the monotonic clock (toyphys)"),
    "toy_static": Fault("late", "unsaved_state", "inertia", LINE, "a static counter (toyphys)"),
    "undeclared_write": Fault("threads", "undeclared_access", "steer", LINE, "a write through a pointer lent for reading"),
    "uninitialised_field": Fault("plain", "uninitialised_read", "move", LINE, "a member of malloc's memory that nobody set"),
    "unsaved_cache": Fault("late", "unsaved_state", "move", LINE, "a cache that no snapshot holds"),
    "unstable_sort": Fault("plain", "address_dependence", "judge", NO_LINE, "equal keys sorted by where malloc put them"),
    "view_writes": Fault("bots", "outside_state", "-", NO_LINE, "a client's view writes into the world"),
    "wall_clock": Fault("plain", "machine_dependence", "judge", LINE, "the time of day"),
}
Found = collections.namedtuple("Found", "cell cell_ms kind system line report_s where_ms problems")


class Trial:
    def __init__(self, build, name, compiler):
        self.binary = os.path.join(build, "cli", "lockstep")
        self.modules = os.path.join(build, "tests", "desync")
        self.name, self.fault = name, FAULTS[name]
        self.folder = tempfile.mkdtemp(prefix=f"lockstep-{name}-")
        self.problems = []
        self.compiler = compiler

    def module(self, suffix=""):
        return os.path.join(self.modules, f"fault_{self.name}{suffix}.so")

    def start(self, *arguments, **environment):
        return subprocess.Popen([self.binary, *arguments], cwd=self.folder, text=True,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, env=dict(os.environ, **environment))

    def join(self, address, known, *options, sim=None, **environment):
        return self.start("join", address, "--sim", sim or self.module(), "--known-servers", known,
                          *options, **environment)

    def second(self, address):
        """The client that comes to differ."""
        how, bots = self.fault.how, ("--bots", "1")
        if how == "late":
            time.sleep(1.2)
        if how == "threads":
            return self.join(address, "k2", *bots, "--threads", "2", "--share-from", "1")
        if how == "shuffle":
            return self.join(address, "k2", *bots, "--shuffle", "3")
        if how == "env":
            return self.join(address, "k2", *bots, LOCKSTEP_FAULT="yes")
        if how == "other":
            return self.join(address, "k2", *bots, sim=self.module("_other"))
        if how == "preload":
            return self.join(address, "k2", *bots,
                             LD_PRELOAD=os.path.join(self.modules, "other_libm.so"))
        return self.join(address, "k2", *bots)

    def play(self):
        server = subprocess.Popen(
            [self.binary, "serve", "--sim", self.module(), "--bind", "127.0.0.1", "--port", "0",
             "--identity", "id", "--tick-rate", str(RATE), "--ticks", str(TICKS), "--desync",
             "report", "--players", "4", "--quiet", "--record", self.folder],
            cwd=self.folder, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=open(os.path.join(self.folder, "log"), "w", encoding="utf-8"))
        address = None
        for line in server.stdout:
            found = re.match(r"listening (\S+)", line)
            if found:
                address = found.group(1)
                break
        first = self.join(address, "k1", *(() if self.fault.how == "bots" else ("--bots", "1")))
        second = self.second(address)
        for client in (first, second):
            client.communicate(timeout=PATIENCE_S)
        server.wait(PATIENCE_S)
        if DIVERGED not in (first.returncode, second.returncode):
            self.problems.append("no client diverged")

    def log(self):
        with open(os.path.join(self.folder, "log"), encoding="utf-8") as log:
            return log.read()

    def expect(self, is_good, text):
        if not is_good:
            self.problems.append(text)

    def explain(self):
        """The report about the bundle, as JSON."""
        bundles = sorted(glob.glob(os.path.join(self.folder, "*.desync-*")))
        if not bundles:
            self.problems.append("no bundle was written")
            return None, 0
        options = ["--other", self.module("_other")] if self.fault.how == "other" else []
        begin = time.monotonic()
        done = subprocess.run([self.binary, "explain", "--json", bundles[0], "--sim", self.module(),
                               *options], capture_output=True, text=True, timeout=2 * PATIENCE_S,
                              check=False)
        if done.returncode != 0:
            self.problems.append(f"explain ends with {done.returncode}: {done.stderr}")
            return None, 0
        return json.loads(done.stdout), time.monotonic() - begin

    def fault_line(self):
        path = os.path.join(HERE, "faults", self.name + ".c")
        with open(path, encoding="utf-8") as source:
            lines = source.read().splitlines()
        return [i + 1 for i, line in enumerate(lines) if line.endswith("/* FAULT */")]

    def check_where(self, where):
        """The system, `file:line`, and the time that was needed."""
        system = where["system"] or "-"
        self.expect(system == self.fault.system, f"system {system}, not {self.fault.system}")
        stores = [side["store"] for side in where["sides"] if side["store"]]
        places = [f"{os.path.basename(store['file'] or '?')}:{store['line']}" for store in stores]
        right = [f"{self.name}.c:{line}" for line in self.fault_line()]
        if self.fault.line == LINE and self.compiler != "GNU":
            # Clang counts some stores to the line where the function begins.
            self.expect(any(place.startswith(self.name + ".c:") for place in places),
                        f"line {places}, not of {self.name}.c")
        elif self.fault.line == LINE:
            self.expect(set(places) & set(right), f"line {places}, not {right}")
        at = next((place for place in places if place in right), places[0] if places else "-")
        return system, at, where["system_ms"] + where["store_ms"]

    def run(self):
        self.play()
        log = self.log()
        cell = re.search(r"^desync_cell .* component=(\S+)(?: entity=(\S+))? field=(\S+) .* ms=(\d+)", log,
                         re.MULTILINE)
        self.expect(re.search(r"^desync tick=", log, re.MULTILINE), "not detected")
        self.expect(cell, "no cell was named")
        report, seconds = self.explain()
        kind, system, line, where_ms = "?", "?", "?", 0
        if report:
            kind = report["class"]
            self.expect(kind in self.fault.kind.split(), f"class {kind}, not {self.fault.kind}")
            self.expect(report["where"], f"nothing was found in the tick: {report['unknown']}")
            if report["where"]:
                system, line, where_ms = self.check_where(report["where"])
        name = f"{cell.group(1)}.{cell.group(3)}" if cell else "?"
        if not self.problems:
            shutil.rmtree(self.folder)
        return Found(name, int(cell.group(4)) if cell else 0, kind, system, line, seconds, where_ms,
                     self.problems)


def table(results):
    lines = ["| Fault | what it is | class | cell, named after | system | line | report |",
             "| --- | --- | --- | --- | --- | --- | --- |"]
    for name, found in results.items():
        lines.append(f"| `{name}` | {FAULTS[name].what} | {found.kind.replace('_', ' ')} | "
                     f"`{found.cell}`, {found.cell_ms} ms | {found.system} | {found.line} | "
                     f"{found.report_s:.1f} s, of it {found.where_ms:.0f} ms in the tick |")
    return "\n".join(lines) + "\n"


def document(path, results):
    begin, end = "<!-- faults: begin -->\n", "<!-- faults: end -->"
    with open(path, encoding="utf-8") as page:
        text = page.read()
    head, rest = text.split(begin)
    tail = rest.split(end)[1]
    with open(path, "w", encoding="utf-8") as page:
        page.write(head + begin + table(results) + end + tail)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True)
    parser.add_argument("--document", metavar="FILE")
    parser.add_argument("--compiler", default="GNU", help="that built it, as CMake names it")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("faults", nargs="*", help="all of them when left out")
    options = parser.parse_args()
    names = options.faults or sorted(FAULTS)
    results, failed = {}, 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for name, found in zip(names, pool.map(lambda n: Trial(options.build, n, options.compiler).run(), names)):
            results[name] = found
            failed += bool(found.problems)
            print(f"{'FAILED' if found.problems else 'good':6} {name:20} {found.kind:19} "
                  f"{found.cell:20} {found.system:8} {found.line:26} {'; '.join(found.problems)}",
                  flush=True)
    if options.document and not failed:
        document(options.document, results)
    print(f"{len(results) - failed} of {len(results)} found, and named rightly")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
