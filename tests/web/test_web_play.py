#!/usr/bin/env python3
"""Two tabs of headless Chromium and two bots over UDP play one match (docs/web.md, Play from a browser).

    test_web_play.py LOCKSTEP

Exit code 77: the modules cannot be built, or Chromium, node or playwright-core are missing.
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

import web_site
from web_site import PLAYWRIGHT, ROOT, SITE

LOCKSTEP = pathlib.Path(sys.argv.pop(1)).resolve()
PASSWORD = "open sesame"
TICKS = 1200


class Play(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "password").write_text(PASSWORD + "\n", encoding="utf-8")
        (self.folder / "password").chmod(0o600)

    def serve(self):
        """Gives the server's process, its address for clients over UDP, and that of its page."""
        log = self.folder / "log"
        server = subprocess.Popen(
            [LOCKSTEP, "serve", "--sim", "skirmish", "--bind", "127.0.0.1", "--port", "0", "--http", "127.0.0.1:0", "--web",
             "--site", SITE, "--record", self.folder / "records", "--identity", self.folder / "identity", "--log", log,
             "--password-file", self.folder / "password", "--units", "400", "--players", "4", "--wait", "4", "--tick-rate", "30", "--ticks", str(TICKS)],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.addCleanup(server.stdout.close)
        self.addCleanup(server.wait)
        self.addCleanup(server.terminate)
        while not (line := server.stdout.readline()).startswith("listening "):
            self.assertTrue(line, "the server ended")
        while not (page := re.search(r'play url="(http://[^/]+/)play\.html#sim=skirmish"', log.read_text(encoding="utf-8"))):
            self.assertIsNone(server.poll(), "the server ended")
            time.sleep(0.05)
        return server, line.split()[1], page.group(1)

    def test_match(self):
        server, address, page = self.serve()
        bots = subprocess.Popen([LOCKSTEP, "join", address, "--sim", "skirmish", "--bots", "2", "--password-file",
                                 self.folder / "password"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=self.folder)
        self.addCleanup(bots.wait)
        self.addCleanup(bots.terminate)
        expected = {"chromium": shutil.which("chromium"), "key": address.partition("#")[2], "password": PASSWORD, "ticks": TICKS}
        tabs = subprocess.run(["node", str(ROOT / "tests/web/play_test.mjs"), str(PLAYWRIGHT), page, json.dumps(expected)],
                              cwd=ROOT, text=True, check=True, stdout=subprocess.PIPE, timeout=1200)
        root, = re.findall(rf"(?m)^tick={TICKS} root=([0-9a-f]{{16}})$", tabs.stdout)
        self.assertRegex(server.stdout.read(), rf"(?m)^ended tick={TICKS} root={root} desyncs=0$")
        self.assertEqual(server.wait(), 0)
        self.assertEqual(len(re.findall(rf"the match ended at tick {TICKS}", bots.communicate()[0])), 2)
        self.assertEqual(bots.returncode, 0)
        recording, = (self.folder / "records").glob("*.lsr")
        subprocess.run([LOCKSTEP, "verify", recording], check=True, stdout=subprocess.DEVNULL)


web_site.build(needs_browser=True)
unittest.main()
