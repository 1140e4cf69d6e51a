#!/usr/bin/env python3
"""bindings/python: pip installs it from the tree and from an installation."""
import importlib.util
import os
import shutil
import sys
import tempfile
import unittest

from support import CPP_BUILT, OPTIONS, ROOT, main, run

WALKERS = os.path.join(CPP_BUILT, "walkers_cpp.so")
SKIPPED = 77 # CMakeLists.txt


class Installed(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="lockstep-pip-")
        self.addCleanup(shutil.rmtree, self.folder)

    def test_pip_installs_it_from_the_tree(self):
        tree, target = os.path.join(self.folder, "tree"), os.path.join(self.folder, "target")
        for folder in ("bindings/python", "include", "cmake"): # pip writes into the tree
            shutil.copytree(os.path.join(ROOT, folder), os.path.join(tree, folder))
        self.install(tree, target)
        said = run(sys.executable, "-c", "import sys; sys.path.insert(0, sys.argv[1]); import lockstep; "
                   "print(lockstep.__file__, lockstep.Simulation(sys.argv[2]).name)", target, WALKERS)
        self.assertEqual(said, f"{target}/lockstep/__init__.py walkers\n")

    def test_pip_installs_it_from_an_installation(self):
        """Which has the description, and neither headers nor clang beside the package."""
        share, target = os.path.join(self.folder, "share"), os.path.join(self.folder, "target")
        shutil.copytree(os.path.join(ROOT, "bindings"), os.path.join(share, "bindings"))
        shutil.copy(os.path.join(OPTIONS.build, "lockstep-api.json"), share)
        self.install(share, target)
        with open(os.path.join(target, "lockstep", "api.json"), "rb") as file, \
                open(os.path.join(share, "lockstep-api.json"), "rb") as original:
            self.assertEqual(file.read(), original.read())

    @staticmethod
    def install(tree, target):
        # Into a folder: Debian's pip refuses to install into the system.
        run(sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--disable-pip-version-check",
            "--root-user-action=ignore", "--target", target, os.path.join(tree, "bindings", "python"))


if __name__ == "__main__":
    if not importlib.util.find_spec("pip"):
        print("pip is not here: apt-get install python3-pip")
        sys.exit(SKIPPED)
    os.environ["LOCKSTEP_LIBRARY"] = os.path.join(OPTIONS.build, "liblockstep.so")
    main()
