"""IPv6 on loopback: a match of both families, a seat that changes the family, relay, tokens, health check."""
import os
import re
import signal
import socket
import subprocess
import unittest

from case import BINARY, DIVERGED, GOOD, MACHINE, TIMEOUT_S, USAGE, Case, main


def has_ipv6():
    try:
        with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as file:
            file.bind(("::1", 0))
        return True
    except OSError:
        return False


@unittest.skipUnless(has_ipv6(), "this machine has no IPv6 loopback")
class Families(Case):
    def ask(self, host, server, *options):
        return self.start("join", f"{host}:{server.port}#{server.address.split('#')[1]}",
                          "--sim", "skirmish", *options)

    def wait_entry(self, server, name, host):
        server.wait_line(rf'^enter .* name="{name}" address={re.escape(host)}:\d+', server.log)

    def test_and_ipv4_play_one_match(self):
        server = self.serve("--bind", "::", "--tick-rate", "50", "--wait", "2")
        self.assertTrue(server.address.startswith("127.0.0.1:"), server.address)
        both = [self.ask(host, server, "--name", name, "--bots", "1", "--ticks", "300")
                for host, name in (("127.0.0.1", "four"), ("[::1]", "six"))]
        self.wait_entry(server, "four", "127.0.0.1")
        self.wait_entry(server, "six", "[::1]")
        for process in both:
            out, _ = self.end(process, GOOD)
            self.assertIn("hashes agreed", out)
        self.assertEqual(server.stop(), GOOD)
        self.assertGreater(self.verified_ticks(self.recording()), 50)

    def test_seat_changes_the_family(self):
        server = self.serve("--bind", "::", "--tick-rate", "50", "--wait", "2")
        seat = self.path("seat")
        other = self.ask("127.0.0.1", server, "--name", "other")
        self.wait_entry(server, "other", "127.0.0.1")
        killed = self.ask("[::1]", server, "--name", "ada", "--state", seat)
        server.wait_line(r"^tick [1-9]\d*  peers 2", server.lines)
        self.wait_until(lambda: os.path.exists(seat), server.text)
        killed.kill()
        self.end(killed, -signal.SIGKILL)
        out, _ = self.end(self.ask("127.0.0.1", server, "--name", "ada", "--state", seat,
                                   "--ticks", "30"), GOOD)
        self.assertIn("its ticks are done", out)
        entered = [line for line in server.log if line.startswith("enter") and 'name="ada"' in line]
        self.assertEqual(len(entered), 2, server.text())
        self.assertIn("player=1 ", entered[0])
        self.assertIn("address=[::1]:", entered[0])
        self.assertIn("player=1 ", entered[1])
        self.assertIn("address=127.0.0.1:", entered[1])
        other.terminate()
        self.end(other, GOOD)
        self.assertEqual(server.stop(), GOOD)

    def test_address_alone(self):
        server = self.serve("--bind", "::1", "--tick-rate", "100")
        self.assertTrue(server.address.startswith("[::1]:"), server.address)
        self.join(server, "--bots", "1", "--ticks", "10")
        with open(self.path("known"), encoding="utf-8") as file:
            self.assertIn("[::1]:", file.read())
        # It finds the address of the port by itself, although another process has the port in the other family.
        other = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.addCleanup(other.close)
        try:
            other.bind(("127.0.0.1", server.port))
        except OSError:
            pass  # one has it already
        self.command("serve", "--healthcheck", "--port", str(server.port))
        self.command("serve", "--healthcheck", "--bind", "::1", "--port", str(server.port))
        self.command("serve", "--healthcheck", "--bind", "127.0.0.1", "--port", str(server.port),
                     code=DIVERGED)
        self.refuse("serve", "--sim", "skirmish", "--bind", "::1", "--port", str(server.port),
                    "--temporary-identity", code=MACHINE, says=("is taken",))

    def test_tokens_name_their_server(self):
        self.command("keygen", "--token-key", self.path("key"))
        server = self.serve("--bind", "::1", "--tick-rate", "100", "--token-key", self.path("key"),
                            "--require-token")
        issue = ("token", "issue", "--key", self.path("key"), "--client", "ada")
        self.command(*issue, "--server", server.address, "--output", self.path("good"))
        self.command(*issue, "--server", f"[::1]:{server.port + 1}#{server.address.split('#')[1]}",
                     "--output", self.path("elsewhere"))
        out, _ = self.command("token", "show", self.path("good"))
        self.assertIn(f"[::1]:{server.port}", out)
        # The file says where the server is.
        self.command("join", "--sim", "skirmish", "--token", self.path("good"), "--ticks", "2")
        self.end(self.start_join(server, "--token", self.path("elsewhere"), "--ticks", "2"), 6)
        server.wait_line(r'^auth_rejected address=\[::1\]:\d+ client="ada" reason="the connect token is for a server at',
                         server.log)

    def test_relay_of_both_families(self):
        server = self.serve("--bind", "::1", "--tick-rate", "100", "--wait", "0")
        for listen in ("127.0.0.1:0", "[::1]:0"):
            relay = subprocess.Popen([BINARY, "relay", "--to", server.address, "--listen", listen],
                                     stdout=subprocess.PIPE, text=True)
            try:
                at = re.match(r"relaying (\S+) to \[::1\]:", relay.stdout.readline()).group(1)
                self.assertTrue(at.startswith(listen[:-1]), at)
                self.command("join", at, "--sim", "skirmish", "--ticks", "5")
            finally:
                relay.terminate()
                relay.wait(TIMEOUT_S)
                relay.stdout.close()

    def test_words_of_wrong_addresses(self):
        self.refuse("serve", "--sim", "skirmish", "--bind", "::g", "--temporary-identity", code=USAGE,
                    says=("'::g'", "not an IP address"))
        self.refuse("join", "::1:7777", "--sim", "skirmish", code=USAGE, says=("[ADDRESS]:PORT",))
        self.refuse("relay", "--to", "[::1]:1", "--listen", "::1:0", code=USAGE, says=("[IPV6]:PORT",))


if __name__ == "__main__":
    main()
