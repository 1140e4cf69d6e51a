#!/usr/bin/env python3
"""A client that is killed takes its seat again from its file; nobody else is shown the file."""
import os
import signal

from case import CORRUPT, GOOD, Case, main


class Seat(Case):
    def test_a_killed_client_sits_where_it_sat(self):
        server = self.serve("--tick-rate", "50", "--wait", "2")
        seat = self.path("seat")
        other = self.start_join(server, "--name", "other")
        server.wait_line(r'^enter .* player=0 name="other"', server.log)
        killed = self.start_join(server, "--name", "ada", "--state", seat)
        server.wait_line(r"^tick [1-9]\d*  peers 2", server.lines)
        self.assertEqual(os.stat(seat).st_mode & 0o777, 0o600)
        with open(seat, encoding="ascii") as file:
            before = file.read()
        killed.kill()
        self.end(killed, -signal.SIGKILL)
        out, _ = self.join(server, "--name", "ada", "--state", seat, "--ticks", "30")
        self.assertIn("its ticks are done", out)
        # At once, though the server has not missed the killed one yet.
        server.wait_line(r'^leave .* player=1 .*taken its seat over', server.log)
        entered = [line for line in server.log if 'name="ada"' in line and line.startswith("enter")]
        self.assertEqual(len(entered), 2, server.text())
        for line in entered:
            self.assertIn("player=1 ", line)
        with open(seat, encoding="ascii") as file:
            self.assertNotEqual(file.read(), before)
        other.terminate()
        self.end(other, GOOD)
        self.assertEqual(server.stop(), GOOD)

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
