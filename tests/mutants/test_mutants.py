"""Every fault matches its text, and the runner reports which test detected a fault."""
import os
import re
import subprocess
import sys
import unittest

import mutants
from faults import FAULTS, Fault


class Faults(unittest.TestCase):
    def test_every_fault_can_be_planted(self):
        self.assertEqual(mutants.misfits(mutants.ROOT, FAULTS), [])

    def test_names_are_unique(self):
        self.assertEqual(len({fault.name for fault in FAULTS}), len(FAULTS))

    def test_every_fault_names_a_test_that_is_built(self):
        built = set()
        for folder, _, names in os.walk(os.path.join(mutants.ROOT, "tests")):
            stems = [name[:-2] for name in names if name.endswith(".c")]
            built.update(stems)
            # Some folders put their name into those of their targets: test_server_pending.
            built.update(f"test_{os.path.basename(folder)}_{stem.removeprefix('test_')}" for stem in stems)
        for fault in FAULTS:
            self.assertTrue(fault.tests, fault.name)
            # Programs of some folders have its name in theirs: test_server_ranges is of test_ranges.c.
            sources = {name if name in built else re.sub("^test_(server|client|integration)_", "test_", name)
                       for name in fault.tests}
            self.assertLessEqual(sources, built, fault.name)


class Runner(unittest.TestCase):
    def misfits(self, text, replacement="x"):
        fault = Fault("planted", "tests/mutants/faults.py", text, replacement, "", ("test_store",))
        return mutants.misfits(mutants.ROOT, [fault])

    def test_a_text_that_is_gone_is_reported(self):
        self.assertEqual(len(self.misfits("no " + "such text")), 1)

    def test_a_text_that_occurs_twice_is_reported(self):
        self.assertEqual(len(self.misfits("Fault(")), 1)

    def test_a_fault_that_changes_nothing_is_reported(self):
        self.assertEqual(len(self.misfits("class Fault(", "class Fault(")), 1)

    def test_the_failed_case_is_the_killer(self):
        output = "[ RUN      ] test_a\n[       OK ] test_a\n[ RUN      ] test_b\n" \
                 "[  FAILED  ] test_b\n[  FAILED  ] tests: 1 test(s), listed below:\n"
        self.assertEqual(mutants.killer("test_x", output, 1), "test_b")

    def test_a_crash_is_of_the_case_that_ran(self):
        output = "[ RUN      ] test_a\n[       OK ] test_a\n[ RUN      ] test_b\n"
        self.assertEqual(mutants.killer("test_x", output, -6), "test_b (signal 6)")
        self.assertEqual(mutants.killer("test_x", output, None), "test_b (timeout)")
        self.assertEqual(mutants.killer("test_x", "", -11), "test_x (signal 11)")

    def test_a_program_is_killed_at_its_first_failed_case(self):
        for script, timeout_s, has_ended in (
                ("print('[  FAILED  ] test_a', flush=True); import time; time.sleep(600)", 600, False),
                ("import time; time.sleep(600)", 0.1, False), ("print('[       OK ] test_a')", 600, True)):
            with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True,
                                  start_new_session=True) as running:
                output, ended = mutants.read_to_first_failure(running, timeout_s)
                self.assertEqual(ended, has_ended, output)

    def test_every_named_test_has_to_notice(self):
        self.assertEqual(mutants.verdict_of({"test_a": "test_x", "test_b": "test_y"}), "killed")
        self.assertEqual(mutants.verdict_of({"test_a": "test_x", "test_b": None}), "MISSED")
        self.assertEqual(mutants.verdict_of({"test_a": None}), "SURVIVED")
        self.assertEqual(mutants.verdict_of({}), "BROKEN")


if __name__ == "__main__":
    unittest.main()
