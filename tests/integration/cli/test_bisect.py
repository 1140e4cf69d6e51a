"""`lockstep bisect`: recordings and builds with one planted difference, which it must name down to the line."""
import json
import os
import platform
import re
import shutil
import subprocess
import unittest

from case import (BINARY, CORRUPT, CRASHED, DIVERGED, GOOD, INCOMPATIBLE, TIMEOUT_S, TINY, USAGE, Case,
                  is_sanitized, main, tiny)

TICKS = 60
NEVER = "1000000"
FAULTS = os.path.join(TINY, "..", "..", "desync")
FAULT_SOURCES = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                             "..", "..", "desync", "faults"))
SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "faulty_sim.c")


def faulty(fault):
    return os.path.join(TINY, f"faulty_{fault}.so")


def line_of(text, source=SOURCE):
    """The number of the first source line that contains the text."""
    with open(source, encoding="utf-8") as file:
        return next(number for number, line in enumerate(file, 1) if text in line)


class Bisect(Case):
    def record(self, sim=None, *options):
        sim = sim or faulty("none")
        server = self.serve("--ticks", str(TICKS), "--wait", "2", "--tick-rate", "120", *options, sim=sim)
        self.join(server, "--bots", "2", sim=sim)
        self.assertEqual(server.wait(), GOOD)
        return self.recording()

    def differ(self, *arguments):
        out, err = self.command("bisect", *arguments, code=DIVERGED)
        self.assertEqual(err, "")
        return out

    def find(self, *arguments):
        return json.loads(self.differ("--json", *arguments))

    def assert_line(self, store, function, text):
        self.assertEqual(store["function"], function)
        self.assertEqual(store["file"], SOURCE)
        self.assertEqual(store["line"], line_of(text))
        self.assertIn(f"{function} at {SOURCE}:{store['line']}", store["backtrace"][0])

    def test_nothing_differs(self):
        path = self.record()
        same = self.path("same.so")
        shutil.copy(faulty("none"), same)
        out, _ = self.command("bisect", path, "--sim", faulty("none"), "--other", same)
        self.assertIn(f"same       {TICKS} ticks\nrecording  A: agrees with it\n"
                      "recording  B: agrees with it\n", out)
        out, _ = self.command("bisect", path, path, "--sim", faulty("none"), "--json")
        found = json.loads(out)
        self.assertEqual((found["result"], found["ticks"], found["culprit"]), ("same", TICKS, None))

    def test_two_builds_on_one_recording(self):
        path = self.record()
        fault = "own)->y ^= 1"
        found = self.find(path, "--sim", faulty("none"), "--other", faulty("undeclared"))
        self.assertEqual((found["result"], found["tick"]), ("state", 0))
        culprit = found["culprit"]
        self.assertEqual([culprit[key] for key in ("blame", "system", "stage", "page", "lane",
                                                   "component", "entity", "field")],
                         ["system", "look", "main", 0, "walkers", "Place", "walkers/0:1", "y"])
        self.assertEqual([side["value"] for side in culprit["sides"]], ["1", "0"])
        self.assertIsNone(culprit["sides"][0]["store"])
        store = culprit["sides"][1]["store"]
        self.assertEqual((store["old"], store["new"]), ("1", "0"))
        self.assert_line(store, "look", fault)

        out = self.differ(path, "--sim", faulty("none"), "--other", faulty("undeclared"))
        for line in (f"B          {faulty('undeclared')}", "differ     in tick 0",
                     "system     look, stage main", "component  Place", "entity     walkers/0:1",
                     "field      y", "value      A: 1, B: 0", "store      A: none like it",
                     f"line       look at {SOURCE}:{line_of(fault)}"):
            self.assertIn(line + "\n", out)

    @unittest.skipUnless(platform.machine() == "x86_64", "the constructor is for one processor")
    def test_a_constructor_that_changes_the_whole_process(self):
        """In one process both builds would flush denormal numbers, and so agree."""
        plain, flush = faulty("denormal"), faulty("flush")
        path = self.record(plain)
        for sims, letter in (((plain, flush), "B"), ((flush, plain), "A")):
            out, err = self.command("bisect", path, "--sim", sims[0], "--other", sims[1],
                                    code=DIVERGED)
            self.assertIn(f"warning: loading {flush} changed how the whole process computes with "
                          "floats (flush to zero, denormals are zero)", err)
            other = "AB"["BA".index(letter)]
            for line in ("differ     in tick 0", f"recording  {other}: agrees with it",
                         f"recording  {letter}: differs from it in tick 0",
                         f"floats     {letter}: loading it changes how the whole process computes "
                         "with them: flush to zero, denormals are zero"):
                self.assertIn(line + "\n", out)
            self.assertRegex(out, "(?m)^apart      each in a process of its own")
        out, _ = self.command("bisect", path, "--sim", plain, "--other", flush, "--json",
                              code=DIVERGED)
        found = json.loads(out)
        self.assertEqual((found["result"], found["tick"], found["is_apart"]), ("state", 0, True))
        self.assertNotEqual(found["sides"][0]["root"], found["sides"][1]["root"])
        self.assertEqual([side["agrees_with_recording"] for side in found["sides"]], [True, False])
        self.assertEqual(found["sides"][1]["departs_tick"], 0)
        self.assertEqual(found["sides"][1]["floats"], "flush to zero, denormals are zero")

    def test_builds_that_agree_and_not_with_the_recording(self):
        path, good, wrong = self.record(), *(self.path(f"{name}.so") for name in ("good", "wrong"))
        shutil.copy(faulty("late"), good)
        shutil.copy(faulty("late"), wrong)
        asked = ("bisect", path, "--sim", good, "--other", wrong)
        out, _ = self.command(*asked, code=DIVERGED)
        self.assertIn(f"same       {TICKS} ticks\nrecording  A: differs from it in tick 30\n"
                      "recording  B: differs from it in tick 30\n", out)
        out, _ = self.command(*asked, "--json", code=DIVERGED)
        found = json.loads(out)
        self.assertEqual(found["result"], "same")
        self.assertEqual([(side["agrees_with_recording"], side["departs_tick"])
                          for side in found["sides"]], [(False, 30)] * 2)

    def test_a_side_that_hangs_is_named(self):
        path, same = self.record(), self.path("same.so")
        shutil.copy(faulty("hang"), same)
        os.environ["LOCKSTEP_FAULT"] = "hang"
        self.addCleanup(os.environ.pop, "LOCKSTEP_FAULT")
        hangs = r'no progress in 15 s in system "count", tick 30'
        patience = ("--timeout", "15")  # a busy machine needs some seconds to begin
        out, err = self.command("bisect", path, "--sim", faulty("none"), "--other", same, *patience,
                                code=CRASHED)
        self.assertRegex(out, rf"(?m)^differ     in tick 30\n(.*\n)*crashes    B: {hangs}")
        self.assertRegex(err, rf"(?m)^lockstep bisect: side B: {hangs}")
        out, _ = self.command("bisect", path, "--sim", faulty("hang"), "--other", same, *patience,
                              code=CRASHED)
        self.assertRegex(out, rf"(?m)^differ     nowhere before tick 30\ncrashes    A: {hangs}.*\n"
                              rf"crashes    B: {hangs}")
        other = self.rerun(path, "other.lsr", faulty("late"))
        out, _ = self.command("bisect", path, other, "--sim", faulty("hang"), *patience,
                              code=CRASHED)
        self.assertRegex(out, rf"(?m)^crashes    A: {hangs}")

    def test_a_difference_that_begins_late(self):
        path = self.record()
        found = self.find(path, "--sim", faulty("none"), "--other", faulty("static"))
        self.assertEqual((found["ticks"], found["tick"]), (1, 1))
        culprit = found["culprit"]
        self.assertEqual((culprit["system"], culprit["component"], culprit["entity"],
                          culprit["field"]), ("count", "Score", None, "total"))
        self.assert_line(culprit["sides"][1]["store"], "count", "own->total += fault(context)")

    def test_builds_whose_setups_differ(self):
        """The file holds the first state of the build that recorded it, which is no answer here."""
        found = self.find(self.record(), "--sim", faulty("none"), "--other", faulty("setup"))
        self.assertEqual((found["result"], found["ticks"], found["tick"]), ("start", 0, 0))
        culprit = found["culprit"]
        self.assertEqual((culprit["blame"], culprit["component"], culprit["entity"],
                          culprit["field"]), ("start", "Place", "walkers/0:1", "y"))
        self.assertEqual([side["agrees_with_recording"] for side in found["sides"]], [True, False])

    def test_two_recordings_of_two_builds(self):
        path = self.record()
        other = self.rerun(path, "other.lsr", faulty("undeclared"))
        found = self.find(path, other, "--sim", faulty("none"), "--other", faulty("undeclared"))
        self.assertEqual(found["tick"], 0)
        self.assertEqual([side["name"] for side in found["sides"]], [path, other])
        self.assertEqual([side["run"] for side in found["sides"]], ["as ever", "as ever"])
        self.assertEqual(found["culprit"]["system"], "look")
        self.assert_line(found["culprit"]["sides"][1]["store"], "look", "own)->y ^= 1")

    def test_two_recordings_of_one_build_that_ran_in_other_orders(self):
        path = self.record()
        first = self.rerun(path, "first.lsr", faulty("race"))
        second = self.rerun(path, "second.lsr", faulty("race"), "--shuffle", "1")
        found = self.find(first, second, "--sim", faulty("race"))
        self.assertEqual(found["sides"][0]["run"], "as ever")
        self.assertRegex(found["sides"][1]["run"], r"^in the legal order \d+$")
        culprit = found["culprit"]
        self.assertEqual((culprit["blame"], culprit["component"], culprit["field"]),
                         ("order", "Score", "seen"))
        sides = culprit["sides"]
        self.assertNotEqual(sides[0]["value"], sides[1]["value"])
        self.assertIn("triple", [side["changed_last_by"] for side in sides])
        stores = [side["store"] for side in sides if side["changed_last_by"] == "triple"]
        self.assert_line(stores[0], "triple", "own->seen = own->seen * 3 + 1")

    def test_the_faults_planted_in_skirmish(self):
        """Compares each fault with the simulation that it copies: the named line is the marked one."""
        if is_sanitized():
            self.skipTest("no sanitizer goes with the modules of tests/desync")
        path = self.record("skirmish")
        for fault, system in (("arrival_order", "judge"), ("hash_order", "move"),
                              ("pointer_as_number", "move"), ("rand_call", "judge"),
                              ("rounding_mode", "move"), ("stale_reference", "move"),
                              ("undeclared_write", "steer"), ("uninitialised_field", "move"),
                              ("unsaved_cache", "move"), ("unstable_sort", "judge")):
            with self.subTest(fault):
                source = os.path.join(FAULT_SOURCES, fault + ".c")
                found = self.find(path, "--other", os.path.join(FAULTS, f"fault_{fault}.so"))
                self.assertEqual(found["culprit"]["system"], system)
                store = found["culprit"]["sides"][1]["store"]
                self.assertEqual((store["file"], store["line"]),
                                 (source, line_of("/* FAULT */", source)))

    def test_the_order_of_two_builds(self):
        """Without the order as a cause, `bisect` would blame a write of another system."""
        if is_sanitized():
            self.skipTest("no sanitizer goes with the modules of tests/desync")
        found = self.find(self.record("skirmish"), "--other",
                          os.path.join(FAULTS, "fault_order_race.so"))
        culprit = found["culprit"]
        self.assertEqual((culprit["blame"], culprit["system"]), ("order", "steer"))
        self.assertEqual(culprit["sides"][1]["changed_last_by"], "gust")
        self.assertEqual(culprit["sides"][1]["store"]["function"], "gust")

    def test_recordings_that_begin_in_the_middle_of_a_match(self):
        path, none = self.record(), ("--sim", faulty("none"))
        cut = self.path("cut.lsr")
        self.command("replay", "cut", path, *none, "--from", "40", "--output", cut)
        found = self.find(cut, *none, "--other", faulty("undeclared"))
        self.assertEqual((found["ticks"], found["tick"]), (0, 40))
        self.assert_line(found["culprit"]["sides"][1]["store"], "look", "own)->y ^= 1")
        # A version other than the recorder's can also continue from the state.
        found = self.find(cut, *none, "--other", faulty("race"))
        self.assertEqual((found["tick"], found["culprit"]["blame"], found["culprit"]["system"]),
                         (40, "present", "triple"))
        self.refuse("bisect", path, cut, *none, code=INCOMPATIBLE, says=("tick 0", "at 40"))
        # Another version reads that state too, because the recording holds its root.
        out, _ = self.command("bisect", cut, "--sim", faulty("race"), "--any-build", "--other",
                              faulty("none"), code=DIVERGED)
        self.assertRegex(out, r"(?m)^differ +in tick 40$")

    def test_keyframes_on_the_way(self):
        """Neither recording holds the start of the match; both hold states shortly before they differ."""
        path, none, late = self.record(), faulty("none"), faulty("late")
        other = self.rerun(path, "other.lsr", late)
        cuts = self.path("cut.lsr"), self.path("other_cut.lsr")
        for whole, sim, name in ((path, none, cuts[0]), (other, late, cuts[1])):
            self.command("replay", "cut", whole, "--sim", sim, "--any-build", "--keyframes", "4",
                         "--from", "5", "--output", name)
        for pair, ticks in (((path, other), 30), (cuts, 25)):
            found = self.find(*pair, "--sim", none, "--other", late)
            self.assertEqual((found["tick"], found["ticks"]), (30, ticks))
            culprit = found["culprit"]
            self.assertEqual((culprit["system"], culprit["component"], culprit["field"]),
                             ("count", "Score", "total"))
            self.assert_line(culprit["sides"][1]["store"], "count", "own->total += fault(context)")

    def tick_of_orders(self, path):
        """A tick whose inputs are orders alone, and change the score."""
        out, _ = self.command("replay", "export", path)
        for tick in filter(lambda line: line["type"] == "tick", map(json.loads, out.splitlines())):
            if any(int(one.get("data", "0"), 16) for one in tick["inputs"]) and \
                    all(one["kind"] == "order" for one in tick["inputs"]):
                return int(tick["tick"])
        return self.fail("no tick has orders:\n" + out)

    def test_other_inputs(self):
        # Under this policy the server closes no tick long before the bots' orders come.
        path = self.record(faulty("none"), "--policy", "wait")
        tick = self.tick_of_orders(path)
        less = self.path("less.lsr")
        subprocess.run([os.path.join(TINY, "re_record"), path, less, "3", NEVER, str(tick)], check=True,
                       timeout=TIMEOUT_S)
        other = self.rerun(less, "other.lsr", faulty("none"))
        out = self.differ(path, other, "--sim", faulty("none"))
        self.assertIn(f"differ     in the inputs of tick {tick}\n", out)
        self.assertRegex(out, r"inputs     A: player [01] order [0-9a-f]+")
        self.assertIn("inputs     B: nothing\n", out)
        found = self.find(path, other, "--sim", faulty("none"))
        self.assertEqual((found["result"], found["tick"], found["culprit"]), ("inputs", tick, None))

    def test_a_state_that_no_run_ends_in(self):
        path = self.record()
        wrong = self.path("wrong.lsr")
        subprocess.run([os.path.join(TINY, "re_record"), path, wrong, "3", "30"], check=True,
                       timeout=TIMEOUT_S)
        out = self.differ(path, wrong, "--sim", faulty("none"))
        self.assertIn("differ     in tick 29\n", out)
        self.assertIn("run        A: as ever\n", out)
        self.assertIn("run        B: none of 27 ways ends in its state\n", out)
        self.assertIn("--other", out)

    def cut(self, path, name, sim, *options):
        to = self.path(name)
        self.command("replay", "cut", path, "--sim", sim, "--output", to, *options)
        return to

    def test_the_recorded_states_when_no_run_ends_as_recorded(self):
        good, wrong = (os.path.join(TINY, f"drift_{name}.so") for name in ("good", "faulty"))
        server = self.serve("--ticks", "150", "--wait", "0", "--tick-rate", "120", "--seed", "1",
                            sim=good)
        self.assertEqual(server.wait(), GOOD)
        path = self.recording()
        other = self.rerun(path, "other.lsr", wrong)
        # One recording holds the state there; the other is replayed up to a root that it recorded.
        for cuts in ((path, self.cut(other, "kept.lsr", wrong, "--keyframes", "120")),
                     (self.cut(path, "both.lsr", good, "--keyframes", "120"), self.path("kept.lsr"))):
            out = self.differ(*cuts, "--sim", good)
            for line in ("differ     in tick 99", "run        A: as ever",
                         "run        B: none of 27 ways ends in its state",
                         "system     one of those that write body: drift", "component  body",
                         "entity     bodies/305:1", "field      y",
                         "known      from the states of both files before tick 120, 20 ticks later: "
                         "what differs there may have spread"):
                self.assertIn(line + "\n", out)
            found = self.find(*cuts, "--sim", good)
            self.assertEqual((found["culprit"], found["rerun"]), (None, None))
            values = found["recorded"]["values"]
            self.assertEqual(int(values[1]), int(values[0]) + 5)

    def test_a_replay_that_leaves_both_files_before_they_part(self):
        path = self.record()
        other = self.rerun(path, "other.lsr", faulty("late"))
        static = ("--sim", faulty("static"), "--any-build")
        for pair in ((path, other), (self.cut(path, "a.lsr", faulty("none"), "--keyframes", "40"),
                                     self.cut(other, "b.lsr", faulty("late"), "--keyframes", "40"))):
            out, _ = self.command("bisect", *pair, *static, code=DIVERGED)
            self.assertRegex(out, r"(?m)^differ     in tick 30\nroot       A: [0-9a-f]{16}\n"
                                  r"root       B: [0-9a-f]{16}$")
            self.assertIn("rerun      replayed here, the match has another state before tick 30 "
                          "already", out)
        self.assertIn("component  Score\n", out)
        self.assertIn("field      total\n", out)
        self.assertRegex(out, r"(?m)^value      A: \d+, B: \d+$")

    def test_a_static_variable_shows_although_no_run_ends_as_recorded(self):
        path, static = self.record(), faulty("static")
        first = self.rerun(path, "first.lsr", static)
        second = self.rerun(path, "second.lsr", faulty("none"), code=GOOD)
        out, _ = self.command("bisect", first, second, "--sim", static, "--any-build", "--json",
                              code=DIVERGED)
        found = json.loads(out)
        self.assertEqual((found["tick"], found["is_guess"]), (1, True))
        culprit = found["culprit"]
        self.assertEqual((culprit["system"], culprit["field"]), ("count", "total"))
        out, _ = self.command("bisect", first, second, "--sim", static, "--any-build",
                              code=DIVERGED)
        self.assertIn("guess      what follows is how two runs here differ\n", out)

    def test_a_side_that_crashes_is_named(self):
        path = self.record()
        died = rf"killed by signal 6 \(Aborted\) in system \"count\", tick 30 " \
               rf"\(fault at {SOURCE}:{line_of('abort();')}\)"
        for sims, letter, index in ((("none", "fall"), "B", 1), (("fall", "none"), "A", 0)):
            asked = (path, "--any-build", "--sim", faulty(sims[0]), "--other", faulty(sims[1]))
            out, _ = self.command("bisect", *asked, code=CRASHED)
            self.assertRegex(out, rf"(?m)^crashes    {letter}: {died}")
            self.assertIn("differ     in tick 30\n", out)
            out, _ = self.command("bisect", *asked, "--json", code=CRASHED)
            found = json.loads(out)
            self.assertEqual((found["result"], found["tick"], found["ticks"]), ("crash", 30, 30))
            self.assertRegex(found["sides"][index]["text"], died)
            self.assertNotIn("text", found["sides"][1 - index])
        same = self.path("same.so")
        shutil.copy(faulty("fall"), same)
        out, _ = self.command("bisect", path, "--any-build", "--sim", faulty("fall"), "--other", same,
                              code=CRASHED)
        self.assertRegex(out, rf"(?m)^differ     nowhere before tick 30\ncrashes    A: {died}.*\n"
                              rf"crashes    B: {died}")
        # Two recordings; the second was made by a build that is not available.
        other = self.rerun(path, "other.lsr", faulty("late"))
        out, _ = self.command("bisect", path, other, "--any-build", "--sim", faulty("fall"),
                              code=CRASHED)
        self.assertRegex(out, rf"(?m)^crashes    A: {died}")

    def test_progress_on_a_terminal(self):
        """The command's output in a terminal, which `script` provides."""
        if not shutil.which("script"):
            self.skipTest("no script(1)")
        path, same = self.record(), self.path("same.so")
        shutil.copy(faulty("none"), same)
        line = " ".join([BINARY, "bisect", path, "--sim", faulty("none"), "--other", same])
        done = subprocess.run(["script", "-qec", line, self.path("typescript")], timeout=TIMEOUT_S,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stdout, r"\[#*\.*\] +\d+ %, tick \d+, \d+ ticks/s")
        self.assertIn(f"same       {TICKS} ticks", done.stdout)

    def test_files_and_builds_that_cannot_be_compared(self):
        path = self.record()
        none = ("--sim", faulty("none"))
        with open(path, "rb") as file:
            data = file.read()
        for name, bytes_, code in (("torn.lsr", data[:-10], GOOD),
                                   ("flipped.lsr", data[:900] + bytes([data[900] ^ 1]) + data[901:],
                                    CORRUPT),
                                   ("none.lsr", b"no recording", CORRUPT)):
            with self.subTest(name):
                with open(self.path(name), "wb") as file:
                    file.write(bytes_)
                self.command("bisect", path, self.path(name), *none, code=code)
        self.refuse("bisect", path, path, "--sim", "toyphys", code=INCOMPATIBLE, says=("faulty",))
        self.refuse("bisect", path, path, code=INCOMPATIBLE, says=("--sim PATH.so",))
        self.refuse("bisect", path, *none, "--other", "toyphys", code=INCOMPATIBLE,
                    says=("components",))
        self.refuse("bisect", path, *none, "--other", tiny("abi"), code=INCOMPATIBLE,
                    says=("rebuild",))
        shutil.rmtree(self.path("recordings"))
        other = self.record()
        os.rename(other, self.path("other.lsr"))
        self.refuse("bisect", self.path("torn.lsr"), self.path("other.lsr"), *none,
                    code=INCOMPATIBLE, says=("two matches",))

    def test_wrong_use(self):
        path = self.record()
        for arguments, says in (((), "FILE is missing"), ((path,), "--other"),
                                ((path, path, path), "two recordings at most"),
                                ((path, "missing.lsr"), "missing.lsr"),
                                ((path, "--sim", faulty("none"), "--other", faulty("none")),
                                 "one and the same")):
            with self.subTest(arguments):
                _, err = self.command("bisect", *arguments, code=USAGE)
                self.assertIn(says, err)
        out, _ = self.command("bisect", "--help")
        self.assertTrue(re.search(r"Builds:.*--other.*Output:.*--json", out, re.S))


if __name__ == "__main__":
    main()
