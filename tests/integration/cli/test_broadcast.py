"""serve --broadcast-dir: a spectator follows a match through any web server, and verifies what it was given."""
import functools
import http.client
import http.server
import os
import re
import shutil
import signal
import threading

from case import GOOD, MACHINE, TIMEOUT_S, USAGE, Case, main


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format, *arguments):  # pylint: disable=redefined-builtin
        pass


class Broadcast(Case):
    def serve_files(self, folder):
        """Another web server, which knows nothing of matches; returns its port."""
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return server.server_address[1]

    def get(self, port, path):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=TIMEOUT_S)
        try:
            connection.request("GET", path)
            answer = connection.getresponse()
            data = answer.read()
            return data if answer.status == 200 else None
        finally:
            connection.close()

    def manifest(self, port, room):
        """The words of the manifest's second line; None while there is none."""
        data = self.get(port, f"/{room}/live")
        if data is None:
            return None
        first, second = data.decode().splitlines()
        self.assertEqual(first, "lockstep-live 1")
        return dict(word.split("=") for word in second.split())

    def follow(self, port, room, joined, is_enough, says):
        """Adds new segments to `joined` until is_enough(manifest); every one that a manifest names is there."""
        state = {"next": 0}

        def poll():
            told = self.manifest(port, room)
            if told is None:
                return False
            for number in range(state["next"], int(told["segments"])):
                data = self.get(port, f"/{room}/{told['match']}-{number}.seg")
                self.assertIsNotNone(data, told)
                joined.extend(data)
            state["next"] = int(told["segments"])
            self.assertEqual(len(joined), int(told["bytes"]))
            return is_enough(told)
        self.wait_until(poll, says)

    def verify(self, data, name):
        path = self.path(name)
        with open(path, "wb") as file:
            file.write(data)
        return self.command("verify", path)[0]

    def test_a_spectator_follows_through_any_web_server(self):
        server = self.serve("--broadcast-dir", self.path("live"), "--tick-rate", "60", "--wait", "2", "--players", "2",
                            "--set", "units=200", "--sign-ticks", "60")
        port = self.serve_files(self.path("live"))
        bots = self.start_join(server, "--bots", "2")
        joined = bytearray()
        self.follow(port, "~", joined, lambda told: int(told["segments"]) >= 4 and told["state"] == "live", server.text)
        self.assertEqual(self.get(port, "/rooms.json"), b'[{"room": "~", "simulation": "skirmish", "players": 2}]')
        said = self.verify(joined, "midway.lsr")
        self.assertGreater(int(re.search(r"^verified ticks=(\d+)", said, re.MULTILINE).group(1)), 4)
        self.assertRegex(said, "sign")
        self.assertEqual(server.stop(), GOOD, server.text())
        bots.communicate(timeout=TIMEOUT_S)
        told = self.manifest(port, "~")
        self.assertEqual(told["state"], "ended")
        self.assertEqual(self.get(port, "/rooms.json"), b"[]")
        whole = b"".join(self.get(port, f"/~/{told['match']}-{number}.seg") for number in range(int(told["segments"])))
        with open(self.recording(), "rb") as file:
            self.assertEqual(whole, file.read())
        self.assertTrue(whole.startswith(joined))
        self.verify(whole, "whole.lsr")
        # Changed bytes are found, wherever they come from.
        whole = bytearray(whole)
        whole[len(whole) // 2] ^= 1
        with open(self.path("changed.lsr"), "wb") as file:
            file.write(whole)
        process = self.start("verify", self.path("changed.lsr"))
        process.communicate(timeout=TIMEOUT_S)
        self.assertNotEqual(process.returncode, GOOD)

    def test_a_folder_that_fails_harms_no_match(self):
        os.makedirs(self.path("live"))
        with open(self.path("live", "1"), "w", encoding="ascii") as file:
            file.write("in the way of room 1")
        server = self.serve("--broadcast-dir", self.path("live"), "--tick-rate", "60", "--rooms", "2", "--wait", "1",
                            "--set", "units=200")
        bots = [self.start_join(server, "--bots", "1", "--room", room) for room in ("1", "2")]
        port = self.serve_files(self.path("live"))
        self.follow(port, "2", bytearray(), lambda told: int(told["segments"]) >= 3, server.text)
        server.wait_line(r'^broadcast_failed match="skirmish-.*" reason=', server.log)
        self.assertEqual(server.stop(signal.SIGTERM), GOOD, server.text())
        for each in bots:
            each.communicate(timeout=TIMEOUT_S)
        self.assertEqual(sum(line.startswith("broadcast_failed ") for line in server.log), 1, server.text())
        for name in os.listdir(self.path("recordings")):
            if name.endswith(".lsr"):
                self.command("verify", self.path("recordings", name))

    def test_delay_withholds_a_running_match(self):
        server = self.serve("--broadcast-dir", self.path("live"), "--broadcast-delay", "3600", "--tick-rate", "60",
                            "--set", "units=200")
        bots = self.start_join(server, "--bots", "1")
        server.wait_line(r"^tick [1-9]\d*  ", server.lines, count=5)
        self.assertEqual(os.listdir(self.path("live")), ["rooms.json"])
        self.assertEqual(server.stop(), GOOD, server.text())
        bots.communicate(timeout=TIMEOUT_S)
        port = self.serve_files(self.path("live"))
        self.assertEqual(self.manifest(port, "~")["state"], "ended")

    def test_wrong_use(self):
        self.refuse("serve", "--sim", "skirmish", "--broadcast-dir", "x", code=USAGE, says=["--broadcast-dir", "--record DIR"])
        self.refuse("serve", "--sim", "skirmish", "--record", "r", "--broadcast-delay", "3", code=USAGE,
                    says=["--broadcast-delay needs --broadcast-dir"])
        with open(self.path("file"), "w", encoding="ascii"):
            pass
        self.refuse("serve", "--sim", "skirmish", "--port", "0", "--temporary-identity", "--record", "r", "--broadcast-dir", "file",
                    code=MACHINE, says=["--broadcast-dir file", "a file of that name exists"])
        for ticks in "0", "601":
            self.refuse("serve", "--sim", "skirmish", "--port", "0", "--temporary-identity", "--record", "r", "--broadcast-dir", "live",
                        "--keyframe-ticks", ticks, code=USAGE, says=[f"--keyframe-ticks {ticks}", "every 30 seconds", "1 to 600 ticks"])
        shutil.rmtree(self.path("r"), ignore_errors=True)


if __name__ == "__main__":
    main()
