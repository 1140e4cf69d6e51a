"""How a client gets in, comes back, or is kept out."""
import os
import re
import signal
import time
import unittest

import handshake
import wire
from carrier import sign
from client import ENGINE, PATIENCE_S, Client, Refused, ask, has_ipv6, listen, run
from session import SIMULATION, Session
from wire import CONTROL, TICKS


class Entering(Session):
    def test_reject(self):
        """HELLO: the answers, in their order."""
        server = self.begin()
        with self.connected(server) as sock:
            make = handshake.Handshake
            own = Session.fingerprint
            for hello, code in ((make(ENGINE, own, "x", version=2).hello(), 1),
                                (make(ENGINE + 1, own, "x").hello(), 1),
                                (make(ENGINE, bytes(16), "x").hello(), 2),
                                (make(ENGINE, own, "x", token=b"\7\0\0\0").hello(), 5)):
                answer = ask(sock, hello)
                self.assertEqual(handshake.read_reject(answer)[:3], (code, 3, 3))
                self.assertLess(len(answer), len(hello))
            good = make(ENGINE, own, SIMULATION).hello()
            for bad in (good[:-1], good + b"\0", good[:-1] + b"\1", b"\x41" + b"LKSU" + good[5:],
                        b"\x46" + good[1:], good[:27] + b"\x21" + good[28:], b"", b"\x41"):
                self.assertIsNone(ask(sock, bad, 0.1))
            self.assertEqual(len(ask(sock, good)), 229)

    def test_wrong_auth_is_silent(self):
        server = self.begin()
        shake = handshake.Handshake(ENGINE, Session.fingerprint, SIMULATION)
        with self.connected(server) as sock, self.connected(server) as stranger:
            shake.read_cookie(ask(sock, shake.hello()))
            auth = shake.auth
            for at in (0, 1, 5, 37, 69, 101, 103, 1099):  # each field and the tag
                bad = bytearray(auth)
                bad[at] ^= 4
                self.assertIsNone(ask(sock, bytes(bad), 0.1), at)
            self.assertIsNone(ask(stranger, auth, 0.2))  # the cookie is of another address
            first = ask(sock, auth)
            self.assertEqual(first[0], handshake.ACCEPT)
            self.assertEqual([ask(sock, auth) for _ in range(3)], [first] * 3)
            self.assertLess(len(first), len(auth))
            # Another AUTH box under the same e_c is not looked at.
            shake.name = "other"
            shake.read_cookie(ask(sock, shake.hello()))
            self.assertNotEqual(shake.auth, auth)
            self.assertEqual(ask(sock, shake.auth), first)

    def test_busy(self):
        """AUTH, REJECT: new players of one address hold few seats before their CONFIRM; the next one goes on asking."""
        server = self.begin("--players", "4")
        held = [self.client(server) for _ in range(2)]  # LS_SERVER_UNCONFIRMED_MIN, as a quarter of the seats is fewer
        for client in held:
            client.shake_hands()
        late = self.client(server)
        late.shake.read_cookie(late.converse(late.shake.hello()))
        with self.assertRaises(Refused) as caught:
            late.converse(late.shake.auth)
        self.assertEqual(caught.exception.code, 6)
        with self.connected(server) as sock:  # only a right cookie is told
            self.assertIsNone(ask(sock, late.shake.auth, 0.2))
        elsewhere = self.client(server, own="127.0.0.2")
        elsewhere.shake_hands()
        for client in held:
            client.connect()
            client.send(CONTROL, wire.CONFIRM, b"")
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:  # the same AUTH, judged again
            answer = ask(late.socket, late.shake.auth)
            self.assertLess(len(answer), len(late.shake.auth))
            if answer[0] == handshake.ACCEPT:
                break
            self.assertEqual(handshake.read_reject(answer)[0], 6)
            time.sleep(0.25)
        self.assertIn(late.shake.read_accept(answer)["player"], range(4))

    def test_rooms(self):
        """AUTH: the room of that name, of one with a free seat, or none."""
        server = self.begin("--rooms", "2")
        rooms = [self.client(server, room=name).enter() for name in ("2", "1", "2", "")]
        self.assertEqual([client.granted["room"] for client in rooms], ["2", "1", "2", "1"])
        self.assertEqual(len({(client.granted["room"], client.player) for client in rooms}), 4)
        self.refused(server, 3)
        self.refused(server, 3, room="1")
        self.refused(server, 4, room="3")
        # Who had a seat needs not say where.
        again = self.client(server, resume=rooms[2].granted["resume secret"]).enter()
        self.assertEqual((again.granted["room"], again.player), ("2", rooms[2].player))

    def test_pin(self):
        """Certificate: another identity than the pinned one gets no AUTH."""
        server = self.begin()
        place, key = server.address.split("#")
        other = key[:-2] + ("A" if key[-2] != "A" else "B") + key[-1]
        client = Client(place + "#" + other, SIMULATION, Session.fingerprint)
        self.addCleanup(client.close)
        with self.assertRaises(wire.Violation):
            client.enter()

    def test_password(self):
        with open(self.path("word"), "w", encoding="ascii") as file:
            file.write("open sesame\n")
        os.chmod(self.path("word"), 0o600)
        server = self.begin("--password-file", self.path("word"))
        client = self.client(server, password="open sesame").enter()
        client.join()
        wrong = self.client(server, password="open sesam")
        wrong.shake.read_cookie(wrong.converse(wrong.shake.hello()))
        self.assertIsNone(wrong.converse(wrong.shake.auth, 0.3))

    def test_token(self):
        """Connect token and Connect pass."""
        self.command("keygen", self.path("key"), "--token-key", "--id", "7")
        server = self.begin("--token-key", self.path("key"), "--require-token")
        self.refused(server, 5)
        issue = ("token", "issue", "--key", self.path("key"), "--server", server.address)
        self.command(*issue, "--client", "ada", "-o", self.path("ada"))
        self.command(*issue, "--client", "bo", "-o", self.path("bo"), "--spectate-only")
        token, psk, identity = handshake.read_pass(self.path("ada"))
        self.assertEqual(token[:4], b"\7\0\0\0")
        self.assertEqual(identity, handshake.read_key(server.address.split("#")[1]))
        forged = bytearray(token)
        forged[100] ^= 1
        wrong = self.client(server, token=bytes(forged), psk=psk)
        wrong.shake.read_cookie(wrong.converse(wrong.shake.hello()))
        self.assertIsNone(wrong.converse(wrong.shake.auth, 0.3))
        wrong = self.client(server, token=token)  # without the psk
        wrong.shake.read_cookie(wrong.converse(wrong.shake.hello()))
        self.assertIsNone(wrong.converse(wrong.shake.auth, 0.3))
        client = self.client(server, token=token, psk=psk).enter()
        client.join()
        # From another address it is worth nothing, but for who shows the secret of a seat.
        stolen = self.client(server, token=token, psk=psk, own="127.0.0.2")
        stolen.shake.read_cookie(stolen.converse(stolen.shake.hello()))
        self.assertIsNone(stolen.converse(stolen.shake.auth, 0.3))
        moved = self.client(server, token=token, psk=psk, own="127.0.0.2",
                            resume=client.granted["resume secret"]).enter()
        self.assertEqual(moved.player, client.player)
        moved.join()
        # The client's name alone has the seat, too.
        again = self.client(server, token=token, psk=psk).enter()
        self.assertEqual(again.player, client.player)
        moved.run(lambda: moved.carrier.is_closed)
        token, psk, _ = handshake.read_pass(self.path("bo"))
        self.refused(server, 4, token=token, psk=psk)  # it may not play
        watcher = self.client(server, token=token, psk=psk, flags=handshake.SPECTATOR).enter()
        watcher.load()

    def test_a_light_client(self):
        """AUTH box, Joining: a client without a world, where the server admits it."""
        server = self.begin("--wait", "0")
        self.refused(server, 4, flags=handshake.LIGHT)
        self.refused(server, 4, flags=handshake.LIGHT | handshake.SPECTATOR)
        server = self.begin("--wait", "0", "--allow-light")
        client = self.client(server, flags=handshake.LIGHT | handshake.BOT).enter()
        # It loads nothing: its first UPDATE asks for the ticks from that of the ACCEPT on.
        client.next = client.head = client.granted["tick"]
        client.is_started = True
        client.run(lambda: client.inputs(wire.JOIN, client.player))
        client.give(b"\7")
        client.run(lambda: client.inputs(wire.ORDER, client.player))
        # Its roots count for nothing, and so do wrong ones; no other bit of the flags is known.
        client.roots = [(client.next, 1)]
        tick = client.next
        client.run(lambda: client.next > tick + 40)
        self.assertEqual((client.roots, client.notices), ([(tick, 1)], []))
        heavy = self.client(server, flags=8)
        heavy.shake.read_cookie(heavy.converse(heavy.shake.hello()))
        self.assertIsNone(heavy.converse(heavy.shake.auth, 0.3))
        # The seat of a light client is for light ones.
        secret = client.granted["resume secret"]
        other = self.client(server, resume=secret).enter()
        self.assertNotEqual(other.player, client.player)
        again = self.client(server, resume=secret, flags=handshake.LIGHT).enter()
        self.assertEqual(again.player, client.player)


