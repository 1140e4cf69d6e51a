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
from web_site import ROOT, SITE, run

LOCKSTEP, WALKERS = (pathlib.Path(sys.argv.pop(1)).resolve() for _ in range(2))
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


class Web(unittest.TestCase):
    def test_recordings(self):
        recordings = sorted(str(path) for path in (ROOT / "replays" / "golden").glob("*.lsr"))
        with tempfile.TemporaryDirectory() as folder:
            recordings.append(str(web_site.record(LOCKSTEP, folder, WALKERS, "--ticks", "240", "--tick-rate", "120")))
            web_site.play(self, recordings, SITE)

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

    def test_size(self):
        """In a quick build only the modules of skirmish have their final size."""
        for module in SITE.glob("skirmish*.wasm" if web_site.IS_QUICK else "*.wasm"):
            self.assertLessEqual(len(gzip.compress(module.read_bytes(), 9)), PACKED_BYTES_MAX, module.name)

    def test_packed_files(self):
        """What a browser is given in the place of a file is the same, and not older."""
        for path in (*SITE.glob("*.wasm"), *SITE.glob("*.js"), *SITE.glob("*.css"), *SITE.glob("*.html")):
            packed = path.with_name(path.name + ".gz")
            self.assertEqual(gzip.decompress(packed.read_bytes()), path.read_bytes(), path)
            self.assertGreaterEqual(packed.stat().st_mtime_ns, path.stat().st_mtime_ns, path)

    def test_imports(self):
        players = {str(path) for path in SITE.glob("*_play.wasm")}
        viewers = {str(path) for path in SITE.glob("*.wasm")} - players
        for modules, imports in (viewers, IMPORTS), (players, IMPORTS | {"random_get"}):
            self.assertEqual(len(modules), 8)
            self.assertLessEqual(set(json.loads(run("node", "-e", LIST_IMPORTS, *sorted(modules)))), imports)


web_site.build(needs_browser=False)
unittest.main()
