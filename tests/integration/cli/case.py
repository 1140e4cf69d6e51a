"""Shared by the process tests: a temporary folder, the binary, servers, and functions that wait."""
import contextlib
import glob
import os
import queue
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

BINARY = os.environ["LOCKSTEP"]
TINY = os.environ["LOCKSTEP_TINY"]
SHIM = os.path.join(TINY, "libfaulty_disk.so")  # a disk that fails
EXAMPLES = os.environ.get("LOCKSTEP_EXAMPLES", "")
GOOD, DIVERGED, USAGE, INCOMPATIBLE, CORRUPT, MACHINE, REFUSED, CRASHED, HUNG, FAILED = range(10)
TIMEOUT_S = 240  # only catches hangs: a sanitizer on a busy machine is slow
# By default the thread sanitizer makes a process that ends by a signal sleep for a second.
os.environ["TSAN_OPTIONS"] = "atexit_sleep_ms=0 " + os.environ.get("TSAN_OPTIONS", "")


def is_sanitized(*which):
    """True if the binary has one of the named sanitizers, by default any that maps terabytes of addresses."""
    with open(BINARY, "rb") as file:
        program = file.read()
    return any(f"__{name}_init".encode() in program for name in which or ("asan", "tsan"))


def can_mount():
    if not shutil.which("unshare"):
        return False
    done = subprocess.run(["unshare", "-rm", "mount", "-t", "tmpfs", "none", "/mnt"], check=False,
                          capture_output=True)
    return done.returncode == 0


def tiny(fault):
    return os.path.join(TINY, f"tiny_{fault}.so")


