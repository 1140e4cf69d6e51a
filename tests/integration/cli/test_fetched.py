"""Recordings that a URL names: `verify`, `replay` and `watch` fetch them from any web server, also by HTTPS."""
import glob
import http.server
import json
import os
import shlex
import ssl
import subprocess
import threading
import time

from case import CORRUPT, DIVERGED, GOOD, MACHINE, USAGE, Case, main
from terminal import Terminal
import case

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")
GOLDEN = os.path.join(ROOT, "replays", "golden", "skirmish.lsr")
ROOT_599 = "39d55e1d2873d7f7"


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        data = self.server.files.get(self.path)
        self.send_response(302 if self.path == "/moved.lsr" else 200 if data is not None else 404)
        if self.path == "/moved.lsr":
            self.send_header("Location", "/a.lsr")
        self.send_header("Content-Length", str(len(data or b"")))
        self.end_headers()
        if self.path == "/slow.lsr" or self.path.startswith("/live/slow/m-"):
            self.wfile.write(data[:len(data) // 2])
            time.sleep(1.6)
            data = data[len(data) // 2:]
        self.wfile.write((data or b"")[:-1 if self.path == "/cut.lsr" else None])

    def log_message(self, format, *arguments):  # pylint: disable=redefined-builtin
        pass


class Fetched(Case):
    def setUp(self):
        super().setUp()
        os.mkdir(self.path("tmp"))
        os.environ["TMPDIR"] = self.path("tmp")
        with open(GOLDEN, "rb") as file:
            self.golden = file.read()
        self.files = {"/a.lsr": self.golden, "/cut.lsr": self.golden, "/torn.lsr": self.golden[:20000], "/none.lsr": b"",
                      "/live/1/m-0.seg": self.golden[:50000], "/live/1/m-1.seg": self.golden[50000:70000]}
        self.files["/live/1/live"] = b"lockstep-live 1\nmatch=m segments=2 bytes=70000 state=live\n"
        self.url = "http://127.0.0.1:%d" % self.listen()

    def tearDown(self):
        del os.environ["TMPDIR"]
        super().tearDown()

    def listen(self, context=None):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.files = self.files
        if context:
            server.socket = context.wrap_socket(server.socket, server_side=True)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return server.server_address[1]

    def left(self):
        return glob.glob(self.path("tmp", "lockstep-*", "*"))

    def test_a_file(self):
        out, _ = self.command("verify", self.url + "/a.lsr")
        self.assertIn(f"root={ROOT_599}", out)
        self.assertTrue(out.startswith(self.url + "/a.lsr: closed (finished) after tick 599"), out)
        out, _ = self.command("verify", "--json", self.url + "/a.lsr")
        self.assertEqual(json.loads(out)["file"], self.url + "/a.lsr")
        out, _ = self.command("verify", self.url + "/a.lsr", self.url + "/torn.lsr", GOLDEN)
        self.assertIn("verified files=3 good=3 ", out)
        self.assertIn(f"good         {self.url}/torn.lsr ", out)
        self.assertNotIn(self.path("tmp"), out)
        out, _ = self.command("replay", "info", self.url + "/a.lsr")
        self.assertIn("ticks       0 to 600", out)
        self.command("replay", "diff", self.url + "/a.lsr", "10", "11", code=DIVERGED)
        self.assertEqual(os.listdir(self.path("tmp")), [])

    def test_a_match_that_runs(self):
        out, _ = self.command("verify", self.url + "/live/1/")
        self.assertTrue(out.startswith(self.url + "/live/1/: ends at byte"), out)
        self.assertIn("(not closed)", out)
        out, _ = self.command("replay", "seek", self.url + "/live/1", "100")
        self.assertIn("tick=100 ", out)
        self.assertEqual(os.listdir(self.path("tmp")), [])

    def test_a_damaged_file_stays(self):
        self.files["/bad.lsr"] = self.golden[:9000] + b"xxxx" + self.golden[9004:]
        _, err = self.command("verify", self.url + "/bad.lsr", code=CORRUPT)
        self.assertIn("is damaged at byte", err)
        self.assertTrue(err.startswith(f"lockstep verify: {self.url}/bad.lsr"), err)
        self.assertIn(f"lockstep verify: {self.url}/bad.lsr is kept as {self.left()[0]}\n", err)
        kept, = self.left()
        with open(kept, "rb") as file:
            self.assertEqual(file.read(), self.files["/bad.lsr"])

    def test_a_slow_server_on_a_terminal(self):
        self.files["/slow.lsr"] = self.golden
        self.files.update({path.replace("/1/", "/slow/"): data for path, data in self.files.items() if "/live/1/" in path})
        for path, bar in (("/slow.lsr", r"\[[#.]{30}\] +\d+ %, 0\.\d of 0\.\d MB, \d+\.\d MB/s"),
                          ("/live/slow/", r"\x1b\[K0\.\d MB, \d+\.\d MB/s")):
            line = shlex.join([case.BINARY, "verify", self.url + path])
            done = subprocess.run(["script", "-qec", line, self.path("typescript")], timeout=case.TIMEOUT_S,
                                  stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True)
            self.assertRegex(done.stdout, bar)
            self.assertIn("verified ticks=", done.stdout)

    def test_wrong_urls(self):
        for path, code, says in (("/missing.lsr", USAGE, "there is no such file"), ("/live/2/", USAGE, "no match is published there"),
                                 ("/none.lsr", CORRUPT, "the file is empty"), ("/cut.lsr", MACHINE, "the connection was closed"),
                                 ("/moved.lsr", MACHINE, "the file has moved"), ("/", USAGE, "http://HOST:PORT/NAME.lsr")):
            self.refuse("verify", self.url + path, code=code, says=[self.url + path, says])
        self.refuse("verify", "http://127.0.0.1:1/a.lsr", code=MACHINE, says=["the server does not answer"])
        self.refuse("verify", "--wrong", self.url + "/a.lsr", code=USAGE, says=["unknown option"])
        self.assertEqual(os.listdir(self.path("tmp")), [])
        os.environ["TMPDIR"] = self.path("missing")
        self.refuse("verify", self.url + "/a.lsr", code=MACHINE, says=[self.path("missing"), "No such file or directory"])

    def test_watch(self):
        terminal = Terminal(self.folder, columns=200)
        self.addCleanup(terminal.close)
        terminal.keys(f"clear; {case.BINARY} watch '{self.url}/a.lsr' --from 600; echo code $?", "Enter")
        terminal.wait(rf"tick 600 of 600 .*root {ROOT_599} ok$")
        terminal.keys("q")
        terminal.wait(rf"^code {GOOD}$")

    def test_https(self):
        key, certificate = self.path("key.pem"), self.path("certificate.pem")
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                        "-keyout", key, "-out", certificate, "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"],
                       check=True, capture_output=True)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        port = self.listen(context)
        self.refuse("verify", f"https://localhost:{port}/a.lsr", code=MACHINE, says=["no TLS", "does not trust the certificate"])
        self.refuse("verify", self.url.replace("http:", "https:") + "/a.lsr", code=MACHINE, says=["no TLS: the port has none"])
        os.environ["SSL_CERT_FILE"] = certificate
        self.addCleanup(os.environ.pop, "SSL_CERT_FILE")
        for path in ("/a.lsr", "/live/1/"):
            self.assertIn("verified ticks=", self.command("verify", f"https://localhost:{port}{path}")[0])
        # Of another name.
        self.refuse("verify", f"https://127.0.0.1:{port}/a.lsr", code=MACHINE, says=["no TLS"])


main()
