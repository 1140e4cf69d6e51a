#!/usr/bin/env python3
"""The engine as WebAssembly (docs/web.md) in node: the golden recordings give the same roots, bad bytes are refused. So does a
match of an example, whose module `web/build --with` makes.

    test_web.py LOCKSTEP WALKERS.so

Exit code 77: the toolchain, its sources or node are missing.
"""
import gzip
import json
import pathlib
import shutil
import sys
import tempfile
import unittest

import web_site
from web_site import ROOT, SITE

LOCKSTEP, WALKERS = (pathlib.Path(sys.argv.pop(1)).resolve() for _ in range(2))
TIMEOUT = 600
PACKED_BYTES_MAX = 195 << 10  # 200 are the promise
IMPORTS = {"clock_time_get", "fd_close", "fd_seek", "fd_write", "proc_exit"}
LIST_IMPORTS = """
const fs = require('fs');
const imports = process.argv.slice(1).flatMap(path => WebAssembly.Module.imports(new WebAssembly.Module(fs.readFileSync(path))));
console.log(JSON.stringify(imports.map(one => one.module === 'wasi_snapshot_preview1' ? one.name : one.module)));
"""
PROVE = """
import { readFileSync } from 'node:fs';
const [path, site, recording] = process.argv.slice(1), { open } = await import(path);
const engine = await open(readFileSync(recording), async name => WebAssembly.compile(readFileSync(`${site}/${name}.wasm`)));
engine.play();
engine.run('prove', 1000);
console.log(JSON.stringify(engine.json('proof')));
"""


def run(*command):
    return web_site.run(*command, timeout=TIMEOUT)


class Web(unittest.TestCase):
    def test_recordings(self):
        recordings = sorted(str(path) for path in (ROOT / "replays" / "golden").glob("*.lsr"))
        with tempfile.TemporaryDirectory() as folder:
            recordings.append(str(web_site.record(LOCKSTEP, folder, WALKERS, "--ticks", "240", "--tick-rate", "120")))
            self.play(recordings, SITE)

    def test_every_built_in_simulation(self):
        """Those without a golden recording are proved in a short match."""
        golden = {path.stem for path in (ROOT / "replays" / "golden").glob("*.lsr")}
        listed = run(LOCKSTEP, "sims").splitlines()
        names = {line.split()[0] for line in listed if not line.startswith(" ")}
        self.assertLessEqual(golden | {"colony", "disjoint"}, names, listed)
        with tempfile.TemporaryDirectory() as folder:
            engine = shutil.copy(SITE / "engine.js", pathlib.Path(folder, "engine.mjs"))
            for sim in sorted(names - golden):
                recording = web_site.record(LOCKSTEP, pathlib.Path(folder, sim), sim, "--ticks", "120", "--tick-rate", "120",
                                            join=("--input", "random"))
                proof = json.loads(run("node", "--input-type=module", "-e", PROVE, str(engine), str(SITE), str(recording)))
                self.assertEqual((proof["isDone"], proof["roots"]), (True, 121), sim)

    def play(self, recordings, modules):
        """Plays recordings with the modules of a folder."""
        recordings = [str(path) for path in recordings]
        with tempfile.TemporaryDirectory() as folder:
            engine = shutil.copy(SITE / "engine.js", pathlib.Path(folder, "engine.mjs"))
            out = run("node", str(ROOT / "tests/web/engine_test.mjs"), str(modules), str(engine), *recordings)
        results = [json.loads(line) for line in out.splitlines()]
        self.assertEqual(results.pop(), {"bad_bytes": "refused"})
        self.assertEqual([result["path"] for result in results], recordings)
        for result in results:
            self.assertTrue(result["isDone"] and result["end"] == "clean")
            self.assertEqual(result["roots"], result["ticks"] + 1)
            self.assertEqual(result["signedTick"], result["tick"])

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
            self.play((ROOT / "replays" / "golden" / "skirmish.lsr", recording), build)

    def test_size(self):
        for module in SITE.glob("*.wasm"):
            self.assertLessEqual(len(gzip.compress(module.read_bytes(), 9)), PACKED_BYTES_MAX, module.name)

    def test_packed_files(self):
        """What a browser is given in the place of a file is the same, and not older."""
        for path in (*SITE.glob("*.wasm"), *SITE.glob("*.js"), *SITE.glob("*.css"), *SITE.glob("*.html")):
            packed = path.with_name(path.name + ".gz")
            self.assertEqual(gzip.decompress(packed.read_bytes()), path.read_bytes(), path)
            self.assertGreaterEqual(packed.stat().st_mtime_ns, path.stat().st_mtime_ns, path)

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

    def test_imports(self):
        players = {str(path) for path in SITE.glob("*_play.wasm")}
        viewers = {str(path) for path in SITE.glob("*.wasm")} - players
        for modules, imports in (viewers, IMPORTS), (players, IMPORTS | {"random_get"}):
            self.assertEqual(len(modules), 8)
            self.assertLessEqual(set(json.loads(run("node", "-e", LIST_IMPORTS, *sorted(modules)))), imports)


web_site.build(needs_browser=False, timeout=TIMEOUT)
unittest.main()
