#!/usr/bin/env python3
"""A tab of headless Chromium plays with a connect token, loses its connection for a while, and has a wrong state (docs/web.md).

    test_web_play_faults.py LOCKSTEP

Exit code 77: the modules cannot be built, or Chromium, node or playwright-core are missing.
"""
import json
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.parse

import web_site
from web_site import PLAYWRIGHT, ROOT, SITE, run

LOCKSTEP = pathlib.Path(sys.argv.pop(1)).resolve()
CELL_S = 60


class Line:
    """A line over TCP to a port of this machine, which can be cut."""

    def __init__(self, port):
        self.port, self.is_cut, self.sockets, self.lock = port, False, [], threading.Lock()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = "{}:{}".format(*self.listener.getsockname())
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            with self.lock:
                if self.is_cut:
                    client.close()
                    continue
                server = socket.create_connection(("127.0.0.1", self.port))
                self.sockets += [client, server]
            for pair in ((client, server), (server, client)):
                threading.Thread(target=self.pump, args=pair, daemon=True).start()

    def pump(self, source, sink):
        try:
            while data := source.recv(65536):
                sink.sendall(data)
        except OSError:
            pass
        self.end([source, sink])

    def end(self, sockets):
        for one in sockets:
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def cut(self, is_cut):
        with self.lock:
            self.is_cut = is_cut
            if is_cut:
                self.end(self.sockets)

    def close(self):
        self.listener.close()
        self.cut(True)


class PlayFaults(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.log, self.site = self.folder / "log", self.folder / "site"
        shutil.copytree(SITE, self.site)
        with open(self.site / "play-worker.js", "a", encoding="utf-8") as worker:
            worker.write("globalThis.inside = () => ({ engine, plan });\n")

    def serve(self):
        """Gives the server's process, its public key, and the line to its page."""
        server, address, page = web_site.serve(
            self, LOCKSTEP, self.log, "--site", self.site, "--record", self.folder / "records", "--identity", self.folder / "identity",
            "--token-key", self.folder / "key", "--require-token", "--keep-seats", "600", "--desync", "report", "--players", "2",
            "--wait", "1", "--tick-rate", "20")
        line_to = Line(urllib.parse.urlsplit(page).port)
        self.addCleanup(line_to.close)
        return server, address.partition("#")[2], line_to

    def wait_for_cell(self, planted):
        """The server asks both sides for the differing page after its verdict, which the page tells at once."""
        end_s = time.monotonic() + (CELL_S if planted else 0)
        while "\ndesync_cell " not in self.log.read_text(encoding="utf-8") and time.monotonic() < end_s:
            time.sleep(0.05)

    def test_token_and_lost_connection_and_wrong_state(self):
        run(LOCKSTEP, "keygen", "--token-key", self.folder / "key")
        run(LOCKSTEP, "token", "issue", "--key", self.folder / "key", "--client", "Ann", "--lifetime", "1h", "-o", self.folder / "token")
        server, key, line = self.serve()
        expected = {"chromium": shutil.which("chromium"), "key": key, "token": (self.folder / "token").read_text(encoding="ascii")}
        with subprocess.Popen(["node", str(ROOT / "tests/web/play_faults_test.mjs"), str(PLAYWRIGHT), f"http://{line.address}/", json.dumps(expected)],
                              cwd=ROOT, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as tab:
            self.assertEqual(tab.stdout.readline(), "cut\n")
            line.cut(True)
            self.assertEqual(tab.stdout.readline(), "lost\n")
            line.cut(False)
            planted = tab.stdout.readline()
            self.wait_for_cell(planted)
        self.assertEqual(tab.returncode, 0)
        tick = re.fullmatch(r"planted (\d+)\n", planted).group(1)
        text = self.log.read_text(encoding="utf-8")
        self.assertRegex(text, rf"(?m)^desync [^\n]*tick={tick}\b")
        self.assertRegex(text, r"(?m)^desync_cell [^\n]*component=Position\b")
        server.terminate()
        self.assertRegex(server.stdout.read(), r"(?m)^ended tick=\d+ root=[0-9a-f]{16} desyncs=1$")


web_site.build(needs_browser=True)
unittest.main()
