#!/usr/bin/env python3
"""Many matches in one process: rooms by number and by name, a room that fails, and resuming all after a crash."""
import json
import os
import re
import shutil
import signal
import subprocess
import time

from case import FAILED, GOOD, MACHINE, REFUSED, TIMEOUT_S, TINY, Case, Server, is_sanitized, main, tiny

SIM = tiny("good")
MANY = 200
RESTORE_CPU_S = 30  # of a slow machine; docs/operations.md has the times of a quiet one
# Ten minutes at 20 Hz. LOCKSTEP_ROOMS gives the number of rooms, the simulation, and the ticks between
# keyframes.
LONG_TICKS = 12000
LONG_ROOMS, LONG_SIM, LONG_KEYFRAMES = os.environ.get(
    "LOCKSTEP_ROOMS", f"{10 if is_sanitized() else 40} {SIM} 450").split()
CLIENTS_WAIT_S = 60



class Rooms(Case):
    def enter(self, server, room, *options, sim=SIM):
        return self.start_join(server, *(("--room", room) if room else ()), *options, sim=sim)

    def room_of_entries(self, server):
        return [(re.search(r'name="([^"]*)"', line).group(1),
                 re.search(r'room="?([^" ]+)', line).group(1))
                for line in server.log if line.startswith("enter ")]

    def test_rooms_by_number(self):
        server = self.serve("--rooms", "3", "--workers", "2", "--tick-rate", "60", "--players",
                            "2", sim=SIM)
        joins = [self.enter(server, room, "--bots", "2", "--name", f"of{room}", "--json") for room in ("1", "3")]
        # Clients that name no room get a free seat; rooms 1 and 3 are full.
        for name in ("of1-1", "of1-2", "of3-1", "of3-2"):
            server.wait_line(f"^enter .*{name}", server.log)
        self.end(self.enter(server, "", "--name", "free", "--ticks", "30"), GOOD)
        for join in joins:
            join.terminate()
            out, _ = self.end(join, GOOD)
            ends = [json.loads(line) for line in out.splitlines() if '"end"' in line]
            self.assertEqual([end["state"] for end in ends], ["ended"] * 2)
        self.assertEqual(sorted(self.room_of_entries(server)),
                         [("free", "2"), ("of1-1", "1"), ("of1-2", "1"), ("of3-1", "3"),
                          ("of3-2", "3")])
        # No room has that name, and clients may not open one.
        _, err = self.end(self.enter(server, "4"), REFUSED)
        self.assertIn("there is no room '4' here: 3 rooms are open, and clients cannot open one", err)
        self.assertEqual(server.stop(), GOOD)
        ended = [line for line in server.lines if line.startswith("ended ")]
        self.assertEqual(sorted(line.split("room=")[1] for line in ended), ["1", "2", "3"])
        recordings = [name for name in os.listdir(self.path("recordings"))
                      if name.endswith(".lsr")]
        self.assertEqual(len(recordings), 3)
        for name in recordings:
            self.verified_ticks(self.path("recordings", name), "--sim", SIM)

    def test_rooms_by_name_end_one_by_one(self):
        server = self.serve("--rooms", "0", "--rooms-max", "2", "--end-when-empty", "--tick-rate",
                            "60", sim=SIM)
        red = self.enter(server, "red")
        server.wait_line(r'^enter .*room="?red', server.log)
        blue = self.enter(server, "blue", "--ticks", "40")
        self.end(blue, GOOD)
        server.wait_line(r"^ended .* room=blue$", server.lines)
        # The room is closed, so a new match can use its name.
        again = self.enter(server, "blue", "--ticks", "30")
        self.end(again, GOOD)
        red.terminate()
        self.end(red, GOOD)
        server.wait_line(r"^ended .* room=red$", server.lines)
        self.assertEqual(server.stop(), GOOD)
        self.assertEqual(sum("room=blue" in line for line in server.lines), 2, server.text())

    def test_a_room_that_fails_is_closed_and_the_other_goes_on(self):
        sim = tiny("tired")
        with open(self.path("script"), "w", encoding="ascii") as file:
            file.write("40 0d\n")
        server = self.serve("--rooms", "2", "--workers", "2", "--tick-rate", "60", sim=sim)
        other = self.enter(server, "2", "--bots", "2", "--ticks", "240", "--json", sim=sim)
        failing = self.enter(server, "1", "--input", "script:" + self.path("script"), sim=sim)
        failed = server.wait_line(r"^advance_failed .*", server.log).string
        tick = re.search(r"tick=(\d+)", failed).group(1)
        self.assertGreater(int(tick), 40)
        self.assertIn("restless", failed)
        _, err = self.end(failing, FAILED)
        self.assertIn("restless", err)
        server.wait_line(r"^ended tick=\d+ .* room=1$", server.lines)
        line = server.wait_line(r'^failure_report folder="([^"]+)"', server.log)
        report = os.path.join(self.folder, line.group(1))
        with open(os.path.join(report, "reason.txt"), encoding="utf-8") as file:
            reason = file.read()
        self.assertIn("restless", reason)
        self.assertRegex(reason, r"(?m)^room +1$")
        self.assertRegex(reason, rf"(?m)^tick +\d+ closed, {tick} simulated$")
        self.assertGreater(os.path.getsize(os.path.join(report, "world.snapshot")), 20)
        # Verifying the recording fails in the same way.
        recording = re.search(r"(?m)^recording +(\S+)$", reason).group(1)
        verify = self.start("verify", recording, "--sim", sim)
        out, err = verify.communicate(timeout=TIMEOUT_S)
        self.assertIn("restless", out + err)
        out, _ = self.end(other, GOOD)
        self.assertEqual([json.loads(line)["state"] for line in out.splitlines()
                          if '"end"' in line], ["ended"] * 2)
        self.assertEqual(server.stop(), FAILED)
        self.assertIn("lockstep serve: 1 match could not continue", server.log[-1])
        self.assertEqual(len([name for name in os.listdir(self.path("recordings"))
                              if name.endswith(".failed")]), 1)

    def test_rooms_that_fail_without_a_recording_leave_a_report_each(self):
        """Reports have unique names, even with those of an earlier server."""
        sim = tiny("tired")
        with open(self.path("script"), "w", encoding="ascii") as file:
            file.write("20 0d\n")
        for count in (2, 4):
            server = Server(self.folder, "--rooms", "2", "--tick-rate", "60", "--seed", "7",
                            sim=sim, is_recording=False)
            self.servers.append(server)
            players = [self.enter(server, room, "--input", "script:" + self.path("script"), sim=sim)
                       for room in ("1", "2")]
            for player in players:
                player.communicate(timeout=TIMEOUT_S)
            # Both rooms have ended, so the server stops by itself.
            self.assertEqual(server.wait(), FAILED, server.text())
            self.assertIn("lockstep serve: 2 matches could not continue", server.log[-1])
            self.assertFalse(re.search("failure_report_failed", server.text()))
            folders = [name for name in os.listdir(self.folder) if name.endswith(".failed")]
            self.assertEqual(len(folders), count, folders)
        for folder in folders:
            self.assertRegex(folder, r"^tiny-\d{8}-\d{6}-[78](-2)?\.failed$")
            self.assertEqual(sorted(os.listdir(self.path(folder))),
                             ["reason.txt", "world.snapshot"])
            with open(self.path(folder, "reason.txt"), encoding="utf-8") as file:
                self.assertRegex(file.read(), r"(?m)^recording +none$")

    def test_many_rooms_are_back_soon_after_a_crash(self):
        options = ("--rooms", str(MANY), "--workers", "2", "--wait", "0", "--tick-rate", "60",
                   "--quiet")
        server = self.serve(*options, sim=SIM)
        players = [self.enter(server, room, "--quiet", "--state", self.path("seat" + room))
                   for room in ("1", "77", "200")]
        server.wait_line(r"^enter ", server.log, count=len(players))
        self.wait_seats(server, MANY)
        time.sleep(3)  # every room has played
        server.process.kill()
        self.assertEqual(server.wait(), -signal.SIGKILL)
        begin = time.monotonic()
        after = self.serve(*options, "--resume", self.path("recordings"), "--port",
                           str(server.port), sim=SIM)
        self.wait_until(lambda: sum(line.startswith("restored ") for line in after.log) >= MANY,
                        lambda: after.text()[-2000:])
        took = time.monotonic() - begin
        print(f"{MANY} rooms restored in {took:.2f} s, {after.cpu_s():.2f} s of processors")
        self.assertLess(after.cpu_s(), RESTORE_CPU_S)
        self.assertIn(f"resumed {MANY} of {MANY} unfinished matches", after.lines)
        self.assertFalse(any(line.startswith("restore_failed") for line in after.log))
        # Every client returns by itself to its room and seat.
        for room in ("1", "77", "200"):
            after.wait_line(rf'^enter .*room="?{room}\b', after.log)
        time.sleep(1)
        for player in players:
            player.terminate()
            self.end(player, GOOD)
        self.assertEqual(after.stop(), GOOD)
        names = [name for name in os.listdir(self.path("recordings")) if name.endswith(".lsr")]
        self.assertEqual(len(names), MANY)
        for line in after.lines:
            if line.startswith("ended "):
                self.assertIn("desyncs=0", line)

    def test_long_matches_are_back_as_soon(self):
        folder, rooms, every = self.path("recordings"), int(LONG_ROOMS), int(LONG_KEYFRAMES)
        os.mkdir(folder)
        first = os.path.join(folder, "long1.lsr")
        subprocess.run([os.path.join(TINY, "long_match"), first, LONG_SIM, str(LONG_TICKS),
                        str(every)], check=True)
        for number in range(2, rooms + 1):
            shutil.copy(first, os.path.join(folder, f"long{number}.lsr"))
        begin = time.monotonic()
        server = self.serve("--rooms", str(rooms), "--workers", "2", "--wait", "0", "--quiet",
                            "--resume", folder, sim=LONG_SIM)
        self.wait_until(lambda: sum(line.startswith("restored ") for line in server.log) >= rooms,
                        lambda: server.text()[-2000:])
        took, cpu_s = time.monotonic() - begin, server.cpu_s()
        print(f"{rooms} rooms of {LONG_TICKS} ticks restored in {took:.2f} s, {cpu_s:.2f} s of processors")
        self.assertLess(cpu_s, CLIENTS_WAIT_S)
        for line in server.log:
            if line.startswith("restored "):
                simulated = re.search(rf"^restored tick={LONG_TICKS} .* simulated=(\d+)", line)
                self.assertLess(int(simulated.group(1)), 2 * every or LONG_TICKS + 1)
        self.assertEqual(server.stop(), GOOD)


if __name__ == "__main__":
    main()
