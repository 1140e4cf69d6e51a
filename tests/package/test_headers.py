#!/usr/bin/env python3
"""Each public header compiles alone, without a warning: C17, C++17 and C++20, gcc, clang 14 and, with LOCKSTEP_LONG, each
in all three and clang 19, too. What is not here is named as skipped.

usage: test_headers.py [--compilers C C++]"""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
INCLUDE = os.path.join(ROOT, "include")
WAYS = [("gcc", "c", "c17"), ("g++", "c++", "c++17"), ("clang++-14", "c++", "c++20")]
if os.environ.get("LOCKSTEP_LONG"):
    WAYS = [(compiler, language, standard)
            for c, plus in (("gcc", "g++"), ("clang-14", "clang++-14"), ("clang-19", "clang++-19"))
            for compiler, language, standard in ((c, "c", "c17"), (plus, "c++", "c++17"), (plus, "c++", "c++20"))]


def compile_all(way, include, folder, headers=None):
    """Compiles a file for each header, or these, all with one command; returns what the compiler says."""
    compiler, language, standard = way
    sources = []
    for header in headers or sorted(os.listdir(os.path.join(include, "lockstep"))):
        if language == "c" and header.endswith(".hpp"):
            continue
        sources.append(os.path.join(folder, header + (".c" if language == "c" else ".cpp")))
        with open(sources[-1], "w", encoding="utf-8") as file:
            # Twice: the guard has to hold. ISO C wants a declaration in every file.
            file.write(f"#include <lockstep/{header}>\n#include <lockstep/{header}>\nextern int ls_a_file;\n")
    done = subprocess.run((compiler, f"-std={standard}", "-Wall", "-Wextra", "-pedantic", "-Werror",
                           "-fsyntax-only", f"-I{include}", *sources), text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.stdout if done.returncode else None


class Headers(unittest.TestCase):
    def setUp(self):
        self.work = tempfile.mkdtemp(prefix="lockstep-headers-")
        self.addCleanup(shutil.rmtree, self.work)

    def test_each_compiles_alone(self):
        self.assertGreaterEqual(sum(bool(shutil.which(way[0])) for way in WAYS), 2)
        for way in WAYS:
            with self.subTest(" ".join(way)):
                if not shutil.which(way[0]):
                    print(f"there is no {way[0]}: {way[2]} is left out", file=sys.stderr)
                    self.skipTest(way[0])
                self.assertIsNone(compile_all(way, INCLUDE, self.work))

    def test_faults_in_a_header_are_found(self):
        for planted, says, ways in (
                ("static inline uint8_t *ls_odd(void *m) { return m; }", "ls_odd", ("c++17", "c++20")),
                ("static inline ls_error ls_odd(void) { return (ls_error){{0}}; }", "compound", ("c++17", "c++20")),
                ("static inline FILE *ls_odd(void) { return NULL; }", "FILE", ("c17", "c++17", "c++20"))):
            include = tempfile.mkdtemp(dir=self.work)
            shutil.copytree(os.path.join(INCLUDE, "lockstep"), os.path.join(include, "lockstep"))
            path = os.path.join(include, "lockstep", "entropy.h")
            with open(path, encoding="utf-8") as file:
                text = file.read()
            with open(path, "w", encoding="utf-8") as file:
                file.write(text.replace("#ifdef __cplusplus\nextern", planted + "\n#ifdef __cplusplus\nextern", 1))
            for way in WAYS[:3]:
                said = compile_all(way, include, self.work, ["entropy.h"])
                self.assertEqual(said is not None, way[2] in ways, f"{way} {planted}\n{said}")
                if said:
                    self.assertIn(says, said)


if __name__ == "__main__":
    if "--compilers" in sys.argv: # only the headers themselves, with compilers for another machine
        at = sys.argv.index("--compilers")
        c, plus = sys.argv[at + 1:at + 3]
        WAYS = [(c, "c", "c17"), (plus, "c++", "c++17"), (plus, "c++", "c++20")]
        sys.argv[at:] = ["Headers.test_each_compiles_alone"]
    sys.exit(unittest.main())
