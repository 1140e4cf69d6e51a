#!/usr/bin/env python3
"""Counts the instructions of some rows of the benchmarks on one thread, and compares them with counts.txt. Unlike times they
repeat on a busy machine. A count belongs to a compiler, its version, the type of the build and the kind of machine;
for any other the test skips itself and says so.

  test_instructions.py --bench PROGRAM --build TEXT            fails if a count has grown by more than 2 %
  test_instructions.py --bench PROGRAM --build TEXT --update   writes the counts into counts.txt
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
# What is counted: a word for it, the suite, its rows, the function that counts and how many units it makes. ./bench
# makes a run to warm up and one that it measures. The four rows of benches/core/battle.c play 8 ticks each with 50,000 units
# (TICKS and UNITS there); the empty world plays 1,000 ticks; 200 ticks have LS_STAGES_MAX stages. Four groups despawn:
# one by one, many per call, and twice concurrently.
ENTITIES = 16384  # in the other rows of the suite "core"
MEASURES = (
    ("battle", "core", "battle", "scene_tick", 2 * 4 * 8 * 50000, "a unit and tick of the battle"),
    ("empty", "core", "empty world", "scene_tick", 2 * 1000, "a tick of an empty world"),
    ("stage", "schedule", "stage of one system, 64", "scene_tick", 2 * 200 * 64, "a stage of one system"),
    ("spawn", "core", "spawn with two", "work", 2 * ENTITIES, "to spawn with two components, and to despawn, by handle"),
    ("sweep", "core", "spawn with two", "ls_despawn_sweep", 2 * 4 * ENTITIES, "an entity that ends at the sync point"),
    ("build", "schedule", "building 1,000", "ls_program_create", 1, "building 10, 100, 300 and 1,000 systems"),
    ("check", "schedule", "checking 1,000", "ls_program_check", 1, "checking 1,000 systems"),
)


def kept_counts():
    """The instructions of a unit, by build and word."""
    with open(COUNTS, encoding="utf-8") as file:
        rows = [line.rsplit(None, 2) for line in file if line.strip() and not line.startswith("#")]
    return {(build, word): float(count) for build, word, count in rows}


def write_counts(build, counts):
    with open(COUNTS, encoding="utf-8") as file:
        head = [line for line in file if line.startswith("#")]
    rows = kept_counts()
    rows.update({(build, word): count for word, count in counts.items()})
    with open(COUNTS, "w", encoding="utf-8") as file:
        file.writelines(head + [f"{key[0]} {key[1]} {rows[key]:.1f}\n" for key in sorted(rows)])


def measure(bench, suite, only, function, units):
    entities = ["--entities", str(ENTITIES)] if suite == "core" else []
    with tempfile.TemporaryDirectory(prefix="lockstep-instructions-") as folder:
        ran = subprocess.run(["valgrind", "--tool=callgrind", "--toggle-collect=" + function,
                              "--callgrind-out-file=" + os.path.join(folder, "out"), bench, suite, "--only", only,
                              "--runs", "1", "--attempts", "1", "--threads", "1", *entities],
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    found = re.search(r"Collected : (\d+)", ran.stdout)
    if ran.returncode != 0 or not found or int(found.group(1)) == 0:
        sys.exit(f"valgrind counted nothing:\n{ran.stdout}")
    return int(found.group(1)) / units


def verdict(what, kept, count):
    """None if the count is accepted, else why not."""
    grown = (count / kept - 1) * 100
    if grown <= PERCENT_MAX:
        return None
    return (f"{what} takes {count:.1f} instructions instead of {kept:.1f}, {grown:.1f} % more; "
            f"up to {PERCENT_MAX} % pass. Find out why, or accept it with --update and say so in the commit")


def check_the_verdict():
    for count, is_accepted in ((500, True), (1000, True), (1019, True), (1021, False), (3000, False)):
        if (verdict("a tick", 1000, count) is None) != is_accepted:
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
    if not options.update and all(build != options.build for build, _ in kept):
        builds = ", ".join(sorted({build for build, _ in kept}))
        print(f"skipped: counts.txt has no count of \"{options.build}\", only of {builds}")
        return SKIPPED
    counts, refusals = {}, []
    for word, suite, only, function, units, what in MEASURES:
        counts[word] = measure(options.bench, suite, only, function, units)
        before = kept.get((options.build, word))
        print(f"{options.build}: {what} takes {counts[word]:.1f} instructions, kept {before}")
        if not options.update:
            refusals.append(verdict(what, before, counts[word]))
    if options.update:
        write_counts(options.build, counts)
    refusals = [refusal for refusal in refusals if refusal]
    for refusal in refusals:
        print(refusal)
    return 1 if refusals else 0


if __name__ == "__main__":
    sys.exit(main())
