"""A stand-in for the sidecar of Agones: its REST API, and the faults that a sidecar may have."""
import collections
import http.server
import json
import queue
import socket
import sys
import threading
import time

Request = collections.namedtuple("Request", "at method path body")
CALLS = {"/ready": "Ready", "/allocate": "Allocated", "/shutdown": "Shutdown", "/health": None}
PUBLISHED = "agones.dev/sdk-"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_arguments):  # pylint: disable=arguments-differ
        pass

    def handle(self):
        try:
            super().handle()
        except (ConnectionError, ValueError):  # the server has closed its end, or the test the stub's
            pass

    def answer(self, code, value):
        body = json.dumps(value).encode()
        self.send_response(code)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def watch(self):
        sidecar, changes = self.server.sidecar, queue.Queue()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        with sidecar.lock:
            sidecar.watchers.append(changes)
            changes.put(sidecar.line())
        while (line := changes.get()) is not None:
            for part in sidecar.cut(line):
                self.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
                self.wfile.flush()
        self.close_connection = True

    def serve(self):
        sidecar = self.server.sidecar
        length = int(self.headers.get("Content-Length", 0))
        body = self.rfile.read(length)
        if len(body) < length:  # a server that ends cuts what it has not yet sent
            self.close_connection = True
            return
        text = body.decode()
        with sidecar.lock:
            sidecar.requests.append(Request(time.monotonic(), self.command, self.path, text))
            fault = sidecar.faults.get(self.path) or sidecar.faults.get("*")
            hook = sidecar.hooks.get(self.path)
        if hook:
            hook()
        if fault and fault(self):
            self.close_connection = True
            return
        if self.path == "/watch/gameserver" and self.command == "GET":
            self.watch()
            return
        self.answer(*sidecar.do(self.command, self.path, text, self.headers))

    do_GET = do_POST = do_PUT = do_PATCH = serve


class Sidecar:
    """Listens on `port` from start() until stop(), as often as the test wants. `faults` maps a path, or "*", to a
    function of the handler; it returns true if it has answered. `hooks` maps a path to what is called before."""

    def __init__(self, period_s=1, port=0, address="203.0.113.7", game_port=7654):
        self.port, self.address, self.game_port = port or free_port(), address, game_port
        self.lock = threading.RLock()
        self.requests, self.watchers, self.faults, self.hooks, self.refused = [], [], {}, {}, []
        self.state, self.annotations, self.part_bytes = "Scheduled", {}, 0
        self.period_s = period_s
        self.allocations = 0
        self.counters = {name: {"count": "0", "capacity": "1"} for name in ("rooms", "players")}
        self.lists = {name: {"capacity": "1", "values": []} for name in ("rooms", "players")}
        self.is_printing = False
        self._server = None

    def start(self):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", self.port), Handler, bind_and_activate=False)
        server.allow_reuse_address = server.daemon_threads = True
        server.sidecar = self
        server.server_bind()
        server.server_activate()
        self._server = server
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def stop(self):
        if self._server:
            self._server.shutdown()
            self._server.server_close()
            self._server = None
        self.end_watches()

    def end_watches(self):
        with self.lock:
            for changes in self.watchers:
                changes.put(None)
            self.watchers = []

    def line(self):
        """The GameServer as the stream has it."""
        return json.dumps({"result": {
            "object_meta": {"name": "server-1", "namespace": "default", "annotations": dict(self.annotations),
                            "labels": {"agones.dev/fleet": "lockstep"}},
            "spec": {"health": {"disabled": False, "period_seconds": self.period_s, "failure_threshold": 3}},
            "status": {"state": self.state, "address": self.address,
                       "ports": [{"name": "lockstep", "port": self.game_port}],
                       "counters": self.counters, "lists": self.lists}}}).encode() + b"\n"

    def cut(self, line):
        """The parts of a line as they are sent."""
        step = self.part_bytes or len(line)
        return [line[at:at + step] for at in range(0, len(line), step)]

    def publish(self):
        for changes in self.watchers:
            changes.put(self.line())
        if self.is_printing:
            print(self.line().decode(), end="", flush=True)

    def allocate(self, annotations, is_new=True):
        """What a GameServerAllocation does."""
        with self.lock:
            self.allocations += is_new
            self.state = "Allocated"
            self.annotations.update(annotations)
            self.annotations["agones.dev/last-allocated"] = f"2026-11-28T14:00:{self.allocations:02}Z"
            self.publish()

    def do(self, method, path, text, headers):
        """(code, JSON) of a request."""
        try:
            body = json.loads(text)
        except ValueError:
            body = None
        if not isinstance(body, dict) or headers.get("Content-Type") != "application/json":
            return self.refuse(400, path, text)
        with self.lock:
            if path in CALLS:
                return self.call(path) if method == "POST" else self.refuse(501, path, text)
            if path == "/metadata/annotation" and method == "PUT":
                self.annotations[PUBLISHED + body["key"]] = body["value"]
                self.publish()
                return 200, {}
            kind, name = path.rpartition("/")[::2]
            places = {"/v1beta1/counters": self.counters, "/v1beta1/lists": self.lists}.get(kind, {})
            if method != "PATCH" or name not in places:
                return self.refuse(500, path, text)
            number = int(body["count"]) if "count" in body else len(body["values"])
            if number > int(body["capacity"]) or ("values" in body and len(set(body["values"])) != number):
                return self.refuse(400, path, text)
            places[name].update(body)
            self.publish()
            return 200, dict(places[name], name=name)

    def call(self, path):
        if CALLS[path] and self.state != CALLS[path]:
            self.state = CALLS[path]
            self.publish()
        return 200, {}

    def refuse(self, code, path, text):
        self.refused.append((code, path, text))
        return code, {"code": code, "message": "refused"}

    def count(self, path, since=0.0):
        with self.lock:
            return sum(request.path == path and request.at >= since for request in self.requests)


def main():
    """agones_stub.py PORT ADDRESS GAME-PORT: each line of stdin has the annotations of an allocation, and each line of
    stdout the GameServer after a change."""
    sidecar = Sidecar(port=int(sys.argv[1]), address=sys.argv[2], game_port=int(sys.argv[3]))
    sidecar.is_printing = True
    sidecar.start()
    for line in sys.stdin:
        sidecar.allocate(json.loads(line))


if __name__ == "__main__":
    main()
