"""`top` in a real terminal, and `top --once`."""
import pathlib
import re

from case import BINARY, GOOD, MACHINE, USAGE, Case, main
from terminal import Terminal


class Top(Case):
    def test_once_prints_the_picture(self):
        server = self.serve_admin("--rooms", "2", "--tick-rate", "20")
        bots = self.start_join(server, "--bots", "2")
        server.wait_line(r"^player_join ", server.log, count=2)
        lines = []

        def has_traffic():  # within the part of a second that it measures
            lines[:] = self.command("top", "--once", "--socket", self.path("s"))[0].splitlines()
            return re.match(r"in [1-9]\d*\.\d kB/s  out [1-9]", lines[2])
        self.wait_until(has_traffic, lambda: "\n".join(lines))
        self.assertRegex(lines[0], rf"^skirmish  lockstep \S+  process {server.process.pid}  up 0:00:\d\d$")
        self.assertRegex(lines[1], r"^rooms 2 \(2 running\)  players 0  bots 2  spectators 0  cpu \d+\.\d %$")
        self.assertRegex(lines[2], r"^in [1-9]\d*\.\d kB/s  out [1-9]\d*\.\d kB/s  lag ")
        self.assertEqual(lines[3], "times in ms: p50 and p99 since the room opened, behind now")
        self.assertRegex(lines[4], r"^room +state +tick peers tick p50 tick p99 late p99 +behind desyncs$")
        self.assertRegex(lines[5], r"^1 +running +\d+ +2 +\d+\.\d{3} +\d+\.\d{3} ")
        self.assertRegex(lines[6], r"^2 +running +\d+ +0 ")
        self.assertEqual(len(lines), 7)
        bots.terminate()
        self.end(bots, GOOD)
        self.refuse("top", "--socket", self.path("s"), code=USAGE, says=("needs a terminal", "top --once"))
        self.assertEqual(server.stop(), GOOD)
        self.refuse("top", "--once", "--socket", self.path("s"), code=USAGE, says=("no such socket",))

    def test_the_picture_follows_the_server(self):
        server = self.serve_admin("--rooms", "30", "--tick-rate", "10")
        terminal = Terminal(self.folder)
        self.addCleanup(terminal.close)
        terminal.keys(f"stty -g >before; {BINARY} top --socket s; echo code $?; stty -g >after", "Enter")
        first = terminal.wait(r"^1 +running +(\d+) ")
        terminal.wait(r"^skirmish  lockstep ")
        self.wait_until(lambda: int(terminal.wait(r"^1 +running +(\d+) ").group(1)) > int(first.group(1)),
                        lambda: "\n".join(terminal.screen()))
        self.assertTrue(all(len(line) <= 80 for line in terminal.screen()))
        self.assertNotRegex("\n".join(terminal.screen()), r"(?m)^9 +running ")  # below the last line
        terminal.keys(*["Down"] * 12)
        terminal.wait(r"^9 +running ")
        terminal.keys(*["Up"] * 40)
        terminal.wait(r"^1 +running ")
        self.command("admin", "pause", "1", "--socket", self.path("s"))
        terminal.wait(r"^1 +paused ")
        terminal.keys("q")
        terminal.wait(rf"^code {GOOD}$")
        modes = [pathlib.Path(self.path(name)) for name in ("before", "after")]
        self.wait_until(lambda: modes[1].exists() and modes[1].read_text(encoding="ascii").endswith("\n"),
                        lambda: "stty has written nothing")
        self.assertEqual(*(mode.read_text(encoding="ascii") for mode in modes))

        terminal.keys(f"clear; {BINARY} top --socket s; echo code $?", "Enter")
        terminal.wait(r"^1 +paused ")
        self.assertEqual(server.stop(), GOOD)
        terminal.wait(rf"^code {MACHINE}$")
        self.assertTrue(re.search(r"lockstep top: the server has closed", "\n".join(terminal.screen())))


main()
