"""What the server drops, and that nothing comes of it."""
import struct
import time

import handshake
import wire
from carrier import sign
from client import listen
from session import Session
from wire import CONTROL, TICKS


RATE = 20
TRIALS = 5  # a machine that is busy for seconds spoils one of them


def reliable(sequence, data, flag=0x80):
    """Datagram: a SEND_RELIABLE."""
    return struct.pack(">BBHH", flag | 6, CONTROL, sequence & 0xffff, len(data)) + data


class Misbehaving(Session):
    def test_carrier(self):
        """Authentication and Connecting: what is altered, recorded or not admitted does nothing."""
        server = self.begin()
        client = self.client(server)
        client.shake_hands()
        enet = client.carrier
        enet.connect()
        connect = enet.last_sent
        self.assertEqual((len(connect), connect[:2]), (64, b"\x8f\xff"))
        client.run(lambda: enet.is_connected)
        client.send(CONTROL, wire.CONFIRM, b"")
        client.join()
        # A DISCONNECT whose code is wrong, or by the server's key, ends nothing.
        goodbye = b"\x44\xff\0\0\0\0\0\0"
        head = (enet.peer | enet.session << 12).to_bytes(2, "big")
        enet.sent += 1
        goodbye = head + struct.pack("<I", enet.sent) + goodbye
        for bad in (goodbye, goodbye + bytes(8), sign(goodbye, enet.receive_key),
                    sign(goodbye, enet.send_key)[:-4]):
            client.socket.send(bad)
        # A recorded CONNECT, from here and from elsewhere.
        with self.connected(server) as stranger:
            for sock in (stranger, client.socket):
                for _ in range(3):
                    sock.send(connect)
            self.assertIsNone(listen(stranger, 0.2))
        order = client.sealing.close(TICKS, wire.UPDATE,
                                     wire.update(client.next, orders=[(1, 0, b"\x05")]))
        good = enet.datagram(enet.unsequenced(order), has_time=False)
        for bit in (*range(14 * 8), *range(8 * len(good) - 64, 8 * len(good))):
            bad = bytearray(good)  # all that the sealing does not cover
            bad[bit // 8] ^= 1 << bit % 8
            client.socket.send(bytes(bad))
        # With a valid MAC: a byte more, a command that is not listed, another value, a channel,
        # without the flag, one beyond 32, shorter than sealed, out of reach.
        for commands in (enet.unsequenced(order) + b"\0",
                         enet.unsequenced(order) + b"\x07\0\0\0\0\0\0\0",
                         enet.unsequenced(order) + b"\x0c\xff\0\0",
                         b"\x8a\xff\0\0\0\0\0\1\0\0\0\0" + enet.unsequenced(order),
                         b"\x8b\xff\0\0" + bytes(12) + enet.unsequenced(order),
                         b"\x49\1" + enet.unsequenced(order)[2:],
                         b"\x05\xff\0\7" + enet.unsequenced(order),
                         b"\x85\xff\0\7" * 32 + enet.unsequenced(order),
                         enet.unsequenced(bytes(20)) + enet.unsequenced(order),
                         b"\x86\1\0\x22\0\x15" + bytes(21) + enet.unsequenced(order)):
            client.socket.send(enet.datagram(commands))
        # Without the sent time, which the acknowledgement needs.
        client.socket.send(enet.datagram(b"\x85\xff\0\7" + enet.unsequenced(order),
                                         has_time=False))
        tick = client.next
        client.run(lambda: client.next > tick + 20)
        self.assertEqual((client.acked, client.inputs(wire.ORDER)), (0, []))
        # Behind commands with the right values it is taken.
        commands = b"\x85\xff\0\7\x8a\xff\0\0" + bytes(8)
        client.socket.send(enet.datagram(commands + enet.unsequenced(order)))
        client.run(lambda: client.acked == 1)
        self.assertFalse(enet.is_closed)
        # And this one ends the session.
        enet.disconnect()
        server.wait_line(r"leave .*player=0", server.log)

    def test_attack_26_flood_of_commands(self):
        """Authentication: commands out of reach and PINGs under one's own keys hold up no tick."""
        server = self.begin("--wait", "0", "--tick-rate", str(RATE))
        honest = self.client(server).enter()
        honest.join()
        flood = self.client(server, flags=handshake.SPECTATOR).enter()
        flood.load()
        first = flood.carrier.sequences[CONTROL] + 2  # one is left out

        def hurl(commands):
            flood.socket.send(flood.carrier.datagram(commands))

        for at in range(first, first + 24576, 180):  # as the attack was found, then in our form
            hurl(b"".join(reliable(at + k, b"", 0) for k in range(180)))
        for at in range(first, first + 24576, 32):
            hurl(b"".join(reliable(at + k, bytes(21)) for k in range(32)))
        self.assertTrue(any(self.go_on(server, honest, flood, hurl, first) for _ in range(TRIALS)))
        self.assertFalse(flood.carrier.is_closed)

    def go_on(self, server, honest, flood, hurl, first):
        """True if ticks come to the honest client during three seconds of the flood. What other processes took from the
        server does not count."""
        tick, begin, waited_s = honest.next, time.monotonic(), server.waited_s()
        seen = [(tick, begin)]
        while time.monotonic() < begin + 3:
            hurl(reliable(first, b"", 0) * 180)
            hurl(reliable(first, bytes(21)) * 32)
            hurl(struct.pack(">BBH", 0x85, 255, 7) * 290)
            flood.step()
            honest.step()
            if honest.next > seen[-1][0]:
                seen.append((honest.next, time.monotonic()))
        # The attack held ticks up for seconds.
        waited_s = server.waited_s() - waited_s
        longest_s = max(b[1] - a[1] for a, b in zip(seen, seen[1:] + [(0, time.monotonic())]))
        return longest_s < 1.0 + waited_s and honest.next - tick > RATE * (2 - waited_s)

    def test_sealing(self):
        """Sealed packet, Replay: a flipped bit and a second copy are dropped, each counter once."""
        server = self.begin()
        client = self.client(server).enter()
        client.join()
        plain = wire.update(client.next, orders=[(1, 0, b"\x05")])
        packet = client.sealing.close(TICKS, wire.UPDATE, plain)
        for bit in range(len(packet) * 8):
            bad = bytearray(packet)
            bad[bit // 8] ^= 1 << bit % 8
            client.carrier.send_ticks(bytes(bad))
        for bad in (packet[:-1], packet + b"\0", packet[:25], b"\x03"):
            client.carrier.send_ticks(bad)
        client.carrier.send_control(packet)  # of the other channel
        tick = client.next
        client.run(lambda: client.next > tick + 10)
        self.assertEqual((client.acked, client.inputs(wire.ORDER)), (0, []))
        client.carrier.send_ticks(packet)
        client.run(lambda: client.acked == 1)
        self.assertEqual([data for _, data in client.inputs(wire.ORDER)], [b"\x05"])

    def test_replay_of_ticks(self):
        """Replay: a copy of a SNAPSHOT_REQUEST is not answered again, nor is one that is too old."""
        server = self.begin("--wait", "0")
        client = self.client(server, flags=handshake.SPECTATOR).enter()
        client.load()
        client.is_started = False  # from here on nothing but what this test sends
        ask_for_one = wire.snapshot_request(0, 0, 1)
        old = client.sealing.close(TICKS, wire.SNAPSHOT_REQUEST, ask_for_one)
        packet = client.sealing.close(TICKS, wire.SNAPSHOT_REQUEST, ask_for_one)

        def answers(sent, is_answered=False):
            chunks = []
            client.receive_chunk = chunks.append
            client.carrier.send_ticks(sent)
            if is_answered:
                client.run(lambda: chunks)
            self.rest(client, 0.15)
            return len(chunks)

        self.assertEqual([answers(packet, True)] + [answers(packet) for _ in range(3)], [1, 0, 0, 0])
        counter = client.sealing.send_next[TICKS] + 1023 - 1
        client.sealing.send_next[TICKS] = counter - 1  # so that `old` is just within the window
        self.assertEqual(answers(client.sealing.close(TICKS, wire.SNAPSHOT_REQUEST,
                                                      ask_for_one), True), 1)
        self.assertEqual([answers(old, True), answers(old)], [1, 0])
        client.sealing.send_next[TICKS] += 1024
        last = client.sealing.close(TICKS, wire.SNAPSHOT_REQUEST, ask_for_one)
        self.assertEqual(answers(last, True), 1)
        self.assertEqual(answers(packet), 0)

    def test_snapshot_requests(self):
        """Loading: one that is gone or beyond the end is answered with the newest one's start."""
        server = self.begin("--wait", "0")
        client = self.client(server, flags=handshake.SPECTATOR).enter()
        tick, _ = client.load()
        client.is_started = False
        total = client.loaded[1]
        for request in ((tick, total, 1), (0, total + 1024, 1), (1 << 40, 0, 1024)):
            chunks = []
            client.receive_chunk = chunks.append
            client.send(TICKS, wire.SNAPSHOT_REQUEST, wire.snapshot_request(*request))
            client.run(lambda found=chunks: found)
            self.assertEqual([(chunk[0] >= tick, chunk[3]) for chunk in chunks], [(True, 0)])

    @staticmethod
    def rest(client, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            client.step()

    def test_replayed_pause(self):
        """A message on the control channel is taken once: a replayed PAUSE does not pause again."""
        server = self.begin("--allow-pause")
        client = self.client(server).enter()
        client.join()
        pause = client.send(CONTROL, wire.PAUSE, b"\1")
        client.run(lambda: client.inputs(wire.PAUSED))
        client.send(CONTROL, wire.PAUSE, b"\0")
        client.run(lambda: client.inputs(wire.RESUMED))
        client.carrier.send_control(pause)
        client.run(lambda: not client.carrier.waiting)
        tick = client.next
        client.run(lambda: client.next > tick + 20)
        self.assertEqual(len(client.inputs(wire.PAUSED)), 1)

    def test_before_confirm(self):
        """CONFIRM: until it came the server takes and sends nothing."""
        server = self.begin("--wait", "0")
        client = self.client(server)
        client.shake_hands()
        client.connect()
        client.send(TICKS, wire.SNAPSHOT_REQUEST, wire.snapshot_request(0, 0, 1024))
        client.send(CONTROL, wire.BYE, wire.text(""))
        self.rest(client, 0.3)
        self.assertEqual(client.sealing.highest, [-1, -1])
        client.send(CONTROL, wire.CONFIRM, b"")
        client.load()

    def test_malformed_messages(self):
        """Violations: dropped whole, and the session goes on."""
        server = self.begin()
        client = self.client(server).enter()
        client.join()
        order = wire.update(client.next, orders=[(1, 0, b"\x05")])
        bad = [(TICKS, wire.UPDATE, data) for data in (
            order[:-1], order + b"\0", order[:12] + b"\x12" + order[13:], order[:12] + b"\x0a" + order[13:],
            order[:13] + b"\0" + order[14:], order[:13] + b"\2" + order[14:],
            wire.update(client.next, gap=(client.next + 1, 0), orders=[(1, 0, b"x")]),
            wire.update(client.next, gap=(client.next, 601), orders=[(1, 0, b"x")]),
            wire.update(9, gap=(8, 1), orders=[(1, 0, b"x")]),
            wire.update(client.next, orders=[(1, 0, b"x")], roots=[(client.next, 0)], is_batch=True),
            wire.update(client.next, orders=[(1, 0, b"x")], roots=[(client.next, 0), (client.next + 1, 0)]),
            wire.update(client.next, orders=[(1, 0, b"x" * 257)]),
            wire.update(client.next, orders=[(1, 0, b"")]))]
        bad += [(CONTROL, wire.UPDATE, order), (TICKS, wire.TICKS_MESSAGE, order),
                (TICKS, 99, b""), (CONTROL, wire.BYE, b"\1"), (CONTROL, wire.BYE, b"\1\x07"),
                (TICKS, wire.BYE, b"\0"), (TICKS, wire.SNAPSHOT_REQUEST, bytes(16))]
        for channel, kind, data in bad:
            client.send(channel, kind, data)
        tick = client.next
        client.run(lambda: client.next > tick + 20)
        self.assertEqual((client.acked, client.inputs(wire.ORDER)), (0, []))
        client.send(TICKS, wire.UPDATE, order)
        client.run(lambda: client.acked == 1)
        self.assertFalse(client.carrier.is_closed)
