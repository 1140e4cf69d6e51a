"""A client of docs/protocol.md, written from that page alone: it shares no header and no file of
constants with the program. It has no world: it reads ticks, gives orders and states, and knows the
root of a world only where a snapshot says it."""
import select
import socket
import time

import zstandard

import handshake
import websocket
import wire
from carrier import CHALLENGE, Carrier
from wire import CONTROL, TICKS, Violation

REPEAT_S = 0.25  # A client's session: HELLO and AUTH again
UPDATE_S = 0.05  # UPDATE, at most
GAP_S = 0.1  # Gaps
RANGE_BYTES = 32768  # Loading
ENGINE = 3  # LS_ENGINE_RULES
PATIENCE_S = 120  # only catches what never comes: the machine may be busy


def open_socket(address, own="127.0.0.1"):
    """A UDP socket of the host `own` towards "HOST:PORT", and the identity behind #."""
    place, _, key = address.partition("#")
    host, port = place.rsplit(":", 1)
    host = host.strip("[]")
    is_ipv6 = ":" in host
    result = socket.socket(socket.AF_INET6 if is_ipv6 else socket.AF_INET, socket.SOCK_DGRAM)
    result.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
    result.bind(("::1" if is_ipv6 else own, 0))
    result.connect((host, int(port)))
    return result, handshake.read_key(key) if key else None


def has_ipv6():
    """Whether this machine has an IPv6 loopback."""
    try:
        with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as file:
            file.bind(("::1", 0))
        return True
    except OSError:
        return False


def listen(sock, patience_s):
    """The next datagram; None when none comes."""
    if isinstance(sock, websocket.WebSocket):
        return sock.listen(patience_s)
    if not select.select([sock], [], [], max(patience_s, 0))[0]:
        return None
    try:
        return sock.recv(2048)
    except ConnectionRefusedError:
        return None


def ask(sock, question, patience_s=PATIENCE_S):
    """A handshake message until it is answered; None: silence."""
    end = time.monotonic() + patience_s
    while time.monotonic() < end:
        sock.send(question)
        again = min(time.monotonic() + REPEAT_S, end)
        while time.monotonic() < again:
            answer = listen(sock, again - time.monotonic())
            if answer and answer[0] & 0x40:
                return answer
    return None


def run(clients, is_done, patience_s):
    """Clients listen and speak until something is there; in vain: where each of them stands."""
    end = time.monotonic() + patience_s
    while not is_done():
        if time.monotonic() > end:
            raise TimeoutError("; ".join(client.describe() for client in clients))
        for client in clients:
            client.step()


class Refused(Exception):
    """A REJECT."""

    def __init__(self, code, reason):
        super().__init__(f"REJECT {code}: {reason}")
        self.code, self.reason = code, reason


