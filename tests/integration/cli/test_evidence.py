"""A module that goes wrong once, in a match over loopback: the server names the cell and writes a bundle."""
import errno
import os
import re
import unittest
import unittest.mock

from case import DIVERGED, GOOD, TINY, USAGE, Case, Server, is_sanitized, main

GOOD_SIM = os.path.join(TINY, "drift_good.so")
FAULTY_SIM = os.path.join(TINY, "drift_faulty.so")
MATCHES = 8


def seconds_of(line):
    """The time of day of a log line, in seconds."""
    hours, minutes, seconds = re.search(r"time=\S+T(\d+):(\d+):([\d.]+)Z", line).groups()
    return int(hours) * 3600 + int(minutes) * 60 + float(seconds)


def read(path):
    if not os.path.exists(path):
        return ""
    with open(path, encoding="utf-8") as file:
        return file.read()


class Evidence(Case):
    def found(self, policy, *bad_options):
        """Plays a match; returns the server, its log line about the cell, and the faulty client's message about
        its fault."""
        server = self.serve("--tick-rate", "40", "--ticks", "400", "--wait", "3",
                            "--desync", policy, sim=GOOD_SIM)
        good = self.start_join(server, "--bots", "2", sim=GOOD_SIM)
        bad = self.start_join(server, *bad_options, sim=FAULTY_SIM)
        line = server.wait_line(r"^desync_cell .*", server.log).string
        out, _ = self.end(good, GOOD)
        self.assertEqual(len(re.findall(r"(?m)client \d ended at tick \d+: the match ended at tick 400", out)), 2, out)
        _, err = self.end(bad, DIVERGED)
        self.assertEqual(server.wait(), GOOD)
        return server, line, re.search(r"^planted at=([\d.]+) y=(-?\d+)$", err, re.MULTILINE)

    def check_cell(self, line, planted):
        """Returns the seconds between the fault and the log line."""
        right = int(planted.group(2))
        self.assertRegex(line, r" component=body entity=bodies/305:1 field=y "
                         rf"server={right} client={right + 5} differences=1 columns=1 pages=1 ")
        self.assertRegex(line, r" whole=1\b")
        return (seconds_of(line) - float(planted.group(1))) % 86400

    def found_within(self, seconds, *options):
        """The server and the line of a match in which the cell is named in time. A busy machine may delay it, so one of
        several matches is enough."""
        delays = []
        for _ in range(MATCHES):
            server, line, planted = self.found("report", *options)
            delays.append(self.check_cell(line, planted))
            if delays[-1] < seconds:
                return server, line
        return self.fail(f"named after {delays} s")

    def test_the_cell_is_named_within_a_second(self):
        server, line = self.found_within(1.0)
        tick = int(re.search(r"tick=(\d+)", line).group(1))
        self.assertEqual(len([l for l in server.log if l.startswith("desync ")]), 1)
        written = server.wait_line(r'^evidence_written tick=(\d+) file="?([^" ]+)', server.log)
        self.assertEqual(int(written.group(1)), tick)
        path = written.group(2)
        self.assertRegex(os.path.basename(path), rf"\.desync-{tick}$")
        self.assertGreater(os.path.getsize(self.path(path)), 1000)

    def test_the_cell_is_named_over_a_bad_network(self):
        self.found_within(2.0, "--relay-delay", "50", "--relay-loss", "10")

    def test_a_difference_in_the_first_tick(self):
        """Even without an equal tick or an earlier keyframe there is a bundle and a cause."""
        sim = os.path.join(TINY, "faulty_first.so")
        server = self.serve("--tick-rate", "60", "--ticks", "60", "--wait", "2", sim=sim)
        log = self.path("bad.log")
        with unittest.mock.patch.dict(os.environ, LOCKSTEP_FAULT="1"):
            bad = self.start_join(server, "--bots", "1", "--log", log, sim=sim)
        # It has the first state before the match begins.
        self.wait_until(lambda: "state is=playing tick=0" in read(log), server.text)
        good = self.start_join(server, "--bots", "1", sim=sim)
        self.end(good, GOOD)
        _, err = self.end(bad, DIVERGED)
        self.assertIn("diverged from the server at tick 1; a server that records has the evidence",
                      err)
        self.assertEqual(server.wait(), GOOD)
        line = server.wait_line(r"^evidence (\S+); to find the cause: lockstep (explain .*)$",
                                server.lines)
        self.assertRegex(line.group(1), r"\.desync-1$")
        out, _ = self.command(*line.group(2).split())
        for text in ("the root before tick 1 is", "\ncell    Score.total: server 1, client 2\n",
                     "\nclass      machine dependence\n", ": the simulation calls getenv()\n",
                     "\ntick       0\nsystem     count, stage main\n",
                     "\nvalue      serially: 1, client: 2\n"):
            self.assertIn(text, out)
        out, err = self.command("verify", line.group(1), "--sim", sim)
        self.assertRegex(out, r"(?m)^verified ticks=([2-9]|[1-5]\d) ")
        out, _ = self.command("replay", "info", line.group(1))
        self.assertRegex(out, r"(?m)^evidence    \d+ bytes, of a client's desync at tick 1; ")

    def test_two_that_differ_at_once_get_a_bundle_each(self):
        server = self.serve("--tick-rate", "30", "--ticks", "240", "--wait", "3",
                            "--desync", "report", sim=GOOD_SIM)
        good = self.start_join(server, sim=GOOD_SIM)
        bad = [self.start_join(server, "--corrupt-at", "100", sim=GOOD_SIM) for _ in range(2)]
        self.end(good, GOOD)
        for process in bad:
            self.end(process, DIVERGED)
        self.assertEqual(server.wait(), GOOD)
        cells = [l for l in server.log if l.startswith("desync_cell tick=100 ")]
        self.assertEqual(len(cells), 2, server.text())
        names = [re.search(r'file="([^"]+)"', l).group(1)
                 for l in server.log if l.startswith("evidence_written tick=100 ")]
        self.assertEqual(sorted(n.split(".desync-")[1] for n in names), ["100", "100-2"])
        for name in names:
            self.command("verify", "--sim", GOOD_SIM, self.path(name))
        # One bit of a cell differs in each bundle, but a system writes that cell in this tick, so memory is not
        # blamed.
        first, second = sorted(self.path(name) for name in names)
        explain = ("explain", "--sim", GOOD_SIM, first)
        self.assertIn("\nclass      outside state\n", self.command(*explain)[0])
        os.remove(second)
        out, _ = self.command(*explain)
        self.assertIn("\nclass      outside state\n", out)
        self.assertIn('one bit of one cell differs, but system "drift" stores there in that tick', out)

    def test_without_states_it_is_judged_without_questions(self):
        server = self.serve("--tick-rate", "20", "--ticks", "200", "--wait", "2",
                            "--desync", "report", "--evidence-ms", "0", sim=GOOD_SIM)
        good = self.start_join(server, sim=GOOD_SIM)
        self.join(server, "--corrupt-at", "60", sim=GOOD_SIM, code=DIVERGED)
        self.end(good, GOOD)
        self.assertEqual(server.wait(), GOOD)
        self.assertEqual(len([l for l in server.log if l.startswith("desync ")]), 1, server.text())
        lines = [l for l in server.log if l.startswith("desync_")]
        self.assertEqual(len(lines), 1, server.text())
        self.assertRegex(lines[0], r'^desync_unexplained tick=60 .*reason="no states are kept: '
                                   r'evidence_ms is 0"')
        self.assertFalse([l for l in server.log if l.startswith("evidence_")], server.text())

    def test_a_client_without_states_says_so(self):
        server = self.serve("--tick-rate", "20", "--ticks", "200", "--wait", "2",
                            "--desync", "report", sim=GOOD_SIM)
        good = self.start_join(server, sim=GOOD_SIM)
        out, err = self.join(server, "--corrupt-at", "60", "--evidence-ms", "0", "--log", "-",
                             sim=GOOD_SIM, code=DIVERGED)
        self.end(good, GOOD)
        self.assertEqual(server.wait(), GOOD)
        self.assertRegex(err, r"(?m)^evidence_none tick=60 .*evidence_ms is 0")
        server.wait_line(r'^desync_unexplained tick=60 .*reason="it no longer has this state: it is too old, '
                         r'or its evidence_ms is 0', server.log)

    def test_a_server_that_does_not_record_says_what_to_do(self):
        server = Server(self.folder, "--tick-rate", "20", "--ticks", "180", "--wait", "1", sim=GOOD_SIM,
                        is_recording=False)
        self.servers.append(server)
        self.join(server, "--corrupt-at", "80", sim=GOOD_SIM, code=DIVERGED)
        self.assertEqual(server.wait(), GOOD)
        server.wait_line(r'^evidence_failed tick=80 reason="the match is not recorded: use --record DIR"',
                         server.log)

    @unittest.skipIf(is_sanitized(), "a sanitizer wants to be the first that is loaded")
    def test_a_bundle_that_cannot_be_written_leaves_nothing(self):
        """The disk fails after the first bytes of the bundle."""
        with unittest.mock.patch.dict(os.environ, LD_PRELOAD=os.path.join(TINY, "libfaulty_disk.so"),
                                      FAULTY_DISK=f"write {errno.ENOSPC} 4 1000000 .desync-"):
            server = self.serve("--tick-rate", "20", "--ticks", "180", sim=GOOD_SIM)
        self.join(server, "--corrupt-at", "80", sim=GOOD_SIM, code=DIVERGED)
        self.assertEqual(server.wait(), GOOD)
        server.wait_line(r'^evidence_failed tick=80 reason=".*No space left', server.log)
        self.assertEqual([n for n in os.listdir(self.path("recordings")) if "desync" in n], [])
        self.assertFalse([l for l in server.lines if l.startswith("evidence ")], server.text())

    def test_how_long_is_checked(self):
        for command in (["serve", "--sim", GOOD_SIM], ["join", "127.0.0.1:1"]):
            for value in ("10001", "-1", "long"):
                _, err = self.command(*command, f"--evidence-ms={value}", code=USAGE)
                self.assertIn("--evidence-ms", err)
                self.assertIn("10000", err)

    def test_a_clean_match_asks_nothing(self):
        server = self.serve("--tick-rate", "60", "--ticks", "120", "--wait", "3", sim=GOOD_SIM)
        self.join(server, "--bots", "3", sim=GOOD_SIM)
        self.assertEqual(server.wait(), GOOD)
        self.assertFalse([l for l in server.log if "desync" in l or "evidence" in l], server.text())


if __name__ == "__main__":
    main()
