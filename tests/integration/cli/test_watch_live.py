"""`watch URL`: follows a running match in a real terminal, from its server and from web servers that lie or fail."""
import glob
import http.server
import os
import re
import subprocess
import threading

from case import BINARY, CORRUPT, GOOD, INCOMPATIBLE, MACHINE, TINY, USAGE, Case, main
from terminal import Terminal

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")
GOLDEN = os.path.join(ROOT, "replays", "golden", "skirmish.lsr")
TICKS, RATE, PARTS = 600, 120, 6


class Publisher:
    """A web server without any of Lockstep's code: rooms, each with files."""

    def __init__(self):
        self.files, self.codes, self.address = {}, {}, ("127.0.0.1", 0)
        self.cuts = set()
        self.open()

    def open(self):
        publisher = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                data = publisher.files.get(self.path)
                code = publisher.codes.get(self.path, 404 if data is None else 200)
                self.send_response(code)
                self.send_header("Content-Length", str(len(data or b"")))
                self.end_headers()
                self.wfile.write((data or b"")[:-1 if self.path in publisher.cuts else None])
                self.close_connection = True

            def log_message(self, format, *arguments):  # pylint: disable=redefined-builtin
                pass

        http.server.ThreadingHTTPServer.allow_reuse_address = True
        self.server = http.server.ThreadingHTTPServer(self.address, Handler)
        self.address = self.server.server_address
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def url(self, room):
        return f"http://{self.address[0]}:{self.address[1]}/live/{room}/"

    def publish(self, room, pieces, match="m", state="live", **lies):
        for number, data in enumerate(pieces):
            self.files[f"/live/{room}/{match}-{number}.seg"] = data
        told = {"segments": len(pieces), "bytes": sum(map(len, pieces)), **lies}
        self.say(room, f"lockstep-live 1\nmatch={match} segments={told['segments']} bytes={told['bytes']} state={state}\n")

    def say(self, room, manifest):
        self.files[f"/live/{room}/live"] = manifest.encode()


