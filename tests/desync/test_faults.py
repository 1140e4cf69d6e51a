"""Plants each fault in a match over real ENet and checks the diagnosis: the tick, the cell, the class, the
system and the line, each within its time limit. --document FILE rewrites the table of docs/desync.md.

The scenario (`how`) says why the second client differs; everything else is the same."""
import argparse
import collections
import concurrent.futures
import datetime
import glob
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
DIVERGED = 1
TIMEOUT_S = 240
TICKS, RATE, EMULATED_RATE = 160, 60, 15

# Time limits. The verdict's limit counts from the tick's due time: one tick plus one round trip, which on
# loopback is the time that both sides sleep between polls. Load on the machine can add any delay, so a match
# with a late verdict is played again; one verdict in time is enough. A machine that wakes threads late all the time
# gets that time on top, once for each of the WAKES between the tick and the verdict, and between that and the cell.
# Those of the report are of processors, if other processes run beside it.
ROUND_TRIP_MS, BUSY_MS, PLAYS, WAKES = 10, 40, 12, 4
VERDICT_MS = 1000 / RATE + ROUND_TRIP_MS + BUSY_MS
CELL_MS, SYSTEM_S, LINE_S = 1000, 30, 60
PRELOADS = {"preload": "other_libm.so", "memory": "failing_memory.so"}
LATE_TICKS = 17  # a late client differs within these ticks: no fault that joins late has a longer period
BUSY_TICKS = RATE // 2  # from the late client's join to its snapshot
LATE_TICK = {"late": 60, "keyframes": 330}  # tick at which the client joins; with "keyframes", after several keyframes
KEYFRAME_TICKS = {"keyframes": 150, "often": 2}  # the server keeps every 16th state unmodified


def one(tick):
    """The fault depends on the tick alone, so the state differs first in exactly this tick."""
    return range(tick, tick + 1)


def each(period):
    """The fault acts at the end of each period and depends on a clock, an address or a thread; by chance both
    sides may agree."""
    return range(period, TICKS + 1, period)


ANY = each(1)
BOT = range(1, 10)  # a bot has played for the first time
BOT_LATER = one(32)  # the first tick that the bot's change affects

