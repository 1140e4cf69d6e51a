#!/usr/bin/env python3
"""scripts/lobby-load: a second of it with a real Redis, and the judgement of rates and failures."""
import contextlib
import importlib.machinery
import importlib.util
import io
import os
import shutil
import subprocess
import unittest

LOAD = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scripts", "lobby-load")


def judge(*facts):
    loader = importlib.machinery.SourceFileLoader("lobby_load", LOAD)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("lobby_load", loader))
    loader.exec_module(module)
    with contextlib.redirect_stdout(io.StringIO()) as text:
        code = module.judge(*facts)
    return code, text.getvalue()


class Judge(unittest.TestCase):
    def test_a_lobby_that_keeps_up(self):
        self.assertEqual(judge(1999.0, 1000.0, 0), (0, "2 passed, 0 failed\n"))

    def test_a_slow_lobby(self):
        said = "FAILED: 999 requests/s, at least 1000 are wanted (--least)\n1 passed, 1 failed\n"
        self.assertEqual(judge(999.0, 1000.0, 0), (1, said))

    def test_requests_that_fail(self):
        self.assertEqual(judge(1999.0, 1000.0, 3), (1, "FAILED: 3 requests failed\n1 passed, 1 failed\n"))


@unittest.skipUnless(shutil.which("redis-server"), "redis-server is not installed")
class Run(unittest.TestCase):
    def run_with(self, *options):
        return subprocess.run([LOAD, "--lobby", os.environ["LOCKSTEP"], "--servers", "5", "--seconds", "1", *options],
                              capture_output=True, text=True, check=False)

    def test_a_second(self):
        done = self.run_with("--rate", "40", "--least", "5")
        self.assertEqual((done.returncode, done.stdout.splitlines()[-1]), (0, "2 passed, 0 failed"), done.stdout + done.stderr)
        self.assertIn("5 servers, 40 rooms: ", done.stdout)

    def test_a_rate_that_is_not_reached(self):
        done = self.run_with("--rate", "40", "--least", "1000")
        self.assertEqual((done.returncode, done.stdout.splitlines()[-1]), (1, "1 passed, 1 failed"), done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