class Resuming(Session):
    def test_resume(self):
        """Seats: the secret takes the seat from whoever sits there; an unknown one counts as none."""
        server = self.begin("--wait", "0")
        other = self.client(server).enter()
        other.load()
        old = self.client(server).enter()
        self.assertNotEqual(other.player, old.player)
        old.join()
        self.refused(server, 3)
        self.refused(server, 3, resume=bytes(32))
        new = self.client(server, resume=old.granted["resume secret"]).enter()
        self.assertEqual(new.player, old.player)
        self.assertGreater(new.granted["tick"], 0)
        self.assertEqual((new.granted["epoch"], new.granted["seed"]),
                         (old.granted["epoch"], old.granted["seed"]))
        self.assertNotEqual(new.granted["resume secret"], old.granted["resume secret"])
        joined = new.join()
        old.run(lambda: old.carrier.is_closed)
        # The seat is empty for a tick at least.
        other.run(lambda: len(other.inputs(wire.JOIN, old.player)) == 2)
        (left, _), = other.inputs(wire.LEAVE, old.player)
        self.assertEqual(other.inputs(wire.JOIN, old.player)[1][0], joined)
        self.assertGreater(joined, left)
        # The old secret is worth nothing any more.
        self.refused(server, 3, resume=old.granted["resume secret"])
        new.give(b"\x09")  # numbers begin anew
        new.run(lambda: new.inputs(wire.ORDER))
        self.assertEqual(new.acked, 1)

    def test_another_epoch(self):
        """Resuming: a server that was killed takes its recording up; the epoch rises, the seat is
        kept, and ticks that were lost with it are closed anew."""
        server = self.begin()
        client = self.client(server).enter()
        client.join()
        client.run(lambda: client.next > 60)
        server.stop(signal.SIGKILL)
        server = self.begin("--resume", self.path("recordings"))
        new = self.client(server, resume=client.granted["resume secret"])
        new.shake_hands()  # there is no answer while the recording is simulated
        new.connect()
        new.send(CONTROL, wire.CONFIRM, b"")
        self.assertEqual((new.player, new.granted["epoch"]), (client.player, 1))
        self.assertEqual(new.granted["seed"], client.granted["seed"])
        self.assertGreater(new.granted["tick"], 0)
        self.assertGreaterEqual(new.join(), new.granted["tick"])


