"""`admin drain --successor` and `serve --take-over`: matches go on in another process, with the players inside."""
import glob
import json
import os
import re
import shutil
import signal
import socket
import subprocess

from case import BINARY, GOOD, REFUSED, MACHINE, TIMEOUT_S, USAGE, Case, Server, is_sanitized, main, tiny

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

    def drain(self, server, successor):
        return self.admin("drain", "--successor", successor.host_port)

    def end_bots(self, bots):
        """Stops bots that play. Returns their last lines: each has played on without a desync."""
        self.wait_until(lambda: bots.poll() is None, lambda: "the bots have ended")
        bots.terminate()
        out, _ = self.end(bots, GOOD)
        ends = [json.loads(line) for line in out.splitlines() if '"event": "end"' in line]
        for one in ends:
            self.assertFalse(one["diverged"])
        return ends

    def verify_whole(self, count=1, ticks_min=1):
        """Each recording is one closed and signed file, without an epoch: every tick is in it."""
        paths = sorted(glob.glob(self.path("recordings", "*.lsr")))
        self.assertEqual(len(paths), count)
        for path in paths:
            out, _ = self.command("verify", "--require-signed", path)
            self.assertRegex(out, r"closed \(drained\)")
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
        self.assertIn("handing all matches over", self.drain(old, new))
        tick = int(old.wait_line(r"^handed_over tick=(\d+) ", old.log).group(1))
        new.wait_line(r"^player_kept ", new.log, count=4)
        at, players = map(int, new.wait_line(r"^start tick=(\d+) players=(\d+)", new.log).groups())
        self.assertEqual((at, players), (tick, 4))
        self.assertEqual(old.wait(), GOOD)
        self.assertEqual([line for line in old.lines if line.startswith(("ended", "recorded"))], [])
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
        self.assertEqual(new.stop(), GOOD)
        self.verify_whole(count=3)

    def test_another_build_of_the_simulation_gets_new_rooms_only(self):
        """Matches end in their build; newcomers are told where new ones are, and who has a seat may return."""
        good, own = tiny("good"), ("--tick-rate", str(RATE), "--quiet", "--wait", "0")
        old = self.predecessor(sim=good, own=own)
        state = self.path("state")
        player = self.start_join(old, "--bots", "1", "--state", state, sim=good)
        stays = self.start_join(old, "--bots", "1", sim=good)
        old.wait_line(r"^player_join ", old.log, count=2)
        new = self.successor(sim=tiny("other"), own=own)
        self.assertIn("playing all matches to their ends", self.drain(old, new))
        old.wait_line(r"^handover_kept .*another build", old.log)
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
        self.refused(old, "127.0.0.1:9", "no server waits in", USAGE)
        self.refused(old, "127.0.0.1:0", "port", USAGE)
        self.refused(old, "224.0.0.1:9", "cannot reach", USAGE)
        elsewhere = self.successor(folder="elsewhere")
        self.refused(old, elsewhere.host_port, "no server waits in", USAGE)
        elsewhere.stop()
        other = Server(self.folder, "--take-over", "--resume", self.path("recordings"), "--identity",
                       self.path("other"), *SERVE, is_recording=False)
        self.servers.append(other)
        self.refused(old, other.host_port, "has the key", REFUSED)
        other.stop()
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

    def fake(self, answer):
        """A process in the place of a successor: it greets as one does, and then answers each `take` with
        `answer(stream, name)`. Returns its socket and what it was asked."""
        new = self.successor()
        line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        line.connect(self.path("recordings", ".successor"))
        greeting = line.makefile().readline()
        line.close()
        return new, greeting

    def test_a_successor_that_fails_gives_the_match_back(self):
        """It dies, hangs, refuses, or says nonsense when it is asked to take the match. Each time the match goes
        on where it was, with its players, and a real successor gets it in the end."""
        old = self.predecessor("--wait", "2")
        bots = self.play(old, 2)
        new, greeting = self.fake(None)
        shutil.move(self.path("recordings", ".successor"), self.path("recordings", ".real"))
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        listener.bind(self.path("recordings", ".successor"))
        listener.listen(1)
        for count, answer in enumerate((None, "failed {} the disk is full\n", "x" * 2000, "hang"), 1):
            asked = subprocess.Popen([BINARY, "admin", "drain", "--socket", self.path("s"), "--successor",
                                      new.host_port], stdout=subprocess.PIPE, text=True)
            line, _ = listener.accept()
            line.settimeout(TIMEOUT_S)
            stream = line.makefile()
            line.sendall(greeting.encode())
            self.assertIn("handing", asked.communicate(timeout=TIMEOUT_S)[0])
            name = re.match(r"take (\S+\.lsr)\n", stream.readline()).group(1)
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
        listener.close()
        shutil.move(self.path("recordings", ".real"), self.path("recordings", ".successor"))
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
        line.close()
        new.wait_line(r"^restored ", new.log, count=2)
        new.wait_line(r'^takeover_done rooms=0 reason="the predecessor has ended before"', new.log)
        self.assertIn("resumed 2 of 2 unfinished matches", new.lines)
        bots.kill()
        bots.communicate()
        self.assertEqual(new.stop(), GOOD)

main()
