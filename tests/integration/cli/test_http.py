"""serve --http: metrics, health and rooms, and what strangers may do to the port."""
import errno
import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import time
import unittest
from random import Random

from case import GOOD, INCOMPATIBLE, MACHINE, TIMEOUT_S, USAGE, Case, FaultyServer, is_sanitized, main

# A sanitizer simulates many times slower, and shares two cores with other tests.
RATE = 10 if is_sanitized() else 60
TICKS = 2400  # 40 s, in which three bots join and three pages are read

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")
NAME = r"[a-z_][a-z0-9_]*"
SAMPLE = re.compile(rf'({NAME})(?:\{{({NAME}="(?:[^"\\\n]|\\[\\"n])*"(?:,{NAME}="(?:[^"\\\n]|\\[\\"n])*")*)\}})? '
                    r"(\d+(?:\.\d+)?)")
DASHBOARD = os.path.join(ROOT, "docker", "dashboard.json")
ALERTS = os.path.join(ROOT, "docker", "alerts.yml")
KINDS = ("counter", "gauge", "histogram")


def metric_of(sample, kinds):
    """The metric of a sample: that of a histogram lacks its suffix."""
    base = re.sub(r"_(bucket|sum|count)$", "", sample)
    return base if kinds.get(base) == "histogram" else sample


def parse(text):
    """({name: kind}, {(name, labels): value}) of a page. Every line must be valid."""
    assert text.endswith("\n"), text[-80:]
    kinds, samples, helped, order = {}, {}, set(), []
    for line in text.splitlines():
        if head := re.fullmatch(rf"# HELP ({NAME}) \S.*", line):
            assert head.group(1) not in helped, f"two HELP: {line}"
            helped.add(head.group(1))
        elif head := re.fullmatch(rf"# TYPE ({NAME}) (\w+)", line):
            name, kind = head.groups()
            assert kind in KINDS and name not in kinds and name in helped, line
            kinds[name] = kind
        else:
            match = SAMPLE.fullmatch(line)
            assert match, f"not valid: {line!r}"
            name, labels, value = match.groups()
            metric = metric_of(name, kinds)
            assert metric in kinds, f"no TYPE before {line}"
            assert (name, labels) not in samples, f"twice: {line}"
            samples[name, labels] = float(value)
            if not order or order[-1] != metric:
                order.append(metric)
    assert len(order) == len(set(order)) == len(kinds) == len(helped), "a metric is not in one group"
    for name, kind in kinds.items():
        assert (kind == "counter") == name.endswith("_total"), name
        if kind == "histogram":
            check_histogram(name, samples)
    return kinds, samples


def queries():
    """Those of the dashboard, with values for Grafana's variables, of the alerts, and of the page."""
    with open(DASHBOARD, encoding="utf-8") as file:
        found = [target["expr"].replace("$__rate_interval", "1m").replace("$instance", ".*")
                 for panel in json.load(file)["panels"] for target in panel["targets"]]
    with open(ALERTS, encoding="utf-8") as file:
        found += re.findall(r"(?m)^ +expr: (.+)$", file.read())
    with open(os.path.join(ROOT, "docs", "operations-metrics.md"), encoding="utf-8") as file:
        table = file.read().partition("\n| question | query |\n")[2].partition("\n\n")[0]
    return found + [re.search("`(.*?)`", row)[1] for row in table.splitlines()[1:]]


def check_histogram(name, samples):
    buckets = [(re.fullmatch(r'le="(.*)"', labels).group(1), value)
               for (sample, labels), value in samples.items() if sample == f"{name}_bucket"]
    bounds, counts = [float(bound) for bound, _ in buckets], [value for _, value in buckets]
    assert bounds == sorted(set(bounds)) and counts == sorted(counts), buckets
    assert buckets[-1] == ("+Inf", samples[f"{name}_count", None]), buckets
    assert samples[f"{name}_sum", None] >= 0


