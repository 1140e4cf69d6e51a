"""A disk on which every call is slow: rooms open, end and fail while another room plays on."""
import os
import re
import signal
import time
import unittest
import unittest.mock

from case import FAILED, GOOD, MACHINE, SHIM, TIMEOUT_S, Case, is_sanitized, main, tiny

SIM = tiny("tired")
SLOW_MS = 1200
# The maximum step time of the server on a busy machine: far less than one call of that disk.
STEP_MS = 600


@unittest.skipIf(is_sanitized("asan"), "this sanitizer wants to be the first that is loaded")
class SlowDisk(Case):
    def start_server(self, *options):
        self.switch = self.path("slow")
        self.slow_threads = []  # threads of all calls that slow_calls() returned
        with open(self.switch + ".noted", "wb"):
            pass
        with unittest.mock.patch.dict(os.environ, LD_PRELOAD=SHIM,
                                      SLOW_DISK=f"{SLOW_MS} recordings {self.switch}"):
            return self.serve("--rooms", "0", "--rooms-max", "4", "--end-when-empty", "--workers",
                              "2", "--tick-rate", "60", "--sync-ticks", "0", *options, sim=SIM)

    def be_slow(self):
        with open(self.switch, "wb"):
            pass

    def slow_calls(self):
        """Ends the slow phase; returns its slow calls."""
        calls = self.calls(self.switch)
        os.unlink(self.switch)
        self.slow_threads += [thread for _, thread, _ in calls]
        return [(call, os.path.basename(path)) for call, _, path in calls]

    @staticmethod
    def calls(name):
        """(call, thread, path) of each line in a log of the shim."""
        with open(name, encoding="utf-8") as file:
            return [line.split(" ", 2) for line in file.read().splitlines()]

    def wait_calls(self, pattern):
        """Waits until a slow call that matches the pattern has begun."""
        end = time.monotonic() + TIMEOUT_S
        while True:
            with open(self.switch, encoding="utf-8") as file:
                if re.search(pattern, file.read()):
                    return
            self.assertLess(time.monotonic(), end)
            time.sleep(0.05)

    def enter(self, server, room, *options):
        process = self.start_join(server, "--room", room, "--json", *options, sim=SIM)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def play_on(self, server):
        """Starts a room that plays before, during and after the slow phase."""
        player = self.enter(server, "steady", "--bots", "2")
        server.wait_line(r"^player_join .* room=steady", server.log, count=2)
        # Waits until its seats file is written too: otherwise other rooms would wait for that on the slow disk.
        end = time.monotonic() + TIMEOUT_S
        while not self.seats_are_written():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.05)
        self.waited_before_s = server.waited_s()
        return player

    def seats_are_written(self):
        """True if the seats file was renamed and its folder synced and closed, at least half a second ago."""
        calls = [(call, os.path.basename(path)) for call, _, path in self.calls(self.switch + ".noted")]
        quiet_s = time.time() - os.stat(self.switch + ".noted").st_mtime
        return quiet_s > 0.5 and calls[-1] == ("close", "recordings") and (
            "rename" in [call for call, _ in calls])

    def assert_in_time(self, server):
        """Asserts that neither the other room's ticks nor any step of the server was late. The network thread
        (the process's first) must not have called the disk. The time for which it, or the worker that it waits
        for, has waited for a processor does not count."""
        time.sleep(1.1)  # wait for the report of the last second
        slow = self.calls(self.switch) if os.path.exists(self.switch) else []
        self.assertNotIn(str(server.process.pid),
                         self.slow_threads + [thread for _, thread, _ in slow])
        waited_ms = int(1000 * (server.waited_s() - self.waited_before_s))
        steps = [float(ms) for line in server.lines
                 for ms in re.findall(r"longest step ([\d.]+) ms ", line)]
        self.assertTrue(steps)
        self.assertLess(max(steps), STEP_MS + waited_ms, server.text())
        skipped = [int(re.search(r"periods=(\d+)", line).group(1)) for line in server.log
                   if line.startswith("schedule_skipped") and "room=steady" in line]
        self.assertLess(max(skipped, default=0), 60 * (STEP_MS + waited_ms) // 1000, server.text())

    def test_attack_43_a_slow_disk_when_a_room_opens(self):
        """Only the client that opens the room waits."""
        server = self.start_server()
        self.play_on(server)
        self.be_slow()
        begin = time.monotonic()
        other = self.enter(server, "late", "--ticks", "30")
        server.wait_line(r"^player_join .*room=late", server.log)
        self.assertGreater(time.monotonic() - begin, SLOW_MS / 1000)
        self.assert_in_time(server)
        self.assertIn("open", [call for call, _ in self.slow_calls()])
        self.end(other, GOOD)
        self.assertEqual(server.stop(), GOOD)

    def test_rooms_end_beside_each_other(self):
        """A server that is told to stop closes the recordings of its rooms by several threads: on a slow disk many
        matches end nearly as soon as one."""
        server = self.start_server()
        for room in ("a", "b", "c", "d"):
            self.enter(server, room, "--bots", "1")
        server.wait_line(r"^player_join ", server.log, count=4)
        self.be_slow()
        self.assertEqual(server.stop(), GOOD)
        closing = [thread for call, thread, path in self.calls(self.switch) if call == "close" and path.endswith(".lsr")]
        self.assertEqual(len(closing), 4)
        self.assertGreater(len(set(closing)), 1)

    def test_attack_43_a_slow_disk_when_a_room_ends(self):
        """The room's files are closed, then its seats file is removed; a server that is told to stop waits for
        both."""
        server = self.start_server()
        self.play_on(server)
        other = self.enter(server, "brief", "--ticks", "60")
        server.wait_line(r"^player_join .*room=brief", server.log)
        self.be_slow()
        self.end(other, GOOD)
        server.wait_line(r"^ended .* room=brief$", server.lines)
        self.wait_calls(r"unlink .*\.seats")
        self.assert_in_time(server)
        self.assertEqual(server.stop(), GOOD)
        calls = self.slow_calls()
        closed = [index for index, (call, name) in enumerate(calls) if call == "close"]
        gone = [index for index, (call, name) in enumerate(calls) if call == "unlink"]
        self.assertLess(closed[0], gone[0], calls)
        names = os.listdir(self.path("recordings"))
        self.assertEqual([os.path.splitext(name)[1] for name in names], [".lsr"] * 2, names)
        for name in names:
            out, _ = self.command("verify", self.path("recordings", name), "--sim", SIM)
            self.assertNotIn("torn", out)

    def test_attack_43_killed_while_a_room_ends_on_a_slow_disk(self):
        """The seats file still exists, but the match is over, so it is not resumed."""
        server = self.start_server()
        self.play_on(server)
        other = self.enter(server, "brief", "--ticks", "60")
        server.wait_line(r"^player_join .*room=brief", server.log)
        self.be_slow()
        self.end(other, GOOD)
        self.wait_calls(r"unlink .*\.seats")
        server.process.kill()
        self.assertEqual(server.wait(), -signal.SIGKILL)
        os.unlink(self.switch)
        self.assertEqual(len([name for name in os.listdir(self.path("recordings"))
                              if name.endswith(".seats")]), 2)
        again = self.serve("--resume", self.path("recordings"), "--rooms", "0", "--rooms-max", "4",
                           "--tick-rate", "60", sim=SIM)
        again.wait_line(r"^resumed 1 of 1 unfinished matches$", again.lines)
        again.wait_line(r"^restored .* room=steady ", again.log)
        self.assertEqual(again.stop(), GOOD)

    def test_attack_43_a_slow_disk_when_a_room_fails(self):
        """The failed room's world is written while the other room plays; its clients have already been told the
        reason."""
        with open(self.path("script"), "w", encoding="ascii") as file:
            file.write("40 0d\n")
        server = self.start_server()
        self.play_on(server)
        failing = self.enter(server, "weary", "--input", "script:" + self.path("script"))
        server.wait_line(r"^player_join .*room=weary", server.log)
        self.be_slow()
        out, err = failing.communicate(timeout=TIMEOUT_S)
        self.assertIn("restless", out + err)
        folder = server.wait_line(r'^failure_report folder="([^"]+)"', server.log).group(1)
        self.assertIn("mkdir", [call for call, _ in self.slow_calls()])
        self.assertEqual(sorted(os.listdir(self.path(folder))), ["reason.txt", "world.snapshot"])
        self.assert_in_time(server)
        self.assertEqual(server.stop(), FAILED)

    def test_a_folder_that_is_gone_refuses_its_rooms_alone(self):
        """A match that cannot be recorded does not start; the client is told the reason."""
        server = self.start_server()
        self.play_on(server)
        os.rename(self.path("recordings"), self.path("elsewhere"))
        out, err = self.enter(server, "late").communicate(timeout=TIMEOUT_S)
        self.assertIn("No such file or directory", out + err)
        failed = server.wait_line(r"^room_failed .* room=late ", server.log).string
        self.assertIn("recordings", failed)
        os.rename(self.path("elsewhere"), self.path("recordings"))
        self.end(self.enter(server, "later", "--ticks", "20"), GOOD)
        self.assert_in_time(server)
        self.assertEqual(server.stop(), MACHINE)
        self.assertIn("is incomplete or missing", server.text())
        self.assertFalse([name for name in os.listdir(self.path("recordings"))
                          if not name.endswith(".lsr")])
        self.assertFalse([line for line in server.log if line.startswith("failure_report")], server.text())


if __name__ == "__main__":
    main()
