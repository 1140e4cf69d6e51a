"""A match over loopback: server, bots, spectators, a planted divergence, the health check."""
import re
import socket
import time

from case import DIVERGED, GOOD, MACHINE, REFUSED, USAGE, Case, main, tiny

STATUS = r"^tick \d+ .* cpu ([\d.]+) %"
STATUS_LINES = 8


def free_port():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Match(Case):
    def test_four_bots_play_and_the_recording_verifies(self):
        server = self.serve("--ticks", "400", "--wait", "4", "--tick-rate", "40", "--units", "400")
        out, _ = self.join(server, "--bots", "4")
        self.assertEqual(len(re.findall(r"client \d ended at tick \d+: the match ended at tick 400", out)), 4, out)
        self.assertIn("trusting " + server.address, out)
        self.assertIn("playing 4 of 4", out)
        self.assertEqual(server.wait(), GOOD)
        self.assertRegex(server.text(), r"(?m)^tick \d+  peers 4  cpu [\d.]+ %  longest step [\d.]+ ms .*desyncs 0")
        self.assertRegex(server.text(), r"(?m)^ended tick=400 root=[0-9a-f]{16} desyncs=0$")
        self.assertEqual(self.verified_ticks(self.recording()), 400)

    @staticmethod
    def percents(server):
        found = [re.search(STATUS, line) for line in list(server.lines)]
        return [float(match.group(1)) for match in found if match]

    def cpu_percent(self, sim):
        """The mean of the status lines' values, and that of the system over the same time."""
        server = self.serve("--wait", "0", "--tick-rate", "20", sim=sim)
        server.wait_line(STATUS, server.lines)
        cpu_s, begin, first = server.cpu_s(), time.monotonic(), len(self.percents(server))
        server.wait_line(STATUS, server.lines, count=first + STATUS_LINES)
        cpu_s, took_s = server.cpu_s() - cpu_s, time.monotonic() - begin
        said = self.percents(server)[first:first + STATUS_LINES]
        self.assertEqual(server.stop(), GOOD)
        return sum(said) / len(said), 100 * cpu_s / took_s

    def test_the_status_line_says_the_processors_time(self):
        """Half and twice are for what a busy machine adds at the ends of the time that is compared."""
        said, used = self.cpu_percent(tiny("busy"))
        self.assertTrue(used / 2 - 2 <= said <= 2 * used + 2, (said, used))

    def test_the_status_line_does_not_count_time_without_a_processor(self):
        """A tick sleeps for 30 of its 50 ms: a server that counted them would say 60 %."""
        said, used = self.cpu_percent(tiny("slow"))
        self.assertTrue(used / 2 - 2 <= said <= 2 * used + 2, (said, used))
        self.assertLess(said, 30)

    def test_leaving_and_ending_when_empty(self):
        server = self.serve("--end-when-empty", "--tick-rate", "100")
        out, _ = self.join(server, "--ticks", "50", "--name", "Ada")
        self.assertIn("its ticks are done", out)
        self.assertEqual(server.wait(), GOOD)
        self.assertTrue(any('name="Ada"' in line for line in server.log), server.text())
        self.assertGreaterEqual(self.verified_ticks(self.recording()), 50)

    def test_a_late_spectator(self):
        server = self.serve("--tick-rate", "100", "--end-when-empty")
        bots = self.start_join(server, "--bots", "2")
        server.wait_line(r"^tick [1-9]\d*  peers 2", server.lines)
        out, _ = self.join(server, "--spectate", "--ticks", "50")
        self.assertIn("its ticks are done", out)
        bots.terminate()
        self.end(bots, GOOD)
        self.assertEqual(server.wait(), GOOD)

    def test_a_flipped_bit_is_named_within_a_second(self):
        server = self.serve("--wait", "4", "--tick-rate", "10", "--ticks", "120")
        bots = self.start_join(server, "--bots", "4", "--corrupt-at", "50", "--log", "-")
        found = server.wait_line(r"^desync .*", server.log)
        line = found.string
        self.assertRegex(line, r"tick=50\b")
        self.assertRegex(line, r'player=0\b|name="bot-1"')
        out, err = self.end(bots, DIVERGED)
        self.assertIn("client 1 diverged", err)
        corrupted = next(part for part in err.splitlines() if part.startswith("corrupted"))
        # A quiet machine takes a tenth of a second (docs/desync.md); this one may be busy.
        self.assertLess(self.seconds_of(line) - self.seconds_of(corrupted), 60.0)
        for other in (2, 3, 4):
            self.assertRegex(out, rf"client {other} ended at tick \d+: the match ended at tick 120")
            self.assertNotIn(f"client {other} diverged", out)
        self.assertEqual(server.wait(), GOOD)
        self.assertEqual(self.verified_ticks(self.recording()), 120)

    def test_a_bit_that_was_not_flipped_is_said(self):
        server = self.serve("--ticks", "20", "--tick-rate", "100")
        _, err = self.join(server, "--corrupt-at", "500")
        self.assertRegex(err, r"no bit was flipped: client 1 ended at tick \d+, .* 500\n\Z")
        self.assertEqual(server.wait(), GOOD)

    def test_ticks_count_from_entering_play(self):
        server = self.serve("--wait", "0", "--tick-rate", "20")
        server.wait_line(r"^tick ([4-9]\d|\d{3,})  ", server.lines)
        for more in ((), ("--spectate",)):
            log = self.path("log" + "".join(more))
            self.join(server, "--ticks", "40", "--log", log, *more)
            with open(log, encoding="utf-8") as file:
                text = file.read()
            begin, end = (int(re.search(pattern, text).group(1)) for pattern in
                          (r"state is=playing tick=(\d+)", r"state is=ended tick=(\d+)"))
            self.assertGreaterEqual(end - begin, 40)
            self.assertLess(end - begin, 40 + 200)
        self.assertEqual(server.stop(), GOOD)

    @staticmethod
    def seconds_of(line):
        hours, minutes, seconds = re.search(r"time=\S+T(\d+):(\d+):([\d.]+)Z", line).groups()
        return int(hours) * 3600 + int(minutes) * 60 + float(seconds)

    def test_keys(self):
        server = self.serve("--wait", "0")
        out, _ = self.join(server, "--ticks", "5")
        self.assertIn("on first use", out)
        out, _ = self.join(server, "--ticks", "5")
        self.assertNotIn("on first use", out)
        self.end(self.start("join", server.address, "--sim", "skirmish", "--ticks", "5"), GOOD)

        key = server.address.split("#")[1]
        wrong = server.host_port + "#" + ("B" if key[0] == "A" else "A") + key[1:]
        _, err = self.command("join", wrong, "--sim", "skirmish", code=REFUSED)
        self.assertIn("not the expected one", err)
        self.command("join", server.address[:-1], "--sim", "skirmish", code=USAGE)

        with open(self.path("known"), "r+", encoding="ascii") as known:
            known.write(f"{server.host_port} {wrong.split('#')[1]}\n")
            known.truncate()
        _, err = self.join(server, code=REFUSED)
        self.assertIn("has changed", err)
        self.assertIn("line 1", err)
        with open(self.path("known"), "w", encoding="ascii") as known:
            known.write("what is this\n")
        self.join(server, code=4)
        self.assertEqual(server.stop(), GOOD)

    def test_no_server(self):
        port = free_port()
        start = time.monotonic()
        common = ("join", f"127.0.0.1:{port}", "--known-servers", self.path("known"))
        for process in [self.start(*common, *more) for more in ((), ("--sim", "skirmish"))]:
            _, err = self.end(process, MACHINE)
            self.assertRegex(err, rf"\Alockstep join: 127\.0\.0\.1:{port}: the server [^\n]+\n\Z")
        self.assertLess(time.monotonic() - start, 120)
        self.refuse("join", "no-such-host.invalid:7777", "--sim", "skirmish", "--known-servers",
                    self.path("known"), code=MACHINE, says=("no-such-host.invalid",))
        self.refuse("relay", "--to", "no-such-host.invalid:7777", code=MACHINE,
                    says=("no-such-host.invalid",))

    def test_full_server(self):
        server = self.serve("--wait", "0", "--players", "1", "--tick-rate", "10")
        first = self.start_join(server)
        server.wait_line(r"^player_join", server.log)
        out, err = self.join(server, code=REFUSED)
        self.assertRegex(err, r"\A[^\n]*the server refuses: [^\n]*vanished frees after 10 s\n\Z")
        self.assertNotIn("seats", out)
        first.terminate()
        self.end(first, GOOD)
        self.assertEqual(server.stop(), GOOD)

    def test_health_check(self):
        server = self.serve("--wait", "1")
        self.command("serve", "--healthcheck", "--port", str(server.port))
        elsewhere = self.serve("--bind", "127.0.0.5")  # the last --bind wins
        self.command("serve", "--healthcheck", "--port", str(elsewhere.port))
        self.assertEqual(server.stop(), GOOD)
        self.refuse("serve", "--healthcheck", "--port", str(free_port()), code=1,
                    says=("no server answers",))


main()
