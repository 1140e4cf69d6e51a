#!/usr/bin/env python3
"""Two tabs of headless Chromium and two bots over UDP play one match (docs/web.md, Play from a browser): by WebSocket, and
by data channels through the gateway. One of the bots by WebSocket runs on another machine if ./matrix has built its program.

    test_web_play.py LOCKSTEP

Exit code 77: the modules cannot be built, or Chromium, node or playwright-core are missing.
"""
import http.client
import json
import pathlib
import re
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.parse

import web_site
from web_site import PLAYWRIGHT, ROOT, SITE

LOCKSTEP = pathlib.Path(sys.argv.pop(1)).resolve()
PASSWORD = "open sesame"
TICKS_MAX = 12000  # ten minutes: the test ends its match when it has seen what it wants
GATEWAY = ROOT / "web/gateway/gateway.mjs"
MODULES = ROOT / "build/gateway"
WITHOUT_GATEWAY = "" if (MODULES / "version").exists() else \
    "there is no node-datachannel; scripts/fetch-gateway build/gateway fetches it"
# Of a browser, without candidates.
OFFER = """v=0
o=- 1 2 IN IP4 127.0.0.1
s=-
t=0 0
a=group:BUNDLE 0
m=application 9 UDP/DTLS/SCTP webrtc-datachannel
c=IN IP4 0.0.0.0
a=ice-ufrag:abcd
a=ice-pwd:abcdefghijklmnopqrstuvwx
a=fingerprint:sha-256 """ + ":".join(["AB"] * 32) + """
a=setup:actpass
a=mid:0
a=sctp-port:5000
a=max-message-size:262144
""".replace("\n", "\r\n")


