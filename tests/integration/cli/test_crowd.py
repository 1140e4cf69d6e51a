"""Hundreds of clients in one process: `lockstep join --bots`."""
import json
import os
import re
import resource
import subprocess
import time

from frames import ORDER, inputs_of
from case import BINARY, Case, GOOD, MACHINE, REFUSED, TIMEOUT_S, USAGE, is_sanitized, main, tiny


class Crowd(Case):
    def crowd(self, server, count, *options, code=GOOD):
        out, err = self.join(server, "--bots", str(count), *options, sim=tiny("good"), code=code)
        return out, err

    def test_hundreds_enter_at_the_pace_of_the_server(self):
        """256 at once and then 100 a second: nobody is refused, and the line says how far it is."""
        server = self.serve("--rooms", "5", "--players", "64", "--peers-per-address", "400",
                            "--auths-per-address", "100", sim=tiny("good"))
        out, _ = self.crowd(server, 320, "--ticks", "60", "--json")
        events = [json.loads(line) for line in out.splitlines()]
        ends = [event for event in events if event["event"] == "end"]
        self.assertEqual(len(ends), 320)
        for end in ends:
            self.assertEqual((end["state"], end["diverged"], end["reason"]),
                             ("ended", False, "left: its ticks are done"), end)
        for event in events:
            if event["event"] == "second":
                self.assertEqual(event["diverged"], 0)
                self.assertLessEqual(event["playing"] + event["to_come"], 320)
        self.assertEqual(server.stop(), GOOD)
        self.assertFalse([line for line in server.log if line.startswith(("desync ", "roots_missing "))])

    def test_hundreds_hold_a_session(self):
        """All are in at once and stay for four seconds; when the process is asked to, all leave. ./test --long has a thousand. A
        sanitizer sees the same code with a fifth of them."""
        count = 200 if is_sanitized() else 1000 if "LOCKSTEP_LONG" in os.environ else 400
        server = self.serve("--rooms", "16", "--players", "64", "--peers-per-address", "1024", "--tick-rate", "4",
                            "--auths-per-address", "400", "--snapshots-per-address", "1024", sim=tiny("good"))
        bots = self.start_join(server, "--bots", str(count), "--json", sim=tiny("good"))
        seconds = 0
        events = []
        end = time.monotonic() + 2 * TIMEOUT_S
        while seconds < 5:
            self.assertLess(time.monotonic(), end, events[-5:])
            events.append(json.loads(bots.stdout.readline()))
            if events[-1]["event"] == "second":
                seconds = seconds + 1 if events[-1]["playing"] == count else 0
        self.assertEqual((events[-1]["diverged"], events[-1]["hashes"]), (0, "agreed"))
        bots.terminate()
        out, _ = self.end(bots, GOOD)
        ends = [json.loads(line) for line in out.splitlines() if '"event":"end"' in line.replace(" ", "")]
        self.assertEqual([len(ends), {(end["state"], end["diverged"]) for end in ends}], [count, {("ended", False)}])
        self.assertEqual(server.stop(), GOOD)
        self.assertFalse([line for line in server.log if line.startswith(("desync ", "roots_missing "))])

    def test_the_rest_does_not_ask_where_all_seats_are_taken(self):
        server = self.serve("--players", "4", "--peers-per-address", "200", sim=tiny("good"))
        hold = self.start_join(server, "--bots", "4", sim=tiny("good"))
        for seat in range(4):
            server.wait_line(rf"^player_join tick=\d+ player={seat}\b", server.log)
        _, err = self.crowd(server, 400, code=REFUSED)
        asked, silent = map(int, re.search(r"(\d+) of 400 clients \((\d+) did not ask then\): "
                                           "the server refuses: all seats are taken", err).groups())
        self.assertEqual(asked + silent, 400)
        self.assertTrue(32 <= asked < 64, err)  # 32 ask at a time
        hold.terminate()
        self.end(hold, GOOD)
        self.assertEqual(server.stop(), GOOD)

    def test_one_hash_of_the_password_is_enough(self):
        """A tenth of a second each, one after the other, would take longer than the server waits."""
        with open(self.path("word"), "w", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
            file.write("tr0ub4dor\n")
        server = self.serve("--rooms", "3", "--players", "64", "--peers-per-address", "200",
                            "--password-file", self.path("word"), sim=tiny("good"))
        self.command("join", server.address, "--sim", tiny("good"), "--bots", "160", "--ticks", "20",
                     "--password-file", self.path("word"), "--quiet")
        self.assertEqual(server.stop(), GOOD)

    def test_an_address_loads_at_the_rate_of_its_option(self):
        """A snapshot of some 200 kB: half of the 64 kB at once, the rest at 64 kB/s."""
        server = self.serve("--wait", "0", "--tick-rate", "4", "--set", "units=20000",
                            "--snapshot-kb-per-address", "64")
        server.wait_line(r"tick \d", server.lines)
        begin = time.monotonic()
        self.join(server, "--spectate", "--ticks", "1")
        self.assertGreater(time.monotonic() - begin, 1.5)
        self.assertEqual(server.stop(), GOOD)

    def open_until_refused(self, server):
        """One more room is refused, or one of a few more: on a busy machine minutes may have passed."""
        for number in range(10):
            process = self.start_join(server, "--room", f"late{number}", "--ticks", "1", sim=tiny("good"))
            _, err = process.communicate(timeout=TIMEOUT_S)
            if process.returncode == REFUSED:
                return err
            self.assertEqual(process.returncode, GOOD, err)
        return self.fail("no room was refused")

    def test_an_address_opens_as_many_rooms_as_its_option(self):
        """16 at once even with the lowest rate."""
        for rate, opened in ((1, 16), (18, 18)):
            server = self.serve("--rooms", "0", "--rooms-max", "40", "--rooms-per-address", str(rate), sim=tiny("good"))
            joins = [self.start_join(server, "--room", f"r{number}", "--ticks", "1", sim=tiny("good"))
                     for number in range(opened)]
            for join in joins:
                self.end(join, GOOD)
            if rate == 1:
                says = self.open_until_refused(server)
                self.assertIn("too many rooms were opened from this address, try again in a minute "
                              "(serve --rooms-per-address)", says)
            self.assertEqual(server.stop(), GOOD)

    # -- clients that do not simulate

    def test_hundreds_of_light_clients(self):
        """A battle that this machine could not simulate so often; the server's world is its own."""
        server = self.serve("--rooms", "5", "--players", "64", "--peers-per-address", "400",
                            "--auths-per-address", "200", "--allow-light")
        out, _ = self.join(server, "--light", "--input", "random", "--bots", "300", "--ticks", "60", "--json")
        events = [json.loads(line) for line in out.splitlines()]
        ends = [event for event in events if event["event"] == "end"]
        self.assertEqual({(end["state"], end["diverged"]) for end in ends}, {("ended", False)})
        self.assertEqual(len(ends), 300)
        self.assertEqual({event["hashes"] for event in events if event["event"] == "second"}, {"none"})
        server.wait_line(r"peers \d+ \(\d+ light\)", server.lines)
        self.assertEqual(server.stop(), GOOD)
        entered = [line for line in server.log if line.startswith("enter ")]  # of one address, not all are logged
        self.assertEqual([line for line in entered if " light=1" not in line], [])
        self.assertTrue(entered)
        self.assertFalse([line for line in server.log if line.startswith(("desync ", "roots_missing "))])

    def test_a_light_client_needs_permission(self):
        server = self.serve(sim=tiny("good"))
        for options in ((), ("--spectate",)):
            _, err = self.join(server, "--light", *options, sim=tiny("good"), code=REFUSED)
            self.assertIn("clients that do not simulate are not admitted here (serve --allow-light)", err)
        self.assertEqual(server.stop(), GOOD)

    def test_what_needs_a_world_is_refused(self):
        for options, says in ((("--input", "bot"), "a bot needs a world"),
                              (("--predict", "5"), "leave out --predict"),
                              (("--corrupt-at", "5"), "--corrupt-at")):
            self.refuse("join", "127.0.0.1:9", "--sim", tiny("good"), "--light", *options, code=USAGE, says=(says,))

    def test_a_light_client_plays_a_script(self):
        server = self.serve("--allow-light", "--ticks", "90", "--tick-rate", "10", sim=tiny("good"))
        with open(self.path("script"), "w", encoding="ascii") as file:
            file.write("40 01\n50 02\n")  # four seconds are enough to join
        self.join(server, "--light", "--input", "script:" + self.path("script"), sim=tiny("good"))
        self.assertEqual(server.wait(), GOOD)
        orders = [(tick, data.hex()) for tick, _, kind, data in inputs_of(self.recording())
                  if kind == ORDER]
        self.assertEqual(orders, [(40, "01"), (50, "02")])

    def test_the_limit_of_descriptors_is_named(self):
        process = subprocess.run(
            [BINARY, "join", "127.0.0.1:9", "--sim", tiny("good"), "--bots", "200",
             "--known-servers", self.path("known")], cwd=self.folder, capture_output=True, text=True,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (100, 100)), check=False)
        self.assertEqual(process.returncode, MACHINE, process.stderr)
        self.assertIn("200 clients need 432 file descriptors and this process may open 100: "
                      "raise the limit (ulimit -n 432)", process.stderr)

    def test_a_low_soft_limit_is_raised(self):
        server = self.serve("--rooms", "2", "--players", "64", "--peers-per-address", "128", sim=tiny("good"))
        process = subprocess.run(
            [BINARY, "join", server.address, "--sim", tiny("good"), "--bots", "100", "--ticks", "5", "--quiet"],
            cwd=self.folder, capture_output=True, text=True,
            preexec_fn=lambda: resource.setrlimit(
                resource.RLIMIT_NOFILE, (64, resource.getrlimit(resource.RLIMIT_NOFILE)[1])), check=False)
        self.assertEqual(process.returncode, GOOD, process.stderr)
        self.assertEqual(server.stop(), GOOD)

    def test_the_relay_has_its_own_limit(self):
        self.refuse("join", "127.0.0.1:9", "--sim", tiny("good"), "--bots", "513", "--relay-loss", "1",
                    code=USAGE, says=("at most 512 clients", "--relay"))


if __name__ == "__main__":
    main()
