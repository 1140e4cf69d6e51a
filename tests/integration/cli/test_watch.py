"""`watch` in a real terminal."""
import os
import re
import signal
import subprocess
import time

from case import BINARY, CORRUPT, DIVERGED, GOOD, TIMEOUT_S, TINY, USAGE, Case, main, tiny
from terminal import COLUMNS, ROWS, Terminal

TICKS = 240


class Watch(Case):
    def make(self, name, sim="skirmish", tick_rate=240):
        server = self.serve("--ticks", str(TICKS), "--wait", "2", "--tick-rate", str(tick_rate),
                            "--players", "2", "--seed", "7", sim=sim)
        self.join(server, "--bots", "2", sim=sim)
        self.assertEqual(server.wait(), GOOD)
        os.rename(self.recording(), self.path(name))
        return self.path(name)

    def terminal(self, **size):
        terminal = Terminal(self.folder, **size)
        self.addCleanup(terminal.close)
        return terminal

    def watch(self, terminal, *arguments):
        """Starts `watch` and waits for its title. The shell then prints the exit code and the terminal's modes."""
        command = " ".join([f"TINY_HANGS={self.path('hangs')}", BINARY, "watch", *arguments])
        terminal.keys(f"clear; echo mark; stty -g >before; {command}; "
                      "echo code $?; stty -g >after", "Enter")
        terminal.wait(r"^ \S+  tick \d+ of \d+ ")

    def left(self, terminal, code):
        """Asserts that `watch` ended with the code and restored the terminal."""
        terminal.wait(rf"^code {code}$")
        terminal.keys("echo again", "Enter")
        terminal.wait(r"^again$")
        text = "\n".join(terminal.screen())
        self.assertIn("mark", text)
        self.assertNotIn(" of ", text.replace("mark", ""))
        self.assertEqual(terminal.asks("alternate_on"), "0")
        self.assertEqual(terminal.asks("cursor_flag"), "1")
        with open(self.path("before"), encoding="ascii") as before, \
                open(self.path("after"), encoding="ascii") as after:
            self.assertEqual(before.read(), after.read())

    def pid(self):
        out = subprocess.run(["pgrep", "-f", f"^{BINARY} watch {self.folder}"],
                             capture_output=True, text=True, check=True).stdout
        return int(out.split()[0])

    def test_long_work_shows_how_far_it_is(self):
        terminal = self.terminal()
        terminal.keys(f"clear; {BINARY} run --sim skirmish --bots --ticks 1000000000", "Enter")
        terminal.wait(r"^\[[#.]+\] +\d+ %, tick \d+ of 1000000000, \d+ ticks/s")
        terminal.keys("C-c")

    def test_colours_are_a_choice(self):
        path = self.make("a.lsr")
        for before, options, has in (("", (), True), ("NO_COLOR=1", (), False), ("NO_COLOR=", (), True),
                                     ("", ("--color=never",), False), ("NO_COLOR=1", ("--color=always",), True)):
            with self.subTest(before=before, options=options):
                terminal = self.terminal()
                terminal.keys(f"export {before}" if before else "true", "Enter")
                self.watch(terminal, path, "--from", "100", *options)
                terminal.wait(r"q quit")
                text = terminal.tmux("capture-pane", "-e", "-p")
                self.assertEqual(bool(re.search(r"\x1b\[[0-9;]*3[1-6]", text)), has, repr(text))
                terminal.keys("q")
                self.left(terminal, GOOD)

    def test_forward_and_back(self):
        path = self.make("a.lsr", tick_rate=40)
        roots = {tick: self.command("replay", "seek", path, str(tick))[0].split("root=")[1][:16]
                 for tick in (0, 1, 100, TICKS)}
        terminal = self.terminal()
        self.watch(terminal, path)
        terminal.wait(rf"^ skirmish  tick 0 of {TICKS}  00:00\.00  paused x1  root {roots[0]} ok$")
        terminal.keys("Right")
        terminal.wait(rf"tick 1 of .* root {roots[1]} ok$")
        terminal.keys("Left")
        terminal.wait(r"tick 0 of ")
        terminal.keys("Left")
        terminal.keys("g", "1", "0", "7", "BSpace", "0")
        terminal.wait(r"^jump to tick: 100_$")
        terminal.keys("Enter")
        terminal.wait(rf"tick 100 of .* root {roots[100]} ok$")
        terminal.keys("g", "9", "9", "9", "9", "Enter")
        terminal.wait(rf"tick 9999 is not in the recording: it has 0 to {TICKS}")
        terminal.wait(r"tick 100 of ")
        terminal.keys("End")
        terminal.wait(rf"tick {TICKS} of .* root {roots[TICKS]} ok$")
        terminal.wait(r"^\[=+>\]$")
        terminal.keys("Home")
        terminal.wait(r"^\[>-+\]$")
        # Eight times as slow takes most of a minute; then it plays at twice the speed.
        terminal.keys("-", "-", "-", "Space")
        terminal.wait(r"tick [1-9]\d* of .*playing x0\.125")
        terminal.keys("Space")
        tick = int(terminal.wait(r"tick (\d+) of .*paused").group(1))
        self.assertLess(tick, TICKS)
        time.sleep(0.3)
        self.assertEqual(int(terminal.wait(r"tick (\d+) of").group(1)), tick)
        terminal.keys("+", "+", "+", "+", "Space")
        terminal.wait(rf"tick {TICKS} of .*paused x2")
        terminal.keys("q")
        self.left(terminal, GOOD)

    def test_map_table_and_inspector(self):
        path = self.make("a.lsr")
        terminal = self.terminal()
        self.watch(terminal, path, "--from", "90")
        lines = terminal.screen()
        self.assertEqual(len(lines), ROWS)
        self.assertTrue(all(len(line) <= COLUMNS for line in lines))
        self.assertTrue(any("1111" in line for line in lines[1:19]))
        self.assertTrue(any("2222" in line for line in lines[1:19]))
        terminal.wait(r"^1 army1  2 army2 ")
        terminal.wait(r"\|the world: \d+ entities$")
        terminal.keys("Tab")
        first = terminal.wait(r"\|(army1/\d+:1)$").group(1)
        terminal.wait(r"@")
        terminal.keys("n")
        second = terminal.wait(r"\|(army1/(?!0:)\d+:1)$").group(1)
        self.assertNotEqual(first, second)
        shown, _ = self.command("replay", "print", path, "90", "--entity", second,
                                "--component", "Health")
        points = re.search(r'"points": (\d+)', shown).group(1)
        terminal.wait(rf"\|Health *\n.*\| points: {points}$")
        terminal.keys("p")
        terminal.wait(rf"\|{first}$")
        terminal.keys("m")
        terminal.wait(rf"^{first} .*Blame ")
        terminal.keys("Up")  # wraps around to the last one
        last = terminal.wait(r"\|((?!army1)\S+/\d+:\d+)$").group(1)
        terminal.wait(rf"^{last} ")
        terminal.keys("w")
        terminal.wait(r"\|the world: ")
        terminal.keys("?")
        terminal.wait(r"^   space        play, pause")
        terminal.keys("?")
        terminal.wait(r"\|the world: ")
        terminal.keys("q")
        self.left(terminal, GOOD)

    def test_without_positions(self):
        sim = tiny("good")
        path = self.make("t.lsr", sim=sim)
        terminal = self.terminal()
        self.watch(terminal, path, "--sim", sim)
        terminal.keys("m", "Tab", "End")
        terminal.wait(rf"tick {TICKS} of .* ok$")
        terminal.keys("q")
        self.left(terminal, GOOD)

    def test_every_way_out_leaves_the_terminal_as_it_was(self):
        path = self.make("a.lsr")
        for way, code in (("-TERM", 0), ("-HUP", 0), ("-INT", 0), ("-ABRT", 134), ("-SEGV", 139)):
            terminal = self.terminal()
            self.watch(terminal, path)
            terminal.keys("Space")
            subprocess.run(["kill", way, str(self.pid())], check=True)
            self.left(terminal, code)
            terminal.close()
        terminal = self.terminal()
        self.watch(terminal, path)
        terminal.keys("C-c")
        self.left(terminal, GOOD)

    def test_a_simulation_that_hangs_is_left_by_the_second_signal(self):
        sim = tiny("stuck")
        server = self.serve("--tick-rate", "60", sim=sim)
        with open(self.path("script"), "w", encoding="ascii") as file:
            file.write("20 0d\n")
        player = self.start_join(server, "--input", "script:" + self.path("script"), sim=sim)
        self.addCleanup(player.communicate)
        self.addCleanup(player.kill)
        self.wait_recorded(server, "0d")
        server.process.kill()
        server.wait()
        terminal = self.terminal()
        self.watch(terminal, self.recording(), "--sim", sim)
        pid = self.pid()
        terminal.keys("End")
        self.wait_until(lambda: os.path.exists(self.path(f"hangs.{pid}")), terminal.screen)
        os.kill(pid, signal.SIGTERM)
        self.wait_delivered(pid)
        os.kill(pid, signal.SIGTERM)
        self.left(terminal, 128 + signal.SIGTERM)

    def wait_delivered(self, pid):
        """Waits until no signal is pending: two pending signals of one kind count as one."""
        end = time.monotonic() + TIMEOUT_S
        with open(f"/proc/{pid}/status", encoding="ascii") as file:
            while re.search(r"^(?:Sig|Shd)Pnd:\s*0*[1-9a-f]", file.read(), re.MULTILINE):
                self.assertLess(time.monotonic(), end)
                time.sleep(0.02)
                file.seek(0)

    def test_sizes(self):
        path = self.make("a.lsr")
        terminal = self.terminal()
        self.watch(terminal, path)
        for columns, rows in ((20, 5), (49, 10), (200, 60), (1, 1), (COLUMNS, ROWS)):
            terminal.tmux("resize-window", "-x", str(columns), "-y", str(rows))
            terminal.keys("Right")
        terminal.wait(r"tick 5 of")
        terminal.keys("q")
        self.left(terminal, GOOD)

    def test_a_narrow_terminal(self):
        """The title shows tick, state and proof, values are below the map, and help and keys are not cut off."""
        path = self.make("a.lsr")
        terminal = self.terminal(columns=40)
        self.watch(terminal, path, "--from", "90")
        terminal.wait(rf"\A skirmish  tick 90 of {TICKS}  paused x1 ok$")
        terminal.wait(r"^1 army1  2 army2 *\n-{40}\nthe world: \d+ entities$")
        self.assertEqual(terminal.screen()[-1].strip(), "space play  +- speed  ? help  q quit")
        terminal.keys("Tab")
        terminal.wait(r"^-{40}\narmy1/\d+:1\nBlame\n hit: ")
        terminal.keys("m")
        terminal.wait(r"^army1/0:1 .{29}>$")
        terminal.keys("?")
        terminal.wait(r"^   PgUp, PgDn   ten seconds back, on$")
        self.assertNotIn(">", "".join(terminal.screen()[:-3]))
        terminal.keys("q")
        self.left(terminal, GOOD)

    def test_long_arrays_are_folded(self):
        path = self.make("a.lsr")
        terminal = self.terminal()
        self.watch(terminal, path)
        terminal.wait(r"\|Roster\n(.*\n){0,3}.*\+\d+ more\]\n.*\| losses: \[")
        terminal.keys("q")
        self.left(terminal, GOOD)

    def test_divergence_is_shown(self):
        path = self.make("a.lsr")
        wrong = self.path("wrong.lsr")
        subprocess.run([os.path.join(TINY, "re_record"), path, wrong, "0", "50"], check=True)
        terminal = self.terminal()
        self.watch(terminal, wrong)
        terminal.keys("Space")
        terminal.wait(r"^diverged before tick 50: expected root")
        terminal.wait(r"tick 50 of .*paused.* \?$")
        terminal.keys("Right")
        terminal.wait(r"tick 51 of")
        terminal.keys("q")
        terminal.wait(rf"^code {DIVERGED}$")

    def test_mistakes(self):
        path = self.make("a.lsr")
        self.refuse("watch", path, code=USAGE, says=("terminal",))
        self.command("watch", code=USAGE)
        self.refuse("watch", self.path("no.lsr"), code=USAGE, says=("no.lsr",))
        self.refuse("watch", path, "--from", "9999", code=USAGE, says=(path, f"0 to {TICKS}"))
        with open(self.path("text.lsr"), "wb") as file:
            file.write(b"hello" * 99)
        self.refuse("watch", self.path("text.lsr"), code=CORRUPT, says=("text.lsr",))
        terminal = self.terminal()
        # ncurses never frees its memory for an unknown terminal.
        terminal.keys(f"ASAN_OPTIONS=detect_leaks=0 TERM=nonsense {BINARY} watch {path};"
                      " echo code $?", "Enter")
        terminal.wait(r"kind that is not known here")
        terminal.wait(rf"^code {USAGE}$")


main()
