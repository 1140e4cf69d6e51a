#!/usr/bin/env python3
"""tests/package/abi.py: planted changes of the public headers are seen, and refused while LS_ABI stays."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import abi


def version(include, header, pattern):
    with open(os.path.join(include, "lockstep", header), encoding="utf-8") as file:
        return int(re.search(pattern, file.read(), re.M).group(1))


class Abi(unittest.TestCase):
    def setUp(self):
        self.work = tempfile.mkdtemp(prefix="lockstep-abi-")
        self.addCleanup(shutil.rmtree, self.work)
        self.include = os.path.join(self.work, "include")
        shutil.copytree(abi.INCLUDE, self.include)
        self.headers = self.described = None
        self.stored = os.path.join(self.work, "abi.txt")
        shutil.copy(abi.STORED, self.stored)

    def plant(self, header, old, new):
        path = os.path.join(self.include, "lockstep", header)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        self.assertEqual(text.count(old), 1, f"{header}: {old}")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace(old, new))

    def raise_abi(self, by=1):
        number = version(self.include, "base.h", r"^#define LS_ABI (\d+)$")
        self.plant("base.h", f"#define LS_ABI {number}\n", f"#define LS_ABI {number + by}\n")

    def raise_sim_abi(self):
        number = version(self.include, "sim.h", r"^#define LS_SIM_ABI \((\d+)u << 16")
        self.plant("sim.h", f"({number}u << 16", f"({number + 1}u << 16")

    def read(self, include, clang):
        """Reads headers only if they have changed since the last time: that takes a second and a half."""
        now = [path.read_bytes() for path in sorted(pathlib.Path(include).rglob("*.h"))]
        if now != self.headers:
            self.headers, self.described = now, abi.Description.of_headers(include, clang)
        return self.described

    def tool(self, *options):
        """Returns what the tool refuses with, or None."""
        try:
            abi.main(["--include", self.include, "--stored", self.stored, *options], self.read)
        except SystemExit as refusal:
            return str(refusal)
        return None

    def is_refused(self, *says):
        for options in ((), ("--update",)):
            refusal = self.tool(*options) or ""
            for text in says:
                self.assertIn(text, refusal)

    def compile_layouts(self, *options):
        """What a compiler says of layouts.py's assertions about the planted headers."""
        text = subprocess.run((sys.executable, "-B", os.path.join(abi.HERE, "layouts.py"), *options), check=True, text=True,
                              stdout=subprocess.PIPE).stdout
        return subprocess.run(("gcc", "-std=c17", "-ffp-contract=off", f"-I{self.include}", "-fsyntax-only", "-x", "c", "-"),
                              input=text, text=True, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT).stdout

    def test_layouts_of_another_machine_are_told(self):
        self.assertEqual(self.compile_layouts(), "")
        self.plant("client_stats.h", "int32_t slack_us;", "int64_t slack_us;")
        self.plant("component.h", "LS_TYPE_U8 = 1,", "LS_TYPE_U8 = 2,")
        self.plant("fix.h", "#define LS_FIX_MAX ", "#define LS_FIX_MAX -1 + ")
        said = self.compile_layouts()
        for line in ("struct ls_client_stats.slack_us at ", "enum ls_type.LS_TYPE_U8 = 1", "macro LS_FIX_MAX = "):
            self.assertRegex(said, f'static assertion failed: "(?:module )?{line}')
        said = self.compile_layouts("--values")
        self.assertNotIn("slack_us", said)
        self.assertIn("LS_TYPE_U8", said)

    def test_changes_that_break_programs_are_refused(self):
        """One refusal lists all of them: what is listed is what refuses."""
        expected = []
        for header, old, new, says in (
                # a member between others, of another type, in a hole; an argument; a function that is gone
                ("client_stats.h", "    uint64_t gaps; ", "    uint32_t more; uint64_t gaps; ",
                 ("struct ls_client_stats.more at ", "struct ls_client_stats.gaps at ")),
                ("client_stats.h", "int32_t slack_us;", "uint32_t slack_us;",
                 ("struct ls_client_stats.slack_us at ", "uint32_t")),
                ("session.h", "bool is_stalled;", "bool is_late, is_stalled;",
                 ("struct ls_session_view.is_late at ",)),
                ("session.h", "ls_session_update(ls_session *session, uint64_t now_ns)",
                 "ls_session_update(ls_session *session, uint32_t now_ms)",
                 ("function ls_session_update void (ls_session *, uint32_t)",)),
                # a bound: only a parameter of the caller's own buffer has it. A value that both sides have to know
                ("address.h", "#define LS_ADDRESS_TEXT_BYTES ", "#define LS_ADDRESS_TEXT_BYTES 2 * ",
                 ("function ls_address_format void (const ls_address *, char[64])",
                  "now: function ls_address_format void (const ls_address *, char[128])")),
                ("pass.h", "LS_PASS_TEXT_BYTES (16", "LS_PASS_TEXT_BYTES (17",
                 ("macro LS_PASS_TEXT_BYTES = 606", "now: macro LS_PASS_TEXT_BYTES = 607")),
                ("session.h", "LS_API ls_client *ls_session_client(ls_session *session);", "",
                 ("function ls_session_client ls_client *(ls_session *)",))):
            self.plant(header, old, new)
            expected += says
        self.is_refused("raise LS_ABI in include/lockstep/base.h", *expected)
        self.raise_abi()
        self.assertIn("abi.py --update", self.tool())
        self.assertIsNone(self.tool("--update"))
        self.assertIsNone(self.tool())

    def test_a_change_of_one_member_is_refused(self):
        self.plant("session.h", "bool is_stalled;", "bool is_late, is_stalled;")
        says = "raise LS_ABI in include/lockstep/base.h", "struct ls_session_view.is_late at "
        self.is_refused(*says)
        done = subprocess.run((sys.executable, "-B", os.path.join(abi.HERE, "abi.py"), "--include", self.include, "--stored", self.stored),
                              text=True, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual(done.returncode, 1, done.stdout)
        for text in says:
            self.assertIn(text, done.stdout)

    def test_modules_have_a_version_of_their_own(self):
        self.plant("base.h", "    LS_OK = 0,", "    LS_OK = 0,\n    LS_ODD,")
        self.is_refused("raise LS_ABI", "enum ls_status.LS_ERROR_USAGE = 1")
        self.raise_abi()
        self.is_refused("raise LS_SIM_ABI in include/lockstep/sim.h", "enum ls_status.LS_ERROR_USAGE = 1")
        self.raise_sim_abi()
        self.assertIsNone(self.tool("--update"))

    def test_a_lower_version_is_refused(self):
        self.plant("client_stats.h", "int32_t slack_us;", "uint32_t slack_us;")
        self.raise_abi(-1)
        self.is_refused("raise LS_ABI")

    def test_pages_name_the_present_number(self):
        number, named = version(self.include, "base.h", r"^#define LS_ABI (\d+)$"), []
        for folder in ("docs", "bindings/python", "bindings/csharp", "."):
            for name in sorted(os.listdir(os.path.join(abi.ROOT, folder))):
                if name.endswith(".md") and name != "CHANGELOG.md":
                    with open(os.path.join(abi.ROOT, folder, name), encoding="utf-8") as file:
                        named += [(name, int(one)) for one in
                                  re.findall(r"(?:liblockstep\.so\.|lockstep-|`LOCKSTEP_)(\d+)\b", file.read())]
        self.assertGreater(len(named), 3)
        self.assertEqual([one for one in named if one[1] != number], [])

    def test_additions_need_an_update_only(self):
        self.plant("session.h", "LS_API ls_client *ls_session_client(",
                   "typedef struct ls_session_more { int one; } ls_session_more;\n"
                   "LS_API ls_session_more ls_session_get_more(const ls_session *session);\n"
                   "LS_API ls_client *ls_session_client(")
        self.assertIn("abi.py --update", self.tool())
        self.assertIsNone(self.tool("--update"))
        self.assertIsNone(self.tool())


if __name__ == "__main__":
    unittest.main()
