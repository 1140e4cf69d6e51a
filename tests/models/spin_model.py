"""Runs spin on the models of this folder.

What a search finds follows from the text of the model and the definitions alone. The outcome of each search is kept in
a file beside the script, under a hash of both, and a search with the same hash is not made again. LOCKSTEP_LONG=1 makes
every search; --update makes those that are not kept and rewrites the file."""
import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
SKIPPED = 77
IS_LONG = bool(os.environ.get("LOCKSTEP_LONG"))

_options = argparse.Namespace(compiler="cc", update=False)


class Outcomes:
    """The kept outcomes of a script's searches: a line has a hash, the model and definitions, and what spin said."""

    def __init__(self, path):
        self.path, self.kept, self.met = path, {}, {}
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                self.kept = dict(line.rstrip("\n").split(": ", 1) for line in file)

    def is_current(self):
        return self.met == self.kept

    def write(self):
        with open(self.path, "w", encoding="utf-8") as file:
            file.writelines(f"{key}: {said}\n" for key, said in sorted(self.met.items(), key=lambda one: one[0].split()[1:]))


_outcomes = Outcomes(os.path.splitext(os.path.abspath(sys.argv[0]))[0] + ".outcomes")


def text_of(model):
    """The text of a model, with the files that it includes."""
    with open(os.path.join(HERE, model), encoding="utf-8") as file:
        text = file.read()
    return text + "".join(text_of(name) for name in re.findall(r'^#include "(.*)"', text, re.M))


class Model(unittest.TestCase):
    """A model, and the definitions under which its faults are searched for."""
    model = ""
    small = ()
    faults = {}  # name of a planted fault: the message with which spin must fail, or (message, -D definitions)
    level = "-O0"  # of the compiler, for searches that go to the end; a short one takes less time than gcc's -O1

    def search(self, *definitions, level="-O0"):
        """What the checker says of the model under these definitions: whether its search was complete, the first error
        and the number of errors."""
        content = "\0".join((text_of(self.model), *definitions))
        key = " ".join((hashlib.sha256(content.encode()).hexdigest()[:24], self.model, *definitions))
        said = None if IS_LONG else _outcomes.kept.get(key)
        if said is None:
            said = self.run_spin(definitions, level)
            self.assertEqual(_outcomes.kept.get(key, said), said, f"{_outcomes.path} says otherwise")
        _outcomes.met[key] = said
        return said

    def run_spin(self, definitions, level):
        with tempfile.TemporaryDirectory(prefix="lockstep-models-") as folder:
            steps = (("spin", *(f"-D{text}" for text in definitions), "-a", os.path.join(HERE, self.model)),
                     (_options.compiler, level, "-w", "-DSAFETY", "-DCOLLAPSE", "-DMEMLIM=2000", "-o", "pan",
                      "pan.c"),
                     ("./pan", "-m100000"))
            for step in steps:
                result = subprocess.run(step, cwd=folder, text=True, check=False, timeout=1400,
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
                self.assertEqual(result.returncode, 0, result.stdout)
        return "; ".join(re.findall(r"max search depth too small|-DMEMLIM bound|Search not completed|"
                                    r"(?<=pan:1: ).*(?= \(at depth)|errors: \d+", result.stdout))

    def holds(self, *definitions):
        self.assertEqual(self.search(*definitions, level=self.level), "errors: 0")

    def fails(self, fault, reason):
        said = self.search(*self.small, f"FAULT_{fault}")
        self.assertIn("errors: 1", said)
        self.assertIn(reason, said)

    def finds_all(self):
        with open(os.path.join(HERE, self.model), encoding="utf-8") as file:
            planted = set(re.findall(r"\bFAULT_(\w+)", file.read()))
        self.assertEqual(planted, set(self.faults))
        for fault, reason in self.faults.items():
            with self.subTest(fault=fault):
                self.small = reason[1:] if isinstance(reason, tuple) else type(self).small
                self.fails(fault, reason[0] if isinstance(reason, tuple) else reason)


def main():
    """Runs the tests of the calling script."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--compiler", default="cc")
    parser.add_argument("--update", action="store_true")
    _, rest = parser.parse_known_args(namespace=_options)
    if not shutil.which("spin"):
        print("spin is missing: scripts/install-missing spin")
        sys.exit(SKIPPED)
    ended = unittest.main(argv=[sys.argv[0], *rest], exit=False)
    is_good = ended.result.wasSuccessful()
    if _options.update and is_good and not IS_LONG:
        _outcomes.write()
    elif is_good and not rest and not IS_LONG and not _outcomes.is_current():
        print(f"{_outcomes.path} is not that of the models: run {sys.argv[0]} --update", file=sys.stderr)
        is_good = False
    sys.exit(not is_good)
