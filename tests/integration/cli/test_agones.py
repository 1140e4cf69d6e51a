#!/usr/bin/env python3
"""serve --agones against a stand-in for the sidecar, with all the faults that a sidecar may have."""
import datetime
import glob
import json
import os
import shutil
import signal
import socket
import threading
import time

from agones_stub import Sidecar, free_port
from case import FAILED, GOOD, HUNG, MACHINE, REFUSED, USAGE, Case, is_sanitized, main, tiny

POOL = ("--rooms", "0", "--rooms-max", "4", "--tick-rate", "60")


def is_bound(port):
    """Whether a UDP socket of this machine has the port."""
    with open("/proc/net/udp", encoding="ascii") as file:
        return any(line.split()[1].endswith(f":{port:04X}") for line in file.readlines()[1:])


def answer_code(code):
    def fault(handler):
        handler.answer(code, {"code": code, "message": "planted"})
        return True
    return fault


def send(*parts, pause_s=0.0):
    """A fault: these bytes instead of an answer, then the end of the connection."""
    def fault(handler):
        for part in parts:
            handler.wfile.write(part)
            handler.wfile.flush()
            time.sleep(pause_s)
        return True
    return fault


class Agones(Case):
    def setUp(self):
        super().setUp()
        self.sidecar = Sidecar()
        self.addCleanup(self.sidecar.stop)
        # A proxy where nothing listens: the server must not ask it.
        self.set_variables(AGONES_SDK_HTTP_PORT=str(self.sidecar.port), http_proxy=f"127.0.0.1:{free_port()}")

    def set_variables(self, **variables):
        before = {name: os.environ.get(name) for name in variables}
        os.environ.update(variables)

        def restore():
            for name, value in before.items():
                if value is None:
                    os.environ.pop(name, None)
                else:
                    os.environ[name] = value
        self.addCleanup(restore)

    def wait(self, is_true, server):
        self.wait_until(is_true, lambda: f"{server.text()}\n{self.sidecar.requests[-20:]}\n{self.sidecar.refused}")

    def wait_calls(self, path, server, count=1, since=0.0):
        self.wait(lambda: self.sidecar.count(path, since) >= count, server)

    def wait_log(self, server, pattern, count=1):
        return server.wait_line(pattern, server.log, count=count)

    def logged(self, server, event):
        return [line for line in server.log if line.startswith(event + " ") or line == event]

    def stop_in_order(self, server, code=GOOD):
        self.assertEqual(server.stop(), code, server.text())
        self.assertEqual(self.sidecar.refused, [])

    def play(self, server, *options, code=GOOD, sim="skirmish"):
        return self.join(server, "--ticks", "20", "--bots", "2", *options, code=code, sim=sim)

    def pool(self, *options):
        """A server whose rooms open by allocation, with a sidecar that has said so."""
        self.sidecar.start()
        server = self.serve(*POOL, "--set", "units=200", *options)
        self.wait(lambda: self.sidecar.state == "Ready" and self.sidecar.watchers, server)
        return server

    def room_of(self, server, room, **annotations):
        """Allocates a room, and waits until it is open."""
        count = len(self.logged(server, "agones_allocated"))
        self.sidecar.allocate({"lockstep.dev/room": room} |
                              {f"lockstep.dev/{name}": text for name, text in annotations.items()})
        return self.wait_log(server, r"^agones_allocated ", count + 1).string

    def test_ready_comes_after_the_port(self):
        port, bound = free_port(), []
        self.sidecar.hooks["/ready"] = lambda: bound.append(is_bound(port))
        self.sidecar.start()
        self.assertFalse(is_bound(port))
        server = self.serve("--port", str(port))
        self.wait(lambda: self.sidecar.state == "Ready", server)
        self.wait_log(server, r"^agones_ready")
        self.assertEqual(bound, [True])
        # A server that cannot start is not ready.
        self.sidecar.requests.clear()
        self.command("serve", "--sim", "skirmish", "--bind", "127.0.0.1", "--port", str(port), "--identity",
                     self.path("identity"), code=MACHINE)
        self.assertEqual(self.sidecar.count("/ready"), 0)
        self.stop_in_order(server)

    def test_address_and_key_are_annotations(self):
        self.sidecar.start()
        server = self.serve()
        key = server.address.split("#")[1]
        wanted = {"agones.dev/sdk-lockstep-address": f"203.0.113.7:7654#{key}", "agones.dev/sdk-lockstep-key": key}
        self.wait(lambda: wanted.items() <= self.sidecar.annotations.items(), server)
        self.stop_in_order(server)

    def health_stops(self, sim, *options):
        """Plays until a tick hangs; asserts that health comes before and not after."""
        self.sidecar.start()
        self.set_variables(TINY_HANGS=self.path("hangs"))
        server = self.serve("--tick-rate", "30", *options, sim=sim)
        self.wait_calls("/health", server, 3)
        with open(self.path("script"), "w", encoding="ascii") as file:
            file.write("40 0d\n")
        player = self.start_join(server, "--input", "script:" + self.path("script"), sim=sim)
        self.addCleanup(player.communicate)
        self.addCleanup(player.kill)
        self.wait(lambda: glob.glob(self.path(f"hangs.{server.process.pid}")), server)
        self.wait_log(server, r"^agones_health_stopped")
        # Health is missing for six periods. The client's thread lives on: it opens the stream again.
        self.wait(lambda: not self.sidecar.count("/health", time.monotonic() - 3), server)
        count = self.sidecar.count("/health")
        self.sidecar.end_watches()
        self.wait(lambda: self.sidecar.watchers, server)
        self.assertEqual(self.sidecar.count("/health"), count)
        return server

    def test_health_stops_with_the_tick_thread(self):
        """With one room and one worker, cheap ticks run on the network thread, which then hangs."""
        server = self.health_stops(tiny("stuck"))
        if is_sanitized("tsan"):  # it keeps the signal until the thread calls a function, which never happens
            server.process.kill()
            server.wait()
            return
        server.process.terminate()
        self.assertIn(server.wait(), (HUNG, FAILED), server.text())

    def test_health_stops_when_every_match_hangs(self):
        """A worker hangs, and the network thread does not: the only match makes no progress."""
        server = self.health_stops(tiny("stuck"), "--rooms", "1", "--rooms-max", "1", "--evidence-ms", "0")
        server.process.kill()
        server.wait()

    def test_an_allocation_opens_a_room(self):
        self.command("keygen", self.path("token-key"), "--token-key")
        server = self.pool("--token-key", self.path("token-key"))
        self.play(server, "--room", "red", code=REFUSED)  # clients open none
        self.assertIn("only allocations of the fleet open rooms", server.text())
        line = self.room_of(server, "red", seed="77", options="units=300", players="3", tokens="required")
        self.assertIn("room=red seed=77 tokens=required", line)
        _, err = self.join(server, "--room", "red", "--ticks", "5", code=REFUSED)
        self.assertIn("only clients with a connect token", err)
        # Without a name there is no room either: this one is for holders of a token.
        self.join(server, "--ticks", "5", code=REFUSED)
        for name in ("anna", "bert"):
            self.command("token", "issue", "--key", self.path("token-key"), "--client", name, "--room", "red",
                         "--server", server.address, "--lifetime", "5m", "-o", self.path(name))
        players = [self.start_join(server, "--token", self.path(name), "--ticks", "400") for name in ("anna", "bert")]
        self.wait(lambda: sorted(self.sidecar.lists["players"]["values"]) == ["anna", "bert"], server)
        self.assertEqual(self.sidecar.counters["players"]["count"], "2")
        self.assertEqual(self.sidecar.lists["rooms"]["values"], ["red"])
        for player in players:
            self.end(player, GOOD)
        server.wait_line(r"^ended .*room=red", server.lines)
        # The room is over: the server returns to the fleet, and says so once.
        self.wait(lambda: self.sidecar.state == "Ready", server)
        info, _ = self.command("replay", "info", self.recording())
        self.assertRegex(info, r"(?m)^match +seed 77, 3 seats, .* options 300 ")
        self.assertEqual(self.sidecar.count("/ready"), 2)
        self.stop_in_order(server)

    def test_numbers_and_names_follow_rooms_and_players(self):
        server = self.pool()

        def is_told(rooms, players, names):
            sidecar = self.sidecar
            return (sidecar.counters["rooms"] == {"count": str(rooms), "capacity": "4"} and
                    sidecar.counters["players"]["count"] == str(players) and
                    sorted(sidecar.lists["rooms"]["values"]) == names)
        self.wait(lambda: is_told(0, 0, []), server)
        self.room_of(server, "a")
        self.room_of(server, "b")
        self.wait(lambda: is_told(2, 0, ["a", "b"]), server)
        bots = self.start_join(server, "--room", "b", "--bots", "3", "--ticks", "600")
        self.wait(lambda: is_told(2, 3, ["a", "b"]), server)
        self.end(bots, GOOD)
        self.wait(lambda: is_told(1, 0, ["a"]), server)  # and "a" waits for its players
        self.assertEqual(self.sidecar.state, "Allocated")
        # What an allocation has added without a room is set right.
        with self.sidecar.lock:
            self.sidecar.counters["rooms"]["count"] = "2"
        self.sidecar.allocate({"lockstep.dev/room": "a"})
        self.wait_log(server, r"^agones_allocation_refused room=a reason=\"a room of this name is open\"")
        self.wait(lambda: is_told(1, 0, ["a"]), server)
        self.stop_in_order(server)

    def test_numbers_without_a_place_are_not_sent(self):
        self.sidecar.counters.clear()
        del self.sidecar.lists["players"]
        server = self.pool()
        self.room_of(server, "a")
        self.wait(lambda: self.sidecar.lists["rooms"]["values"] == ["a"], server)
        with self.sidecar.lock:
            paths = {request.path for request in self.sidecar.requests}
        self.assertEqual({path for path in paths if path.startswith("/v1beta1/")}, {"/v1beta1/lists/rooms"})
        self.stop_in_order(server)

    def test_allocations_that_cannot_be_obeyed(self):
        server = self.pool()
        wrong = (({"seed": "-1"}, "lockstep.dev/seed is no number"),
                 ({"seed": "7" * 600}, "lockstep.dev/seed: a text of at most 511 bytes"),
                 ({"options": "units=many"}, "lockstep.dev/options: each is NAME=NUMBER, not 'units=many'"),
                 ({"options": "wings=2"}, "has no option 'wings'"),
                 ({"players": "1000"}, "lockstep.dev/players: a number from 1 to"),
                 ({"tokens": "maybe"}, "lockstep.dev/tokens: `required`"),
                 ({"tokens": "required"}, "the server has no --token-key"),
                 ({"room": "", "seed": "1"}, "lockstep.dev/room is missing"),
                 ({"room": "x" * 33}, "a name has at most 32 bytes"))
        for i, (annotations, says) in enumerate(wrong):
            ready = self.sidecar.count("/ready")
            self.sidecar.annotations.clear()
            self.sidecar.allocate({f"lockstep.dev/{name}": text
                                   for name, text in ({"room": "r"} | annotations).items()})
            self.assertIn(says, self.wait_log(server, r"^agones_allocation_refused ", i + 1).string)
            # The server is of use for others, so it returns to the fleet.
            self.wait(lambda ready=ready: self.sidecar.count("/ready") > ready and self.sidecar.state == "Ready", server)
        self.sidecar.annotations.clear()
        for i in range(4):
            self.room_of(server, f"r{i}")
        self.sidecar.allocate({"lockstep.dev/room": "r5"})
        self.wait_log(server, r"^agones_allocation_refused room=r5 reason=\"all 4 rooms are open; `serve --rooms-max` allows more\"")
        self.assertEqual(self.sidecar.state, "Allocated")
        self.stop_in_order(server)

    def test_a_server_with_rooms_is_not_ready_for_others(self):
        """The fleet takes the server back in the moment in which it opens a room."""
        server = self.pool()
        self.room_of(server, "a")
        with self.sidecar.lock:
            self.sidecar.state = "Ready"
            self.sidecar.publish()
        self.wait_calls("/allocate", server)
        self.wait(lambda: self.sidecar.state == "Allocated", server)
        self.stop_in_order(server)

    def test_one_match_a_server(self):
        """A fleet without annotations: the match is open from the start, and the server ends with it."""
        self.sidecar.start()
        server = self.serve("--end-when-empty", "--set", "units=200", "--tick-rate", "60")
        ended = []
        self.sidecar.hooks["/shutdown"] = lambda: ended.append(any(line.startswith("ended ") for line in server.lines))
        self.wait(lambda: self.sidecar.state == "Ready" and self.sidecar.watchers, server)
        self.sidecar.allocate({})
        self.play(server)
        self.assertEqual(server.wait(), GOOD, server.text())
        self.assertEqual(self.sidecar.state, "Shutdown")
        self.assertEqual(ended, [True])
        self.assertEqual(self.sidecar.count("/ready"), 1)
        self.assertEqual(self.logged(server, "agones_allocated"), [])
        self.assertEqual(self.sidecar.refused, [])

    def test_a_resumed_room_still_needs_tokens(self):
        """Also one that has lost its file of seats."""
        self.command("keygen", self.path("token-key"), "--token-key")
        keys = ("--token-key", self.path("token-key"))
        server = self.pool(*keys)
        for room in ("red", "blue"):
            self.room_of(server, room, tokens="required")
        self.wait_seats(server, 2)
        server.process.kill()
        server.wait()
        lost = sorted(glob.glob(self.path("recordings", "*.seats")))[0]
        os.remove(lost)
        again = self.serve(*POOL, *keys, "--resume", self.path("recordings"))
        again.wait_line(r"^restored ", again.log, count=2)
        self.wait(lambda: self.sidecar.state == "Allocated", again)
        for options in ((), ("--room", "red"), ("--room", "blue")):
            self.join(again, *options, "--ticks", "5", code=REFUSED)
        self.command("token", "issue", "--key", self.path("token-key"), "--client", "anna", "--server", again.address,
                     "--lifetime", "5m", "-o", self.path("anna"))
        self.join(again, "--token", self.path("anna"), "--ticks", "20")
        self.stop_in_order(again)

    def test_a_signal_drains_before_the_end_is_told(self):
        server = self.pool()
        self.room_of(server, "a")
        player = self.start_join(server, "--room", "a", "--json")
        server.wait_line(r"^player_join ", server.log)
        ready = self.sidecar.count("/ready")
        # The recording is whole when the pod may go.
        self.sidecar.hooks["/shutdown"] = lambda: shutil.copytree(self.path("recordings"), self.path("then"))
        self.stop_in_order(server)
        out, _ = self.end(player, GOOD)
        self.assertEqual([json.loads(line)["state"] for line in out.splitlines() if '"end"' in line], ["ended"])
        for path in glob.glob(self.path("then", "*.lsr")):
            self.assertIn("closed (drained)", self.command("verify", path)[0])
        self.assertEqual(len(glob.glob(self.path("then", "*.lsr"))), 1)
        self.assertEqual(self.sidecar.state, "Shutdown")
        # The fleet does not get a server back that ends.
        self.assertEqual(self.sidecar.count("/ready"), ready)
        self.wait_log(server, r"^agones_shutdown ")

    def drain_beside(self, server, player):
        """Lets the server drain for some seconds, since a player does not answer. Returns after two signs of health: the
        sidecar's client then knows of it."""
        server.wait_line(r"^player_join ", server.log)
        player.send_signal(signal.SIGSTOP)
        self.addCleanup(player.communicate)
        self.addCleanup(player.kill)
        server.process.terminate()
        since = time.monotonic()
        self.wait(lambda: self.sidecar.count("/health", since) >= 2 or server.process.poll() is not None, server)

    def test_a_pool_that_drains_is_not_ready(self):
        server = self.pool()
        self.room_of(server, "a")
        ready = self.sidecar.count("/ready")
        self.drain_beside(server, self.start_join(server, "--room", "a"))
        self.assertEqual(server.wait(), GOOD, server.text())
        self.assertEqual(self.sidecar.count("/ready"), ready)
        self.assertEqual(self.sidecar.state, "Shutdown")

    def test_a_match_that_drains_is_not_ready(self):
        """Its sidecar did not answer before."""
        gate = threading.Event()
        self.addCleanup(gate.set)

        def fault(handler):
            gate.wait()
            return answer_code(500)(handler)
        self.sidecar.faults["/ready"] = fault
        self.sidecar.start()
        server = self.serve("--set", "units=200", "--tick-rate", "60")
        self.wait_calls("/ready", server)
        self.drain_beside(server, self.start_join(server))
        since = time.monotonic()
        gate.set()
        self.assertEqual(server.wait(), GOOD, server.text())
        self.assertEqual(self.sidecar.count("/ready", since), 0)
        self.assertEqual(self.sidecar.state, "Shutdown")

    def test_a_sidecar_that_starts_late(self):
        server = self.serve("--set", "units=200", "--tick-rate", "60")
        self.wait_log(server, r"^agones_failing request=\"/\w+\" reason=")
        self.play(server)
        self.assertEqual(len(self.logged(server, "agones_failing")), 1, server.text())
        self.sidecar.start()
        self.wait(lambda: self.sidecar.state == "Ready", server)
        self.wait_calls("/health", server, 2)
        self.wait_log(server, r"^agones_working ")
        self.stop_in_order(server)

    def test_a_sidecar_that_never_comes(self):
        server = self.serve("--set", "units=200", "--tick-rate", "60")
        self.play(server)
        self.assertEqual(server.stop(), GOOD, server.text())
        self.wait_log(server, r"^agones_shutdown_failed ")
        self.assertEqual(len(self.logged(server, "agones_failing")), 1, server.text())

    def test_a_sidecar_that_is_gone_for_a_while(self):
        server = self.pool()
        self.room_of(server, "a")
        player = self.start_join(server, "--room", "a")
        server.wait_line(r"^player_join ", server.log)
        self.sidecar.stop()
        self.wait_log(server, r"^agones_failing ")
        self.sidecar.start()
        self.wait_log(server, r"^agones_working ")
        since = time.monotonic()
        self.wait_calls("/health", server, 2, since)
        # The stream has the allocation again, which is not obeyed twice.
        self.assertEqual(len(self.logged(server, "agones_allocated")), 1)
        self.assertEqual(self.logged(server, "agones_allocation_refused"), [])
        self.room_of(server, "b")
        self.stop_in_order(server)
        self.end(player, GOOD)

    def heals(self, fault, says, path="*"):
        """With the fault nothing comes through and the match is unharmed; without it everything does."""
        self.sidecar.faults[path] = fault
        self.sidecar.start()
        server = self.serve(*POOL, "--rooms", "1", "--set", "units=200")
        self.assertIn(says, self.wait_log(server, r"^agones_failing ").string)
        self.play(server, "--room", "1")
        time.sleep(1)
        self.assertEqual(len(self.logged(server, "agones_failing")), 1, server.text())
        self.sidecar.faults.clear()
        self.wait(lambda: self.sidecar.state == "Ready", server)
        self.wait_log(server, r"^agones_working ")
        self.room_of(server, "after")
        self.wait_calls("/health", server, 2)
        self.stop_in_order(server)

    def test_errors(self):
        self.heals(answer_code(500), "HTTP 500")

    def test_an_answer_that_leads_elsewhere(self):
        with socket.socket() as other:
            other.bind(("127.0.0.1", 0))
            other.listen()
            other.settimeout(0.1)

            def fault(handler):
                handler.send_response(302)
                handler.send_header("Location", f"http://127.0.0.1:{other.getsockname()[1]}/ready")
                handler.send_header("Content-Length", "0")
                handler.end_headers()
                return True
            self.heals(fault, "reason=")
            self.assertRaises(TimeoutError, other.accept)

    def test_garbage(self):
        self.heals(send(bytes(range(256)) * 8), "reason=")

    def test_cut_answers(self):
        self.heals(send(b"HTTP/1.1 200 OK\r\nContent-Ty"), "reason=")

    def test_headers_without_end(self):
        self.heals(send(b"HTTP/1.1 200 OK\r\n", *[b"X-%d: %s\r\n" % (i, b"y" * 900) for i in range(64)]), "reason=")

    def test_an_answer_without_end(self):
        head = b"HTTP/1.1 200 OK\r\nContent-Length: 999999999\r\n\r\n"
        self.heals(send(head, *[b"x" * 65536 for _ in range(4)]), "reason=", "/ready")

    def test_a_stream_that_makes_no_sense(self):
        chunk = b"%x\r\n%s\r\n"
        head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        deep = b"[" * 100000 + b"\n"
        for part in (b"nonsense\n", deep, b'{"result":{}}\n', b"\0\xff\n"):
            with self.subTest(part=part[:20]):
                self.heals(send(head + chunk % (len(part), part), pause_s=0.2), "the stream", "/watch/gameserver")
                self.sidecar.stop()
                self.sidecar.__init__()
                self.set_variables(AGONES_SDK_HTTP_PORT=str(self.sidecar.port))

    def test_a_line_without_end(self):
        head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        part = b"10000\r\n" + b"x" * 65536 + b"\r\n"
        self.heals(send(head, *[part] * 40), "the stream makes no sense", "/watch/gameserver")

    def test_a_stream_that_is_cut_within_a_line(self):
        self.sidecar.part_bytes = 7
        server = self.pool()
        self.room_of(server, "a")
        line = self.sidecar.line()
        head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        self.sidecar.faults["/watch/gameserver"] = send(head + b"%x\r\n%s" % (len(line), line[:-40]))
        self.sidecar.end_watches()
        self.wait_log(server, r"^agones_failing ")
        self.sidecar.faults.clear()
        self.wait_log(server, r"^agones_working ")
        self.room_of(server, "b")
        self.stop_in_order(server)

    def test_slow_answers(self):
        """Each answer takes longer than a period of health, and none too long."""
        def fault(_handler):
            time.sleep(1.5)
            return False
        self.sidecar.faults["*"] = fault
        server = self.pool()
        self.room_of(server, "a", seed="5")
        self.wait_calls("/health", server, 2)
        self.wait(lambda: self.sidecar.lists["rooms"]["values"] == ["a"], server)
        self.play(server, "--room", "a")
        self.sidecar.faults.clear()
        self.stop_in_order(server)

    def test_answers_that_never_come(self):
        gate = threading.Event()
        self.addCleanup(gate.set)

        def fault(_handler):
            gate.wait()
            return True
        self.heals(fault, "no answer in time")

    def test_a_sidecar_without_end(self):
        """Lines as fast as the machine sends them: the match goes on, and the thread that reads can be ended."""
        def fault(handler):
            handler.wfile.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            line = self.sidecar.line()
            while server.process.poll() is None:
                handler.wfile.write(b"%x\r\n%s\r\n" % (len(line), line))
            return True
        self.sidecar.faults["/watch/gameserver"] = fault
        server = self.serve("--set", "units=200", "--tick-rate", "60")
        self.sidecar.start()
        self.play(server)
        self.wait_calls("/health", server, 2)
        self.assertEqual(server.stop(), GOOD, server.text())
        self.assertEqual(self.sidecar.state, "Shutdown")

    def test_allocations_without_end(self):
        """Each line allocates again: a match beside them goes on, and the server ends in order."""
        server = self.pool()
        self.room_of(server, "a")

        def flood():
            while server.process.poll() is None:
                self.sidecar.allocate({"lockstep.dev/room": "a"})
                time.sleep(0.001)
        thread = threading.Thread(target=flood)
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(server.process.kill)
        # Twenty in a second at most, also while the network thread is busy. A line may be late, but not that many.
        player = self.start_join(server, "--room", "a", "--bots", "2")
        server.wait_line(r"^player_join ", server.log, count=2)
        before = len(self.logged(server, "agones_allocation_refused"))
        self.wait_log(server, r"^agones_allocation_refused ", before + 41)
        times = [datetime.datetime.fromisoformat(line.split(" time=")[1].rstrip("Z"))
                 for line in self.logged(server, "agones_allocation_refused")[before:]]
        self.assertGreater(max(times[20] - times[0], times[40] - times[20]).total_seconds(), 0.5)
        self.wait_calls("/health", server, 2)
        self.assertEqual(server.stop(), GOOD, server.text())
        self.end(player, GOOD)

    def test_the_option_and_the_variable(self):
        arguments = ("serve", "--sim", "skirmish", "--bind", "127.0.0.1", "--port", "0", "--identity",
                     self.path("identity"))
        for text in ("0", "65536", "http", "80 "):
            self.set_variables(AGONES_SDK_HTTP_PORT=text)
            self.refuse(*arguments, code=USAGE, says=("AGONES_SDK_HTTP_PORT", text))
        self.set_variables(AGONES_SDK_HTTP_PORT="")
        server = self.serve("--ticks", "1", "--wait", "0")
        self.assertEqual(server.wait(), GOOD)
        self.assertNotIn("agones", server.text())
        server = self.serve("--agones", "--ticks", "1", "--wait", "0")
        self.assertEqual(server.wait(), GOOD)
        self.assertRegex(server.text(), r"(?m)^agones port=9358")
        out, _ = self.command("serve", "--agones", "--print-config")
        self.assertRegex(out, r"(?m)^agones = yes$")


if __name__ == "__main__":
    main()
