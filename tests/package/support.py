"""What the tests of the package share: their options, commands that must succeed, and servers."""
import argparse
import os
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "tests", "tutorial"))
_PARSER = argparse.ArgumentParser()
_PARSER.add_argument("--build", required=True)
_PARSER.add_argument("--compiler", default="cc")
OPTIONS, _REST = _PARSER.parse_known_args()
BINARY = os.path.join(OPTIONS.build, "cli", "lockstep")
CPP_BUILT = os.path.join(OPTIONS.build, "examples", "cpp")


def main():
    unittest.main(argv=[sys.argv[0], *_REST])


def run(*command, env=None):
    result = subprocess.run(command, text=True, check=False, env=env, timeout=900,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if result.returncode != 0:
        raise AssertionError(f"{' '.join(command)}: exit {result.returncode}\n{result.stdout}")
    return result.stdout


def start(case, *command, stdout=subprocess.PIPE):
    """A process that ends with the test."""
    process = subprocess.Popen(command, text=True, stdout=stdout, stderr=subprocess.DEVNULL)
    case.addCleanup(process.communicate)
    case.addCleanup(process.kill)
    return process


def serve(case, simulation, *options, binary=BINARY):
    """A server on loopback, and its HOST:PORT#KEY."""
    server = start(case, binary, "serve", "--sim", simulation, "--bind", "127.0.0.1", "--port", "0", "--temporary-identity",
                   *options)
    return server, server.stdout.readline().split()[1]


def join_bots(case, address, simulation, known_servers, count=2):
    return start(case, BINARY, "join", address, "--sim", simulation, "--bots", str(count), "--quiet", "--known-servers",
                 known_servers, stdout=subprocess.DEVNULL)


def _shared_object(folder, name, source, *flags):
    path = os.path.join(folder, name)
    with open(path + ".c", "w", encoding="utf-8") as file:
        file.write(source)
    run(OPTIONS.compiler, "-shared", "-fPIC", "-O1", "-ffp-contract=off", f"-I{ROOT}/include", *flags, path + ".c", "-o", path)
    return path


def wrong_libraries(folder, abi):
    """[(path of a library that a binding refuses, status, what it says)]."""
    def with_abi(name, number):
        return _shared_object(folder, name, f"unsigned ls_library_abi(void);\nunsigned ls_library_abi(void) {{ return {number}; }}\n")
    return [
        ("/nonexistent/liblockstep.so", "LS_ERROR_NOT_FOUND",
         f"/nonexistent/liblockstep.so cannot be loaded .*; install Lockstep, or set LOCKSTEP_LIBRARY to the path of liblockstep.so.{abi}"),
        (_shared_object(folder, "odd.so", "int odd;\n"), "LS_ERROR_INCOMPATIBLE",
         r"odd.so is not Lockstep's library: it has no ls_library_abi\(\); set LOCKSTEP_LIBRARY to "),
        (with_abi("other.so", 99), "LS_ERROR_INCOMPATIBLE",
         f"other.so has LS_ABI 99, this binding was made for {abi}; use liblockstep.so.{abi}, or the binding that is installed "),
        (with_abi("old.so", abi), "LS_ERROR_INCOMPATIBLE",
         r"old.so lacks ls_\w+\(\): it is older than this binding; use the binding that is installed with "),
    ]


def wrong_modules(folder):
    """[(path of what is no fitting simulation, status, what a binding says)]. The fitting one is counter.c."""
    with open(os.path.join(HERE, "consumer", "counter.c"), encoding="utf-8") as file:
        counter = file.read()
    def planted(name, old="", new="", *flags):
        assert old in counter
        return _shared_object(folder, name, counter.replace(old, new) if old else counter + new, *flags)
    text = os.path.join(folder, "text.so")
    with open(text, "w", encoding="utf-8") as file:
        file.write("no module\n")
    return [
        ("/nonexistent.so", "LS_ERROR_NOT_FOUND", "/nonexistent.so: no such file"),
        (text, "LS_ERROR_INCOMPATIBLE", "text.so cannot be loaded .*; rebuild it against this version"),
        (planted("newer.so", "", "\nvoid ls_of_tomorrow(void);\nvoid *tomorrow = (void *)ls_of_tomorrow;\n"),
         "LS_ERROR_INCOMPATIBLE", "undefined symbol: ls_of_tomorrow"),
        (_shared_object(folder, "no.so", "int no;\n"), "LS_ERROR_USAGE",
         r"no.so is no simulation: it has no ls_sim_export\(\); build it with lockstep_add_simulation\(\)"),
        (planted("old_sim.so", ".abi = LS_SIM_ABI", ".abi = 5u << 16"), "LS_ERROR_INCOMPATIBLE", "was built for ABI 5 .* rebuild it"),
        (planted("fused.so", "", "", "-ffp-contract=fast", "-mfma", "-O2"), "LS_ERROR_INCOMPATIBLE", "-ffp-contract=off"),
    ]
