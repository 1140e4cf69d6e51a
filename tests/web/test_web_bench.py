#!/usr/bin/env python3
"""./bench web measures the page: its quick part, which has a row for each module and each recording.

    test_web_bench.py LOCKSTEP

Exit code 77: the modules cannot be built, or Chromium, node or playwright-core are missing.
"""
import pathlib
import re
import sys
import tempfile
import unittest

import web_site
from web_site import ROOT, SITE, run

LOCKSTEP = pathlib.Path(sys.argv.pop(1)).resolve()


class Bench(unittest.TestCase):
    def test_the_quick_part_has_all_rows(self):
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder) / "table.md"
            out = run(ROOT / "web" / "bench", "web", "--lockstep", LOCKSTEP, "--quick", "--markdown", page)
            self.assertEqual(page.read_text(encoding="utf-8"), out)
        modules = dict(re.findall(r"(?m)^\| `(\S+)\.wasm` \| \d+ \| (\d+) \|$", out))
        self.assertEqual(set(modules), {module.stem for module in SITE.glob("*.wasm") if not module.stem.startswith(web_site.EXAMPLE)})
        self.assertTrue(all(100 < int(packed) <= 200 + 20 * web_site.IS_QUICK for packed in modules.values()), out)
        speeds = re.findall(r"(?m)^\| `(\w+)\.lsr` (?:\| [1-9]\d* ){3}(?:\| \d+ % ){2}\| \d+ \|$", out)
        self.assertEqual(speeds, ["skirmish", "regatta"], out)


web_site.build(needs_browser=True)
unittest.main()
