"""Hostile bytes and killed processes: the server continues, and the recording verifies."""
import os
import random
import socket
import time

from case import BINARY, GOOD, TIMEOUT_S, Case, main


def datagrams(seed):
    """Sends noise, truncated and mutated ENet connects, and floods of one byte."""
    source = random.Random(seed)
    connect = bytes.fromhex("8fff0000820f00010000ffff00000000"
                            "000004b0000100000000000200000000000000000000138800000002"
                            "0000000200000001deadbeef")
    for _ in range(4000):
        kind = source.randrange(4)
        if kind == 0:
            yield source.randbytes(source.randrange(1, 1500))
        elif kind == 1:
            yield connect[:source.randrange(1, len(connect))]
        elif kind == 2:
            data = bytearray(connect)
            for _ in range(source.randrange(1, 5)):
                data[source.randrange(len(data))] = source.randrange(256)
            yield bytes(data)
        else:
            yield bytes([source.randrange(256)]) * source.randrange(1, 1400)


class Faults(Case):
    def test_garbage_does_not_stop_the_match(self):
        server = self.serve("--wait", "2", "--tick-rate", "60", "--ticks", "200")
        bots = self.start_join(server, "--bots", "2")
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stranger:
            for number, data in enumerate(datagrams(seed=2024)):
                stranger.sendto(data, ("127.0.0.1", server.port))
                if number % 50 == 0:
                    time.sleep(0.02)
        self.end(bots, GOOD)
        self.assertEqual(server.wait(), GOOD)
        self.assertEqual(self.verified_ticks(self.recording()), 200)

    def test_closed_streams_do_not_reach_the_recording(self):
        self.assertEqual(os.system(
            f"'{BINARY}' serve --sim toyphys --port 0 --bind 127.0.0.1 --wait 0 --ticks 5 "
            f"--tick-rate 20 --identity '{self.path('identity')}' "
            f"--record '{self.path('recordings')}' <&- >&- 2>&-"), GOOD)
        self.assertEqual(self.verified_ticks(self.recording()), 5)

    def test_killed_bots_do_not_stop_the_others(self):
        server = self.serve("--wait", "2", "--tick-rate", "60", "--ticks", "240")
        first = self.start_join(server, "--name", "stays")
        second = self.start_join(server, "--name", "dies")
        server.wait_line(r"^tick [1-9]\d*  ", server.lines)
        second.kill()
        second.communicate(timeout=TIMEOUT_S)
        out, _ = self.end(first, GOOD)
        self.assertIn("the match ended at tick 240", out)
        self.assertEqual(server.wait(), GOOD)
        self.assertEqual(self.verified_ticks(self.recording()), 240)


main()
