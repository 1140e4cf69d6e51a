"""`admin drain --successor` and `serve --take-over`: matches go on in another process, with the players inside."""
import contextlib
import errno
import fcntl
import glob
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

from case import (BINARY, FAILED, GOOD, REFUSED, MACHINE, TIMEOUT_S, TINY, USAGE, Case, Server, can_mount, is_sanitized, main,
                  tiny)

RATE = 20
SERVE = ("--tick-rate", str(RATE), "--quiet", "--set", "units=200")
PAUSE_MS_MAX = 2000


class Takeover(Case):
    def admin(self, *words, code=GOOD):
        out, err = self.command("admin", words[0], "--socket", self.path("s"), *words[1:], code=code)
        return err.splitlines()[0] if code else out

    def predecessor(self, *options, sim="skirmish", own=SERVE):
        server = self.serve("--admin", self.path("s"), *own, *options, sim=sim)
        server.wait_line(r"^listening_admin ", server.log)
        return server

    def successor(self, *options, sim="skirmish", own=SERVE, folder="recordings"):
        os.makedirs(self.path(folder), exist_ok=True)
        server = Server(self.folder, "--take-over", "--resume", self.path(folder), "--admin", self.path("t"), *own,
                        *options, sim=sim, is_recording=False)
        self.servers.append(server)
        return server

    def play(self, server, count, *options):
        """Bots that are in the match."""
        bots = self.start_join(server, "--bots", str(count), "--json", "--log", self.path("log"), *options)
        self.wait_until(lambda: len([one for one in json.loads(self.admin("players", "--json"))
                                     if one["playing"]]) >= count, server.text)
        return bots

    def tick(self, server, room=""):
        """Waits for a further tick, and returns it."""
        def now():
            words = ("room", room) if room else ("room",)
            path = self.path("s") if server is self.servers[0] else self.path("t")
            out, _ = self.command("admin", words[0], "--socket", path, *words[1:], "--json")
            return json.loads(out)["tick"]
        begin = now()
        self.wait_until(lambda: now() > begin + RATE // 2, server.text)
        return now()

    def drain(self, _server, successor, has_key=False):
        """Begins to drain, and returns what the command says at once. It waits for the end: see drained()."""
        where = successor.address if has_key else successor.host_port
        asked = self.start("admin", "drain", "--socket", self.path("s"), "--successor", where)

        def end():
            if asked.poll() is None:
                asked.kill()
                asked.communicate()
        self.addCleanup(end)
        self.asked = asked
        return asked.stdout.readline()

    def drained(self, says, code=GOOD):
        """The end of the command that drain() has begun."""
        self.assertRegex(self.end(self.asked, code)[1], says)

    def end_bots(self, bots):
        """Stops bots that play. Returns their last lines: each has played on without a desync."""
        self.wait_until(lambda: bots.poll() is None, lambda: "the bots have ended")
        bots.terminate()
        out, _ = self.end(bots, GOOD)
        ends = [json.loads(line) for line in out.splitlines() if '"event": "end"' in line]
        for one in ends:
            self.assertFalse(one["diverged"])
        return ends

    def verify_whole(self, count=1, ticks_min=1, reasons=("drained",)):
        """Each recording is one closed and signed file, without an epoch: every tick is in it."""
        paths = sorted(glob.glob(self.path("recordings", "*.lsr")))
        self.assertEqual(len(paths), count)
        for path in paths:
            out, _ = self.command("verify", "--require-signed", path)
            self.assertIn(re.search(r"closed \((\w+)\)", out).group(1), reasons)
            self.assertGreaterEqual(int(re.search(r"verified ticks=(\d+)", out).group(1)), ticks_min)
            lines = [json.loads(line) for line in self.command("replay", "export", path)[0].splitlines()]
            self.assertEqual([one for one in lines if one["type"] == "epoch"], [])
            ticks = [int(one["tick"]) for one in lines if one["type"] == "tick"]
            self.assertEqual(ticks, list(range(len(ticks))))
            # Players that leave do so at the end, when the test stops them.
            kinds = [put["kind"] for one in lines for put in one.get("inputs", ()) if int(one["tick"]) <= ticks_min]
            self.assertEqual(kinds.count("leave"), 0)

    def test_players_follow_without_a_lost_tick(self):
        """Four bots play on in the other process. Prints the longest time that a tick was late."""
        old = self.predecessor("--wait", "4")
        bots = self.play(old, 4)
        self.tick(old)
        new = self.successor()
        new.wait_line(r"^waiting for the matches of the server that records to .*recordings; drain it ", new.lines)
        self.assertIn("handing all matches over", self.drain(old, new))
        self.drained(r"^handed over: 1$|\nhanded over: 1$")
        tick = int(old.wait_line(r"^handed_over tick=(\d+) ", old.log).group(1))
        new.wait_line(r"^player_kept ", new.log, count=4)
        at, players = map(int, new.wait_line(r"^start tick=(\d+) players=(\d+)", new.log).groups())
        self.assertEqual((at, players), (tick, 4))
        self.assertEqual(old.wait(), GOOD)
        self.assertEqual([line for line in old.lines if line.startswith(("ended", "recorded"))], [])
        self.assertRegex(old.text(), rf"(?m)^moved \S+\.lsr address={new.host_port}$")
        new.wait_line(r"^matches taken over: 1;", new.lines)
        self.tick(new)
        ends = self.end_bots(bots)
        pause_ms = max(one["late_max_ms"] for one in ends)
        print(f"4 bots: {len(ends)} followed at tick {tick}, 0 ticks lost, longest pause {pause_ms:.0f} ms")
        self.assertEqual(len(ends), 4)
        if not is_sanitized():
            self.assertLess(pause_ms, PAUSE_MS_MAX)
        self.assertEqual(new.stop(), GOOD)
        self.verify_whole(ticks_min=tick + RATE // 2)
        self.assertEqual(glob.glob(self.path("recordings", "*.seats")), [])
        self.assertFalse(os.path.exists(self.path("recordings", ".successor")))

    def test_a_recording_that_is_looked_at_moves(self):
        """Retention locks a recording while it reads the end of it, also between the two servers."""
        old = self.predecessor("--wait", "2")
        bots = self.play(old, 2)
        self.tick(old)
        path, = glob.glob(self.path("recordings", "*.lsr"))
        new = self.successor()
        new.wait_line(r"^waiting for the matches", new.lines)

        over = threading.Event()

        def look():
            """Takes the lock when the old server lets go of it, unless the new one is faster."""
            with open(path, "rb") as file:
                while not over.is_set():
                    try:
                        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    except BlockingIOError:
                        continue
                    time.sleep(0.05)
                    return
        looker = threading.Thread(target=look)
        looker.start()
        self.addCleanup(looker.join)
        self.addCleanup(over.set)
        self.drain(old, new)
        self.drained(r"handed over: 1$")
        new.wait_line(r"^matches taken over: 1;", new.lines)
        self.tick(new)
        self.end_bots(bots)

    def test_each_room_moves_and_keeps_its_name(self):
        """Rooms of the fixed kind and one that a client has named, an empty one too; spectators follow."""
        options = ("--rooms", "2", "--rooms-max", "4", "--wait", "0")
        old = self.predecessor(*options)
        bots = [self.play(old, 2, "--room", "2"), self.play(old, 3, "--room", "lobby")]
        watcher = self.start_join(old, "--spectate", "--room", "lobby", "--json")
        old.wait_line(r"^enter .* player=-1 ", old.log)
        new = self.successor(*options)
        self.drain(old, new)
        old.wait_line(r"^handed_over ", old.log, count=3)
        self.assertEqual(old.wait(), GOOD)
        new.wait_line(r"^player_kept ", new.log, count=3)
        new.wait_line(r"^enter .* player=-1 .*room=lobby", new.log)
        rooms = json.loads(self.command("admin", "rooms", "--socket", self.path("t"), "--json")[0])
        self.assertEqual(sorted(one["room"] for one in rooms), ["1", "2", "lobby"])
        for one in (watcher, *bots):
            one.terminate()
            self.end(one, GOOD)
        # The room that a client has named ends when it is empty, as it would have before.
        new.wait_line(r"^end .*reason=abandoned room=lobby", new.log)
        self.assertEqual(new.stop(), GOOD)
        self.verify_whole(count=3, reasons=("drained", "abandoned"))

    def test_another_build_of_the_simulation_gets_new_rooms_only(self):
        """Matches end in their build; newcomers are told where new ones are, and who has a seat may return."""
        good, own = tiny("good"), ("--tick-rate", str(RATE), "--quiet", "--wait", "0")
        old = self.predecessor("--rooms", "2", sim=good, own=own)  # room 2 is empty: it counts as no match
        state, room = self.path("state"), ("--room", "1")
        player = self.start_join(old, "--bots", "1", "--state", state, *room, sim=good)
        stays = self.start_join(old, "--bots", "1", *room, sim=good)
        old.wait_line(r"^player_join ", old.log, count=2)
        new = self.successor(sim=tiny("other"), own=own)
        self.assertRegex(self.drain(old, new), r"playing all matches to their ends, as \S+ serves another build of 'tiny' "
                                               r"\(fingerprint (?!(\w+), here \1)\w{32}, here \w{32}\)")
        self.drained("^$")
        old.wait_line(r"^handover_kept .*another build", old.log)
        old.wait_line(r'^handover_done .*reason="1 match plays to its end here: .*another build', old.log)
        self.assertHandover("done", r"^1 match plays to its end here: .*another build of the simulation$")
        new.wait_line(r"^takeover_done rooms=0 ", new.log)
        self.assertIn(new.host_port, self.join(old, "--bots", "1", sim=good, code=REFUSED)[1])
        player.send_signal(signal.SIGKILL)
        player.communicate()
        back = self.start_join(old, "--bots", "1", "--state", state, sim=good)
        old.wait_line(r"^enter .*", old.log, count=3)
        self.tick(old)
        newcomer = self.start_join(new, "--bots", "1", "--known-servers", self.path("known2"), sim=tiny("other"))
        new.wait_line(r"^enter ", new.log)
        for one in (back, newcomer, stays):
            one.terminate()
            self.end(one, GOOD)
        self.assertEqual(old.wait(), GOOD)  # its last player has left
        self.assertEqual(new.stop(), GOOD)

    def assertHandover(self, state, reason):
        """The handover in `admin server`."""
        server = json.loads(self.admin("server", "--json"))
        self.assertEqual(server["handover"], state)
        self.assertRegex(server["handover_reason"], reason)

    def test_a_second_successor_gets_what_the_first_did_not(self):
        """The first one has another build, the second one that of the match, which moves there with its player."""
        good, own = tiny("good"), ("--tick-rate", str(RATE), "--quiet", "--wait", "0")
        old = self.predecessor(sim=good, own=own)
        bots = self.start_join(old, "--bots", "1", "--json", sim=good)
        old.wait_line(r"^player_join ", old.log)
        first = self.successor(sim=tiny("other"), own=own)
        self.drain(old, first)
        self.drained("^$")
        self.assertHandover("done", "another build")
        first.wait_line(r"^takeover_done ", first.log)
        self.assertEqual(first.stop(), GOOD)
        self.assertIn("no server waits in", self.admin("drain", "--successor", first.host_port, code=REFUSED))
        second = self.successor(sim=good, own=own)
        self.assertIn("handing all matches over", self.drain(old, second, has_key=True))
        self.drained("handed over: 1$")
        second.wait_line(r"^player_kept ", second.log)
        self.assertEqual(old.wait(), GOOD)
        self.end_bots(bots)
        self.assertEqual(second.stop(), GOOD)

    def test_another_game_is_no_successor(self):
        """A server of another simulation is refused by name before anything changes, and waits on."""
        old = self.predecessor("--wait", "0")
        other = self.successor(sim=tiny("good"), own=("--quiet",))
        self.refused(old, other.host_port, "has the simulation 'tiny', this one 'skirmish': start the successor with a build "
                                           "of 'skirmish'", REFUSED)
        self.assertHandover("", "^$")
        self.assertFalse(json.loads(self.admin("server", "--json"))["draining"])
        self.assertNotIn("takeover_", other.text())
        self.assertEqual(other.stop(), GOOD)
        new = self.successor()
        self.assertIn("handing", self.drain(old, new))
        self.drained("handed over: 1$")
        self.assertEqual(old.wait(), GOOD)
        self.assertEqual(new.stop(), GOOD)

    def test_a_kept_match_outlives_the_crash_of_its_process(self):
        """The old process is killed while it plays its room to the end, and started again: the room goes on, although
        that of another build has a newer recording of the same name in the folder."""
        good, own = tiny("good"), ("--tick-rate", str(RATE), "--quiet", "--wait", "0")
        old = self.predecessor(sim=good, own=own)
        bots = self.start_join(old, "--bots", "1", sim=good)
        old.wait_line(r"^player_join ", old.log)
        time.sleep(1.1)  # headers have a resolution of one second
        new = self.successor(sim=tiny("other"), own=own)
        self.drain(old, new)
        self.drained("^$")
        old.wait_line(r"^handover_kept ", old.log)
        new.wait_line(r"^start tick=0 ", new.log)
        old.process.kill()
        old.wait()
        bots.kill()
        bots.communicate()
        again = Server(self.folder, "--resume", self.path("recordings"), *own, sim=good, is_recording=False)
        self.servers.append(again)
        again.wait_line(r"^restored ", again.log)
        self.assertIn("resumed 1 of 2 unfinished matches", again.lines)
        self.assertRegex(again.text(), r"(?m)^recording_not_resumed ")
        self.assertEqual(again.stop(), GOOD)
        self.assertEqual(new.stop(), GOOD)

    def test_who_comes_late_is_sent_on(self):
        """A player that the network has cut off during the move, and a newcomer that knows the old address only."""
        old = self.predecessor("--wait", "0", "--keep-seats", "60")
        bots = self.play(old, 1)
        asleep = self.start_join(old, "--bots", "1", "--json")
        old.wait_line(r"^player_join ", old.log, count=2)
        new = self.successor("--keep-seats", "60")
        asleep.send_signal(signal.SIGSTOP)
        self.drain(old, new)
        old.wait_line(r"^handed_over ", old.log)
        asleep.send_signal(signal.SIGCONT)
        newcomer = self.start_join(old, "--bots", "1", "--json")
        new.wait_line(r"^player_kept ", new.log, count=2)
        new.wait_line(r"^player_join ", new.log)
        self.assertEqual(old.wait(), GOOD)
        for one in (bots, asleep, newcomer):
            self.end_bots(one)
        self.assertEqual(new.stop(), GOOD)

    def refused(self, old, successor, says, code):
        """A drain that is refused: no tick is late, and the server lets players in."""
        line = self.admin("drain", "--successor", successor, code=code)
        self.assertIn(says, line)
        old.wait_line(rf'^admin .* action="drain --successor {re.escape(successor)}" ', old.log)
        self.assertNotIn("handover_begins", old.text())
        self.tick(old)
        joined = len([line for line in old.log if line.startswith("player_join ")])
        bots = self.start_join(old, "--bots", "1")
        old.wait_line(r"^player_join ", old.log, count=joined + 1)
        bots.terminate()
        self.end(bots, GOOD)

    def test_it_asks_before_it_stops_a_match(self):
        """No process waits, one of another folder, one with another key, another port, a closed port, no recording."""
        old = self.predecessor("--wait", "0")
        self.refused(old, "127.0.0.1:9", "no server waits in", REFUSED)
        self.refused(old, "127.0.0.1:0", "port", USAGE)
        self.refused(old, "224.0.0.1:9", "cannot reach", USAGE)
        elsewhere = self.successor(folder="elsewhere")
        self.refused(old, elsewhere.host_port, "no server waits in", REFUSED)
        self.assertEqual(elsewhere.stop(), GOOD)
        other = Server(self.folder, "--take-over", "--resume", self.path("recordings"), "--identity",
                       self.path("other"), *SERVE, is_recording=False)
        self.servers.append(other)
        self.refused(old, other.host_port, "has the key", REFUSED)
        self.refused(old, other.address, "another #KEY than this server", REFUSED)
        self.assertEqual(other.stop(), GOOD)
        new = self.successor()
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as silent:
            silent.bind(("127.0.0.1", 0))
            self.refused(old, f"127.0.0.1:{silent.getsockname()[1]}", "no server answers", MACHINE)
        self.assertEqual(self.command("serve", "--sim", "skirmish", "--take-over", code=USAGE)[0], "")
        self.refuse("serve", "--sim", "skirmish", "--port", "0", "--identity", self.path("identity"), "--take-over",
                    "--resume", self.path("recordings"), code=REFUSED, says=("another server waits already",))
        self.assertIn("handing", self.drain(old, new))
        self.assertEqual(old.wait(), GOOD)
        self.assertEqual(new.stop(), GOOD)

    def stand_in(self):
        """A socket in the place of that of a real successor, which is in `.real`. Returns the successor, the socket
        and the greeting."""
        new = self.successor()
        line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        line.connect(self.path("recordings", ".successor"))
        greeting = line.makefile().readline()
        line.close()
        shutil.move(self.path("recordings", ".successor"), self.path("recordings", ".real"))
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        listener.bind(self.path("recordings", ".successor"))
        listener.listen(1)
        self.addCleanup(listener.close)
        return new, listener, greeting

    def end_stand_in(self, listener):
        listener.close()
        shutil.move(self.path("recordings", ".real"), self.path("recordings", ".successor"))

    def ask_stand_in(self, new, listener, greeting):
        """Drains to the stand-in. Returns its connection, the stream of what it is told, and the recording to take."""
        asked = subprocess.Popen([BINARY, "admin", "drain", "--socket", self.path("s"), "--successor", new.host_port],
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        line, _ = listener.accept()
        line.settimeout(TIMEOUT_S)
        line.sendall(greeting.encode())
        self.addCleanup(lambda: asked.poll() is None and (asked.kill(), asked.communicate()))
        self.assertIn("handing", asked.stdout.readline())
        self.asked = asked
        stream = line.makefile()
        return line, stream, re.match(r"take (\S+\.lsr)\n", stream.readline()).group(1)

    def test_a_successor_that_fails_gives_the_match_back(self):
        """It dies, hangs, refuses, or says nonsense when it is asked to take the match. Each time the match goes
        on where it was, with its players, and a real successor gets it in the end."""
        old = self.predecessor("--wait", "2")
        bots = self.play(old, 2)
        new, listener, greeting = self.stand_in()
        for count, answer in enumerate((None, "failed {} the disk is full\n", "x" * 2000, "hang"), 1):
            line, stream, name = self.ask_stand_in(new, listener, greeting)
            if answer and answer != "hang":
                line.sendall(answer.format(name).encode())
            if answer != "hang":
                stream.close()
                line.close()
            old.wait_line(r"^handover_failed ", old.log, count=count)
            old.wait_line(r"^start tick=", old.log, count=1 + count)
            self.tick(old)
            if answer == "hang":
                stream.close()
                line.close()
        reasons = re.findall(r'handover_failed address=\S+ reason="(.*?)"', old.text())
        for reason, says in zip(reasons, ("has ended", "the disk is full", "has ended", "does not answer")):
            self.assertIn(says, reason)
        self.assertNotIn("moved ", old.text())
        self.end_stand_in(listener)
        self.assertIn("handing", self.drain(old, new))
        new.wait_line(r"^player_kept ", new.log, count=2)
        self.assertEqual(old.wait(), GOOD)
        self.tick(new)
        self.assertEqual(len(self.end_bots(bots)), 2)
        self.assertEqual(new.stop(), GOOD)
        self.verify_whole()

    def test_a_predecessor_that_dies_leaves_its_matches(self):
        """A predecessor that is killed while it hands over: what it has left is restored as after a crash."""
        old = self.predecessor("--rooms", "2", "--wait", "0")
        bots = self.play(old, 2, "--room", "1")
        new = self.successor("--rooms", "2")
        line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        line.connect(self.path("recordings", ".successor"))
        line.makefile().readline()
        old.process.kill()
        old.wait()
        line.sendall(b"take nothing.lsr\n")
        self.assertRegex(line.makefile().readline(), r"^failed nothing\.lsr ")
        line.sendall(b"take ../identity\n")
        self.assertRegex(line.makefile().readline(), r"^failed \.\./identity no name")
        line.sendall(b"take .\n")
        self.assertRegex(line.makefile().readline(), r"^failed \. ")
        line.close()
        new.wait_line(r"^restored ", new.log, count=2)
        new.wait_line(r'^takeover_done rooms=0 reason="the predecessor has ended before"', new.log)
        new.wait_line(r"^resumed 2 of 2 unfinished matches$", new.lines)
        bots.kill()
        bots.communicate()
        self.assertEqual(new.stop(), GOOD)

    def locked(self, name):
        """A lock on a recording, as the process has it that writes the file."""
        file = os.open(self.path("recordings", name), os.O_RDONLY)
        fcntl.flock(file, fcntl.LOCK_EX)
        return file

    @contextlib.contextmanager
    def stopped(self, server):
        """Stops the process meanwhile, so that it sees only what is then."""
        server.process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, server.process.pid, os.WSTOPPED)
        try:
            yield
        finally:
            server.process.send_signal(signal.SIGCONT)

    def test_a_slow_successor_is_waited_for(self):
        """It has opened the recording, and is silent for longer than the old server waits for a hanging one: the match
        stays where it is, with its players, until the successor dies or has it."""
        old = self.predecessor("--wait", "2")
        bots = self.play(old, 2)
        new, listener, greeting = self.stand_in()
        line, stream, name = self.ask_stand_in(new, listener, greeting)
        lock = self.locked(name)
        old.wait_line(r'^handover_waits .*"the successor still restores the match"', old.log)
        self.assertNotIn("handover_failed", old.text())
        with self.stopped(old):
            os.close(lock)
            stream.close()
            line.close()
        old.wait_line(r"^handover_failed .*has ended", old.log)
        old.wait_line(r"^start tick=", old.log, count=2)
        self.tick(old)
        line, stream, name = self.ask_stand_in(new, listener, greeting)
        lock = self.locked(name)
        old.wait_line(r'^handover_waits .*"the successor still restores the match"', old.log, count=2)
        real = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        real.connect(self.path("recordings", ".real"))
        answers = real.makefile()
        answers.readline()
        with self.stopped(old):
            os.close(lock)
            real.sendall(f"take {name}\n".encode())
            taken = answers.readline()
        line.sendall(taken.encode())
        self.assertEqual(stream.readline(), "done\n")
        real.sendall(b"done\n")
        for one in (stream, line, answers, real):
            one.close()
        new.wait_line(r"^player_kept ", new.log, count=2)
        self.assertEqual(old.wait(), GOOD)
        self.tick(new)
        self.assertEqual(len(self.end_bots(bots)), 2)
        self.assertEqual(new.stop(), GOOD)
        self.verify_whole()

    def test_a_successor_that_is_late_has_the_match(self):
        """It says that it has failed, and then that it has the match: `drain` goes on to the next room, and ends well."""
        old = self.predecessor("--rooms", "2", "--wait", "0")
        new, listener, greeting = self.stand_in()
        line, stream, name = self.ask_stand_in(new, listener, greeting)
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as real:
            real.connect(self.path("recordings", ".real"))
            answers = real.makefile()
            answers.readline()
            real.sendall(f"take {name}\n".encode())
            line.sendall(f"failed {name} not yet\n{answers.readline()}".encode())
            old.wait_line(r"^handover_late ", old.log)
            name = re.match(r"take (\S+\.lsr)\n", stream.readline()).group(1)
            time.sleep(0.5)  # `drain` asks five times in a second
            self.assertIsNone(self.asked.poll())
            real.sendall(f"take {name}\n".encode())
            line.sendall(answers.readline().encode())
            self.assertEqual(stream.readline(), "done\n")
            real.sendall(b"done\n")
            self.drained("handed over: 2$")
            for one in (stream, line, answers):
                one.close()
        self.assertEqual(old.wait(), GOOD)
        self.assertEqual(new.stop(), GOOD)

    def test_sigterm_ends_a_match_that_returns(self):
        """SIGTERM while the successor has been asked, which then dies: the match returns, and ends in order."""
        old = self.predecessor("--wait", "1")
        bots = self.play(old, 1)
        new, listener, greeting = self.stand_in()
        line, stream, _ = self.ask_stand_in(new, listener, greeting)
        old.process.send_signal(signal.SIGTERM)
        stream.close()
        line.close()
        old.wait_line(r"^handover_failed ", old.log)
        self.assertEqual(old.wait(), GOOD)
        bots.kill()
        bots.communicate()
        self.end_stand_in(listener)
        self.assertEqual(new.stop(), GOOD)
        self.verify_whole()

    def test_a_predecessor_that_dies_in_the_middle(self):
        """It is killed while the other process restores a match: that one has the match, and takes newcomers."""
        old = self.predecessor("--rooms", "2", "--wait", "0")
        bots = self.play(old, 2, "--room", "1")
        new = self.successor("--rooms", "2")
        line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        line.connect(self.path("recordings", ".successor"))
        stream = line.makefile()
        stream.readline()
        old.process.kill()
        old.wait()
        name = os.path.basename(sorted(glob.glob(self.path("recordings", "*.lsr")))[0])
        line.sendall(f"take {name}\n".encode())
        stream.close()
        line.close()
        new.wait_line(r"^restored ", new.log, count=2)
        new.wait_line(r'^takeover_done rooms=1 reason="the predecessor has ended before"', new.log)
        newcomer = self.start_join(new, "--bots", "1", "--room", "2")
        new.wait_line(r"^player_join ", new.log)
        for one in (bots, newcomer):
            one.kill()
            one.communicate()
        self.assertEqual(new.stop(), GOOD)

    def test_a_predecessor_may_ask_again(self):
        """It stops, or a process that is no server says nonsense: the successor waits on, and newcomers with it."""
        new = self.successor()
        for said in (b"stop\n", b"x" * 5000, b"\0\0\0\n\n", b"take\n", bytes(range(256)) * 8, b"", b"stop\nstop\n"):
            line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            line.settimeout(TIMEOUT_S)
            line.connect(self.path("recordings", ".successor"))
            self.assertTrue(line.recv(2000).startswith(b"successor "))
            try:
                line.sendall(said)
                line.shutdown(socket.SHUT_WR)
                self.assertEqual(line.recv(2000), b"")
            except (BrokenPipeError, ConnectionResetError):
                pass
            line.close()
        self.assertNotIn("takeover_done", new.text())
        line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        line.connect(self.path("recordings", ".successor"))
        line.sendall(b"done\n")
        new.wait_line(r"^takeover_done rooms=0 ", new.log)
        line.close()
        self.assertEqual(new.stop(), GOOD)

    def test_the_socket_replaces_no_file(self):
        """A file, a link to one and a link to nothing in the place of the socket stay; a dead socket is replaced."""
        place, kept = self.path("recordings", ".successor"), self.path("kept")
        os.makedirs(self.path("recordings"))
        with open(kept, "w", encoding="ascii") as file:
            file.write("dear")
        for make in (lambda: shutil.copy(kept, place), lambda: os.symlink(kept, place),
                     lambda: os.symlink(self.path("nowhere"), place)):
            make()
            self.refuse("serve", "--sim", "skirmish", "--port", "0", "--identity", self.path("identity"),
                        "--take-over", "--resume", self.path("recordings"), code=USAGE, says=("no socket",))
            self.assertTrue(os.path.lexists(place))
            os.remove(place)
        with open(kept, encoding="ascii") as file:
            self.assertEqual(file.read(), "dear")
        self.assertFalse(os.path.lexists(self.path("nowhere")))
        dead = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        dead.bind(place)
        dead.close()
        new = self.successor()
        self.assertEqual(os.stat(place).st_mode & 0o777, 0o600)
        self.assertEqual(new.stop(), GOOD)
        self.assertFalse(os.path.lexists(place))

    def test_a_client_from_before_is_told_the_address(self):
        """Beside one that follows, a build without the capability is let go, and refused with the address."""
        old = self.predecessor("--wait", "0")
        follows = self.play(old, 1)
        older = subprocess.Popen([os.environ["LOCKSTEP_OLDER"], "join", old.host_port, "--sim", "skirmish", "--bots", "1",
                                  "--known-servers", self.path("known-older")], cwd=self.folder, stdin=subprocess.DEVNULL,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        old.wait_line(r"^player_join ", old.log, count=2)
        new = self.successor()
        self.drain(old, new)
        _, err = self.end(older, REFUSED)
        self.assertIn(new.host_port, err)
        new.wait_line(r"^player_kept ", new.log)
        self.assertEqual(old.wait(), GOOD)
        self.tick(new)
        self.assertEqual(len(self.end_bots(follows)), 1)
        self.assertEqual(new.stop(), GOOD)

    @unittest.skipIf(is_sanitized(), "a sanitizer wants to be loaded first")
    def test_a_disk_that_fails_at_the_move_keeps_the_match(self):
        """The last write of the move fails: the match goes on here with its players, a next file records it, and it
        moves at the second attempt. Only ticks between the two files are lost, and only on the disk."""
        launcher = ("env", "LD_PRELOAD=" + os.path.join(TINY, "libfaulty_disk.so"),
                    f"FAULTY_DISK=fdatasync {errno.ENOSPC} 1 1 .lsr")
        old = Server(self.folder, "--admin", self.path("s"), "--wait", "2", "--sync-ticks", "0", *SERVE, launcher=launcher)
        self.servers.append(old)
        old.wait_line(r"^listening_admin ", old.log)
        bots = self.play(old, 2)
        new = self.successor()
        self.assertIn("handing", self.drain(old, new))
        old.wait_line(r'^recording_failed .*No space left', old.log)
        old.wait_line(r'^handover_failed .*the match goes on here', old.log)
        self.drained("the handover has failed after 0: .*the match goes on here", FAILED)
        new.wait_line(r"^takeover_stopped rooms=0 ", new.log)
        self.tick(old)
        self.assertEqual(len([line for line in old.log if line.startswith("leave ")]), 0)
        old.wait_line(r"^segment tick=", old.log)
        self.assertIn("handing", self.drain(old, new))
        new.wait_line(r"^player_kept ", new.log, count=2)
        self.assertEqual(old.wait(), MACHINE)  # a file of the recording is incomplete
        self.tick(new)
        self.assertEqual(len(self.end_bots(bots)), 2)
        self.assertEqual(new.stop(), GOOD)

    @unittest.skipUnless(can_mount(), "no rights to mount a tmpfs in a namespace (unshare -rm)")
    def test_a_full_disk_keeps_the_match_until_there_is_space(self):
        """A disk that is full when the server is drained: the match stays, and moves when a next file records it."""
        os.mkdir(self.path("disk"))
        holder = subprocess.Popen(["unshare", "-rm", "sh", "-c", "mount -t tmpfs -o size=512k none disk && mkdir disk/new "
                                   "&& echo ready && exec sleep 3600"], cwd=self.folder, stdout=subprocess.PIPE, text=True)
        self.addCleanup(lambda: (holder.kill(), holder.communicate()))
        self.assertEqual(holder.stdout.readline(), "ready\n")
        inside = ("nsenter", "-t", str(holder.pid), "-U", "-m", "--preserve-credentials")

        def run(command):
            subprocess.run([*inside, "sh", "-c", f"cd {self.folder} && {command}"], check=True, capture_output=True)
        old = Server(self.folder, "--admin", self.path("s"), "--wait", "2", "--record", self.path("disk", "new"),
                     "--keyframe-ticks", "0", *SERVE, is_recording=False, launcher=inside)
        self.servers.append(old)
        old.wait_line(r"^listening_admin ", old.log)
        bots = self.play(old, 2)
        new = Server(self.folder, "--take-over", "--resume", self.path("disk", "new"), "--admin", self.path("t"),
                     "--keyframe-ticks", "0", *SERVE, is_recording=False, launcher=inside)
        self.servers.append(new)
        run("head -c 1000000 /dev/zero >disk/ballast || true")
        old.wait_line(r"^recording_failed .*No space left", old.log)
        self.assertIn("handing", self.drain(old, new))
        old.wait_line(r"^handover_waits .*recording has failed", old.log)
        self.tick(old)
        self.assertIsNone(self.asked.poll())  # it tells why it waits, and goes on waiting
        run("rm disk/ballast")
        old.wait_line(r"^segment tick=", old.log)
        old.wait_line(r"^handed_over ", old.log)
        new.wait_line(r"^player_kept ", new.log, count=2)
        self.assertEqual(old.wait(), MACHINE)  # a file of the recording is incomplete
        self.tick(new)
        self.assertEqual(len(self.end_bots(bots)), 2)
        self.assertEqual(new.stop(), GOOD)
        run("cp disk/new/*.lsr .")
        first = min(glob.glob(self.path("*.lsr")), key=len)
        self.assertIn("closed (drained)", self.command("verify", first)[0])


main()
