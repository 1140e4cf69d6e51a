"""Clients over WebSockets: they play beside clients over UDP, and hostile ones harm no other client."""
import os
import re
import subprocess
import urllib.request
import time

import handshake
import wire
from case import BINARY as PROGRAM
from case import GOOD, MACHINE, TIMEOUT_S, Server
from client import PATIENCE_S, Client, ask, run
from client import Refused as ClientRefused
from session import HELD, Session
from websocket import BINARY, CONTINUATION, PING, TEXT, Refused, WebSocket, frame
from wire import CONTROL, TICKS


class Web(Session):
    def begin_web(self, *options, sim=None):
        options = ("--http", "127.0.0.1:0", "--web", *options)
        server = self.serve(*options, sim=sim) if sim else self.begin(*options)
        line = server.wait_line(r'^listening_web url="ws://127\.0\.0\.1:(\d+)/play"', server.log)
        server.web = int(line.group(1))
        return server

    def visit(self, server, **options):
        visitor = WebSocket(server.web, **options)
        self.addCleanup(visitor.close)
        return visitor

    def web_client(self, server, visit=None, **options):
        return self.client(server, web=self.visit(server, **(visit or {})), **options)

    @staticmethod
    def metric(server, name, labels=""):
        """A counter of the server, which publishes them now and then."""
        with urllib.request.urlopen(f"http://127.0.0.1:{server.web}/metrics", timeout=TIMEOUT_S) as answer:
            text = answer.read().decode()
        return int(re.search(rf"(?m)^lockstep_web_{name}{re.escape(labels)} (\d+)$", text).group(1))

    def wait_metric(self, server, value, name, labels="", clients=()):
        """Meanwhile the clients play on, as a silent one would be dropped."""
        def is_there():
            for client in clients:
                client.step()
            return self.metric(server, name, labels) == value
        self.wait_until(is_there, lambda: f"{name} is {self.metric(server, name, labels)}, not {value}")

    def refused_visit(self, server, code, **options):
        with self.assertRaises(Refused) as caught:
            WebSocket(server.web, **options).close()
        if code:
            self.assertRegex(str(caught.exception), rf"^HTTP/1\.[01] {code} ")

    def plays_on(self, *clients, ticks=20):
        """The clients get further ticks, without a violation."""
        for client in clients:
            client.run(lambda c=client, end=client.next + ticks: c.next >= end)
            self.assertEqual((client.violations, client.notices), ([], []))
            self.assertFalse(client.carrier.is_closed)


class Witness(Client):
    """Keeps every frame, also those before a snapshot that it loads."""

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.seen = {}

    def receive_ticks(self, ticks):
        self.seen.update(ticks["frames"])
        super().receive_ticks(ticks)


