"""`lockstep check`: good simulations pass, and each planted fault is found and named by its check. The printed
command repeats a failure."""
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import time
import unittest
import unittest.mock
import xml.etree.ElementTree as xml

from case import (BINARY, DIVERGED, EXAMPLES, GOOD, INCOMPATIBLE, TIMEOUT_S, TINY, USAGE, Case, is_sanitized, main,
                  tiny)

SHORT = ("--ticks", "40", "--declared-ticks", "10", "--seeds", "1", "--shuffles", "3", "--option-matches", "2")
NO_LINES = r"\[build with -g for file and line\]"
ALL = {"base", "repeat", "validator", "declared", "shuffle", "threads", "interleave", "roundtrip", "rejoin",
       "rollback", "process"}


def faulty(fault):
    return os.path.join(TINY, f"faulty_{fault}.so")


class Result:
    """The output: the table's rows by check, and the text of each failure by check."""

    def __init__(self, out):
        self.out = out
        self.rows = {row.group(1): row.group(2)
                     for row in re.finditer(r"^(\w+) .*  (good|FAILED|left out)[^\n]*$", out, re.M)}
        self.failures = {part.split(",")[0].split("-")[0].strip(): part
                         for part in re.split(r"^FAILED ", out, flags=re.M)[1:]}

    def failed(self):
        return {name for name, result in self.rows.items() if result == "FAILED"}

    def again(self, check):
        return re.search(r"^  again: lockstep (.*)$", self.failures[check], re.M).group(1)


