#!/usr/bin/env python3
"""`lockstep lobby` over a Redis of its own, the same calls at one server, and what happens without Redis."""
import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import threading
import time
import unittest

from case import BINARY, GOOD, REFUSED, TIMEOUT_S, USAGE, Case, main

TOKEN = "c2VjcmV0IG9mIHRoZSBsb2JieQ=="
POOL = ("--rooms", "0", "--rooms-max", "2", "--set", "units=200")


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def ask(port, path, body=None, token=TOKEN):
    """The code and the JSON of an answer."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=TIMEOUT_S)
    try:
        text = body if body is None or isinstance(body, str) else json.dumps(body)
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        connection.request("GET" if body is None else "POST", path, text, headers)
        answer = connection.getresponse()
        text = answer.read().decode()
        return answer.status, json.loads(text) if text.startswith("{") else text
    finally:
        connection.close()


class Lobby(Case):
    def setUp(self):
        super().setUp()
        with open(os.open(self.path("token"), os.O_CREAT | os.O_WRONLY, 0o600), "w", encoding="ascii") as file:
            file.write(TOKEN + "\n")
        self.command("keygen", "--token-key", self.path("key"))
        self.identities = 0

    def one_server(self, *options):
        """A server with a key of its own."""
        self.identities += 1
        return self.serve(*POOL, "--token-key", self.path("key"), "--identity", self.path(f"identity-{self.identities}"),
                          *options)

    def start_join(self, _server, *options, sim="skirmish"):
        return self.start("join", "--sim", sim, *options)

    def enter(self, entrance, *options):
        """Joins with the token of an answer."""
        path = self.path(f"pass-{time.monotonic_ns()}")
        with open(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600), "w", encoding="ascii") as file:
            file.write(entrance["token"])
        return self.start("join", "--sim", "skirmish", "--token", path, "--bots", "1", *options)

    def check_calls(self, port, server):
        """What both kinds of lobby answer."""
        code, opened = ask(port, "/lobby/open", {"room": "red", "seed": 7, "options": "units=300", "tokens": "required",
                                                "client": "anna"})
        self.assertEqual((code, opened.get("room"), opened.get("server")), (200, "red", server.address), opened)
        self.assertEqual(f"{opened['address']}#{opened['key']}", server.address)
        self.wait_until(lambda: ask(port, "/lobby/rooms/red")[0] == 200, lambda: ask(port, "/lobby/rooms"))
        listed = ask(port, "/lobby/rooms")[1]["rooms"]
        self.assertEqual([(room["room"], room["sim"], room["tokens"]) for room in listed], [("red", "skirmish", True)])
        self.assertEqual(ask(port, "/lobby/open", {"room": "red"})[0], 409)
        self.end(self.enter(opened, "--ticks", "5"), GOOD)
        self.assertIn("client=\"anna\"", server.text())
        wrong = (({"room": "x", "seed": "no"}, (400, 409)), ({"room": "x", "sim": "other"}, 409),
                 ({}, 400), ({"room": "x", "token": "required"}, 400), ("[", 400), ("[]", 400), ({"room": "x" * 40}, 400),
                 ({"room": "a\nb"}, 400),
                 ({"room": ["x"]}, 400), ({"room": "x", "options": "y" * 600}, 400), ('{"room": "x\\u0000"}', 400),
                 ("[" * 5000, 400), ("x" * 9000, 413))
        for body, expected in wrong:
            code, answer = ask(port, "/lobby/open", body)
            self.assertIn(code, expected if isinstance(expected, tuple) else (expected,), (body, answer))
        self.assertEqual(ask(port, "/lobby/join", {"room": "nowhere"})[0], 404)
        self.assertEqual(ask(port, "/lobby/open", {"room": "x"}, token="wrong" + TOKEN)[0], 401)
        self.assertEqual(ask(port, "/lobby/open", {"room": "x"}, token=None)[0], 401)
        self.assertEqual(ask(port, "/lobby/open")[0], 405)
        code, answer = ask(port, "/lobby/other")
        self.assertEqual(code, 404)
        self.assertIn("GET /healthz", answer["error"])


class One(Lobby):
    """Without Redis."""

    def test_one_server_answers_for_itself(self):
        port = free_port()
        server = self.one_server("--http", str(port), "--http-token", self.path("token"))
        self.check_calls(port, server)
        self.assertEqual(server.stop(), GOOD, server.text())

    def test_a_token_needs_a_key(self):
        port = free_port()
        server = self.serve(*POOL, "--http", str(port), "--http-token", self.path("token"))
        for call in ("open", "join"):
            code, answer = ask(port, f"/lobby/{call}", {"room": "x", "client": "anna"})
            self.assertEqual(code, 400, answer)
            self.assertIn("--token-key FILE", answer["error"])
        # The room is not open; without a token it can be.
        code, answer = ask(port, "/lobby/open", {"room": "x"})
        self.assertEqual((code, answer.get("token", "")), (200, None), answer)
        self.assertEqual(server.stop(), GOOD, server.text())

    def test_without_a_token_nothing_is_opened(self):
        port = free_port()
        server = self.one_server("--http", str(port))
        self.assertEqual(ask(port, "/lobby/rooms")[1]["rooms"], [])
        self.assertEqual(ask(port, "/lobby/open", {"room": "x"})[0], 404)
        self.assertEqual(server.stop(), GOOD, server.text())


class Many(Lobby):
    """With Redis."""
    def setUp(self):
        super().setUp()
        if '"lobby": false' in subprocess.run([BINARY, "--version", "--json"], capture_output=True, text=True,
                                              check=True).stdout:
            self.skipTest("this build has no hiredis")
        if not shutil.which("redis-server"):
            self.skipTest("redis-server is not installed")
        self.redis_port, self.port = free_port(), free_port()
        self.redis = self.start_redis()
        self.lobby = None

    def start_redis(self):
        redis = subprocess.Popen(["redis-server", "--port", str(self.redis_port), "--bind", "127.0.0.1", "--save", "",
                                  "--appendonly", "no"], cwd=self.folder, stdout=subprocess.DEVNULL)
        self.addCleanup(lambda: (redis.kill(), redis.wait()))
        self.wait_until(lambda: self.redis_answers(), lambda: "Redis does not answer")
        return redis

    def redis_answers(self):
        try:
            return self.tell("PING") == b"+PONG"
        except OSError:
            return False

    def tell(self, *words):
        """The first line of Redis' answer."""
        words = [word.encode() for word in words]
        with socket.create_connection(("127.0.0.1", self.redis_port), timeout=TIMEOUT_S) as redis:
            redis.sendall(b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(word), word) for word in words))
            return redis.makefile("rb").readline().rstrip()

    def start_lobby(self, *options):
        self.lobby = subprocess.Popen([BINARY, "lobby", "--redis", f"127.0.0.1:{self.redis_port}", "--http", str(self.port),
                                       "--http-token", self.path("token"), "--token-key", self.path("key"), "--log",
                                       self.path("lobby.log"), *options], stdout=subprocess.PIPE, text=True)
        self.addCleanup(lambda: (self.lobby.kill(), self.lobby.wait(), self.lobby.stdout.close()))
        self.assertRegex(self.lobby.stdout.readline(), r"^listening 127\.0\.0\.1:\d+$")

    def wait_servers(self, count):
        self.wait_until(lambda: ask(self.port, "/lobby/rooms")[1].get("servers") == count,
                        lambda: ask(self.port, "/lobby/rooms"))

    def registered(self, *options):
        return self.one_server("--lobby", f"127.0.0.1:{self.redis_port}", *options)

    def end_lobby(self):
        self.lobby.send_signal(signal.SIGTERM)
        self.assertEqual(self.lobby.wait(TIMEOUT_S), GOOD)

    def test_the_lobby_answers_for_one_of_many(self):
        self.start_lobby()
        server = self.registered()
        self.wait_servers(1)
        self.check_calls(self.port, server)
        # A server that stops takes itself out.
        self.assertEqual(server.stop(), GOOD, server.text())
        self.wait_servers(0)
        self.assertEqual(ask(self.port, "/lobby/open", {"room": "late"})[0], 409)
        self.end_lobby()

    def test_calls_are_logged(self):
        self.start_lobby()
        server = self.registered()
        self.wait_servers(1)
        self.assertEqual(ask(self.port, "/lobby/open", {"room": "a \"b\""})[0], 200)
        self.wait_until(lambda: ask(self.port, "/lobby/join", {"room": "a \"b\"", "client": "anna"})[0] == 200,
                        lambda: ask(self.port, "/lobby/rooms"))
        self.assertEqual(ask(self.port, "/lobby/join", {"room": "none", "client": "anna"})[0], 404)
        self.assertEqual(server.stop(), GOOD, server.text())
        self.end_lobby()
        with open(self.path("lobby.log"), encoding="utf-8") as file:
            text = file.read()
        self.assertEqual(re.findall(r"(?m)^(lobby_call .*) time=\S+$", text),
                         [f'lobby_call address=127.0.0.1 call=open room="a \\"b\\"" server={server.address}',
                          f'lobby_call address=127.0.0.1 call=join room="a \\"b\\"" client="anna" server={server.address}'])

    def test_rooms_are_spread(self):
        self.start_lobby()
        servers = [self.registered() for _ in range(2)]
        self.wait_servers(2)
        answers = []
        for i in range(4):
            answers.append(ask(self.port, "/lobby/open", {"room": f"r{i}"}))
            # Others join before its server has listed the room.
            joined = ask(self.port, "/lobby/join", {"room": f"r{i}", "client": "anna"})
            self.assertEqual((joined[0], joined[1]["server"]), (200, answers[i][1]["server"]))
            other = ask(self.port, "/lobby/join", {"room": f"r{i}", "server": "127.0.0.1:1#" + "0" * 64})
            self.assertEqual(other[0], 404, other)
        self.assertEqual([code for code, _ in answers], 4 * [200], answers)
        where = [answer["server"] for _, answer in answers]
        self.assertEqual(sorted(where), sorted(2 * [server.address for server in servers]))
        self.assertEqual(ask(self.port, "/lobby/open", {"room": "r4"})[0], 409)
        # A name is open once, even before its server has listed it.
        self.assertEqual(ask(self.port, "/lobby/open", {"room": "r0"})[0], 409)
        # No client opens a room past the lobby.
        refused = self.start("join", "--sim", "skirmish", "--room", "own", servers[0].address)
        self.assertIn("a lobby opens", self.end(refused, 6)[1])

    def test_a_dead_server_is_passed_over(self):
        self.start_lobby()
        dead, server = self.registered(), None
        self.wait_servers(1)
        dead.process.kill()
        dead.wait()
        server = self.registered()
        self.wait_until(lambda: ask(self.port, "/lobby/rooms")[1].get("servers") == 2 or
                        server.address.encode() in self.tell("SRANDMEMBER", "lockstep:servers", "9") or
                        re.search("lobby ", server.text()), server.text)
        opened = None
        for i in range(3):  # each may be asked of the dead one first, which takes some seconds
            code, opened = ask(self.port, "/lobby/open", {"room": f"late{i}"})
            if code == 200:
                break
        self.assertEqual(opened.get("server"), server.address, opened)
        self.wait_servers(1)

    def test_a_lost_redis_costs_no_match(self):
        self.start_lobby()
        server = self.registered()
        self.wait_servers(1)
        opened = ask(self.port, "/lobby/open", {"room": "red", "client": "anna"})[1]
        player = self.enter(opened, "--ticks", "120")
        server.wait_line(r"^start tick=0", server.log)
        self.redis.kill()
        self.redis.wait()
        server.wait_line(r"^lobby_lost ", server.log)
        self.end(player, GOOD)  # all its ticks, with roots that agree
        server.wait_line(r"^ended tick=\d+ root=\w+ desyncs=0 room=red", server.lines)
        # The lobby tells what it knew last, and opens nothing.
        self.assertEqual(ask(self.port, "/lobby/rooms")[0], 200)
        self.assertEqual(ask(self.port, "/lobby/open", {"room": "blue"})[0], 503)
        self.redis = self.start_redis()
        server.wait_line(r"^lobby_found", server.log, count=1)
        self.wait_until(lambda: ask(self.port, "/lobby/open", {"room": "blue"})[0] in (200, 409),
                        lambda: ask(self.port, "/lobby/rooms"))
        self.assertEqual(server.stop(), GOOD, server.text())
        self.end_lobby()
        with open(self.path("lobby.log"), encoding="utf-8") as file:
            text = file.read()
        self.assertRegex(text, r"(?m)^lobby_lost reason=")

    def password_file(self, name, password):
        with open(os.open(self.path(name), os.O_CREAT | os.O_WRONLY, 0o600), "w", encoding="ascii") as file:
            file.write(password + "\nnot this line\n")
        return ("--redis-password-file", self.path(name))

    def test_a_redis_with_a_password(self):
        self.password_file("right", "pass word")
        wrong = self.password_file("wrong", "pass")
        self.assertEqual(self.tell("CONFIG", "SET", "requirepass", "pass word"), b"+OK")
        server = self.registered()
        server.wait_line(r'^lobby_lost reason="Redis: NOAUTH .*\. Give --redis-password-file FILE\."', server.log)
        refused = self.registered(*wrong)
        refused.wait_line(rf'^lobby_lost reason="Redis refuses the password in {self.path("wrong")}: WRONGPASS ',
                          refused.log)
        self.start_lobby(*wrong)
        self.assertEqual(ask(self.port, "/lobby/rooms")[0], 503)
        # The file is read again for each connection.
        os.replace(self.path("right"), self.path("wrong"))
        refused.wait_line(r"^lobby_found", refused.log)
        self.wait_until(lambda: ask(self.port, "/healthz")[0] == 200, lambda: ask(self.port, "/lobby/rooms"))
        self.wait_servers(1)
        self.assertEqual(ask(self.port, "/lobby/open", {"room": "red"})[0], 200)
        self.assertNotIn("pass word", server.text() + refused.text())
        for one in (server, refused):
            self.assertEqual(one.stop(), GOOD, one.text())
        self.end_lobby()

    def test_wrong_passwords(self):
        self.refuse("lobby", "--redis-password-file", self.path("none"), code=USAGE, says="none")
        self.password_file("open", "word")
        os.chmod(self.path("open"), 0o644)
        self.refuse("lobby", "--redis-password-file", self.path("open"), code=REFUSED, says="open")
        self.refuse("serve", "--sim", "skirmish", "--redis-password-file", self.path("open"), code=USAGE, says="--lobby")

    def test_hostile_entries_and_orders(self):
        self.start_lobby()
        server = self.registered()
        self.wait_servers(1)
        good = {"address": "127.0.0.1:1#" + server.address.split("#")[1], "sim": "skirmish", "rooms_max": 0,
                "draining": False, "rooms": []}
        wrong = ["", "[", "[]", "{}", "null", "\\u0000", json.dumps(good | {"address": "no key:1"}),
                 json.dumps(good | {"rooms_max": -1}), json.dumps(good | {"rooms": [7]}),
                 json.dumps(good | {"rooms": 100000 * [{}]}), json.dumps(good | {"sim": "x" * 100}),
                 json.dumps(good | {"rooms": [{"name": "a\nb", "state": "running", "players": 0, "seats": 1}]})]
        for i, entry in enumerate(wrong):
            self.tell("SET", f"lockstep:server:{i}", entry)
            self.tell("SADD", "lockstep:servers", str(i))
        self.tell("SET", "lockstep:server:good", json.dumps(good))
        self.tell("SADD", "lockstep:servers", "good", "gone", "x" * 5000)
        self.wait_servers(2)
        for order in ("", "[", "{}", '{"room": "a"}', '{"room": "a", "reply": "lockstep:servers", "wishes": ""}',
                      json.dumps({"room": "x" * 5000, "reply": "lockstep:reply:1"})):
            self.tell("RPUSH", f"lockstep:orders:{server.address}", order)
        self.assertEqual(ask(self.port, "/lobby/open", {"room": "after"})[0], 200)
        self.assertEqual(server.stop(), GOOD, server.text())

    def answer_wrongly(self, answer):
        """A Redis that gives this answer to whatever it is asked; returns its port."""
        place = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(place.close)

        def one(client):
            with client:
                while client.recv(4096):
                    client.sendall(answer)

        def serve():
            while True:
                try:
                    client, _ = place.accept()
                    one(client)
                except OSError:
                    if place.fileno() < 0:
                        return
        threading.Thread(target=serve, daemon=True).start()
        return place.getsockname()[1]

    def test_hostile_redis(self):
        for answer in (b"HTTP/1.1 400 Bad Request\r\n\r\n", b":7\r\n", b"*2\r\n*0\r\n:1\r\n", b"$-9\r\n", b"*999999999999\r\n",
                       b"$999999999999\r\nx", b"-WRONGTYPE\r\n", b"*1\r\n" * 100, b"\0" * 4096, b"*1\r\n$5000\r\n" + 5000 * b"x" + b"\r\n"):
            self.redis_port = self.answer_wrongly(answer)
            self.start_lobby()
            code, rooms = ask(self.port, "/lobby/rooms")
            self.assertTrue(code == 503 or rooms.get("servers") == 0, (answer, code, rooms))
            self.assertIn(ask(self.port, "/lobby/open", {"room": "x"})[0], (409, 503), answer)
            self.end_lobby()

    def test_wrong_use(self):
        self.refuse("lobby", "--redis", "", code=USAGE, says="--redis")
        self.refuse("lobby", "--http", "x", "--log", self.path("l"), code=USAGE, says="--http")
        self.refuse("serve", "--sim", "skirmish", "--port", "0", "--temporary-identity", "--lobby", "127.0.0.1",
                    code=USAGE, says="--address")


if __name__ == "__main__":
    main()
