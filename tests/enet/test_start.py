"""With an unknown ENet version, every command that uses ENet reports that and exits."""
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "integration", "cli"))
from case import INCOMPATIBLE, Case  # noqa: E402

SAYS = ("is ENet 1.4.2", "compiled for ENet 1.3.1", "install ENet 1.3.17 or 1.3.18")


class Start(Case):
    def setUp(self):
        super().setUp()
        os.environ["LD_PRELOAD"] = os.environ["LOCKSTEP_STRANGE_ENET"]
        self.addCleanup(os.environ.pop, "LD_PRELOAD")

    def test_start_serve_names_both_versions(self):
        self.refuse("serve", "--sim", "skirmish", "--port", "0", "--identity", self.path("identity"),
                    code=INCOMPATIBLE, says=SAYS)

    def test_start_join_names_both_versions(self):
        self.refuse("join", "127.0.0.1:9", "--sim", "skirmish", "--known-servers", self.path("known"),
                    code=INCOMPATIBLE, says=SAYS)


if __name__ == "__main__":
    unittest.main(verbosity=2)
