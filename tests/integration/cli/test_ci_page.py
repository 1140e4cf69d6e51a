"""Runs the script and the workflow of docs/ci.md with a small simulation."""
import os
import re
import shutil
import socket
import subprocess
import sys
import unittest
import xml.etree.ElementTree

from case import BINARY, DIVERGED, GOOD, TIMEOUT_S, USAGE, Case, main

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.abspath(os.path.join(HERE, "..", "..", ".."))
sys.path.insert(0, os.path.join(ROOT, "tests", "tutorial"))
from fences import files

BUILD = os.path.abspath(os.path.join(os.path.dirname(BINARY), ".."))
PATIENCE_S = 1200  # two compilers build, perhaps on a busy machine
STEP = re.compile(r"^      - name: (\w+)\n        run: (\|\n(?:          [^\n]*\n)+|[^\n]*\n)",
                  re.MULTILINE)


def read(*parts):
    with open(os.path.join(ROOT, *parts), encoding="utf-8") as file:
        return file.read()


FILES = files(read("docs", "ci.md"))
STEPS = {name: re.sub(r"^\|\n", "", code) for name, code in STEP.findall(FILES["determinism.yml"])}


def packages(text):
    """The packages of the first apt-get install."""
    words = re.search(r"apt-get -qq install ((?:[^\\\n>&]|\\\n)*)", text).group(1)
    return {word for word in re.split(r"[\s\\]+", words)
            if re.match(r"^[a-z0-9]", word)}


def free_port():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Page(Case):
    def lay_out(self, source):
        """Creates a user's folder with the page's files, and an installed lockstep."""
        shutil.copy(os.path.join(HERE, source), self.path("mygame.c"))
        for name, text in FILES.items():
            text = text.replace("7801", str(free_port()))
            with open(self.path(name), "w", encoding="utf-8") as file:
                file.write(text)
        installed = self.path("installed")
        subprocess.run(["cmake", "--install", BUILD, "--prefix", installed], check=True,
                       stdout=subprocess.DEVNULL, timeout=TIMEOUT_S)
        return os.environ | {"PATH": os.path.join(installed, "bin") + ":" + os.environ["PATH"],
                             "CMAKE_PREFIX_PATH": installed, "HOME": self.folder}

    def follow(self, source, code):
        """Runs the step of the workflow that calls the script."""
        env = self.lay_out(source)
        done = subprocess.run(["bash", "-e", "-c", STEPS["Determinism"]], cwd=self.folder, env=env,
                              capture_output=True, text=True, timeout=PATIENCE_S, check=False)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout

    def suite(self, name):
        root = xml.etree.ElementTree.parse(self.path("results", name)).getroot()
        return root.find("testsuite")

    @unittest.skipUnless(shutil.which("clang") and shutil.which("gcc"), "two compilers")
    def test_a_simulation_that_is_deterministic(self):
        out = self.follow("drift_sim.c", GOOD)
        self.assertRegex(out, r"(?m)^drift: \d+ runs, \d+ ticks, 0 failed$")
        self.assertRegex(out, r"(?m)^other .* good")
        self.assertIn("verified ticks=200 ", out)
        for name, least in (("check.xml", 20), ("verify.xml", 1)):
            suite = self.suite(name)
            self.assertEqual(suite.get("failures"), "0")
            self.assertGreaterEqual(int(suite.get("tests")), least)
        # Everything here is uploaded, so no secret may be in it.
        self.assertEqual(set(os.listdir(self.path("results"))),
                         {"check.xml", "verify.xml", "recordings"})

    @unittest.skipUnless(shutil.which("clang") and shutil.which("gcc"), "two compilers")
    def test_a_simulation_that_is_not(self):
        with open(os.path.join(HERE, "faulty_sim.c"), encoding="utf-8") as file:
            text = "#define _FAULTY_STATIC\n" + file.read()
        with open(self.path("static.c"), "w", encoding="utf-8") as file:
            file.write(text)
        out = self.follow(self.path("static.c"), DIVERGED)
        self.assertIn("again: lockstep check --sim build/gcc/mygame.so", out)
        self.assertGreater(int(self.suite("check.xml").get("failures")), 0)

    @unittest.skipUnless(shutil.which("clang") and shutil.which("gcc"), "two compilers")
    def test_the_script_ends_when_no_client_can_join(self):
        env = self.lay_out("drift_sim.c")
        script = FILES["determinism.sh"].replace("lockstep join", "lockstep join --no-such-option")
        self.assertNotEqual(script, FILES["determinism.sh"])
        with open(self.path("determinism.sh"), "w", encoding="utf-8") as file:
            file.write(script)
        done = subprocess.run(["sh", "determinism.sh"], cwd=self.folder, env=env,
                              capture_output=True, text=True, timeout=PATIENCE_S, check=False)
        self.assertEqual(done.returncode, USAGE, done.stdout + done.stderr)

    def test_the_workflow_asks_for_what_a_build_needs(self):
        self.assertEqual(set(STEPS), {"Packages", "Lockstep", "Determinism"})
        missing = packages(read("docker", "Dockerfile")) - packages(STEPS["Packages"])
        self.assertEqual(missing, set())
        self.assertLessEqual({"clang", "git", "ca-certificates"}, packages(STEPS["Packages"]))
        self.assertIn("libzstd-dev", packages(STEPS["Packages"]))
        # CMake's default generator needs make, which CMake's package only recommends.
        self.assertIn("make", packages(STEPS["Packages"]))
        for option in re.findall(r"-D(LOCKSTEP_\w+)=", STEPS["Lockstep"]):
            self.assertIn(option, read("CMakeLists.txt"))
        self.assertIn("path: results/", FILES["determinism.yml"])


main()
