"""What a client that is in sees and does."""
import json
import re
import time

import handshake
import wire
from case import TIMEOUT_S
from client import ENGINE, PATIENCE_S, Client, ask, run
from session import Session
from wire import CONTROL, TICKS


LOSSY_TICKS = 360  # 18 s, of which three clients need a few to enter


class Watching(Session):
    def test_spectator_with_loss(self):
        """Ticks, Gaps, The end: with every seventh datagram and whole bursts lost, the frames are
        those that an undisturbed client gets."""
        server = self.begin("--ticks", str(LOSSY_TICKS), "--wait", "0", "--tick-rate", "20")
        # A burst counts datagrams. Behind the last tick so few come that it would outlast the
        # server, which waits for some seconds only: there each seventh is all that is lost.
        lossy = self.client(
            server, flags=handshake.SPECTATOR,
            drop=lambda n: n % 7 == 0 or (n % 20 >= 12 and lossy.next != LOSSY_TICKS)).enter()
        self.assertEqual(lossy.player, 255)
        lossy.load()
        whole = self.client(server, flags=handshake.SPECTATOR).enter()
        whole.load()
        player = self.client(server).enter()
        joined = player.join()
        for i in range(40):
            player.give(bytes([i]))
        run((lossy, whole, player), lambda: lossy.notice("END"), PATIENCE_S)
        both = [tick for tick in lossy.frames if tick in whole.frames]
        self.assertGreater(len(both), 150)
        for tick in both:
            self.assertEqual(lossy.frames[tick], whole.frames[tick])
        self.assertEqual((lossy.next, lossy.notice("END")["tick"]), (LOSSY_TICKS, LOSSY_TICKS))
        self.assertEqual(set(range(joined, LOSSY_TICKS)) - set(lossy.frames), set())
        # One gap is usual at the start: the snapshot is older than the first window.
        self.assertGreater(lossy.gaps, 1)
        self.assertGreater(lossy.lost, 20)
        self.assertEqual([data for _, data in lossy.inputs(wire.ORDER, player.player)],
                         [bytes([i]) for i in range(40)])
        self.assertEqual(lossy.violations + whole.violations + player.violations, [])
        self.assertEqual(whole.carrier.refused + player.carrier.refused, 0)
        whole.run(lambda: whole.notice("END"))
        self.assertEqual(whole.notice("END"), lossy.notice("END"))
        self.assertLess(min(whole.round_trips), 100000)
        whole.run(lambda: whole.carrier.is_closed)

    def recorded_roots(self):
        """The roots that the running match has recorded so far, by tick."""
        lines = map(json.loads, self.command("replay", "export", self.recording())[0].splitlines())
        return {int(line["tick"]): int(line["root"], 16) for line in lines
                if line["type"] == "tick" and line["root"]}

    def roots_of(self, first, count):
        """The right roots of so many ticks, as soon as they are recorded."""
        ticks, known = range(first, first + count), {}
        self.wait_until(lambda: known.update(self.recorded_roots()) or known.keys() >= set(ticks),
                        lambda: f"ticks up to {max(known, default=0)} are recorded")
        return [(tick, known[tick]) for tick in ticks]

    def test_batches_of_roots(self):
        """Roots: the right batch is acknowledged whole, a wrong one is not; its roots name the first
        that is wrong, although the last are right again."""
        server = self.begin("--wait", "0", "--tick-rate", "60")
        client = self.client(server, flags=handshake.SPECTATOR).enter()
        first, _ = client.load()
        roots = self.roots_of(first, 256)
        client.run(lambda: client.next >= first + 300)
        client.send(TICKS, wire.UPDATE, wire.update(client.next, roots=roots[:200], is_batch=True))
        client.run(lambda: client.root_ack == first + 200)
        wrong = [(tick, root ^ (tick == first + 204)) for tick, root in roots[200:220]]
        client.send(TICKS, wire.UPDATE, wire.update(client.next, roots=wrong, is_batch=True, stamp=7))
        asked = client.next
        client.run(lambda: client.next > asked + 20)
        self.assertEqual((client.root_ack, client.notices), (first + 200, []))
        client.send(TICKS, wire.UPDATE, wire.update(client.next, roots=wrong[:8]))
        client.run(lambda: client.notice("DESYNC"))
        desync = client.notice("DESYNC")
        self.assertEqual((desync["tick"], desync["your root"], desync["server root"]),
                         (first + 204, roots[204][1] ^ 1, roots[204][1]))

    def test_snapshot_in_ranges(self):
        """Loading: many ranges, a third of the datagrams lost, beside bots that play; two clients
        that got the snapshot of one tick have the same bytes."""
        server = self.serve("--wait", "2", "--units", "12000", "--seed", "7")
        with self.connected(server) as sock:
            answer = ask(sock, handshake.Handshake(ENGINE, bytes(16), "skirmish 2").hello())
        own = re.findall(r"[0-9a-f]{32}", handshake.read_reject(answer)[3])[-1]
        clients = [Client(server.address, "skirmish 2", bytes.fromhex(own), drop=drop, flags=1)
                   for drop in (None, lambda n: n % 3 == 0)]
        for client in clients:
            self.addCleanup(client.close)
            client.enter()
        worlds = [client.load() for client in clients]  # of tick 0, which waits for two players
        self.assertEqual(worlds[0], worlds[1])
        self.assertGreater(clients[0].loaded[1], 2 * 32768)
        bots = self.start_join(server, "--bots", "2", "--quiet")  # slow ones join behind their first ticks
        run(clients, lambda: all(any(kind == wire.ORDER for frame in client.frames.values() for _, kind, _ in frame)
                                 for client in clients), TIMEOUT_S)
        tick, _ = clients[1].load()
        self.assertGreater(tick, 0)
        self.assertNotEqual(clients[1].world, worlds[0][1])
        bots.terminate()
        self.end(bots, 0)