class WebPlaying(Web):
    def test_web_match_with_bots(self):
        """Two clients over WebSockets and two bots over UDP in one match of 600 ticks: all get the
        same frames, and no root differs from the server's."""
        server = self.begin_web("--wait", "2", "--ticks", "600", "--units", "400", sim="skirmish")
        with self.connected(server) as sock:
            answer = ask(sock, handshake.Handshake(3, bytes(16), "skirmish 2").hello())
        own = bytes.fromhex(re.findall(r"[0-9a-f]{32}", handshake.read_reject(answer)[3])[-1])
        clients = [Witness(server.address, "skirmish 2", own, web=self.visit(server)) for _ in range(2)]
        for client in clients:
            self.addCleanup(client.close)
            client.enter()
            client.load()
            client.roots = [(client.loaded[0], client.root())]
        bots = self.start_join(server, "--bots", "2")
        run(clients, lambda: all(client.find(wire.JOIN) is not None for client in clients), PATIENCE_S)
        while min(client.head for client in clients) < 500:  # roots of later worlds, as long as it lasts
            for client in clients:
                client.load_later(client.loaded[0])
                client.roots = [(client.loaded[0], client.root())]
        run(clients, lambda: all(client.notice("END") for client in clients), PATIENCE_S)
        out, _ = self.end(bots, GOOD)
        self.assertEqual(len(re.findall(r"ended at tick \d+: the match ended at tick 600", out)), 2)
        one, two = clients
        both = one.seen.keys() & two.seen.keys()
        self.assertGreater(len(both), 500)
        self.assertEqual([tick for tick in both if one.seen[tick] != two.seen[tick]], [])
        self.assertEqual(one.violations + two.violations, [])
        self.assertEqual(one.notice("END"), two.notice("END"))
        self.assertEqual(server.wait(), GOOD)
        server.wait_line(r"^ended tick=600 root=[0-9a-f]{16} desyncs=0$", server.lines)
        self.assertEqual(self.verified_ticks(self.recording()), 600)

    def test_web_session(self):
        """Orders, a wrong root, a resumed session and BYE, as over UDP."""
        server = self.begin_web()
        client = self.web_client(server).enter()
        client.join()
        server.wait_line(r'enter .*address=web-\d+@127\.0\.0\.1 ', server.log)
        for i in range(8):
            client.give(bytes([i]))
        client.run(lambda: len(client.inputs(wire.ORDER)) == 8)
        self.assertEqual([data for _, data in client.inputs(wire.ORDER)], [bytes([i]) for i in range(8)])
        again = self.web_client(server, resume=client.granted["resume secret"]).enter()
        self.assertEqual(again.player, client.player)
        client.run(lambda: client.carrier.is_closed)  # a seat that is opened twice has one session
        again.join()
        over_udp = self.client(server, resume=again.granted["resume secret"]).enter()
        self.assertEqual(over_udp.player, client.player)
        again.run(lambda: again.carrier.is_closed)
        self.assertEqual(again.socket.code, 1000)
        over_udp.join()
        last = self.web_client(server, resume=over_udp.granted["resume secret"]).enter()
        last.join()
        last.leave("supper")
        server.wait_line(r'leave .*reason="supper"', server.log)
        last.run(lambda: last.carrier.is_closed)

    def test_web_cookie_is_of_one_channel(self):
        server = self.begin_web()
        one, other = self.web_client(server), self.visit(server)
        one.shake.read_cookie(one.converse(one.shake.hello()))
        self.assertIsNone(ask(other, one.shake.auth, 0.2))
        self.assertEqual(one.converse(one.shake.auth)[0], handshake.ACCEPT)

    def test_web_needs_its_option(self):
        server = self.begin("--http", "127.0.0.1:0")
        line = server.wait_line(r"listening_http address=127\.0\.0\.1:(\d+)", server.log)
        server.web = int(line.group(1))
        self.refused_visit(server, None)
        _, err = self.command("serve", "--sim", "skirmish", "--web", code=2)
        self.assertIn("--web lets players join by HTTP, so it needs --http", err)

    def test_web_needs_descriptors(self):
        """The soft limit is raised; a hard limit that is too low is an error before a player comes."""
        command = [PROGRAM, "serve", "--sim", HELD, "--port", "0", "--http", "127.0.0.1:0", "--web", "--peers", "1000",
                   "--identity", self.path("identity")]
        done = subprocess.run(["prlimit", "--nofile=1024:1024", *command], capture_output=True, text=True,
                              timeout=TIMEOUT_S, check=False)
        self.assertEqual(done.returncode, MACHINE)
        self.assertIn("--web needs 1576 file descriptors and this process may open 1024: raise the limit", done.stderr)
        server = Server(self.folder, "--http", "127.0.0.1:0", "--web", "--peers", "1000", sim=HELD,
                        launcher=("prlimit", "--nofile=1024:4096"))
        self.servers.append(server)
        server.wait_line("listening_web ", server.log)


