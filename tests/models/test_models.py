#!/usr/bin/env python3
"""Has spin look through every order of steps of the protocols in this folder, and proves that it
would see a fault: each variant of a model with a fault planted has to fail, and for its reason."""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
SKIPPED = 77


class Team(unittest.TestCase):
    def search(self, *definitions):
        """What the checker says of tests/models/team.pml under these definitions."""
        with tempfile.TemporaryDirectory(prefix="lockstep-models-") as folder:
            steps = (("spin", *(f"-D{text}" for text in definitions), "-a", os.path.join(HERE, "team.pml")),
                     (OPTIONS.compiler, "-O1", "-w", "-DSAFETY", "-DMEMLIM=1500", "-o", "pan", "pan.c"),
                     ("./pan", "-m100000"))
            for step in steps:
                result = subprocess.run(step, cwd=folder, text=True, check=False, timeout=500,
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
                self.assertEqual(result.returncode, 0, result.stdout)
            return result.stdout

    def holds(self, *definitions):
        said = self.search(*definitions)
        self.assertIn("errors: 0", said)
        self.assertNotIn("max search depth too small", said)
        self.assertNotIn("reached memory limit", said)

    def fails(self, fault, reason):
        said = self.search("WORKERS=1", "TICKS=2", f"FAULT_{fault}")
        self.assertIn("errors: 1", said)
        self.assertIn(reason, said)

    def test_holds_for_one_worker_and_three_ticks(self):
        self.holds("WORKERS=1", "TICKS=3")

    def test_holds_for_two_workers(self):
        self.holds("WORKERS=2", "TICKS=2" if os.environ.get("LOCKSTEP_LONG") else "TICKS=1")

    def test_finds_a_caller_that_does_not_wait_for_those_inside(self):
        self.fails("LEAVES_AT_ONCE", "assertion violated is_alive")

    def test_finds_a_lost_wake_up(self):
        self.fails("LOOKS_BEFORE_SAYING", "invalid end state")

    def test_finds_a_tied_system_on_a_worker(self):
        self.fails("ANYBODY_TAKES_TIED", "assertion violated (who==0)")

    def test_finds_a_system_that_ends_before_its_last_page(self):
        self.fails("DONE_BEFORE_RUN", "assertion violated (run_pages==2)")


if __name__ == "__main__":
    PARSER = argparse.ArgumentParser()
    PARSER.add_argument("--compiler", default="cc")
    OPTIONS, REST = PARSER.parse_known_args()
    if not shutil.which("spin"):
        print("spin is missing: scripts/install-missing spin")
        sys.exit(SKIPPED)
    unittest.main(argv=[sys.argv[0], *REST])
