"""Reads the frames of a recording as docs/replay-format.md describes; checksums are left to `verify`."""

import itertools

STATE, ORDER = 3, 0
KINDS_WITH_DATA = {0, 3, 4}
FRESH_TICKS = 64


def inputs_of(path):
    """(tick, player, kind, bytes) of each input, in order."""
    found, states = [], {}
    for kind, payload, _ in _records(path):
        if kind == 2:
            found += _frame(payload, states)
    return found


def record_types(path):
    return [kind for kind, _, _ in _records(path)]


def record_offsets(path):
    return [at for _, _, at in _records(path)]


def keyframes_of(path):
    """(index of its record, tick, is full) of each keyframe."""
    found = []
    for i, (kind, payload, _) in enumerate(_records(path)):
        if kind == 6:
            tick, at = _number(payload, 0)
            found.append((i, tick, payload[at] == 0))
    return found


def record_offset(path, wanted, number):
    """The offset of record `number` of the wanted type; the file's end may be torn."""
    offsets = (at for kind, _, at in _records(path) if kind == wanted)
    return next(itertools.islice(offsets, number, None))


def _records(path):
    with open(path, "rb") as file:
        data = file.read()
    at = 20
    while at < len(data):
        size, start = _number(data, at + 1)
        yield data[at], data[start:start + size], at
        at = start + size + 8


def _number(data, at):
    """Reads a variable-length integer, seven bits per byte, lowest first; returns (value, end offset)."""
    value = shift = 0
    while data[at] & 0x80:
        value |= (data[at] & 0x7f) << shift
        at, shift = at + 1, shift + 7
    return value | data[at] << shift, at + 1


def _frame(payload, states):
    tick, at = _number(payload, 0)
    at += 1 + 8 * payload[at]
    count = payload[at]
    at += 1
    if tick % FRESH_TICKS == 0:
        states.clear()
    player, size = -1, 0
    for _ in range(count):
        head = payload[at]
        kind, form = head & 7, head >> 3 & 3
        at += 1
        if form == 2:
            player = payload[at]
            at += 1
        else:
            player += form
        data = b""
        if head & 0x20:
            data = states[player]
        elif kind in KINDS_WITH_DATA:
            if not head & 0x40:
                size = payload[at] + 1
                at += 1
            data = payload[at:at + size]
            at += size
            if kind != ORDER:
                states[player] = data
        yield tick, player, kind, data
    assert at == len(payload), "a frame with more behind it"
