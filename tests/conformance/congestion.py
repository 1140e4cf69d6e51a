"""How congested a client finds its line, from "Congestion" of docs/protocol.md alone. Times are nanoseconds."""
S = 10**9
MS = 10**6


class Least:
    """The least of one to two minutes."""

    def __init__(self):
        self.minutes, self.since = [None, None], 0

    def add(self, value, now):
        if now - self.since >= 60 * S:
            self.since = now
            self.minutes = [None, self.minutes[0]]
        self.minutes[0] = value if self.minutes[0] is None else min(self.minutes[0], value)

    def get(self):
        return min((value for value in self.minutes if value is not None), default=0)


class Loss:
    """Counts of the server's packets, and losses of many in a row."""

    def __init__(self):
        self.first, self.next, self.begun, self.received = 0, 0, 0, 0
        self.permille, self.is_news = 0, False
        self.outage = None  # when the last one ended

    def restart(self, number, now):
        self.first, self.begun, self.received = number, now, 0

    def hear(self, next_number, now):
        """A packet; one above the highest number so far. Whether it ends a second outage within 3 s."""
        is_outage = next_number - self.next > 16
        self.next = max(self.next, next_number)
        if is_outage:
            is_second = self.outage is not None and now - self.outage < 3 * S
            self.outage, self.permille, self.is_news = now, 1000, False
            self.restart(next_number, now)
            return is_second
        self.received += 1
        sent = next_number - self.first
        if sent >= 64 or (sent >= 16 and now - self.begun >= 3 * S):
            self.permille, self.is_news = 1000 * max(sent - self.received, 0) // sent, True
            self.restart(next_number, now)
        return False


class Trial:
    """Rounds with a long wait at the highest level."""

    def __init__(self):
        self.longest, self.waits, self.begun = 0, [], 0

    def has_failed(self, level, wait, now):
        self.longest = max(self.longest, wait)
        if level < 7:
            return False
        if not self.waits:
            self.begun = now
        self.waits.append(wait)
        if now - self.begun < max(3 * S, 16 * wait):
            return False
        mean = sum(self.waits) // len(self.waits)
        self.waits = []
        return 2 * min(mean, wait) > self.longest


class Congestion:
    def __init__(self):
        self.level, self.least, self.loss, self.trial = 2, Least(), Loss(), Trial()
        self.samples, self.begun, self.median = [], 0, 0
        self.calm, self.patience = 0, 0  # since when no wait was long; how long that must be
        self.has_fallen, self.tight = False, 0  # since it last rose; the level from which it did
        self.rest, self.rested = 0, 0

    def connected(self, round_trip, now):
        """The carrier's connecting took this long."""
        if round_trip > 300 * MS:
            self.level = 7
        else:
            self.least.add(round_trip, now)

    def hear(self, next_number, now):
        """A packet of the server."""
        if self.loss.hear(next_number, now):
            self.calm = now
            self.rise(2)

    def sample(self, round_trip, now):
        self.samples.append(round_trip)
        length = max(2 * self.least.get(), self.median, 250 * MS)
        if len(self.samples) < 8:
            length = max(length, 1 * S)
        if now - self.begun >= length:
            self.judge(sorted(self.samples[-16:]), now)
            self.begun, self.samples = now, []

    def rise(self, levels):
        if self.has_fallen or not self.patience:
            self.tight = self.level
            self.patience = min(max(2 * self.patience, 2 * S), 64 * S)
        self.has_fallen = False
        self.level = min(self.level + levels, 7)

    def fall(self, now):
        patience = min(self.patience, 2 * S) if self.level > self.tight + 1 else self.patience
        if not self.level or now - self.calm < patience:
            return
        if self.has_fallen and self.patience and self.level <= self.tight:
            self.patience = max(self.patience // 2, 2 * S)
        is_beginning = not self.patience and not self.rest
        self.level -= 2 if is_beginning and self.level > 2 else 1
        self.has_fallen, self.calm = True, now
        if not self.level and now >= self.rested:
            self.rest = 0

    def rest_now(self, now):
        """The trial has failed."""
        self.rest = min(max(2 * self.rest, 15 * S), 240 * S)
        self.rested, self.patience = now + self.rest, 0
        self.least = Least()
        self.least.add(self.median, now)

    def judge(self, ordered, now):
        count = len(ordered)
        self.median = ordered[count // 2]
        spread = ordered[count * 3 // 4] - ordered[count // 4]
        if self.median < self.least.get() // 4 * 3:  # another line
            self.patience = 2 * S if self.level > 2 and now >= self.rested else 0
            self.loss.is_news = False
            self.loss.restart(self.loss.next, now)
        self.least.add(self.median, now)
        least = self.least.get()
        wait = self.median - min(least, self.median)
        has_lost = self.loss.is_news and self.loss.permille >= 400
        self.loss.is_news = False
        is_short = wait <= max(least // 4, 40 * MS)
        if not has_lost and (is_short or wait <= 2 * spread):
            self.trial.waits = []
            self.trial.longest = 0 if is_short else self.trial.longest
            self.fall(now)
            return
        self.calm = now
        if self.trial.has_failed(self.level, wait, now) and self.loss.permille < 100:
            self.rest_now(now)
        elif self.level or now >= self.rested or wait > least or has_lost:
            self.rise(2 if has_lost or wait > least else 1)
