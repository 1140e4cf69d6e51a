#!/usr/bin/env python3
""".ci/run with a fake ./test, ./matrix, docker/try and packaging/try: what it counts, and its exit code."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../.ci/run")


class CiRun(unittest.TestCase):
    def setUp(self):
        self.root = tempfile.mkdtemp(prefix="lockstep-ci-")
        self.addCleanup(shutil.rmtree, self.root)
        for folder in (".ci", "docker", "packaging"):
            os.mkdir(os.path.join(self.root, folder))
        shutil.copy(SCRIPT, os.path.join(self.root, ".ci"))

    def run_it(self, test, image, machines="echo 5 passed, 0 failed", packages="echo 0 passed, 0 failed"):
        """Runs .ci/run; returns (exit code, output lines). The arguments are bodies of shell scripts."""
        for name, body in (("test", test), ("matrix", machines), ("docker/try", image), ("packaging/try", packages)):
            path = os.path.join(self.root, name)
            with open(path, "w", encoding="utf-8") as file:
                file.write(f"#!/bin/sh\n{body}\n")
            os.chmod(path, 0o755)
        done = subprocess.run([os.path.join(self.root, ".ci/run")], cwd="/", stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
                              timeout=300)
        return done.returncode, done.stdout.splitlines()

    def test_all_are_good(self):
        code, lines = self.run_it("echo 3 passed, 0 failed", "echo 10 passed, 0 failed")
        self.assertEqual((code, lines[-1]), (0, "18 passed, 0 failed"))

    def test_a_failure_of_one_is_counted_and_the_others_run(self):
        for test, image, last in (
                ("echo 2 passed, 1 failed; exit 1", "echo 10 passed, 0 failed", "17 passed, 1 failed"),
                ("echo 3 passed, 0 failed", "echo 8 passed, 2 failed; exit 1", "16 passed, 2 failed")):
            with self.subTest(last):
                code, lines = self.run_it(test, image)
                self.assertEqual((code, lines[-1]), (1, last))

    def test_the_machines_are_those_that_finish_in_minutes(self):
        code, lines = self.run_it("echo 3 passed, 0 failed", "echo 10 passed, 0 failed",
                                  'echo "$@"; echo 4 passed, 1 failed; exit 1')
        self.assertEqual((code, lines[-1]), (1, "17 passed, 1 failed"))
        self.assertIn("aarch64 s390x windows wasm32", lines)

    def test_the_packages_count(self):
        code, lines = self.run_it("echo 3 passed, 0 failed", "echo 10 passed, 0 failed", packages="echo 2 passed, 1 failed; exit 1")
        self.assertEqual((code, lines[-1]), (1, "20 passed, 1 failed"))

    def test_the_closing_line_counts_and_none_before_it(self):
        code, lines = self.run_it("echo 9 passed, 9 failed; echo took 1 s; echo 3 passed, 0 failed",
                                  "echo 1 passed, 0 failed")
        self.assertEqual((code, lines[-1]), (0, "9 passed, 0 failed"))

    def test_a_command_without_a_closing_line_is_one_failure(self):
        for body in ("exit 2", "exit 0", "kill -9 $$"):
            with self.subTest(body):
                code, lines = self.run_it(body, "echo 10 passed, 0 failed")
                self.assertEqual((code, lines[-1]), (1, "15 passed, 1 failed"))

    def test_a_bad_end_after_a_good_line_is_one_failure(self):
        code, lines = self.run_it("echo 3 passed, 0 failed", "echo 10 passed, 0 failed; exit 1")
        self.assertEqual((code, lines[-1]), (1, "18 passed, 1 failed"))


if __name__ == "__main__":
    sys.exit(unittest.main())
