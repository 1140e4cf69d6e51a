"""Signals end processes at any time, and waiting uses no processor time."""
import os
import re
import signal
import time

from case import GOOD, TIMEOUT_S, USAGE, Case, main


class Signals(Case):
    def drain(self, number):
        server = self.serve("--wait", "2", "--tick-rate", "60")
        bots = self.start_join(server, "--bots", "2")
        server.wait_line(r"^tick [1-9]\d*  ", server.lines)
        begin = time.monotonic()
        self.assertEqual(server.stop(number), GOOD)
        self.assertLess(time.monotonic() - begin, 60)  # the limit is 5 s; a busy machine needs longer
        out, _ = self.end(bots, GOOD)
        self.assertEqual(len(re.findall(r"client \d ended", out)), 2, out)
        ended = server.wait_line(r"^ended tick=(\d+) root=([0-9a-f]{16})", server.lines)
        out, _ = self.command("verify", self.recording())
        self.assertIn("closed (drained)", out)
        self.assertIn(f"verified ticks={ended.group(1)} root={ended.group(2)}", out)

    def test_sigterm_drains(self):
        self.drain(signal.SIGTERM)

    def test_sigint_drains(self):
        self.drain(signal.SIGINT)

    def test_a_waiting_server_drains(self):
        server = self.serve("--wait", "2")
        self.assertEqual(server.stop(), GOOD)
        self.assertEqual(self.verified_ticks(self.recording()), 0)

    def test_the_second_signal_ends_at_once(self):
        server = self.serve("--wait", "1", "--tick-rate", "60")
        bots = self.start_join(server)
        server.wait_line(r"^tick [1-9]\d*  ", server.lines)
        bots.send_signal(signal.SIGSTOP)  # the server waits for a client that does not answer
        try:
            server.process.send_signal(signal.SIGTERM)
            server.wait_line(r"^end ", server.log)
            server.process.send_signal(signal.SIGTERM)
            self.assertEqual(server.wait(), 128 + signal.SIGTERM)  # GOOD if it had waited for the client
        finally:
            bots.send_signal(signal.SIGCONT)
            bots.kill()
            bots.communicate(timeout=TIMEOUT_S)
        self.verified_ticks(self.recording())

    def test_storms_are_harmless(self):
        server = self.serve("--wait", "1", "--tick-rate", "60", "--ticks", "180")
        bots = self.start_join(server)
        server.wait_line(r"^player_join", server.log)  # now both have installed their signal handlers
        end = time.monotonic() + 2
        while time.monotonic() < end:
            for process in (server.process, bots):
                process.send_signal(signal.SIGHUP)
                process.send_signal(signal.SIGWINCH)
                process.send_signal(signal.SIGSTOP)
                process.send_signal(signal.SIGCONT)
            time.sleep(0.003)
        self.end(bots, GOOD)
        self.assertEqual(server.wait(), GOOD)
        self.assertEqual(self.verified_ticks(self.recording()), 180)

    def test_hangup_opens_the_log_again(self):
        log, old = self.path("events"), self.path("events.1")
        server = self.serve("--wait", "2", "--log", log)
        os.rename(log, old)
        server.process.send_signal(signal.SIGHUP)
        end = time.monotonic() + TIMEOUT_S
        while not os.path.exists(log):
            self.assertLess(time.monotonic(), end)
            time.sleep(0.02)
        self.assertEqual(server.stop(), GOOD)
        with open(old, encoding="utf-8") as first, open(log, encoding="utf-8") as second:
            first, second = first.read(), second.read()
        self.assertIn("listening address=", first)
        self.assertNotIn("\nend ", first)
        self.assertRegex(second, r"(?m)^end ")

    def test_a_log_that_cannot_be_opened_again_goes_on(self):
        log, old = self.path("logs", "events"), self.path("events.1")
        os.mkdir(self.path("logs"))
        server = self.serve("--wait", "2", "--log", log)
        os.rename(log, old)
        os.rmdir(self.path("logs"))
        server.process.send_signal(signal.SIGHUP)
        end = time.monotonic() + TIMEOUT_S
        text = ""
        while "log_not_reopened" not in text:
            self.assertLess(time.monotonic(), end)
            time.sleep(0.02)
            with open(old, encoding="utf-8") as file:
                text = file.read()
        self.assertEqual(server.stop(), GOOD)
        with open(old, encoding="utf-8") as file:
            self.assertRegex(file.read(), r"(?m)^end ")

    def test_a_log_is_rotated_by_size(self):
        log = self.path("events")
        with open(log, "w", encoding="utf-8") as file:
            file.write("before\n" * 14285)
        server = self.serve("--wait", "2", "--log", log, "--log-max", "100k")
        self.assertEqual(server.stop(), GOOD)
        with open(log + ".1", encoding="utf-8") as first, open(log, encoding="utf-8") as second:
            self.assertEqual(first.read().count("before\n"), 14285)
            self.assertRegex(second.read(), r"\Alistening (?s:.*)\nend ")
        options = ("serve", "--sim", "skirmish", "--port", "0", "--temporary-identity", "--log-max")
        self.refuse(*options, "100M", code=USAGE, says=("the log is on stderr; give --log FILE",))
        self.refuse(*options, "99999", code=USAGE, says=("--log-max: give at least 100000 bytes",))

    def test_user_signals_are_ignored(self):
        server = self.serve("--wait", "2")
        for number in (signal.SIGUSR1, signal.SIGUSR2):
            server.process.send_signal(number)
        self.assertEqual(server.stop(), GOOD)

    def test_a_bot_that_is_asked_to_stop_leaves(self):
        server = self.serve("--wait", "1", "--tick-rate", "60", "--end-when-empty")
        bots = self.start_join(server)
        server.wait_line(r"^tick [1-9]\d*  ", server.lines)
        bots.terminate()
        out, _ = self.end(bots, GOOD)
        self.assertIn("asked to stop", out)
        self.assertEqual(server.wait(), GOOD)
        self.assertTrue(any(line.startswith("leave ") for line in server.log), server.text())

    def test_waiting_costs_nothing(self):
        server = self.serve("--wait", "1")
        before, begin = server.cpu_s(), time.monotonic()
        time.sleep(2)
        self.assertLess(server.cpu_s() - before, 0.15 * (time.monotonic() - begin))
        self.assertEqual(server.stop(), GOOD)


main()
