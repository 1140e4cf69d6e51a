#!/usr/bin/env python3
"""machines.py without its machines: what it counts, which broken rules it misses, and that docs/determinism.md has a
row for each target."""
import contextlib
import io
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from unittest import mock

import machines
import modules

REFERENCE = {rule: f"{number:016x}" for number, rule in enumerate(machines.RULES)}


class Machines(unittest.TestCase):
    def setUp(self):
        self.out = pathlib.Path(tempfile.mkdtemp(prefix="lockstep-machines-"))
        self.addCleanup(shutil.rmtree, self.out)
        for name, value in (("OUT", self.out), ("RESULTS", self.out / "results.json")):
            patch = mock.patch.object(machines, name, value)
            patch.start()
            self.addCleanup(patch.stop)

    def write_traps(self, target, hashes):
        (self.out / target).mkdir(exist_ok=True)
        (self.out / target / "traps.txt").write_text("".join(f"{rule} {value}\n" for rule, value in hashes.items()))

    def run_all(self, prove, *targets):
        """A run of the targets, by default all, of which `prove` is told each; returns (exit code, output lines)."""
        def prove_one(runner, target, *_):
            prove(target)
            runner.add(machines.Row(target.name, "build, -Werror", 1, 1, "passed"))

        output = io.StringIO()
        with mock.patch.object(machines, "prove", prove_one), mock.patch.object(machines, "play_matches"), \
                mock.patch.object(machines, "play_windows"), \
                mock.patch.object(machines.Target, "has", lambda *_: True), contextlib.redirect_stdout(output):
            code = machines.main(list(targets))
        return code, output.getvalue().splitlines()

    def break_known_rules(self, *left_out):
        """A `prove` with which each machine breaks the rules of the page, but for the left out ones."""
        def prove(target):
            known = machines.known_traps([target])
            self.write_traps(target.name, {rule: "f" * 16 if known[rule] and rule not in left_out else own
                                           for rule, own in REFERENCE.items()})
        return prove

    def test_machines_of_a_part_are_compared_with_the_reference(self):
        code, lines = self.run_all(self.break_known_rules(), "s390x", "windows")
        self.assertEqual((code, lines[-1]), (0, "4 passed, 0 failed")) # with x86-64, and the traps
        self.assertIn("| byte_order      | s390x |", lines)
        self.assertIn("| x87             | on none of these |", lines)

    def test_machines_of_a_part_fail_when_one_no_longer_names_a_rule(self):
        code, lines = self.run_all(self.break_known_rules("byte_order"), "s390x", "windows")
        self.assertEqual((code, lines[-1]), (1, "3 passed, 1 failed"))
        self.assertIn("| byte_order      | on none of these NO LONGER ON s390x |", lines)

    def test_machines_of_a_part_are_only_built_without_the_reference(self):
        with mock.patch.object(machines, "link_kernel_headers"):
            code, lines = self.run_all(self.break_known_rules(), "--build", "s390x")
        self.assertEqual((code, lines[-1]), (0, "1 passed, 0 failed"))

    def break_rules(self, rules):
        """A `prove` with which s390x breaks these rules and no other machine any."""
        other = REFERENCE | {rule: "f" * 16 for rule in rules}
        return lambda target: self.write_traps(target.name, other if target.name == "s390x" else REFERENCE)

    def test_machines_pass_when_each_rule_is_named(self):
        code, lines = self.run_all(self.break_known_rules())
        self.assertEqual((code, lines[-1]), (0, f"{len(machines.TARGETS) + 1} passed, 0 failed"))
        self.assertIn("| byte_order      | s390x |", lines)
        self.assertIn("within the 900 s that all targets may take on two cores", lines)

    def test_machines_fail_when_one_of_all_no_longer_names_a_rule(self):
        known = self.break_known_rules()
        def prove(target):
            known(target)
            if target.name == "i686":
                self.write_traps("i686", REFERENCE)
        code, lines = self.run_all(prove)
        self.assertEqual((code, lines[-1]), (1, f"{len(machines.TARGETS)} passed, 1 failed"))
        self.assertIn("| size_t_width    | armhf wasm32 NO LONGER ON i686 |", lines)

    def test_machines_play_with_windows_after_it_and_the_reference_are_built(self):
        began = []
        def prove(target):
            time.sleep(0.2 if target.name == "x86-64" else 0)
            began.append(target.name)
            self.break_known_rules()(target)
        def play(_, target):
            began.append(f"play {target.name}")
        with mock.patch.object(machines, "play_windows", play), mock.patch.object(machines, "play_matches"), \
                mock.patch.object(machines, "prove", lambda runner, target, *_: prove(target)), \
                contextlib.redirect_stdout(io.StringIO()):
            runner, targets = machines.Runner(), [machines.NAMES[name] for name in ("x86-64", "windows", "x86-64-O0")]
            machines.prove_all(runner, targets, False)
            self.assertGreater(began.index("play windows"), max(began.index("x86-64"), began.index("windows")))
            self.assertEqual(len(began), 4)
            began.clear()
            machines.prove_all(runner, targets, True)
            self.assertEqual(sorted(began), ["windows", "x86-64", "x86-64-O0"])

    def test_machines_stop_when_a_step_breaks(self):
        def prove(_, target, *__):
            raise RuntimeError(target.name)
        with mock.patch.object(machines, "prove", prove), self.assertRaises(RuntimeError):
            machines.prove_all(machines.Runner(), [machines.NAMES[name] for name in ("x86-64", "windows", "x86-64-O0")], False)

    def test_machines_fail_when_a_rule_is_named_by_none(self):
        code, lines = self.run_all(self.break_known_rules("byte_order"))
        self.assertEqual((code, lines[-1]), (1, f"{len(machines.TARGETS)} passed, 1 failed"))
        self.assertIn("| byte_order      | NOWHERE NO LONGER ON s390x |", lines)

    def test_machines_fail_when_no_trap_was_played(self):
        code, lines = self.run_all(lambda target: None)
        self.assertEqual((code, lines[-1]), (1, f"{len(machines.TARGETS)} passed, 1 failed"))

    def test_machines_fail_when_a_rule_has_no_description(self):
        with mock.patch.dict(REFERENCE, {"locale": "1" * 16}):
            code, _ = self.run_all(self.break_rules([*machines.RULES, "locale"]))
        self.assertEqual(code, 1)

    def test_machines_are_not_named_by_a_machine_that_lacks_the_rule(self):
        self.write_traps("x86-64", REFERENCE)
        self.write_traps("s390x", {})
        self.assertEqual(set(map(tuple, machines.find_traps(self.out, list(machines.NAMES)).values())), {()})

    def measure(self, *command):
        runner, output = machines.Runner(), io.StringIO()
        with contextlib.redirect_stdout(output):
            is_good = runner.measure("x86-64", "digest, all ways", [["true"], list(command), ["echo", "afterwards"]],
                                     "digest")
        return is_good, runner, output.getvalue()

    def test_machines_count_a_command_that_fails_and_show_its_output(self):
        for command in (("sh", "-c", "echo wrong root; exit 1"), ("sh", "-c", "echo wrong root; kill -9 $$")):
            is_good, runner, output = self.measure(*command)
            self.assertEqual((is_good, runner.count("passed"), runner.count("FAILED")), (False, 0, 1))
            self.assertIn("wrong root", output)
            self.assertNotIn("afterwards", output)

    def test_machines_play_all_of_a_match_where_it_costs_little(self):
        whole = ["golden", "check", "skirmish", "replays/golden/skirmish.txt"]
        with mock.patch.object(machines.Target, "program", lambda *_: ["golden"]), mock.patch.dict("os.environ"):
            os.environ.pop("LOCKSTEP_LONG", None)
            for name, command in (("x86-64", whole), ("windows", whole),
                                  ("s390x", [*whole, str(machines.EMULATED_TICKS)])):
                self.assertEqual(machines.golden_commands(machines.NAMES[name], "digest")[0], command)
            os.environ["LOCKSTEP_LONG"] = "1"
            self.assertEqual(machines.golden_commands(machines.NAMES["s390x"], "digest")[0], whole)

    def test_machines_name_what_a_step_skips(self):
        is_good, runner, output = self.measure("echo", "SKIPPED: full disk: no rights to mount")
        self.assertEqual((is_good, runner.count("passed"), runner.count("FAILED")), (True, 1, 0))
        self.assertRegex(output, r"(?m)^\| x86-64 +\| full disk +\| +0 \| +0 \| skipped: no rights to mount \|$")

    def test_machines_name_a_step_that_skips_itself(self):
        _, runner, output = self.measure("sh", "-c", "echo skipped: no Chromium; exit 77")
        self.assertEqual((runner.count("passed"), runner.count("FAILED")), (0, 0))
        self.assertRegex(output, r"(?m)^\| x86-64 +\| digest, all ways +\| .* \| skipped: no Chromium \|$")
        _, runner, _ = self.measure("sh", "-c", "exit 77")
        self.assertEqual(runner.count("FAILED"), 1)

    def test_machines_play_in_browsers_with_the_server_of_the_tests(self):
        for is_built in (False, True):
            runner, output = machines.Runner(), io.StringIO()
            with contextlib.redirect_stdout(output), mock.patch.object(machines, "ROOT", self.out), \
                    mock.patch.object(runner, "run", lambda command, log: (0, 1.0)):
                if is_built:
                    (self.out / "build/release/cli").mkdir(parents=True)
                    (self.out / "build/release/cli/lockstep").touch()
                machines.play_browsers(runner)
            self.assertEqual((runner.count("passed"), runner.count("FAILED")), (is_built, 0))
            self.assertIn("passed" if is_built else "skipped: there is no build/release/cli/lockstep, which ./test builds", output.getvalue())

    def refuse_modules(self, says):
        """modules.py with a program that takes good.so, and says this of the others; returns (exit code, output)."""
        program = self.out / "program"
        program.write_text(f'#!/bin/sh\ncase "$*" in *good.so) echo root=1 ;; *) {says} ;; esac\n', encoding="utf-8")
        program.chmod(0o755)
        output = io.StringIO()
        with contextlib.redirect_stdout(output), mock.patch.dict("os.environ"):
            code = modules.main([f"--program={program}", "--compiler=gcc", "--fma=", f"--folder={self.out / 'modules'}"])
        return code, output.getvalue()

    def test_machines_fail_when_a_module_is_not_refused_as_on_the_reference(self):
        for says, words in (("true", "code 0, wanted 3"), ("echo no >&2; exit 2", "code 2, wanted 3"),
                            ("echo it contracts >&2; exit 3", "says\nit contracts\nand not"), ("kill -9 $$", "code -9")):
            code, output = self.refuse_modules(says)
            self.assertEqual(code, 1)
            self.assertIn("contracted.so", output)
            self.assertIn(words, output)

    def test_machines_compare_a_program_of_the_shared_library_with_one_of_the_archives(self):
        for static, shared, wanted in (("echo 1", "echo 1", 0), ("echo 1", "echo 2", 1), ("echo 1", "false", 1),
                                       ("false", "false", 1), ("echo 1", "./no-such-program", 127)):
            forms = {"consumer_static": static.split(), "consumer_shared": shared.split()}
            with mock.patch.object(machines.Target, "program", lambda _, name, forms=forms: forms[name]):
                compare = machines.library_commands(machines.NAMES["s390x"])[-1]
            self.assertEqual(subprocess.run(compare, check=False, capture_output=True).returncode, wanted)

    def test_machines_count_a_program_that_is_not_there(self):
        is_good, runner, output = self.measure("./no-such-emulator")
        self.assertEqual((is_good, runner.count("FAILED")), (False, 1))
        self.assertIn("no-such-emulator", output)

    def test_machines_name_a_feature_that_the_cpu_lacks(self):
        runner, output = machines.Runner(), io.StringIO()
        with contextlib.redirect_stdout(output), mock.patch.object(machines, "cpu_facts", lambda: ("a CPU", {"sse2"})):
            machines.prove(runner, machines.NAMES["x86-64-no-fma"], False, False)
        self.assertIn("skipped: this CPU has no avx2", output.getvalue())
        self.assertEqual((runner.count("passed"), runner.count("FAILED")), (0, 0))

    def build_without_program(self, name):
        """Builds a target whose steps pass, and which has no program afterwards; returns (runner, output)."""
        runner, output = machines.Runner(), io.StringIO()
        with contextlib.redirect_stdout(output), mock.patch.object(machines, "SOURCES", self.out / "sources"), \
                mock.patch.object(machines, "build_commands"), \
                mock.patch.object(machines.Target, "has", lambda _, program: program != "cli/lockstep"), \
                mock.patch.object(runner, "measure", lambda target, proof, *_: runner.add(
                    machines.Row(target, proof, 1, 1, "passed")) or True):
            machines.prove(runner, machines.NAMES[name], False, True)
        return runner, output.getvalue()

    def test_machines_fail_without_a_program_and_say_why(self):
        (self.out / "sources").mkdir()
        runner, output = self.build_without_program("windows")
        self.assertEqual((runner.count("passed"), runner.count("FAILED")), (1, 1))
        self.assertIn("no sources of enet and jansson", output)
        (self.out / "sources" / "no-enet").write_text("E: trixie is far away\n", encoding="utf-8")
        self.assertIn("no sources of ENet: E: trixie is far away", self.build_without_program("windows")[1])
        for name in ("wasm32", "x86-64-O0"): # which have none
            runner, _ = self.build_without_program(name)
            self.assertEqual((runner.count("passed"), runner.count("FAILED")), (1, 0))

    def test_machines_write_a_table_that_can_be_written_again(self):
        text = "a\n<!-- x: begin -->\nold\n<!-- x: end -->\nb\n"
        for lines in (["new"], ["newer", "rows"]):
            text = machines.replace_between(text, "x", lines)
            self.assertEqual(text, "a\n<!-- x: begin -->\n" + "\n".join(lines) + "\n<!-- x: end -->\nb\n")

    def document(self, rows, rules=machines.RULES):
        """--document after a run with these rows; returns (exit code, errors, the page)."""
        page = self.out / "page.md"
        page.write_bytes(machines.PAGE.read_bytes())
        for target in machines.TARGETS:
            self.break_rules(rules)(target)
        machines.remember(rows, True, 100)
        with mock.patch.object(machines, "PAGE", page), contextlib.redirect_stderr(io.StringIO()) as errors:
            code = machines.main(["--document"])
        return code, errors.getvalue(), page.read_text(encoding="utf-8")

    def rows(self):
        proofs = ("build, -Werror", "interface", "shared library", "digest, all ways", "regatta, all ways", "floats, all ways", "traps",
                  "recordings", "program, its zip")
        rows = [machines.Row(target.name, proof, 7, 9, "passed") for target in machines.TARGETS
                for proof in (proofs if target.has_program else proofs[:-1])]
        return [*rows, machines.Row("live", "match", 1, 1, "passed")]

    def test_machines_document_the_last_run_of_each_target(self):
        code, _, page = self.document(self.rows())
        self.assertEqual(code, 0)
        self.assertIn("| `s390x` | gcc 12, big-endian, qemu |" + 9 * " 7 s |" + " yes |", page)
        self.assertRegex(page, r"\n\| `wasm32` \|.* 7 s, no threads \|")
        self.assertIn("| `x86-64-O0` | gcc 12, `-O0` |" + 8 * " 7 s |" + " - | with s390x |", page)
        self.assertIn("| the bits of a NaN | `nan_bits` | s390x |", page)
        machines.remember([machines.Row("s390x", "floats, all ways", 8, 9, "FAILED"),
                           machines.Row("live", "match", 1, 1, "FAILED")], False, 1)
        code, errors, _ = self.again()
        self.assertEqual((code, "s390x: floats" in errors, "live" in errors), (1, True, False))

    def again(self):
        before = machines.PAGE.read_bytes()
        with contextlib.redirect_stderr(io.StringIO()) as errors:
            code = machines.main(["--document"])
        return code, errors.getvalue(), machines.PAGE.read_bytes() == before

    def test_machines_document_no_failed_run(self):
        for rows, rules, word in ((self.rows()[1:-1], machines.RULES, "live"),
                                  ([row for row in self.rows() if row.target != "musl"], machines.RULES, "musl"),
                                  (self.rows(), set(machines.RULES) - {"x87"}, "traps")):
            code, errors, page = self.document(rows, rules)
            self.assertEqual((code, page), (1, machines.PAGE.read_text(encoding="utf-8")))
            self.assertIn(f"no good results of {word}", errors)

    def test_machines_are_the_rows_of_the_page(self):
        text = machines.PAGE.read_text(encoding="utf-8")
        table = text.split("<!-- targets of ./matrix: begin -->")[1].split("<!-- targets of ./matrix: end -->")[0]
        rows = re.findall(r"^\| `([^`]+)` \| ([^|]*) \|", table, re.M)
        self.assertEqual(rows, [(target.name, target.what) for target in machines.TARGETS],
                         "run ./matrix, then ./matrix --document")
        self.assertIn(machines.target_lines([])[0], table.splitlines(), "run ./matrix, then ./matrix --document")
        rules = text.split("<!-- broken rules: begin -->")[1].split("<!-- broken rules: end -->")[0]
        self.assertEqual(re.findall(r"^\| [^|]* \| `(\w+)` \| [^| ]+", rules, re.M), sorted(machines.RULES))


if __name__ == "__main__":
    sys.exit(unittest.main())
