#!/usr/bin/env python3
"""Counts the instructions of a tick of the benchmark's battle on one thread, and compares them with counts.txt. Unlike times they
repeat on a busy machine. A count belongs to a compiler, its version, the type of the build and the kind of machine;
for any other the test skips itself and says so.

  test_instructions.py --bench PROGRAM --build TEXT            fails if the count has grown by more than 2 %
  test_instructions.py --bench PROGRAM --build TEXT --update   writes the count into counts.txt
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
COUNTS = os.path.join(HERE, "counts.txt")
SKIPPED = 77
PERCENT_MAX = 2
# ./bench makes a run to warm up and one that it measures. In each, both rows of benches/core/battle.c play 4 ticks
# with 50,000 units (TICKS and UNITS there).
UNIT_TICKS = 2 * 2 * 4 * 50000


def kept_counts():
    """The instructions for a unit and tick, by build."""
    with open(COUNTS, encoding="utf-8") as file:
        rows = [line.rsplit(None, 1) for line in file if line.strip() and not line.startswith("#")]
    return {build: float(count) for build, count in rows}


def write_count(build, count):
    with open(COUNTS, encoding="utf-8") as file:
        head = [line for line in file if line.startswith("#")]
    rows = kept_counts()
    rows[build] = count
    with open(COUNTS, "w", encoding="utf-8") as file:
        file.writelines(head + [f"{key} {rows[key]:.1f}\n" for key in sorted(rows)])


def measure(bench):
    with tempfile.TemporaryDirectory(prefix="lockstep-instructions-") as folder:
        ran = subprocess.run(["valgrind", "--tool=callgrind", "--toggle-collect=scene_tick",
                              "--callgrind-out-file=" + os.path.join(folder, "out"), bench, "core", "--only", "battle",
                              "--runs", "1", "--attempts", "1", "--threads", "1"],
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    found = re.search(r"Collected : (\d+)", ran.stdout)
    if ran.returncode != 0 or not found or int(found.group(1)) == 0:
        sys.exit(f"valgrind counted nothing:\n{ran.stdout}")
    return int(found.group(1)) / UNIT_TICKS


def verdict(kept, count):
    """None if the count is accepted, else why not."""
    grown = (count / kept - 1) * 100
    if grown <= PERCENT_MAX:
        return None
    return (f"a tick of the battle takes {count:.1f} instructions for a unit instead of {kept:.1f}, {grown:.1f} % more; "
            f"up to {PERCENT_MAX} % pass. Find out why, or accept it with --update and say so in the commit")


def check_the_verdict():
    for count, is_accepted in ((500, True), (1000, True), (1019, True), (1021, False), (3000, False)):
        if (verdict(1000, count) is None) != is_accepted:
            sys.exit(f"a count of {count} instead of 1000 is judged wrongly")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bench", required=True)
    parser.add_argument("--build", required=True)
    parser.add_argument("--update", action="store_true")
    options = parser.parse_args()
    check_the_verdict()
    kept = kept_counts()
    if not shutil.which("valgrind"):
        print("skipped: valgrind is not installed")
        return SKIPPED
    if options.build not in kept and not options.update:
        print(f"skipped: counts.txt has no count of \"{options.build}\", only of {', '.join(kept)}")
        return SKIPPED
    count = measure(options.bench)
    print(f"{options.build}: {count:.1f} instructions for a unit and tick, kept {kept.get(options.build)}")
    if options.update:
        write_count(options.build, count)
        return 0
    why = verdict(kept[options.build], count)
    if why:
        print(why)
    return 1 if why else 0


if __name__ == "__main__":
    sys.exit(main())
