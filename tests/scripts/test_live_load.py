"""scripts/live-load: the server of a broadcast is asked once for each segment, whatever the number of viewers."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

LOAD = pathlib.Path(__file__).resolve().parent.parent.parent / "scripts" / "live-load"


def load(*options):
    return subprocess.run([LOAD, "--lockstep", os.environ["LOCKSTEP"], *options], capture_output=True, text=True, timeout=1200, check=False)


class LiveLoad(unittest.TestCase):
    def test_a_thousand_viewers_cost_the_server_one(self):
        done = load("--viewers", "1000", "--seconds", "15")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"viewers +1000, .*; 1000 have the whole recording of [1-9]\d* bytes\n")
        count = re.search(r"segments +(\d+); the most requests to the server for one of them: 1\n", done.stdout).group(1)
        self.assertRegex(done.stdout, rf"requests +\d+ of viewers, \d+ of nginx to the server: {count} for segments")

    def test_without_a_cache_it_fails(self):
        done = load("--viewers", "3", "--seconds", "6", "--without-cache")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"live-load: [1-9]\d* of [1-9]\d* segments were asked for more than once\n")


if not shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin"):
    print("skipped: nginx is not installed (Debian: nginx-light)")
    sys.exit(77)
unittest.main()
