#!/usr/bin/env python3
"""`./quickstart --web` as a user runs it: its URL leads to a match with three bots, which a page in headless Chromium plays, and
Ctrl-C ends all of it. Only the packages and the build of the program are left out: this build has the program.

    test_web_quickstart.py LOCKSTEP

Exit code 77: the modules cannot be built, or Chromium, node or playwright-core are missing.
"""
import contextlib
import glob
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
import urllib.request

import web_site
from web_site import PLAYWRIGHT, ROOT

LOCKSTEP = pathlib.Path(sys.argv.pop(1)).resolve()
WORK = "/tmp/lockstep-quickstart.*"
# All packages are there; cmake notes what it is asked for.
STUBS = {"dpkg-query": '#!/bin/sh\necho "ii "\n', "cmake": '#!/bin/sh\necho "$*" >>"$NOTES"\n'}


class Quickstart(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tree, stubs = pathlib.Path(folder.name, "tree"), pathlib.Path(folder.name, "stubs")
        self.notes, self.works = pathlib.Path(folder.name, "notes"), set(glob.glob(WORK))
        # The tree with a build folder of its own, so that nothing is configured anew.
        (self.tree / "build/release").mkdir(parents=True)
        for path in ROOT.iterdir():
            if path.name not in ("build", "out"):
                (self.tree / path.name).symlink_to(path)
        (self.tree / "build/release/cli").symlink_to(LOCKSTEP.parent)
        for name in ("web", "matrix"):
            (self.tree / "build" / name).symlink_to(ROOT / "build" / name)
        stubs.mkdir()
        for name, text in STUBS.items():
            (stubs / name).write_text(text, encoding="ascii")
            (stubs / name).chmod(0o755)
        self.environment = os.environ | {"PATH": f"{stubs}:{os.environ['PATH']}", "NOTES": str(self.notes)}

    def start(self):
        """Starts the script in a group of its own, as a terminal does, and gives it with the URL that it prints."""
        process = subprocess.Popen([self.tree / "quickstart", "--web"], cwd="/", env=self.environment, start_new_session=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.addCleanup(process.wait)
        self.addCleanup(self.kill, process)
        said = []
        for line in process.stdout:
            said.append(line)
            if line.startswith("The match starts when you join. Ctrl-C ends it."):
                url, = (each.strip() for each in said if each.startswith("    http://127.0.0.1:"))
                return process, url
        self.fail("".join(said))

    @staticmethod
    def kill(process):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)

    def check_end(self, process, code, says):
        """Nothing is left of the script: no process of its group, and no folder."""
        said = process.communicate(timeout=300)[0].split("\n")
        self.assertEqual(process.returncode, code, said)
        self.assertIn(says, said)
        with self.assertRaises(ProcessLookupError):
            os.killpg(process.pid, 0)
        self.assertEqual(set(glob.glob(WORK)), self.works)

    def test_a_person_plays_until_ctrl_c(self):
        process, url = self.start()
        self.assertRegex(url, r"/play\.html#sim=skirmish&key=[\w-]{43}$")
        web_site.run("node", str(ROOT / "tests/web/quickstart_test.mjs"), str(PLAYWRIGHT), shutil.which("chromium"), url)
        os.killpg(process.pid, signal.SIGINT)
        self.check_end(process, 0, "The match has ended.")
        self.assertRegex(self.notes.read_text(encoding="utf-8"), r"(?m)\A--preset release [^\n]*\n--build --preset release ")
        recording, = (self.tree / "out/quickstart").glob("*.lsr")
        web_site.run(LOCKSTEP, "verify", recording)
        rows = map(json.loads, web_site.run(LOCKSTEP, "replay", "export", recording).splitlines())
        orders = {one["player"] for row in rows for one in row.get("inputs", []) if one["kind"] == "order"}
        self.assertEqual(orders, {0, 1, 2, 3})

    def test_a_signal_to_the_script_alone_ends_all(self):
        process, url = self.start()
        with urllib.request.urlopen(url, timeout=60) as page:
            self.assertIn(b"play.js", page.read())
        process.send_signal(signal.SIGTERM)
        self.check_end(process, 143, "quickstart: stopped (exit 143)")


web_site.build(needs_browser=True)
unittest.main()
