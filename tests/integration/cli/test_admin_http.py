"""serve --http-token: the actions of `lockstep admin` by HTTP, and what strangers may do to them."""
import http.client
import json
import os
import re
import socket
import threading
import time
import unittest
import unittest.mock

from case import GOOD, MACHINE, REFUSED, SHIM, TIMEOUT_S, USAGE, Case, is_sanitized, main

TOKEN = "c2VjcmV0IG9mIHRoZSBvbmUgd2hvIHJ1bnMgaXQ="
SERVE = ("serve", "--sim", "skirmish", "--port", "0", "--temporary-identity")
SLOW_MS = 3000
TRIALS = 10  # a machine that is busy for as long spoils one of them


class AdminHttp(Case):
    def write_token(self, text=TOKEN + "\n", mode=0o600):
        with open(self.path("token"), "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(self.path("token"), mode)
        return self.path("token")

    def serve_token(self, *options, address="0"):
        server = self.serve("--http", address, "--http-token", self.write_token(), "--wait", "0", "--set", "units=200",
                            *options)
        server.http = server.wait_line(r"^listening_http address=(\S+)", server.log).group(1)
        return server

    def request(self, server, path, body=None, method="POST", **headers):
        connection = http.client.HTTPConnection(server.http, timeout=TIMEOUT_S)
        try:
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read().decode()
        finally:
            connection.close()

    def act(self, server, action, *arguments, code=200):
        """The answer to an action, from its JSON."""
        status, headers, text = self.request(server, f"/admin/{action}", json.dumps(arguments), Authorization=f"Bearer {TOKEN}")
        self.assertEqual((status, headers["content-type"]), (code, "application/json"), text)
        return json.loads(text)

    def send(self, server, data):
        """Sends bytes; returns all that comes until the other side closes."""
        host, port = server.http.rsplit(":", 1)
        with socket.create_connection((host, int(port)), timeout=TIMEOUT_S) as connection:
            try:
                connection.sendall(data)
                answer = b""
                while part := connection.recv(65536):
                    answer += part
            except (ConnectionResetError, BrokenPipeError):
                pass
            return answer

    def test_it_answers_as_admin_json_does(self):
        server = self.serve_token("--admin", self.path("s"), "--rooms", "2", "--tick-rate", "20")
        bots = self.start_join(server, "--bots", "2", "--room", "1")
        self.wait_until(lambda: sum(one["playing"] for one in self.act(server, "players")) == 2, server.text)
        for words in (("server",), ("rooms",), ("room", "1"), ("players", "1"), ("bans",), ("metrics",)):
            out, _ = self.command("admin", words[0], "--socket", self.path("s"), "--json", *words[1:])
            other, one = json.loads(out), self.act(server, *words)
            self.assertEqual(type(one), type(other))
            if isinstance(one, dict):
                self.assertEqual(list(one), list(other))
            else:
                self.assertEqual([list(row) for row in one], [list(row) for row in other])
        self.assertIn("lockstep_rooms", self.act(server, "metrics")["result"])
        self.assertEqual(self.act(server, "say", "1", 'a "text" \u00e9 \U0001f600'), {"result": "told 2 clients in room '1'"})
        peer = self.act(server, "players")[0]["peer"]
        self.assertIn(f"ended session {peer} of", self.act(server, "kick", peer, "be nice")["result"])
        one = self.act(server, "checkpoint", "1")
        self.assertGreaterEqual(self.verified_ticks(one["recording"]), one["tick"])
        self.assertEqual(self.act(server, "ban", "192.0.2.7/24")["ban"], "192.0.2.0/24")
        self.assertEqual(self.act(server, "bans"), [{"ban": "192.0.2.0/24"}])
        server.wait_line(r'^admin address=127\.0\.0\.1 action="ban 192\.0\.2\.7/24" result="sessions ended: 0', server.log)
        server.wait_line(r'^admin address=127\.0\.0\.1 action="say 1 a \\"text\\" \u00e9 \U0001f600" ', server.log)
        bots.terminate()
        bots.communicate(timeout=TIMEOUT_S)
        self.assertIn("ending all matches", self.act(server, "drain")["result"])
        self.assertEqual(server.wait(), GOOD)

    def test_errors_have_the_exit_code(self):
        server = self.serve_token("--rooms", "2", "--wait", "1")
        for words, code, exit_code, says in ((("room",), 400, USAGE, "several rooms are open"),
                                             (("room", "x"), 404, USAGE, "no open room is called 'x'"),
                                             (("kick",), 400, USAGE, "give `kick PEER [REASON]`"),
                                             (("rooms", "1"), 400, USAGE, "give `rooms`"),
                                             (("say", "x" * 225), 400, USAGE, "at most 224 bytes"),
                                             (("say", "x" * 2000), 400, USAGE, "longer than 1023 bytes"),
                                             (("ban", "ada"), 400, USAGE, "is no address"),
                                             (("romos",), 404, USAGE, "no such action"),
                                             (("pause", "1"), 409, REFUSED, "it is waiting")):
            answer = self.act(server, *words, code=code)
            self.assertEqual(answer["code"], exit_code)
            self.assertIn(says, answer["error"])
        self.assertEqual(server.stop(), GOOD)

    def test_without_the_token_there_is_nothing(self):
        server, begin = self.serve_token(), time.monotonic()
        for headers in ({}, {"Authorization": "Bearer x"}, {"Authorization": TOKEN}, {"Authorization": f"Basic {TOKEN}"},
                        {"Authorization": f"Bearer {TOKEN[:-1]}"}, {"Authorization": f"Bearer {TOKEN}x"},
                        {"Authorization": "Bearer " + "x" * 1000}):
            for path in ("/admin/drain", "/admin/nothing", "/admin/"):
                status, found, text = self.request(server, path, "[]", **headers)
                self.assertEqual((status, found["www-authenticate"]), (401, "Bearer"), text)
        for _ in range(30):
            self.request(server, "/admin/drain", "")
        seconds = time.monotonic() - begin
        server.wait_line(r"^admin_refused ", server.log)
        refusals = [re.fullmatch(r"admin_refused address=127\.0\.0\.1 count=(\d+) time=\S+", line)
                    for line in server.log if line.startswith("admin_refused")]
        self.assertEqual(refusals[0].group(1), "1")
        self.assertLessEqual(len(refusals), seconds + 2)  # one a second, of the 51
        self.assertLess(len(refusals), 51)
        self.assertLessEqual(sum(int(one.group(1)) for one in refusals), 7 * 3 + 30)
        self.assertNotIn(TOKEN, server.text())
        self.assertEqual(len(self.act(server, "rooms")), 1)
        self.assertEqual([line for line in server.log if line.startswith("admin ")], [])
        self.assertEqual(server.stop(), GOOD)

    def test_a_new_token_after_a_reload(self):
        server = self.serve_token()
        self.write_token("short\n")
        self.assertIn("the first line is the token", self.act(server, "reload", code=409)["error"])
        server.wait_line(r'^reload_failed reason=".*the first line is the token', server.log)
        self.assertEqual(len(self.act(server, "rooms")), 1)  # the old one stays
        self.write_token("x" * 40)
        self.act(server, "reload")
        server.wait_line(r"^reloaded ", server.log)
        status, _, _ = self.request(server, "/admin/rooms", "[]", Authorization=f"Bearer {TOKEN}")
        self.assertEqual(status, 401)
        self.assertEqual(self.request(server, "/admin/rooms", "[]", Authorization="Bearer " + "x" * 40)[0], 200)
        self.assertEqual(server.stop(), GOOD)

    def test_without_the_option_there_is_no_such_path(self):
        server = self.serve("--http", "0")
        server.http = server.wait_line(r"^listening_http address=(\S+)", server.log).group(1)
        for method in ("GET", "POST"):
            status, _, _ = self.request(server, "/admin/rooms", "[]" if method == "POST" else None, method, Authorization="Bearer ")
            self.assertEqual(status, 404)
        self.assertEqual(self.request(server, "/metrics", "[]")[0], 405)
        self.assertEqual(server.stop(), GOOD)

    def test_methods_and_hosts(self):
        server = self.serve_token()
        right = {"Authorization": f"Bearer {TOKEN}"}
        for method in ("GET", "HEAD"):
            status, headers, _ = self.request(server, "/admin/rooms", None, method, **right)
            self.assertEqual((status, headers["allow"]), (405, "POST"))
        for method in ("PUT", "DELETE", "OPTIONS"):
            self.assertIn(self.request(server, "/admin/drain", None, method, **right)[0], (405,))
        self.assertEqual(self.request(server, "/metrics", "[]", **right)[0], 405)
        self.assertEqual(self.request(server, "/admin/drain", "[]", Host="attacker.example", **right)[0], 403)
        self.assertEqual(self.request(server, "/admin/rooms?x=1", "[]", **right)[0], 200)
        self.assertEqual(server.stop(), GOOD)

    def test_garbage_by_one_who_has_the_token(self):
        server = self.serve_token("--tick-rate", "20")
        head = f"POST /admin/rooms HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {TOKEN}\r\n".encode()
        for body in ("{", "null", '["a"', "[1.5]", '["\\u0000"]', '["\\ud800"]', '["a\\nb"]', "\0", "[" * 5000, '[""]'):
            status, _, text = self.request(server, "/admin/say", body, Authorization=f"Bearer {TOKEN}")
            self.assertEqual((status, json.loads(text)["code"]), (400, USAGE), body)
        for raw, says in ((b"Content-Length: 8193\r\n\r\n", b" 413 "), (b"Content-Length: 99999999999999999999\r\n\r\n", b" 413 "),
                          (b"Content-Length: x\r\n\r\n", b" 413 "), (b"Content-Length: -1\r\n\r\n", b" 413 "),
                          (b"Transfer-Encoding: chunked\r\n\r\n2\r\n[]\r\n0\r\n\r\n", b" 411 "),
                          (b"\r\n", b" 411 "), (b"Content-Length: 0\r\n\r\n", b" 411 "), (b"Content-Length:\r\n\r\n", b" 411 ")):
            self.assertIn(says, self.send(server, head + raw)[:20])
        self.assertEqual(self.send(server, head + b"Content-Length: 5\r\n\r\n["), b"")  # the rest never comes
        get = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n"
        self.assertIn(b" 200 OK", self.send(server, get))  # which ends with its answer
        with socket.create_connection(server.http.split(":"), timeout=TIMEOUT_S) as connection:
            connection.sendall(head + b"Content-Length: 2\r\n\r\n[")
            time.sleep(0.2)
            connection.sendall(b"]")
            answer = http.client.HTTPResponse(connection)
            answer.begin()
            self.assertEqual((answer.status, json.loads(answer.read())[0]["state"]), (200, "running"))
            connection.sendall(head + b"Content-Length: 2\r\n\r\n[]")  # the connection may be used again
            self.assertIn(b" 200 OK", connection.recv(65536))
        one, get = head + b"Content-Length: 2\r\n\r\n[]", b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
        for piece in (one + one, one + get, get + one, (get + one) * 100):  # may end the connection, and occupies nothing
            with socket.create_connection(server.http.split(":"), timeout=TIMEOUT_S) as connection:
                connection.sendall(piece)
                self.assertEqual(len(self.act(server, "rooms")), 1)
        gone = [socket.create_connection(server.http.split(":")) for _ in range(20)]
        for connection in gone:  # they do not wait for their answers
            connection.sendall(head + b"Content-Length: 2\r\n\r\n[]")
            connection.close()
        self.wait_until(lambda: self.request(server, "/admin/rooms", "[]", Authorization=f"Bearer {TOKEN}")[0] == 200, server.text)
        tick = self.act(server, "room")["tick"]
        self.wait_until(lambda: self.act(server, "room")["tick"] > tick, server.text)
        self.assertEqual(server.stop(), GOOD)

    @unittest.skipIf(is_sanitized("asan"), "this sanitizer wants to be the first that is loaded")
    def test_a_slow_disk_delays_no_other_answer(self):
        switch = self.path("slow")
        with unittest.mock.patch.dict(os.environ, LD_PRELOAD=SHIM, SLOW_DISK=f"{SLOW_MS} recordings {switch}"):
            server = self.serve_token("--tick-rate", "20", "--sync-ticks", "0")
        self.assertTrue(any(self.answers_beside_checkpoints(server, switch) for _ in range(TRIALS)))
        self.assertEqual(server.stop(), GOOD)

    def answers_beside_checkpoints(self, server, switch):
        """True if the server answers before either of two checkpoints, which wait for the disk."""
        self.act(server, "checkpoint")  # the disk has all from before
        with open(switch, "wb"):
            pass
        answers = []
        threads = [threading.Thread(target=lambda: answers.append(self.act(server, "checkpoint"))) for _ in range(2)]
        for thread in threads:
            thread.start()
        self.wait_until(lambda: os.path.getsize(switch) > 0, server.text)  # it has begun to sync
        begin = time.monotonic()
        self.assertEqual(self.request(server, "/healthz", None, "GET")[0], 200)
        is_first = not answers and time.monotonic() - begin < SLOW_MS / 1000
        for thread in threads:
            thread.join(TIMEOUT_S)
        os.unlink(switch)
        return is_first and len(answers) == 2 and abs(answers[0]["tick"] - answers[1]["tick"]) > 10  # ticks went on

    def test_tokens_that_cannot_be_used(self):
        options = (*SERVE, "--http", "0", "--http-token")
        self.refuse(*options, self.path("none"), code=USAGE, says=("make it: ",))
        self.refuse(*options, self.write_token("short\n"), code=USAGE, says=("the first line is the token, 16 to 256",))
        self.refuse(*options, self.write_token(mode=0o644), code=REFUSED, says=("token",))
        self.refuse(*SERVE, "--http-token", self.write_token(), code=USAGE, says=("it needs --http",))
        self.assertNotIn(TOKEN, self.command(*options, self.write_token(), "--print-config")[0])
        taken = self.serve_token()
        self.refuse(*SERVE, "--http", taken.http, "--http-token", self.path("token"), code=MACHINE, says=("in use",))


if __name__ == "__main__":
    main()
