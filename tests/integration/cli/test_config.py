"""serve --config, variables LOCKSTEP_SERVE_*, and --print-config."""
import os

from case import CORRUPT, GOOD, MACHINE, USAGE, Case, main

PREFIX = "LOCKSTEP_SERVE_"


class Config(Case):
    def setUp(self):
        super().setUp()
        for name in [name for name in os.environ if name.startswith(PREFIX)]:
            del os.environ[name]
        self.addCleanup(self.forget)

    def forget(self):
        for name in [name for name in os.environ if name.startswith(PREFIX)]:
            del os.environ[name]

    def write(self, text, name="serve.conf"):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return name

    def printed(self, *options):
        """The settings that are not comments, and the whole text."""
        text, err = self.command("serve", *options, "--print-config")
        self.assertEqual(err, "")
        return [line for line in text.splitlines() if line and line[0] != "#"], text

    def test_places_in_their_order(self):
        conf = self.write("# the file\nport = 1000\nrooms = 2\npeers = 300\nquiet = yes\npin = yes\n"
                          "token-key = a\ntoken-key = b\nset = units=5\n")
        os.environ[PREFIX + "ROOMS"] = "3"
        os.environ[PREFIX + "PEERS"] = "400"
        os.environ[PREFIX + "QUIET"] = "no"
        os.environ[PREFIX + "TOKEN_KEY"] = "c\nd\n"
        os.environ[PREFIX + "BIND"] = ""  # as not set
        lines, text = self.printed("--config", conf, "--peers", "500", "--set", "units=7", "--set", "speed=1")
        self.assertEqual(sorted(lines), sorted(["port = 1000", "rooms = 3", "peers = 500", "quiet = no", "pin = yes",
                                                "token-key = c", "token-key = d", "set = units=7", "set = speed=1"]))
        for default in ("# bind = ADDR", "# log = -", "# wait = 1", "# desync = resync", "# allow-pause = no",
                        "# workers = N", "# seed = N", "# keyframe-ticks = N|auto"):
            self.assertIn(default + "\n", text)
        os.environ[PREFIX + "CONFIG"] = conf
        self.assertEqual(self.printed("--peers", "500", "--set", "units=7", "--set", "speed=1")[0], lines)

    def test_printed_options_are_read_again(self):
        options = ("--sim", "skirmish", "--port", "0", "--rooms-max", "4", "--policy", "wait", "--allow-pause",
                   "--keep-bytes", "20G", "--record", "a b", "--address", "a:1", "--address", "b:2", "--set",
                   "units=-5", "--seed", "18446744073709551615", "--keyframe-ticks", "auto", "--log", "x#=y")
        lines, text = self.printed(*options)
        self.assertEqual(len(lines), 13)
        conf = self.write(text)
        again, text_again = self.printed("--config", conf)
        self.assertEqual((again, text_again), (lines, text))
        for option in ("config", "print-config", "healthcheck", "help"):
            self.assertNotRegex(text, rf"(?m)^#? ?{option} =")

    def test_what_is_wrong_has_its_place(self):
        for text, says in (("port = 7\nprot = 7\n", "serve.conf:2: unknown option 'prot', did you mean 'port'?"),
                           ("\n--port = 7\n", "serve.conf:2: unknown option '--port', did you mean 'port'?"),
                           ("port = x\n", "serve.conf:1: --port takes a number from 0 to 65535, not 'x'"),
                           ("policy = fast\n", "serve.conf:1: --policy is one of: pace, wait; not 'fast'"),
                           ("keep-bytes = 5 G\n", "serve.conf:1: --keep-bytes takes a number of bytes"),
                           ("quiet = true\n", "serve.conf:1: 'quiet' takes yes or no, not 'true'"),
                           ("port = 7\n\nport = 8\n", "serve.conf:3: 'port' is there already, on line 1"),
                           ("port\n", "serve.conf:1: 'port' is no setting"),
                           ("port =\n", "serve.conf:1: 'port' has no value"),
                           ("healthcheck = yes\n", "serve.conf:1: 'healthcheck' belongs on the command line"),
                           ("config = a\n", "serve.conf:1: 'config' belongs on the command line"),
                           ("help = yes\n", "serve.conf:1: 'help' belongs on the command line"),
                           ("usage = yes\n", "serve.conf:1: 'usage' belongs on the command line"),
                           ("port = 7 # a\n", "not '7 # a'; a comment needs a line of its own"),
                           ("rooms = 0\n", "serve.conf:1: --rooms 0 needs --rooms-max"),
                           ("port = 0\nset = units=20\n", "serve.conf:2: units=20 is out of range"),
                           ("port = 0\nunits = 20\n", "serve.conf:2: units=20 is out of range"),
                           ("port = 0\nkeep-days = 3\n", "serve.conf:2: --keep-days deletes recordings"),
                           ("set = units\n", "serve.conf:1: --set takes NAME=NUMBER, not 'units'")):
            with self.subTest(text):
                self.write(text)
                self.refuse("serve", "--sim", "skirmish", "--config", "serve.conf", code=USAGE, says=(says,))
        self.write("sim = skirmish # a comment\n")
        self.refuse("serve", "--config", "serve.conf", code=USAGE, says=(
            "serve.conf:1: unknown simulation 'skirmish # a comment'", "; a comment needs a line of its own"))
        self.write(f"sim = skirmish\nport = 0\nidentity = {self.path('serve.conf')}\n")
        _, err = self.command("serve", "--config", "serve.conf", code=CORRUPT)
        self.assertIn(f"serve.conf:3: {self.path('serve.conf')} is not an identity file", err)
        self.write("sim = skirmish\nlog = no/log\n")
        self.refuse("serve", "--config", "serve.conf", code=MACHINE, says=("serve.conf:2: cannot open the log no/log",))
        self.refuse("serve", "--config", "missing", code=USAGE, says=("--config: cannot read missing: No such file",))
        self.refuse("serve", "--config", "/dev/zero", code=USAGE, says=("longer than 65536 bytes",))
        for name, value, says in (("PROT", "7", "LOCKSTEP_SERVE_PROT: unknown option 'prot', did you mean 'port'?"),
                                  ("PORT", "tcp://10.0.0.1:7777", "LOCKSTEP_SERVE_PORT: --port takes a number"),
                                  ("ALLOW_PAUSE", "1", "LOCKSTEP_SERVE_ALLOW_PAUSE: 'allow-pause' takes yes or no"),
                                  ("HELP", "1", "LOCKSTEP_SERVE_HELP: 'help' belongs on the command line"),
                                  ("KEEP_FREE", "1G", "LOCKSTEP_SERVE_KEEP_FREE: --keep-free deletes recordings"),
                                  ("SERVICE_HOST", "10.0.0.1", "Kubernetes sets this and LOCKSTEP_SERVE_PORT for a Service"),
                                  ("PRINT_CONFIG", "yes", "'print-config' belongs on the command line")):
            with self.subTest(name):
                os.environ[PREFIX + name] = value
                self.refuse("serve", "--sim", "skirmish", code=USAGE, says=(says,))
                self.assertIn("Usage", self.command("serve", "--help")[0])  # help needs no right configuration
                self.command("sims")  # of other commands it is no configuration
                del os.environ[PREFIX + name]

    def test_a_server_runs_by_its_file(self):
        self.write("sim = skirmish\nticks = 40\nwait = 0\nquiet = yes\ntick-rate = 240\nbind = 127.0.0.1\n"
                   f"identity = {self.path('identity')}\nrecord = {self.path('recordings')}\n")
        os.environ[PREFIX + "PORT"] = "0"
        out, _ = self.command("serve", "--config", "serve.conf", code=GOOD)
        self.assertRegex(out, r"(?m)^ended tick=40 ")
        self.assertEqual(len(out.splitlines()), 3, out)
        self.assertTrue(self.recording())


main()