def parts_of(data, count=PARTS):
    return [data[len(data) * i // count:len(data) * (i + 1) // count] for i in range(count)]


class WatchLive(Case):
    def setUp(self):
        super().setUp()
        self.publisher = Publisher()
        self.addCleanup(lambda: self.publisher.close())  # pylint: disable=unnecessary-lambda
        with open(GOLDEN, "rb") as file:
            self.golden = file.read()
        self.parts = parts_of(self.golden)
        self.key = re.search(r"by the server ([\w-]{43});", self.command("verify", GOLDEN)[0]).group(1)

    def watch(self, url, *options):
        terminal = Terminal(self.folder, columns=200)
        self.addCleanup(terminal.close)
        terminal.keys(f"clear; {BINARY} watch {' '.join(options)} '{url}'; echo code $?", "Enter")
        terminal.wait(r"^ \S+  tick \d+ of \d+ ")
        return terminal

    def left(self, terminal, code, says=""):
        terminal.keys("q")
        terminal.wait(rf"^code {code}$")
        self.assertIn(says, " ".join(terminal.screen()))

    def tick(self, terminal):
        return tuple(map(int, terminal.wait(r"tick (\d+) of (\d+)").groups()))

    def test_a_match_of_a_server(self):
        os.mkdir(self.path("site"))
        with open(self.path("site", "index.html"), "w", encoding="ascii"):
            pass
        server = self.serve("--http", "0", "--site", "site", "--broadcast-dir", "live", "--tick-rate", "60", "--sign-ticks", "60",
                            "--players", "2", "--wait", "2", "--set", "units=200", "--end-when-empty", "--rooms-max", "2")
        address = server.wait_line(r"^listening_http address=(\S+)", server.log).group(1)
        bots = self.start_join(server, "--bots", "2")
        self.wait_until(lambda: glob.glob(self.path("live", "*", "live")), server.text)
        room = os.path.basename(os.path.dirname(glob.glob(self.path("live", "*", "live"))[0]))
        key = server.address.split("#")[1]
        terminal = self.watch(f"http://{address}/live/{room}", "--key", key)
        terminal.wait(rf"^live, \d+\.\d s behind; signed through tick \d+ by {key}$")
        first = self.tick(terminal)
        self.wait_until(lambda: self.tick(terminal)[0] > first[0] + 60 and self.tick(terminal)[1] > first[1] + 60,
                        lambda: "\n".join(terminal.screen()))
        bots.terminate()
        bots.communicate()
        terminal.wait(rf"^the match has ended; signed through tick \d+ by {key}$")
        last = self.tick(terminal)[1]
        root = terminal.wait(rf"tick {last} of {last} .*paused x1  root (\w+) ok$").group(1)
        self.assertIn(f"root={root}", self.command("replay", "seek", self.recording(), str(last))[0])
        self.left(terminal, GOOD)
        self.assertEqual(server.stop(), GOOD)

    def test_a_match_grows(self):
        cuts = [0, len(self.golden) // 10, len(self.golden) * 19 // 20, len(self.golden)]
        parts = [self.golden[begin:end] for begin, end in zip(cuts, cuts[1:])]
        self.publisher.publish("1", parts[:1])
        terminal = self.watch(self.publisher.url("1"))
        first = int(terminal.wait(r"tick (\d+) of \1 .*playing").group(1))  # it waits for more
        self.assertLess(first, TICKS // 3)
        terminal.wait(r"^live, 0\.0 s behind; (no tick is signed yet|signed through tick \d+ by )")
        self.publisher.publish("1", parts[:2])  # more than the three seconds that it waits for
        terminal.wait(rf"tick (?!{first} )(\d+) of \d+ .*playing")
        terminal.keys("Space")
        terminal.wait("paused")
        self.publisher.publish("1", parts, state="ended")
        terminal.wait(rf"^the match has ended; signed through tick {TICKS - 1} by {self.key}$")
        terminal.wait(rf"tick \d+ of {TICKS} .*paused x1")
        terminal.keys("l")
        terminal.wait(rf"tick {TICKS} of {TICKS} .*paused x1  root \w+ ok$")
        self.left(terminal, GOOD)

    def test_catches_up_from_the_newest_keyframe(self):
        self.publisher.publish("1", self.parts, state="ended")
        terminal = self.watch(self.publisher.url("1"), "--from", "0")
        terminal.wait(rf"tick 0 of {TICKS} .*paused")
        terminal.keys("l")
        # It plays the last three seconds, so a slow reader of the screen may see the end only.
        self.assertGreaterEqual(int(terminal.wait(r"tick ([1-9]\d*) of").group(1)), TICKS - 3 * RATE)
        terminal.wait(rf"tick {TICKS} of {TICKS} .*paused")
        self.left(terminal, GOOD)

    def test_a_server_that_is_gone_for_a_while(self):
        self.publisher.publish("1", self.parts[:3])
        terminal = self.watch(self.publisher.url("1"))
        terminal.wait(r"^live, ")
        self.publisher.close()
        terminal.wait(r"^the server does not answer \(.+\); trying again; ")
        self.publisher.publish("1", self.parts, state="ended")
        self.publisher.codes["/live/1/m-4.seg"] = 503
        self.publisher.open()
        terminal.wait(r"^the server answers with code 503; trying again; ")
        self.publisher.cuts.add("/live/1/m-4.seg")  # a connection that ends too early
        self.publisher.codes.clear()
        terminal.wait(r"^the server does not answer \(the connection was closed\); trying again; ")
        self.publisher.cuts.clear()
        terminal.wait(rf"^the match has ended; signed through tick {TICKS - 1} ")
        terminal.wait(rf"tick {TICKS} of {TICKS} ")
        self.left(terminal, GOOD)

    def test_other_ends(self):
        for room, act, says in (
                ("broken", lambda: self.publisher.publish("broken", self.parts[:3], state="broken"), "the server publishes no more of this match"),
                ("other", lambda: self.publisher.publish("other", self.parts, match="n"), "another match has begun in this room"),
                ("gone", lambda: self.publisher.files.pop("/live/gone/live"), "the match is not published any more")):
            self.publisher.publish(room, self.parts[:3])
            terminal = self.watch(self.publisher.url(room))
            terminal.wait(r"^live, ")
            act()
            terminal.wait(rf"^{says}; ")
            self.left(terminal, GOOD)
        # A cache may be behind: an older manifest is no lie.
        self.publisher.publish("old", self.parts[:3])
        terminal = self.watch(self.publisher.url("old"))
        self.publisher.publish("old", self.parts[:2])
        self.publisher.publish("old", self.parts, state="ended")
        terminal.wait(r"^the match has ended")
        self.left(terminal, GOOD)

    def forged(self):
        subprocess.run([os.path.join(TINY, "re_forge"), GOLDEN, self.path("forged.lsr"), "590"], check=True, capture_output=True)
        with open(self.path("forged.lsr"), "rb") as file:
            return file.read()

    def damaged(self):
        data = bytearray(self.golden)
        data[len(data) * 9 // 10] ^= 1
        return bytes(data)

    def test_lies_on_the_way(self):
        for name, data, says in (("damaged", self.damaged(), "damaged"), ("forged", self.forged(), "signature at byte")):
            parts = parts_of(data)
            self.publisher.publish(name, parts[:3])
            terminal = self.watch(self.publisher.url(name))
            terminal.wait(r"^live, ")
            self.publisher.publish(name, parts, state="ended")
            terminal.wait(says)
            self.left(terminal, CORRUPT, says)
        for name, says in (("long", "the segments are longer than their manifest says"), ("missing", "names segments that are not there")):
            self.publisher.publish(name, self.parts[:3])
            terminal = self.watch(self.publisher.url(name))
            terminal.wait(r"^live, ")
            if name == "long":
                self.publisher.publish(name, self.parts, bytes=len(self.golden) - 1)
            else:
                self.publisher.publish(name, self.parts[:3], segments=4, bytes=len(self.golden))
            terminal.wait(says)
            self.left(terminal, CORRUPT, says)

    def test_lies_at_once(self):
        publish, refused = self.publisher.publish, []
        publish("long", self.parts, bytes=100)
        refused.append(("long", CORRUPT, "the segments are longer than their manifest says"))
        publish("short", self.parts, bytes=len(self.golden) + 1)
        refused.append(("short", CORRUPT, f"the segments have {len(self.golden)} bytes, and their manifest says {len(self.golden) + 1}"))
        publish("missing", self.parts, segments=len(self.parts) + 1)
        refused.append(("missing", CORRUPT, "the manifest names segments that are not there"))
        publish("empty", [b"", self.golden])
        refused.append(("empty", CORRUPT, "a segment of the match is empty"))
        publish("large", [self.golden], bytes=(1 << 30) + 1)
        refused.append(("large", CORRUPT, "longer than 1 GiB"))
        publish("text", [b"I am no recording. " * 20])
        refused.append(("text", CORRUPT, "is not a Lockstep recording"))
        publish("damaged", parts_of(self.damaged()), state="ended")
        refused.append(("damaged", CORRUPT, "damaged"))
        publish("forged", parts_of(self.forged()), state="ended")
        refused.append(("forged", CORRUPT, "signature at byte"))
        self.publisher.say("words", "Hello, I am a web page.\n")
        refused.append(("words", CORRUPT, "does not describe a running match"))
        self.publisher.say("endless", "lockstep-live 1\n" * 10000)
        refused.append(("endless", CORRUPT, "does not describe a running match"))
        self.publisher.say("newer", "lockstep-live 2\nmatch=m\n")
        refused.append(("newer", INCOMPATIBLE, "published by another version of Lockstep"))
        refused.append(("nothing", USAGE, "no match is published there"))
        self.publisher.codes["/live/refusing/live"] = 403
        refused.append(("refusing", MACHINE, "the server answers with code 403"))
        for room, code, says in refused:
            self.refuse("watch", self.publisher.url(room), code=code, says=[self.publisher.url(room), says])

    def test_wrong_use(self):
        url = self.publisher.url("1")
        self.publisher.publish("1", self.parts, state="ended")
        other = "A" * 42 + "E"
        self.refuse("watch", url, "--key", other, code=CORRUPT, says=[f"is of the server {self.key}, which --key does not name"])
        self.refuse("watch", GOLDEN, "--key", other, code=USAGE, says=["--key is for the URL of a running match"])
        self.refuse("watch", url, "--web", code=USAGE, says=["#live=ROOM"])
        self.refuse("watch", url.replace("http:", "https:"), code=MACHINE, says=["no TLS: the port has none"])
        self.refuse("watch", url.replace("/live/1/", "/#live=1"), code=USAGE, says=["http://HOST:PORT/live/ROOM/"])
        self.refuse("watch", url, code=USAGE, says=["terminal"])
        self.publisher.close()
        self.refuse("watch", url, code=MACHINE, says=[url, "the server does not answer"])
        self.publisher.open()


main()
