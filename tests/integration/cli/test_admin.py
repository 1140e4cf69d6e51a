"""serve --admin and `lockstep admin`: what it shows, what it changes, and what others may do to the socket."""
import json
import os
import re
import signal
import socket
import stat
import struct
import subprocess

from case import BINARY, CORRUPT, GOOD, MACHINE, REFUSED, TIMEOUT_S, USAGE, Case, Server, main

ACTIONS = {"server", "rooms", "room", "players", "metrics", "kick", "ban", "unban", "bans", "pause", "resume", "say",
           "open", "close", "drain", "reload", "log-level", "checkpoint"}


class Admin(Case):
    def admin(self, *words, code=GOOD):
        """What an action prints; of a refusal the one line of the error."""
        out, err = self.command("admin", words[0], "--socket", self.path("s"), *words[1:], code=code)
        return err.splitlines()[0] if code else out

    def ask(self, *words):
        return json.loads(self.admin(*words, "--json"))

    def play(self, server, count, *options):
        bots = self.start_join(server, "--bots", str(count), *options)
        self.wait_until(lambda: len([one for one in self.ask("players") if one["playing"]]) == count, server.text)
        return bots

    def play_and_leave(self, server):
        bots = self.play(server, 1)
        bots.terminate()
        self.end(bots, GOOD)
        self.wait_until(lambda: not self.ask("players"), server.text)

    def connect(self):
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        connection.settimeout(60)
        connection.connect(self.path("s"))
        return connection

    def answer(self, stream):
        """The head and the body of one answer."""
        words = stream.readline().decode().split()
        self.assertIn(words[0] if words else "nothing", ("table", "text", "error"))
        return words, stream.read(int(words[-1])).decode()

    def test_it_shows_server_rooms_and_players(self):
        server = self.serve_admin("--rooms", "3", "--tick-rate", "20")
        bots = self.play(server, 2, "--room", "2")
        rooms = self.ask("rooms")
        self.assertEqual([(room["room"], room["state"], room["players"]) for room in rooms],
                         [("1", "running", 0), ("2", "running", 2), ("3", "running", 0)])
        self.assertEqual(self.ask("room", "2")["sessions"], 2)
        facts = self.ask("server")
        self.assertEqual((facts["sim"], facts["rooms"], facts["bots"], facts["draining"]), ("skirmish", 3, 2, False))
        self.assertEqual(facts["process"], server.process.pid)
        players = self.ask("players", "2")
        self.assertEqual([(one["player"], one["kind"], one["name"]) for one in players],
                         [("0", "bot", "bot-1"), ("1", "bot", "bot-2")])
        self.assertRegex(players[0]["address"], r"^127\.0\.0\.1:\d+$")
        self.assertEqual(self.ask("players", "3"), [])
        self.assertRegex(self.admin("rooms"), r"\Aroom  state +tick .*\n1 +running ")
        self.assertRegex(self.admin("room", "2"), r"(?m)^players +2$")
        self.assertIn('lockstep_sessions{kind="bot"} 2\n', self.admin("metrics"))
        for words, says in ((("room",), "several rooms are open"), (("room", "x"), "no open room is called 'x'"),
                            (("players", "x"), "no open room is called 'x'"), (("kick", "9"), "no session has"),
                            (("kick", "x"), "'x' is no number of a session")):
            self.assertIn(says, self.admin(*words, code=USAGE))
        self.assertEqual([line for line in server.log if line.startswith("admin ") and "kick" not in line], [])
        bots.terminate()
        self.end(bots, GOOD)

    def test_it_says_a_text_to_players(self):
        server = self.serve_admin("--rooms", "2", "--tick-rate", "20")
        bots = [self.play(server, 1, "--room", "1")]
        bots.append(self.start_join(server, "--bots", "1", "--room", "2", "--json"))
        self.wait_until(lambda: len(self.ask("players")) == 2 and all(one["playing"] for one in self.ask("players")),
                        server.text)
        self.assertIn("told 1 client in room '1'", self.admin("say", "1", "supper is \u00e9 ready"))
        self.assertIn("told 2 clients", self.admin("say", "the server ends in five minutes"))
        self.assertIn("told 2 clients", self.admin("say", "x" * 224))
        for words, says in ((("x" * 225,), "at most 224 bytes"), (("a\x1b[2Jb",), "control characters"),
                            (("no", "x"), "no open room is called 'no'; `lockstep admin rooms` lists them; quote a text"),
                            (("supper", "is", "ready"), "give `say [ROOM] TEXT`, and quote a text that has blanks")):
            self.assertIn(says, self.admin("say", *words, code=USAGE))
        server.wait_line(rf"^admin user={os.getuid()} process=\d+ action=\"say 1 supper is \u00e9 ready\" "
                         "result=\"told 1 client in room '1'\"", server.log)
        self.assertEqual(server.stop(), GOOD)
        out, others = (self.end(one, GOOD)[0] for one in bots)
        self.assertEqual(re.findall(r"(?m)^the server says: (.*)$", out),
                         ["supper is \u00e9 ready", "the server ends in five minutes", "x" * 224])
        events = [json.loads(line) for line in others.splitlines() if '"say"' in line]
        self.assertEqual([(one["client"], one["text"]) for one in events],
                         [(1, "the server ends in five minutes"), (1, "x" * 224)])

    def test_it_changes_matches(self):
        server = self.serve_admin("--rooms", "2", "--rooms-max", "2", "--tick-rate", "20")
        bots = self.play(server, 2)
        self.assertIn("paused the match in room '1'", self.admin("pause", "1"))
        server.wait_line(r"^pause tick=.* room=1", server.log)
        self.wait_until(lambda: self.ask("room", "1")["state"] == "paused", server.text)
        tick = self.ask("room", "1")["tick"]
        self.assertIn("paused already", self.admin("pause", "1", code=REFUSED))
        self.assertEqual(self.ask("room", "1")["tick"], tick)
        self.admin("resume", "1")
        self.wait_until(lambda: self.ask("room", "1")["tick"] > tick, server.text)
        self.assertIn("not paused", self.admin("resume", "1", code=REFUSED))
        # Wishes count at once, not when a tick has met them.
        for verb, then in (("pause", "paused"), ("resume", "running")):
            self.admin(verb, "1")
            self.admin(verb, "1", code=REFUSED)
            self.admin("resume" if verb == "pause" else "pause", "1")
            self.admin(verb, "1")
            self.wait_until(lambda wanted=then: self.ask("room", "1")["state"] == wanted, server.text)
        peer = self.ask("players")[0]["peer"]
        self.assertIn(f"ended session {peer} of 'bot-1' in room '1'", self.admin("kick", str(peer), "be nice"))
        server.wait_line(r'^leave .*name="bot-1" reason="be nice"', server.log)
        self.wait_until(lambda: len(self.ask("players")) == 1, server.text)
        self.admin("close", "1")
        server.wait_line(r"^ended tick=\d+ .* room=1", server.lines)
        self.assertEqual([room["room"] for room in self.ask("rooms")], ["2"])
        out, _ = bots.communicate(timeout=TIMEOUT_S)
        self.assertIn("be nice", out + _)
        server.wait_line(rf'^admin user={os.getuid()} process=\d+ action="kick {peer} be nice" result="ended', server.log)
        self.assertIn("ending all matches", self.admin("drain"))
        self.assertEqual(server.wait(), GOOD)
        self.assertFalse(os.path.exists(self.path("s")))
        self.refuse("admin", "rooms", "--socket", self.path("s"), code=USAGE, says=("no such socket", "serve --admin"))

    def test_it_names_what_a_wish_may_be(self):
        """Not the options of `serve`, which `open` does not have."""
        self.serve_admin("--rooms", "0", "--rooms-max", "2")
        wrong = (("units=199", "units=199 is out of range for the simulation skirmish: give units=N with N from 200 to "
                              "50000"),
                 ("units=many", "each is NAME=NUMBER, not 'units=many'"),
                 ("unit=7", "the simulation skirmish has no option 'unit'; its options: "))
        for wishes, says in wrong:
            said = self.admin("open", "red", wishes, code=USAGE)
            self.assertIn(says, said)
            self.assertNotIn("--", said)
        self.admin("open", "red", "units=200")

    def test_a_checkpoint_of_a_running_match(self):
        server = self.serve_admin("--rooms", "2", "--tick-rate", "20", "--sync-ticks", "0", "--sign-ticks", "0")
        bots = self.play(server, 2)
        self.wait_until(lambda: self.ask("room", "1")["tick"] > 40, server.text)
        self.assertIn("several rooms are open", self.admin("checkpoint", code=USAGE))
        one = self.ask("checkpoint", "1")
        self.assertEqual(one["room"], "1")
        self.assertGreater(one["tick"], 40)
        # All of it is verified while the match goes on, and a copy of these bytes has exactly these ticks.
        self.assertGreaterEqual(self.verified_ticks(one["recording"]), one["tick"])
        with open(self.path(one["recording"]), "rb") as whole, open(self.path("copy.lsr"), "wb") as copy:
            copy.write(whole.read(one["bytes"]))
        out, err = self.command("verify", self.path("copy.lsr"), "--require-signed")
        self.assertIn(f"verified ticks={one['tick']} ", out)
        self.assertIn(f"signed through tick {one['tick'] - 1}, 0 unsigned", out + err)
        part = self.path("part.lsr")
        self.command("replay", "cut", one["recording"], "--from", "20", "--to", "40", "-o", part)
        self.assertEqual(self.verified_ticks(part), 20)
        self.assertRegex(self.admin("checkpoint", "1"), r"\Aroom +1\nrecording +\S+\.lsr\ntick +\d+\nbytes +\d+\n\Z")
        self.admin("pause", "1")
        self.wait_until(lambda: self.ask("room", "1")["state"] == "paused", server.text)
        self.assertEqual(self.ask("checkpoint", "1")["tick"], self.ask("room", "1")["tick"])
        self.admin("resume", "1")
        server.wait_line(rf'^admin user={os.getuid()} process=\d+ action="checkpoint 1" '
                         rf'result="{re.escape(one["recording"])}: {one["tick"]} ticks, {one["bytes"]} bytes"', server.log)
        bots.terminate()
        self.assertEqual(server.stop(), GOOD)

    def test_a_checkpoint_needs_a_recording(self):
        self.servers.append(Server(self.folder, "--admin", self.path("s"), "--wait", "0", is_recording=False))
        self.assertIn("the server needs --record DIR", self.admin("checkpoint", code=REFUSED))

    def test_bans_of_addresses(self):
        server = self.serve_admin("--bans", self.path("bans"))
        bots = self.play(server, 2)
        self.assertEqual(self.ask("ban", "127.0.0.1/8"),
                         {"ban": "127.0.0.0/8", "in_effect": True, "sessions_ended": 2, "kept": True, "reason": "-"})
        server.wait_line(r'^admin .* action="ban 127.0.0.1/8" result="sessions ended: 2" ', server.log)
        out, err = bots.communicate(timeout=TIMEOUT_S)
        self.assertIn("banned", out + err)
        self.assertIn("banned already", self.admin("ban", "127.0.0.0/8", code=REFUSED))
        self.assertIn("is no address", self.admin("ban", "ada", code=USAGE))
        _, err = self.join(server, "--bots", "1", code=REFUSED)
        self.assertIn("banned here", err)
        server.wait_line(r'^auth_rejected address=\S+ reason="banned here', server.log)
        self.assertEqual(server.stop(), GOOD)

        server = self.serve_admin("--bans", self.path("bans"))  # they survive the server
        self.assertEqual(self.ask("bans"), [{"ban": "127.0.0.0/8"}])
        self.join(server, "--bots", "1", code=REFUSED)
        self.admin("unban", "127.0.0.0/8")
        self.assertIn("is not banned", self.admin("unban", "127.0.0.0/8", code=USAGE))
        self.play(server, 1).terminate()
        with open(self.path("bans"), "a", encoding="ascii") as file:
            file.write("client:ada\n::/8\n")
        self.assertEqual(self.admin("reload"), "token_keys     0\nbans           2\nchanged        bans\n"
                                               "needs_restart  -\n")
        server.wait_line(r'^reloaded token_keys=0 bans=2 changed="bans" ', server.log)
        with open(self.path("bans"), "a", encoding="ascii") as file:
            file.write("nonsense\n")
        server.process.send_signal(signal.SIGHUP)
        server.wait_line(r'^reload_failed reason=".*bans:4: \'nonsense\' is no address', server.log)
        self.assertEqual(len(self.ask("bans")), 2)

    def test_a_ban_without_a_file_says_so(self):
        self.serve_admin()
        self.assertEqual(self.admin("ban", "192.0.2.7"), "ban             192.0.2.7\nin_effect       yes\nsessions_ended  0\n"
                                                       "kept            no\nreason          the server has no --bans FILE\n")
        self.refuse("serve", "--sim", "skirmish", "--bans", os.path.join(__file__, "x"), code=MACHINE, says=("x",))

    def test_a_ban_holds_when_its_file_cannot_be_written(self):
        """Its folder is away for a time: the bans hold, also over a reload, and are kept when the command is repeated."""
        self.refuse("serve", "--sim", "skirmish", "--bans", self.path("away", "bans"), code=MACHINE,
                    says=("away/bans: its folder does not exist; make it first",))
        os.mkdir(self.path("here"))
        file = self.path("here", "bans")
        server = self.serve_admin("--bans", file)
        self.admin("ban", "192.0.2.1")
        bots = self.play(server, 2)
        os.rename(self.path("here"), self.path("away"))
        answer = self.ask("ban", "127.0.0.1/8")
        self.assertRegex(answer.pop("reason"), r"folder does not exist")
        self.assertEqual(answer, {"ban": "127.0.0.0/8", "in_effect": True, "sessions_ended": 2, "kept": False})
        bots.communicate(timeout=TIMEOUT_S)
        self.assertFalse(self.ask("ban", "192.0.2.2")["kept"])
        self.assertIn("its folder does not exist", self.admin("reload", code=MACHINE))
        self.assertEqual(len(self.ask("bans")), 3)
        self.assertFalse(self.ask("ban", "192.0.2.2")["kept"])  # repeated too early
        answer = self.ask("unban", "192.0.2.2")
        self.assertEqual((answer["in_effect"], answer["kept"]), (False, False))
        self.join(server, "--bots", "1", code=REFUSED)
        os.rename(self.path("away"), self.path("here"))
        answer = self.ask("ban", "127.0.0.0/8")
        self.assertEqual((answer["kept"], answer["sessions_ended"]), (True, 0))
        self.assertIn("banned already", self.admin("ban", "127.0.0.0/8", code=REFUSED))
        with open(file, encoding="ascii") as kept:
            self.assertEqual(sorted(kept.read().splitlines()[1:]), ["127.0.0.0/8", "192.0.2.1"])

    def test_another_program_lifts_a_ban_while_one_is_unsaved(self):
        os.mkdir(self.path("here"))
        file = self.path("here", "bans")
        server = self.serve_admin("--bans", file)
        self.admin("ban", "192.0.2.1")
        os.rename(self.path("here"), self.path("away"))
        self.assertFalse(self.ask("ban", "192.0.2.2")["kept"])
        os.rename(self.path("away"), self.path("here"))
        with open(file, "w", encoding="ascii") as bans:
            bans.write("192.0.2.3\n")
        self.admin("reload")
        server.wait_line(r"^reloaded token_keys=0 bans=2 ", server.log)
        self.admin("ban", "192.0.2.4")
        self.assertEqual(sorted(each["ban"] for each in self.ask("bans")), ["192.0.2.2", "192.0.2.3", "192.0.2.4"])
        with open(file, encoding="ascii") as kept:
            self.assertEqual(sorted(kept.read().splitlines()[1:]), ["192.0.2.2", "192.0.2.3", "192.0.2.4"])

    def test_a_file_of_bans_that_is_damaged_stays(self):
        """A ban holds beside a file with a wrong line, which is left to its author; no ban of the file is lifted."""
        file = self.path("bans")
        server = self.serve_admin("--bans", file)
        self.admin("ban", "192.0.2.1")
        with open(file, "a", encoding="ascii") as bans:
            bans.write("nonsense\n192.0.2.3\n")
        self.assertRegex(self.ask("ban", "192.0.2.2")["reason"], r"bans:3: 'nonsense' is no address")
        self.assertIn("'nonsense' is no address", self.admin("unban", "192.0.2.1", code=USAGE))
        self.assertEqual(self.ask("bans"), [{"ban": "192.0.2.1"}, {"ban": "192.0.2.2"}])
        with open(file, encoding="ascii") as bans:
            text = bans.read()
        self.assertIn("nonsense", text)
        with open(file, "w", encoding="ascii") as bans:
            bans.write(text.replace("nonsense\n", ""))
        self.admin("reload")
        server.wait_line(r"^reloaded token_keys=0 bans=3 ", server.log)
        self.admin("unban", "192.0.2.1")
        with open(file, encoding="ascii") as bans:
            self.assertEqual(sorted(bans.read().splitlines()[1:]), ["192.0.2.2", "192.0.2.3"])

    def issue(self, client, key="key"):
        path = self.path(f"{client}-{len(os.listdir(self.folder))}")
        self.command("token", "issue", "--key", self.path(key), "--client", client, "-o", path)
        return ("--token", path)

    def test_bans_of_players_and_new_keys(self):
        self.command("keygen", "--token-key", "--id", "1", self.path("key"))
        server = self.serve_admin("--token-key", self.path("key"), "--require-token")
        bots = self.play(server, 1, *self.issue("ada"))
        self.assertEqual(self.ask("players")[0]["client"], "ada")
        self.assertEqual(self.ask("ban", "client:ada")["sessions_ended"], 1)
        bots.communicate(timeout=TIMEOUT_S)
        _, err = self.join(server, "--bots", "1", *self.issue("ada"), code=REFUSED)
        self.assertIn("banned here", err)
        self.play(server, 1, *self.issue("bob")).terminate()
        os.rename(self.path("key"), self.path("old"))
        self.command("keygen", "--token-key", "--id", "2", self.path("key"))
        self.admin("reload")
        server.wait_line(r"^reloaded token_keys=1 bans=1 ", server.log)
        self.play(server, 1, *self.issue("cyd")).terminate()
        with open(self.path("key"), "w", encoding="ascii") as file:
            file.write("damaged")
        self.admin("reload", code=CORRUPT)
        server.wait_line(r"^reload_failed reason=", server.log)

    def configure(self, *lines):
        with open(self.path("conf"), "w", encoding="ascii") as file:
            file.write("".join(line + "\n" for line in lines))

    def test_reload_takes_what_may_change_in_the_file(self):
        """Retention and the level of the log change without a restart, and what waits for one is named."""
        self.configure("wait = 1", "peers = 300")
        server = self.serve_admin("--config", self.path("conf"), "--record", self.path("rec"), "--end-when-empty",
                                  "--rooms-max", "2", "--keep-free", "1")
        self.play_and_leave(server)
        finished = os.listdir(self.path("rec"))
        self.configure("wait = 2", "peers = 300", "rooms = 2", "keep-bytes = 1", "keep-free = 900T",
                       "log-level = problems")
        self.assertEqual(self.ask("reload"), {"token_keys": 0, "bans": 0, "changed": "keep-bytes, log-level",
                                              "needs_restart": "rooms"})
        server.wait_line(r'^reloaded token_keys=0 bans=0 changed="keep-bytes, log-level" needs_restart="rooms" ',
                         server.log)
        server.wait_line(rf'^admin user={os.getuid()} process=\d+ action="reload" '
                         'result="changed: keep-bytes, log-level; needs a restart: rooms"', server.log)
        server.wait_line(r"^recording_removed .*limit=bytes", server.log)  # and not `free` of the command line
        self.assertFalse(set(finished) & set(os.listdir(self.path("rec"))))
        before = len(server.log)
        self.join(server, "--room", "a", "--bots", "1", "--ticks", "5")
        self.assertFalse([line for line in server.log[before:] if line.startswith("enter ")])
        for line, says in (("keep-days = 0", r"--keep-days takes a number from 1 to 36500, not '0'"),
                           ("keep-bytes = many", r"'keep-bytes' takes a number of bytes"),
                           ("log-level = loud", r"--log-level is one of: all, problems; not 'loud'"),
                           ("rooms = many", r"--rooms takes a number from 0 to \d+, not 'many'"),
                           ("quiet = perhaps", r"'quiet' takes yes or no, not 'perhaps'"),
                           ("help = yes", r"'help' belongs on the command line"),
                           ("keep-day = 3", r"unknown option 'keep-day', did you mean 'keep-days'\?")):
            self.configure("# here", line)
            self.assertRegex(self.admin("reload", code=USAGE), rf"conf:2: {says}")
            server.wait_line(rf'^reload_failed reason="\S*conf:2: {says}', server.log)

    def test_reload_of_a_limit_without_recordings(self):
        self.configure("wait = 0")
        self.servers.append(Server(self.folder, "--admin", self.path("s"), "--config", self.path("conf"), is_recording=False))
        self.configure("# here", "keep-days = 3")
        self.assertIn("conf:2: 'keep-days' deletes recordings, so it needs --record DIR", self.admin("reload", code=USAGE))
        self.configure("keep-seats = 9")
        self.assertEqual(self.ask("reload")["needs_restart"], "keep-seats")

    def test_the_socket_is_for_its_user_alone(self):
        server = self.serve_admin()
        facts = os.stat(self.path("s"))
        self.assertEqual((stat.S_ISSOCK(facts.st_mode), stat.S_IMODE(facts.st_mode)), (True, 0o600))
        if os.getuid() != 0:
            return
        os.chmod(self.folder, 0o755)
        os.chmod(self.path("s"), 0o666)
        try:
            done = subprocess.run([BINARY, "admin", "rooms", "--socket", self.path("s")], user=65534, timeout=TIMEOUT_S,
                                  capture_output=True, text=True, check=False)
        except PermissionError:
            self.skipTest("another user cannot reach the program")
        self.assertEqual(done.returncode, REFUSED, done.stderr)
        self.assertIn("user 65534 may not: ask as root or as the user of the server, 0", done.stderr)
        server.wait_line(r"^admin_refused user=65534 process=\d+", server.log)

    def test_lines_of_any_kind(self):
        server = self.serve_admin()
        with self.connect() as connection, connection.makefile("rb") as stream:
            for line, words, says in ((b"\n", ["error", "2"], "unknown action ''"),
                                      (b"\xff\xfe\n", ["error", "2"], "UTF-8"),
                                      (b"rooms\t\n", ["error", "2"], "empty argument"),
                                      (b"server\n", ["table"], "skirmish")):
                connection.sendall(line)
                head, body = self.answer(stream)
                self.assertEqual(head[:-1], words)
                self.assertIn(says, body)
            connection.sendall(b"rooms\nbans\nser")  # two lines and a part
            self.assertIn("running", self.answer(stream)[1])
            self.assertEqual(self.answer(stream)[1], "ban:s\n")
            connection.sendall(b"ver\n")
            self.assertEqual(self.answer(stream)[0][0], "table")
            connection.sendall(b"x" * 5000)
            self.assertIn("too long", self.answer(stream)[1])
            try:
                self.assertEqual(connection.recv(1), b"")
            except ConnectionResetError:
                pass  # it had more bytes to read
        idle = [self.connect() for _ in range(12)]  # more than it serves at once
        for connection in idle[:8]:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            connection.close()
        self.assertEqual(len(self.ask("rooms")), 1)
        for connection in idle[8:]:
            connection.close()
        self.assertEqual(server.stop(), GOOD)

    def test_the_log_as_json_and_without_routine(self):
        server = self.serve("--admin", self.path("s"), "--wait", "0", "--log-format", "json", "--log", self.path("log"),
                            "--log-level", "problems")
        self.play_and_leave(server)
        self.assertIn("all or problems, not 'some'", self.admin("log-level", "some", code=USAGE))
        self.admin("log-level", "all")
        self.play_and_leave(server)
        os.rename(self.path("log"), self.path("log.1"))
        server.process.send_signal(signal.SIGUSR1)
        self.wait_until(lambda: os.path.exists(self.path("log")), server.text)
        self.assertEqual(server.stop(), GOOD)
        with open(self.path("log.1"), encoding="utf-8") as before, open(self.path("log"), encoding="utf-8") as after:
            lines = [json.loads(line) for line in (*before, *after)]
        self.assertEqual([line["event"] for line in lines[:2]], ["listening_admin", "listening"])
        self.assertEqual(lines[1]["sim"], "skirmish")
        actions = [(line["action"], line["user"]) for line in lines if line["event"] == "admin"]
        self.assertEqual(actions, [("log-level some", os.getuid()), ("log-level all", os.getuid())])
        self.assertEqual([line["name"] for line in lines if line["event"] == "enter"], ["bot"])  # the second
        self.assertTrue(all(re.fullmatch(r"\d{4}-\d\d-\d\dT.*Z", line["time"]) for line in lines))
        self.assertEqual([line["reason"] for line in lines if line["event"] == "end"], ["drained"])
        self.assertNotIn("reloaded", [line["event"] for line in lines])

    def test_a_path_that_cannot_be_used(self):
        server = self.serve_admin()
        options = ("serve", "--sim", "skirmish", "--port", "0", "--temporary-identity", "--admin")
        self.refuse(*options, self.path("s"), code=MACHINE, says=("another server answers there",))
        self.refuse(*options, "x" * 200, code=USAGE, says=("1 to 107 bytes",))
        self.refuse(*options, self.path("no", "s"), code=MACHINE, says=("No such file", "make its folder first"))
        self.refuse(*options, __file__, code=USAGE, says=("no socket",))
        self.refuse("admin", "rooms", code=USAGE, says=("--socket is missing",))
        server.process.kill()
        server.wait()
        self.assertTrue(os.path.exists(self.path("s")))
        self.refuse("admin", "rooms", "--socket", self.path("s"), code=MACHINE, says=("the server has ended",))
        self.serve_admin()  # takes the place of the dead one
        os.environ["LOCKSTEP_SERVE_ADMIN"] = self.path("s")
        try:
            self.assertIn("running", self.command("admin", "rooms")[0])
        finally:
            del os.environ["LOCKSTEP_SERVE_ADMIN"]

    def test_many_questions_without_a_pause(self):
        server = self.serve_admin("--tick-rate", "20")
        tick = self.ask("room")["tick"]
        with self.connect() as connection, connection.makefile("rb") as stream:
            for _ in range(100):
                connection.sendall(b"server\nrooms\nplayers\nmetrics\n")
                for _ in range(4):
                    self.assertIn(self.answer(stream)[0][0], ("table", "text"))
        self.wait_until(lambda: self.ask("room")["tick"] > tick, server.text)
        self.assertEqual(server.stop(), GOOD)

    def test_help_lists_the_actions(self):
        self.assertEqual(set(re.findall(r"(?m)^  ([a-z-]+) +[a-z]", self.command("admin", "--help")[0])), ACTIONS)
        self.assertIn("Usage: lockstep admin kick [OPTION...] PEER [REASON]", self.command("admin", "kick", "--help")[0])
        self.assertIn("PEER [REASON] is missing", self.refuse("admin", "kick", "--socket", "x", code=USAGE, says=())[1])
        self.refuse("admin", "rooms", "x", "--socket", "x", code=USAGE, says=("unexpected argument 'x'",))


main()
