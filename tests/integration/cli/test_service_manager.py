"""What a service manager hears from the server: systemd's protocol of Type=notify, and the unit that is installed."""
import os
import re
import shutil
import socket
import subprocess
import time
import unittest

from case import CORRUPT, GOOD, INCOMPATIBLE, REFUSED, TIMEOUT_S, USAGE, Case, Server, main, tiny

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../..")
UNIT = os.path.join(ROOT, "packaging/systemd/lockstep@.service")
# Each file, and the line in it that says how long a manager waits before it kills the server.
GRACES = {"packaging/systemd/lockstep@.service": r"TimeoutStopSec=(\d+)",
          "docker/kubernetes/fleet.yaml": r"terminationGracePeriodSeconds: (\d+)",
          "docker/compose.yaml": r"stop_grace_period: (\d+)s",
          "docker/lobby.yaml": r"stop_grace_period: (\d+)s",
          "docs/operations-fleet.md": r"docker run --stop-timeout (\d+)"}
GRACE_MORE_S = 5
EXPOSURE_MAX = 2.0


class Manager(Case):
    """The manager's end of the socket."""

    def setUp(self):
        super().setUp()
        self.ear = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.addCleanup(self.ear.close)
        self.ear.setblocking(False)
        self.heard = []

    def listen(self, address, watchdog_us=0, pid=None):
        """Opens the socket and sets the variables with which a manager starts a process."""
        self.ear.bind(address.replace("@", "\0"))
        variables = {"NOTIFY_SOCKET": address}
        if watchdog_us:
            variables["WATCHDOG_USEC"] = str(watchdog_us)
        if pid:
            variables["WATCHDOG_PID"] = str(pid)
        for name, value in variables.items():
            os.environ[name] = value
            self.addCleanup(os.environ.pop, name, None)

    def hear(self):
        """Takes what has come."""
        while True:
            try:
                self.heard.append(self.ear.recv(4096).decode())
            except BlockingIOError:
                return self.heard

    def wait_hear(self, said, count=1):
        self.wait_until(lambda: self.hear().count(said) >= count, lambda: f"{said}: {self.heard}")

    def test_a_match_that_ends_by_itself_stops_in_order(self):
        self.listen(self.path("notify"), watchdog_us=200000)
        server = self.serve("--wait", "0", "--set", "units=200", "--ticks", "10")
        self.assertEqual(server.wait(), GOOD)
        self.wait_hear("STOPPING=1")
        self.assertEqual(self.heard.count("STOPPING=1"), 1)

    def test_ready_alive_and_stopping(self):
        self.listen(self.path("notify"), watchdog_us=200000)
        server = self.serve("--wait", "0", "--set", "units=200")
        self.wait_hear("READY=1")
        self.wait_hear("WATCHDOG=1", 5)
        self.wait_hear("STATUS=rooms: 1, sessions: 0")
        bots = self.start_join(server, "--bots", "2")
        self.wait_hear("STATUS=rooms: 1, sessions: 2")
        self.assertEqual(server.stop(), GOOD)
        self.end(bots, GOOD)
        self.wait_hear("STOPPING=1")
        self.assertEqual(self.heard[0], "READY=1")
        self.assertEqual((self.heard.count("READY=1"), self.heard.count("STOPPING=1")), (1, 1))
        said = {line for line in self.heard if not line.startswith("STATUS=")}
        self.assertEqual(said, {"READY=1", "WATCHDOG=1", "STOPPING=1"})

    def test_an_address_of_the_abstract_namespace(self):
        self.listen(f"@lockstep-test-{os.getpid()}")
        server = self.serve("--wait", "0", "--set", "units=200")
        self.wait_hear("READY=1")
        server.wait_line(r"^tick [1-9]\d*  ", server.lines)
        self.assertNotIn("WATCHDOG=1", self.hear())  # none is asked for

    def test_the_watchdog_of_another_process(self):
        self.listen(self.path("notify"), watchdog_us=200000, pid=1)
        self.serve("--wait", "0", "--set", "units=200")
        self.wait_hear("READY=1")
        time.sleep(1)
        self.assertNotIn("WATCHDOG=1", self.hear())

    def test_a_manager_that_is_gone_or_unreachable(self):
        for address in ("/nowhere/at/all", "relative", "@" + "x" * 200, ""):
            os.environ["NOTIFY_SOCKET"] = address
            self.addCleanup(os.environ.pop, "NOTIFY_SOCKET", None)
            server = self.serve("--wait", "0", "--set", "units=200")
            server.wait_line(r"^tick [1-9]\d*  ", server.lines)
            self.assertEqual(server.stop(), GOOD)
            shutil.rmtree(self.path("recordings"))
        self.listen(self.path("notify"), watchdog_us=100000)
        server = self.serve("--wait", "0", "--set", "units=200")
        self.wait_hear("READY=1")
        self.ear.close()
        server.wait_line(r"^tick [1-9]\d*  ", server.lines, count=2)
        self.assertEqual(server.stop(), GOOD)

    def test_a_match_that_hangs_is_not_alive(self):
        """All matches hang: the manager hears no more that the server lives."""
        os.environ["TINY_HANGS"] = self.path("hangs")
        self.listen(self.path("notify"), watchdog_us=100000)
        server = self.serve("--rooms", "2", "--tick-rate", "200", sim=tiny("stuck"))
        self.wait_hear("WATCHDOG=1")
        for room in ("1", "2"):
            with open(self.path("script"), "w", encoding="ascii") as file:
                file.write("40 0d\n")
            player = self.start_join(server, "--room", room, "--input", "script:" + self.path("script"), sim=tiny("stuck"))
            self.addCleanup(player.communicate)
            self.addCleanup(player.kill)
        end = time.monotonic() + TIMEOUT_S
        quiet_from = time.monotonic()
        while time.monotonic() - quiet_from < 3:
            before = len(self.heard)
            self.hear()
            if "WATCHDOG=1" in self.heard[before:]:
                quiet_from = time.monotonic()
            self.assertLess(time.monotonic(), end, self.heard)
            self.assertIsNone(server.process.poll(), server.text())
            time.sleep(0.05)
        server.process.kill()
        server.wait()


