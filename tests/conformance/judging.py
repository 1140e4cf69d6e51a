"""Congestion: the levels that docs/protocol.md leads to are those of the reference client."""
import os
import random
import subprocess
import unittest

from congestion import MS, S, Congestion

TRACES = 100
TRACE_S = 120


def line(dice):
    """A line's round trips and losses, a period after the other: (length, round trip, jitter, loss, outage)."""
    base = dice.choice((5, 30, 80, 250))
    while True:
        extra = dice.choice((0, 0, 10, 60, 100, base // 2, base, 3 * base, 1500))
        if dice.random() < 0.1:
            base = dice.choice((5, 30, 80, 250))
        yield (dice.choice((1, 3, 8, 20)), base + extra, dice.choice((0, 2, 20, 200)),
               dice.choice((0, 0, 0.05, 0.3, 0.5)), dice.choice((0, 0, 0, 17, 40)))


def trace(seed):
    """(kind, value, time) of one session; it begins at any time of the client's clock."""
    dice = random.Random(seed)
    periods, now, end, number = line(dice), 1000 * S, 0, 0
    step = dice.choice((16, 50, 100, 400))
    yield "c", dice.choice((3, 40, 199, 201, 900)) * MS, now
    stop = now + TRACE_S * S
    while now < stop:
        if now >= end:
            length, round_trip, jitter, loss, outage = next(periods)
            end = now + length * S
            number += outage
        now += dice.randrange(step * MS // 2, step * MS * 3 // 2)
        number += 1
        if dice.random() < loss:
            continue
        yield "p", number, now
        yield "r", round_trip * MS + dice.randrange(jitter * MS + 1), now


class Judging(unittest.TestCase):
    def test_congestion_is_that_of_the_reference_client(self):
        seen = set()
        for seed in range(TRACES):
            events = list(trace(seed))
            judge, levels = Congestion(), []
            for kind, value, now in events:
                {"c": judge.connected, "p": judge.hear, "r": judge.sample}[kind](value, now)
                levels.append(judge.level)
            told = subprocess.run(
                [os.environ["LOCKSTEP_CONGESTION_TRACE"]], check=True, text=True, stdout=subprocess.PIPE,
                input="".join(f"{kind} {value} {now}\n" for kind, value, now in events)).stdout.split()
            theirs = [int(level) for level in told]
            at = next((at for at, pair in enumerate(zip(levels, theirs)) if pair[0] != pair[1]), None)
            self.assertIsNone(at, f"seed {seed}, event {at}: {events[at or 0]}")
            self.assertEqual(len(levels), len(theirs))
            seen.update(zip(levels, levels[1:]))
        rises, falls = {b - a for a, b in seen if b > a}, {a - b for a, b in seen if b < a}
        self.assertEqual(({1, 2} <= rises, falls), (True, {1, 2}))
