"""What a client has to speak of ENet, from the section "Carrier" of docs/protocol.md alone."""
import struct
import time

from nacl import bindings

from wire import CONTROL, TICKS

# Datagram: the commands
ACKNOWLEDGE, CONNECT, VERIFY_CONNECT, DISCONNECT, PING, SEND_RELIABLE = 1, 2, 3, 4, 5, 6
SEND_UNSEQUENCED, BANDWIDTH_LIMIT, THROTTLE_CONFIGURE = 9, 10, 11
BYTES = {ACKNOWLEDGE: 8, VERIFY_CONNECT: 44, DISCONNECT: 8, PING: 4, SEND_RELIABLE: 6,
         SEND_UNSEQUENCED: 8, BANDWIDTH_LIMIT: 12, THROTTLE_CONFIGURE: 16}
CHALLENGE, RESPONSE = 0x46, 0x47  # Path
RESEND_S = 0.5


def sign(datagram, key):
    """Authentication: the datagram with its code."""
    return datagram + bindings.crypto_shorthash_siphash24(datagram, key)


class Carrier:
    """One connection over a connected UDP socket that others may use before and after it."""

    def __init__(self, socket, granted):
        self.socket = socket
        self.id = struct.pack("<I", granted["connect id"])
        self.send_key = granted["keys"]["client carrier"]
        self.receive_key = granted["keys"]["server carrier"]
        self.peer, self.session, self.their_session = 0xfff, 0, None
        self.is_connected = self.is_closed = False
        self.sequences = {255: 0, CONTROL: 0}
        self.group = 0
        self.waiting = {}  # (channel, sequence): [command, when to send it again]
        self.expected, self.early = 1, {}  # SEND_RELIABLE of the server
        self.groups, self.newest = set(), 0
        self.last_sent, self.refused, self.sent = b"", 0, 0
        self.counters, self.highest = set(), 0  # of the server's datagrams

    def is_fresh(self, counter):
        """Authentication."""
        if counter in self.counters or counter <= self.highest - 1024:
            return False
        self.counters.add(counter)
        self.highest = max(self.highest, counter)
        return True

    def datagram(self, commands, has_time=True):
        """Datagram."""
        is_known = self.peer != 0xfff
        receiver = self.peer | (self.session << 12 if is_known else 0) | has_time << 15
        head = struct.pack(">H", receiver)
        if has_time:
            head += struct.pack(">H", int(time.monotonic() * 1000) & 0xffff)
        self.sent += 1
        return sign(head + struct.pack("<I", self.sent) + commands, self.send_key)

    def send(self, commands, has_time=True):
        self.last_sent = self.datagram(commands, has_time)
        self.socket.send(self.last_sent)

    def send_acknowledged(self, number, channel, body):
        """Sequence."""
        self.sequences[channel] += 1
        sequence = self.sequences[channel]
        command = struct.pack(">BBH", 0x80 | number, channel, sequence) + body
        self.waiting[channel, sequence] = [command, time.monotonic() + RESEND_S]
        self.send(command)

    def connect(self):
        """Connecting."""
        body = struct.pack(">HBB8I", 0, 0xff, 0xff, 1188, 65536, 2, 0, 0, 5000, 2, 2)
        self.send_acknowledged(CONNECT, 255, body + self.id + bytes(4))

    def send_control(self, packet):
        self.send_acknowledged(SEND_RELIABLE, CONTROL, struct.pack(">H", len(packet)) + packet)

    def unsequenced(self, packet):
        """Group."""
        self.group = (self.group + 1) & 0xffff
        return struct.pack(">BBHHH", 0x40 | SEND_UNSEQUENCED, TICKS, 0, self.group,
                           len(packet)) + packet

    def send_ticks(self, packet):
        self.send(self.unsequenced(packet), has_time=False)

    def disconnect(self):
        self.send(struct.pack(">BBHI", 0x40 | DISCONNECT, 255, 0, 0), has_time=False)
        self.is_closed = True

    def repeat(self):
        """Sequence: what is not acknowledged is sent again."""
        for entry in self.waiting.values():
            if time.monotonic() >= entry[1]:
                entry[1] = time.monotonic() + RESEND_S
                self.send(entry[0])

    def hear(self, datagram):
        """The packets that one datagram brings, as (channel, bytes)."""
        if len(datagram) < 18 or sign(datagram[:-8], self.receive_key) != datagram:
            return self.refuse()
        receiver, = struct.unpack_from(">H", datagram)
        at = 4 if receiver & 0x8000 else 2
        if not self.is_fresh(*struct.unpack_from("<I", datagram, at)):
            return self.refuse()
        datagram = datagram[:-8]
        if receiver & 0xfff or receiver & 0x4000:
            return self.refuse()
        if self.their_session is not None and receiver >> 12 & 3 != self.their_session:
            return self.refuse()
        sent_time = datagram[2:4] if at == 4 else None
        packets, answers, at = [], b"", at + 4
        while at < len(datagram):
            number, channel, sequence = struct.unpack_from(">BBH", datagram, at)
            body = datagram[at + 4:at + BYTES[number & 15]]
            at += BYTES[number & 15]
            data = b""
            if number & 15 in (SEND_RELIABLE, SEND_UNSEQUENCED):
                count = int.from_bytes(body[-2:], "big")
                data, at = datagram[at:at + count], at + count
                assert len(data) == count
            if number & 0x80:
                answers += struct.pack(">BBHH", ACKNOWLEDGE, channel, sequence,
                                       sequence) + sent_time
            packets += self.obey(number & 15, channel, sequence, body, data)
        if answers:
            self.send(answers, has_time=False)
        return packets

    def answer(self, datagram):
        """Path: the RESPONSE to a CHALLENGE."""
        if len(datagram) != 21 or sign(datagram[:-8], self.receive_key) != datagram or \
                not self.is_fresh(*struct.unpack_from("<I", datagram, 1)):
            return self.refuse()
        response = bytes([RESPONSE]) + self.id + datagram[5:13]
        self.last_sent = sign(response, self.send_key)
        self.socket.send(self.last_sent)
        return []

    def refuse(self):
        self.refused += 1
        return []

    def obey(self, number, channel, sequence, body, data):
        """Datagram: one command."""
        if number == ACKNOWLEDGE:
            self.waiting.pop((channel, struct.unpack_from(">H", body)[0]), None)
        elif number == VERIFY_CONNECT and not self.is_connected:
            assert body[4:36] == struct.pack(">8I", 1188, 65536, 2, 0, 0, 5000, 2, 2)
            assert body[36:] == self.id
            self.peer, self.their_session, self.session = struct.unpack_from(">HBB", body)
            self.waiting.pop((255, 1), None)
            self.is_connected = True
        elif number == DISCONNECT:
            self.is_closed = True
        elif number == THROTTLE_CONFIGURE:
            assert body == struct.pack(">III", 5000, 32, 0)
        elif number == BANDWIDTH_LIMIT:
            assert body == bytes(8)
        elif number == SEND_RELIABLE:
            assert channel == CONTROL
            return self.order(sequence, data)
        elif number == SEND_UNSEQUENCED:
            assert channel == TICKS
            return self.take_group(int.from_bytes(body[:2], "big"), data)
        return []

    def order(self, sequence, data):
        if sequence >= self.expected:
            self.early[sequence] = data
        packets = []
        while self.expected in self.early:
            packets.append((CONTROL, self.early.pop(self.expected)))
            self.expected += 1
        return packets

    def take_group(self, group, data):
        """Group. The sealing refuses doubles on its own; a test of seconds does not wrap."""
        if group in self.groups or group < self.newest - self.newest % 1024:
            return []
        self.groups.add(group)
        self.newest = max(self.newest, group)
        return [(TICKS, data)]
