#!/usr/bin/env python3
"""The benchmark program runs, and each requested row has a figure. Figures are not tested, because a machine
that runs tests is busy.

usage: test_bench.py BENCH
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest

BENCH = ""


def run(*arguments):
    return subprocess.run([BENCH, *arguments], capture_output=True, text=True, timeout=300)


class Bench(unittest.TestCase):
    def measure(self, suite, *arguments, but=()):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "figures.json")
            ran = run(suite, "--runs", "1", "--attempts", "1", "--json", path, *arguments)
            self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
            with open(path, encoding="utf-8") as file:
                rows = json.load(file)["rows"]
        self.assertTrue(rows)
        for row in rows:
            if row["name"] not in but:
                self.assertIsInstance(row["ours"], float, row)
            self.assertIsInstance(row["disturbed"], bool, row)
        return [row["name"] for row in rows]

    def test_core(self):
        rows = self.measure("core", "--entities", "16385")  # one bit in the last word of a bitmap
        self.assertIn("despawn", rows)
        for row in rows:  # each has a row with one thread on the same world
            if row.endswith(", 2 threads"):
                one = row.removesuffix(", 2 threads")
                self.assertTrue({one, one + ", with its index"} & set(rows), row)

    def test_schedule(self):
        self.measure("schedule")

    def test_ways_to_serve(self):
        self.assertIn("ours / ENet, 64 peers",
                      self.measure("net", "--only", "64 peers"))

    def test_close_to_first_send(self):
        self.measure("net", "--only", "tick's close to first send")

    def test_rollback(self):
        self.measure("net", "--only", "rollback")

    def test_verify(self):
        self.measure("replay", "--only", "verify a tick")

    def test_evidence(self):
        self.measure("replay", "--only", "evidence of")

    def test_wrong_use(self):
        for arguments in (["nothing"], ["core", "--runs", "0"], ["core", "--attempts", "5"], ["core", "--unheard"]):
            ran = run(*arguments)
            self.assertEqual(ran.returncode, 2, arguments)
            self.assertIn("usage:", ran.stderr)


if __name__ == "__main__":
    BENCH = sys.argv.pop(1)
    unittest.main(verbosity=2)