class Client:
    """A session, from the HELLO on. `drop(number)` says which datagrams get lost on the way in."""

    def __init__(self, address, simulation, fingerprint, drop=None, own="127.0.0.1", web=None,
                 **options):
        self.address = address
        self.socket, pin = open_socket(address, own)
        if web:
            self.socket.close()
            self.socket = web
        self.shake = handshake.Handshake(ENGINE, fingerprint, simulation, pin=pin, **options)
        self.drop, self.heard, self.lost = drop or (lambda number: False), 0, 0
        self.frames, self.head, self.next = {}, 0, None
        self.orders, self.order_number, self.acked = [], 0, 0
        self.states = {}
        self.root_ack = 0
        self.roots, self.notices, self.questions, self.violations = [], [], [], []
        self.chunks, self.wanted = {}, None
        self.gaps, self.gap_at, self.update_at = 0, 0.0, 0.0
        self.congestion, self.packed, self.received = 0, 0, 0  # packets of ticks
        self.round_trips, self.slack, self.is_started = [], None, False

    def close(self):
        self.socket.close()

    # Handshake
    def converse(self, question, patience_s=PATIENCE_S):
        answer = ask(self.socket, question, patience_s)
        if answer and answer[0] == handshake.REJECT:
            code, _, _, reason = handshake.read_reject(answer)
            raise Refused(code, reason)
        return answer

    def shake_hands(self):
        self.shake.read_cookie(self.converse(self.shake.hello()))
        answer = self.converse(self.shake.auth)
        if answer is None:
            raise TimeoutError("no answer to the AUTH")
        self.accept_bytes = answer
        self.granted = self.shake.read_accept(answer)
        self.player = self.granted["player"]
        is_web = isinstance(self.socket, websocket.WebSocket)
        self.carrier = (websocket.WebCarrier if is_web else Carrier)(self.socket, self.granted)
        self.sealing = wire.Sealing(self.granted["keys"])

    def connect(self, patience_s=PATIENCE_S):
        """Connecting."""
        self.carrier.connect()
        self.run(lambda: self.carrier.is_connected, patience_s)

    def enter(self):
        self.shake_hands()
        self.connect()
        self.send(CONTROL, wire.CONFIRM, b"")  # CONFIRM
        return self

    # Sealing
    def send(self, channel, kind, plain):
        packet = self.sealing.close(channel, kind, plain)
        if channel == CONTROL:
            self.carrier.send_control(packet)
        else:
            self.carrier.send_ticks(packet)
        return packet

    # A client's session
    def run(self, is_done, patience_s=PATIENCE_S):
        """Listens and speaks until something is there."""
        run([self], is_done, patience_s)

    def describe(self):
        carrier = getattr(self, "carrier", None)
        return (f"tick {self.next} of {self.head}, {self.lost} of {self.heard} datagrams lost, "
                f"{self.gaps} gaps, closed: {bool(carrier and carrier.is_closed)}, "
                f"notices: {self.notices}")

    def move(self, own="127.0.0.1"):
        """Path: from now on the client is at another address, as behind a router."""
        former = self.socket
        self.socket = open_socket(self.address, own)[0]
        self.carrier.socket = self.socket
        former.close()

    def step(self):
        datagram = listen(self.socket, 0.005)
        while datagram:
            self.heard += 1
            if self.drop(self.heard):
                self.lost += 1
            elif datagram[0] == CHALLENGE:
                self.carrier.answer(datagram)
            elif datagram[0] == websocket.CONNECT:
                self.carrier.take_answer(datagram)
            elif not datagram[0] & 0x40:
                for channel, packet in self.carrier.hear(datagram):
                    self.hear(channel, packet)
            datagram = listen(self.socket, 0)
        self.carrier.repeat()
        if self.wanted is not None:
            self.ask_ranges()
        if self.is_started and time.monotonic() >= self.update_at:
            self.send_update()

    def hear(self, channel, packet):
        opened = self.sealing.open(channel, packet)
        if not opened:
            return
        kind, message = opened
        try:
            if (channel, kind) == (TICKS, wire.TICKS_MESSAGE):
                self.receive_ticks(wire.read_ticks(message, self.granted["seats"]))
            elif (channel, kind) == (TICKS, wire.SNAPSHOT_CHUNK):
                self.receive_chunk(wire.read_chunk(message))
            elif (channel, kind) == (CONTROL, wire.NOTICE):
                self.notices.append(wire.read_notice(message))
            elif (channel, kind) == (TICKS, wire.EVIDENCE_REQUEST):
                self.questions.append(wire.read_evidence_request(message))
                self.send(TICKS, wire.EVIDENCE, wire.no_evidence(*self.questions[-1][:2]))
            else:
                raise Violation(f"type {kind} on channel {channel}")
        except Violation as error:
            self.violations.append(error)

    # Ticks
    def receive_ticks(self, ticks):
        if self.next is None:
            return
        self.acked = max(self.acked, ticks["input ack"])
        self.roots = [(tick, root) for tick, root in self.roots
                      if tick - ticks["root ack"] & 0xffffffff < 1 << 31]
        self.root_ack = ticks["root ack"]
        self.slack = ticks["slack"]
        self.received += 1
        self.packed += ticks["packed"]
        if ticks["echo"]:  # Round trip
            now = int(time.monotonic() * 1e6) & 0xffffffff
            self.round_trips.append((now - ticks["echo"] - ticks["held"]) & 0xffffffff)
        for tick, frame in ticks["frames"].items():
            known = self.frames.setdefault(tick, frame)
            if known != frame:
                raise Violation(f"tick {tick} has changed")
        self.head = max(self.head, ticks["first"] + ticks["count"])
        while self.next in self.frames:
            self.next += 1
        self.update_at = min(self.update_at, time.monotonic() + 0.004)

    # Gaps
    def find_gap(self):
        if self.next >= self.head - 8 or time.monotonic() < self.gap_at:
            return 0, 0
        end = min(tick for tick in self.frames if tick > self.next)
        self.gap_at = time.monotonic() + GAP_S
        self.gaps += 1
        return self.next, min(end - self.next, 600)

    # UPDATE
    def send_update(self):
        self.update_at = time.monotonic() + UPDATE_S
        self.orders = [order for order in self.orders if order[0] > self.acked]
        self.states = {tick: held for tick, held in self.states.items() if tick >= self.head}
        newest = sorted(self.states)[-8:]
        stamp = int(time.monotonic() * 1e6) & 0xffffffff or 1
        self.send(TICKS, wire.UPDATE, wire.update(
            self.next, self.find_gap(), stamp, self.orders[:8], self.roots[:8],
            (newest[0] if newest else 0, [self.states[tick] for tick in newest]),
            self.congestion))

    # Loading
    def load(self, patience_s=PATIENCE_S):
        """The newest snapshot: (tick, bytes); afterwards ticks are asked for from it on."""
        self.wanted, self.chunks, self.ranges_at = (0, 0, 0), {}, 0.0
        self.run(lambda: self.wanted is None, patience_s)
        tick, total, raw = self.loaded
        packed = b"".join(self.chunks[at] for at in sorted(self.chunks))
        assert len(packed) == total
        frame = zstandard.get_frame_parameters(packed)
        assert frame.content_size == raw and frame.dict_id == 0
        self.world = zstandard.ZstdDecompressor().decompress(packed)
        assert len(self.world) == raw
        self.frames = {at: frame for at, frame in self.frames.items() if at >= tick}
        self.next, self.head, self.is_started = tick, max(tick, self.head), True
        return tick, self.world

    def load_later(self, than, patience_s=PATIENCE_S):
        """A snapshot of a later tick: the server makes one every half a second at most."""
        end = time.monotonic() + patience_s
        while self.load()[0] <= than:
            if time.monotonic() > end:
                raise TimeoutError(f"no snapshot after tick {than}; {self.describe()}")
            time.sleep(0.1)

    def root(self):
        """The root of the world that was loaded: the last eight bytes of a snapshot."""
        return int.from_bytes(self.world[-8:], "little")

    def ask_ranges(self):
        if time.monotonic() < self.ranges_at:
            return
        self.ranges_at = time.monotonic() + 0.25
        tick, total, _ = self.wanted
        if not total:
            self.send(TICKS, wire.SNAPSHOT_REQUEST, wire.snapshot_request(0, 0, RANGE_BYTES))
            return
        lacking = [at for at in range(0, total, 1024) if at not in self.chunks]
        for first in sorted({at - at % RANGE_BYTES for at in lacking})[:4]:
            self.send(TICKS, wire.SNAPSHOT_REQUEST,
                      wire.snapshot_request(tick, first, RANGE_BYTES))

    def receive_chunk(self, chunk):
        tick, total, raw, offset, data = chunk
        if self.wanted is None or tick < self.wanted[0]:
            return
        if tick > self.wanted[0] or not self.wanted[1]:
            self.wanted, self.chunks = (tick, total, raw), {}
        if (tick, total, raw) != self.wanted or offset % 1024:
            return
        self.chunks[offset] = data
        self.ranges_at = 0.0 if len(self.chunks) % 32 == 0 else self.ranges_at
        if len(self.chunks) == (total + 1023) // 1024:
            self.loaded, self.wanted = self.wanted, None

    # Joining
    def join(self, patience_s=PATIENCE_S):
        """Reports the root of a snapshot near the head, until the JOIN is in a frame."""
        end = time.monotonic() + patience_s
        while time.monotonic() < end:
            tick, _ = self.load()
            self.roots = [(tick, self.root())]
            first = self.granted["tick"]  # before it lies the JOIN of whoever sat here
            try:
                self.run(lambda: self.find(wire.JOIN, first) is not None, 2.0)
                return self.find(wire.JOIN, first)
            except TimeoutError:
                continue
        raise TimeoutError("no JOIN")

    def find(self, kind, first=0):
        """The first tick from `first` on with such an input of this player."""
        ticks = sorted(tick for tick in self.frames if first <= tick < self.next)
        return next((tick for tick in ticks for player, what, _ in self.frames[tick]
                     if what == kind and player == self.player), None)

    def inputs(self, kind, player=None):
        """(tick, data) of all such inputs in ticks that are in turn."""
        player = self.player if player is None else player
        return [(tick, data) for tick in sorted(self.frames) if tick < self.next
                for who, what, data in self.frames[tick] if who == player and what == kind]

    # Orders
    def give(self, data, wish=0):
        self.order_number += 1
        self.orders.append((self.order_number, wish, data))
        self.update_at = 0.0

    def notice(self, kind):
        return next((notice for notice in self.notices if notice["kind"] == kind), None)

    def leave(self, why=""):
        """BYE."""
        self.send(CONTROL, wire.BYE, wire.text(why))
        self.run(lambda: self.carrier.is_closed or not self.carrier.waiting)
