"""Reads the frames of a recording, as docs/replay-format.md says; checksums are left to `verify`."""
import struct

STATE, ORDER = 3, 0


def inputs_of(path):
    """(tick, player, kind, bytes) of each input, in order."""
    with open(path, "rb") as file:
        data = file.read()
    at, found = 20, []
    while at + 13 <= len(data):
        size, kind = struct.unpack_from("<IB", data, at)
        if kind == 2:
            found += _frame(data[at + 5:at + 5 + size])
        at += 5 + size + 8
    return found


def _frame(payload):
    tick, roots = struct.unpack_from("<QB", payload)
    at = 9 + 8 * roots
    count = payload[at]
    at += 1
    for _ in range(count):
        player, kind, size = struct.unpack_from("<BBH", payload, at)
        yield tick, player, kind, payload[at + 4:at + 4 + size]
        at += 4 + size
    assert at == len(payload), "a frame with more behind it"
