#!/usr/bin/env python3
"""The table of mistakes in docs/ecs-reference.md: each row's code does not compile, and what each compiler says has
the words of the row. The page's own block of definitions is in front of it."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests", "tutorial"))
from fences import fences

PAGE = os.path.join(ROOT, "docs", "ecs-reference.md")
WAYS = [("gcc", "-std=c17", "-Wall"), ("clang-14", "-std=c17", "-Wall"), ("clang-19", "-std=c17", "-Wall"),
        ("g++", "-std=c++17", "-x", "c++"), ("clang++-14", "-std=c++17", "-x", "c++")]
ROW = re.compile(r"^\| (`.*`) \| (.*) \|$")
CODE = re.compile(r"`([^`]+)`")
BODY = "void use(ls_context *context, ls_entity entity);\nvoid use(ls_context *context, ls_entity entity)\n{{\n{}\n}}\n"


def read_page():
    with open(PAGE, encoding="utf-8") as file:
        text = file.read()
    table = text.split("| mistake | message |", 1)[1].split("\n\n", 1)[0]
    rows = [ROW.match(line) for line in table.splitlines()]
    rows = [(CODE.findall(row.group(1))[0], CODE.findall(row.group(2))) for row in rows if row]
    definitions = [fence.body for fence in fences(text) if fence.words == "definitions"]
    return definitions[0], rows


def program(definitions, code):
    """Code that is a definition stays at file scope; other code goes into a function, after an LS_USES of its own or
    that of the list `walking`."""
    if re.match(r"LS_(COMPONENT|SINGLETON|EVENT|TAG|TERMS|ENUM|PREFABS|OPERATIONS|STATES)", code):
        body = code + ";"
    else:
        lines = code.split("; ")
        if not code.startswith("LS_USES") and "without" not in code:
            lines.insert(0, "LS_USES(context, walking)")
        body = BODY.format("\n".join(f"    {line};" for line in lines if not line.startswith("/*")))
    return f"#include <lockstep/lockstep.h>\n{definitions}{body}\n"


def compile_as(way, folder, text):
    path = os.path.join(folder, "mistake.c")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return subprocess.run((*way, "-I" + os.path.join(ROOT, "include"), "-fsyntax-only", path), text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env={**os.environ, "LC_ALL": "C"})


class Mistakes(unittest.TestCase):
    def setUp(self):
        self.work = tempfile.mkdtemp(prefix="lockstep-mistakes-")
        self.addCleanup(shutil.rmtree, self.work)
        self.definitions, self.rows = read_page()
        self.ways = [way for way in WAYS if shutil.which(way[0])]
        self.assertGreaterEqual(len(self.ways), 3)

    def test_the_definitions_compile(self):
        for way in self.ways:
            done = compile_as(way, self.work, program(self.definitions, "LS_WRITE(context, place, entity)->x = 1"))
            self.assertEqual((done.returncode, done.stdout), (0, ""), way)

    def test_each_mistake_has_its_message(self):
        """With gcc, clang and one more compiler; in ./test --long with each."""
        self.assertGreaterEqual(len(self.rows), 12)
        for number, (code, words) in enumerate(self.rows):
            others = self.ways[2:]
            ways = self.ways if os.environ.get("LOCKSTEP_LONG") else self.ways[:2] + [others[number % len(others)]]
            for way in ways:
                with self.subTest(code=code, way=way[0]):
                    text = program(self.definitions, code)
                    done = compile_as(way, self.work, text)
                    self.assertNotEqual(done.returncode, 0, text)
                    self.assertTrue(words)
                    for word in words:
                        self.assertIn(word, done.stdout)
                    # The first error is at the line of the mistake.
                    first = [line for line in done.stdout.splitlines() if "error:" in line][0]
                    self.assertIn("mistake.c:", first)


if __name__ == "__main__":
    unittest.main()
