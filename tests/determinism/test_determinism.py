#!/usr/bin/env python3
"""Compares this build's results with those that every build must give: the digests of digests.txt, run
serially, on threads, shuffled and through snapshots, and the recordings of replays/golden/.

    test_determinism.py --binary build/release/cli/lockstep            compares
    test_determinism.py --binary build/tsan/cli/lockstep --threads     only what runs on several threads
    test_determinism.py --binary build/release/cli/lockstep --update   rewrites both. The commit must say
        why results change, and raise LS_ENGINE_RULES or the simulation's version
"""
import argparse
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
DIGESTS = os.path.join(HERE, "digests.txt")
GOLDEN = os.path.join(os.path.dirname(os.path.dirname(HERE)), "replays", "golden")

# Variants that must give the same result. Each seed of the shuffle selects one legal order of systems and
# pages.
WAYS = ([], ["--threads=2"], ["--threads=4"], ["--shuffle=1"], ["--shuffle=2"], ["--roundtrip"])
WAYS_ON_THREADS = (["--threads=4"],)
LONG_WAYS = tuple([f"--shuffle={seed}"] for seed in range(3, 100))


def run(binary, *arguments):
    result = subprocess.run([binary, *arguments], text=True, check=False, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT)
    return result.returncode, result.stdout


def digest(binary, arguments):
    status, out = run(binary, "run", *arguments)
    found = re.search(r"\bdigest=([0-9a-f]{16})\b", out)
    return found.group(1) if status == 0 and found else f"none, exit {status}: {out}"


def read_digests():
    """(expected digest, arguments of `lockstep run`) of each line of digests.txt, without comments."""
    with open(DIGESTS, encoding="utf-8") as file:
        lines = [line.split() for line in file if line.strip() and not line.startswith("#")]
    return [(words[0], words[1:]) for words in lines]


def compare(binary, ways, verify_ways):
    wrong = 0
    for expected, arguments in read_digests():
        for way in ways:
            found = digest(binary, arguments + way)
            if found != expected:
                wrong += 1
                print(f"WRONG {' '.join(arguments + way)}: {found}, every build gives {expected}")
        print(f"{' '.join(arguments)}: {len(ways)} ways")
    recordings = sorted(glob.glob(os.path.join(GOLDEN, "*.lsr")))
    for recording in recordings:
        # --any-build: the sources may have changed, but results may not.
        for way in verify_ways:
            status, out = run(binary, "verify", "--any-build", *way, recording)
            if status != 0:
                wrong += 1
                print(f"WRONG {recording}: exit {status}: {out}")
        print(f"{os.path.basename(recording)}: verified")
    if not recordings:
        wrong += 1
        print(f"no recording in {GOLDEN}")
    return wrong


def record(binary, name, serve_arguments):
    """Plays a short match of four bots and keeps its recording under `name`."""
    work = tempfile.mkdtemp(prefix="lockstep-golden-")
    known = os.path.join(work, "known_servers")
    server = subprocess.Popen(
        [binary, "serve", "--bind", "127.0.0.1", "--port", "0", "--wait", "4", "--quiet",
         "--record", work, "--identity", os.path.join(work, "identity"), *serve_arguments],
        text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    address = server.stdout.readline().split()[1]
    status, out = run(binary, "join", address, "--sim", serve_arguments[1], "--bots", "4", "--quiet",
                      "--known-servers", known)
    server.communicate(timeout=30)
    if status != 0 or server.returncode != 0:
        raise SystemExit(f"no golden match: {out}")
    os.makedirs(GOLDEN, exist_ok=True)
    shutil.move(glob.glob(os.path.join(work, "*.lsr"))[0], os.path.join(GOLDEN, name))
    shutil.rmtree(work)


def update(binary):
    with open(DIGESTS, encoding="utf-8") as file:
        lines = file.readlines()
    with open(DIGESTS, "w", encoding="utf-8") as file:
        for line in lines:
            words = line.split()
            if words and not line.startswith("#"):
                line = " ".join([digest(binary, words[1:]), *words[1:]]) + "\n"
            file.write(line)
    for sim in ("skirmish", "regatta"):
        record(binary, f"{sim}.lsr",
               ["--sim", sim, "--seed", "1", "--ticks", "600", "--tick-rate", "120"])
    return 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--threads", action="store_true", help="only runs on several threads")
    options = parser.parse_args()
    binary = os.path.abspath(options.binary)
    if options.update:
        return update(binary)
    ways = WAYS + (LONG_WAYS if os.environ.get("LOCKSTEP_LONG") else ())
    verify_ways = ([], ["--threads=2"])
    if options.threads:
        ways, verify_ways = WAYS_ON_THREADS, verify_ways[1:]
    return 1 if compare(binary, ways, verify_ways) else 0


if __name__ == "__main__":
    sys.exit(main())
