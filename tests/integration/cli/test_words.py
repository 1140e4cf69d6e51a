"""Wrong arguments get a helpful message and the documented exit code; also tests `run` and related commands."""
import json
import os
import re
import subprocess

from case import BINARY, DIVERGED, GOOD, MACHINE, USAGE, Case, main, tiny

LISTING_3 = (
    "Pos→{e0 ↦ Pos 1, e1 ↦ Pos 7, e2 ↦ Pos 9} :+ Vel→{e0 ↦ Vel 6, e2 ↦ Vel (-2)} :+ "
    "Metadata {nextFresh = e3}\n"
    "Pos→{e1 ↦ Pos 7, e2 ↦ Pos 7, e3 ↦ Pos 7} :+ Vel→{e1 ↦ Vel 3, e2 ↦ Vel (-2), e3 ↦ Vel (-3)} "
    ":+ Metadata {nextFresh = e4}\n"
    "Pos→{e1 ↦ Pos 10, e2 ↦ Pos 5, e3 ↦ Pos 4} :+ Vel→{e1 ↦ Vel 3, e2 ↦ Vel (-2), e3 ↦ Vel (-3)} "
    ":+ Metadata {nextFresh = e4}\n")


class Words(Case):
    def test_output_that_cannot_be_written(self):
        for arguments in (("--help",), ("--version",), ("sims",), ("run", "--help"),
                          ("run", "--sim", "toyphys", "--ticks", "50", "--print"),
                          ("run", "--sim", "toyphys", "--ticks", "5")):
            with open("/dev/full", "w", encoding="ascii") as full:
                done = subprocess.run([BINARY, *arguments], stdout=full, stderr=subprocess.PIPE,
                                      text=True, check=False)
            self.assertEqual(done.returncode, MACHINE, arguments)
            self.assertRegex(done.stderr, r"\Alockstep: [^\n]*stdout[^\n]*\n\Z")

    def test_a_log_that_cannot_be_written(self):
        """The match continues to its end; then a line says that the log is incomplete."""
        says = ("the log /dev/full is incomplete", "--log FILE")
        server = self.serve("--log", "/dev/full", "--ticks", "30", "--tick-rate", "60", "--quiet")
        join = self.start_join(server, "--log", "/dev/full")
        out, err = self.end(join, MACHINE)
        self.assertEqual(server.wait(), MACHINE)
        for text, command in ((err, "join"), ("\n".join(server.log), "serve")):
            lines = re.findall(rf"(?m)^lockstep {command}: (.*)$", text)
            self.assertEqual(len(lines), 1, text)
            for words in says:
                self.assertIn(words, lines[0])
        self.assertIn("ended tick=30", server.text())
        self.assertIn("tick 30", out)

    def test_unknown_command_suggests_the_nearest(self):
        self.assertIn("did you mean 'verify'", self.command("vrify", code=USAGE)[1])
        self.assertNotIn("did you mean", self.command("xylophone", code=USAGE)[1])
        self.command(code=USAGE)

    def test_a_stray_argument_is_named(self):
        err = self.command("run", "games/mine.so", code=USAGE)[1]
        self.assertIn("unexpected argument 'games/mine.so'; name a simulation by --sim "
                      "games/mine.so", err)
        err = self.command("serve", "mine", code=USAGE)[1]
        self.assertIn("unexpected argument 'mine'\n", err)

    def test_wrong_options_are_usage(self):
        for arguments in (("run", "--tikcs", "3"), ("run",), ("run", "--sim", "toyphys", "--ticks",
                          "-3"), ("run", "--sim", "toyphys", "--ticks", "3x"), ("verify",),
                          ("verify", "--jobs", "0", "a"), ("join", "--sim", "toyphys"),
                          ("join",), ("serve",),
                          ("serve", "--sim", "toyphys", "--port", "65536"), ("schedule", "list"),
                          ("run", "--sim", "toyphys", "--threads", "0"),
                          ("run", "--sim", "skirmish", "--set", "units"),
                          ("serve", "--sim", "toyphys", "--wait", "5", "--port", "0", "--identity",
                           self.path("identity")),
                          ("join", "host:99999", "--sim", "toyphys")):
            _, err = self.command(*arguments, code=USAGE)
            self.assertTrue(err.startswith(f"lockstep {arguments[0]}"), err)

    def test_options_that_do_not_go_together_are_named(self):
        for arguments, named in (
                (("relay", "--to", "127.0.0.1:1", "--burst", "50"), "--loss"),
                (("join", "127.0.0.1:1", "--relay-burst", "50"), "--relay-loss"),
                (("serve", "--sim", "toyphys", "--rooms", "5", "--rooms-max", "2"), "--rooms-max"),
                (("serve", "--healthcheck", "--port", "0"), "--port")):
            self.assertIn(named, self.command(*arguments, code=USAGE)[1])

    def test_wrong_thread_counts_name_the_range(self):
        for threads in ("0", "65", "1000", "-1", "two"):
            self.refuse("run", "--sim", "toyphys", "--threads", threads, code=USAGE,
                        says=("threads", threads, "1 to 64"))

    def test_unknown_names(self):
        self.refuse("run", "--sim", "skrimish", code=USAGE,
                    says=("'skrimish'", "did you mean 'skirmish'", "toyphys", "./NAME.so"))
        self.refuse("run", "--sim", "skirmish", "--set", "unts=3", code=USAGE,
                    says=("no option 'unts'", "units"))
        self.refuse("run", "--sim", "skirmish", "--units", "-1", code=USAGE, says=("units", "-1"))

    def test_toyphys_prints_the_papers_listing(self):
        out, err = self.command("run", "--sim", "toyphys", "--ticks", "3", "--print")
        self.assertEqual(out, LISTING_3)
        self.assertEqual(err, "")

    def test_run_prints_one_component(self):
        run = ("run", "--sim", "toyphys", "--ticks", "3")
        out, _ = self.command(*run, "--print", "--component", "Vel")
        self.assertEqual(out, "".join(re.search(r"Vel→{.*?}", line).group() + "\n"
                                      for line in LISTING_3.splitlines()))
        self.refuse(*run, "--print", "--component", "Vil", code=USAGE, says=("'Vil'", "Vel"))
        self.refuse(*run, "--component", "Vel", code=USAGE, says=("--component goes with --print",))

    def test_run_prints_the_last_state_as_json(self):
        out, err = self.command("run", "--sim", "toyphys", "--ticks", "3", "--state")
        state = json.loads(out)
        self.assertEqual((state["simulation"], state["tick"]), ("toyphys", "3"))
        self.assertEqual(state["components"]["Pos"]["bodies/1:1"], {"at": 13})
        self.assertEqual(err, "")
        self.refuse("run", "--sim", "toyphys", "--state", "--json", code=USAGE,
                    says=("--print, --state and --json exclude each other",))

    def test_run_agrees_with_itself(self):
        common = ("run", "--sim", "skirmish", "--bots", "--ticks", "200", "--seed", "9")
        last = {self.command(*common, *more)[0].splitlines()[-1]
                for more in ((), ("--threads", "2"), ("--shuffle", "5"), ("--shuffle", "5", "--threads", "3"),
                             ("--roundtrip",), ("--check",))}
        self.assertEqual(len(last), 1, last)
        found = re.match(r"root=([0-9a-f]{16}) ticks=200 digest=([0-9a-f]{16})", last.pop())
        result = json.loads(self.command(*common, "--json")[0])
        self.assertEqual((result["root"], result["digest"]), found.groups())
        other = self.command(*common[:-1], "10")[0]
        self.assertNotIn(found.group(2), other)

    def test_a_check_finds_what_is_not_in_the_world(self):
        self.command("run", "--sim", tiny("hidden"), "--ticks", "3")
        for name in (tiny("good"), "toyphys"):
            self.command("run", "--sim", name, "--ticks", "30", "--check")
        self.refuse("run", "--sim", tiny("hidden"), "--ticks", "3", "--check", code=DIVERGED,
                    says=('tick 0: system "add" depends on what is not in the world', "Sum.total is "))
        for more in (("--threads", "2"), ("--shuffle", "3")):
            self.refuse("run", "--sim", "toyphys", "--check", *more, code=USAGE,
                        says=("--check runs on one thread",))

    def test_lists(self):
        out, _ = self.command("sims")
        self.assertRegex(out, r"(?m)^skirmish .*\n.*ticks a second")
        self.assertIn("--set units=", out)
        out, _ = self.command("schedule", "--sim", "skirmish")
        self.assertIn("waits for", out)
        self.assertEqual(self.command("schedule", "list", "--sim", "skirmish")[0], out)

    def test_a_check_of_a_schedule(self):
        out, _ = self.command("schedule", "check", "--sim", "skirmish")
        self.assertRegex(out, r"(?m)^skirmish: builds, nothing is ambiguous, \d+ hints?$")
        report = json.loads(self.command("schedule", "check", "--sim", "skirmish", "--json")[0])
        self.assertTrue(report["builds"])
        self.assertEqual(report["edges"], [])
        self.refuse("schedule", "chuck", "--sim", "skirmish", code=2,
                    says=("unknown action 'chuck', did you mean 'check'",))
        self.refuse("schedule", "--json", "--sim", "skirmish", code=2, says=("unknown option '--json'",))

    def test_a_place_that_cannot_be_written(self):
        common = ("serve", "--sim", "toyphys", "--port", "0", "--bind", "127.0.0.1")
        with open(self.path("file"), "w", encoding="ascii"):
            pass
        identity = ("--identity", self.path("identity"))
        self.refuse(*common, *identity, "--record", self.path("file"), code=MACHINE,
                    says=("file", "exists", "--record"))
        self.refuse(*common, *identity, "--record", "/proc/foo", code=MACHINE,
                    says=("/proc/foo", "--record", "a folder that this user can"))
        self.refuse("serve", "--sim", "toyphys", "--port", "0", "--bind", "1.2.3.4", *identity,
                    code=MACHINE, says=("1.2.3.4", "address of this machine"))
        self.refuse(*common, *identity, "--log", self.path("no/such/log"), code=MACHINE,
                    says=("no/such/log", "a folder that is there"))
        self.refuse(*common, "--identity", self.path("no/such/identity"), code=MACHINE,
                    says=("no/such/identity",))

    def test_an_identity_that_others_can_read(self):
        path = self.path("identity")
        self.serve("--ticks", "1").stop()
        os.chmod(path, 0o644)
        _, err = self.command("serve", "--sim", "toyphys", "--port", "0", "--identity", path,
                              code=6)
        self.assertIn("chmod", err)
        _, err = self.refuse("serve", "--sim", "toyphys", "--port", "0", "--identity",
                             "/etc/passwd", code=4, says=("/etc/passwd", "not an identity"))
        self.assertNotIn("chmod", err)

    def test_two_servers_of_one_second_and_seed(self):
        servers = [self.start("serve", "--sim", "toyphys", "--bind", "127.0.0.1", "--port", "0",
                              "--identity", self.path("identity"), "--seed", "5", "--wait", "0",
                              "--ticks", "3", "--record", self.path("recordings"))
                   for _ in range(6)]
        for server in servers:
            self.end(server, GOOD)
        names = os.listdir(self.path("recordings"))
        self.assertEqual(len(names), 6, names)
        self.assertTrue(all(name.endswith(".lsr") for name in names), names)

    def test_a_home_that_cannot_be(self):
        with open(self.path("home"), "w", encoding="ascii"):
            pass
        done = subprocess.run([BINARY, "join", "127.0.0.1:1"], stderr=subprocess.PIPE, text=True,
                              env={"HOME": self.path("home")}, check=False)
        self.assertEqual(done.returncode, MACHINE)
        self.assertIn("--known-servers FILE", done.stderr)

    def test_a_server_without_a_place_for_its_key(self):
        """With a new key for each run, returning players would refuse the server, so it must be requested."""
        serve = (BINARY, "serve", "--sim", "toyphys", "--bind", "127.0.0.1", "--port", "0", "--wait", "0",
                 "--ticks", "1")
        no_home = {key: value for key, value in os.environ.items()
                   if key not in ("HOME", "XDG_CONFIG_HOME")}
        done = subprocess.run(serve, stderr=subprocess.PIPE, text=True, env=no_home, check=False)
        self.assertEqual(done.returncode, MACHINE, done.stderr)
        for text in ("HOME is not set", "--identity FILE", "--temporary-identity"):
            self.assertIn(text, done.stderr)
        done = subprocess.run((*serve, "--temporary-identity"), stderr=subprocess.PIPE,
                              stdout=subprocess.PIPE, text=True, env=no_home, check=False)
        self.assertEqual(done.returncode, GOOD, done.stderr)
        self.assertIn("identity_temporary ", done.stderr)
        self.refuse("serve", "--sim", "toyphys", "--identity", "x", "--temporary-identity", code=USAGE,
                    says=("--identity", "--temporary-identity"))

    def test_output_that_is_never_read(self):
        self.assertEqual(os.system(f"'{BINARY}' run --sim skirmish --print --ticks 50 | head -c 1 "
                                   ">/dev/null"), GOOD)


main()
