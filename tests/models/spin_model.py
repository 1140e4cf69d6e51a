"""Runs spin on the models of this folder."""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
SKIPPED = 77
IS_LONG = bool(os.environ.get("LOCKSTEP_LONG"))

_options = argparse.Namespace(compiler="cc")


class Model(unittest.TestCase):
    """A model, and the definitions under which its faults are searched for."""
    model = ""
    small = ()
    level = "-O0"  # of the compiler, for searches that go to the end; a short one takes less time than gcc's -O1

    def search(self, *definitions, level="-O0"):
        """What the checker says of the model under these definitions."""
        with tempfile.TemporaryDirectory(prefix="lockstep-models-") as folder:
            steps = (("spin", *(f"-D{text}" for text in definitions), "-a", os.path.join(HERE, self.model)),
                     (_options.compiler, level, "-w", "-DSAFETY", "-DCOLLAPSE", "-DMEMLIM=2000", "-o", "pan",
                      "pan.c"),
                     ("./pan", "-m100000"))
            for step in steps:
                result = subprocess.run(step, cwd=folder, text=True, check=False, timeout=1400,
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
                self.assertEqual(result.returncode, 0, result.stdout)
            return result.stdout

    def holds(self, *definitions):
        said = self.search(*definitions, level=self.level)
        self.assertIn("errors: 0", said)
        self.assertNotIn("max search depth too small", said)
        self.assertNotIn("-DMEMLIM bound", said)
        self.assertNotIn("Search not completed", said)

    def fails(self, fault, reason):
        said = self.search(*self.small, f"FAULT_{fault}")
        self.assertIn("errors: 1", said)
        self.assertIn(reason, said)


def main():
    """Runs the tests of the calling script."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--compiler", default="cc")
    _, rest = parser.parse_known_args(namespace=_options)
    if not shutil.which("spin"):
        print("spin is missing: scripts/install-missing spin")
        sys.exit(SKIPPED)
    unittest.main(argv=[sys.argv[0], *rest])
