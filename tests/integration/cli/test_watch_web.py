"""watch --web: the page, its files and recordings over HTTP, and what strangers may ask for."""
import gzip
import http.client
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import urllib.parse

from case import BINARY, CORRUPT, GOOD, INCOMPATIBLE, MACHINE, TIMEOUT_S, USAGE, Case, main

FILES_MAX = 48  # LS_HTTP_FILES_MAX
PAGE, MODULE = b"<!DOCTYPE html>", bytes(range(256)) * 700
RECORDING = pathlib.Path(__file__).resolve().parents[3].joinpath("replays/golden/skirmish.lsr").read_bytes()


def damage(data, at):
    return data[:at] + bytes([data[at] ^ 0x55]) + data[at + 1:]


class WatchWeb(Case):
    def setUp(self):
        super().setUp()
        self.write("site/index.html", PAGE)
        self.write("site/skirmish.wasm", MODULE)
        self.write("matches/one & two.lsr", RECORDING)
        self.write("matches/three.lsr", b"second")
        self.write("secret.lsr", b"secret")

    def write(self, name, data):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "wb") as file:
            file.write(data)

    def watch(self, *arguments, address=r"127\.0\.0\.1"):
        process = subprocess.Popen([BINARY, "watch", "--web", "--site", "site", *arguments], cwd=self.path(),
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        url = process.stdout.readline()
        self.assertRegex(url, rf"^http://{address}:[0-9]+/#[^ ]*\n$")
        process.port = urllib.parse.urlsplit(url).port
        process.fragment = urllib.parse.urlsplit(url.strip()).fragment
        return process

    def get(self, server, path, method="GET", code=200, headers=None):
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=TIMEOUT_S)
        connection.request(method, path, headers=headers or {})
        answer = connection.getresponse()
        data = answer.read()
        connection.close()
        self.assertEqual(answer.status, code, path)
        self.assertIn("frame-ancestors 'none'", answer.headers["content-security-policy"])
        self.assertEqual(answer.headers["x-content-type-options"], "nosniff")
        self.assertEqual(answer.headers["cross-origin-resource-policy"], "same-origin")
        self.assertEqual(answer.headers["access-control-allow-origin"], None)
        return answer, data

    def stop(self, server, says=""):
        server.send_signal(signal.SIGINT)
        out, errors = server.communicate(timeout=TIMEOUT_S)
        self.assertEqual((server.returncode, out), (GOOD, ""))
        self.assertRegex(errors, rf"^{says}$")

    def test_recording(self):
        server = self.watch("matches/one & two.lsr", "--from", "12")
        self.assertEqual(urllib.parse.parse_qs(server.fragment), {"f": ["recordings/one & two.lsr"], "t": ["12"]})
        answer, data = self.get(server, "/")
        self.assertEqual((answer.headers["content-type"], data), ("text/html; charset=utf-8", PAGE))
        answer, data = self.get(server, "/skirmish.wasm")
        self.assertEqual((answer.headers["content-type"], data), ("application/wasm", MODULE))
        self.assertEqual(self.get(server, "/skirmish.wasm", method="HEAD")[1], b"")
        self.assertEqual(self.get(server, "/recordings/one%20%26%20two.lsr")[1], RECORDING)
        self.get(server, "/recordings/three.lsr", code=404)
        for method in ("POST", "PUT", "DELETE"):
            answer, _ = self.get(server, "/", method=method, code=405)
            self.assertEqual(answer.headers["allow"], "GET, HEAD")
        self.stop(server)

    def test_versions_and_parts(self):
        """A proxy asks whether a file has changed, and a reader continues where its connection was lost."""
        server = self.watch("matches")
        answer, data = self.get(server, "/skirmish.wasm")
        etag = answer.headers["etag"]
        self.assertEqual((answer.headers["accept-ranges"], answer.headers["cache-control"]), ("bytes", "no-cache"))
        for method in ("GET", "HEAD"):
            answer, data = self.get(server, "/skirmish.wasm", method=method, code=304, headers={"If-None-Match": f'"x", W/{etag}'})
            self.assertEqual((data, answer.headers["etag"], answer.headers["content-length"]), (b"", etag, None))
            answer, data = self.get(server, "/skirmish.wasm", method=method, headers={"If-None-Match": '"x"'})
            self.assertEqual((len(data), answer.headers["content-length"]), (len(MODULE) if method == "GET" else 0, str(len(MODULE))))
        for wanted, first, last in (("100000-", 100000, len(MODULE) - 1), ("-5", len(MODULE) - 5, len(MODULE) - 1), ("1-1", 1, 1)):
            answer, data = self.get(server, "/skirmish.wasm", code=206, headers={"Range": f"bytes={wanted}", "If-Range": etag})
            self.assertEqual((data, answer.headers["content-range"]), (MODULE[first:last + 1], f"bytes {first}-{last}/{len(MODULE)}"))
        answer, _ = self.get(server, "/skirmish.wasm", code=416, headers={"Range": f"bytes={len(MODULE)}-"})
        self.assertEqual(answer.headers["content-range"], f"bytes */{len(MODULE)}")
        for headers in ({"Range": "bytes=1-2", "If-Range": '"x"'}, {"Range": "bytes=0-1,5-6"}, {"Range": "bytes=" + "1" * 900}):
            self.assertEqual(self.get(server, "/skirmish.wasm", headers=headers)[1], MODULE)
        self.assertEqual(self.get(server, "/recordings.json", headers={"Range": "bytes=1-2"})[0].headers["etag"], None)
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=TIMEOUT_S)  # one connection takes all of them
        for headers, code in (({"If-None-Match": etag}, 304), ({"Range": "bytes=9999999-"}, 416), ({"Range": "bytes=0-0"}, 206), ({}, 200)):
            connection.request("GET", "/skirmish.wasm", headers=headers)
            answer = connection.getresponse()
            answer.read()
            self.assertEqual((answer.status, answer.will_close), (code, False))
        connection.close()
        self.write("new", MODULE)
        os.replace(self.path("new"), self.path("site", "skirmish.wasm"))
        self.get(server, "/skirmish.wasm", code=200, headers={"If-None-Match": etag})
        self.stop(server)

    def test_packed_files(self):
        """A browser gets NAME.gz, with versions and parts of its own."""
        packed = gzip.compress(MODULE)
        self.write("site/skirmish.wasm.gz", packed)
        server = self.watch("matches")
        plain, data = self.get(server, "/skirmish.wasm")
        self.assertEqual((data, plain.headers["content-encoding"], plain.headers["vary"]), (MODULE, None, "accept-encoding"))
        browser = {"Accept-Encoding": "gzip, deflate, br, zstd"}
        answer, data = self.get(server, "/skirmish.wasm", headers=browser)
        etag = answer.headers["etag"]
        self.assertEqual((data, answer.headers["content-encoding"], answer.headers["content-type"]), (packed, "gzip", "application/wasm"))
        self.assertNotEqual(etag, plain.headers["etag"])
        answer, _ = self.get(server, "/skirmish.wasm", method="HEAD", headers=browser)
        self.assertEqual((answer.headers["content-length"], answer.headers["content-encoding"]), (str(len(packed)), "gzip"))
        answer, _ = self.get(server, "/skirmish.wasm", code=304, headers=browser | {"If-None-Match": etag})
        self.assertEqual((answer.headers["etag"], answer.headers["vary"]), (etag, "accept-encoding"))
        answer, data = self.get(server, "/skirmish.wasm", code=206, headers=browser | {"Range": "bytes=5-9", "If-Range": etag})
        self.assertEqual((data, answer.headers["content-range"], answer.headers["content-encoding"]), (packed[5:10], f"bytes 5-9/{len(packed)}", "gzip"))
        self.assertEqual(self.get(server, "/skirmish.wasm", headers=browser | {"Range": "bytes=5-9", "If-Range": plain.headers["etag"]})[1], packed)
        answer, _ = self.get(server, "/skirmish.wasm", code=416, headers=browser | {"Range": "bytes=9999999-"})
        self.assertEqual(answer.headers["content-encoding"], None)
        answer, _ = self.get(server, "/", headers=browser)
        self.assertEqual((answer.headers["content-encoding"], answer.headers["vary"]), (None, None))
        self.stop(server)

    def listed(self, server):
        shelf = json.loads(self.get(server, "/recordings.json")[1])
        self.assertEqual((shelf["live"], "play" in shelf), (False, False))
        return [each["name"] for each in shelf["recordings"]]

    def test_folder(self):
        server = self.watch("matches")
        self.assertEqual(server.fragment, "list=")
        self.assertEqual(self.listed(server), ["one & two.lsr", "three.lsr"])
        self.assertEqual(self.get(server, "/recordings/three.lsr")[1], b"second")
        for path in ("/../secret.lsr", "/recordings/../../secret.lsr", "/recordings/%2e%2e%2f%2e%2e%2fsecret.lsr", "/%2e%2e/secret.lsr",
                     "/recordings/..%5csecret.lsr", "//etc/passwd", "/recordings/%2fetc%2fpasswd", "/recordings/x%00.lsr", "/none"):
            with socket.create_connection(("127.0.0.1", server.port), timeout=TIMEOUT_S) as stranger:
                stranger.sendall(f"GET {path} HTTP/1.0\r\nHost: localhost\r\n\r\n".encode())
                text = b"".join(iter(lambda: stranger.recv(65536), b"")) # pylint: disable=cell-var-from-loop
            self.assertNotRegex(text, rb"secret\n?$|root:|HTTP/1\.[01] 200", path)
        self.stop(server)

    def test_slow_readers_leave_room(self):
        self.write("matches/long.lsr", bytes(16 << 20))
        server = self.watch("matches")
        readers, codes = [], []
        while b"503" not in codes and len(codes) < 4 * FILES_MAX:  # a busy machine may be slow to ask, and loses some
            reader = socket.create_connection(("127.0.0.1", server.port), timeout=TIMEOUT_S)
            reader.sendall(b"GET /recordings/long.lsr HTTP/1.1\r\nHost: localhost\r\n\r\n")
            readers.append(reader)
            codes.append(re.match(rb"HTTP/1\.1 (\d+) ", reader.recv(16)).group(1))
        self.assertEqual(set(codes[:FILES_MAX]), {b"200"})
        self.assertEqual(codes[-1], b"503")
        self.assertEqual(self.listed(server), ["long.lsr", "one & two.lsr", "three.lsr"])
        for reader in readers:
            reader.close()
        self.assertEqual(self.get(server, "/recordings/three.lsr")[1], b"second")
        self.stop(server)

    def test_hosts_of_other_sites(self):
        for listen, address in ("127.0.0.1:0", r"127\.0\.0\.1"), ("0.0.0.0:0", r"0\.0\.0\.0"):
            server = self.watch("matches", "--listen", listen, address=address)
            for host in ("attacker.example", f"attacker.example:{server.port}", f"localhost.attacker.example:{server.port}",
                         "127.0.0.1.attacker.example", "localhost, attacker.example", "x" * 500, ""):
                for path in ("/", "/recordings.json", "/recordings/three.lsr", "/none"):
                    answer, data = self.get(server, path, code=403, headers={"Host": host})
                    self.assertRegex(data, rb"^[^\n]*open http://localhost:%d/, or the address[^\n]*\n$" % server.port)
                self.assertEqual(self.get(server, "/", method="HEAD", code=403, headers={"Host": host})[1], b"")
            for host in ("localhost", f"localhost:{server.port}", "127.0.0.1", "127.0.0.1:1", f"[::1]:{server.port}"):
                self.assertEqual(self.get(server, "/", headers={"Host": host})[1], PAGE)
            for hosts in ("", "Host: attacker.example\r\nHost: localhost\r\n", "Host: localhost\r\nHost: attacker.example\r\n"):
                with socket.create_connection(("127.0.0.1", server.port), timeout=TIMEOUT_S) as stranger:
                    stranger.sendall(f"GET /recordings.json HTTP/1.1\r\n{hosts}\r\n".encode())
                    self.assertRegex(stranger.recv(65536), rb"^HTTP/1\.1 403 ", hosts)
            self.stop(server)

    def test_files_that_are_no_recording(self):
        """The file is checked before it is served, and refused as `watch FILE` does it."""
        for name, data, says in (("empty", b"", "is empty"), ("letter", b"I am a letter and no recording. " * 9, "is not a Lockstep recording"),
                                 ("short", RECORDING[:30], "its header"), ("header", damage(RECORDING, 20), "its header")):
            self.write(name, data)
            _, served = self.refuse("watch", "--web", "--site", "site", name, code=CORRUPT, says=(says,))
            self.assertEqual(self.refuse("watch", name, code=CORRUPT, says=(says,))[1], served)
        self.write("bare/index.html", PAGE)
        self.refuse("watch", "--web", "--site", "bare", "matches/one & two.lsr", code=INCOMPATIBLE,
                    says=("is of the simulation 'skirmish'", "web/build --with FOLDER"))

    def test_recordings_without_their_end(self):
        """The page shows what is there; damage is told here, too, as `watch FILE` does it."""
        for name, data, says in (("torn.lsr", RECORDING[:len(RECORDING) * 7 // 10], ""),
                                 ("damaged.lsr", damage(RECORDING, len(RECORDING) // 2), r"lockstep: warning: damaged\.lsr[^\n]*damage[^\n]*\n")):
            self.write(name, data)
            server = self.watch(name)
            self.assertEqual(self.get(server, f"/recordings/{name}")[1], data)
            self.stop(server, says)

    def test_refusals(self):
        self.refuse("watch", "--web", "--site", "site", "none.lsr", code=USAGE, says=("none.lsr: there is no such recording or folder",))
        self.refuse("watch", "--web", "matches", "--site", "matches", code=USAGE, says=("run web/build",))
        self.refuse("watch", "--web", "matches", "--site", "site", "--listen", "x", code=USAGE, says=("--listen takes PORT or ADDR:PORT",))
        server = self.watch("matches")
        self.refuse("watch", "--web", "matches", "--site", "site", "--listen", str(server.port), code=MACHINE,
                    says=("Address already in use",))
        self.stop(server)


main()
