"""`verify` on every kind of file, good and bad."""
import glob
import os
import re
import subprocess

from case import (BINARY, CORRUPT, DIVERGED, GOOD, INCOMPATIBLE, MACHINE, TINY, USAGE, Case, Server,
                  main, tiny)
from frames import record_types

TICKS = 150


class Recordings(Case):
    def make(self, sim="skirmish"):
        server = self.serve("--ticks", str(TICKS), "--wait", "2", "--tick-rate", "120", sim=sim)
        self.join(server, "--bots", "2", sim=sim)
        self.assertEqual(server.wait(), GOOD)
        self.assertRegex(server.text(), r"(?m)^recorded \S+ bytes=\d+$")
        return self.recording()

    def write(self, name, data):
        path = self.path(name)
        with open(path, "wb") as file:
            file.write(data)
        return path

    def test_old_matches_are_deleted(self):
        """A server deletes what an earlier one recorded, and nothing of its own match."""
        old = self.make()
        os.utime(old, (0, 0))
        with open(old, "rb") as file:
            data = file.read()
        torn = self.write("recordings/torn.lsr", data[:len(data) // 2])
        os.utime(torn, (0, 0))
        server = self.serve("--wait", "0", "--ticks", "40", "--keep-days", "30", "--keep-bytes", "1", "--keep-free", "1k")
        self.assertEqual(server.wait(), GOOD)
        self.assertRegex(server.text(), rf'recording_removed recording="{re.escape(old)}" files=1 bytes=\d+ limit=days')
        left = set(os.listdir(self.path("recordings")))
        self.assertNotIn(os.path.basename(old), left)
        self.assertIn("torn.lsr", left)
        self.assertEqual(len(left), 2, left)
        self.assertIn("retention_short", server.text())

    def test_a_command_gets_finished_recordings(self):
        command, seen = self.path("upload"), self.path("seen")
        with open(command, "w", encoding="utf-8") as file:
            file.write(f'#!/bin/sh\necho "$1" >>"{seen}"\n')
        os.chmod(command, 0o700)
        for options in (("--ticks", "30"), ()):  # it ends by itself, or with the server
            server = self.serve("--wait", "0", "--tick-rate", "60", "--on-finished", command, *options)
            server.wait_line(r"^start ", server.log)
            self.assertEqual(server.wait() if options else server.stop(), GOOD)
            self.assertNotIn("hook_failed", server.text())
        with open(seen, encoding="utf-8") as file:
            finished = file.read().splitlines()
        self.assertEqual(sorted(finished), sorted(glob.glob(self.path("recordings", "*.lsr"))))
        for path in finished:
            self.command("verify", path)
        server = self.serve("--wait", "0", "--ticks", "1", "--on-finished", "/bin/false")
        self.assertEqual(server.wait(), GOOD)
        self.assertRegex(server.text(), r'(?m)^hook_failed recording=".*\.lsr" reason="it ended with exit code 1" time=')
        self.refuse("serve", "--sim", "skirmish", "--on-finished", command, code=USAGE, says=("it needs --record DIR",))
        self.refuse("serve", "--sim", "skirmish", "--port", "0", "--temporary-identity", "--record", self.folder,
                    "--on-finished", "/no", code=USAGE, says=("cannot run /no: No such file",))

    def test_limits_that_are_none(self):
        for option, value, says in (("--keep-days", "0", "takes a number from 1 to"), ("--keep-bytes", "many", "such as 500M, 20G or 2T"),
                                    ("--keep-free", "5GB", "such as 500M, 20G or 2T")):
            self.refuse("serve", "--sim", "toyphys", "--record", "x", option, value, code=USAGE, says=(option, says))
        self.refuse("serve", "--sim", "toyphys", "--keep-free", "5G", code=USAGE, says=("--keep-free deletes recordings", "--record DIR"))

    def test_good_torn_and_damaged(self):
        path = self.make()
        with open(path, "rb") as file:
            data = file.read()
        self.assertRegex(os.path.basename(path), r"^skirmish-\d{8}-\d{6}-\d+\.lsr$")
        self.assertEqual(self.verified_ticks(path), TICKS)
        self.assertEqual(self.verified_ticks(path, "--threads", "2"), TICKS)

        for cut in (1, 10, len(data) // 2):
            torn = self.write("torn.lsr", data[:-cut])
            out, _ = self.command("verify", torn)
            ticks = int(re.search(r"verified ticks=(\d+)", out).group(1))
            self.assertLessEqual(ticks, TICKS)
            self.assertGreater(ticks, 0)
            self.assertIn("torn", out)

        with open("/dev/full", "w", encoding="ascii") as full:
            self.assertEqual(subprocess.run([BINARY, "verify", path], stdout=full, check=False,
                                            stderr=subprocess.DEVNULL).returncode, MACHINE)

        zeros = self.write("zeros.lsr", data + bytes(4096))
        self.assertEqual(self.verified_ticks(zeros), TICKS)

        middle = len(data) // 2
        flipped = self.write("flipped.lsr", data[:middle] + bytes([data[middle] ^ 1]) +
                             data[middle + 1:])
        out, err = self.refuse("verify", flipped, code=CORRUPT, says=("flipped.lsr",))
        self.assertRegex(out, r"verified ticks=\d+ before")

    def test_signatures_columns_and_keyframes_at_intervals(self):
        server = self.serve("--ticks", str(TICKS), "--wait", "2", "--tick-rate", "120",
                            "--keyframe-ticks", "20", "--column-ticks", "10", "--sign-ticks", "30",
                            "--sync-ticks", "15")
        self.join(server, "--bots", "2")
        self.assertEqual(server.wait(), GOOD)
        path = self.recording()
        out, _ = self.command("verify", path)
        key = server.address.split("#")[1]
        self.assertIn(f"signed through tick {TICKS - 1}, 0 unsigned, by the server {key}; --key checks", out)
        types = record_types(path)
        self.assertEqual(types.count(7), TICKS // 10)
        self.assertGreaterEqual(types.count(6), TICKS // 20 // 2)
        self.assertGreaterEqual(types.count(8), 3)

        # Without its end it is signed only up to the last signature.
        with open(path, "rb") as file:
            data = file.read()
        out, _ = self.command("verify", self.write("cut.lsr", data[:-100]))
        through, left = re.search(r"^signed through tick (\d+), (\d+) unsigned", out,
                                  re.MULTILINE).groups()
        self.assertGreater(int(left), 0)
        self.assertEqual(int(through) + 1 + int(left), TICKS)

        server = Server(self.folder, "--record", self.path("plain"), "--ticks", "30", "--wait", "0",
                        "--tick-rate", "120", "--keyframe-ticks", "0", "--column-ticks", "0")
        self.servers.append(server)
        self.assertEqual(server.wait(), GOOD)
        plain = os.listdir(self.path("plain"))
        self.assertEqual(set(record_types(self.path("plain", plain[0]))), {1, 2, 3, 8, 131})
        self.refuse("serve", "--sim", "skirmish", "--column-ticks", "3", code=USAGE,
                    says=("--column-ticks",))

    def test_late_roots_and_a_match_taken_up_again(self):
        path = self.make()
        none = str(10 ** 9)

        def again(lag, wrong):
            name = self.path(f"again-{lag}-{wrong}.lsr")
            subprocess.run([os.path.join(TINY, "re_record"), path, name, str(lag), str(wrong)],
                           check=True)
            return name

        for lag in (0, 1, 63, 64, 65, 100, 10 * TICKS):
            out, _ = self.command("verify", again(lag, none))
            self.assertIn(f"verified ticks={TICKS} ", out)
            self.assertIn(f"resumed tick={(TICKS + 1) // 2} epoch=1 unix_s=1700000000\n", out)
            # A wrong root names its own tick, even if it is recorded some ticks later.
            for wrong in (1, 40, TICKS // 2, TICKS - 1, TICKS):
                _, err = self.command("verify", again(lag, wrong), code=DIVERGED)
                self.assertIn(f" diverged in tick {wrong - 1}: expected root ", err)

    def test_files_that_are_no_recordings(self):
        self.refuse("verify", self.path("no.lsr"), code=USAGE, says=("no.lsr",))
        self.refuse("verify", self.folder, code=USAGE, says=(self.folder, "folder"))
        self.refuse("verify", "/dev/null", code=USAGE, says=("/dev/null",))
        for name, data in (("empty.lsr", b""), ("text.lsr", b"hello, world\n" * 50),
                           ("zeros.lsr", bytes(1000)), ("short.lsr", b"\x00")):
            self.refuse("verify", self.write(name, data), code=CORRUPT, says=(name,))

    def test_another_version_is_refused_unless_asked_for(self):
        path = self.make(sim=tiny("good"))
        self.refuse("verify", path, "--sim", tiny("other"), code=INCOMPATIBLE, says=("tiny",))
        self.refuse("verify", path, "--sim", "skirmish", code=INCOMPATIBLE, says=("skirmish",))
        _, err = self.command("verify", path, "--sim", tiny("other"), "--any-build", code=DIVERGED)
        self.assertIn("warning", err)
        self.assertRegex(err, r"diverged before the first tick: expected root [0-9a-f]{16}, "
                              r"found [0-9a-f]{16}; ")


main()
