#!/usr/bin/env python3
"""Simulations that hang or crash, and readers that do not read: how the server handles them with one or several
rooms, in play, at its end and when it resumes."""
import fcntl
import json
import os
import re
import signal
import socket
import subprocess
import time
import unittest

from case import BINARY, FAILED, GOOD, HUNG, TIMEOUT_S, Case, Server, main, tiny

STUCK, FATAL = tiny("stuck"), tiny("fatal")
F_SETPIPE_SZ = 1031
STOP_S = 120  # the limit of 9 s, plus the time that a busy machine needs


class Stuck(Case):
    def setUp(self):
        super().setUp()
        # A process that begins to hang creates this file, with its process id as the ending.
        os.environ["TINY_HANGS"] = self.path("hangs")

    def wait_hang(self, process):
        """Waits until the process simulates the tick that hangs."""
        self.wait_until(lambda: os.path.exists(self.path(f"hangs.{process.pid}")), lambda: process.args)

    @staticmethod
    def waits(process, number):
        """Whether this signal of the process still waits for a thread that handles it."""
        with open(f"/proc/{process.pid}/status", encoding="ascii") as file:
            masks = re.findall(r"^(?:Sig|Shd)Pnd:\t([0-9a-f]+)$", file.read(), re.MULTILINE)
        return any(int(mask, 16) >> (number - 1) & 1 for mask in masks)

    def enter(self, server, room, *options, sim=STUCK):
        return self.start_join(server, *(("--room", room) if room else ()), *options, sim=sim)

    def hang(self, server, room, tick=40, sim=STUCK):
        """Starts a player with an order on which every tick hangs."""
        with open(self.path("script"), "w", encoding="ascii") as file:
            file.write(f"{tick} 0d\n")
        player = self.enter(server, room, "--input", "script:" + self.path("script"), "--name",
                            "bad", sim=sim)
        self.addCleanup(player.communicate)
        self.addCleanup(player.kill)
        server.wait_line(r"^player_join .*" + (f"room={room}" if room else ""), server.log)
        return player

    def assert_played(self, process):
        """Asserts that all bots of the process reached the match's end without a desync."""
        out, _ = self.end(process, GOOD)
        ends = [json.loads(line) for line in out.splitlines() if '"end"' in line]
        self.assertEqual([end["state"] for end in ends], ["ended"] * len(ends))
        self.assertTrue(ends)

    def stop_in_time(self, server, code=GOOD):
        begin = time.monotonic()
        server.process.terminate()
        self.assertEqual(server.wait(), code, server.text())
        self.assertLess(time.monotonic() - begin, STOP_S)

    def healthcheck(self, server):
        """"" if the health check passes, otherwise its message. It waits for two seconds, which a busy machine may
        exceed."""
        for _ in range(10):
            says = self.healthcheck_once(server)
            if "no server answers" not in says:
                break
        return says

    def healthcheck_once(self, server):
        done = subprocess.run([BINARY, "serve", "--healthcheck", "--port", str(server.port)],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode != 0, done.stderr != "", done.stderr)
        return done.stderr

    def recordings(self, ending=".lsr"):
        return sorted(name for name in os.listdir(self.path("recordings"))
                      if name.endswith(ending))

    def test_attack_54_ticks_that_hang_end_their_rooms_alone(self):
        """Two of three rooms hang at once, with one worker: the third is unaffected. Each hung room leaves its
        reason and its recording."""
        server = self.serve("--rooms", "3", "--workers", "1", "--tick-rate", "60", sim=STUCK)
        other = self.enter(server, "3", "--bots", "2", "--json")
        server.wait_line(r"^player_join .*room=3", server.log)
        for room in ("1", "2"):
            self.hang(server, room)
        waited_s = server.waited_s()
        for room in ("1", "2"):
            failed = server.wait_line(rf"^room_failed .* room={room} ", server.log).string
            self.assertRegex(failed, r"simulated=\d+ reason=\"the simulation is \d+ ticks behind")
            server.wait_line(rf"^world_abandoned .*thread=lost room={room} ", server.log)
            server.wait_line(rf"^ended .* room={room}$", server.lines)
        self.assertEqual(self.healthcheck(server), "")
        other.terminate()
        self.assert_played(other)
        # A hung thread is replaced after half a second. What other processes took from the server does not count.
        skipped = [int(re.search(r"periods=(\d+)", line).group(1)) for line in server.log
                   if line.startswith("schedule_skipped") and "room=3" in line]
        self.assertLess(max(skipped, default=0), 60 * (2 + server.waited_s() - waited_s), server.text())
        reports = self.recordings(".failed")
        self.assertEqual(len(reports), 2)
        for report in reports:
            names = os.listdir(self.path("recordings", report))
            self.assertEqual(names, ["reason.txt"])
            with open(self.path("recordings", report, "reason.txt"), encoding="utf-8") as file:
                self.assertIn("did not return from the tick", file.read())
        self.stop_in_time(server, FAILED)

    def test_attack_54_a_room_that_hangs_is_replaced(self):
        """Opens the same room again after each hang."""
        server = self.serve("--rooms", "0", "--rooms-max", "2", "--tick-rate", "240", sim=STUCK)
        for i in range(2):
            self.hang(server, "red")
            while sum(line.startswith("ended ") for line in server.lines) <= i:
                time.sleep(0.05)
                self.assertIsNone(server.process.poll(), server.text())
        self.join(server, "--room", "red", "--ticks", "60", sim=STUCK)
        self.stop_in_time(server, FAILED)

    def test_attack_48_a_tick_that_hangs_does_not_keep_the_server(self):
        server = self.serve("--rooms", "2", "--tick-rate", "30", sim=STUCK)
        other = self.enter(server, "2", "--bots", "2", "--json")
        server.wait_line(r"^player_join .*room=2", server.log)
        self.hang(server, "1", 20)
        self.wait_hang(server.process)
        self.stop_in_time(server, FAILED)
        self.assert_played(other)
        self.assertRegex(server.text(), r"room_failed .*does not end.* room=1 ")
        self.assertRegex(server.text(), r"(?m)^ended .* room=2$")

    def test_attack_48_the_only_room_hangs(self):
        """With one room, ticks may run on the network thread; then the time limit ends the process."""
        server = self.serve("--tick-rate", "30", sim=STUCK)
        self.hang(server, "", 30)
        self.wait_hang(server.process)
        server.process.terminate()
        begin = time.monotonic()
        code = server.wait()
        self.assertLess(time.monotonic() - begin, STOP_S)
        self.assertIn(code, (FAILED, HUNG), server.text())
        if code == HUNG:
            self.assertIn("hung while it stopped", server.text())
        self.command("replay", "info", self.recording())

    def hung_player(self):
        """Starts a player with a hanging simulation and sends it one SIGTERM."""
        server = self.serve("--tick-rate", "60", sim=STUCK)
        player = self.hang(server, "")
        self.wait_hang(player)
        self.assertIsNone(player.poll())
        player.terminate()
        return player

    def test_a_player_that_hangs_ends_on_the_second_signal(self):
        player = self.hung_player()
        # Signals that wait for a busy machine become one.
        self.wait_until(lambda: not self.waits(player, signal.SIGTERM), lambda: "SIGTERM is not handled")
        self.assertIsNone(player.poll())
        player.terminate()
        # The code tells that it did not wait for its limit.
        self.assertEqual(player.wait(TIMEOUT_S), 128 + signal.SIGTERM)

    def test_a_player_that_hangs_ends_in_time(self):
        player = self.hung_player()
        begin = time.monotonic()
        self.assertEqual(player.wait(TIMEOUT_S), HUNG)
        self.assertLess(time.monotonic() - begin, STOP_S)
        self.assertIn("lockstep join: hung while it stopped", player.stderr.read())

    def test_healthcheck_sees_that_no_match_goes_on(self):
        server = self.serve("--rooms", "2", "--tick-rate", "200", sim=STUCK)
        self.assertEqual(self.healthcheck(server), "")
        for room in ("1", "2"):
            self.hang(server, room)
        end = time.monotonic() + TIMEOUT_S
        while (said := self.healthcheck(server)) == "":
            self.assertLess(time.monotonic(), end, server.text())
            self.assertIsNone(server.process.poll(), server.text())
            time.sleep(0.1)
        self.assertIn("all its matches are stalled", said)
        server.process.kill()
        server.wait()

    def resume(self, *options, sim):
        server = Server(self.folder, "--resume", self.path("recordings"), "--rooms", "2", *options,
                        sim=sim)
        self.servers.append(server)
        return server

    def test_attack_47_a_recording_that_kills_is_set_aside(self):
        """The server crashes on an order, and again on its recording; then it resumes only the other match,
        with its players."""
        server = self.serve("--rooms", "2", "--tick-rate", "60", "--workers", "2", sim=FATAL)
        self.wait_seats(server, 2)
        self.join(server, "--room", "2", "--ticks", "60", sim=FATAL)
        self.hang(server, "1", sim=FATAL)
        self.assertLess(server.wait(), 0)
        options = ("serve", "--sim", FATAL, "--bind", "127.0.0.1", "--port", "0", "--rooms", "2",
                   "--identity", self.path("identity"), "--resume", self.path("recordings"))
        died = subprocess.run([BINARY, *options], cwd=self.folder, capture_output=True, timeout=TIMEOUT_S,
                              check=False)
        self.assertLess(died.returncode, 0, died.stderr)
        self.assertTrue(self.recordings(".restoring"))
        # Pretends that both rooms were being restored during the crash: the server must find out which one is
        # innocent.
        for name in self.recordings():
            with open(self.path("recordings", name[:-4] + ".restoring"), "wb"):
                pass
        again = self.resume("--tick-rate", "60", sim=FATAL)
        aside = again.wait_line(r'^recording_quarantined recording="(\S+)" reason="killed by signal',
                                again.log)
        again.wait_line(r"^restored .* room=2 ", again.log)
        self.assertEqual([self.path("recordings", name) for name in self.recordings(".quarantined")],
                         [aside.group(1) + ".quarantined"])
        self.assertEqual(self.recordings(".restoring"), [])
        self.join(again, "--room", "1", "--ticks", "30", sim=FATAL)
        self.join(again, "--room", "2", "--ticks", "30", sim=FATAL)
        self.stop_in_time(again)

    def test_attack_47_a_recording_that_hangs_is_set_aside(self):
        server = self.serve("--rooms", "2", "--tick-rate", "60", sim=STUCK)
        self.wait_seats(server, 2)
        self.join(server, "--room", "2", "--ticks", "60", sim=STUCK)
        self.hang(server, "1")
        self.wait_recorded(server, "0d")
        server.process.kill()
        server.wait()
        again = self.resume("--tick-rate", "60", sim=STUCK)
        again.wait_line(r"^restored .* room=2 ", again.log)
        self.join(again, "--room", "2", "--ticks", "30", sim=STUCK)
        again.wait_line(r"  rooms 2 \(1 restoring\)  ", again.lines)
        # Told to stop during the restore, the server stops; the match can still be resumed.
        self.stop_in_time(again)
        self.assertEqual(self.recordings(".quarantined"), [])
        again = self.resume("--tick-rate", "60", sim=STUCK)
        again.wait_line(r'^recording_quarantined .* reason="tick \d+ of its recording', again.log)
        self.assertEqual(len(self.recordings(".quarantined")), 1)
        self.assertEqual(self.recordings(".restoring"), [])
        self.stop_in_time(again)

    def test_a_restore_tells_how_far_it_is(self):
        server = self.serve("--tick-rate", "60", sim=STUCK)
        self.hang(server, "")
        self.wait_recorded(server, "0d")
        server.process.kill()
        server.wait()
        again = self.serve("--resume", self.path("recordings"), "--tick-rate", "60", sim=STUCK)
        said = again.wait_line(r"  restoring the match: tick ([1-9]\d*) of (\d+)$", again.lines)
        self.assertLess(int(said.group(1)), int(said.group(2)))
        self.stop_in_time(again)

    def full_pipe(self):
        reader, writer = os.pipe()
        fcntl.fcntl(writer, F_SETPIPE_SZ, 4096)
        os.write(writer, b"-" * 4095 + b"\n")
        self.addCleanup(os.close, reader)
        return reader, writer

    def test_attack_44_the_output_is_never_read(self):
        """stdout and stderr are full from the start: the match continues, and the server can stop."""
        (out, out_end), (err, err_end) = self.full_pipe(), self.full_pipe()
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        server = subprocess.Popen(
            [BINARY, "serve", "--sim", "skirmish", "--bind", "127.0.0.1", "--port", str(port),
             "--identity", self.path("identity"), "--tick-rate", "60"],
            cwd=self.folder, stdout=out_end, stderr=err_end)
        self.addCleanup(server.wait)
        self.addCleanup(server.kill)
        os.close(out_end)
        os.close(err_end)
        self.command("join", f"127.0.0.1:{port}", "--sim", "skirmish", "--bots", "2", "--ticks",
                     "240", "--known-servers", self.path("known"))
        begin = time.monotonic()
        server.terminate()
        self.assertEqual(server.wait(TIMEOUT_S), GOOD)
        self.assertLess(time.monotonic() - begin, STOP_S)

    def test_output_is_all_there_when_it_is_read(self):
        """Output is complete and in order."""
        server = self.serve("--wait", "0", "--ticks", "60", "--tick-rate", "60")
        self.assertEqual(server.wait(), GOOD)
        self.assertRegex("\n".join(server.lines),
                         r"(?s)\Alistening \S+\n.*ended tick=60 .*\nrecorded \S+ bytes=\d+\Z")
        self.assertRegex(server.log[-1], r"^end tick=60 ")
        self.assertFalse(re.search("lines_dropped", server.text()))


if __name__ == "__main__":
    unittest.TestCase.maxDiff = None
    main()
