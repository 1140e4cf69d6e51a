#!/usr/bin/env python3
"""bindings/csharp with mono: the layout of every struct, a player beside bots in a match of `lockstep serve` with the roots
of the recording, cells as structs, wrong use, and libraries and modules that do not fit."""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from support import BINARY, CPP_BUILT, HERE, OPTIONS, ROOT, join_bots, main, run, serve, wrong_libraries, wrong_modules

WALKERS = os.path.join(CPP_BUILT, "walkers_cpp.so")
BINDING = os.path.join(ROOT, "bindings", "csharp")
LIBRARY = os.path.join(OPTIONS.build, "liblockstep.so")
COMPILE = ("mcs", "-unsafe", "-langversion:latest", "-warnaserror")
SKIPPED = 77 # CMakeLists.txt


class Csharp(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.work = tempfile.mkdtemp(prefix="lockstep-csharp-")
        cls.addClassCleanup(shutil.rmtree, cls.work)
        # As it is installed.
        cls.sources = os.path.join(cls.work, "sources")
        shutil.copytree(BINDING, cls.sources, ignore=shutil.ignore_patterns("Native.cs"))
        facts = os.path.join(cls.work, "Facts.cs")
        run(sys.executable, "-B", os.path.join(BINDING, "generate.py"), os.path.join(OPTIONS.build, "lockstep-api.json"),
            "--output", os.path.join(cls.sources, "Native.cs"), "--facts", facts)
        cls.program = os.path.join(cls.work, "play.exe")
        cls.build_library(cls.work, *glob.glob(os.path.join(cls.sources, "*.cs")))
        run(*COMPILE, f"-r:{cls.work}/Lockstep.dll", f"-out:{cls.program}", facts, os.path.join(HERE, "csharp", "Play.cs"))

    @staticmethod
    def build_library(folder, *sources):
        run(*COMPILE, "-target:library", f"-out:{folder}/Lockstep.dll", *sources)

    def setUp(self):
        self.folder = tempfile.mkdtemp(dir=self.work)

    def play(self, *words, library=LIBRARY):
        return run("mono", "--debug", self.program, *words,
                   env=os.environ | {"LOCKSTEP_LIBRARY": library, "MONO_GC_PARAMS": "nursery-size=512k"})

    def fails(self, status, *words, library=LIBRARY):
        """What it says; the one line of a known failure."""
        done = subprocess.run(("mono", self.program, *words), text=True, check=False, timeout=600, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, env=os.environ | {"LOCKSTEP_LIBRARY": library})
        self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
        self.assertRegex(done.stderr, rf"^{status}: [^\n]*\n$")
        return done.stderr

    def test_the_example_of_the_page_compiles(self):
        with open(os.path.join(ROOT, "docs", "engines.md"), encoding="utf-8") as file:
            head, body = re.search(r"```csharp\n(.*?)\n\n(.*?)```", file.read(), re.S).groups()
        source = os.path.join(self.folder, "example.cs")
        with open(source, "w", encoding="utf-8") as file:
            file.write(f"using System;\nusing System.Runtime.InteropServices;\nusing Lockstep;\n{head}\n"
                       "static class Example\n{\n    static byte[] stickAndButtons = new byte[4];\n"
                       "    static void PlaySound(EventUpdate update) { }\n    static void Draw(Place place, double fraction) { }\n"
                       f"    static void Main()\n    {{\n{body}    }}\n}}\n")
        run(*COMPILE, f"-r:{self.work}/Lockstep.dll", f"-out:{self.folder}/example.exe", source)

    def test_every_member_is_where_c_has_it(self):
        members, wrong = re.fullmatch(r"members=(\d+) wrong=(.*)\n", self.play("layout")).groups()
        self.assertGreater(int(members), 700)
        self.assertEqual(wrong, "")

    def test_the_bot_plays_beside_others_with_the_roots_of_the_recording(self):
        server, address = serve(self, WALKERS, "--wait", "3", "--ticks", "150", "--tick-rate", "20", "--record", self.folder)
        bots = join_bots(self, address, WALKERS, os.path.join(self.folder, "known"))
        *roots, last, checks = self.play("match", WALKERS, address).splitlines()
        self.assertRegex(last, "^LS_CLIENT_ENDED tick=150 diverged=false held=True bangs=True between=True changed=True acked=True ")
        self.assertGreater(int(re.fullmatch(r"checks=(\d+)", checks).group(1)), 100)
        self.assertEqual(bots.wait(timeout=240), 0)
        root = re.search(r"ended tick=150 root=([0-9a-f]{16}) desyncs=0", server.communicate(timeout=240)[0]).group(1)
        recording, = glob.glob(os.path.join(self.folder, "*.lsr"))
        recorded = dict(re.findall(r'"type": "tick", "tick": "(\d+)", "root": "([0-9a-f]{16})"', run(BINARY, "replay", "export",
                                                                                                recording)))
        seen = dict(line.split()[1:] for line in roots)
        self.assertEqual({tick: recorded.get(tick) for tick in seen}, seen | {"150": recorded.get("150")})
        self.assertGreater(len(set(seen) & set(recorded)), 20)
        self.look(recording, root)

    def look(self, recording, root):
        """The cells are what `lockstep replay print` prints; the whole recording verifies."""
        *rows, verified, _ = self.play("rows", WALKERS, recording, "100").splitlines()
        printed = run(BINARY, "replay", "print", recording, "100", "--sim", WALKERS, "--component", "place")
        shown = re.findall(r'"x": (-?[\d.]+), "y": (-?[\d.]+)', printed)
        places = [line.split()[1:] for line in rows if line.startswith("place ")]
        self.assertEqual(len(places), len(shown), printed)
        for place, wanted in zip(places, shown):
            for number, other in zip(place, wanted):
                self.assertAlmostEqual(float(number), float(other), delta=0.002)
        self.assertEqual([line for line in rows if line.startswith("walker ")],
                         [f"walker {player} {int(player < 3)}" for player in range(8)])
        self.assertEqual(verified, f"verified 150 {root}")

    def test_wrong_use_is_an_exception(self):
        _, address = serve(self, WALKERS, "--tick-rate", "60")
        said = self.play("errors", WALKERS, address)
        self.assertGreater(int(re.fullmatch(r"checks=(\d+)\n", said).group(1)), 25)

    def test_keys_are_trusted_once_and_seats_are_resumed(self):
        _, address = serve(self, WALKERS, "--tick-rate", "60")
        self.assertRegex(self.play("join", WALKERS, address, os.path.join(self.folder, "known")), r"^checks=\d+\n$")

    def test_a_session_outlives_the_simulation_that_is_disposed(self):
        _, address = serve(self, WALKERS, "--tick-rate", "60")
        self.assertEqual(self.play("order", WALKERS, address), "checks=2\n")

    def test_a_library_that_does_not_fit(self):
        abi = re.search(r"soname: \[liblockstep.so.(\d+)\]", run("readelf", "-d", LIBRARY)).group(1)
        for path, status, says in wrong_libraries(self.folder, abi):
            for words in (("load",), ("simulation", WALKERS)):
                self.assertRegex(self.fails(status, *words, library=path), says)

    def test_a_struct_of_another_size(self):
        """As in a process of 32 bits: the description says another size than C# has."""
        with open(os.path.join(self.sources, "Native.cs"), encoding="utf-8") as file:
            text = file.read()
        changed = re.sub(r"sizeof\(ls_match\) != \d+", "sizeof(ls_match) != 77", text)
        self.assertNotEqual(changed, text)
        planted = os.path.join(self.folder, "Native.cs")
        with open(planted, "w", encoding="utf-8") as file:
            file.write(changed)
        self.build_library(self.folder, planted, *glob.glob(os.path.join(BINDING, "[!N]*.cs")))
        program = shutil.copy(self.program, self.folder)
        done = subprocess.run(("mono", program, "load"), text=True, check=False, stderr=subprocess.PIPE,
                              env=os.environ | {"LOCKSTEP_LIBRARY": LIBRARY})
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, "^LS_ERROR_INCOMPATIBLE: struct ls_match has another size here: this binding was made for "
                         "x86_64.*; make Native.cs from lockstep-api.json of this machine\n$")

    def test_a_module_that_does_not_fit(self):
        for path, status, says in wrong_modules(self.folder):
            self.assertRegex(self.fails(status, "simulation", path), says)


if __name__ == "__main__":
    if not all(map(shutil.which, ("mono", "mcs"))):
        print("mono and mcs are not here: apt-get install mono-mcs mono-runtime")
        sys.exit(SKIPPED)
    main()
