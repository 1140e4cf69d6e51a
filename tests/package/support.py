"""What the tests of the package share: their options, commands that must succeed, and servers."""
import argparse
import os
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
_PARSER = argparse.ArgumentParser()
_PARSER.add_argument("--build", required=True)
_PARSER.add_argument("--compiler", default="cc")
OPTIONS, _REST = _PARSER.parse_known_args()
BINARY = os.path.join(OPTIONS.build, "cli", "lockstep")
CPP_BUILT = os.path.join(OPTIONS.build, "examples", "cpp")


def main():
    unittest.main(argv=[sys.argv[0], *_REST])


def run(*command, env=None):
    result = subprocess.run(command, text=True, check=False, env=env, timeout=120,
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
