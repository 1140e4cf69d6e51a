"""Functions of LS_WIDE, which are compiled twice: both versions and the build with one version compute the same."""
import os
import re
import shutil
import subprocess
import unittest

from case import BINARY, TINY, Case, main

HAS_WIDE = os.environ.get("LOCKSTEP_HAS_WIDE") == "1"
WIDE, PLAIN = (os.path.join(TINY, name + ".so") for name in ("wide", "wide_not"))
# A processor without AVX; a program that uses it there ends with "Illegal instruction".
OLD = [shutil.which("qemu-x86_64-static") or shutil.which("qemu-x86_64"), "-cpu", "qemu64"]


class Wide(Case):
    def code_of(self, module):
        """The instructions of each function."""
        text = subprocess.run(["objdump", "-d", "--no-show-raw-insn", module], check=True, capture_output=True, text=True).stdout
        return {name: body for name, body in re.findall(r"^[0-9a-f]+ <([^>]+)>:\n((?:.+\n?)+)", text, re.MULTILINE)}

    def digest(self, sim, *options, launcher=()):
        """Over the hashes of all ticks."""
        done = subprocess.run([*launcher, BINARY, "run", "--sim", sim, "--ticks", "400", *options], check=False,
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return re.search(r"digest=([0-9a-f]{16})", done.stdout).group(1)

    def test_builds_agree_on_every_tick(self):
        for seed in ("1", "2"):
            roots = {self.digest(sim, "--seed", seed, "--threads", threads)
                     for sim in (WIDE, PLAIN) for threads in ("1", "2")}
            self.assertEqual(len(roots), 1, roots)

    def test_one_build_verifies_the_other(self):
        server = self.serve("--ticks", "60", "--wait", "0", sim=WIDE)
        self.assertEqual(server.wait(), 0)
        self.assertEqual(self.verified_ticks(self.recording(), "--sim", PLAIN), 60)

    def test_checks_pass(self):
        out, _ = self.command("check", "--sim", WIDE, "--ticks", "20")
        self.assertIn(" 0 failed", out)

    @unittest.skipUnless(HAS_WIDE and shutil.which("objdump"), "this build has no second version, or there is no objdump")
    def test_the_second_version_is_wide_and_rounds_twice(self):
        code = self.code_of(WIDE)
        for function in ("move_whole_", "warm"):
            self.assertIn("%ymm", code[function + ".avx2"])
        self.assertIn("add.avx2", code)
        self.assertFalse([name for name, body in code.items() if not name.endswith(".avx2") and "%ymm" in body])
        self.assertFalse([name for name, body in code.items() if re.search(r"vfn?m(add|sub)", body)])
        self.assertFalse([name for name in self.code_of(PLAIN) if name.endswith(".avx2")])

    @unittest.skipUnless(HAS_WIDE and OLD[0], "this build has no second version, or there is no qemu-x86_64")
    def test_an_old_processor_runs_the_same_files(self):
        for sim, options in ((WIDE, ()), ("fountain", ()), ("colony", ("--bots",))):
            self.assertEqual(self.digest(sim, *options, launcher=OLD), self.digest(sim, *options))


if __name__ == "__main__":
    main()