class Extending(Session):
    def test_newer_client(self):
        """Capabilities: one that the server does not know is not used, whatever its HELLO has."""
        server = self.begin()
        newer = self.client(server, capabilities=handshake.MOVE | 1 << 31, extension=b"3.1" * 300)
        newer.enter()
        self.assertEqual(newer.shake.agreed, handshake.MOVE)
        newer.join()
        # Without such a bit the padding is zeros; and nothing but what both know is agreed on.
        bad = self.client(server, extension=b"3.1")
        self.assertIsNone(bad.converse(bad.shake.hello(), 0.3))
        bad = self.client(server)
        bad.shake.read_cookie(bad.converse(bad.shake.hello()), extra=1 << 31)
        self.assertIsNone(bad.converse(bad.shake.auth, 0.3))

    def test_without_move(self):
        """Capabilities: a client that does not know MOVE is not asked, and resumes."""
        server = self.begin("--wait", "0")
        older = self.client(server, capabilities=0).enter()
        older.join()
        older.move()
        begin = time.monotonic()
        older.run(lambda: time.monotonic() > begin + 0.5)
        tick = older.next
        older.run(lambda: time.monotonic() > begin + 1)
        self.assertEqual(older.next, tick)
        again = self.client(server, resume=older.granted["resume secret"]).enter()
        self.assertEqual(again.player, older.player)
        again.join()


    def test_say(self):
        """NOTICE SAY: only clients that know SAY are told."""
        server = self.begin("--wait", "0", "--admin", self.path("s"))
        knows = self.client(server, capabilities=handshake.MOVE | handshake.SAY).enter()
        self.assertEqual(knows.shake.agreed, handshake.MOVE | handshake.SAY)
        other = self.client(server).enter()
        knows.join()
        other.join()
        self.assertIn("told 1 client", self.command("admin", "say", "--socket", self.path("s"), "supper")[0])
        knows.run(lambda: knows.notices)
        self.assertEqual(knows.notices, [{"kind": "SAY", "text": "supper"}])
        tick = other.next
        other.run(lambda: other.next > tick + 3)
        self.assertEqual((other.notices, other.violations), ([], []))


