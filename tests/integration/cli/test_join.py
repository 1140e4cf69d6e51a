"""`join` with all its options: scripted inputs, prediction, rooms, secrets, and its output."""
import json
import os
import re
import signal
import socket
import subprocess

from case import BINARY, EXAMPLES, FAILED, GOOD, MACHINE, TIMEOUT_S, REFUSED, USAGE, Case, main, tiny
from frames import ORDER, STATE, inputs_of

WALKERS = os.path.join(EXAMPLES, "walkers.so")


class Join(Case):
    def write(self, name, text, mode=0o600):
        path = self.path(name)
        with open(os.open(path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, mode), "w",
                  encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, mode)
        return path

    def served(self, *options, sim="skirmish"):
        """Serves a short match that ends by itself, and in which a slow client has a few seconds to join."""
        return self.serve("--ticks", "200", "--tick-rate", "40", *options, sim=sim)

    # -- output

    SECOND = {"event": str, "tick": int, "clients": int, "playing": int, "to_come": int, "delay_ticks": int,
              "behind_ms": float, "late_p99_ms": float, "rtt_ms": float, "loss_percent": float,
              "congestion": int, "in_bytes": int, "out_bytes": int,
              "ahead_ticks": int, "rollbacks": int, "rollback_ticks": int, "depth_ms": float,
              "stalls": int, "snaps": int, "substitutes": int, "hashes": str, "diverged": int,
              "text": str}
    STATE = {"event": str, "client": int, "state": str, "tick": int, "reason": str}
    END = {"event": str, "client": int, "state": str, "tick": int, "diverged": bool,
           "ticks_timed": int, "late_p50_ms": float, "late_p99_ms": float, "late_max_ms": float,
           "arrived_p99_ms": float, "states": int, "substitutes": int, "reason": str}

    def check(self, line, schema):
        self.assertEqual({key: type(value) for key, value in line.items()}, schema)

    def test_json_lines(self):
        server = self.serve("--ticks", "400", "--tick-rate", "40", "--wait", "2")
        out, err = self.join(server, "--bots", "2", "--json")
        lines = [json.loads(line) for line in out.splitlines()]
        seconds = [line for line in lines if line["event"] == "second"]
        ends = [line for line in lines if line["event"] == "end"]
        states = [line for line in lines if line["event"] == "state"]
        self.assertEqual(len(seconds) + len(ends) + len(states), len(lines))
        self.assertGreaterEqual(len(seconds), 2)
        for line in seconds:
            self.check(line, self.SECOND)
        for line in states:
            self.check(line, self.STATE)
        for client in (1, 2):
            # Changes of state within one report are merged.
            told = [line["state"] for line in states if line["client"] == client]
            self.assertEqual((told[0], told[-1]), ("handshake", "playing"), lines)
            self.assertEqual(len(told), len(set(told)))
        for line in ends:
            self.check(line, self.END)
        self.assertEqual(sorted((line["client"], line["state"], line["tick"]) for line in ends),
                         [(1, "ended", 400), (2, "ended", 400)])
        self.assertEqual({line["clients"] for line in seconds}, {2})
        self.assertTrue(any((line["playing"], line["hashes"]) == (2, "agreed") and line["in_bytes"] > 0
                            for line in seconds), seconds)
        self.assertNotIn("diverged", [line["hashes"] for line in seconds])
        self.assertIn("trusting", err)
        self.assertEqual(server.wait(), GOOD)

    def test_json_tells_a_divergence(self):
        server = self.served("--desync", "report")
        out, _ = self.join(server, "--json", "--corrupt-at", "120", code=1)
        end = json.loads(out.splitlines()[-1])
        self.check(end, self.END | {"desync_tick": int, "root": str, "server_root": str})
        self.assertTrue(end["diverged"])
        self.assertIn(end["desync_tick"], (120, 121))
        self.assertNotEqual(end["root"], end["server_root"])
        self.assertEqual(server.wait(), GOOD)

    def test_the_live_line(self):
        server = self.serve("--ticks", "300", "--tick-rate", "40")
        out, _ = self.join(server, "--predict", "12")
        line = (r"(?m)^tick \d+  playing 1 of 1  delay \d+  behind \d+ ms  rtt \d+\.\d ms  loss \d+\.\d %  "
                r"rollbacks {}  in .* kB/s  out .* kB/s  hashes agreed")
        self.assertRegex(out, line.format(r"\d+  ahead \d+"))
        self.assertEqual(server.wait(), GOOD)
        server = self.serve("--ticks", "300", "--tick-rate", "40")
        out, _ = self.join(server)
        self.assertRegex(out, line.format("-"))
        self.assertEqual(server.wait(), GOOD)

    def test_a_waiting_client_is_told_the_reason(self):
        server = self.serve("--tick-rate", "60")
        player = self.start_join(server, "--json")
        server.wait_line(r"^tick [1-9]\d*  peers 1", server.lines)
        server.process.send_signal(signal.SIGSTOP)  # a seat is free, but the server does not answer
        out = []
        while not out or out[-1]["event"] != "state" or out[-1]["state"] != "resuming":
            out.append(json.loads(player.stdout.readline()))
        self.assertEqual(out[-1]["reason"], "no packet from the server")
        texts = self.start_join(server)
        line = texts.stdout.readline()
        self.assertRegex(line, r"^tick 0  playing 0 of 1 \(1 handshake\)  delay 0  behind 0 ms  rtt ")
        server.process.send_signal(signal.SIGCONT)
        while out[-1]["event"] != "state" or out[-1]["state"] != "playing":
            out.append(json.loads(player.stdout.readline()))
        for process in (player, texts):
            process.terminate()
            self.end(process, GOOD)
        self.assertEqual(server.stop(), GOOD)

    def test_a_server_that_is_not_there_is_named(self):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as deaf:
            deaf.bind(("127.0.0.1", 0))
            address = f"127.0.0.1:{deaf.getsockname()[1]}"
            known = ("--known-servers", self.path("known"))
            silent = [self.start("join", address, *known, *more)
                      for more in ((), ("--sim", "skirmish", "--bots", "2"),
                                   ("--sim", "skirmish", "--json"))]
            for process in silent:
                out, err = self.end(process, MACHINE)
                self.assertIn(f"{address}: the server does not answer: does it run there", err)
        end = json.loads(out.splitlines()[-1])
        self.check(end, self.END)
        self.assertEqual((end["event"], end["state"]), ("end", "lost"))

    def test_local_mistakes_are_reported_before_a_server_is_asked(self):
        nowhere = ("join", "192.0.2.1:9", "--known-servers", self.path("known"))
        # A server that does not answer would be the message, were it asked before.
        for options, code, says in (
                (("--state", self.path("no", "seat")), MACHINE, self.path("no", "seat")),
                (("--input", "script:" + self.path("none")), USAGE, self.path("none")),
                (("--input", "script:" + self.write("s", "1 zz\n")), USAGE, "s:1: no bytes"),
                (("--relay-profile", "moon"), USAGE, "--relay-profile takes one of"),
                (("--relay-only", "left"), USAGE, "--relay-only is one of: both, up, down"),
                (("--relay-loss", "101"), USAGE, "--relay-loss takes a number of %"),
                (("--relay-seed", "x"), USAGE, "--relay-seed takes a number"),
                (("--relay-rebind-after", "0"), USAGE, "--relay-rebind-after takes a number")):
            _, err = self.command(*nowhere, *options, code=code)
            self.assertIn(says, err)
        self.assertFalse(os.path.exists(self.path("known")))

    def test_help_is_in_groups(self):
        out, _ = self.command("join", "--help")
        places = [out.index(group) for group in (
            "Players:", "Server and seat:", "Output:", "Simulation:", "Impairments")]
        self.assertEqual(places, sorted(places))
        for option in ("--input", "--predict", "--room", "--password-file", "--token", "--state",
                       "--json", "--relay-loss", "--sim"):
            self.assertIn(option, out)

    # -- play

    def test_prediction_rolls_back_and_stays_right(self):
        server = self.serve("--ticks", "300", "--wait", "2", sim=WALKERS)
        out, _ = self.join(server, "--bots", "2", "--predict", "20", "--json", "--relay-delay",
                           "60", "--relay-loss", "5", sim=WALKERS)
        lines = [json.loads(line) for line in out.splitlines()]
        seconds = [line for line in lines if line["event"] == "second"]
        for name, least in (("rollbacks", 0), ("ahead_ticks", 3), ("depth_ms", 0)):
            self.assertGreater(max(line[name] for line in seconds), least, name)
        self.assertIn("agreed", [line["hashes"] for line in seconds])
        self.assertNotIn("diverged", [line["hashes"] for line in seconds])
        # A bot played by `join`: the server is told that it is a bot.
        entered = [line for line in server.log if line.startswith("enter ")]
        self.assertEqual([re.search(r" bot=(\d)", line).group(1) for line in entered], ["1", "1"])
        self.assertEqual([line["state"] for line in lines if line["event"] == "end"],
                         ["ended"] * 2)
        self.assertEqual(server.wait(), GOOD)
        self.assertEqual(self.verified_ticks(self.recording(), "--sim", WALKERS), 300)
        fired = [tick for tick, _, kind, _ in inputs_of(self.recording()) if kind == ORDER]
        self.assertGreater(len(fired), 0)  # a busy machine plays late, and so fires seldom

    def test_a_script_lands_at_its_ticks(self):
        script = self.write("script", "# a stick to the right, then down\n\n"
                            "state 160 7f000000\nstate 162 007f0040  # and aims down\n"
                            "165 01\n170 01\n170 01\n")
        server = self.serve("--ticks", "210", sim=WALKERS)
        self.join(server, "--input", "script:" + script, sim=WALKERS)
        self.assertEqual(server.wait(), GOOD)
        inputs = inputs_of(self.recording())
        states = {tick: data.hex() for tick, _, kind, data in inputs if kind == STATE}
        self.assertEqual([states.get(tick) for tick in (160, 161, 162)],
                         ["7f000000", "7f000000", "007f0040"])
        orders = [(tick, data.hex()) for tick, _, kind, data in inputs if kind == ORDER]
        self.assertEqual(orders, [(165, "01"), (170, "01"), (170, "01")])
        self.assertEqual(self.verified_ticks(self.recording(), "--sim", WALKERS), 210)

    def test_a_script_lands_at_its_ticks_over_a_bad_network(self):
        script = self.write("script", "".join(f"{tick} 01\n" for tick in range(160, 190, 3)))
        server = self.serve("--ticks", "210", sim=WALKERS)
        self.join(server, "--input", "script:" + script, "--relay-delay", "80", "--relay-loss",
                  "10", sim=WALKERS)
        self.assertEqual(server.wait(), GOOD)
        self.assertEqual([tick for tick, _, kind, _ in inputs_of(self.recording())
                          if kind == ORDER], list(range(160, 190, 3)))

    def test_a_script_comes_through_a_pipe(self):
        server = self.serve("--ticks", "180", sim=WALKERS)
        player = subprocess.run(
            [BINARY, "join", server.host_port, "--sim", WALKERS, "--known-servers",
             self.path("known"), "--input", "script:/dev/stdin"], input="160 01\n165 01\n",
            cwd=self.folder, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
        self.assertEqual(player.returncode, GOOD, player.stderr)
        self.assertEqual(server.wait(), GOOD)
        self.assertEqual([tick for tick, _, kind, _ in inputs_of(self.recording())
                          if kind == ORDER], [160, 165])

    def test_a_mistake_in_a_script_is_named(self):
        server = self.served(sim=WALKERS)
        for text, says in (("1 zz\n", "s:1: no bytes"), ("\nx 01\n", "s:2: TICK is missing"),
                           ("5 01\n4 01\n", "s:2: the tick is not after"), ("1 01 02\n", "s:1: words after the bytes"),
                           ("state 3 01\n", "s:1: a state of this simulation has 4 bytes"),
                           ("state 3 00000000\nstate 3 00000000\n", "s:2: the tick is not after"),
                           ("1 0\n", "s:1: no bytes"), ("1 " + 257 * "00", "s:1: no bytes"),
                           ("99999999999 01\n", "s:1: TICK is missing")):
            _, err = self.join(server, "--input", "script:" + self.write("s", text), sim=WALKERS,
                               code=USAGE)
            self.assertIn(says, err)
        for path in (self.path("none"), self.folder, "/dev/zero"):
            _, err = self.join(server, "--input", "script:" + path, sim=WALKERS, code=USAGE)
            self.assertIn(path, err)
        refused = self.write("s", "140 02\n141 01\n")
        _, err = self.join(server, "--input", "script:" + refused, "--ticks", "160", sim=WALKERS)
        self.assertRegex(err, r"s:1: the simulation does not take this order")
        self.assertNotIn("s:2", err)
        server.wait()

    def test_random_inputs_are_valid_and_seeded(self):
        def play(seed):
            server = self.serve("--ticks", "400", "--tick-rate", "60", "--record", self.path(seed),
                                sim=WALKERS)
            self.join(server, "--input", "random", "--seed", seed, sim=WALKERS)
            self.assertEqual(server.wait(), GOOD)
            name, = os.listdir(self.path(seed))
            self.assertEqual(self.verified_ticks(self.path(seed, name), "--sim", WALKERS), 400)
            return {tick: data for tick, _, kind, data in inputs_of(self.path(seed, name))
                    if kind == STATE}
        first = play("1")
        other = play("2")
        self.assertGreater(len(set(first.values())), 20)
        both = set(first) & set(other)
        self.assertGreater(len(both), 20)
        self.assertTrue(any(first[tick] != other[tick] for tick in both))

    def test_random_orders_of_a_simulation_with_a_format(self):
        server = self.serve("--ticks", "300", "--tick-rate", "20")
        self.join(server, "--input", "random")
        self.assertEqual(server.wait(), GOOD)
        orders = [data for _, _, kind, data in inputs_of(self.recording()) if kind == ORDER]
        self.assertGreater(len(orders), 1)
        self.assertEqual(self.verified_ticks(self.recording()), 300)

    def test_a_spectator_that_plays_out_evenly(self):
        server = self.serve("--tick-rate", "60", "--end-when-empty")
        bots = self.start_join(server, "--bots", "2")
        server.wait_line(r"^tick [1-9]\d*  peers 2", server.lines)
        out, _ = self.join(server, "--spectate", "--predict", "10", "--ticks", "60", "--json")
        end = json.loads(out.splitlines()[-1])
        self.assertEqual((end["state"], end["diverged"]), ("ended", False))
        bots.terminate()
        self.end(bots, GOOD)
        self.assertEqual(server.wait(), GOOD)

    # -- joining

    def test_password(self):
        right, wrong = self.write("right", "tr0ub4dor\nmore\n"), self.write("wrong", "letmein\n")
        server = self.served("--password-file", right)
        # Clients without the password get no answer, and give up.
        strangers = [(self.start_join(server, *options), says) for options, says in
                     (((), "a password or a connect token is needed (join --password-file, --token)"),
                      (("--password-file", wrong), "the password is wrong"))]
        for stranger, says in strangers:
            _, err = self.end(stranger, REFUSED)
            self.assertIn("refuses: " + says, err)
        _, err = self.join(server, "--password-file", self.path("none"), code=USAGE)
        self.assertIn("first line is the password", err)
        _, err = self.join(server, "--password-file", self.write("open", "x\n", 0o644),
                           code=REFUSED)
        self.assertIn("chmod", err)
        _, err = self.join(server, "--password-file", self.write("empty", "\n"), code=USAGE)
        self.assertIn("empty", err)
        for _ in range(5):  # a hash of the password takes a busy machine some seconds, and the server waits for five
            player = self.start_join(server, "--password-file", right)
            out, err = player.communicate(timeout=TIMEOUT_S)
            if player.returncode == GOOD:
                break
        self.assertEqual(player.returncode, GOOD, out + err)
        self.assertEqual(server.wait(), GOOD)
        self.assertNotIn("tr0ub4dor", server.text())

    def test_token(self):
        key = self.path("key")
        self.command("keygen", key, "--token-key")
        server = self.served("--token-key", key, "--require-token")
        issue = ("token", "issue", "--key", key, "--client", "ada", "--server", server.address)
        self.command(*issue, "-o", self.path("pass"))
        self.command("join", "--token", self.path("pass"), "--bots", "2", code=USAGE)
        for word in ("random", "bot", "script:orders"):
            self.refuse("join", server.address, "--spectate", "--input", word, code=USAGE,
                        says=("leave out --spectate",))
        # The pass contains the server's address and key.
        out, _ = self.command("join", "--token", self.path("pass"), "--sim", "skirmish")
        self.assertIn("the match ended at tick 200", out)
        self.assertNotIn("trusting", out)
        self.assertEqual(server.wait(), GOOD)
        for event in ("enter", "leave"):
            server.wait_line(rf'^{event} tick=.* name="\S+" client="ada" ', server.log)

    def test_all_connections_in_use(self):
        for option, says in ((("--peers", "1"), "all 1 connections of the server are in use, "
                              "try again later (serve --peers)"),
                             (("--peers-per-address", "1"), "all 1 connections of this address are "
                              "in use (serve --peers-per-address)")):
            server = self.serve("--players", "8", *option)
            first = self.start_join(server)
            server.wait_line(r"^enter ", server.log)
            for who in ((), ("--spectate",)):
                _, err = self.join(server, *who, code=REFUSED)
                self.assertIn(says, err)
            is_warned = 'connections_few seats=8 peers=1 remedy="raise --peers"' in "".join(
                server.log)
            self.assertEqual(is_warned, option[0] == "--peers")
            first.terminate()
            self.end(first, GOOD)
            self.assertEqual(server.stop(), GOOD)

    def test_spectators_leave_a_connection_for_each_seat(self):
        server = self.serve("--players", "4", "--peers", "6")
        watchers = [self.start_join(server, "--spectate") for _ in range(2)]
        server.wait_line(r"^enter ", server.log, count=2)
        _, err = self.join(server, "--spectate", code=REFUSED)
        self.assertIn("the server keeps 4 of its 6 connections for open seats", err)
        self.assertIn("(serve --peers)", err)
        self.join(server, "--bots", "4", "--ticks", "60")
        for watcher in watchers:
            watcher.terminate()
            self.end(watcher, GOOD)
        self.assertEqual(server.stop(), GOOD)

    def test_limits_on_what_a_server_chooses(self):
        server = self.serve("--players", "8", "--tick-rate", "60")
        for option, code, says in (
                (("--tick-rate-max", "30"), REFUSED, "it has 60 ticks a second, more than the 30 that are "
                 "allowed (join --tick-rate-max)"),
                (("--players-max", "4"), REFUSED, "it has 8 seats, more than the 4 that are allowed "
                 "(join --players-max)"),
                (("--memory-max", "65536"), MACHINE, "more memory than the 65536 bytes that are allowed "
                 "(join --memory-max)")):
            _, err = self.join(server, *option, code=code)
            self.assertIn(says, err)
        server.wait_line(r"^client_failed .*more memory than the 65536 bytes", server.log)
        # Enough for a snapshot, and not for the states that are kept of its world.
        _, err = self.join(server, "--memory-max", "1000000", code=FAILED)
        self.assertIn("the world has grown to ", err)
        self.assertIn("more memory than the 1000000 that are allowed (join --memory-max)", err)
        self.join(server, "--memory-max", "100000000", "--tick-rate-max", "60", "--players-max", "8", "--ticks", "60")
        self.assertEqual(server.stop(), GOOD)

    def test_rooms_by_name(self):
        server = self.serve("--rooms", "0", "--rooms-max", "3", "--tick-rate", "60", sim=tiny("good"))
        first = self.start_join(server, "--room", "red", "--bots", "2", sim=tiny("good"))
        server.wait_line(r"^enter .*room=\"?red", server.log, count=2)
        self.join(server, "--room", "blue", "--ticks", "30", sim=tiny("good"))
        _, err = self.join(server, "--room", "r" * 40, code=USAGE, sim=tiny("good"))
        self.assertIn("--room", err)
        first.terminate()
        self.end(first, GOOD)
        self.assertEqual(server.stop(), GOOD)
        entered = [re.search(r'room="?(\w+)', line).group(1) for line in server.log
                   if line.startswith("enter")]
        self.assertEqual(sorted(entered), ["blue", "red", "red"])


if __name__ == "__main__":
    main()