def assert_grows(before, after):
    kinds, old = before
    new = after[1]
    for (name, labels), value in old.items():
        if kinds[metric_of(name, kinds)] != "gauge":
            assert new[name, labels] >= value, f"{name} {labels} fell from {value} to {new[name, labels]}"


class Http(Case):
    def serve_http(self, *options, address="0", **keywords):
        server = self.serve("--http", address, *options, **keywords)
        server.http = server.wait_line(r"^listening_http address=(\S+)", server.log).group(1)
        return server

    def request(self, server, path, method="GET", body=None, headers=None):
        connection = http.client.HTTPConnection(server.http, timeout=TIMEOUT_S)
        try:
            connection.request(method, path, body, headers or {})
            answer = connection.getresponse()
            text = answer.read().decode()
            self.assertEqual(int(answer.headers["content-length"]), len(text) if method != "HEAD" else
                             int(answer.headers["content-length"]))
            return answer.status, answer.headers["content-type"], text
        finally:
            connection.close()

    def get(self, server, path, code=200):
        status, kind, text = self.request(server, path)
        self.assertEqual(status, code, text)
        return text if kind.startswith("text/plain") else json.loads(text)

    def metrics(self, server):
        return parse(self.get(server, "/metrics"))

    def connect(self, server):
        host, port = server.http.rsplit(":", 1)
        return socket.create_connection((host, int(port)), timeout=TIMEOUT_S)

    def wait_ended(self, connection):
        """Reads until the other side closes; returns the bytes and the seconds."""
        begin, data = time.monotonic(), b""
        try:
            while part := connection.recv(65536):
                data += part
        except ConnectionResetError:
            pass
        connection.close()
        return data, time.monotonic() - begin

    def play(self, server, *options, sim="skirmish"):
        bots = self.start_join(server, "--bots", "3", *options, sim=sim)
        server.wait_line(r"^tick [1-9]\d*  ", server.lines)
        self.wait_until(lambda: self.metrics(server)[1]["lockstep_sessions", 'kind="bot"'] == 3, server.text)
        return bots

    def stop_bots(self, bots):
        bots.terminate()
        bots.communicate(timeout=TIMEOUT_S)

    def test_metrics_agree_with_the_match(self):
        server = self.serve_http("--tick-rate", "60", "--ticks", str(TICKS), "--rooms", "1", "--rooms-max", "2",
                                 sim="regatta")
        bots = self.play(server, "--input", "random", sim="regatta")
        pages = [self.metrics(server)]
        while len(pages) < 3:
            time.sleep(1.1)
            pages.append(self.metrics(server))
            assert_grows(pages[-2], pages[-1])
        samples = pages[-1][1]
        self.wait_until(lambda: self.metrics(server)[1]["lockstep_tick_lateness_seconds_count", None] >
                        pages[0][1]["lockstep_tick_lateness_seconds_count", None], server.text)
        self.assertEqual(samples["lockstep_rooms", 'state="running"'], 1)
        self.assertEqual(samples["lockstep_joins_total", None], 3)
        self.assertGreater(samples["lockstep_recording_bytes", None], 0)
        self.assertGreater(samples["process_resident_memory_bytes", None], 1e6)
        self.assertEqual([value for (name, _), value in samples.items() if name == "lockstep_build_info"], [1])
        self.end(bots, GOOD)  # the match is over, and its room is closed
        self.wait_until(lambda: self.metrics(server)[1]["lockstep_rooms", 'state="ending"'] == 0 and
                        not self.get(server, "/rooms")["rooms"], server.text)
        after = self.metrics(server)
        assert_grows(pages[-1], after)
        samples = after[1]
        self.assertEqual(samples["lockstep_tick_lateness_seconds_count", None], TICKS)
        self.assertEqual(samples["lockstep_tick_duration_seconds_count", None], TICKS)
        self.assertEqual(samples["lockstep_desyncs_total", None], 0)
        self.assertEqual(self.verified_ticks(self.recording()), TICKS)
        # Each player and tick has a state, of the player or a substitute.
        states = samples["lockstep_inputs_accepted_total", 'kind="state"']
        substituted = samples["lockstep_inputs_substituted_total", None]
        self.assertGreater(states, 0)
        self.assertLessEqual(states + substituted, 3 * TICKS)
        self.assertEqual(server.stop(), GOOD)

    def test_clients_report(self):
        """Players report what they measure, the first time after ten seconds."""
        server = self.serve_http()
        bots = self.play(server, "--relay-delay", "20", "--predict", "8")
        # A report leaves out what its client has not measured since the last one.
        for name, count in (("loss_ratio", 3), ("round_trip_seconds", 1), ("input_delay_seconds", 1), ("rollback_seconds", 1)):
            self.wait_until(lambda: self.metrics(server)[1][f"lockstep_client_{name}_count", None] >= count, server.text)
        samples = self.metrics(server)[1]
        # 40 ms at least, measured by clocks that may cut them at both ends.
        self.assertGreaterEqual(samples["lockstep_client_round_trip_seconds_sum", None],
                                0.038 * samples["lockstep_client_round_trip_seconds_count", None])
        self.assertGreater(samples["lockstep_client_input_delay_seconds_sum", None], 0)
        self.assertGreater(samples["lockstep_recording_sync_seconds_count", None], 0)
        self.stop_bots(bots)
        self.assertEqual(server.stop(), GOOD)

    @unittest.skipIf(is_sanitized(), "a sanitizer wants to be the first that is loaded")
    def test_a_full_disk_is_counted(self):
        """The gauge tells that nothing is recorded, and the ticks that no file has are more and more."""
        server = FaultyServer(self.folder, ("write", errno.ENOSPC, 60, 1000000), "--http", "0", "--wait", "0", "--sync-ticks", "15",
                              "--tick-rate", "60")
        self.servers.append(server)
        server.http = server.wait_line(r"^listening_http address=(\S+)", server.log).group(1)
        self.wait_until(lambda: self.metrics(server)[1]["lockstep_recordings_failed", None] == 1, server.text)
        before = self.metrics(server)[1]
        self.assertEqual(before["lockstep_recording_failures_total", None], 1)
        self.assertGreater(before["lockstep_recording_written_bytes_total", None], 0)
        self.wait_until(lambda: self.metrics(server)[1]["lockstep_recording_unsynced_ticks", None] > 120, server.text)
        after = self.metrics(server)[1]
        written = "lockstep_recording_written_bytes_total", None
        self.assertEqual(after[written], before[written])
        self.assertEqual(server.stop(), MACHINE)

    def test_refused_handshakes_are_counted_once(self):
        server = self.serve_http()

        def refused():
            return {labels: value for (name, labels), value in self.metrics(server)[1].items()
                    if name == "lockstep_handshakes_refused_total" and value}

        asks = self.start("join", server.host_port, "--ticks", "5", "--known-servers", self.path("known"))
        self.end(asks, GOOD)  # without --sim it asks which one runs here
        self.assertEqual(refused(), {})
        self.assertNotIn("hello_rejected", server.text())
        self.join(server, sim="regatta", code=INCOMPATIBLE)
        self.wait_until(refused, server.text)
        self.assertEqual(list(refused()), ['reason="incompatible"'])
        server.wait_line(r"^hello_rejected ", server.log)
        self.assertEqual(server.stop(), GOOD)

    def test_promtool_agrees(self):
        promtool = shutil.which("promtool")
        if not promtool:
            self.skipTest("promtool is not installed")
        server = self.serve_http()
        done = subprocess.run([promtool, "check", "metrics"], input=self.get(server, "/metrics"), text=True,
                              capture_output=True, timeout=TIMEOUT_S, check=False)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def check_promtool(self, *words):
        promtool = shutil.which("promtool")
        if not promtool:
            self.skipTest("promtool is not installed")
        done = subprocess.run([promtool, *words], text=True, capture_output=True, timeout=TIMEOUT_S, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)

    def test_alerts_fire(self):
        self.check_promtool("check", "rules", ALERTS)
        self.check_promtool("test", "rules", os.path.join(os.path.dirname(os.path.abspath(__file__)), "alerts_test.yml"))

    def test_queries_are_valid(self):
        rules = [{"record": f"q{i}", "expr": query} for i, query in enumerate(queries())]
        with open(self.path("rules.yml"), "w", encoding="utf-8") as file:
            json.dump({"groups": [{"name": "queries", "rules": rules}]}, file)
        self.check_promtool("check", "rules", self.path("rules.yml"))

    def test_queries_name_metrics_that_are_there(self):
        kinds, samples = self.metrics(self.serve_http())
        self.assertGreater(len(queries()), 40)
        for query in queries():
            found = re.findall(rf"\b((?:lockstep|process)_{NAME})(?:\{{([^}}]*)\}})?", query)
            self.assertTrue(found or query.startswith("up{"), query)
            for name, selector in found:
                self.assertIn(metric_of(name, kinds), kinds, query)
                have = [labels or "" for (sample, labels) in samples if sample == name]
                self.assertTrue(have, f"{name} has no samples, as in {query}")
                for label in re.findall(rf'({NAME}="[^"]*")', selector):
                    if not label.startswith("job="):
                        self.assertTrue(any(label in labels.split(",") for labels in have), query)
            for labels in re.findall(r"\bby \(([^)]*)\)", query):
                for label in labels.split(", "):
                    self.assertTrue(any(f'{label}="' in (labels or "") for (name, labels) in samples
                                        if name in [name for name, _ in found]), query)

    def test_the_dashboard_is_one(self):
        with open(DASHBOARD, encoding="utf-8") as file:
            board = json.load(file)
        self.assertEqual((board["uid"], board["title"]), ("lockstep", "Lockstep servers"))
        places = [(panel["gridPos"]["x"], panel["gridPos"]["y"]) for panel in board["panels"]]
        self.assertEqual(len(set(places)), len(places))
        variables = {one["name"] for one in board["templating"]["list"]}
        self.assertEqual(set(re.findall(r"\$(\w+)", json.dumps(board))) - {"__rate_interval", "__all"}, variables)
        with open(os.path.join(ROOT, "docs", "operations-metrics.md"), encoding="utf-8") as file:
            page = file.read()
        for panel in board["panels"]:
            self.assertTrue(panel["description"] and panel["targets"], panel["title"])
            self.assertIn(f"| {panel['title']} |", page)
        with open(ALERTS, encoding="utf-8") as file:
            for alert in re.findall(r"alert: (\w+)", file.read()):
                self.assertIn(f"`{alert}`", page)

    def test_docs_have_each_metric(self):
        with open(os.path.join(ROOT, "docs", "operations-metrics.md"), encoding="utf-8") as file:
            rows = [line.split("|") for line in file.read().splitlines() if line.startswith("| `")]
        told = {}
        for row in rows:
            labels = sorted(re.findall(r"`(\w+)`", row[3]))
            for name in re.findall(r"`(\w+)`", row[1]):
                self.assertNotIn(name, told, "two rows")
                told[name] = (row[2].strip(), labels)
        kinds, samples = self.metrics(self.serve_http())
        found = {}
        for name, kind in kinds.items():
            labels = {label for (sample, text) in samples if metric_of(sample, kinds) == name
                      for label in re.findall(rf'({NAME})="', text or "")} - {"le"}
            found[name] = (kind, sorted(labels))
        self.assertEqual(told, found)

    def test_rooms(self):
        server = self.serve_http("--rooms", "3", "--tick-rate", "60", "--wait", "1", "--set", "units=200")
        bots = self.play(server, "--room", "2")
        self.wait_until(lambda: [room["players"] for room in self.get(server, "/rooms")["rooms"]] == [0, 3, 0], server.text)
        rooms = self.get(server, "/rooms")["rooms"]
        self.assertEqual([room["name"] for room in rooms], ["1", "2", "3"])
        self.assertEqual([room["state"] for room in rooms], ["waiting", "running", "waiting"])
        self.assertEqual([room["players"] for room in rooms], [0, 3, 0])
        one = self.get(server, "/rooms/2")
        self.assertEqual(set(one), set(rooms[0]))
        self.assertGreater(one["tick"], 0)
        self.assertIn("/rooms lists them", self.get(server, "/rooms/4", code=404))
        self.assertIn("/metrics", self.get(server, "/", code=404))
        self.stop_bots(bots)
        self.assertEqual(server.stop(), GOOD)

    def test_viewer(self):
        os.mkdir(self.path("site"))
        with open(self.path("site", "index.html"), "w", encoding="ascii") as page:
            page.write("<!DOCTYPE html>")
        server = self.serve_http("--web", "--site", self.path("site"), "--rooms", "2", "--end-when-empty", "--tick-rate", "60")
        server.wait_line(f'^viewer url="http://{re.escape(server.http)}/#list="', server.log)
        playing = self.play(server, "--room", "2")
        ending = self.start_join(server, "--room", "1", "--ticks", "30", sim="skirmish")
        self.end(ending, GOOD)
        server.wait_line(r"^ended .* room=1$", server.lines)
        self.wait_until(lambda: self.get(server, "/recordings.json")["recordings"], server.text)
        shelf = self.get(server, "/recordings.json")
        self.assertEqual((shelf["live"], shelf.get("play")), (False, "skirmish"))
        self.assertEqual([each["simulation"] for each in shelf["recordings"]], ["skirmish"], "only the match that has ended")
        shown = [each["name"] for each in shelf["recordings"]]
        names = [name for name in os.listdir(self.path("recordings")) if name.endswith(".lsr")]
        self.assertEqual(len(names), 2)
        for name in names:
            status, _, _ = self.request(server, f"/recordings/{name}", method="HEAD")
            self.assertEqual(status, 200 if name in shown else 404, name)
        self.assertEqual(self.get(server, "/live/rooms.json"), [])  # without --broadcast-dir
        self.assertEqual(self.request(server, "/")[1:], ("text/html; charset=utf-8", "<!DOCTYPE html>"))
        self.assertEqual(self.get(server, "/healthz"), "ok\n")
        self.assertIn("/rooms lists them", self.get(server, "/rooms/9", code=404))
        self.assertEqual(self.get(server, "/recordings/..%2fserver.key", code=404), "there is no such file\n")
        self.stop_bots(playing)
        self.assertEqual(server.wait(), GOOD)  # its last room has ended

    def test_running_matches(self):
        os.mkdir(self.path("site"))
        with open(self.path("site", "index.html"), "w", encoding="ascii"):
            pass
        server = self.serve_http("--site", self.path("site"), "--broadcast-dir", self.path("live"), "--set", "units=200")
        def rooms():
            return [(each["room"], each["simulation"]) for each in self.get(server, "/live/rooms.json")]
        self.assertIn(rooms(), ([], [("~", "skirmish")]))  # the room is published soon, and has no player yet
        bots = self.play(server)
        self.wait_until(lambda: rooms() == [("~", "skirmish")], server.text)
        status, _, text = self.request(server, "/live/~/live")
        self.assertEqual(status, 200)
        match = re.fullmatch(r"lockstep-live 1\nmatch=(\S+) segments=\d+ bytes=\d+ state=live\n", text).group(1)
        for path, cache in (("live", "public, max-age=1"), (f"{match}-0.seg", "public, max-age=31536000, immutable")):
            connection = http.client.HTTPConnection(server.http, timeout=TIMEOUT_S)
            connection.request("GET", f"/live/~/{path}")
            answer = connection.getresponse()
            self.assertEqual((answer.status, answer.headers["cache-control"]), (200, cache))
            data, etag = answer.read(), answer.headers["etag"]
            for headers, code in (({"If-None-Match": etag}, 304), ({"Range": "bytes=5-", "If-Range": etag}, 206)):
                connection.request("GET", f"/live/~/{path}", headers=headers)
                answer = connection.getresponse()
                rest = answer.read()
                if path == "live" and answer.status == 200:
                    continue  # the manifest has changed since
                self.assertEqual((answer.status, answer.headers["cache-control"]), (code, cache))
                self.assertEqual(rest, b"" if code == 304 else data[5:])
            connection.close()
        self.assertEqual(self.request(server, "/live/~/../../identity")[0], 404)
        # A stop leaves followers the time to fetch the end; this one asks once a second, as the page does.
        server.process.terminate()
        while not (told := self.request(server, "/live/~/live")[2]).endswith(" state=ended\n"):
            time.sleep(1)
        last = int(re.search(r"segments=(\d+)", told).group(1)) - 1
        self.assertEqual(self.request(server, f"/live/~/{match}-{last}.seg", method="HEAD")[0], 200)
        self.assertEqual(server.wait(), GOOD)
        self.stop_bots(bots)

    def test_viewer_refusals(self):
        self.refuse("serve", "--sim", "skirmish", "--site", self.path(), code=USAGE, says=("it needs --http and --record",))
        self.refuse("serve", "--sim", "skirmish", "--http", "0", "--record", self.path("r"), "--site", self.path(), "--port", "0",
                    "--temporary-identity", code=USAGE, says=("there is no viewer", "run web/build"))

    def test_health(self):
        server = self.serve_http("--tick-rate", str(RATE), "--set", "units=200")
        self.assertEqual((self.get(server, "/healthz"), self.get(server, "/readyz")), ("ok\n", "ok\n"))
        bots = self.play(server)
        bots.send_signal(signal.SIGSTOP)  # the server waits for it when it drains
        server.process.terminate()
        server.wait_line(r"^end ", server.log)
        self.wait_until(lambda: self.request(server, "/readyz")[0] == 503, server.text)
        self.assertEqual(self.get(server, "/healthz"), "ok\n")
        bots.send_signal(signal.SIGCONT)
        self.assertEqual(server.wait(), GOOD)
        self.stop_bots(bots)

    def scrape_at_once(self, server, count):
        """Sends all requests before it reads an answer. No answer is missing, and each is valid."""
        connections = []
        for _ in range(count):
            connections.append(self.connect(server))
            connections[-1].sendall(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        for connection in connections:
            head, _, text = self.wait_ended(connection)[0].decode().partition("\r\n\r\n")
            self.assertTrue(head.startswith("HTTP/1.1 200 OK\r\n"), head)
            parse(text)

    def test_many_scrapes_and_garbage_harm_no_match(self):
        server = self.serve_http("--tick-rate", str(RATE), "--set", "units=200")
        bots = self.play(server)
        before, begin, waited = self.metrics(server), time.monotonic(), server.waited_s()
        slow = [self.connect(server) for _ in range(40)]
        for connection in slow:
            connection.sendall(b"GET /metrics HTTP/1.1\r\nHost: ")
        self.scrape_at_once(server, 500)
        for garbage in (b"\0" * 1000, b"\xff\xfe\r\n\r\n", b"GET\r\n\r\n", b"\r\n" * 500,
                        b"POST /metrics HTTP/1.1\r\nContent-Length: 99999999\r\n\r\n" + b"x" * 5000,
                        b"GET /" + b"a" * 5000 + b" HTTP/1.1\r\n\r\n",
                        b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 2000 + b"\r\n",
                        b"GET /%00%ff%2e%2e/%2e%2e/etc/passwd HTTP/1.1\r\nHost: localhost\r\n\r\n",
                        b"GET /rooms/%s%n%s%n HTTP/1.1\r\nHost: localhost\r\n\r\n",
                        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
                        b"GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                        b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"):
            connection = self.connect(server)
            try:
                connection.sendall(garbage)
            except (ConnectionResetError, BrokenPipeError):
                pass
            data, seconds = self.wait_ended(connection)
            self.assertLess(seconds, 120, garbage[:60])
            self.assertNotIn(b"200 OK", data, garbage[:60])
            self.assertNotIn(b"root:", data)
            if garbage[:1] in b"\0\xff" or garbage[:4] in (b"GET\r", b"PRI "):
                self.assertRegex(data, rb"^HTTP/1\.1 400 Bad Request\r\n(?s:.*)\r\n\r\nthis is no request", garbage[:60])
        for connection in slow:  # each has ended by its timeout, or for a newer one, without an answer
            self.assertEqual(self.wait_ended(connection)[0], b"")
        time.sleep(1.1)
        after, seconds = self.metrics(server), time.monotonic() - begin
        assert_grows(before, after)
        ticks = (after[1]["lockstep_tick_lateness_seconds_count", None] -
                 before[1]["lockstep_tick_lateness_seconds_count", None])
        # What other processes took from the server does not count.
        self.assertGreater(ticks, RATE * (seconds - 3 - 2 * (server.waited_s() - waited)))
        self.assertEqual(after[1]["lockstep_desyncs_total", None], 0)
        self.wait_until(lambda: self.metrics(server)[1]["process_open_fds", None] < 60, server.text)
        self.stop_bots(bots)
        self.assertEqual(server.stop(), GOOD)

    def test_silent_connections_delay_no_scrape(self):
        """One more than the limit ends the oldest that has sent no whole request."""
        server = self.serve_http()
        took = []
        for _ in range(3):  # a busy machine may take longer
            silent = [self.connect(server) for _ in range(100)]
            for connection in silent[::2]:
                connection.sendall(b"GET /metr")
            begin = time.monotonic()
            self.scrape_at_once(server, 1)
            took.append(time.monotonic() - begin)
            for connection in silent:
                connection.close()
            if took[-1] < 4:  # the connections would end after 5 s
                break
        self.assertLess(min(took), 4)

    def test_a_tunnel_is_no_request(self):
        """CONNECT would make libwebsockets keep the connection for ever."""
        server = self.serve_http()
        for request in (b"CONNECT a:1 HTTP/1.1\r\nHost: localhost\r\n\r\n", b"BREW / HTTP/1.1\r\nHost: localhost\r\n\r\n"):
            connection = self.connect(server)
            connection.sendall(request)
            self.assertRegex(self.wait_ended(connection)[0], rb"^HTTP/1\.1 400 Bad Request\r\n", request)

    def test_long_headers(self):
        """A browser may send many cookies to localhost."""
        server = self.serve_http()
        for name in ("Cookie", "X-Other"):
            self.assertEqual(self.request(server, "/healthz", headers={name: "a" * 5000})[0], 200)
        connection = self.connect(server)
        try:
            connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nCookie: " + b"a" * 20000 + b"\r\n\r\n")
        except (ConnectionResetError, BrokenPipeError):
            pass
        self.assertEqual(self.wait_ended(connection)[0], b"")

    def test_requests_in_one_piece(self):
        """Those with a body may end their connection, but never occupy the thread: others are answered."""
        server = self.serve_http()
        heads = [f"{method} {path} HTTP/1.1\r\nHost: localhost\r\n"
                 for method, path in (("GET", "/healthz"), ("GET", "/rooms"), ("POST", "/healthz"), ("PUT", "/x"), ("POST", "/admin/x"))]
        bodies = ("\r\n", "Content-Length: 0\r\n\r\n", "Content-Length: 2\r\n\r\n[]", "Content-Length: 5\r\n\r\n[]",
                  "Transfer-Encoding: chunked\r\n\r\n2\r\n[]\r\n0\r\n\r\n")
        requests = [(head + body).encode() for head in heads for body in bodies]
        connections = []
        for seed in range(100):
            random = Random(seed)
            connection = self.connect(server)
            connections.append(connection)
            for _ in range(random.randint(1, 3)):
                try:
                    connection.sendall(b"".join(random.choices(requests, k=random.randint(1, 4))))
                except OSError:
                    break
            if seed % 10 == 9:
                self.assertEqual(self.get(server, "/healthz"), "ok\n", f"seeds {seed - 9} to {seed}")
                for connection in connections:
                    connection.close()
                connections.clear()
        self.assertEqual(server.stop(), GOOD)

    def test_a_drip_of_bytes_ends(self):
        """A client that sends a byte now and then does not keep its connection, and one that takes no answer neither."""
        server = self.serve_http()
        drip, deaf = self.connect(server), self.connect(server)
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        begin = time.monotonic()
        drip.sendall(b"GET /metrics HTTP/1.1\r\nX: ")
        for _ in range(40):
            try:
                deaf.sendall(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")
            except OSError:
                break
        with self.assertRaises(OSError):
            while time.monotonic() - begin < 120:  # the limit is 5 s
                drip.sendall(b"x")
                time.sleep(0.3)
        drip.close()
        self.wait_until(lambda: self.metrics(server)[1]["process_open_fds", None] < 20, server.text)
        deaf.close()
        self.assertEqual(server.stop(), GOOD)

    def test_other_methods(self):
        server = self.serve_http()
        self.assertEqual(self.request(server, "/metrics", "POST", "abc")[0], 405)
        self.assertEqual(self.request(server, "/metrics", "DELETE")[0], 405)
        status, kind, text = self.request(server, "/metrics", "HEAD")
        self.assertEqual((status, kind, text), (200, "text/plain; version=0.0.4; charset=utf-8", ""))

    def test_hosts_of_other_sites_on_loopback(self):
        server = self.serve_http()
        for host, code in (("attacker.example", 403), ("127.0.0.1.attacker.example:80", 403), ("10.0.0.1", 403), ("", 403),
                           ("localhost", 200), (server.http, 200), ("[::1]:9100", 200)):
            for path in ("/metrics", "/healthz", "/rooms"):
                status, _, text = self.request(server, path, headers={"Host": host})
                self.assertEqual((status, "open http://localhost:" in text), (code, code == 403), host)

    def test_an_open_port_has_any_name(self):
        server = self.serve_http(address="0.0.0.0:0")
        server.http = server.http.replace("0.0.0.0", "127.0.0.1")
        self.assertEqual(self.request(server, "/healthz", headers={"Host": "lockstep.example:9100"})[0], 200)

    def test_one_connection_takes_many_requests(self):
        server = self.serve_http()
        connection = http.client.HTTPConnection(server.http, timeout=TIMEOUT_S)
        for path in ("/metrics", "/rooms", "/healthz", "/nothing", "/metrics"):
            connection.request("GET", path)
            self.assertEqual(connection.getresponse().read().decode()[:1], {"/rooms": "{", "/healthz": "o",
                                                                           "/nothing": "t"}.get(path, "#"))
        connection.close()

    def test_wrong_addresses(self):
        server = self.serve_http()
        taken = self.start("serve", "--sim", "skirmish", "--port", "0", "--temporary-identity", "--http", server.http)
        _, err = self.end(taken, MACHINE)
        self.assertIn(f"--http {server.http}: Address already in use", err)
        self.refuse("serve", "--sim", "skirmish", "--port", "0", "--temporary-identity", "--http", "localhost:1",
                    code=USAGE, says=["--http takes PORT or ADDR:PORT", "'localhost:1'"])


if __name__ == "__main__":
    main()
