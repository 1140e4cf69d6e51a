#!/usr/bin/env python3
"""A client, or its line, that stands still for seconds: what `join` and `serve` tell about it."""
import json
import re
import signal
import threading
import time

from case import GOOD, TIMEOUT_S, Case, main

STOPPED_S = 2.0
TICK_RATE = 20


class Frozen(Case):
    def begin(self, *relay_options):
        """A match of boats, a relay before it, and a bot that plays over that."""
        self.server = self.serve("--wait", "0", "--tick-rate", str(TICK_RATE), sim="regatta")
        self.relay = self.start("relay", "--to", self.server.address, "--quiet", *relay_options)
        self.addCleanup(self.relay.communicate)
        self.addCleanup(self.relay.kill)
        address = re.search(r"127\.0\.0\.1:\d+", self.relay.stdout.readline()).group(0)
        self.join_process = self.start(
            "join", address, "--sim", "regatta", "--bots", "1", "--json", "--known-servers",
            self.path("known"))
        self.lines = []
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()
        self.until(lambda line: line.get("playing") == 1 and line["tick"] > 40)

    def read(self):
        for text in self.join_process.stdout:
            self.lines.append(json.loads(text))

    def until(self, found, first=0):
        """Waits for such a line, among those from `first` on."""
        end = time.monotonic() + TIMEOUT_S
        while not any(found(line) for line in self.lines[first:]):
            self.assertLess(time.monotonic(), end, self.lines)
            time.sleep(0.05)

    def stop(self, process):
        before = len(self.lines)
        process.send_signal(signal.SIGSTOP)
        time.sleep(STOPPED_S)
        return before

    def last(self):
        """Ends all; returns the client's last word."""
        self.join_process.send_signal(signal.SIGINT)
        self.join_process.wait(TIMEOUT_S)
        self.reader.join(TIMEOUT_S)
        self.join_process.stdout.close()
        self.join_process.stderr.close()
        self.assertEqual(self.server.stop(), GOOD)
        return self.lines[-1]

    def test_a_line_that_stands_still(self):
        self.begin("--delay", "50")
        quiet = [line for line in self.lines if line["event"] == "second"][-1]
        self.assertGreaterEqual(quiet["behind_ms"], 45)
        before = self.stop(self.relay)
        self.server.wait_line(r"behind (1[5-9]|[2-9]\d)\d\d ms", self.server.lines)
        for name, least in (("behind_ms", 900), ("delay_ticks", 0.9 * TICK_RATE)):
            self.until(lambda line: line.get(name, 0) > least, before)  # pylint: disable=cell-var-from-loop
        self.relay.send_signal(signal.SIGCONT)
        tick = self.lines[-1]["tick"]
        self.until(lambda line: line["tick"] > tick + 60)
        last = self.last()
        self.assertGreater(last["late_max_ms"], 1000 * STOPPED_S - 500)
        self.assertGreater(last["substitutes"], 20)

    def test_a_client_that_stands_still(self):
        self.begin()
        tick = self.lines[-1]["tick"]
        self.stop(self.join_process)
        self.server.wait_line(r"behind (1[5-9]|[2-9]\d)\d\d ms", self.server.lines)
        self.join_process.send_signal(signal.SIGCONT)
        self.until(lambda line: line["tick"] > tick + 100)
        last = self.last()
        self.assertGreater(last["late_max_ms"], 1000 * STOPPED_S - 500)
        self.assertGreater(last["substitutes"], 20)
        self.assertGreater(last["states"], 40)
        counts = re.findall(r"substituted (\d+)  in", self.server.text())
        self.assertGreater(max(map(int, counts)), 20)


main()
