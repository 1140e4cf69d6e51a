"""`lockstep relay`: the process, its statistics, and a match through it."""
import json
import os
import re
import signal
import socket
import statistics
import threading
import time

from case import GOOD, MACHINE, TIMEOUT_S, USAGE, Case, main

END = b"end"
TRIALS = 8  # a machine that is busy for seconds spoils one of them


def unread_bytes(*ports):
    """What IPv4 sockets with these ports have received, and no process has read."""
    with open("/proc/net/udp", encoding="ascii") as file:
        rows = [line.split() for line in file.readlines()[1:]]
    return sum(int(row[4].split(":")[1], 16) for row in rows if int(row[1].split(":")[1], 16) in ports)


class Echo:
    """A UDP server that sends everything back and records the sender addresses."""

    def __init__(self):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
        self.socket.bind(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        self.sources, self.heard = [], []
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self):
        while True:
            try:
                data, source = self.socket.recvfrom(65536)
                self.heard.append(data)
                if source not in self.sources:
                    self.sources.append(source)
                self.socket.sendto(data, source)
            except OSError:
                return


def client():
    made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
    made.settimeout(TIMEOUT_S)
    return made


class Relay(Case):
    def setUp(self):
        super().setUp()
        self.echo = Echo()
        self.addCleanup(self.echo.socket.close)

    def relay(self, *options, port=None):
        """Starts a relay; returns the process and its address."""
        process = self.start("relay", "--to", f"127.0.0.1:{port or self.echo.port}", *options)
        self.addCleanup(lambda: process.poll() is None and process.kill())
        first = process.stdout.readline()
        found = re.search(r"(127\.0\.0\.1):(\d+)", first)
        self.assertTrue(found, first)
        return process, (found.group(1), int(found.group(2)))

    def finish(self, process, number=signal.SIGTERM):
        process.send_signal(number)
        return self.end(process, GOOD)[0]

    def exchange(self, address, count, gap_s=0.001, is_awaited=False):
        """Sends numbered packets; returns {number: round trip} of those that came back. An END follows them, again and
        again until one of them is back. The system drops no packet, because few are unread at a time; if they are
        awaited, none is under way when the next one is sent."""
        own, trips = client(), {}
        own.bind(("127.0.0.1", 0))
        ports = self.echo.port, address[1], own.getsockname()[1]
        sent, self.ends = {}, 0

        def read():
            while (data := own.recv(100)) != END:
                trips.setdefault(int(data), time.monotonic() - sent[int(data)])

        reader = threading.Thread(target=read)
        reader.start()
        for number in range(count):
            sent[number] = time.monotonic()
            own.sendto(b"%d" % number, address)
            time.sleep(gap_s)
            while number % 16 == 15 and unread_bytes(*ports) > 16384:
                time.sleep(0.001)
            while is_awaited and number not in trips and reader.is_alive():
                time.sleep(0.001)
        while reader.is_alive():
            own.sendto(END, address)
            self.ends += 1
            reader.join(1)
        own.close()
        return trips

    def heard(self):
        """The numbered packets that the server received."""
        return [data for data in self.echo.heard if data != END]

    def test_loss_and_delay(self):
        for _ in range(TRIALS):
            self.echo.heard = []
            process, address = self.relay("--loss", "10", "--delay", "50", "--seed", "3", "--quiet")
            trips = self.exchange(address, 2000)
            self.assertAlmostEqual(len(self.heard()) / 2000, 0.9, delta=0.03)
            self.assertAlmostEqual(len(trips) / 2000, 0.81, delta=0.04)
            self.assertGreaterEqual(min(trips.values()), 0.1)
            out = self.finish(process)
            self.assertRegex(out, r"(?m)^relayed [\d.]+ s  flows 1  refused packets 0  rebinds 0$")
            lost = int(re.search(r"(?m)^up .* lost (\d+)", out).group(1)) + len(self.heard()) - 2000
            self.assertTrue(0 <= lost < self.ends, (lost, self.ends))  # of the ENDs one was not lost
            # Checks the fastest tenth only: the others may have waited for a processor, in three processes.
            fastest = statistics.quantiles(trips.values(), n=10)[0]
            if fastest < 0.13:
                break
        self.assertLess(fastest, 0.13)

    def test_the_seed_decides_which_packets_are_lost(self):
        heard = []
        for seed in ("5", "5", "6"):
            self.echo.heard = []
            process, address = self.relay("--loss", "20", "--seed", seed, "--only", "up", "--quiet")
            trips = self.exchange(address, 300)
            self.finish(process)
            self.assertEqual(len(trips), len(self.heard()))  # the way back loses nothing
            heard.append(self.heard())
        self.assertEqual(heard[0], heard[1])
        self.assertNotEqual(heard[0], heard[2])

    def test_damage_and_duplicates(self):
        process, address = self.relay("--corrupt", "100", "--duplicate", "100", "--only", "up")
        own = client()
        own.sendto(bytes(64), address)
        answers = {own.recv(100), own.recv(100)}
        self.assertEqual(len(answers), 1)  # two copies of one damaged packet are equal
        self.assertEqual(sum(byte.bit_count() for byte in answers.pop()), 1)
        own.close()
        self.finish(process)

    def test_rebinding_changes_the_port_once(self):
        process, address = self.relay("--rebind-after", "1", "--quiet")
        trips = self.exchange(address, 300, gap_s=0.01, is_awaited=True)
        self.assertEqual(len(trips), 300)
        self.assertEqual(len(self.echo.sources), 2)
        self.assertIn("rebinds 1", self.finish(process, signal.SIGINT))

    def test_flows_are_bounded(self):
        process, address = self.relay("--flows", "3", "--json")
        clients = [client() for _ in range(10)]
        for own in clients:
            own.sendto(b"hello", address)
        for own in clients[:3]:
            self.assertEqual(own.recv(100), b"hello")
        self.wait_until(lambda: unread_bytes(address[1]) == 0, lambda: "unread packets")
        self.assertEqual(len(self.echo.sources), 3)
        last = json.loads(self.finish(process).splitlines()[-1])
        self.assertEqual((last["event"], last["flows"], last["flows_refused"]), ("end", 3, 7))
        for own in clients:
            own.close()

    def test_lines(self):
        process, address = self.relay("--delay", "20", "--profile", "lan")
        self.exchange(address, 100, gap_s=0.02)
        out = process.stdout.readline() + self.finish(process)
        self.assertRegex(out, r"(?m)^flows 1  up \d+ packets/s [\d.]+ kB/s  down \d+ packets/s "
                              r"[\d.]+ kB/s  lost 0  delayed \d+$")
        process, address = self.relay("--json", "--delay", "20")
        self.exchange(address, 100, gap_s=0.02)
        out = process.stdout.readline() + self.finish(process)
        events = [json.loads(line) for line in out.splitlines()]
        self.assertIn("second", {event["event"] for event in events})
        for event in events:
            for way in (event["up"], event["down"]):
                self.assertEqual(
                    way["packets"] + way["duplicated"],
                    sum(way[name] for name in ("delivered", "lost", "overrun", "queue_full",
                                               "stale", "send_failed", "waiting")))

    def test_the_first_line_says_all(self):
        process = self.start("relay", "--to", "localhost:9", "--profile", "bad", "--only", "down",
                             "--seed", "4")
        self.assertRegex(process.stdout.readline(),
                         r"^relaying 127\.0\.0\.1:\d+ to localhost:9  seed 4  up: nothing  "
                         r"down: loss 5 %, delay 100 ms\n$")
        self.finish(process)

    def test_wrong_use(self):
        self.command("relay", code=USAGE)
        for options in (("--loss", "101"), ("--loss", "x"), ("--burst", "0.5"), ("--only", "left"),
                        ("--profile", "moon"), ("--listen", "host:1"), ("--listen", "70000"),
                        ("--flows", "0"), ("--delay", "-1"), ("word",)):
            _, err = self.command("relay", "--to", "127.0.0.1:9", *options, code=USAGE)
            self.assertIn(options[0].lstrip("-"), err)
        self.refuse("relay", "--to", "127.0.0.1:9", "--listen", str(self.echo.port), code=MACHINE,
                    says=[f"127.0.0.1:{self.echo.port}"])
        self.refuse("relay", "--to", "no.such.host.invalid:9", code=MACHINE,
                    says=["no.such.host.invalid"])

    def test_a_match_through_it(self):
        server = self.serve("--wait", "2", "--tick-rate", "30", "--ticks", "150")
        process, address = self.relay("--delay", "50", "--loss", "5", "--seed", "1", "--quiet",
                                      port=server.port)
        out, _ = self.command("join", "%s:%d#%s" % (*address, server.address.split("#")[1]),
                              "--sim", "skirmish", "--bots", "2")
        self.assertEqual(len(re.findall(r"client \d ended at tick \d+: the match ended at tick 150", out)), 2, out)
        self.assertEqual(server.wait(), GOOD)
        self.assertEqual(self.verified_ticks(self.recording()), 150)
        out = self.finish(process)
        self.assertRegex(out, r"flows 2 ")
        self.assertGreater(int(re.search(r"(?m)^down .* lost (\d+)", out).group(1)), 0)

    def test_join_brings_its_own(self):
        server = self.serve("--wait", "2", "--tick-rate", "30", "--ticks", "150")
        out, _ = self.join(server, "--bots", "2", "--relay-delay", "60", "--relay-loss", "2")
        self.assertEqual(len(re.findall(r"client \d ended at tick \d+: the match ended at tick 150", out)), 2, out)
        trips = [float(text) for text in re.findall(r"rtt ([\d.]+) ms", out)]
        self.assertGreaterEqual(max(trips), 110, out)
        self.assertEqual(server.wait(), GOOD)
        self.assertEqual(self.verified_ticks(self.recording()), 150)

    def test_an_idle_player_costs_what_the_page_says(self):
        """Compares with the page; wide bounds, and one match of several, because a busy machine sends fewer and fuller
        packets, or resends."""
        page = os.path.join(os.path.dirname(__file__), "..", "..", "..", "docs", "network-performance.md")
        with open(page, encoding="utf-8") as file:
            row = re.search(r"1 idle player, 1,000 units, 60 ticks a second \| ([\d.]+) .*?\| ([\d.]+) ", file.read())
        said = [float(kb_per_s) * 1000 / 60 for kb_per_s in row.groups()]
        costs = []
        for _ in range(TRIALS):
            costs.append(self.idle_bytes_per_tick())
            if all(wanted / 4 < cost < wanted * 2 for cost, wanted in zip(costs[-1], said)):
                return
        self.fail(f"up, down: {costs}, and not {said}")

    def idle_bytes_per_tick(self):
        server = self.serve("--wait", "1", "--tick-rate", "60", "--ticks", "300")
        process, address = self.relay("--json", port=server.port)
        self.command("join", "%s:%d#%s" % (*address, server.address.split("#")[1]), "--input",
                     "script:/dev/null", "--quiet")
        self.assertEqual(server.wait(), GOOD)
        end = json.loads(self.finish(process).splitlines()[-1])
        return [end[way]["bytes"] / 300 for way in ("up", "down")]


main()
