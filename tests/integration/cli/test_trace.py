"""Traces are complete, the checker finds each planted fault, and the table's sums are right."""
import copy
import json
import os
import re
import shlex
import subprocess

import trace_check
from case import BINARY, CORRUPT, INCOMPATIBLE, MACHINE, TIMEOUT_S, TINY, USAGE, Case, main

GALLERY = os.path.join(TINY, "gallery.so")
CROWD = os.path.join(TINY, "crowd.so")


def digest(out):
    return re.search(r"digest=([0-9a-f]{16})", out).group(1)


class Trace(Case):
    def schedule(self, sim):
        out, _ = self.command("schedule", "graph", "--sim", sim, "--format", "json")
        return json.loads(out)

    def trace(self, sim, *options):
        path = self.path("trace.json")
        out, _ = self.command("run", "--sim", sim, "--trace", path, *options)
        return trace_check.load(path), digest(out)

    def test_traces_are_whole_and_change_nothing(self):
        for sim, options in ((GALLERY, ("--ticks", "12")), (CROWD, ("--ticks", "5")),
                             ("skirmish", ("--ticks", "30", "--bots", "--units", "3000")),
                             ("toyphys", ("--ticks", "10",))):
            schedule = self.schedule(sim)
            expected = digest(self.command("run", "--sim", sim, *options)[0])
            for more in ((), ("--threads", "2"), ("--threads", "4"), ("--shuffle", "7")):
                with self.subTest(sim=sim, more=more):
                    trace, found = self.trace(sim, *options, *more)
                    self.assertEqual(list(trace_check.findings(trace, schedule)), [])
                    self.assertEqual(trace["otherData"]["dropped_slices"], 0)
                    self.assertEqual(found, expected)

    def test_a_trace_that_is_full_says_so(self):
        schedule = self.schedule("skirmish")
        trace, _ = self.trace("skirmish", "--ticks", "20", "--trace-slices", "100")
        self.assertGreater(trace["otherData"]["dropped_slices"], 100)
        self.assertEqual(list(trace_check.findings(trace, schedule)), [])

    def plant(self, trace, schedule, fault, says):
        """Plants the fault in a copy; the checker must name it."""
        broken = copy.deepcopy(trace)
        fault(broken["traceEvents"])
        found = list(trace_check.findings(broken, schedule))
        self.assertTrue(any(re.search(says, one) for one in found), (says, found[:5]))

    def test_planted_faults_are_found(self):
        schedule = self.schedule(GALLERY)
        trace, _ = self.trace(GALLERY, "--ticks", "4", "--threads", "2")

        def first(events, category, name=None):
            return next(one for one in events if one.get("cat") == category and
                        (name is None or one["name"] == name))

        def change(category, member, value, name=None):
            return lambda events: first(events, category, name).__setitem__(member, value)

        def change_argument(category, member, value, name):
            return lambda events: first(events, category, name)["args"].__setitem__(member, value)

        def remove(category, name):
            return lambda events: events.remove(first(events, category, name))

        def repeat(category, name):
            return lambda events: events.append(copy.deepcopy(first(events, category, name)))

        for fault, says in (
                (change("part", "ts", "12"), "ts is '12', no time"),
                (change("part", "ts", -1), "ts is -1, no time"),
                (change("tick", "dur", None), "dur is None, no time"),
                (change("sync", "ph", "B"), "neither a slice"),
                (change("sync", "pid", 2), "pid is 2"),
                (change("tick", "tid", 9), "worker 9 has no name"),
                (change("stage", "cat", "stages"), "neither a slice"),
                (change("part", "args", {}), r"args are \[\]"),
                (change_argument("part", "pages", "all", "needy"), "pages is 'all'"),
                (change("part", "name", "stranger"), "'stranger' is no system"),
                (remove("begin", "open"), "'open' in run 0 began 0 times"),
                (remove("end", "needy"), "'needy' in run 0 began 1 times and ended 0"),
                (remove("off", "last words"), "'last words' neither ran nor was off"),
                (repeat("begin", "left"), "'left' in run 0 began 2 times"),
                (remove("part", "needy"), "'needy' in run 0: page . is missing|pages up to"),
                (repeat("part", "needy"), "'needy' in run 0: page . is there twice"),
                (repeat("part", "left"), "sequential system has 2 parts"),
                (change_argument("begin", "pages", 99, "needy"), "99 were found"),
                (change_argument("part", "first_page", 3, "draw"), "sequential system's part"),
                (change("sync", "dur", 10_000_000), "ends at .* inside"),
                (change("begin", "ts", 0, "draw"), "'draw' began before '(follow|needy)'"),
                (change("part", "ts", 0, "follow"), "not between its begin and end")):
            with self.subTest(says):
                self.plant(trace, schedule, fault, says)

    def graph(self, *options, code=0):
        out, err = self.command("schedule", "graph", "--sim", GALLERY, "--format", "json",
                                *options, code=code)
        return json.loads(out) if code == 0 else err

    def test_a_graph_takes_its_weights_from_a_trace(self):
        trace, _ = self.trace(GALLERY, "--ticks", "4", "--threads", "2")
        expected = {}
        for one in trace["traceEvents"]:
            if one.get("cat") in ("begin", "part", "end"):
                expected[one["name"]] = (expected.get(one["name"], 0) +
                                         trace_check.nanoseconds(one["dur"]))
        data = self.graph("--times", self.path("trace.json"))
        self.assertEqual(data["weights"], "nanoseconds")
        for one in data["systems"]:
            self.assertEqual(one["weight"], expected.get(one["name"], 0) // 4, one["name"])
        with open(self.path("trace.json"), encoding="utf-8") as file:
            again = {"simulation": "traceEvents"} | json.load(file)
        again["more"] = [1, -2.5e3, True, None, "\u2192", {"a": [{}]}]
        with open(self.path("indented.json"), "w", encoding="utf-8") as file:
            json.dump(again, file, indent=2)
        self.assertEqual(self.graph("--times", self.path("indented.json")), data)

    def test_traces_that_are_none(self):
        self.trace(GALLERY, "--ticks", "1")
        with open(self.path("trace.json"), encoding="utf-8") as file:
            whole = file.read()
        path = self.path("broken.json")
        for text in ("", "{", "[]", "null", "{}", '{"traceEvents":[]}', '{"traceEvents":[{}]}',
                     "[" * 100000, '{"a":' * 1000, '{"a":"\\u12"}', '{"a":1}x', '{"a":tru}',
                     '{"traceEvents":[{"name":"' + "x" * 5000 + '"}]}',
                     *(whole[:-count] for count in (2, 3, 10, 200, 3000))):
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            self.assertIn("broken.json", self.graph("--times", path, code=CORRUPT))
        with open(path, "w", encoding="utf-8") as file:
            file.write(whole.replace('"name": "needy"', '"name": "stranger"'))
        self.assertIn("stranger", self.graph("--times", path, code=INCOMPATIBLE))
        self.assertIn("none.json", self.graph("--times", self.path("none.json"), code=USAGE))
        self.assertIn("directory", self.graph("--times", self.folder, code=MACHINE))
        self.graph("--times", path, "--ticks", "3", code=USAGE)

    def test_the_file_cannot_be_written(self):
        for path, why in ((self.path("no", "folder"), "No such file"),
                          ("/dev/full", "No space left"), (self.folder, "directory")):
            self.refuse("run", "--sim", "toyphys", "--ticks", "3", "--trace", path, code=MACHINE,
                        says=(path, why))
        self.command("run", "--sim", "toyphys", "--trace-slices", "0", code=USAGE)

    def test_the_table_adds_up(self):
        out, _ = self.command("schedule", "times", "--sim", GALLERY, "--ticks", "30", "--threads",
                              "2", "--json")
        times = json.loads(out)
        self.assertEqual((times["ticks"], times["threads"]), (30, 2))
        systems = {one["name"]: one for one in times["systems"]}
        self.assertEqual(systems["off"]["runs"], 0)
        self.assertEqual(systems["needy"]["runs"], 30)
        self.assertEqual(systems["needy"]["entities"], 30 * 1000)
        self.assertEqual(systems["solve"]["entities"], 30 * 2 * 1000)
        for one in times["systems"]:
            self.assertLessEqual(one["max_ns"], one["total_ns"])
        for one in times["stages"]:
            self.assertGreaterEqual(one["makespan_ns"], one["bound_ns"])
            self.assertGreaterEqual(one["bound_ns"],
                                    max(one["critical_ns"], one["work_by_threads_ns"]))
        self.assertEqual(sum(one["makespan_ns"] for one in times["stages"]),
                         times["all_stages"]["makespan_ns"])
        for worker in times["workers"]:
            self.assertLessEqual(worker["busy_ns"], times["all_stages"]["makespan_ns"])
        self.assertGreaterEqual(times["tick_ns"], times["all_stages"]["makespan_ns"])

    def test_the_table_has_aligned_columns(self):
        out, _ = self.command("schedule", "times", "--sim", "skirmish", "--ticks", "20")
        self.assertLessEqual(max(map(len, out.splitlines())), 100)
        tables = [part.splitlines() for part in out.split("\n\n")[1:]]
        self.assertEqual(len(tables), 3)
        for header, *rows in tables:
            ends = [match.end() for match in re.finditer(r"\S+(?: \S+)*", header)]
            for row in rows:
                for place in ends[1:]:
                    self.assertIn(row[place:place + 1], (" ", ""), (header, row))

    def test_times_to_a_file(self):
        path = self.path("times.txt")
        out, _ = self.command("schedule", "times", "--sim", "toyphys", "--ticks", "3", "-o", path)
        self.assertEqual(out, "")
        with open(path, encoding="utf-8") as file:
            self.assertIn("toyphys: 3 ticks on 1 thread", file.read())

    def test_a_bar_on_a_terminal(self):
        for action in ("times", "graph"):
            # Each tick takes 130 ms.
            line = shlex.join([BINARY, "schedule", action, "--sim", os.path.join(TINY, "faulty_slow.so"), "--ticks", "15",
                               "-o", self.path("out")])
            done = subprocess.run(["script", "-qec", line, self.path("typescript")], timeout=TIMEOUT_S,
                                  stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True)
            self.assertRegex(done.stdout, r"\[[#.]{30}\] +\d+ %, tick \d+ of 15, \d+ ticks/s")
            self.assertTrue(done.stdout.endswith("\x1b[K"), done.stdout)


main()
