"""Bytes as docs/protocol.md has them: readers that refuse any violation, and sealed packets.

Everything here is written from that page; each name says the section that it follows."""
import struct

import xxhash
from nacl import bindings

TICKS, CONTROL = 0, 1  # Carrier


class Violation(Exception):
    """A message that the page does not allow."""


def need(condition, what):
    if not condition:
        raise Violation(what)


class Reader:
    """The head of the page: little-endian integers, texts, nothing too few or too many."""

    def __init__(self, data):
        self.data, self.at = bytes(data), 0

    def take(self, count):
        need(count <= len(self.data) - self.at, "too short")
        self.at += count
        return self.data[self.at - count:self.at]

    def number(self, count, signed=False):
        return int.from_bytes(self.take(count), "little", signed=signed)

    def text(self, most):
        raw = self.take(self.number(1))
        need(len(raw) <= most, "text too long")
        try:
            text = raw.decode("utf-8")
        except UnicodeDecodeError as error:
            raise Violation("text is no UTF-8") from error
        need(all(ord(c) >= 0x20 and not 0x7f <= ord(c) <= 0x9f for c in text), "control character")
        return text

    def rest(self):
        return self.take(len(self.data) - self.at)

    def end(self):
        need(self.at == len(self.data), "bytes behind the end")


def number(value, count):
    return value.to_bytes(count, "little", signed=value < 0)


def text(value):
    raw = value.encode("utf-8")
    return bytes([len(raw)]) + raw


class Sealing:
    """Sealing: one end of a session's four keys."""

    def __init__(self, keys, role="client"):
        other = "server" if role == "client" else "client"
        self.send_keys = [keys[f"{role} ticks"], keys[f"{role} control"]]
        self.receive_keys = [keys[f"{other} ticks"], keys[f"{other} control"]]
        self.send_next = [0, 0]
        self.highest = [-1, -1]
        self.taken = set()

    def close(self, channel, kind, plain):
        header = bytes([kind]) + number(self.send_next[channel], 4)
        self.send_next[channel] += 1
        return header + bindings.crypto_aead_chacha20poly1305_ietf_encrypt(
            plain, header, bytes(4) + header[1:] + bytes(4), self.send_keys[channel])

    def open(self, channel, packet):
        """(type, message), or None for what is to be dropped."""
        if not 21 <= len(packet) <= 1156:
            return None
        header, counter = packet[:5], int.from_bytes(packet[1:5], "little")
        is_old = counter <= self.highest[channel] if channel == CONTROL else (
            counter in self.taken or counter <= self.highest[channel] - 1024)
        if is_old:
            return None
        try:
            plain = bindings.crypto_aead_chacha20poly1305_ietf_decrypt(
                packet[5:], header, bytes(4) + header[1:] + bytes(4), self.receive_keys[channel])
        except Exception:  # pylint: disable=broad-except
            return None
        self.highest[channel] = max(counter, self.highest[channel])
        if channel == TICKS:
            self.taken.add(counter)
        return header[0], plain


# Messages
(CONFIRM, BYE, UPDATE, SNAPSHOT_REQUEST, TICKS_MESSAGE, SNAPSHOT_CHUNK, NOTICE, PAUSE, EVIDENCE_REQUEST,
 EVIDENCE) = range(1, 11)
# Frame
ORDER, JOIN, LEAVE, STATE, SUBSTITUTE, PAUSED, RESUMED = range(7)


def read_frame(reader, seats):
    """Frame: a list of (player, kind, data)."""
    start, inputs = reader.at, []
    for _ in range(reader.number(1)):
        player, kind, count = reader.number(1), reader.number(1), reader.number(2)
        is_match = kind in (PAUSED, RESUMED)
        need(kind <= RESUMED and player < seats + is_match, "input of no kind or player")
        most = 256 if kind == ORDER else 64 if kind in (STATE, SUBSTITUTE) else 0
        need((count >= 1) == (most > 0) and count <= most, "input of another size")
        need(not inputs or inputs[-1][0] <= player, "players fall")
        inputs.append((player, kind, reader.take(count)))
    need(reader.at - start <= 1024, "frame too long")
    return inputs


