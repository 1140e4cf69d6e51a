"""The tables and vectors of docs/protocol.md that need no server."""
import re
from unittest import mock

import carrier
import handshake
import wire
from case import Case
from session import PAGE
from wire import CONTROL, TICKS


def vectors():
    """The block of vectors, by name."""
    with open(PAGE, encoding="utf-8") as file:
        block = file.read().split("```vectors\n")[1].split("```")[0]
    found, name = {}, None
    for line in block.splitlines():
        name = line[:24].strip() or name
        found[name] = found.get(name, b"") + bytes.fromhex(line[24:])
    return found


class Vectors(Case):
    """Vectors."""

    def test_key_schedule(self):
        page = vectors()
        shake = handshake.Handshake(
            4, b"0123456789abcde\0", "skirmish 1.2", secret=b"\x21" * 32, random=b"\x22" * 32,
            name="Ada", flags=2, build="clang 14 wasm browser", room="lobby", resume=b"\x31" * 32,
            token=page["token"], psk=b"\x43" * 32)
        self.assertEqual(shake.public, page["e_c"])
        self.assertEqual(handshake.hashed(shake.hello()), page["hello hash"])
        expiry = wire.number(1800086400, 8)
        cookie = bytes([0x42, 3, 0, 3, 0]) + shake.fingerprint
        cookie += page["hello hash"] + wire.number(7, 4)
        cookie += page["cookie"] + page["s"] + expiry + page["identity"] + page["signature"]
        cookie += wire.number(1, 4)
        shake.read_cookie(cookie, unix_s=1800000000)
        self.assertEqual(shake.before_auth,
                         (page["transcript after 5"], page["secret after 5"]))
        self.assertEqual(len(shake.auth), 1100)
        self.assertEqual(handshake.hashed(shake.auth), page["H(AUTH)"])
        self.assertEqual(shake.schedule[0], page["transcript after 7"])
        granted = shake.read_accept(page["ACCEPT"])
        for name, key in granted["keys"].items():
            self.assertEqual(key, page[name], name)
        self.assertEqual(
            {name: granted[name] for name in granted if name not in ("keys", "resume secret")},
            {"player": 1, "connect id": 12648430, "epoch": 3, "tick": 1234, "seed": 9,
             "tick rate": 60, "seats": 2, "options": [-2], "room": "lobby",
             "build": "gcc 12 x86_64 linux"})
        self.assertEqual(granted["resume secret"], b"\x14" * 32)
        sealing = wire.Sealing(granted["keys"])
        self.assertEqual(sealing.close(CONTROL, wire.CONFIRM, b""), page["CONFIRM packet"])
        self.assertEqual(
            sealing.close(TICKS, wire.SNAPSHOT_REQUEST, wire.snapshot_request(0, 0, 32768)),
            page["SNAPSHOT_REQUEST packet"])
        self.assertEqual(handshake.password_psk("open sesame", page["identity"]),
                         page["password's psk"])
        enet = carrier.Carrier(mock.Mock(), granted)
        with mock.patch("carrier.time.monotonic", return_value=4.66):  # 0x1234 ms
            enet.connect()
        self.assertEqual(enet.last_sent, page["CONNECT datagram"])
        enet.peer, enet.session = 5, 2
        enet.send_ticks(page["SNAPSHOT_REQUEST packet"])
        self.assertEqual(enet.last_sent, page["ticks datagram"])
        enet.answer(page["CHALLENGE"])
        self.assertEqual(enet.last_sent, page["RESPONSE"])

    def test_commands(self):
        """Datagram: the numbers and sizes that this client uses are those of the page."""
        with open(PAGE, encoding="utf-8") as file:
            rows = re.findall(r"^\| ([A-Z_]+) \| ([0-9a-f]{2})\b[^|]*\| (\d+)", file.read(), re.M)
        self.assertEqual(len(rows), 9)
        for name, first, count in rows:
            number = int(first, 16) & 15
            self.assertEqual(getattr(carrier, name), number)
            self.assertEqual(carrier.BYTES.get(number, 48), int(count))

    def test_certificate(self):
        page = vectors()
        shake = handshake.Handshake(4, b"0123456789abcde\0", "x")
        good = bytes([0x42, 3, 0, 3, 0]) + shake.fingerprint
        good += handshake.hashed(shake.hello()) + bytes(36) + page["s"]
        good += wire.number(1800086400, 8) + page["identity"] + page["signature"] + bytes(4)
        shake.read_cookie(good, unix_s=1800000000)
        for at in (21, 89, 121, 129, 161):  # hello hash, s, expiry, identity, signature
            bad = bytearray(good)
            bad[at] ^= 1
            with self.assertRaises(wire.Violation):
                shake.read_cookie(bytes(bad), unix_s=1800000000)
        for bad, now in ((good, 1800086400), (good + b"\0", 1800000000), (good[:-1], 1800000000)):
            with self.assertRaises(wire.Violation):
                shake.read_cookie(bad, unix_s=now)
