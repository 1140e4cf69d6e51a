#!/usr/bin/env python3
"""The viewer (docs/web.md) follows a running match in headless Chromium, through a web server that is no part of Lockstep.

    test_web_live.py LOCKSTEP

Exit code 77: the modules cannot be built, or Chromium, node or playwright-core are missing.
"""
import contextlib
import http.server
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest

import web_site
from web_site import PLAYWRIGHT, ROOT, SITE, run

LOCKSTEP = pathlib.Path(sys.argv.pop(1)).resolve()


class Live(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.live = self.folder / "live"
        live = self.live

        class Handler(http.server.SimpleHTTPRequestHandler):
            def translate_path(self, path):
                return str(live / path[6:]) if path.startswith("/live/") else str(SITE / (path[1:] or "index.html"))

            def do_GET(self):  # pylint: disable=invalid-name
                """One room's segment is cut off, another one's never ends."""
                if self.path not in ("/live/cut/m-0.seg", "/live/endless/m-0.seg"):
                    super().do_GET()
                    return
                self.send_response(200)
                if "cut" in self.path:
                    self.send_header("Content-Length", "100000")
                self.end_headers()
                with contextlib.suppress(OSError):
                    self.wfile.write(bytes(1000))
                    while "endless" in self.path:
                        self.wfile.write(bytes(65536))

            def send_header(self, keyword, value):
                # As if all changes of a file were within one second, which is what this header tells apart.
                super().send_header(keyword, "Fri, 01 Jan 2100 00:00:00 GMT" if keyword == "Last-Modified" else value)

            def log_message(self, format, *arguments):  # pylint: disable=redefined-builtin
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        self.address = f"http://127.0.0.1:{server.server_address[1]}/"

    def serve(self):
        """Starts a match of two bots, whose room has no name; returns the server's process and key."""
        server = subprocess.Popen(
            [LOCKSTEP, "serve", "--sim", "skirmish", "--bind", "127.0.0.1", "--port", "0", "--identity", self.folder / "identity",
             "--record", self.folder / "records", "--broadcast-dir", self.live, "--units", "200", "--players", "2", "--wait", "2",
             "--tick-rate", "60", "--sign-ticks", "60"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            text=True)
        self.addCleanup(server.communicate)
        self.addCleanup(server.terminate)
        while not (line := server.stdout.readline()).startswith("listening "):
            self.assertTrue(line, "the server ended")
        bots = subprocess.Popen([LOCKSTEP, "join", line.split()[1], "--sim", "skirmish", "--bots", "2"], stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL, cwd=self.folder)
        self.addCleanup(bots.wait)
        self.addCleanup(bots.terminate)
        return server, line.strip().partition("#")[2]

    def publish(self, room, manifest, segment=b""):
        """A room of someone who lies."""
        folder = self.live / room
        folder.mkdir(parents=True)
        (folder / "live").write_text(manifest, encoding="utf-8")
        (folder / "m-0.seg").write_bytes(segment)

    def publish_lies(self):
        good = bytearray((ROOT / "replays" / "golden" / "skirmish.lsr").read_bytes())
        words = f"lockstep-live 1\nmatch=m segments=1 bytes={len(good)} state="
        self.publish("words", "Hello, I am a web page.\n")
        self.publish("newer", "lockstep-live 2\nmatch=m\n")
        self.publish("large", f"lockstep-live 1\nmatch=m segments=1 bytes={(1 << 30) + 1} state=live\n")
        self.publish("short", "lockstep-live 1\nmatch=m segments=1 bytes=10 state=ended\n", good)
        self.publish("enormous", "lockstep-live 1\nmatch=m segments=1 bytes=99999999999999 state=live\n")
        self.publish("path", "lockstep-live 1\nmatch=../m segments=1 bytes=10 state=live\n")
        self.publish("missing", "lockstep-live 1\nmatch=other segments=1 bytes=10 state=live\n")
        half = good[:len(good) // 2]
        self.publish("early", f"lockstep-live 1\nmatch=m segments=1 bytes={len(half)} state=ended\n", half)
        self.publish("still", f"lockstep-live 1\nmatch=m segments=1 bytes={len(half)} state=live\n", half)
        self.publish("promising", "lockstep-live 1\nmatch=m segments=1 bytes=9 state=live\n", b"four")
        self.publish("empty", "lockstep-live 1\nmatch=m segments=0 bytes=0 state=live\n")
        self.publish("cut", words + "live\n")
        self.publish("endless", words + "live\n")
        text = b"I am no recording. " * 20
        self.publish("text", f"lockstep-live 1\nmatch=m segments=1 bytes={len(text)} state=ended\n", text)
        good[len(good) // 2] ^= 1
        self.publish("changed", words + "ended\n", good)

    def test_live(self):
        self.publish_lies()
        server, key = self.serve()
        expected = {"chromium": shutil.which("chromium"), "key": key}
        with subprocess.Popen(["node", str(ROOT / "tests/web/live_test.mjs"), str(PLAYWRIGHT), self.address, json.dumps(expected)],
                              cwd=ROOT, text=True, stdout=subprocess.PIPE) as viewer:
            self.assertEqual(viewer.stdout.readline(), "seen live\n")
            server.terminate()
            last = viewer.stdout.readline()
        self.assertEqual(viewer.returncode, 0)
        tick, root = re.fullmatch(r"tick=(\d+) root=([0-9a-f]{16})\n", last).groups()
        self.assertGreater(int(tick), 14 * 60)
        recording, = (self.folder / "records").glob("*.lsr")
        self.assertIn(f"root={root}", run(LOCKSTEP, "replay", "seek", recording, tick))


web_site.build(needs_browser=True)
unittest.main()
