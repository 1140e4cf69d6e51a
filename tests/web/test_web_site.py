#!/usr/bin/env python3
"""Builds the site (docs/web.md) that the other tests of this folder read: with the simulation of a user, and without sources that
are gone.

    test_web_site.py LOCKSTEP

Exit code 77: the toolchain, its sources or node are missing.
"""
import pathlib
import shutil
import sys
import tempfile
import unittest

import web_site
from web_site import ROOT, SITE, run

LOCKSTEP = pathlib.Path(sys.argv.pop(1)).resolve()


class Site(unittest.TestCase):
    def test_a_build_of_a_user(self):
        """A project with find_package(lockstep) gets modules beside walkers.so, and they play its recordings."""
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            for name in "walkers.c", "walkers.h":
                shutil.copy(ROOT / "examples" / "walkers" / name, folder)
            (folder / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.22)\nproject(walkers C)\n"
                                                   "find_package(lockstep REQUIRED)\n"
                                                   "lockstep_add_simulation(walkers SOURCES walkers.c walkers.h)\n"
                                                   "add_executable(game walkers.c)\n"
                                                   "target_link_libraries(game PRIVATE lockstep::lockstep)\n", encoding="utf-8")
            run("cmake", "--install", str(LOCKSTEP.parent.parent), "--prefix", str(folder / "installed"))
            build = folder / "build"
            run("cmake", "-S", str(folder), "-B", str(build), f"-DCMAKE_PREFIX_PATH={folder}/installed", f"-DLOCKSTEP_WEB={ROOT}")
            run("cmake", "--build", str(build), "--target", "walkers", "walkers_web")
            shutil.copy(SITE / "skirmish.wasm", build)
            self.assertTrue((build / "walkers_play.wasm").exists())
            recording = web_site.record(LOCKSTEP, str(folder), str(build / "walkers.so"), "--ticks", "240", "--tick-rate", "120")
            web_site.play(self, (ROOT / "replays" / "golden" / "skirmish.lsr", recording), build)

    def test_sources_that_are_gone(self):
        """An earlier build had a page more. Simulations of users stay, also in a build without them."""
        for name in "gone.js", "gone.js.gz":
            (SITE / name).write_text("gone", encoding="ascii")
        with open(SITE.parent / "site.list", "a", encoding="ascii") as made:
            made.write("gone.js\n")
        kept = {path.name for path in SITE.iterdir()} - {"gone.js", "gone.js.gz"}
        self.assertLessEqual({"walkers.wasm", "walkers_play.wasm", "walkers.web.js", "main.js", "skirmish.lsr", "cannon.wasm"}, kept)
        run("web/build", "site")
        self.assertEqual({path.name for path in SITE.iterdir()}, kept)
        self.assertNotIn("gone.js", (SITE.parent / "site.list").read_text(encoding="ascii"))


web_site.build(needs_browser=False)
try:
    unittest.main()
finally:
    web_site.build(needs_browser=False)  # the cases build another one