class Server:
    """A running `lockstep serve`. Threads collect its output lines as they are printed."""

    def __init__(self, folder, *options, sim="skirmish", is_recording=True, launcher=(), binary=BINARY):
        self.lines, self.log = [], []
        self._fresh = queue.Queue()
        self.process = subprocess.Popen(
            [*launcher, binary, "serve", "--sim", sim, "--bind", "127.0.0.1", "--port", "0",
             "--identity", os.path.join(folder, "identity"),
             *(("--record", os.path.join(folder, "recordings")) if is_recording else ()), *options],
            cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self._threads = [threading.Thread(target=self._read, args=pair, daemon=True)
                         for pair in ((self.process.stdout, self.lines),
                                      (self.process.stderr, self.log))]
        for thread in self._threads:
            thread.start()
        try:
            self.address = self.wait_line(r"^listening (\S+)$", self.lines).group(1)
        except AssertionError:
            self.process.kill()
            raise
        self.host_port = self.address.split("#")[0]
        self.port = int(self.host_port.rsplit(":", 1)[1])

    def _read(self, stream, lines):
        for line in stream:
            lines.append(line.rstrip("\n"))
            self._fresh.put(None)

    def wait_line(self, pattern, lines, timeout_s=TIMEOUT_S, count=1):
        """Waits until so many lines match the pattern; returns the last match."""
        end = time.monotonic() + timeout_s
        while True:
            found = list(filter(None, (re.search(pattern, line) for line in list(lines))))
            if len(found) >= count:
                return found[count - 1]
            if time.monotonic() > end:
                raise AssertionError(f"no line matches {pattern}:\n" + self.text())
            try:
                self._fresh.get(timeout=0.1)
            except queue.Empty:
                if self.process.poll() is not None and not any(
                        thread.is_alive() for thread in self._threads):
                    end = 0

    def text(self):
        return "\n".join(self.lines + self.log)

    def wait(self, timeout_s=TIMEOUT_S):
        code = self.process.wait(timeout_s)
        for thread in self._threads:
            thread.join(timeout_s)
        self.process.stdout.close()
        self.process.stderr.close()
        return code

    def stop(self, number=signal.SIGTERM):
        if self.process.poll() is None:
            self.process.send_signal(number)
        return self.wait()

    def waited_s(self):
        """The time for which its threads have waited for a processor, as a sum."""
        waited_ns = 0
        for name in glob.glob(f"/proc/{self.process.pid}/task/*/schedstat"):
            with contextlib.suppress(OSError):  # the thread has ended
                with open(name, encoding="ascii") as file:
                    waited_ns += int(file.read().split()[1])
        return waited_ns / 1e9

    def cpu_s(self):
        with open(f"/proc/{self.process.pid}/stat", encoding="ascii") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class FaultyServer(Server):
    """`lockstep serve` on a failing disk. `fault` is (call, errno, number of the first failing call, count)."""

    def __init__(self, folder, fault, *options, **server):
        os.environ["FAULTY_DISK"] = "{} {} {} {}".format(*fault)
        os.environ["LD_PRELOAD"] = SHIM
        try:
            super().__init__(folder, *options, **server)
        finally:
            del os.environ["LD_PRELOAD"], os.environ["FAULTY_DISK"]


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="lockstep-cli-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.servers = []
        self.addCleanup(self._end_servers)

    def _end_servers(self):
        for server in self.servers:
            if server.process.poll() is None:
                server.process.kill()
                server.wait()

    def path(self, *parts):
        return os.path.join(self.folder, *parts)

    def start(self, *arguments):
        return subprocess.Popen([BINARY, *arguments], cwd=self.folder, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def end(self, process, code, timeout_s=TIMEOUT_S):
        """Waits until a started command ends; asserts its exit code."""
        try:
            out, err = process.communicate(timeout=timeout_s)
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
            self.fail(f"hangs: {process.args}\n{out}{err}")
        self.assertEqual(process.returncode, code, f"{process.args}\n{out}{err}")
        return out, err

    def command(self, *arguments, code=GOOD):
        return self.end(self.start(*arguments), code)

    def refuse(self, *arguments, code, says):
        """Asserts that the command exits with the code, and that a single line on stderr contains each of `says`."""
        out, err = self.command(*arguments, code=code)
        lines = [line for line in err.splitlines() if line.startswith("lockstep ")]
        self.assertEqual(len(lines), 1, err)
        for text in says:
            self.assertIn(text, lines[0])
        return out, err

    def serve(self, *options, sim="skirmish"):
        server = Server(self.folder, *options, sim=sim)
        self.servers.append(server)
        return server

    def serve_admin(self, *options):
        """A server of small matches with an admin socket."""
        server = self.serve("--admin", self.path("s"), "--wait", "0", "--set", "units=200", *options)
        server.wait_line(r"^listening_admin path=", server.log)
        return server

    def start_join(self, server, *options, sim="skirmish"):
        return self.start("join", server.host_port, "--sim", sim,
                          "--known-servers", self.path("known"), *options)

    def join(self, server, *options, sim="skirmish", code=GOOD):
        return self.end(self.start_join(server, *options, sim=sim), code)

    def wait_until(self, is_true, says):
        """Waits until `is_true()`; fails with the text that `says()` returns."""
        end = time.monotonic() + TIMEOUT_S
        while not is_true():
            self.assertLess(time.monotonic(), end, says())
            time.sleep(0.02)

    def wait_seats(self, server, count):
        """Waits until so many seats files exist, each beside a recording that has begun. Jobs write them, and a
        server that is killed before that leaves recordings without the names of their rooms, or none."""
        def are_there():
            seats = glob.glob(self.path("recordings", "*.seats"))
            begun = [path for path in glob.glob(self.path("recordings", "*.lsr")) if os.path.getsize(path) > 0]
            return min(len(seats), len(begun)) >= count
        self.wait_until(are_there, server.text)

    def wait_recorded(self, server, data):
        """Waits until an input with this data, in hexadecimal, is in a recording on disk."""
        self.wait_until(lambda: any(f'"data": "{data}"' in self.command("replay", "export", path)[0]
                                    for path in glob.glob(self.path("recordings", "*.lsr"))), server.text)

    def recording(self):
        """The path of the only recording."""
        names = [n for n in os.listdir(self.path("recordings")) if n.endswith(".lsr")]
        self.assertEqual(len(names), 1, names)
        return self.path("recordings", names[0])

    def rerun(self, path, name, sim, *options, code=DIVERGED):
        """Reruns the match's recording with another build, or in another legal order; returns the new recording."""
        to = self.path(name)
        self.command("replay", "rerun", path, "--sim", sim, "--any-build", "-o", to, *options, code=code)
        return to

    def verified_ticks(self, path, *options):
        out, _ = self.command("verify", path, *options)
        return int(re.search(r"^verified ticks=(\d+)", out, re.MULTILINE).group(1))


class TimedResult(unittest.TextTestResult):
    """Prints the time of each test: a parallel part (below) takes as long as its slowest test."""

    def startTest(self, test):
        self._begin = time.monotonic()
        super().startTest(test)

    def addSuccess(self, test):
        self.stream.write(f"{time.monotonic() - self._begin:6.1f} s ")
        super().addSuccess(test)


def tests_in(suite):
    """The tests of a suite, which is a tree."""
    if isinstance(suite, unittest.TestCase):
        return [suite]
    return [test for part in suite for test in tests_in(part)]


def part_of(suite, text):
    """Part I of N ("I/N"): every N-th test."""
    index, count = map(int, text.split("/"))
    return unittest.TestSuite(tests_in(suite)[index - 1::count])


class Parts(unittest.TestLoader):
    def loadTestsFromModule(self, *arguments, **keywords):
        suite = super().loadTestsFromModule(*arguments, **keywords)
        return part_of(suite, os.environ.get("LOCKSTEP_PART", "1/1"))


def main():
    """Runs the tests of the file, or only the part that LOCKSTEP_PART names ("2/3")."""
    program = unittest.main(verbosity=2, exit=False, testLoader=Parts(),
                            testRunner=unittest.TextTestRunner(verbosity=2, resultclass=TimedResult))
    sys.exit(not program.result.wasSuccessful())
