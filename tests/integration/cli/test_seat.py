#!/usr/bin/env python3
"""A client that was killed regains its seat with its seat file; other servers never receive the secret in it."""
import os
import re
import signal
import time

from case import CORRUPT, GOOD, TIMEOUT_S, REFUSED, Case, main


class Seat(Case):
    def wait_file(self, path, before=None):
        """Waits until a client has written its seat, which it does after the server has admitted it; returns the
        text. `before` is the text of another client's seat."""
        end = time.monotonic() + TIMEOUT_S
        while True:
            if os.path.exists(path):
                with open(path, encoding="ascii") as file:
                    text = file.read()
                if text != before:
                    return text
            self.assertLess(time.monotonic(), end, path)
            time.sleep(0.01)

    def test_a_killed_client_sits_where_it_sat(self):
        server = self.serve("--tick-rate", "50", "--wait", "2")
        seat = self.path("seat")
        other = self.start_join(server, "--name", "other")
        server.wait_line(r'^enter .* player=0 name="other"', server.log)
        killed = self.start_join(server, "--name", "ada", "--state", seat)
        server.wait_line(r"^tick [1-9]\d*  peers 2", server.lines)
        before = self.wait_file(seat)
        self.assertEqual(os.stat(seat).st_mode & 0o777, 0o600)
        killed.kill()
        self.end(killed, -signal.SIGKILL)
        out, _ = self.join(server, "--name", "ada", "--state", seat, "--ticks", "30")
        self.assertIn("its ticks are done", out)
        # This works at once, even before the server notices that the first client is gone.
        server.wait_line(r'^leave .* player=1 .*taken its seat', server.log)
        entered = [line for line in server.log if 'name="ada"' in line and line.startswith("enter")]
        self.assertEqual(len(entered), 2, server.text())
        for line in entered:
            self.assertIn("player=1 ", line)
        with open(seat, encoding="ascii") as file:
            self.assertNotEqual(file.read(), before)
        other.terminate()
        self.end(other, GOOD)
        self.assertEqual(server.stop(), GOOD)

    def entered(self, server):
        return sum(line.startswith("enter ") for line in server.log)

    def test_a_session_that_is_replaced_does_not_come_back(self):
        server = self.serve("--tick-rate", "50", "--wait", "1")
        seat = self.path("seat")
        first = self.start_join(server, "--name", "first", "--state", seat)
        server.wait_line(r'^enter .* player=0 name="first"', server.log)
        before = self.wait_file(seat)
        second = self.start_join(server, "--name", "second", "--state", seat)
        _, err = self.end(first, REFUSED)
        self.wait_file(seat, before)
        self.assertIn("another session has taken its seat", err)
        server.wait_line(r"^tick [1-9]\d*  peers 1", server.lines)
        # The file now belongs to the second client: after a kill it regains its seat with it.
        second.kill()
        self.end(second, -signal.SIGKILL)
        self.join(server, "--name", "third", "--state", seat, "--ticks", "30")
        self.assertEqual(server.stop(), GOOD)
        self.assertEqual(self.entered(server), 3, server.text())
        server.wait_line(r'^enter .* player=0 name="third"', server.log)

    def relay(self, server, listen):
        process = self.start("relay", "--to", server.host_port, "--listen", listen, "--quiet")
        return process, re.search(r"127\.0\.0\.1:\d+", process.stdout.readline()).group()

    def test_a_client_that_was_cut_off_leaves_the_file_alone(self):
        server = self.serve("--tick-rate", "50", "--wait", "1")
        seat = self.path("seat")
        relay, through = self.relay(server, "0")
        first = self.start("join", through, "--sim", "skirmish", "--known-servers", self.path("known"),
                           "--name", "first", "--state", seat)
        server.wait_line(r'^enter .* player=0 name="first"', server.log)
        before = self.wait_file(seat)
        relay.kill()
        self.end(relay, -signal.SIGKILL)
        second = self.start_join(server, "--name", "second", "--state", seat)
        server.wait_line(r'^enter .* player=0 name="second"', server.log)
        server.wait_line(r"^tick [1-9]\d*  peers 1", server.lines)
        kept = self.wait_file(seat, before)
        relay, _ = self.relay(server, through)
        # The first client's connection was cut, and its seat is taken: it joins as another player.
        server.wait_line(r'^enter .* player=1 name="first"', server.log)
        server.wait_line(r"^tick [1-9]\d*  peers 2", server.lines)
        first.terminate()
        _, err = self.end(first, GOOD)
        self.assertIn("now belongs to another client", err)
        with open(seat, encoding="ascii") as file:
            self.assertEqual(file.read(), kept)
        for process in (second, relay):
            process.terminate()
            self.end(process, GOOD)
        self.assertEqual(server.stop(), GOOD)

    def test_attack_11_the_client_that_is_replaced_ends(self):
        key, passport = self.path("key"), self.path("pass")
        self.command("keygen", key, "--token-key")
        server = self.serve("--tick-rate", "50", "--wait", "1", "--token-key", key, "--require-token")
        self.command("token", "issue", "--key", key, "--client", "ada", "--server", server.address,
                     "-o", passport)
        first = self.start_join(server, "--token", passport)
        server.wait_line(r'^enter .* client="ada"', server.log)
        second = self.start_join(server, "--token", passport, "--ticks", "50")
        _, err = self.end(first, REFUSED)
        self.assertIn("another session has taken its seat", err)
        self.end(second, GOOD)
        self.assertEqual(server.stop(), GOOD)
        self.assertEqual(self.entered(server), 2, server.text())

    def test_a_damaged_file_is_named(self):
        server = self.serve("--wait", "1")
        seat = self.path("seat")
        with open(os.open(seat, os.O_CREAT | os.O_WRONLY, 0o600), "w", encoding="ascii") as file:
            file.write("no seat\n")
        _, err = self.end(self.start_join(server, "--state", seat), CORRUPT)
        self.assertIn(seat, err)
        self.assertEqual(server.stop(), GOOD)


if __name__ == "__main__":
    main()