# kind: the expected class, or two words where either fits (thread-local state). system: the system that is
# named, or "-" if no system is at fault; then the systems that may write the cell are named. line: LINE if the
# line with FAULT is named, NO_LINE if another line is. cell: component and field, or two where either may
# differ first. ticks: the ticks in which the state may first differ.
Fault = collections.namedtuple("Fault", "how kind system line cell ticks what")
LINE, NO_LINE = True, False
X, Y = "Position.x", "Position.y"
FAULTS = {
    "arrival_order": Fault("threads", "order_race", "judge", LINE, "Roster.credit[2]", ANY,
        "pages are taken in the order in which threads arrive"),
    "bit_flip": Fault("memory", "memory_fault", "-", NO_LINE, "Roster.losses[1]", one(41),
        "one bit of a cell that no system stores changes by itself, once"),
    "client_state": Fault("bots", "outside_state", "-", NO_LINE, "Roster.score[0]", one(32),
        "what a client's bot remembers is read by a system"),
    "environment": Fault("env", "machine_dependence", "-", NO_LINE, "Roster.credit[1]", one(32),
        "an environment variable decides"),
    "equal_store": Fault("bots", "outside_state", "-", LINE, "Roster.credit[3]", BOT_LATER,
        "a system stores what was there, but for one bit of what a client's bot left"),
    "file_there": Fault("folder", "machine_dependence", "-", NO_LINE, "Roster.losses[1]", one(32),
        "a file that one machine has is asked for, which changes one bit"),
    "first_tick": Fault("keyframes", "unsaved_state", "move", LINE, X, range(LATE_TICK["keyframes"] - LATE_TICKS, 400),
        "what was seen first is kept; the client joins late, after keyframes"),
    "float_contraction": Fault("other", "build_difference", "move", LINE, X, one(1),
        "one file, without a probe, built with fused multiply-add"),
    "hash_order": Fault("plain", "address_dependence", "move", LINE, X, ANY,
        "a table hashed by address is walked"),
    "heap_cache": Fault("late", "unsaved_state", "move", LINE, X, ANY,
        "a cache in memory that the simulation allocates"),
    "input_truncated": Fault("env", "input_mismatch", "command", NO_LINE, X, ANY,
        "a tick's inputs are cut short on one side"),
    "libm": Fault("preload", "build_difference", "move", LINE, X, one(1),
        "exp() of another C library"),
    "once_a_tick": Fault("pair", "unsaved_state", "judge", LINE, "Roster.credit[1]", each(16),
        "a static variable says what was done in this tick; two worlds share a process"),
    "order_race": Fault("shuffle", "order_race", "drift", NO_LINE, X, ANY,
        "an untrue `ls_independent` hides two writers"),
    "pointer_as_number": Fault("plain", "address_dependence", "move", LINE, Y, one(41),
        "a pointer is stored as a number"),
    "rand_call": Fault("plain", "machine_dependence", "judge", LINE, "Roster.credit[1]", each(32),
        "random() seeded by time"),
    "rounding_mode": Fault("bots", "outside_state", "move", LINE, X, BOT,
        "a client's view changes the rounding mode"),
    "stale_reference": Fault("often", "unsaved_state", "move", LINE, X, each(16),
        "a pointer to a cell is kept over ticks"),
    "static_counter": Fault("late", "unsaved_state", "move", LINE, X, ANY,
        "a static counter; the client joins late"),
    "thread_number": Fault("threads", "order_race unsaved_state", "move", LINE, X, each(16),
        "a thread-local counter is read"),
    "toy_build": Fault("other", "build_difference", "inertia", LINE, "Pos.at", one(1),
        "signed overflow, wrapping in one build"),
    "toy_clock": Fault("plain", "machine_dependence", "inertia", LINE, "Pos.at", each(16),
        "the monotonic clock (toyphys)"),
    "toy_static": Fault("late", "unsaved_state", "inertia", LINE, "Pos.at", ANY,
        "a static counter (toyphys)"),
    "two_races": Fault("shuffle", "order_race", "gust halve lift damp", LINE, "Position.x Position.y", ANY,
        "two untrue `ls_independent` hide four writers"),
    "undeclared_write": Fault("threads", "undeclared_access", "steer", LINE, X, ANY,
        "a write through a pointer lent for reading"),
    "uninitialised_field": Fault("plain", "uninitialised_read", "move", LINE, X, each(32),
        "a member of malloc's memory that is never set"),
    "unsaved_cache": Fault("late", "unsaved_state", "move", LINE, X, each(16),
        "a cache that no snapshot holds"),
    "unset_flag": Fault("bots", "uninitialised_read", "move", LINE, X, each(32),
        "a flag in malloc's memory that is never set, of which only zero or not counts"),
    "unset_rank": Fault("pair", "uninitialised_read", "judge", NO_LINE, "Roster.credit[0]", each(16),
        "members of malloc's memory that are never set are compared"),
    "unstable_sort": Fault("plain", "address_dependence", "judge", NO_LINE, "Roster.credit[0]", each(16),
        "equal keys sorted by where malloc put them"),
    "view_writes": Fault("bots", "outside_state", "-", NO_LINE, "Roster.losses[0] Roster.losses[1]", BOT,
        "a client's view writes into the world"),
    "wall_clock": Fault("plain", "machine_dependence", "judge", LINE, "Roster.credit[0]", each(32),
        "the time of day"),
    "warm_up": Fault("keyframes", "unsaved_state", "move", LINE, X, range(272, 400, 16),
        "a count that no run of a few ticks comes to; joined after keyframes"),
    "wrong_substitute": Fault("env", "input_mismatch", "command", NO_LINE, "Standing.x[0]", range(2, 10),
        "another substitute for a state that did not come in time, on one side"),
}
# Faults without a named system: the reason in the report, and the one of `writers` that is to blame, if any.
NO_SYSTEM = {
    "client_state": ("no bot has played here, so `judge` stores nothing", "judge"),
    "environment": ("the variable is not set here, so `judge` stores nothing", "judge"),
    "bit_flip": ("the memory changes, no system stores", None),
    "file_there": ("the file is not there here, so `judge` stores nothing", "judge"),
    "equal_store": ("no bot has played here, so `judge` stores what was there", "judge"),
    "view_writes": ("the view stores, no system does", None),
}
# Whether a case from --to-test detects the fault on one machine. It cannot detect faults of the client's
# machine, process or libraries. Faults that depend on chance are not listed.
SEEN = {"float_contraction": True, "toy_build": True, "unsaved_cache": True, "static_counter": True,
        "first_tick": True, "heap_cache": True, "warm_up": True,
        "once_a_tick": True, "unset_rank": True,
        "bit_flip": False, "client_state": False, "equal_store": False, "file_there": False, "environment": False, "input_truncated": False,
        "libm": False, "rounding_mode": False, "view_writes": False, "wrong_substitute": False}