class Check(Case):
    def check(self, sim, *options, code=GOOD):
        command = self.start("check", "--sim", sim, *SHORT, *options)
        return Result(self.end(command, code, timeout_s=4 * TIMEOUT_S)[0])

    def test_good_simulations_pass_every_check(self):
        for sim in ("skirmish", "regatta", "toyphys", "cannon", "colony", "disjoint", "fountain", tiny("good"), faulty("none")):
            with self.subTest(sim):
                # A second seed runs the same code: the other builds run it.
                result = self.check(sim, "--seeds", "1" if is_sanitized() else "2")
                self.assertEqual(result.failed(), set())
                says_something = {"describe"} if "/" not in sim else set()
                self.assertEqual(set(result.rows) - {"schedule"}, ALL | says_something)
                self.assertIn(", 0 failed", result.out)
                self.assertRegex(result.out, r"(?m)^threads +on 1, 2, 4(, 8 and \d+| and 8) threads +\d")

    def test_the_table_has_the_numbers_of_threads_that_ran(self):
        for only, says in (((3,), "on 3 threads"), ((5, 1), "on 1 and 5 threads"), ((1,), "on 1 thread"),
                           ((9, 2, 4), "on 2, 4 and 9 threads")):
            out = self.check("toyphys", *[word for n in only for word in ("--only", f"threads-{n}")]).out
            self.assertRegex(out, rf"(?m)^threads +{says}  +\d")

    def test_the_colony_is_clean_on_any_number_of_threads(self):
        only = [option for case in ("threads-1", "threads-2", "threads-4", "threads-8", "shuffle", "declared")
                for option in ("--only", case)]
        result = self.check("colony", "--ticks", "450", "--declared-ticks", "120", "--option-matches", "0", *only)
        self.assertEqual(result.failed(), set())
        self.assertRegex(result.out, r"(?m)^threads .* 4 +1800 +[\d.]+  good$")
        self.assertRegex(result.out, r"(?m)^shuffle .* 3 +1350 +[\d.]+  good$")
        self.assertRegex(result.out, r"\ncolony: \d+ runs, \d+ ticks, 0 failed\n$")

    def test_each_fault_is_found_by_its_check_and_named(self):
        for fault, check, says in (
                ("static", "repeat", r"second time in one process[^\n]*\n[^\n]*Score\.total"),
                ("static", "declared", r'system "count" depends on what is not in the world'),
                ("unsaved", "rejoin", r"Score\.total: expected \d+, found \d+ \(written by count"),
                ("uninitialised", "process", r"Score\.total: [^\n]*\(written by count"),
                ("begin", "process", r"Place\.y of walkers/0:1: expected \d+, found \d+"),
                ("heap", "process", r"Score\.total: [^\n]*\(written by count"),
                ("rank", "process", r"Score\.total: [^\n]*\(written by count"),
                ("time", "process", r"Score\.total: [^\n]*\(written by count"),
                ("address", "process", r"Score\.total: [^\n]*\(written by count"),
                ("map", "process", r"height in row 3 of match table tile: expected \d+, found \d+ "
                                   r"\(its count\(\) and fill\(\) are to depend on the match"),
                ("undeclared", "declared", r'system "look" writes what it may not write: '
                                           r"Place\.y of walkers/0:1"),
                ("race", "shuffle", r"Score\.seen: expected \d+, found \d+ "
                                    r"\(written by count, look, triple\); the order is free because of the "
                                    r'independence of "look" and "triple" \(both only add \(they do not\)\)'),
                ("overread", "validator", r"signal 11 [^\n]* at: order of \d+ bytes of player"),
                ("crash", "validator", r"signal 6 [^\n]* at: order of 3 bytes of player"),
                ("mute", "describe", r"signal 6 [^\n]* at: describe\(\) of tick 30"),
                ("chatty", "describe", r"describe\(\) wrote past the 256 bytes"),
                ("endless", "describe", r"describe\(\) left its text without an end"),
                ("mood", "validator", r"takes it at one address and refuses it|"
                                      r"refuses it at one address and takes it")):
            if is_sanitized() and fault in ("heap", "rank", "overread"):
                continue  # the sanitizer fills memory itself, and reports overreads without a signal
            with self.subTest(fault, check=check):
                result = self.check(faulty(fault), "--only", check, code=DIVERGED)
                self.assertEqual(result.failed(), {check})
                self.assertRegex(result.failures[check], says)

    def test_before_the_first_tick_the_setup_is_to_blame(self):
        result = self.check(faulty("setup"), "--only", "process", code=DIVERGED)
        self.assertRegex(result.failures["process"],
                         r"before tick 0: [^\n]*\n +Place\.y of walkers/0:1: expected \d+, found \d+ "
                         r"\(written by the setup, begin\);")
        self.assertNotIn("walk)", result.failures["process"])

    def test_run_ends_with_what_describe_says(self):
        run = ("run", "--ticks", "30", "--sim")
        self.assertRegex(self.command(*run, "skirmish")[0], r"times real time; \S")
        self.assertTrue(json.loads(self.command(*run, "skirmish", "--json")[0])["text"])
        self.assertNotIn("text", self.command(*run, faulty("none"))[0])
        self.refuse(*run, faulty("chatty"), code=USAGE, says=("describe() wrote past the 256 bytes",))
        self.refuse(*run, faulty("endless"), code=USAGE, says=("describe() left its text without an end",))
    @unittest.skipIf(is_sanitized(), "a sanitizer tells it in its own words")
    def test_a_crash_outside_of_check_is_told_too(self):
        run = ("run", "--ticks", "40", "--sim")
        for fault, place in (("mute", r"describe\(\) \(describe"), ("fall", r'system "count", tick 30 \(fault')):
            _, err = self.command(*run, faulty(fault), code=-signal.SIGABRT)
            self.assertRegex(err, rf"(?m)^lockstep run: the simulation crashed: SIGABRT in {place} at \S+:\d+\)$")
        _, err = self.command("serve", "--sim", faulty("mute"), "--bind", "127.0.0.1", "--port", "0",
                              "--identity", self.path("identity"), "--wait", "0", "--tick-rate", "100",
                              code=-signal.SIGABRT)
        self.assertRegex(err, r"(?m)^lockstep serve: the simulation crashed: SIGABRT in describe\(\) \(describe at ")

    def test_a_fault_for_one_check_fails_no_other(self):
        for fault, check in (("unsaved", "rejoin"), ("address", "process"), ("race", "shuffle"),
                             ("undeclared", "declared"), ("crash", "validator"), ("mute", "describe")):
            with self.subTest(fault):
                result = self.check(faulty(fault), "--jobs", "2",
                                    code=DIVERGED)
                self.assertEqual(result.failed(), {check})

    def test_the_printed_command_repeats_the_failure(self):
        for fault, check in (("static", "repeat"), ("unsaved", "rejoin"), ("race", "shuffle"),
                             ("crash", "validator"), ("address", "process")):
            with self.subTest(fault):
                first = self.check(faulty(fault), "--only", check, code=DIVERGED)
                again = shlex.split(first.again(check))
                out, _ = self.command(*again, code=DIVERGED)
                second = Result(out)
                self.assertEqual(second.failed(), {check})
                self.assertEqual(second.again(check), first.again(check))

    def test_timeout_is_for_one_tick_however_many_there_are(self):
        out, _ = self.command("check", "--sim", faulty("slow"), "--ticks", "100", "--seeds", "1",
                              "--timeout", "12", "--only", "rejoin-90")
        self.assertEqual(Result(out).rows["rejoin"], "good")
        self.assertRegex(out, r"(?m)^rejoin .* 1 +100 +[\d.]+  good$")

    def test_where_a_slow_simulation_differs_is_found_with_timeout(self):
        """The fault is in one of the last ticks; all ticks together take longer than the time limit."""
        out, _ = self.command("check", "--sim", faulty("slow"), "--other", faulty("late_slow"),
                              "--ticks", "100", "--seeds", "1", "--timeout", "12", "--only", "other",
                              code=DIVERGED)
        self.assertIn("other", Result(out).failures, out)
        self.assertRegex(Result(out).failures["other"], r"Score\.total: expected \d+, found \d+")

    def test_a_death_before_the_late_join_repeats_by_the_printed_command(self):
        path = self.path("was-here")
        with unittest.mock.patch.dict(os.environ, LOCKSTEP_FAULT=path):
            out, _ = self.command("check", "--sim", faulty("second"), "--ticks", "60", "--seeds", "1",
                                  "--only", "rejoin-50", code=DIVERGED)
            first = Result(out)
            self.assertRegex(first.failures["rejoin"], r'signal 6 .*in system "count", tick 20')
            again = first.again("rejoin")
            self.assertRegex(again, r"--ticks 50 --only rejoin-50$")
            os.remove(path)
            out, _ = self.command(*shlex.split(again), code=DIVERGED)
        self.assertEqual(Result(out).again("rejoin"), again)

    def test_when_a_client_joins_late(self):
        """A client joins after the first tick, after one of the next ticks, and at two random later ones."""
        path = self.path("results.xml")
        self.command("check", "--sim", faulty("none"), "--ticks", "500", "--seeds", "3", "--only", "rejoin",
                     "--junit", path)
        ticks = [int(case.get("name").split("-")[1]) for case in xml.parse(path).iter("testcase")
                 if case.get("name").startswith("rejoin-")]
        self.assertEqual(len(ticks), 12)
        self.assertEqual(ticks[::4], [1, 1, 1])
        self.assertTrue(all(2 <= tick <= 16 for tick in ticks[1::4]), ticks)
        self.assertTrue(all(2 <= tick < 500 for i, tick in enumerate(ticks) if i % 4), ticks)
        self.assertGreater(max(ticks), 100)

    def test_a_simulation_that_crashes_is_a_failure_with_its_last_words(self):
        out, _ = self.command("check", "--sim", tiny("tired"), "--only", "base", "--seeds", "1",
                              "--inputs", "random", "--ticks", "2000", code=DIVERGED)
        self.assertRegex(Result(out).failures["base"], "restless|again")

    def test_results_as_junit(self):
        path = self.path("results.xml")
        result = self.check(faulty("race"), "--junit", path, code=DIVERGED)
        suite = xml.parse(path).getroot().find("testsuite")
        cases = suite.findall("testcase")
        failed = [case for case in cases if case.find("failure") is not None]
        self.assertEqual(int(suite.get("tests")), len(cases))
        self.assertEqual(int(suite.get("failures")), len(failed))
        self.assertEqual({case.get("name") for case in failed},
                         {"shuffle-2", "shuffle-3", "shuffle-4"})
        self.assertEqual(failed[0].get("classname"), "faulty.seed-1")
        text = failed[0].find("failure").text
        self.assertIn("Score.seen", text)
        self.assertIn("--only shuffle-2", text)
        self.assertIn("--only shuffle-", result.again("shuffle"))

    def test_a_warning_names_what_is_not_the_same_everywhere(self):
        path = self.path("results.xml")
        for fault, names in (("libm", "acosl(), atan2f(), expm1(), hypotf()"),
                             ("host", "getppid(), lrand48(), sched_getcpu()")):
            result = self.check(faulty(fault), "--junit", path)
            self.assertEqual(result.failed(), set())
            warning, = re.findall(r"(?m)^warning: .*$", result.out)
            self.assertRegex(warning, rf"^warning: faulty calls {re.escape(names)}: .*docs/determinism\.md$")
            suite = xml.parse(path).getroot().find("testsuite")
            self.assertEqual([note.text for note in suite.iter("system-out")], [warning])
            self.assertEqual([suite.get(name) for name in ("failures", "errors", "skipped")], ["0"] * 3)
        walkers = os.path.join(EXAMPLES, "walkers.so")
        for sim in ("skirmish", "toyphys", tiny("good"), faulty("none"),
                    *([walkers] if os.path.exists(walkers) else [])):
            out, _ = self.command("check", "--sim", sim, *SHORT, "--only", "base", "--junit", path)
            self.assertNotIn("warning", out)
            self.assertEqual(list(xml.parse(path).iter("system-out")), [])

    def test_a_warning_names_variables_that_ticks_change(self):
        """On one machine every run may give the same values, but a client that joins late has others."""
        path = self.path("results.xml")
        folder = os.path.dirname(os.path.abspath(__file__))
        with open(os.path.join(folder, "faulty_sim.c"), encoding="utf-8") as source:
            line, = [number for number, text in enumerate(source, 1) if "static uint32_t calls;" in text]
        out, _ = self.command("check", "--sim", faulty("static"), *SHORT, "--only", "base", "--junit", path)
        # With the address sanitizer, clang emits no line for a function's own static variable, and variables are padded.
        warning, = re.findall(r"(?m)^(warning: faulty changes variables as it runs: "
                              rf"(?:calls \(faulty_sim.c:{line}, 4 bytes\)|fault\.calls \((?:4|32) bytes\) {NO_LINES}): no snapshot "
                              r"holds them, so move what reaches the state to a component: docs/determinism.md)$", out)
        self.assertEqual([note.text for note in xml.parse(path).iter("system-out")], [warning])

    @unittest.skipIf(is_sanitized() or not shutil.which("strip"), "needs strip, and names that no sanitizer changes")
    def test_a_warning_says_how_to_see_the_lines(self):
        """A module without debug information has none."""
        bare = self.path("bare.so")
        subprocess.run(["strip", "-g", "-o", bare, faulty("static")], check=True)
        out, _ = self.command("check", "--sim", bare, *SHORT, "--only", "base")
        self.assertRegex(out, rf"(?m)^warning: faulty changes variables as it runs: \S*calls\S* \(4 bytes\) {NO_LINES}: no snapshot")

    def test_each_value_of_an_option_is_tried(self):
        """The setup is wrong with one value of an option, and leaves something behind with two others."""
        options = ("check", "--sim", faulty("mode"), "--ticks", "20", "--seeds", "1", "--only", "process")
        out, _ = self.command(*options, code=DIVERGED)
        result = Result(out)
        self.assertRegex(result.failures["process"], r"Place\.y of walkers/0:1: expected \d+, found \d+ "
                                                     r"\(written by the setup, begin\)")
        again = result.again("process")
        self.assertIn(" --set mode=2 --option-matches 0 --seed 3 --seeds 1 ", again)
        self.assertEqual(Result(self.command(*shlex.split(again), code=DIVERGED)[0]).again("process"), again)
        self.assertIn("\nmatches: 1 of seeds, 8 of options, 0 longer; the longest has 20 ticks\n", out)
        variables, = re.findall(r"(?m)^warning: faulty changes variables as it runs: (.*?): no snapshot", out)
        self.assertRegex(variables, rf"^\S*odd \([^;]*(?:4|32) bytes\); \S*last \([^;]*(?:16|32) bytes\)(?: {NO_LINES})?$")
        for more, ran in ((("--option-matches", "1"), 1), (("--set", "mode=1"), 5)):
            out, _ = self.command(*options, *more)
            self.assertIn(f" {ran} of options, ", out)
        # A tick after the end of these short matches is only for the longer ones.
        self.assertEqual(self.check(faulty("mode"), "--ticks", "200", "--only", "rejoin-150").failed(), set())
        for more in (("--option-matches", "0"), ("--set", "mode=1", "--set", "size=5")):
            self.assertNotIn("matches:", self.command(*options, *more)[0])

    def test_values_between_the_ends_of_an_option_are_tried(self):
        out, _ = self.command("check", "--sim", faulty("middle"), "--ticks", "20", "--seeds", "1", "--only", "process",
                              code=DIVERGED)
        self.assertIn(" --set size=499 --option-matches 0 ", Result(out).again("process"))

    def test_longer_matches_reach_a_late_fault(self):
        options = ("check", "--sim", faulty("aged"), "--seeds", "1", "--only", "rejoin-1")
        self.command(*options)
        out, _ = self.command(*options, "--minutes", "60", code=DIVERGED)  # the fault ends it
        result = Result(out)
        self.assertRegex(result.failures["rejoin"], r"after tick 5\d\d\d|Score\.total")
        self.assertRegex(out, r"\nmatches: 1 of seeds, 0 of options, 7 longer; the longest has 9600 ticks\n")
        again = result.again("rejoin")
        self.assertRegex(again, r" --seed 8 --seeds 1 .* --ticks 500\d --only rejoin-1$")
        self.assertEqual(Result(self.command(*shlex.split(again), code=DIVERGED)[0]).again("rejoin"), again)

    def test_minutes_end_in_time_after_the_usual_matches(self):
        begin = time.monotonic()
        out, _ = self.command("check", "--sim", faulty("none"), "--minutes", "0.25", "--only", "repeat")
        self.assertRegex(out, r"\nmatches: 2 of seeds, 0 of options, [1-9]\d* longer; the longest has \d{4,} ticks\n"
                              r"faulty: \d+ runs, \d+ ticks, 0 failed\n$")
        self.assertTrue(15 <= time.monotonic() - begin < TIMEOUT_S)
        out, _ = self.command("check", "--sim", faulty("none"), *SHORT, "--minutes", "0.001", "--only", "process")
        self.assertIn("faulty: 4 runs, 160 ticks, 0 failed", out)

    def test_a_schedule_that_does_not_build_is_the_only_failure(self):
        path = self.path("results.xml")
        out, _ = self.command("check", "--sim", tiny("ambiguous"), "--junit", path, code=DIVERGED)
        self.assertIn("FAILED schedule", out)
        self.assertIn("ambiguity", out)
        failure = xml.parse(path).getroot().find("testsuite/testcase/failure")
        self.assertIn("rival", failure.text)

    def test_another_build_is_compared(self):
        same = self.path("same.so")
        shutil.copy(tiny("good"), same)
        result = self.check(tiny("good"), "--other", same, "--only", "other")
        self.assertEqual(result.rows["other"], "good")
        # The same sources with a third result: that looks like a compiler error.
        result = self.check(tiny("good"), "--other", same, "--other", tiny("hidden"), "--only",
                            "other", code=DIVERGED)
        self.assertRegex(result.failures["other"], r"Sum\.total: expected \d+, found \d+")
        self.assertIn(tiny("hidden"), result.failures["other"])
        result = self.check(tiny("good"), "--other", tiny("hidden"), "--other", same, "--only", "other-2")
        self.assertEqual(result.rows["other"], "good")

    def test_a_build_of_other_sources_is_incompatible(self):
        path = self.path("results.xml")
        result = self.check(tiny("good"), "--other", tiny("other"), "--only", "other", "--junit",
                            path, code=INCOMPATIBLE)
        self.assertIn("fingerprints", result.failures["other"])
        suite = xml.parse(path).getroot().find("testsuite")
        counts = [len(list(suite.iter(name))) for name in ("failure", "error", "skipped")]
        self.assertEqual([int(suite.get(name)) for name in ("failures", "errors", "skipped")],
                         counts)
        self.assertEqual(counts, [0, len(suite.findall("testcase/error")), 0])
        self.assertGreater(counts[1], 0)
        self.refuse("check", "--sim", tiny("abi"), code=INCOMPATIBLE, says=("rebuild",))

    def test_wrong_use(self):
        for arguments, says in ((("--only", "shufle"), "the names: base, repeat"),
                                (("--only", "shuffle-x"), "takes a number"),
                                (("--only", "other"), "give it with --other PATH.so"),
                                (("--only", "other-1"), "give it with --other PATH.so"),
                                (("--only", "other-2", "--other", tiny("good")),
                                 "there are other-1 to other-1"),
                                (("--only", "shuffle", "--shuffles", "0"), "there are none"),
                                (("--only", "rejoin-99", "--ticks", "5"),
                                 "there are rejoin-1 to rejoin-5, or more with --ticks"),
                                (("--only", "rejoin-0"), "there are rejoin-1 to rejoin-600"),
                                (("--only", "process-0"), "there are process-1 to"),
                                (("--only", "threads-5000"), "there are threads-1 to"),
                                (("--only", "base-1"), "base takes no number"),
                                (("--only", "interleave-0"), "there are interleave-1 to"),
                                (("--ticks", "0"), "--ticks"),
                                (("--minutes", "0"), "--minutes takes 0.001 to 10080, not '0'"),
                                (("--minutes", "x"), "--minutes takes 0.001 to 10080, not 'x'"),
                                (("--inputs", "ghosts"), "bots, random, mixed"),
                                (("--set", "nothing=1"), "no option 'nothing'"),
                                (("--worker", "1"), "starts its own processes")):
            with self.subTest(arguments):
                _, err = self.command("check", "--sim", "skirmish", *arguments, code=USAGE)
                self.assertIn(says, err)
        self.command("check", code=USAGE)
        os.symlink(tiny("good"), self.path("link.so"))
        for other in (tiny("good"), self.path("link.so")):
            _, err = self.command("check", "--sim", tiny("good"), "--other", other, code=USAGE)
            self.assertIn("one and the same build", err)

    def test_progress_is_shown_on_a_terminal_alone(self):
        _, err = self.command("check", "--sim", "toyphys", *SHORT)
        self.assertEqual(err, "")
        script = shlex.join([BINARY, "check", "--sim", "toyphys", *SHORT])
        shown = subprocess.run(["script", "-qec", script, self.path("typescript")], check=True,
                               stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True,
                               timeout=TIMEOUT_S).stdout
        self.assertIn("match 1 of 1: ", shown)
        self.assertIn("trials", shown)


if __name__ == "__main__":
    main()
