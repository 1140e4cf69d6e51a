#!/usr/bin/env python3
"""scripts/soak: a minute of it, and the judgement of samples that are flat and that are not."""
import importlib.machinery
import importlib.util
import os
import subprocess
import sys
import unittest

SOAK = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scripts", "soak")
MIB = 1 << 20


def load():
    loader = importlib.machinery.SourceFileLoader("soak", SOAK)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("soak", loader))
    loader.exec_module(module)
    return module


class Judge(unittest.TestCase):
    def judge(self, memory, late=0, rooms=4, reference_late=0):
        return load().judge([(at, memory(at), late * at // 598) for at in range(0, 600, 2)], rooms, reference_late)

    def test_flat(self):
        self.assertIsNone(self.judge(lambda at: 50 * MIB + at % 7 * MIB // 4, late=9))

    def test_memory_that_settles_is_flat(self):
        self.assertIsNone(self.judge(lambda at: (50 + 30 * min(1, at / 100)) * MIB))

    def test_a_leak_is_found(self):
        self.assertIn("memory grows by 7.5 MiB", self.judge(lambda at: 50 * MIB + at * MIB // 60))

    def test_late_ticks_that_the_reference_does_not_have_are_found(self):
        self.assertEqual("late ticks: 60, and 10 of the reference", self.judge(lambda at: 50 * MIB, late=60, reference_late=10))

    def test_late_ticks_that_the_baseline_has_too_are_the_machine(self):
        self.assertIsNone(self.judge(lambda at: 50 * MIB, late=6000, reference_late=4000))

    def test_late_ticks_are_not_judged_on_a_busy_machine(self):
        self.assertIsNone(self.judge(lambda at: 50 * MIB, late=6000, reference_late=None))

    def test_too_few_samples(self):
        self.assertIn("too few", load().judge([(0, 1, 0)] * 7, 4))


class Run(unittest.TestCase):
    def test_a_short_soak(self):
        options = ("--rooms", "50") if os.environ.get("LOCKSTEP_LONG") else ("--minutes", "1", "--rooms", "4", "--busy-machine")
        done = subprocess.run([SOAK, "--program", os.environ["LOCKSTEP"], *options],
                              capture_output=True, text=True, check=False)
        sys.stderr.write(done.stdout)
        self.assertEqual((done.returncode, done.stdout.splitlines()[-1]), (0, "flat"), done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