# qemu gives all processes the same addresses.
NOT_EMULATED = ("hash_order", "pointer_as_number", "unstable_sort")
Found = collections.namedtuple("Found", "tick late_ms cell cell_ms kind system line report_s where_ms note problems")


def time_of(event):
    """The time of a log event, in seconds since the epoch like time.time()."""
    return datetime.datetime.fromisoformat(event["time"].replace("Z", "+00:00")).timestamp()


class Sleeper(threading.Thread):
    """Sleeps for a tick again and again; `late_ms` is the longest time for which it then had to wait for a processor."""

    def __init__(self):
        super().__init__(daemon=True)
        self.late_ms, self.is_over = 0.0, threading.Event()

    def run(self):
        while not self.is_over.is_set():
            begin = time.monotonic()
            time.sleep(1 / RATE)
            self.late_ms = max(self.late_ms, 1000 * (time.monotonic() - begin - 1 / RATE))

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.is_over.set()
        self.join()


class Trial:
    def __init__(self, build, name, compiler, emulator=""):
        self.emulator = emulator
        # A process starts slowly in an emulator, and each question between server and client takes longer.
        self.rate = EMULATED_RATE if emulator else RATE
        self.evidence = ("--evidence-ms", "10000") if emulator else ()
        self.binary = os.path.join(build, "cli", "lockstep")
        self.modules = os.path.join(build, "tests", "desync")
        self.name, self.fault = name, FAULTS[name]
        self.folder = tempfile.mkdtemp(prefix=f"lockstep-{name}-")
        self.problems = []
        self.note = ""  # why no system or no line is named
        self.compiler = compiler

    def module(self, suffix=""):
        return os.path.join(self.modules, f"fault_{self.name}{suffix}.so")

    def command(self):
        return [*shlex.split(self.emulator), self.binary]

    def environment(self, **more):
        """The emulator loads the preloaded libraries, and the program starts itself again in it."""
        if self.emulator:
            shim = os.path.join(self.modules, "emulated_execve.so")
            more["LD_PRELOAD"] = ":".join([shim, *filter(None, [more.get("LD_PRELOAD")])])
            more["LOCKSTEP_EMULATOR"] = self.emulator
        return dict(os.environ, **more)

    def start(self, *arguments, cwd=None, **environment):
        return subprocess.Popen([*self.command(), *arguments], cwd=cwd or self.folder, text=True,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, env=self.environment(**environment))

    def call(self, *arguments):
        return subprocess.run([*self.command(), *arguments], capture_output=True, text=True,
                              timeout=2 * TIMEOUT_S, env=self.environment(), check=False)

    def join(self, address, known, *options, sim=None, **environment):
        return self.start("join", address, "--sim", sim or self.module(), "--known-servers", known,
                          *self.evidence, *options, **environment)

    def second(self, address):
        """Starts the client that will differ."""
        how, bots = self.fault.how, ("--bots", "1")
        if how in LATE_TICK:
            self.wait_tick(LATE_TICK[how])
        if how == "pair":
            return self.join(address, "k2", "--bots", "2")
        if how == "threads":
            return self.join(address, "k2", *bots, "--threads", "2", "--share-from", "1")
        if how == "shuffle":
            return self.join(address, "k2", *bots, "--shuffle", "3")
        if how == "env":
            return self.join(address, "k2", *bots, LOCKSTEP_FAULT="yes")
        if how == "other":
            return self.join(address, "k2", *bots, sim=self.module("_other"))
        if how in PRELOADS:
            return self.join(address, "k2", *bots, LD_PRELOAD=os.path.join(self.modules, PRELOADS[how]))
        if how == "folder":
            folder = os.path.join(self.folder, "elsewhere")
            os.mkdir(folder)
            open(os.path.join(folder, "cheat"), "w", encoding="utf-8").close()
            return self.join(address, "k2", *bots, cwd=folder)
        return self.join(address, "k2", *bots)

    def ticks(self):
        return TICKS + LATE_TICK.get(self.fault.how, LATE_TICK["late"]) - LATE_TICK["late"]

    def wait_tick(self, tick):
        """Sleeps until the tick is due. Ticks begin when the first client joins."""
        end_s = time.time() + TIMEOUT_S
        while self.start_s() is None and time.time() < end_s:
            time.sleep(0.01)
        if self.start_s():
            time.sleep(max(0, self.start_s() + tick / self.rate - time.time()))

    def play(self):
        wait = "1" if self.fault.how in LATE_TICK else "2"
        how = self.fault.how
        keyframes = ("--keyframe-ticks", str(KEYFRAME_TICKS[how])) if how in KEYFRAME_TICKS else ()
        server = subprocess.Popen(
            [*self.command(), "serve", "--sim", self.module(), "--bind", "127.0.0.1", "--port", "0",
             "--identity", "id", "--tick-rate", str(self.rate), "--ticks", str(self.ticks()), "--desync",
             "report", *keyframes, *self.evidence, "--players", "4", "--wait", wait, "--quiet", "--record", self.folder],
            cwd=self.folder, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=open(os.path.join(self.folder, "log"), "w", encoding="utf-8"), env=self.environment())
        address = None
        for line in server.stdout:
            found = re.match(r"listening (\S+)", line)
            if found:
                address = found.group(1)
                break
        first = self.join(address, "k1", *(() if self.fault.how == "bots" else ("--bots", "1")))
        second = self.second(address)
        for client in (first, second):
            client.communicate(timeout=TIMEOUT_S)
        server.wait(TIMEOUT_S)
        if DIVERGED not in (first.returncode, second.returncode):
            self.problems.append("no client diverged")

    def log(self):
        with open(os.path.join(self.folder, "log"), encoding="utf-8") as log:
            return log.read()

    def events(self, name):
        """The log lines that begin with this event name, each as a dictionary."""
        return [dict(re.findall(r"(\w+)=(\S+)", line)) for line in self.log().splitlines()
                if line.startswith(name + " ")]

    def start_s(self):
        start = self.events("start")
        return time_of(start[0]) if start else None

    def expect(self, is_good, text):
        if not is_good:
            self.problems.append(text)

    def explain(self):
        """The report of `lockstep explain` about the bundle, as JSON, and its seconds."""
        bundles = sorted(glob.glob(os.path.join(self.folder, "*.desync-*")))
        if not bundles:
            self.problems.append("no bundle was written")
            return None, 0
        begin = time.monotonic()
        with open(os.path.join(self.folder, "report"), "w+", encoding="utf-8") as out, \
                open(os.path.join(self.folder, "report.errors"), "w+", encoding="utf-8") as errors:
            child = subprocess.Popen([*self.command(), "explain", "--json", bundles[0], "--sim", self.module(), *self.other()],
                                     stdout=out, stderr=errors, env=self.environment())
            _, status, used = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
            out.seek(0)
            errors.seek(0)
            if child.returncode != 0:
                self.problems.append(f"explain ends with {child.returncode}: {errors.read()}")
                return None, 0
            return json.load(out), min(time.monotonic() - begin, used.ru_utime + used.ru_stime)

    def other(self):
        return ["--other", self.module("_other")] if self.fault.how == "other" else []

    def check_case(self):
        """Makes a test case from the bundle and runs it in a folder without any file of the match."""
        bundle = sorted(glob.glob(os.path.join(self.folder, "*.desync-*")))[0]
        folder = tempfile.mkdtemp(prefix=f"lockstep-{self.name}-case-")
        made = self.call("explain", "--json", "--to-test", folder, "--sim", self.module(), *self.other(), bundle)
        self.expect(made.returncode == 0, f"--to-test ends with {made.returncode}: {made.stderr}")
        recording = glob.glob(os.path.join(self.folder, "*.lsr"))[0]
        moved = os.path.join(folder, "match")
        os.rename(recording, moved)
        if self.name == "unsaved_cache":
            self.check_start(bundle, moved, os.path.basename(recording))
        if self.name == "first_tick":
            self.check_late(bundle)
        os.remove(moved)
        with open(os.path.join(folder, "CMakeLists.txt"), encoding="utf-8") as listing:
            text = listing.read()
        command = re.search(r"COMMAND (.*)\)", text, re.S).group(1)
        for name, value in (("LOCKSTEP}", self.binary), ("LOCKSTEP_SIM}", self.module()),
                            ("LOCKSTEP_SIM_OTHER}", self.module("_other")),
                            ("CMAKE_CURRENT_LIST_DIR}", folder)):
            command = command.replace("${" + name, value)
        done = subprocess.run([*shlex.split(self.emulator), *shlex.split(command)], capture_output=True, text=True,
                              timeout=2 * TIMEOUT_S, env=self.environment(), check=False)
        is_seen = SEEN[self.name]
        self.expect(done.returncode == (DIVERGED if is_seen else 0),
                    f"the case ends with {done.returncode}: {done.stdout}{done.stderr}")
        said = json.loads(made.stdout)["test"]["passes"] if made.returncode == 0 else None
        self.expect(said is not is_seen, f"the case is said to {'pass' if said else 'fail'}")
        self.expect(("# It passed where it was made" in text) is not is_seen, "the comment is not true")
        shutil.rmtree(folder)

    def check_start(self, bundle, match, name):
        """Only with the match's recording can `explain` run from the start, and that run reproduces the
        server's side."""
        for options, side, text in (((), "not run", f"{name} is not beside it"),
                                    (("--match", match), "server", "")):
            done = self.call("explain", "--json", "--sim", self.module(), *options, bundle)
            rows = {row["run"]: row for row in json.loads(done.stdout)["rows"]}
            start = rows["from the start"]
            self.expect((start["side"], start["text"]) == (side, text), f"from the start: {start}")
            self.expect(rows["joined 8 ticks before"]["side"] != "not run", "nobody joined late")
        wrong = self.call("explain", "--sim", self.module(), "--match", bundle, bundle)
        self.expect(wrong.returncode == 2 and "is not a recording of the match" in wrong.stderr,
                    f"--match takes anything: {wrong.returncode} {wrong.stderr}")

    def check_late(self, bundle):
        """The bundle alone suffices: runs that join late start after the first tick in which a plain run
        differs, and only later ticks are searched."""
        done = self.call("explain", "--json", "--sim", self.module(), bundle)
        report = json.loads(done.stdout)
        self.expect(report["where"], f"without the match: {report['unknown']}")
        if report["where"]:
            self.check_where(report["where"])

    def check_rows(self, report):
        """The run from the match's first tick, without a keyframe, contains the state that the server kept
        outside the world."""
        sides = {row["run"]: row["side"] for row in report["rows"]}
        self.expect(sides["from the start"] == "server", f"from the start: {sides['from the start']}")

    def fault_line(self):
        path = os.path.join(HERE, "faults", self.name + ".c")
        with open(path, encoding="utf-8") as source:
            lines = source.read().splitlines()
        return [i + 1 for i, line in enumerate(lines) if line.endswith("/* FAULT */")]

    def check_where(self, where):
        """Checks the named system and line; returns the system, `file:line` and the time that the search needed."""
        system = where["system"] or "-"
        self.expect(system in self.fault.system.split(), f"system {system}, not {self.fault.system}")
        if self.name in NO_SYSTEM:
            why, writer = NO_SYSTEM[self.name]
            writers = where["writers"]
            self.expect(writers and (not writer or writer in writers),
                        f"{writer} is not among the writers, {writers}")
            self.note = f"none: {why}; `writers` names {', '.join(writers)}"
        else:
            self.expect(not where["writers"] or system == "-", "writers beside a system")
        stores = [side["store"] for side in where["sides"] if side["store"]]
        places = [f"{os.path.basename(store['file'] or '?')}:{store['line']}" for store in stores]
        right = [f"{self.name}.c:{line}" for line in self.fault_line()]
        if self.fault.line == LINE and self.compiler != "GNU":
            # Clang attributes some stores to the first line of the function.
            self.expect(any(place.startswith(self.name + ".c:") for place in places),
                        f"line {places}, not of {self.name}.c")
        elif self.fault.line == LINE:
            self.expect(set(places) & set(right), f"line {places}, not {right}")
        at = next((place for place in places if place in right), places[0] if places else "-")
        if not stores and not self.note:
            self.note = where["no_store"] or ""
        return system, at, where["system_ms"] + where["store_ms"]

    def verdict(self):
        """The first verdict, and its delay in ms after the tick was due. A late joiner reports only from its
        first tick on."""
        verdicts = self.events("desync")
        if not verdicts:
            return None, 0
        first = verdicts[0]
        due_s = self.start_s() + int(first["tick"]) / self.rate
        entry = next(event for event in self.events("enter") if event["peer"] == first["peer"])
        return first, 1000 * (time_of(first) - max(due_s, time_of(entry)))

    def flaws(self, verdict, late_ms, wake_ms):
        """What a busy machine may cause, too: the verdict is missing, of another tick, or late, or so is the cell."""
        if not verdict:
            return ["not detected"]
        tick, found, cells = int(verdict["tick"]), [], self.events("desync_cell")
        if tick not in self.fault.ticks:
            found.append(f"found at tick {tick}, where it cannot differ first")
        if not self.emulator and late_ms > VERDICT_MS + WAKES * wake_ms:
            found.append(f"detected {late_ms:.0f} ms after its tick was due, not {VERDICT_MS:.0f}, wakes {wake_ms:.0f} ms late")
        if self.fault.how in LATE_TICK:
            entry = next(event for event in self.events("enter") if event["peer"] == verdict["peer"])
            behind = tick - int(entry["tick"])
            if not 0 < behind <= LATE_TICKS + BUSY_TICKS:
                found.append(f"found {behind} ticks behind the late client's entry")
        if not cells:
            found.append("no cell was named")
        elif not self.emulator and int(cells[0]["ms"]) > CELL_MS + WAKES * wake_ms:
            found.append(f"the cell took {cells[0]['ms']} ms, wakes {wake_ms:.0f} ms late")
        return found

    def check_cell(self, cell, tick):
        name = f"{cell['component']}.{cell['field']}"
        self.expect(name in self.fault.cell.split(), f"cell {name}, not {self.fault.cell}")
        self.expect(cell["tick"] == tick, f"the cell is of tick {cell['tick']}, the verdict of {tick}")
        return name

    def play_in_time(self):
        """The first verdict without flaws, or that of the last match played. A race shows only in a match in which
        the threads overlap, which may not happen on a busy machine; an uninitialised read, where the memory held something
        else; a fault of an early tick, only to a client that has joined by then; one of a late client, only if that joins
        before the match ends."""
        for play in range(PLAYS):
            if play:
                shutil.rmtree(self.folder)
                os.mkdir(self.folder)
                self.problems.clear()
            with Sleeper() as sleeper:
                self.play()
            verdict, late_ms = self.verdict()
            flaws = self.flaws(verdict, late_ms, sleeper.late_ms)
            if not flaws:
                break
        self.problems += flaws
        return verdict, late_ms

    def run(self):
        verdict, late_ms = self.play_in_time()
        cells = self.events("desync_cell")
        name = self.check_cell(cells[0], verdict["tick"]) if cells else "?"
        report, seconds = self.explain()
        kind, system, line, where_ms = "?", "?", "?", 0
        if report:
            kind = report["class"]
            if self.fault.how in LATE_TICK:
                self.check_rows(report)
            is_doubtful = "the system differs from run to run" in report["doubt"]
            self.expect(is_doubtful or self.name != "two_races", f"no doubt is told: {report['doubt']}")
            self.expect(kind in self.fault.kind.split(), f"class {kind}, not {self.fault.kind}")
            self.expect(report["where"], f"nothing was found in the tick: {report['unknown']}")
            if report["where"]:
                system, line, where_ms = self.check_where(report["where"])
                self.check_times(report["where"], seconds)
            if self.name in SEEN:
                self.check_case()
        if not self.problems:
            shutil.rmtree(self.folder)
        return Found(verdict["tick"] if verdict else "?", late_ms, name, int(cells[0]["ms"]) if cells else 0, kind, system, line, seconds, where_ms,
                     self.note, self.problems)

    def check_times(self, where, seconds):
        """The system is known after the runs, before its writes are watched. An emulator has no limit."""
        if self.emulator:
            return
        system_s = seconds - where["store_ms"] / 1000
        self.expect(system_s < SYSTEM_S, f"the system took {system_s:.1f} s")
        self.expect(seconds < LINE_S, f"the line took {seconds:.1f} s")