class Unit(unittest.TestCase):
    def setUp(self):
        if not shutil.which("systemd-analyze"):
            self.skipTest("no systemd-analyze")

    def analyze(self, *arguments):
        done = subprocess.run(["systemd-analyze", *arguments], text=True, capture_output=True, check=False,
                              env={**os.environ, "LC_ALL": "C.UTF-8"})
        return done.stdout + done.stderr

    def test_managers_wait_longer_than_a_stop(self):
        """One bound, in cli/serve.c, and what follows from it."""
        def number(name, pattern):
            with open(os.path.join(ROOT, name), encoding="utf-8") as file:
                return int(re.search(pattern, file.read()).group(1))
        stop_s = number("cli/serve.c", r"STOP_TOTAL_S = (\d+)")
        self.assertEqual(number("docs/operations.md", r"A stop takes (\d+) seconds at most"), stop_s)
        for name, pattern in GRACES.items():
            self.assertEqual(number(name, pattern), stop_s + GRACE_MORE_S, name)

    def test_the_unit_exposes_little(self):
        says = self.analyze("security", "--no-pager", "--offline=true", UNIT)
        exposure = re.search(r"Overall exposure level for \S+: ([\d.]+)", says)
        self.assertTrue(exposure, says)
        self.assertLess(float(exposure.group(1)), EXPOSURE_MAX, says)

    def test_the_unit_is_understood(self):
        """Only what is not installed here may be missing."""
        says = self.analyze("verify", "--no-pager", "--man=no", UNIT)
        lines = [line for line in says.splitlines() if "lockstep@" in line and "is not executable" not in line]
        self.assertEqual(lines, [])

    def test_the_unit_repeats_no_start_that_fails_again(self):
        with open(UNIT, encoding="utf-8") as file:
            codes = re.search(r"(?m)^RestartPreventExitStatus=(.*)$", file.read()).group(1).split()
        self.assertEqual([int(code) for code in codes], [USAGE, INCOMPATIBLE, CORRUPT, REFUSED])


if __name__ == "__main__":
    main()
