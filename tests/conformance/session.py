"""A server of a small simulation, and clients of it that end with their test."""
import os
import re

import handshake
from case import TINY, Case
from client import ENGINE, Client, Refused, ask, open_socket

PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "protocol.md")
HELD = os.path.join(TINY, "held.so")
SIMULATION = "held 1"


class Session(Case):
    """A server of a small simulation; the fingerprint is read from its REJECT, once."""

    fingerprint = None

    def begin(self, *options):
        server = self.serve("--wait", "1", *options, sim=HELD)
        if not Session.fingerprint:
            with self.connected(server) as sock:
                answer = ask(sock, handshake.Handshake(ENGINE, bytes(16), SIMULATION).hello())
            code, _, _, reason = handshake.read_reject(answer)
            self.assertEqual(code, 2)
            Session.fingerprint = bytes.fromhex(re.findall(r"[0-9a-f]{32}", reason)[-1])
        return server

    @staticmethod
    def connected(server):
        return open_socket(server.address)[0]

    def client(self, server, **options):
        client = Client(server.address, SIMULATION, Session.fingerprint, **options)
        self.addCleanup(client.close)
        return client

    def refused(self, server, code, **options):
        with self.assertRaises(Refused) as caught:
            self.client(server, **options).enter()
        self.assertEqual(caught.exception.code, code)
        self.assertTrue(caught.exception.reason)
