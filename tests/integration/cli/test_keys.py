"""`keygen` and `token`: private files, what the commands print about them, and their errors."""
import json
import os
import re
import stat

from case import CORRUPT, GOOD, MACHINE, REFUSED, USAGE, Case, main

KEY = r"[A-Za-z0-9_-]{43}"


class Keys(Case):
    def keygen(self, *arguments, code=GOOD):
        return self.command("keygen", *arguments, code=code)[0]

    def issue(self, *arguments, output="pass", client="ada"):
        return self.command("token", "issue", "--key", self.path("key"), "--client", client,
                            "-o", self.path(output), *arguments)

    def show(self, *arguments, name="pass"):
        """The output lines by name; lines with one name are joined."""
        out, _ = self.command("token", "show", self.path(name), *arguments)
        lines = {}
        for line in out.splitlines():
            name, value = re.fullmatch(r"((?:sealed )?\S+) (.*)", line).groups()
            lines[name] = lines[name] + " " + value if name in lines else value
        return lines

    def test_a_recording_names_the_server_as_its_address_does(self):
        server = self.serve("--ticks", "20", "--wait", "0", "--tick-rate", "100")
        key = server.address.split("#")[1]
        self.assertEqual(server.wait(), GOOD)
        path = self.recording()
        self.assertIn(f"by the server {key}", self.command("verify", path)[0])
        self.assertIn(f"\nserver key  {key}\n", self.command("replay", "info", path)[0])
        for action in ("info", "export"):
            options = ("--json",) if action == "info" else ()
            out, _ = self.command("replay", action, path, *options)
            self.assertEqual(json.loads(out.splitlines()[0])["server_key"], key)

    def test_identity(self):
        out = self.keygen(self.path("identity"))
        self.assertRegex(out, rf"\Aidentity {KEY}\n\Z")
        self.assertEqual(stat.S_IMODE(os.stat(self.path("identity")).st_mode), 0o600)
        self.assertEqual(self.keygen("--show", self.path("identity")), out)
        self.assertNotEqual(self.keygen(self.path("other")), out)

    def test_token_key(self):
        self.assertEqual(self.keygen(self.path("key"), "--token-key", "--id", "7"), "token-key 7\n")
        self.assertEqual(stat.S_IMODE(os.stat(self.path("key")).st_mode), 0o600)
        self.assertEqual(self.keygen("--show", self.path("key")), "token-key 7\n")
        drawn = [self.keygen(self.path(f"drawn{i}"), "--token-key") for i in range(2)]
        self.assertNotEqual(drawn[0], drawn[1])

    def test_keygen_never_overwrites(self):
        self.keygen(self.path("identity"))
        with open(self.path("identity"), "rb") as file:
            before = file.read()
        for options in ((), ("--token-key",)):
            self.refuse("keygen", self.path("identity"), *options, code=REFUSED,
                        says=(self.path("identity"), "exists"))
        with open(self.path("identity"), "rb") as file:
            self.assertEqual(file.read(), before)

    def test_keygen_says_what_is_wrong(self):
        path = self.path("none")
        self.refuse("keygen", "--show", path, code=USAGE, says=(path,))
        self.refuse("keygen", self.path("no", "folder"), code=MACHINE, says=("folder",))
        self.refuse("keygen", "--token-key", "--id", "0", path, code=USAGE, says=("--id", "'0'"))
        self.refuse("keygen", "--token-key", "--id", "4294967296", path, code=USAGE, says=("--id",))
        self.refuse("keygen", "--id", "7", path, code=USAGE, says=("--token-key",))
        self.refuse("keygen", code=USAGE, says=("FILE",))
        self.refuse("keygen", path, path, code=USAGE, says=("one FILE",))
        self.assertFalse(os.path.exists(path))
        with open(path, "w", encoding="ascii") as file:
            file.write("lockstep identity 1\n")
        os.chmod(path, 0o600)
        self.refuse("keygen", "--show", path, code=CORRUPT, says=(path, "neither"))
        os.chmod(path, 0o644)
        self.refuse("keygen", "--show", path, code=REFUSED, says=("chmod 600",))

    def test_issue_and_show(self):
        server_key = self.keygen(self.path("identity")).split()[1]
        self.keygen(self.path("key"), "--token-key", "--id", "7")
        out, _ = self.issue("--room", "lobby", "--server", f"127.0.0.1:7001#{server_key}",
                            "--server", "localhost:7002", "--lifetime", "2h")
        self.assertEqual(out, f"issued {self.path('pass')}\n")
        self.assertEqual(stat.S_IMODE(os.stat(self.path("pass")).st_mode), 0o600)
        lines = self.show()
        self.assertEqual(lines["key-id"], "7")
        self.assertRegex(lines["expiry"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
        self.assertRegex(lines["state"], r"^good for 7(200|1\d\d) s$")
        self.assertEqual(lines["server"], "127.0.0.1:7001 127.0.0.1:7002")
        self.assertEqual(lines["server-key"], server_key)
        self.assertFalse([name for name in lines if name.startswith("sealed")])
        lines = self.show("--key", self.path("key"))
        self.assertRegex(lines["sealed token-id"], r"^[0-9a-f]{32}$")
        self.assertEqual(lines["sealed client"], "ada")
        self.assertEqual(lines["sealed room"], "lobby")
        self.assertEqual(lines["sealed rights"], "play spectate")
        self.assertEqual(lines["sealed server"], "127.0.0.1:7001 127.0.0.1:7002")
        self.assertEqual(lines["sealed server-key"], server_key)
        self.assertEqual(lines["sealed simulation"], "(any)")

    def enter(self, server, at, code=GOOD):
        """Joins with a new pass for a server at `at`; returns stderr."""
        name = f"pass-{len(os.listdir(self.folder))}"
        _, warning = self.issue("--server", at, output=name)
        self.assertIn("without a #KEY", warning)
        return self.join(server, "--token", self.path(name), "--ticks", "2", code=code)[1]

    def test_a_pass_for_another_address(self):
        self.keygen(self.path("key"), "--token-key")
        options = ("--token-key", self.path("key"), "--require-token", "--tick-rate", "100")
        server = self.serve(*options)
        err = self.enter(server, f"127.0.0.1:{server.port ^ 1}", code=REFUSED)
        self.assertIn("is for a server at another address", err)
        server.wait_line(r'^auth_rejected address=\S+ client="ada" reason="the connect token is for a server at another',
                         server.log)
        self.enter(server, server.host_port)
        server = self.serve(*options, "--address", "203.0.113.9:7777", "--address",
                            "203.0.113.9:7778")
        self.assertIn("another address", self.enter(server, server.host_port, code=REFUSED))
        for port in (7777, 7778):
            self.enter(server, f"203.0.113.9:{port}")
        server = self.serve(*options, "--bind", "0.0.0.0")
        self.enter(server, "203.0.113.9:7777")  # the server knows no address of its own, so it compares none

    def test_serve_says_what_is_wrong_with_an_address(self):
        serve = ("serve", "--sim", "skirmish", "--bind", "127.0.0.1", "--port", "0",
                 "--identity", self.path("identity"))
        for text in ("203.0.113.9", "203.0.113.9:7777#KEY", "203.0.113.9:99999"):
            self.refuse(*serve, "--address", text, code=USAGE, says=("--address", text[-5:]))
        self.refuse(*serve, "--address", "[::g]:7777", code=MACHINE, says=("--address", "no address found"))
        out = self.command(*serve, *["--address", "203.0.113.9:1"] * 5, code=USAGE)[1]
        self.assertIn("at most 4", out)

    def test_serve_refuses_two_keys_of_one_id(self):
        serve = ("serve", "--sim", "skirmish", "--bind", "127.0.0.1", "--port", "0",
                 "--identity", self.path("identity"), "--wait", "0", "--ticks", "1")
        for name, number in (("old", "7"), ("new", "7"), ("other", "8")):
            self.keygen(self.path(name), "--token-key", "--id", number)
        old, new, other = (("--token-key", self.path(name)) for name in ("old", "new", "other"))
        self.refuse(*serve, *old, *other, *new, code=USAGE,
                    says=(self.path("old"), self.path("new"), "the id 7", "keygen"))
        self.refuse(*serve, *other, *other, code=USAGE, says=(self.path("other"), "the id 8"))
        self.command(*serve, *old, *other)

    def test_pass_for_anywhere(self):
        self.keygen(self.path("key"), "--token-key")
        self.issue("--spectate-only", client="Zähring")
        lines = self.show("--key", self.path("key"))
        self.assertEqual(lines["sealed client"], "Zähring")
        self.assertEqual(lines["sealed rights"], "spectate")
        for name in ("room", "server", "server-key"):
            self.assertEqual(lines[f"sealed {name}"], "(any)")
        self.assertNotIn("server", lines)
        self.assertRegex(lines["state"], r"^good for (60|[1-5]\d) s$")

    def test_no_two_passes_are_alike(self):
        self.keygen(self.path("key"), "--token-key")
        self.issue()
        self.issue(output="second")
        ids = [self.show("--key", self.path("key"), name=name)["sealed token-id"]
               for name in ("pass", "second")]
        self.assertNotEqual(*ids)

    def test_other_keys_do_not_open(self):
        self.keygen(self.path("key"), "--token-key", "--id", "7")
        self.issue()
        for number, says in (("8", "not sealed with"), ("7", "forged or damaged")):
            other = self.path("other" + number)
            self.keygen(other, "--token-key", "--id", number)
            self.refuse("token", "show", self.path("pass"), "--key", other, code=CORRUPT,
                        says=(says,))

    def test_damaged_pass(self):
        self.keygen(self.path("key"), "--token-key")
        self.issue()
        path = self.path("pass")
        with open(path, "rb") as file:
            text = file.read()
        for damaged in (text[:-1], text + b"\n", b"", text.replace(b"pass 1", b"pass 2"),
                        text[:40] + b"\xff" + text[41:]):
            with open(path, "wb") as file:
                file.write(damaged)
            self.refuse("token", "show", path, code=CORRUPT, says=(path,))
        os.chmod(path, 0o640)
        self.refuse("token", "show", path, code=REFUSED, says=("chmod 600",))

    def test_issue_says_what_is_wrong(self):
        key, path = self.path("key"), self.path("pass")
        good = ("token", "issue", "--key", key, "--client", "ada", "-o", path)
        self.refuse(*good, code=USAGE, says=(key, "keygen --token-key"))
        first = self.keygen(self.path("first")).split()[1]
        second = self.keygen(self.path("second")).split()[1]
        self.refuse("token", "issue", "--key", self.path("first"), "--client", "ada", "-o", path,
                    code=CORRUPT, says=("matchmaker's key",))
        self.keygen(key, "--token-key")
        self.refuse(*good, "--server", f"127.0.0.1#{first}", "--server", f"127.0.0.2#{second}",
                    code=USAGE, says=("two keys",))
        self.refuse(*good, "--server", "127.0.0.1:99999", code=USAGE, says=("99999",))
        self.refuse(*good, "--server", "[::g]:7777", code=MACHINE, says=("no address found", "::g"))
        self.refuse(*good, *["--server", "127.0.0.1"] * 5, code=USAGE, says=("4 times",))
        for lifetime in ("", "s", "0s", "-1s", "60", "1d", "25h", "86401s", "1441m", "9" * 30 + "s"):
            self.refuse(*good, "--lifetime", lifetime, code=USAGE, says=("--lifetime", "24h"))
        for name in ("client", "room"):
            for text in ("", "c" * 33, "a\nb"):
                self.refuse(*good, f"--{name}", text, code=USAGE, says=(f"--{name}", "32 bytes"))
        self.assertFalse(os.path.exists(path))
        self.issue("--lifetime", "24h")
        self.refuse(*good, code=REFUSED, says=(path, "exists"))

    def test_wrong_words(self):
        for arguments, says in ((("isue",), "did you mean 'issue'"),
                                (("show",), "FILE is missing"), (("show", "a", "b"), "'b'"),
                                (("show", "a", "--room", "r"), "unknown option '--room'"),
                                (("issue",), "--key is missing"),
                                (("issue", "--key", "k"), "--client NAME is missing"),
                                (("issue", "--key", "k", "--client", "c"), "--output FILE is missing"),
                                (("issue", "a"), "'a'")):
            self.refuse("token", *arguments, code=USAGE, says=(says,))


main()
