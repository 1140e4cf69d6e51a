"""A tick that fails, for the whole match or for one client. Exit code 9, with the reason on both sides."""
import json
import os
import re

from case import DIVERGED, FAILED, GOOD, REFUSED, Case, main, tiny

CLASH, SETTLED, PICKY = tiny("clash"), tiny("settled"), tiny("picky")


class Failing(Case):
    def write_script(self, text):
        with open(self.path("script"), "w", encoding="ascii") as file:
            file.write(text)
        return "script:" + self.path("script")

    def test_failing_match_ends_every_client_with_9(self):
        """A valid input of a player makes both sides of a par change one cell."""
        server = self.serve("--wait", "3", "--tick-rate", "60", "--allow-light", sim=CLASH)
        others = [self.start_join(server, *options, sim=CLASH) for options in
                  (("--bots", "2", "--quiet"), ("--spectate",), ("--light", "--spectate"), ("--relay-delay", "60", "--spectate"))]
        _, err = self.join(server, "--input", self.write_script("40 0d\n"), sim=CLASH, code=FAILED)
        errors = [err] + [self.end(other, FAILED)[1] for other in others]
        for err in errors:
            self.assertRegex(err, r"(?m)^lockstep join: .*(the simulation failed|the match cannot continue): tick \d+: ")
            self.assertRegex(err, r'add\b.*\bbribe\b|bribe\b.*\badd\b')
        self.assertRegex("".join(errors), "[12] of 2 clients: ")  # either client may be the first to fail
        self.assertEqual(server.wait(), FAILED, server.text())
        self.assertRegex(server.text(), r"(?m)^room_failed .*bribe")

    def test_run_ends_with_6_and_check_with_1(self):
        """No match is served that could fail for its players."""
        os.environ["TINY_BRIBES"] = "1"
        try:
            self.refuse("run", "--sim", CLASH, "--ticks", "3", code=REFUSED, says=("tick 0: ", '"add" and "bribe"'))
            out, err = self.command("check", "--sim", CLASH, "--ticks", "3", "--option-matches", "0", code=DIVERGED)
        finally:
            del os.environ["TINY_BRIBES"]
        self.assertRegex(out + err, r'tick 0: systems "add" and "bribe"')

    def test_the_same_input_ends_nothing_if_the_first_side_wins(self):
        """The side that is listed first, "add", adds 13, and the 1 that "bribe" writes is lost."""
        server = self.serve("--wait", "2", "--tick-rate", "60", "--ticks", "120", sim=SETTLED)
        others = [self.start_join(server, *options, sim=SETTLED) for options in ((), ("--spectate",))]
        self.join(server, "--input", self.write_script("40 0d\n"), sim=SETTLED)
        for other in others:
            self.end(other, GOOD)
        self.assertEqual(server.wait(), GOOD, server.text())
        self.assertRegex(server.text(), r"(?m)^ended tick=120 root=\w+ desyncs=0$")
        self.assertEqual(self.verified_ticks(self.recording(), "--sim", SETTLED), 120)
        # Where the clash fails the tick, so does everything that runs it again.
        clash = ("--sim", CLASH, "--any-build", self.recording())
        for words in (("verify", *clash), ("replay", "print", *clash, "100"), ("replay", "seek", *clash, "100"),
                      ("replay", "rerun", *clash, "-o", self.path("new.lsr"))):
            _, err = self.command(*words, code=REFUSED)
            self.assertRegex(err, r'(?m)^lockstep .*tick 40: systems "add" and "bribe", in two sides of par "market"')
        world, _ = self.command("replay", "print", "--json", "--sim", SETTLED, self.recording(), "120")
        world = json.loads(world)
        self.assertEqual(world["dropped"]["values"], "1")
        self.assertGreaterEqual(int(world["components"]["Sum"]["total"]), 13)

    def test_failing_client_says_why_and_the_match_goes_on(self):
        server = self.serve("--wait", "1", "--tick-rate", "60", "--ticks", "200", sim=PICKY)
        player = self.start_join(server, "--bots", "1", sim=PICKY)
        os.environ["TINY_PICKY"] = "1"
        try:
            watcher = self.start_join(server, "--spectate", "--name", "picky", sim=PICKY)
        finally:
            del os.environ["TINY_PICKY"]
        _, err = self.end(watcher, FAILED)
        reason = re.search(r"(?m)^lockstep join: (the simulation failed: .*)$", err).group(1)
        line = server.wait_line(r"client_failed .*", server.log).string
        self.assertIn('player=-1 name="picky"', line)
        self.assertIn(f'reason="{reason}"', line)
        self.assertRegex(server.text(), r'(?m)^.*\bleave .*name="picky".* reason="cannot go on: the sim')
        self.assertNotIn("the connection is gone", server.text())
        self.end(player, GOOD)
        self.assertEqual(server.wait(), GOOD)
        self.assertRegex(server.text(), r"(?m)^ended tick=200 root=\w+ desyncs=0 clients_failed=1$")


if __name__ == "__main__":
    main()