class Play(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "password").write_text(PASSWORD + "\n", encoding="utf-8")
        (self.folder / "password").chmod(0o600)

    def serve(self, *options):
        return web_site.serve(self, LOCKSTEP, self.folder / "log", "--site", SITE, "--record", self.folder / "records", "--identity",
                              self.folder / "identity", "--password-file", self.folder / "password", "--players", "4", "--wait", "4",
                              "--tick-rate", "20", "--ticks", str(TICKS_MAX), *options)

    def open_gateway(self, page, *options):
        """Gives the address of its page, and its lines so far."""
        lines = []
        gateway = subprocess.Popen(["node", GATEWAY, "--to", urllib.parse.urlsplit(page).netloc, "--listen", "127.0.0.1:0", "--udp",
                                    "0.0.0.0:0", "--modules", MODULES, *options], stdout=subprocess.PIPE, text=True)
        self.addCleanup(gateway.wait)
        self.addCleanup(gateway.terminate)
        lines.append(gateway.stdout.readline())
        reader = threading.Thread(target=lambda: lines.extend(gateway.stdout))
        reader.start()
        self.addCleanup(gateway.stdout.close)
        self.addCleanup(reader.join)
        self.addCleanup(gateway.terminate)
        return f"http://{re.match(r'listening (127.0.0.1:[0-9]+) ', lines[0])[1]}/", gateway, lines

    def test_websockets(self):
        name, program = web_site.find_foreign() or ("this machine; ./matrix s390x builds the program of another one", [LOCKSTEP])
        print(f"machines: two browsers, a bot on this machine and a bot on {name}", flush=True)
        self.play(*self.serve(), other=program)

    @unittest.skipIf(WITHOUT_GATEWAY, WITHOUT_GATEWAY)
    def test_data_channels(self):
        token = self.folder / "token"
        token.touch(0o600)
        token.write_text("0123456789abcdef\n", encoding="ascii")
        server, address, page = self.serve("--http-proxy", "127.0.0.1", "--http-proxy-token", token)
        page, _, lines = self.open_gateway(page, "--token", token)
        self.play(server, address, page, "channel")
        players = re.findall(r"(?m)^enter address=(\S+)", "".join(lines))
        self.assertGreaterEqual(len(players), 5)
        seats = re.findall(r"(?m)^enter .* address=web-\d+@(\S+) ", (self.folder / "log").read_text(encoding="utf-8"))
        self.assertEqual(set(seats), set(players))

    @unittest.skipIf(WITHOUT_GATEWAY, WITHOUT_GATEWAY)
    def test_attack_78_offers(self):
        """Each is refused with a sentence, and the gateway goes on."""
        server, _, page = self.serve("--http-proxy", "127.0.0.1")
        address, gateway, lines = self.open_gateway(page, "--peers-per-address", "1", "--proxy", "127.0.0.1")
        host = urllib.parse.urlsplit(address).netloc

        def ask(method, path, body=None, **headers):
            connection = http.client.HTTPConnection(host, timeout=60)
            self.addCleanup(connection.close)
            connection.request(method, path, body, {"X-Forwarded-For": "192.0.2.1", **headers})
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        for offer in ("", "v=0", "\0" * 100, OFFER.replace("fingerprint", "fingerprints")):
            self.assertEqual(ask("POST", "/channel", offer), (400, "no offer of a data channel\n"))
        self.assertEqual(ask("POST", "/channel", OFFER, **{"X-Forwarded-For": "nobody"})[0], 400)
        self.assertEqual(ask("POST", "/channel", OFFER, Origin="https://evil.example")[0], 403)
        self.assertEqual(ask("GET", "/", Host="evil.example")[0], 403)

        def shout(text):
            with socket.create_connection(host.split(":"), timeout=60) as line:
                line.sendall(text.encode())
                answer = b""
                while part := line.recv(4096):
                    answer += part
            return answer.decode()
        upgrade = f"Host: {host}\r\nConnection: upgrade\r\nX-Forwarded-For: 192.0.2.1\r\nUpgrade: "
        hidden = "GET /play HTTP/1.1\r\nX-Forwarded-For: 192.0.2.9\r\n\r\n"
        for first in (f"GET / HTTP/1.1\r\n{upgrade}x", f"POST /play HTTP/1.1\r\n{upgrade}websocket", f"GET /metrics HTTP/1.1\r\n{upgrade}websocket"):
            self.assertRegex(shout(f"{first}\r\n\r\n{hidden}"), r"^HTTP/1\.1 400 [^\n]*\r\nconnection: close\r\n\r\n$")
        self.assertRegex(shout(f"GET /play HTTP/1.1\r\n{upgrade}websocket\r\n\r\n{hidden}"), r"^HTTP/1\.1 [45]\d\d [^\n]*\r\nconnection: close\r\n\r\n$")
        shout(f"GET /\t HTTP/1.1\r\nHost: {host}\r\nX-Forwarded-For: 192.0.2.1\r\nConnection: close\r\n\r\n")
        for _ in range(20):  # connections that are gone when their request is read
            with socket.create_connection(host.split(":"), timeout=60) as line:
                line.sendall(f"GET / HTTP/1.1\r\n{upgrade}websocket\r\n\r\nGET / HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
                line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.assertIsNone(gateway.poll())
        with self.assertRaises(OSError):
            ask("POST", "/channel", "v" * 100000)
        status, answer = ask("POST", "/channel", OFFER)
        self.assertEqual(status, 200)
        self.assertRegex(answer, r"(?m)^a=candidate:")
        self.assertEqual(ask("POST", "/channel", OFFER), (503, "no room: this address has as many players as it may\n"))
        self.assertEqual(ask("POST", "/channel", OFFER, **{"X-Forwarded-For": "192.0.2.2"})[0], 200)
        self.assertEqual(ask("GET", "/play.html")[0], 200)
        server.terminate()
        server.wait()
        self.assertEqual(ask("GET", "/play.html"), (502, "the server does not answer\n"))
        while not [line for line in lines if "no data channels within 10 s" in line]:
            self.assertIsNone(gateway.poll())
            time.sleep(0.1)

    @unittest.skipIf(WITHOUT_GATEWAY, WITHOUT_GATEWAY)
    def test_the_gateway_uses_no_connection_twice(self):
        """The server of this test closes a connection when a second request comes, as one that gives up an idle connection."""
        listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listener.close)

        def answer_once():
            while True:
                try:
                    line, _ = listener.accept()
                except OSError:
                    return
                threading.Thread(target=answer_and_close, args=[line], daemon=True).start()

        def answer_and_close(line):
            with line:
                line.recv(65536)
                line.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello")
                line.recv(65536)
        threading.Thread(target=answer_once, daemon=True).start()
        address, _, _ = self.open_gateway(f"http://127.0.0.1:{listener.getsockname()[1]}/")
        connection = http.client.HTTPConnection(urllib.parse.urlsplit(address).netloc, timeout=60)
        self.addCleanup(connection.close)
        for _ in range(3):
            connection.request("GET", "/")
            answer = connection.getresponse()
            self.assertEqual((answer.status, answer.read()), (200, b"hello"))

    def test_states_that_are_held(self):
        server, _, page = web_site.serve(self, LOCKSTEP, self.folder / "log", "--site", SITE, "--record", self.folder / "records",
                                         "--temporary-identity", "--players", "2", "--wait", "2", "--ticks", "900", sim="regatta")
        tabs = subprocess.run(["node", str(ROOT / "tests/web/steer_test.mjs"), str(PLAYWRIGHT), shutil.which("chromium"),
                               f"{page}play.html#sim=regatta"], cwd=ROOT, text=True, check=True, stdout=subprocess.PIPE, timeout=1200)
        keys, finger, root = re.fullmatch(r"players (\d) (\d)\ntick=900 root=([0-9a-f]{16})\n", tabs.stdout).groups()
        self.assertRegex(server.stdout.read(), rf"(?m)^ended tick=900 root={root} desyncs=0$")
        recording, = (self.folder / "records").glob("*.lsr")
        rows = map(json.loads, web_site.run(LOCKSTEP, "replay", "export", recording).splitlines())
        held = {keys: [], finger: []}
        for row in rows:
            for one in row.get("inputs", []):
                if one["kind"] == "state":
                    rudder, throttle = (byte - 256 if byte > 127 else byte for byte in bytes.fromhex(one["data"]))
                    held[str(one["player"])].append((rudder, throttle))
        # In this order, each for a while: forward, to the left, forward, back, nothing.
        changes = [now for before, now in zip([(0, 0), *held[keys]], held[keys]) if now != before]
        self.assertEqual(changes, [(0, 100), (-100, 100), (0, 100), *changes[3:-2], (0, -100), (0, 0)])
        self.assertLessEqual(set(changes[3:-2]), {(0, 0)}, "between two keys")
        self.assertGreater(held[keys].count((0, 100)), 30)
        self.assertEqual(held[finger][-1], (0, 0))
        # A bow that points at the finger, or nearly: on a slow machine the page sees few headings.
        self.assertGreater(max(throttle for _, throttle in held[finger]), 80, held[finger])
        self.assertTrue(any(rudder and throttle == 100 - round(abs(rudder) * 0.9) for rudder, throttle in held[finger]), held[finger])

    def test_the_first_screen_and_a_match_without_controls(self):
        _, _, page = web_site.serve(self, LOCKSTEP, self.folder / "log", "--site", SITE, "--record", self.folder / "records",
                                    "--broadcast-dir", self.folder / "live", "--temporary-identity", "--players", "2", "--wait", "1", sim="colony")
        web_site.run("node", str(ROOT / "tests/web/start_test.mjs"), str(PLAYWRIGHT), shutil.which("chromium"), page)

    def start_bot(self, name, program, address):
        """Its output is not a pipe, which services of Wine would inherit."""
        folder = self.folder / name
        folder.mkdir()
        with open(folder / "output", "wb") as output:
            bot = subprocess.Popen([*program, "join", address, "--sim", "skirmish", "--bots", "1", "--password-file", "../password"],
                                   stdout=output, stderr=subprocess.STDOUT, cwd=folder)
        self.addCleanup(bot.wait)
        self.addCleanup(bot.terminate)
        return bot, folder / "output"

    def play(self, server, address, page, via="", other=(LOCKSTEP,)):
        bots = [self.start_bot(name, program, address) for name, program in (("first", [LOCKSTEP]), ("second", other))]
        expected = {"chromium": shutil.which("chromium"), "key": address.partition("#")[2], "password": PASSWORD, "via": via}
        with subprocess.Popen(["node", str(ROOT / "tests/web/play_test.mjs"), str(PLAYWRIGHT), page, json.dumps(expected)],
                              cwd=ROOT, text=True, stdout=subprocess.PIPE) as tabs:
            limit = threading.Timer(1200, tabs.kill)
            limit.start()
            self.addCleanup(limit.cancel)
            self.assertEqual([tabs.stdout.readline(), tabs.stdout.readline()], ["playing\n", "played\n"])
            server.terminate()
            last = tabs.stdout.readline()
        self.assertEqual(tabs.returncode, 0)
        tick, root = re.fullmatch(r"tick=(\d+) root=([0-9a-f]{16})\n", last).groups()
        self.assertRegex(server.stdout.read(), rf"(?m)^ended tick={tick} root={root} desyncs=0$")
        self.assertEqual(server.wait(), 0)
        for bot, output in bots:
            code = bot.wait(timeout=120)
            self.assertRegex(output.read_text(encoding="utf-8"), rf"the match ended at tick {tick}\b")
            self.assertEqual(code, 0)
        recording, = (self.folder / "records").glob("*.lsr")
        subprocess.run([LOCKSTEP, "verify", recording], check=True, stdout=subprocess.DEVNULL)


web_site.build(needs_browser=True)
unittest.main()
