"""Programs whose libenet does not call our socket functions: the link works over ENet's own sockets, with IPv4."""
import os
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "integration", "cli"))
import case  # noqa: E402
from case import GOOD, USAGE, Case  # noqa: E402

PROGRAMS = (os.environ["LOCKSTEP_OWN_SOCKETS"], os.environ["LOCKSTEP"])
TESTS = ("test_link_enet", "test_link_enet_direct", "test_link_enet_floods", "test_link_enet_gate",
         "test_link_enet_replays")


class OwnSockets(Case):
    def check_match(self, server_program, *options):
        case.BINARY = server_program
        server = self.serve("--wait", str(len(PROGRAMS)), "--ticks", "150", "--tick-rate", "60")
        clients = []
        for number, case.BINARY in enumerate(PROGRAMS):
            clients.append(self.start("join", server.address, "--sim", "skirmish", "--name", f"client{number}",
                                      *options))
        for client in clients:
            out, _ = self.end(client, GOOD)
            self.assertIn("ended at tick 150", out)
        self.assertEqual(server.wait(), GOOD, server.text())
        self.assertRegex(server.text(), r"(?m)^ended tick=150 root=[0-9a-f]{16} desyncs=0$")

    def test_own_sockets_play_with_ours(self):
        for program in PROGRAMS:
            with self.subTest(server=program):
                self.check_match(program)

    def test_own_sockets_play_over_a_bad_network(self):
        self.check_match(PROGRAMS[0], "--relay-profile", "bad")

    def test_own_sockets_refuse_ipv6_with_the_reason(self):
        case.BINARY = PROGRAMS[0]
        self.refuse("serve", "--sim", "skirmish", "--port", "0", "--bind", "::", "--temporary-identity", code=USAGE,
                    says=("no IPv6", "ENet uses its own sockets"))

    def test_own_sockets_pass_the_tests_of_the_link(self):
        for test in TESTS:
            with self.subTest(test=test):
                done = subprocess.run((os.environ["LOCKSTEP_OWN_SOCKETS_TESTS"], test), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                      text=True, timeout=case.TIMEOUT_S, check=False)
                self.assertEqual(done.returncode, 0, done.stdout)


if __name__ == "__main__":
    unittest.main(verbosity=2)
