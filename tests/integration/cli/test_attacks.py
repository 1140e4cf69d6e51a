"""Attack table rows about the process: killed, without memory, files or descriptors, or with a port or key that
it cannot use. Test numbers are rows of docs/security.md."""
import os
import re
import resource
import signal
import socket
import subprocess
import unittest

from case import BINARY, GOOD, MACHINE, REFUSED, TIMEOUT_S, Case, Server, is_sanitized, main


class Attacks(Case):
    def limited(self, limit, value, *arguments):
        """Runs a command under a resource limit; returns (exit code, stderr)."""
        done = subprocess.run([BINARY, *arguments], cwd=self.folder, capture_output=True, text=True,
                              timeout=TIMEOUT_S, check=False,
                              preexec_fn=lambda: resource.setrlimit(limit, (value, value)))
        return done.returncode, done.stderr

    def options(self, *more):
        return ("serve", "--sim", "skirmish", "--bind", "127.0.0.1", "--port", "0",
                "--identity", self.path("identity"), *more)

    def test_attack_43_a_recording_that_cannot_grow(self):
        """The match continues to its end in another file, the log reports it, and everything verifies."""
        server = subprocess.Popen(
            [BINARY, *self.options("--record", self.path("recordings"), "--wait", "0", "--ticks",
                                   "400", "--tick-rate", "60")],
            cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000)))
        out, log = server.communicate(timeout=TIMEOUT_S)
        self.assertIn("ended tick=400", out, log)
        segments = re.findall(r"^segment tick=(\d+) name=\"?(\S+?\.(\d+)\.lsr)", log, re.MULTILINE)
        self.assertEqual(segments[0][2], "1", log)
        self.assertEqual(len(re.findall(r"^recording_failed ", log, re.MULTILINE)),
                         1 + len(segments), log)
        first = segments[0][1].replace(".1.lsr", ".lsr")
        for path in [first, *(segment[1] for segment in segments)]:
            self.assertLessEqual(os.path.getsize(path), 3000)
            self.assertGreater(self.verified_ticks(path), 10)

    def test_attack_47_a_killed_server_is_taken_up(self):
        """The port is free at once, and the clients rejoin the same match by themselves."""
        server = self.serve("--wait", "2", "--tick-rate", "20")
        bots = self.start_join(server, "--bots", "2", "--ticks", "400")
        tick = int(server.wait_line(r"^tick ([4-9]\d|[1-9]\d\d+)  ", server.lines).group(1))
        port = server.port
        server.process.kill()
        self.assertEqual(server.wait(), -signal.SIGKILL)
        again = Server(self.folder, "--resume", self.path("recordings"), "--port", str(port))
        self.servers.append(again)
        self.assertEqual(again.port, port)
        restored = again.wait_line(r"^restored tick=(\d+) epoch=1 ", again.log)
        self.assertGreaterEqual(int(restored.group(1)), tick)
        self.end(bots, GOOD)
        self.assertEqual(again.stop(), GOOD)
        self.assertIn("desyncs=0", again.text())
        self.assertNotIn("desync tick=", again.text())
        self.assertGreater(self.verified_ticks(self.recording()), int(restored.group(1)))

    @unittest.skipIf(is_sanitized(), "a sanitizer needs more addresses than the limits leave")
    def test_attack_50_too_little_memory(self):
        """The command exits with one line instead of a silent crash."""
        seen = set()
        for megabytes in (6, 12, 24, 48, 96, 192):
            code, err = self.limited(resource.RLIMIT_AS, megabytes << 20,
                                     *self.options("--wait", "0", "--ticks", "3"))
            seen.add(code)
            if code != 0:
                self.assertTrue(err.strip(), f"{megabytes} MB: exit {code} in silence")
                self.assertNotEqual(code, -signal.SIGSEGV)
            if code == MACHINE:
                self.assertEqual(len(err.splitlines()), 1, err)
        self.assertIn(MACHINE, seen)
        self.assertIn(GOOD, seen)
        code, err = self.limited(resource.RLIMIT_AS, 4 << 30,
                                 *self.options("--wait", "0", "--ticks", "3"))
        self.assertEqual(code, 0, err)

    def test_attack_52_no_descriptors(self):
        self.serve("--ticks", "1").stop()  # creates the identity
        codes = []
        for count in range(3, 12):
            code, err = self.limited(resource.RLIMIT_NOFILE, count,
                                     *self.options("--wait", "0", "--ticks", "3", "--record",
                                                   self.path("more")))
            codes.append(code)
            if code != 0:
                self.assertTrue(err.strip(), f"{count} descriptors: exit {code} in silence")
                self.assertGreater(code, 0, err)
            if code == MACHINE:
                self.assertIn("Too many open files", err)
        self.assertIn(MACHINE, codes)
        self.assertEqual(codes[-1], 0, codes)

    def test_attack_52_the_port_is_taken(self):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
            other.bind(("127.0.0.1", 0))
            port = other.getsockname()[1]
            self.refuse("serve", "--sim", "skirmish", "--bind", "127.0.0.1", "--port", str(port),
                        "--identity", self.path("identity"), code=MACHINE,
                        says=(str(port), "taken"))

    def test_attack_53_the_key_file(self):
        """If others can read the file, if it is no file, or if it is cut off, the server does not start."""
        path = self.path("identity")
        self.serve("--ticks", "1").stop()
        for mode in (0o640, 0o604, 0o666):
            os.chmod(path, mode)
            self.refuse(*self.options(), code=REFUSED, says=("chmod",))
        os.chmod(path, 0o600)
        os.truncate(path, os.path.getsize(path) - 1)
        self.refuse(*self.options(), code=4, says=("identity",))
        os.remove(path)
        os.mkdir(path)
        code, err = self.limited(resource.RLIMIT_NOFILE, 64, *self.options("--ticks", "1"))
        self.assertGreater(code, 0, err)
        os.rmdir(path)
        for name in ("token", "password"):
            self.assertNotEqual(self.limited(resource.RLIMIT_NOFILE, 64, *self.options(
                f"--{name}-{'key' if name == 'token' else 'file'}", self.path("missing")))[0], 0)


main()