def read_ticks(message, seats):
    """TICKS: the fields, and the frames by tick."""
    reader = Reader(message)
    first, count = reader.number(8), reader.number(1)
    is_packed, count = count >> 7, count & 127
    need(1 <= count <= 64 and first + count < 1 << 64, "count")
    ticks = {"first": first, "count": count, "input ack": reader.number(4),
             "root ack": reader.number(4), "echo": reader.number(4), "held": reader.number(4),
             "slack": reader.number(4, signed=True), "packed": is_packed, "frames": {}}
    newer, total = None, 0
    for tick in range(first + count - 1, first - 1, -1):
        frame = read_packed(reader, newer) if is_packed and newer else None
        own = Reader(frame) if frame else reader
        start = own.at
        ticks["frames"][tick] = read_frame(own, seats)
        newer = own.data[start:own.at]
        total += len(newer)
        need(not frame or len(newer) == len(frame), "bytes behind the end")
        need(total <= 1106, "frames too long")
    reader.end()
    return ticks


def read_packed(reader, newer):
    """TICKS: the bytes of a frame from what differs; None where it follows whole."""
    changes = reader.number(1)
    if changes == 255:
        return None
    frame, at = bytearray(newer), -1
    for _ in range(changes):
        at += 1 + reader.number(1)
        need(at < len(frame), "change beyond the frame")
        frame[at] = reader.number(1)
    return bytes(frame)


def batch_of(roots):
    """Roots: the batch of (tick, root) of consecutive ticks."""
    batch = roots[0][0]
    for _, root in roots:
        batch = xxhash.xxh3_64_intdigest(number(batch, 8) + number(root, 8))
    return batch


def update(ack, gap=(0, 0), stamp=1, orders=(), roots=(), states=(0, ()), congestion=0,
           is_batch=False):
    """UPDATE: orders are (sequence, wish, bytes); roots (tick, root) of consecutive ticks, none of
    an earlier one is to come; states (first, list); congestion: 0 to 7; is_batch: roots are said
    as one."""
    message = number(ack, 8) + number(stamp, 4)
    message += bytes([(gap != (0, 0)) | bool(orders) << 1 | bool(roots) * (4 + 16) |
                      bool(states[1]) << 3 | congestion << 5])
    if gap != (0, 0):
        message += number(gap[0], 8) + number(gap[1], 2)
    if orders:
        message += bytes([len(orders)]) + number(orders[0][0], 4)
    for _, wish, data in orders:
        message += number(wish, 8) + number(len(data), 2) + data
    if roots:
        message += bytes([0 if is_batch else len(roots)]) + number(ack - roots[0][0] & 0xffff, 2)
        message += number(len(roots), 2) if is_batch else b""
    for root in [batch_of(roots)] if is_batch else [root for _, root in roots]:
        message += number(root, 8)
    if states[1]:
        message += bytes([len(states[1])]) + number(states[0], 8) + b"".join(states[1])
    return message


def snapshot_request(tick, offset, count):
    """SNAPSHOT_REQUEST."""
    return struct.pack("<QII", tick, offset, count)


def read_chunk(message):
    """SNAPSHOT_CHUNK: (tick, total, raw, offset, data)."""
    reader = Reader(message)
    tick, total, raw, offset = (reader.number(n) for n in (8, 4, 4, 4))
    data = reader.rest()
    need(total <= 1 << 28 and 1 <= raw <= 1 << 28, "size")
    need(1 <= len(data) <= 1024 and offset + len(data) <= total, "chunk outside")
    return tick, total, raw, offset, data


def read_notice(message):
    """NOTICE: a dictionary with its kind by name."""
    reader = Reader(message)
    kind = reader.number(1)
    notice = {"kind": {1: "DESYNC", 2: "KICK", 3: "GOODBYE", 4: "END", 5: "RELOAD", 6: "KEPT", 7: "SAY"}.get(kind)}
    need(notice["kind"], "notice of no kind")
    if kind in (1, 4, 5, 6):
        notice["tick"] = reader.number(8)
    if kind == 1:
        notice["your root"] = reader.number(8)
    if kind in (1, 4):
        notice["server root"] = reader.number(8)
    if kind in (2, 3, 5, 7):
        notice["text"] = reader.text(224)
    reader.end()
    return notice


def read_evidence_request(message):
    """EVIDENCE_REQUEST: (tick, level, offset, places)."""
    reader = Reader(message)
    tick, level, offset, count = (reader.number(size) for size in (8, 1, 4, 1))
    need(level < 3 and offset % 1024 == 0 and offset < 65536, "no question")
    need((count == 0, 1 <= count <= 130, 1 <= count <= 64)[level], "a wrong number of places")
    places = [(reader.number(1), reader.number(4) if level == 2 else None) for _ in range(count)]
    need(places == sorted(set(places)), "places that do not rise")
    reader.end()
    return tick, level, offset, places


def no_evidence(tick, level):
    """EVIDENCE: the state was not kept."""
    return struct.pack("<QBII", tick, level, 0, 0)
