"""A module that goes wrong once, in a match over loopback: the cell is named, the bundle written."""
import os
import re

from case import DIVERGED, GOOD, TINY, Case, main

GOOD_SIM = os.path.join(TINY, "drift_good.so")
FAULTY_SIM = os.path.join(TINY, "drift_faulty.so")


def seconds_of(line):
    """Of the day."""
    hours, minutes, seconds = re.search(r"time=\S+T(\d+):(\d+):([\d.]+)Z", line).groups()
    return int(hours) * 3600 + int(minutes) * 60 + float(seconds)


class Evidence(Case):
    def found(self, policy, *bad_options):
        """A server, its line about the cell, and what the faulty client said of its fault."""
        server = self.serve("--tick-rate", "60", "--ticks", "400", "--wait", "3",
                            "--desync", policy, sim=GOOD_SIM)
        good = self.start_join(server, "--bots", "2", sim=GOOD_SIM)
        bad = self.start_join(server, *bad_options, sim=FAULTY_SIM)
        line = server.wait_line(r"^desync_cell .*", server.log).string
        out, _ = self.end(good, GOOD)
        self.assertEqual(len(re.findall(r"(?m)client \d ended at tick 400", out)), 2, out)
        _, err = self.end(bad, DIVERGED)
        self.assertEqual(server.wait(), GOOD)
        return server, line, re.search(r"^planted at=([\d.]+) y=(-?\d+)$", err, re.MULTILINE)

    def check_cell(self, line, planted, within_s=1.0):
        right = int(planted.group(2))
        self.assertRegex(line, r" component=body entity=bodies/305:1 field=y "
                         rf"server={right} client={right + 5} differences=1 columns=1 pages=1 ")
        self.assertRegex(line, r" whole=1\b")
        delay = (seconds_of(line) - float(planted.group(1))) % 86400
        self.assertLess(delay, within_s)

    def test_the_cell_is_named_within_a_second(self):
        server, line, planted = self.found("report")
        self.check_cell(line, planted)
        tick = int(re.search(r"tick=(\d+)", line).group(1))
        self.assertEqual(len([l for l in server.log if l.startswith("desync ")]), 1)
        written = server.wait_line(r'^evidence_written tick=(\d+) file="?([^" ]+)', server.log)
        self.assertEqual(int(written.group(1)), tick)
        path = written.group(2)
        self.assertRegex(os.path.basename(path), rf"\.desync-{tick}$")
        self.assertGreater(os.path.getsize(self.path(path)), 1000)

    def test_the_cell_is_named_over_a_bad_network(self):
        _, line, planted = self.found("report", "--relay-delay", "50", "--relay-loss", "10")
        self.check_cell(line, planted, 2.0)

    def test_a_clean_match_asks_nothing(self):
        server = self.serve("--tick-rate", "60", "--ticks", "120", "--wait", "3", sim=GOOD_SIM)
        self.join(server, "--bots", "3", sim=GOOD_SIM)
        self.assertEqual(server.wait(), GOOD)
        self.assertFalse([l for l in server.log if "desync" in l or "evidence" in l], server.text())


if __name__ == "__main__":
    main()
