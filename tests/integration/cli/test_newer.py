"""A build that knows one capability more (lockstep_newer) and a plain one play a match together."""
import contextlib
import json
import os
import socket
import subprocess

from case import BINARY, GOOD, Case, Server, main

NEWER = os.environ["LOCKSTEP_NEWER"]
HELLO, COOKIE = 0x41, 0x42
MORE = 1 << 31


def capabilities_in(datagram):
    """Those that a HELLO or a COOKIE names (docs/protocol.md)."""
    if datagram[0] == COOKIE:
        return int.from_bytes(datagram[-4:], "little")
    at = 27 + 1 + datagram[27] + 4 + 32  # after the name of the simulation, the token's key and the own key
    return int.from_bytes(datagram[at:at + 4], "little")


class Newer(Case):
    def serve_by(self, binary, *options):
        server = Server(self.folder, *options, binary=binary)
        self.servers.append(server)
        return server

    def join_by(self, binary, address, *options):
        return subprocess.Popen([binary, "join", address, "--sim", "skirmish", "--known-servers", self.path("known"),
                                 *options], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)

    def hello_of(self, binary):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as port:
            port.bind(("127.0.0.1", 0))
            port.settimeout(60)
            client = self.join_by(binary, "127.0.0.1:%d" % port.getsockname()[1])
            try:
                return port.recv(2000)
            finally:
                client.kill()
                client.communicate()

    def cookie_for(self, hello, port_number):
        """A datagram may be lost, so it is sent again each second."""
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as port:
            port.settimeout(1)
            for _ in range(60):
                port.sendto(hello, ("127.0.0.1", port_number))
                with contextlib.suppress(TimeoutError):
                    return port.recv(2000)
        return self.fail("the server does not answer")

    def test_each_build_says_what_it_knows(self):
        hellos = {binary: self.hello_of(binary) for binary in (BINARY, NEWER)}
        plain = capabilities_in(hellos[BINARY])
        self.assertEqual(plain & MORE, 0)
        self.assertEqual(capabilities_in(hellos[NEWER]), plain | MORE)
        for server, known in ((BINARY, plain), (NEWER, plain | MORE)):
            running = self.serve_by(server)
            for hello in hellos.values():
                self.assertEqual(capabilities_in(self.cookie_for(hello, running.port)), known)
            self.assertEqual(running.stop(), GOOD)

    def play(self, server_binary, *clients):
        """A match until its END, in which all agree on every root."""
        server = self.serve_by(server_binary, "--ticks", "300", "--tick-rate", "40", "--wait", str(len(clients)),
                               "--units", "400")
        started = [self.join_by(binary, server.host_port, "--bots", "1", "--json") for binary in clients]
        for client in started:
            lines = [json.loads(line) for line in self.end(client, GOOD)[0].splitlines()]
            self.assertEqual((lines[-1]["event"], lines[-1]["state"], lines[-1]["tick"], lines[-1]["diverged"]),
                             ("end", "ended", 300, False))
            hashes = {line["hashes"] for line in lines if line["event"] == "second"}
            self.assertTrue({"agreed"} <= hashes <= {"none", "agreed"}, hashes)
        self.assertEqual(server.wait(), GOOD)
        self.assertRegex(server.text(), r"(?m)^ended tick=300 root=[0-9a-f]{16} desyncs=0$")
        self.assertEqual(self.verified_ticks(self.recording()), 300)

    def test_a_newer_client_plays_on_a_plain_server(self):
        self.play(BINARY, NEWER, BINARY)

    def test_a_plain_client_plays_on_a_newer_server(self):
        self.play(NEWER, BINARY, NEWER)


if __name__ == "__main__":
    main()
