"""A WebSocket client (RFC 6455) by hand, and the carrier over it, from the section "The WebSocket
carrier" of docs/protocol.md alone."""
import base64
import hashlib
import os
import select
import socket
import struct
import time

from wire import CONTROL, TICKS

PATH, PROTOCOL = "/play", "lockstep.3"
CONNECT = 0x48
PATIENCE_S = 120  # only catches what never comes: the machine may be busy
CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG = 0, 1, 2, 8, 9, 10
GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


class Refused(Exception):
    """The server has not upgraded the connection."""


def frame(data, opcode=BINARY, is_final=True, is_masked=True, count=None):
    """A frame of a client; `count` is what it says of its length."""
    count = len(data) if count is None else count
    head = bytes([is_final << 7 | opcode])
    bit = is_masked << 7
    if count < 126:
        head += bytes([bit | count])
    elif count < 1 << 16:
        head += bytes([bit | 126]) + struct.pack(">H", count)
    else:
        head += bytes([bit | 127]) + struct.pack(">Q", count)
    if not is_masked:
        return head + data
    mask = os.urandom(4)
    pad = (mask * (len(data) // 4 + 1))[:len(data)]
    masked = int.from_bytes(data, "big") ^ int.from_bytes(pad, "big")
    return head + mask + masked.to_bytes(len(data), "big")


class WebSocket:
    """One connection; a message is one bytes object, as a datagram of a UDP socket is."""

    def __init__(self, port, path=PATH, protocol=PROTOCOL, own="127.0.0.1", headers=(), host=None,
                 receive_buffer=None):
        self.file = socket.socket()
        if receive_buffer:
            self.file.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.file.bind((own, 0))
        self.file.settimeout(PATIENCE_S)
        self.file.connect(("127.0.0.1", port))
        self.file.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.data, self.parts, self.code, self.is_closed = b"", [], None, False
        key = base64.b64encode(os.urandom(16))
        lines = [f"GET {path} HTTP/1.1", f"Host: {host or f'127.0.0.1:{port}'}",
                 "Upgrade: websocket", "Connection: Upgrade",
                 f"Sec-WebSocket-Key: {key.decode()}", "Sec-WebSocket-Version: 13",
                 *([f"Sec-WebSocket-Protocol: {protocol}"] if protocol else []), *headers]
        self.file.sendall("\r\n".join([*lines, "", ""]).encode())
        self.read_answer(base64.b64encode(hashlib.sha1(key + GUID).digest()).decode(), protocol)

    def read_answer(self, accept, protocol):
        while b"\r\n\r\n" not in self.data:
            try:
                more = self.file.recv(4096)
            except ConnectionResetError:
                more = b""
            if not more:
                self.file.close()
                raise Refused(self.data.decode() or "closed")
            self.data += more
        head, self.data = self.data.split(b"\r\n\r\n", 1)
        if not head.startswith(b"HTTP/1.1 101 "):
            self.file.close()
            raise Refused(head.decode())
        fields = dict(line.lower().split(": ", 1) for line in head.decode().split("\r\n")[1:])
        assert fields["sec-websocket-accept"] == accept.lower()
        assert fields["sec-websocket-protocol"] == protocol

    def fileno(self):
        return self.file.fileno()

    def close(self):
        self.file.close()

    def send(self, data):
        self.send_raw(frame(data))

    def send_raw(self, data):
        try:
            self.file.sendall(data)
        except (BrokenPipeError, ConnectionResetError):
            self.is_closed = True

    def take_frame(self):
        """(opcode, is final, payload) of a whole frame that has come, or None."""
        if len(self.data) < 2:
            return None
        count, at = self.data[1] & 127, 2
        assert not self.data[1] & 128 and not self.data[0] & 0x70  # not masked, no extension
        if count == 126:
            count, at = int.from_bytes(self.data[2:4], "big"), 4
        elif count == 127:
            count, at = int.from_bytes(self.data[2:10], "big"), 10
        if len(self.data) < at + count:
            return None
        first, payload = self.data[0], self.data[at:at + count]
        self.data = self.data[at + count:]
        return first & 15, first >> 7, payload

    def take(self):
        """The next whole message that has come, or None."""
        while (found := self.take_frame()) is not None:
            opcode, is_final, payload = found
            if opcode == PING:
                self.send_raw(frame(payload, PONG))
            elif opcode == CLOSE:
                self.code = int.from_bytes(payload[:2], "big")
                self.is_closed = True
            elif opcode in (BINARY, CONTINUATION):
                self.parts.append(payload)
                if is_final:
                    message, self.parts = b"".join(self.parts), []
                    return message
        return None

    def listen(self, patience_s):
        """The next message; None when none comes."""
        end = time.monotonic() + max(patience_s, 0)
        while True:
            message = self.take()
            left = end - time.monotonic()
            if message is not None or self.is_closed:
                return message
            if not select.select([self.file], [], [], max(left, 0))[0]:
                return None
            try:
                more = self.file.recv(65536)
            except ConnectionResetError:
                more = b""
            self.is_closed = not more
            self.data += more

    def wait_close(self, patience_s=PATIENCE_S):
        """Reads until the server closes; its code, or None without one."""
        end = time.monotonic() + patience_s
        while not self.is_closed:
            assert time.monotonic() < end, "not closed"
            self.listen(end - time.monotonic())
        return self.code


class WebCarrier:
    """One connection over a WebSocket, as carrier.Carrier is one over UDP."""

    def __init__(self, sock, granted):
        self.socket = sock
        self.question = bytes([CONNECT]) + struct.pack("<I", granted["connect id"])
        self.is_connected, self.waiting = False, ()

    @property
    def is_closed(self):
        return self.socket.is_closed

    def connect(self):
        self.socket.send(self.question)

    def send_control(self, packet):
        self.socket.send(bytes([CONTROL]) + packet)

    def send_ticks(self, packet):
        self.socket.send(bytes([TICKS]) + packet)

    def hear(self, message):
        assert message[0] in (CONTROL, TICKS) and 21 < len(message) <= 1157
        return [(message[0], message[1:])]

    def take_answer(self, message):
        assert message == self.question
        self.is_connected = True

    def repeat(self):
        """Nothing gets lost on the way."""