class Playing(Session):
    def test_orders(self):
        """Orders: each once, in order, not before its wish, and nothing for who may not."""
        server = self.begin()
        client = self.client(server).enter()
        self.assertLess(client.player, 2)
        joined = client.join()
        first = [bytes([1, i]) for i in range(20)]
        for order in first:
            client.give(order)
        client.run(lambda: client.acked == 20)
        client.give(b"\xee")  # the simulation refuses it: taken and thrown away
        client.give(b"\x77", wish=client.head + 1000)  # and so is this
        wish = client.head + 30
        client.give(b"\x02", wish=wish)
        client.give(b"\x03")  # behind the one before it
        client.run(lambda: len(client.inputs(wire.ORDER)) >= 22)
        landed = client.inputs(wire.ORDER)
        self.assertEqual([data for _, data in landed], [*first, b"\x02", b"\x03"])
        self.assertTrue(all(tick > joined for tick, _ in landed))
        self.assertTrue(all(tick >= wish for tick, _ in landed[20:]))
        self.assertEqual(client.acked, 24)
        # Out of turn: not taken, also when it is said often.
        for _ in range(5):
            client.send(TICKS, wire.UPDATE, wire.update(client.next, orders=[(26, 0, b"x")]))
        time.sleep(0.1)
        client.run(lambda: client.next > landed[-1][0] + 10)
        self.assertEqual((client.acked, len(client.inputs(wire.ORDER))), (24, 22))
        self.assertEqual(client.violations, [])

    def test_orders_need_the_join(self):
        server = self.begin("--wait", "0")
        client = self.client(server).enter()
        client.load()
        client.give(b"\x01")
        client.run(lambda: client.next >= 30)
        self.assertEqual((client.acked, client.inputs(wire.ORDER)), (0, []))
        client.join()
        client.run(lambda: client.inputs(wire.ORDER))
        self.assertEqual(client.acked, 1)

    def test_congestion(self):
        """Congestion, TICKS: a client with a narrow line gets several ticks in a packet, packed;
        they are those that others get."""
        server = self.begin()
        narrow = self.client(server).enter()
        narrow.congestion = 7
        joined = narrow.join()
        whole = self.client(server, flags=handshake.SPECTATOR).enter()
        whole.load()
        for i in range(3):
            narrow.give(bytes([i]))
        packets, tick = narrow.received, narrow.next
        run((narrow, whole), lambda: min(narrow.next, whole.next) > joined + 60, PATIENCE_S)
        self.assertLess(narrow.received - packets, (narrow.next - tick) * 2 / 3)
        self.assertGreater(narrow.packed, 3)
        for tick in range(max(joined, min(whole.frames)), joined + 60):
            self.assertEqual(narrow.frames[tick], whole.frames[tick])
        self.assertEqual(narrow.violations + whole.violations, [])

    def test_states(self):
        """State inputs: what was proposed is in its tick, else a substitute repeats the last."""
        server = self.begin("--tick-rate", "20")
        client = self.client(server).enter()
        joined = client.join()
        client.run(lambda: client.next > joined + 5)
        self.assertEqual(client.inputs(wire.SUBSTITUTE)[0], (joined + 1, b"\0\0"))
        self.assertEqual(client.slack, (1 << 31) - 1)
        first = client.head + 60
        for tick in range(first, first + 6):
            client.states[tick] = tick.to_bytes(2, "little")
        client.run(lambda: client.slack < (1 << 31) - 1)
        slack = client.slack
        client.run(lambda: client.next > first + 10)
        held = dict(client.inputs(wire.STATE))
        self.assertEqual(held, {tick: tick.to_bytes(2, "little")
                                for tick in range(first, first + 6)})
        substitutes = dict(client.inputs(wire.SUBSTITUTE))
        for tick in range(first + 6, first + 11):
            self.assertEqual(substitutes[tick], (first + 5).to_bytes(2, "little"))
        self.assertGreater(slack, 0)
        self.assertLess(slack, 4000000)  # 60 ticks, and a few more
        # Each tick between JOIN and LEAVE holds exactly one of both.
        self.assertEqual(sorted([*held, *substitutes]), list(range(joined + 1, client.next)))

    def test_pause(self):
        """PAUSE: the match stands behind the frame that says so."""
        server = self.begin("--allow-pause")
        client = self.client(server).enter()
        client.join()
        client.send(CONTROL, wire.PAUSE, b"\1")
        client.run(lambda: client.inputs(wire.PAUSED))
        paused = client.inputs(wire.PAUSED)[-1][0]
        end = time.monotonic() + 0.3
        while time.monotonic() < end:
            client.step()
        self.assertEqual(client.next, paused + 1)
        client.send(CONTROL, wire.PAUSE, b"\2")  # no such wish: dropped
        client.send(CONTROL, wire.PAUSE, b"\0")
        client.run(lambda: client.inputs(wire.RESUMED))
        self.assertEqual(client.inputs(wire.RESUMED)[-1][0], paused + 1)
        for count in range(2, 9):
            client.send(CONTROL, wire.PAUSE, b"\1")
            client.run(lambda n=count: len(client.inputs(wire.PAUSED)) == n)
            client.send(CONTROL, wire.PAUSE, b"\0")
            client.run(lambda n=count: len(client.inputs(wire.RESUMED)) == n)
        client.send(CONTROL, wire.PAUSE, b"\1")  # one too many
        tick = client.next
        client.run(lambda: client.next > tick + 20)
        self.assertEqual(len(client.inputs(wire.PAUSED)), 8)

    def test_bye(self):
        """BYE: the seat is free, and others see the LEAVE."""
        server = self.begin()
        watcher = self.client(server, flags=handshake.SPECTATOR).enter()
        watcher.load()
        client = self.client(server).enter()
        client.join()
        client.leave("supper")
        watcher.run(lambda: watcher.inputs(wire.LEAVE, client.player))
        server.wait_line(r'leave .*reason="supper"', server.log)

    def test_bye_of_a_client_that_cannot_go_on(self):
        """BYE: its text says so, and the server logs and counts it."""
        server = self.begin()
        client = self.client(server, flags=handshake.SPECTATOR).enter()
        client.load()
        client.leave("cannot go on: it is raining")
        server.wait_line(r'client_failed .*reason="it is raining"', server.log)
        server.wait_line(r'leave .*reason="cannot go on: it is raining"', server.log)
        server.stop()
        server.wait_line(r"^ended .* clients_failed=1$", server.lines)

    def test_wrong_root(self):
        """Roots: a right one is acknowledged. DESYNC names both roots, RELOAD follows; the second
        time, KICK."""
        server = self.begin()
        client = self.client(server).enter()
        client.join()
        client.run(lambda: not client.roots)
        first, _ = client.load()
        self.accuse(client, "RELOAD")
        # At this tick or a later one the reload takes effect. A wrong root of it may be of the
        # world that was given up.
        asked = client.head
        client.load()
        self.assertGreaterEqual(client.loaded[0], client.notice("RELOAD")["tick"])
        client.notices.clear()
        client.run(lambda: client.next >= asked)
        self.report(client, asked, client.root() ^ 1)
        client.run(lambda: client.next > asked + 30)
        self.assertEqual(client.notices, [])
        # Evidence: asked once for a seat, about the columns of the state in question.
        self.assertTrue(client.questions)
        for question in client.questions:
            self.assertEqual(question, (first, 0, 0, []))
        client.load_later(client.head)
        self.accuse(client, "KICK")
        client.run(lambda: client.carrier.is_closed)
        server.wait_line(r"^desync ", server.log, count=2)

    def report(self, client, tick, root):
        """Also where the server has acknowledged another root of that tick."""
        client.send(TICKS, wire.UPDATE, wire.update(client.next, roots=[(tick, root)]))

    def accuse(self, client, kind):
        """A wrong root of the world that was loaded, and what is said to that."""
        tick, right = client.loaded[0], client.root()
        self.report(client, tick, right ^ 1)
        client.run(lambda: client.notice(kind))
        desync = client.notice("DESYNC")
        self.assertEqual((desync["tick"], desync["your root"], desync["server root"]),
                         (tick, right ^ 1, right))

    def test_ack_of_the_future(self):
        """UPDATE: ticks that the server never closed are answered with RELOAD."""
        server = self.begin("--wait", "0")
        client = self.client(server).enter()
        client.load()
        client.send(TICKS, wire.UPDATE, wire.update(1 << 40))
        client.run(lambda: client.notice("RELOAD"))