def table(results):
    lines = ["| Fault | what it is | class | cell, named after | system | line | report |",
             "| --- | --- | --- | --- | --- | --- | --- |"]
    for name, found in results.items():
        system = found.note if found.system == "-" else found.system
        line = f"- ({found.note})" if found.line == "-" and found.system != "-" else found.line
        lines.append(f"| `{name}` | {FAULTS[name].what} | {found.kind.replace('_', ' ')} | "
                     f"`{found.cell}`, {found.cell_ms} ms | {system} | {line} | "
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
    parser.add_argument("--emulator", default="", help="that runs the programs of another machine, as "
                        "'qemu-aarch64-static -L FOLDER'")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("faults", nargs="*", help="all of them when left out")
    options = parser.parse_args()
    names = options.faults or sorted(name for name in FAULTS if not options.emulator or name not in NOT_EMULATED)
    build = os.path.abspath(options.build)
    results, failed = {}, 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for name, found in zip(names, pool.map(lambda n: Trial(build, n, options.compiler, options.emulator).run(), names)):
            results[name] = found
            failed += bool(found.problems)
            print(f"{'FAILED' if found.problems else 'good':6} {name:20} {found.kind:19} "
                  f"{found.cell:20} {found.system:8} {found.line:26} tick {found.tick:>3} after {found.late_ms:.0f} ms, cell "
                  f"{found.cell_ms} ms, report {found.report_s:.1f} s  {'; '.join(found.problems)}",
                  flush=True)
    if options.document and not failed:
        document(options.document, results)
    print(f"{len(results) - failed} of {len(results)} found, and named rightly")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
