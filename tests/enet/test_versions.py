"""The same link with two versions of ENet: each header with each library, as server and as client of the other
combinations.
Skips itself with the reason if there is no second version: scripts/fetch-enet build/enet fetches it."""
import contextlib
import glob
import itertools
import os
import re
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "integration", "cli"))
import case  # noqa: E402
from case import GOOD, Case  # noqa: E402

OTHER = os.environ.get("LOCKSTEP_ENET_OTHER")
TESTS = ("test_link_enet", "test_link_enet_direct", "test_link_enet_floods", "test_link_enet_gate",
         "test_link_enet_replays", "test_link_enet_versions")
PROGRAMS = {"own": os.environ["LOCKSTEP"], "other": os.environ.get("LOCKSTEP_OTHER")}
# (version of the header, version of the library)
KINDS = tuple(itertools.product(("own", "other"), repeat=2))


@contextlib.contextmanager
def library(which):
    if which == "other":
        os.environ["LD_LIBRARY_PATH"] = OTHER
    try:
        yield
    finally:
        os.environ.pop("LD_LIBRARY_PATH", None)


def loaded_library(process):
    """The path of the libenet that a process has loaded."""
    with open(f"/proc/{process.pid}/maps", encoding="utf-8") as file:
        return os.path.realpath(re.search(r"\S*/libenet\.so\S*", file.read()).group())


class Versions(Case):
    def kind(self, header, which):
        case.BINARY = PROGRAMS[header]
        return library(which)

    def check_loaded(self, process, which):
        other = {os.path.realpath(path) for path in glob.glob(os.path.join(OTHER, "libenet.so*"))}
        self.assertEqual(loaded_library(process) in other, which == "other")

    def check_match(self, header, which, *options):
        with self.kind(header, which):
            server = self.serve("--wait", str(len(KINDS)), "--ticks", "150", "--tick-rate", "60")
        self.check_loaded(server.process, which)
        clients = []
        for number, (client_header, client_which) in enumerate(KINDS):
            with self.kind(client_header, client_which):
                clients.append(self.start("join", server.address, "--sim", "skirmish", "--name",
                                          f"{client_header}-{client_which}", *options))
        for client, (_, client_which) in zip(clients, KINDS):
            out, _ = self.end(client, GOOD)
            self.assertIn("ended at tick 150", out)
        self.assertEqual(server.wait(), GOOD, server.text())
        self.assertRegex(server.text(), r"(?m)^ended tick=150 root=[0-9a-f]{16} desyncs=0$")
        for client_header, client_which in KINDS:
            self.assertIn(f'name="{client_header}-{client_which}"', server.text())

    def test_versions_play_with_each_other(self):
        for header, which in KINDS:
            with self.subTest(header=header, library=which):
                self.check_match(header, which)

    def test_versions_play_over_a_bad_network(self):
        for which in ("own", "other"):
            with self.subTest(header=which, library=which):
                self.check_match(which, which, "--relay-profile", "bad")

    def test_versions_pass_the_tests_of_the_link(self):
        for header, which in KINDS[1:]:  # ctest runs our own header with our own library
            program = os.environ["LOCKSTEP_ENET_TESTS" if header == "own" else "LOCKSTEP_ENET_TESTS_OTHER"]
            for test in TESTS:
                with self.subTest(header=header, library=which, test=test), library(which):
                    self.check_program(program, test)

    def test_versions_deliver_in_virtual_time(self):
        with library("other"):  # simulation_enet does it with our own library
            self.check_program(os.environ["LOCKSTEP_DELIVER"], "--seconds", "20")

    def check_program(self, *arguments):
        done = subprocess.run(arguments, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              timeout=case.TIMEOUT_S, check=False)
        self.assertEqual(done.returncode, 0, done.stdout)


if __name__ == "__main__":
    if not OTHER:
        print("skipped: there is no second ENet; scripts/fetch-enet build/enet fetches one")
        sys.exit(77)
    unittest.main(verbosity=2)