class Moving(Session):
    def test_path(self):
        """Path: the session goes on at another address, without a new handshake."""
        server = self.begin()
        client = self.client(server).enter()
        client.join()
        for own in ("127.0.0.1", "127.0.0.2"):
            client.move(own)
            tick = client.next
            client.run(lambda first=tick: client.next > first + 20)
            server.wait_line(rf"move .*player=0 .*address={own}:", server.log)
        self.assertFalse(client.carrier.is_closed)
        self.assertEqual((client.inputs(wire.LEAVE), client.notices), ([], []))

    @unittest.skipUnless(has_ipv6(), "this machine has no IPv6 loopback")
    def test_path_to_the_other_family(self):
        """Carrier, Path: over IPv6, and from there to IPv4 and back in one session."""
        server = self.begin("--bind", "::")
        port, key = re.search(r":(\d+)#(.*)", server.address).groups()
        client = Client(f"[::1]:{port}#{key}", SIMULATION, Session.fingerprint)
        self.addCleanup(client.close)
        client.enter()
        client.join()
        server.wait_line(r"^enter .*address=\[::1\]:", server.log)
        for host, logged in (("127.0.0.1", r"127\.0\.0\.1"), ("[::1]", r"\[::1\]")):
            client.address = f"{host}:{port}#{key}"
            client.move()
            tick = client.next
            client.run(lambda first=tick: client.next > first + 20)
            server.wait_line(rf"move .*player=0 .*address={logged}:", server.log)
        self.assertEqual((client.inputs(wire.LEAVE), client.notices), ([], []))

    def test_copies(self):
        """Path: whoever sends a copy from elsewhere gets one question, which is not longer."""
        server = self.begin()
        client = self.client(server).enter()
        client.join()
        with self.connected(server) as stranger:
            order = client.sealing.close(TICKS, wire.UPDATE,
                                         wire.update(client.next, orders=[(1, 0, b"\x05")]))
            copy = client.carrier.datagram(client.carrier.unsequenced(order), has_time=False)
            for _ in range(100):
                stranger.send(copy)
            asked = listen(stranger, PATIENCE_S)
            self.assertEqual((len(asked), asked[0]), (21, 0x46))
            client.socket.send(copy)
            tick = client.next
            client.run(lambda: client.acked == 1 and client.next > tick + 20)
            # Turned back, and with the client's code over an invented token.
            response = b"\x47" + client.carrier.id + bytes(8)
            for bad in (asked, b"\x47" + asked[1:], response + bytes(8),
                        sign(response, client.carrier.send_key)):
                stranger.send(bad)
            self.assertIsNone(listen(stranger, 0.3))
            rested = time.monotonic() + 1.1
            client.run(lambda: time.monotonic() > rested)
            # It has the client answer, and is first.
            newer = client.carrier.datagram(client.carrier.unsequenced(order), has_time=False)
            stranger.send(newer)
            asked = listen(stranger, PATIENCE_S)
            client.carrier.answer(asked)
            stranger.send(client.carrier.last_sent)
            tick = client.next
            client.run(lambda: client.next > tick + 20)
        self.assertEqual([data for _, data in client.inputs(wire.ORDER)], [b"\x05"])
        self.assertFalse(client.carrier.is_closed)

    def test_kept_seat(self):
        """Kept seats: no LEAVE and no JOIN; substitutes until NOTICE KEPT, then inputs count again."""
        server = self.begin("--wait", "0", "--keep-seats", "20")
        other = self.client(server).enter()
        other.join()
        old = self.client(server).enter()
        old.join()
        old.give(b"\1")
        old.run(lambda: old.inputs(wire.ORDER, old.player))
        new = self.client(server, resume=old.granted["resume secret"]).enter()
        self.assertEqual(new.player, old.player)
        old.run(lambda: old.carrier.is_closed)
        while not new.notice("KEPT"):  # a snapshot may be too far from the head
            tick, _ = new.load()
            new.roots = [(tick, new.root())]
            end = time.monotonic() + 1
            new.run(lambda until=end: new.notice("KEPT") or time.monotonic() > until)
        kept = new.notice("KEPT")["tick"]
        self.assertGreaterEqual(kept, tick)
        new.give(b"\2")
        run([new, other], lambda: len(other.inputs(wire.ORDER, new.player)) == 2, PATIENCE_S)
        self.assertGreaterEqual(other.inputs(wire.ORDER, new.player)[1][0], kept)
        self.assertEqual(len(other.inputs(wire.JOIN, new.player)), 1)
        self.assertEqual(other.inputs(wire.LEAVE, new.player), [])
        self.assertTrue(other.inputs(wire.SUBSTITUTE, new.player))
