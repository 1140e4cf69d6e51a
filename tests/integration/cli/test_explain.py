"""`lockstep explain` about simulations that crash, truncated files, and differences in early ticks."""
import json
import os
import re
import shutil
import subprocess

from case import CORRUPT, CRASHED, DIVERGED, GOOD, MACHINE, TIMEOUT_S, TINY, USAGE, Case, is_sanitized, main

TICKS = 60
PATIENCE = ("--timeout", "10", "--json", "--any-build")
PLANTED = 99  # the tick in which drift_faulty moves body 305 by 5
SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "faulty_sim.c")


def faulty(fault):
    return os.path.join(TINY, f"faulty_{fault}.so")


def drift(which):
    return os.path.join(TINY, f"drift_{which}.so")


def line_of(text):
    with open(SOURCE, encoding="utf-8") as file:
        return next(number for number, line in enumerate(file, 1) if text in line)


class Explain(Case):
    def record(self, sim, *options):
        server = self.serve("--ticks", str(TICKS), "--wait", "2", "--tick-rate", "120", *options,
                            sim=sim)
        self.join(server, "--bots", "2", sim=sim)
        self.assertEqual(server.wait(), GOOD)
        return self.recording()

    def test_every_run_crashes(self):
        path = self.record(faulty("none"))
        asked = ("explain", path, "--sim", faulty("fall"), "--any-build")
        out, _ = self.command(*asked, code=CRASHED)
        line = line_of("abort();")
        rows = re.findall(r"(?m)^  \S.*? +crashed +killed by signal 6 \(Aborted\) in system \"count\", "
                          rf"tick 30 \(fault at {SOURCE}:{line}\)", out)
        self.assertEqual(len(rows), len(re.findall(r"(?m)^  \w", out)) - 1, out)
        for text in (r"^class +crash$", r"^because +serially: is killed by signal 6 in system \"count\", "
                     r"tick 30$", r"^try +gdb --args lockstep replay seek", r"^tick +30$", r"^system +count$",
                     rf"^line +fault at {SOURCE}:{line}$"):
            self.assertRegex(out, re.compile(text, re.M))
        out, _ = self.command(*asked, "--json", code=CRASHED)
        found = json.loads(out)
        self.assertEqual(found["class"], "crash")
        self.assertEqual([found["where"][key] for key in ("tick", "signal", "system")],
                         [30, 6, "count"])
        self.assertEqual({row["side"] for row in found["rows"]}, {"crashed"})
        out, _ = self.command(*asked, "--agree", code=DIVERGED)
        self.assertIn("serially: killed by signal 6", out)

    def test_the_other_build_is_not_there(self):
        path = self.record(faulty("none"))
        missing = self.path("missing.so")
        for command in ("explain", "bisect"):
            self.refuse(command, path, "--sim", faulty("none"), "--other", missing, code=USAGE,
                        says=("--other: ", f"{missing}: No such file"))
            _, err = self.command(command, path, "--sim", missing, "--other", faulty("none"),
                                  code=USAGE)
            self.assertIn(f"{missing}: No such file", err)
            self.assertNotIn("--other", err)

    def test_only_a_late_joiner_crashes(self):
        """A run that crashes where others do not is as informative as a different root."""
        if is_sanitized():
            self.skipTest("a sanitizer ends the process before the signal comes")
        path = self.record(faulty("orphan"))
        out, _ = self.command("explain", path, "--sim", faulty("orphan"), "--json")
        found = json.loads(out)
        sides = {row["run"]: row["side"] for row in found["rows"]}
        self.assertEqual(sides["joined 16 ticks before"], "crashed")
        self.assertEqual(sides["serially"], "server")
        self.assertEqual(found["class"], "unsaved_state")
        self.assertEqual(found["because"], f"joined 16 ticks before: is killed by signal 11 in system "
                         f"\"count\", tick {TICKS - 16}; `serially` does not")
        self.assertEqual((found["where"]["system"], found["where"]["tick"]), ("count", TICKS - 16))
        # The function may be inlined: the load is an operand of the addition.
        self.assertRegex(found["where"]["line"], rf"^(fault|count) at {SOURCE}:\d+$")

    def tool(self, name, *arguments):
        subprocess.run([os.path.join(TINY, name), *arguments], check=True, timeout=TIMEOUT_S,
                       stderr=subprocess.DEVNULL)
        return arguments[1]

    def explain(self, path, *options, sim="none"):
        """Runs `explain`; returns the lines by their first word, and the table's rows."""
        out, _ = self.command("explain", path, "--sim", faulty(sim), *options)
        words = dict(re.findall(r"(?m)^(\w+) +(.*)$", out), head=out.splitlines()[0])
        return words, re.findall(r"(?m)^  (\w.*?)  +(.*)$", out)

    def test_another_state_before_the_first_tick(self):
        path = self.tool("re_record", self.record(faulty("none")), self.path("start.lsr"), "3", "0")
        words, rows = self.explain(path)
        self.assertEqual(words["class"], "outside state")
        self.assertIn("the state before the first tick is different: the setup", words["because"])
        self.assertRegex(dict(rows)["serially"], r"^nothing +[0-9a-f]{16}$")
        out, _ = self.command("explain", path, "--sim", faulty("none"), "--json")
        self.assertEqual(json.loads(out)["tick"], 0)
        out, err = self.command("verify", path, "--sim", faulty("none"), code=DIVERGED)
        self.assertIn("diverged before the first tick", err)
        self.assertIn(f"next       lockstep explain --sim {faulty('none')} {path}\n", out)

    def test_a_setup_that_reads_uninitialised_memory(self):
        """Uninitialised memory is named as the cause even if its bytes vary from run to run, as a clock would."""
        for sim, because in (("begin", "another root, though only uninitialised bytes were different"),
                             ("leftover", "this fill always gives this root and another fill another one; unfilled, "
                                          "the uninitialised bytes vary from run to run")):
            if is_sanitized() and sim == "leftover":
                continue  # the sanitizer lays out the stack differently
            with self.subTest(sim):
                server = self.serve("--ticks", "40", "--wait", "0", "--tick-rate", "240", sim=faulty(sim))
                self.assertEqual(server.wait(), GOOD)
                words, _ = self.explain(self.recording(), sim=sim)
                self.assertEqual((words["class"], words["because"]),
                                 ("uninitialised read", "stack of noise aa: " + because))
                shutil.rmtree(self.path("recordings"))

    def test_a_difference_in_the_first_tick(self):
        """No keyframe and no equal tick precede the first tick."""
        server = self.serve("--ticks", str(TICKS), "--wait", "0", "--tick-rate", "120",
                            "--keyframe-ticks", "20", sim=faulty("none"))
        self.assertEqual(server.wait(), GOOD)
        path = self.rerun(self.recording(), "other.lsr", faulty("undeclared"))
        words, rows = self.explain(path, "--any-build", "--other", faulty("undeclared"))
        self.assertIn("the root before tick 1 is", words["head"])
        self.assertRegex(dict(rows)["serially"], r"^nothing +[0-9a-f]{16}$")
        self.assertRegex(dict(rows)["other build"], r"^the file +[0-9a-f]{16}$")
        self.assertRegex(dict(rows)["joined 0 ticks before"], r"^not run +there is no tick between")
        self.assertEqual((words["class"], words["tick"], words["system"], words["entity"]),
                         ("build difference", "0", "look, stage main", "walkers/0:1"))
        self.assertIn(f"look at {SOURCE}:{line_of('own)->y ^= 1')}", words["line"])

    def test_a_difference_before_the_first_keyframe(self):
        server = self.serve("--ticks", str(TICKS), "--wait", "0", "--tick-rate", "120",
                            "--keyframe-ticks", "40", sim=faulty("none"))
        self.assertEqual(server.wait(), GOOD)
        path = self.tool("re_record", self.recording(), self.path("early.lsr"), "3", "5")
        words, rows = self.explain(path)
        self.assertRegex(dict(rows)["serially"], r"^nothing +[0-9a-f]{16}$")
        self.assertIn("the root before tick 5 is", words["head"])
        self.assertRegex(dict(rows)["joined 2 ticks before"], r"^nothing ")
        self.assertEqual(words["class"], "outside state")
        self.assertEqual(words["because"],
                         "no rerun repeats the file")
        self.assertIn("--other BUILD", words["try"])

    def planted(self, *states):
        """A recording that no run here reproduces in tick PLANTED, with the states that `replay rerun` adds."""
        server = self.serve("--ticks", "150", "--wait", "0", "--tick-rate", "120", "--seed", "1",
                            "--keyframe-ticks", "0", "--column-ticks", "0", sim=drift("good"))
        self.assertEqual(server.wait(), GOOD)
        return self.rerun(self.recording(), "wrong.lsr", drift("faulty"), *states)

    def test_a_call_of_the_simulation_is_a_guess(self):
        """No run reproduces the file, so a call by the simulation can only be guessed as the cause."""
        for fault, cause, names in (("libm", "build difference", "atan2f(), expm1()"),
                                    ("host", "machine dependence", "getppid(), lrand48()")):
            path = self.record(faulty(fault))
            wrong = self.tool("re_record", path, self.path(f"{fault}.lsr"), "3", "30")
            words, _ = self.explain(wrong, sim=fault)
            self.assertEqual(words["class"], cause)
            self.assertIn(names, words["because"])
            os.remove(path)

    def test_it_knows_what_verify_knows(self):
        """If no run reproduces the file, the hashes and states after the tick tell more."""
        path = self.planted("--keyframes", "50")
        asked = (path, "--sim", drift("good"))
        out, _ = self.command("explain", *asked)
        verified, _ = self.command("verify", *asked, code=DIVERGED)
        known = verified[verified.index("tick "):verified.index("signed ")]
        for text in (f"tick       {PLANTED}\n", "system     drift\n", "entity     bodies/305:1\n",
                     "line       drift at "):
            self.assertIn(text, known)
        self.assertIn(known, out)
        self.assertRegex(out, r"(?m)^class +outside state$")
        found = json.loads(self.command("explain", *asked, "--json")[0])["where"]
        self.assertEqual((found["tick"], found["system"], found["field"]), (PLANTED, "drift", "y"))
        self.assertEqual(int(found["expected"]), int(found["found"]) + 5)
        self.assertNotEqual(found["expected_root"], found["found_root"])

    def test_a_file_that_holds_roots_alone(self):
        out, _ = self.command("explain", self.planted(), "--sim", drift("good"))
        self.assertRegex(out, r"(?m)^system +unknown: the file holds neither hashes nor states")

    def test_a_file_that_is_cut_off(self):
        """The readable part of a truncated file is explained, with a remark; a damaged file is refused."""
        path = self.record(faulty("orphan"))
        with open(path, "rb") as file:
            data = file.read()
        torn = self.path("torn.lsr")
        # Half of the bytes may end with a whole record.
        for count, says in ((len(data) - 10, "an incomplete record"),
                            (len(data) // 2, "an incomplete record|without a closing record")):
            with open(torn, "wb") as file:
                file.write(data[:count])
            words, rows = self.explain(torn, sim="orphan")
            self.assertRegex(words["end"], says)
            self.assertRegex(dict(rows)["serially"], r"^the file ")
            self.assertEqual(words["class"], "unsaved state")
        with open(torn, "wb") as file:
            file.write(data[:900] + bytes([data[900] ^ 1]) + data[901:])
        self.refuse("explain", torn, "--sim", faulty("orphan"), code=CORRUPT, says=(torn,))
        with open(torn, "wb") as file:
            file.write(data[:20])
        self.refuse("explain", torn, "--sim", faulty("orphan"), code=CORRUPT, says=(torn,))

    def test_a_test_case_is_made_once(self):
        """Repeats --to-test with the same file, with its copy in the folder, and with a second file."""
        path = self.record(faulty("orphan"))
        folder = self.path("regressions")
        words, _ = self.explain(path, "--to-test", folder, sim="orphan")
        name = words["test"].split(",")[0]
        copy, listing = os.path.join(folder, name + ".lsr"), os.path.join(folder, "CMakeLists.txt")
        self.assertEqual(sorted(os.listdir(folder)), sorted((name + ".lsr", "CMakeLists.txt")))
        with open(path, "rb") as file:
            data = file.read()
        with open(listing, encoding="utf-8") as file:
            text = file.read()
        self.assertEqual(text.count("add_test(NAME "), 1)
        for source, where in ((path, folder), (copy, folder), (copy, os.path.join(folder, "."))):
            words, _ = self.explain(source, "--to-test", where, sim="orphan")
            self.assertEqual(words["test"].split(",")[0], name)
            with open(copy, "rb") as file:
                self.assertEqual(file.read(), data, "the copy is what it was")
            with open(listing, encoding="utf-8") as file:
                self.assertEqual(file.read(), text)
        half = self.path("half.lsr")
        with open(half, "wb") as file:
            file.write(data[:len(data) // 2])
        self.explain(half, "--to-test", folder, sim="orphan")
        with open(listing, encoding="utf-8") as file:
            self.assertEqual(len(set(re.findall(r"add_test\(NAME (\S+)", file.read()))), 2)
        # The command of the test case fails until the fault is fixed.
        again = ("explain", "--agree", "--any-build", copy, "--sim")
        self.command(*again, faulty("orphan"), code=DIVERGED)
        self.assertRegex(self.command(*again, faulty("none"))[0], r"(?m)^all \d+ runs agree$")

    def test_agreement_as_json(self):
        path = self.record(faulty("orphan"))
        for sim, code, agrees in (("orphan", DIVERGED, False), ("none", GOOD, True)):
            out, _ = self.command("explain", path, "--agree", "--json", "--any-build", "--sim",
                                  faulty(sim), code=code)
            found = json.loads(out)
            self.assertIs(found["agree"], agrees)
            self.assertEqual((found["tick"], found["runs"]), (TICKS, len(found["rows"])))
        self.assertNotIn("run", found)
        out, _ = self.command("explain", path, "--agree", "--json", "--sim", faulty("orphan"),
                              code=DIVERGED)
        found = json.loads(out)
        self.assertEqual(found["run"], "joined 16 ticks before")
        # A sanitizer ends the process before the signal arrives.
        self.assertIn("null pointer" if is_sanitized() else "signal 11", found["text"])
        self.refuse("explain", path, "--agree", "--to-test", self.path("tests"), "--sim",
                    faulty("orphan"), code=USAGE, says=("one of them",))

    def test_a_case_that_cannot_see_the_fault_says_so(self):
        path = self.tool("re_record", self.record(faulty("none")), self.path("start.lsr"), "3", "0")
        words, _ = self.explain(path, "--to-test", self.path("tests"))
        self.assertTrue(words["test"].startswith("desync_faulty_0_"))
        with open(self.path("tests", "CMakeLists.txt"), encoding="utf-8") as file:
            self.assertRegex(file.read(), r"# It passed where it was made, although nothing was repaired:\n"
                                          r"# what one side had outside of the world .*\.\nadd_test")
        out, _ = self.command("explain", path, "--sim", faulty("none"), "--to-test",
                              self.path("tests"), "--json")
        found = json.loads(out)["test"]
        self.assertTrue(found["passes"])
        self.assertIn("is not here", found["why"])

    def test_a_case_has_the_other_build(self):
        path, folder = self.record(faulty("none")), self.path("tests")
        other = ("--any-build", "--other", faulty("late"))
        out, _ = self.command("explain", path, "--sim", faulty("none"), *other, "--to-test", folder)
        self.assertIn("it was run, and fails here until the fault is repaired\n", out)
        with open(os.path.join(folder, "CMakeLists.txt"), encoding="utf-8") as file:
            text = file.read()
        self.assertIn('--sim "${LOCKSTEP_SIM}" --other "${LOCKSTEP_SIM_OTHER}" --tick ', text)
        self.assertNotIn("It passed", text)

    def test_a_run_that_is_slow(self):
        """A slow run is not a hang."""
        path = self.record(faulty("none"))
        out, _ = self.command("explain", path, "--sim", faulty("heavy"), *PATIENCE)
        found = json.loads(out)
        self.assertEqual({row["side"] for row in found["rows"]}, {"server"})
        heap = [row for row in found["rows"] if row["run"].startswith("heap")]
        self.assertGreater(min(row["ms"] for row in heap), 10000)

    def test_a_run_that_hangs(self):
        """A hang is not a crash."""
        path = self.record(faulty("none"))
        out, _ = self.command("explain", path, "--sim", faulty("hang"), *PATIENCE)
        found = json.loads(out)
        sides = {row["run"]: (row["side"], row["text"]) for row in found["rows"]}
        side, text = sides["heap filled with 55"]
        self.assertEqual(side, "failed")
        self.assertRegex(text, r"^not known: no progress in 10 s")
        self.assertEqual(sides["serially"], ("server", ""))
        self.assertEqual(found["class"], "none")
        os.environ["LOCKSTEP_FAULT"] = "hang"
        self.addCleanup(os.environ.pop, "LOCKSTEP_FAULT")
        self.check_hang(path, PATIENCE)
        self.check_hang(path, ("--tick", "40", *PATIENCE))

    def check_hang(self, path, options):
        """If no run makes progress, the report resembles that of a crash, after a few attempts."""
        out, _ = self.command("explain", path, "--sim", faulty("hang"), *options, code=CRASHED)
        found = json.loads(out)
        self.assertEqual((found["class"], found["because"]), (
            "crash", 'serially: hangs in system "count", tick 30, as every run does'))
        if not is_sanitized("tsan"):
            self.assertEqual([found["where"][key] for key in ("tick", "signal", "system")],
                             [30, 0, "count"])
            self.assertRegex(found["where"]["line"], rf" at {SOURCE}:\d+$")
        sides = [row["side"] for row in found["rows"]]
        self.assertEqual(sides[:3], ["failed"] * 3)
        self.assertEqual(set(sides[3:]), {"not run"})
        self.assertRegex(found["rows"][0]["text"],
                         r'^not known: no progress in 10 s in system "count", tick 30')


if __name__ == "__main__":
    main()