class Hostile(Web):
    def light(self, server, beside=(), **visit):
        """A client in the match that loads nothing; meanwhile those beside it play on."""
        client = self.web_client(server, visit, flags=handshake.LIGHT | handshake.BOT).enter()
        client.next = client.head = client.granted["tick"]
        client.is_started = True
        run([client, *beside], lambda: client.inputs(wire.JOIN, client.player), PATIENCE_S)
        return client

    def test_attack_75_frames(self):
        """Messages that no client sends close their channel, and harm no match."""
        server = self.begin_web("--wait", "0", "--allow-light")
        honest = self.light(server)
        shake = handshake.Handshake(3, Session.fingerprint, "held 1")
        hello = shake.hello()
        for code, *frames in (
                (1003, frame(b"x" * 40, TEXT)),
                (1009, frame(bytes(1201))),
                (1009, frame(bytes(1000), BINARY, False), frame(bytes(1000), CONTINUATION)),
                (1008, frame(b"")),
                (1008, frame(b"\2" + bytes(40))),
                (1008, frame(b"\0" + bytes(20))),
                (1008, frame(b"\1" + bytes(1157))),
                (1008, frame(b"\x48" + bytes(3))),
                (1008, frame(b"\x46" + bytes(20))),
                (None, frame(hello, CONTINUATION)),
                (None, frame(hello, 3)),
                (None, frame(b"", PING, False)),
                (None, frame(bytes(126), PING)),
                (None, frame(b"", 8, count=1 << 40)),
                (None, b"\xff" * 4096)):
            with self.subTest(code=code, begins=frames[0][:8]):
                visitor = self.visit(server)
                for data in frames:
                    visitor.send_raw(data)
                end = time.monotonic() + PATIENCE_S
                while not visitor.is_closed and time.monotonic() < end:
                    visitor.listen(0.05)
                    honest.step()
                closed = visitor.wait_close(0)
                if code:
                    self.assertEqual(closed, code)
        # A frame without a mask and parts of a message are read; codes of all kinds close, and only those that exist come back.
        visitor = self.visit(server)
        visitor.send_raw(frame(hello, is_masked=False))
        self.assertEqual(visitor.listen(PATIENCE_S)[0], handshake.COOKIE)
        visitor = self.visit(server)
        visitor.send_raw(frame(hello[:7], BINARY, False) + frame(b"", PING))
        visitor.send_raw(frame(hello[7:], CONTINUATION))
        self.assertEqual(visitor.listen(PATIENCE_S)[0], handshake.COOKIE)
        for payload, code in ((b"", 0), (b"\x03", 1002), (b"\x03\xe8", 1000), (b"\x00\x00", 1002), (b"\x03\xed", 1002), (b"\x13\x87", 4999),
                              (b"\x13\x88", 1002), (b"\xff\xff" + b"y" * 100, 1002)):
            leaving = self.visit(server)
            leaving.send_raw(frame(payload, 8))
            self.assertEqual(leaving.wait_close(), code)
            honest.step()
        self.plays_on(honest)

    def test_attack_75_connects(self):
        """A CONNECT without an ACCEPT opens nothing, and neither does one on another channel."""
        server = self.begin_web("--wait", "0")
        visitor = self.visit(server)
        visitor.send(b"\x48\1\2\3\4")
        visitor.send(b"\1" + bytes(40))  # a packet without a connection
        self.assertIsNone(visitor.listen(0.2))
        client = self.web_client(server)
        client.shake_hands()
        visitor.send(client.carrier.question)
        self.assertIsNone(visitor.listen(0))
        client.connect()
        self.assertIsNone(visitor.listen(0.1))
        client.send(CONTROL, wire.CONFIRM, b"")
        client.socket.send(client.carrier.question)  # once more: nothing
        client.join()
        client.socket.send(client.shake.hello())
        self.plays_on(client)

    def test_attack_75_requests(self):
        """Pages of other sites, other paths and other protocols get no channel."""
        server = self.begin_web("--web-origin", "https://game.example", "--wait", "0")
        own = f"127.0.0.1:{server.web}"
        for code, options in (
                (403, {"headers": ["Origin: https://evil.example"]}),
                (403, {"headers": ["Origin: null"]}),
                (403, {"headers": ["Origin: http://evil.example"], "host": "evil.example"}),
                (403, {"headers": [f"Origin: http://{own}.evil.example"]}),
                (403, {"headers": ["Origin: https://game.example:444"]}),
                (404, {"path": "/"}), (404, {"path": "/play/x"}),
                (400, {"headers": ["Origin: http://" + "x" * 400]}),
                (None, {"protocol": None}), (None, {"protocol": "lockstep.2"})):
            with self.subTest(options=options):
                self.refused_visit(server, code, **options)
        for origin in (f"http://{own}", "https://game.example"):
            self.web_client(server, {"headers": [f"Origin: {origin}"]}).shake_hands()

    def test_attack_76_a_slow_reader(self):
        """A client that reads nothing: its old ticks are dropped, then its channel; others play."""
        server = self.begin_web("--wait", "0", "--tick-rate", "240", "--allow-light")
        honest = self.light(server)
        slow = self.light(server, [honest], receive_buffer=4096)
        end = time.monotonic() + TIMEOUT_S
        gone = f'leave .*player={slow.player} .*reason="the connection is gone"'
        while not any(re.search(gone, line) for line in list(server.log)):
            self.assertLess(time.monotonic(), end, server.text())
            slow.send(TICKS, wire.UPDATE, wire.update(slow.next))
            honest.step()
        self.wait_metric(server, 1, "channels_closed_total", '{reason="stalled"}', [honest])
        self.plays_on(honest)

    def test_attack_76_a_flood(self):
        """More messages than the network thread can take: a visitor's are dropped, a packet for the control
        channel ends its WebSocket, and others come and go as fast as they can."""
        server = self.begin_web("--wait", "0", "--allow-light", "--peers-per-address", "4")
        honest = self.light(server)
        for _ in range(20):
            flooding = self.visit(server, own="127.0.0.9")
            flooding.send_raw(frame(b"\x41" + bytes(1199)) * 200)
            honest.step()
            flooding.send_raw(frame(b"\1" + bytes(40)) * 200)
            flooding.close()
        for _ in range(300):
            self.visit(server, own="127.0.0.9").close()
            honest.step()
        self.wait_metric(server, 1, "channels", clients=[honest])
        self.light(server, [honest])
        self.plays_on(honest)

    def test_attack_76_silent_visitors(self):
        """1,000 connections that never speak: their host has its limit, they end after a while,
        and clients join meanwhile."""
        server = self.begin_web("--wait", "0", "--allow-light", "--peers-per-address", "20")
        first = self.light(server)
        silent, refused = [], 0

        def count_open():
            for visitor in silent:
                visitor.listen(0)
            return sum(not visitor.is_closed for visitor in silent)

        for i in range(1000):
            try:
                silent.append(self.visit(server, own="127.0.0.9"))
                self.assertLessEqual(count_open(), 20)
            except Refused:
                refused += 1
            if i % 50 == 0:
                first.step()
        self.assertEqual(len(silent) + refused, 1000)
        self.assertGreater(refused, 0)
        self.wait_metric(server, refused, "requests_refused_total", '{reason="address"}', [first])
        late = self.light(server, [first])
        for visitor in silent:
            while not visitor.is_closed:
                visitor.listen(0.05)
                first.step()
                late.step()
            self.assertEqual(visitor.code, 1008)
        # They answer no close and keep their sockets: the server ends those by itself.
        self.wait_metric(server, 2, "channels", clients=[first, late])
        self.assertEqual(self.metric(server, "channels_closed_total", '{reason="silent"}'), len(silent))
        self.visit(server, own="127.0.0.9")
        run([first, late], lambda end=late.next + 20: late.next >= end, PATIENCE_S)
        self.plays_on(first)

    def test_attack_76_a_proxy_without_its_token(self):
        """Another program on the proxy's machine names a client, too, and is refused."""
        token = "0123456789abcdef"
        with open(os.open(self.path("token"), os.O_WRONLY | os.O_CREAT, 0o600), "w", encoding="ascii") as file:
            file.write(token + "\n")
        server = self.begin_web("--wait", "0", "--allow-light", "--http-proxy", "127.0.0.8", "--http-proxy-token", self.path("token"))

        def through(*lines):
            return {"own": "127.0.0.8", "headers": ["X-Forwarded-For: 192.0.2.1", *lines]}
        one = self.light(server, **through(f"Authorization: Bearer {token}"))
        server.wait_line(r"enter .*address=web-\d+@192\.0\.2\.1 ", server.log)
        for lines in ((), (f"Authorization: Bearer {token}x",), (f"Authorization: {token}",), ("Authorization: Bearer " + "x" * 500,)):
            self.refused_visit(server, 401, **through(*lines))
        self.wait_metric(server, 4, "requests_refused_total", '{reason="header"}', [one])
        self.plays_on(one)

    def test_attack_76_a_proxy_names_its_clients(self):
        """Limits and bans count by the address that the trusted proxy names, and no other client may name one."""
        server = self.begin_web("--wait", "0", "--allow-light", "--players", "8", "--peers-per-address", "2", "--http-proxy",
                                "127.0.0.8", "--admin", self.path("s"))

        def through(*lines):
            return {"own": "127.0.0.8", "headers": ["X-Forwarded-For: " + line for line in lines]}
        one = self.light(server, **through("9.9.9.9, 192.0.2.1"))
        server.wait_line(r"enter .*address=web-\d+@192\.0\.2\.1 ", server.log)
        two = self.light(server, [one], **through("192.0.2.1"))
        self.refused_visit(server, 503, **through("192.0.2.1"))
        self.refused_visit(server, 503, **through("8.8.8.8, 192.0.2.1"))
        self.refused_visit(server, 503, **through("8.8.8.8", "192.0.2.1"))  # a proxy that adds a line
        self.refused_visit(server, 503, **through("", "192.0.2.1"))
        other = self.light(server, [one, two], **through("192.0.2.2"))
        for bad in ("", "unknown", "192.0.2.1:80", "x" * 500, "192.0.2.1,", "1.2.3.4 5"):
            self.refused_visit(server, 400, **through(bad))
        self.refused_visit(server, 400, own="127.0.0.8")
        lies = {"headers": ["X-Forwarded-For: 192.0.2.7"]}
        stranger = self.light(server, [one, two, other], **lies)
        second = self.light(server, [one, two, other, stranger], **lies)
        self.refused_visit(server, 503, headers=["X-Forwarded-For: 192.0.2.8"])
        playing = [one, two, other, stranger, second]
        self.wait_metric(server, 7, "requests_refused_total", '{reason="header"}', playing)
        players, _ = self.command("admin", "players", "--socket", self.path("s"))
        self.assertEqual(sorted(re.findall(r"web-\d+@(\S+)", players)),
                         ["127.0.0.1", "127.0.0.1", "192.0.2.1", "192.0.2.1", "192.0.2.2"])
        told, _ = self.command("admin", "ban", "--socket", self.path("s"), "192.0.2.1")
        self.assertRegex(told, r"(?m)^sessions_ended +2$")
        run(playing, lambda: one.carrier.is_closed and two.carrier.is_closed, PATIENCE_S)
        with self.assertRaises(ClientRefused) as caught:
            self.light(server, **through("192.0.2.1"))
        self.assertIn("banned", caught.exception.reason)
        ends = [client.next + 20 for client in playing[2:]]
        run(playing[2:], lambda: all(c.next >= end for c, end in zip(playing[2:], ends)), PATIENCE_S)
