"""The attack table of docs/security.md: reads it, checks it against the tree, runs its tests.

    attack_table.py --check             every row is there, every test that the page names exists
    attack_table.py --build BUILD       runs the tests of the rows and prints row, test, result:
                                        pass, skip (this machine or build cannot run it), FAIL
    attack_table.py --build BUILD 3 33  those rows only
"""
import argparse
import json
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
ROWS = [*range(1, 57), 61, 62, 63, *range(65, 81)]
NAME = re.compile(r"`((?:test|fuzz|simulation)_\w+)`")
# The ctest entry of a test file: (folder, prefix of the entry's name).
PREFIXES = (("tests/unit/server", "test_server_"), ("tests/unit/client", "test_client_"),
            ("tests/integration/cli", "test_cli_"), ("tests/integration", "test_integration_"),
            ("tests/fuzz", "fuzz_"), ("tests/unit", "test_"), ("tests/web", "test_"))


def rows_of(text):
    """{row: its test names} of the table on the page; `5-7` stands for three rows."""
    rows = {}
    for line in text.splitlines():
        found = re.match(r"\| *(\d+)(?:-(\d+))? *\|", line)
        if not found:
            continue
        first = int(found.group(1))
        for row in range(first, int(found.group(2) or first) + 1):
            rows.setdefault(row, []).extend(NAME.findall(line.rsplit("|", 2)[1]))
    return rows


def defined(root):
    """(name, its file) of every test, fuzzer and entry of the simulator in the tree."""
    for folder, _, names in os.walk(os.path.join(root, "tests")):
        for name in names:
            path = os.path.join(folder, name)
            if name == "CMakeLists.txt":
                with open(path, encoding="utf-8") as file:
                    for entry in re.findall(r"add_test\(NAME (simulation_\w+)", file.read()):
                        yield entry, path
            if name.startswith("fuzz_") and name.endswith(".c"):
                yield name[:-2], path
            is_test = name.startswith("test_") or os.path.basename(folder) == "conformance"
            if not is_test or not name.endswith((".c", ".py")):
                continue
            with open(path, encoding="utf-8") as file:
                text = file.read()
            for test in re.findall(r"^(?:TEST\(| +def )(test_\w+)", text, re.MULTILINE):
                yield test, path


def definitions(root):
    """{test name: its file}; of a name that several files have, one of them."""
    return dict(defined(root))


def faults_of(text, found):
    """The faults of the page, as lines."""
    faults = [f"`{name}` is named and exists nowhere"
              for name in sorted(set(NAME.findall(text)) - set(found))]
    rows = rows_of(text)
    faults += [f"row {row} of the attack table is missing" for row in ROWS if row not in rows]
    faults += [f"row {row} of the attack table names no test" for row in rows if not rows[row]]
    return faults


def entry_of(root, name, path):
    """The name of the ctest entry that runs a test of a file."""
    if name.startswith("simulation_"):
        return name
    relative = os.path.relpath(path, root)
    if relative.startswith("tests/conformance/"):
        return "test_conformance"  # one entry for all files of the folder
    stem = os.path.splitext(os.path.basename(relative))[0].split("_", 1)[1]
    if relative == "tests/unit/core/test_match.c":
        return "test_core_match"  # the integration test is named test_match too
    for folder, prefix in PREFIXES:
        if relative.startswith(folder + "/"):
            if stem.startswith("attacks_") and relative.endswith(".c"):
                prefix = "test_"
            return prefix + stem
    raise SystemExit(f"no ctest entry is known for {relative}")


def skipped_of(output, names):
    """The tests that an entry did not run, according to the output of `ctest -V`."""
    text = re.sub(r"(?m)^\d+: ?", "", output)
    if re.search(r"(?m)^\s*\d+/\d+ Test .*\*\*\*Skipped", text):
        return set(names)
    # unittest prints a test's name, and maybe a line of its output; a skipped class is one name.
    classes = re.findall(r"(?m)^setUpClass \((?:\w+\.)*(\w+)\) \.\.\. skipped", text)
    return {name for name in names
            if re.search(rf"(?m)^\[  SKIPPED \] {name}$", text)
            or re.search(rf"(?m)^{name} \([^)\n]*\)(?:\n.*)? \.\.\. skipped\b", text)
            or (classes and not re.search(rf"(?m)^(?:\[.*\] )?{name}\b", text))}


def run(build, wanted):
    """Runs {entry: its tests} with ctest; returns {entry: (passed, skipped tests)}. An entry that is missing in
    the build has not passed."""
    listed = json.loads(subprocess.run(
        ["ctest", "--test-dir", build, "--show-only=json-v1"], check=True, capture_output=True,
        text=True).stdout)
    # A file whose cases run in parallel parts has an entry NAME_I for each.
    known = {re.sub(r"_\d$", "", test["name"]) for test in listed["tests"]}
    results = {entry: (False, set()) for entry in wanted}
    for entry in sorted(set(wanted) & known):
        done = subprocess.run(["ctest", "--test-dir", build, "-V", "-R", rf"^{entry}(_\d)?$"], check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              errors="replace")
        results[entry] = (done.returncode == 0, skipped_of(done.stdout, wanted[entry]))
    return results


def judge(name, result):
    passed, skipped = result
    return "FAIL" if not passed else "skip" if name in skipped else "pass"


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", default=ROOT)
    parser.add_argument("--build", help="a build folder whose tests are built")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("rows", nargs="*", type=int)
    arguments = parser.parse_args()
    with open(os.path.join(arguments.root, "docs", "security.md"), encoding="utf-8") as file:
        text = file.read()
    found = definitions(arguments.root)
    faults = faults_of(text, found)
    for fault in faults:
        print("docs/security.md: " + fault)
    if faults or not arguments.build:
        return 1 if faults else 0
    rows = {row: names for row, names in sorted(rows_of(text).items())
            if not arguments.rows or row in arguments.rows}
    entries = {name: entry_of(arguments.root, name, found[name]) for names in rows.values()
               for name in names}
    wanted = {}
    for name, entry in entries.items():
        wanted.setdefault(entry, set()).add(name)
    results = run(arguments.build, wanted)
    words = {name: judge(name, results[entry]) for name, entry in entries.items()}
    for row, names in rows.items():
        for name in names:
            print(f"{row:3}  {words[name]}  {name}")
    failed = sorted(entry for entry, (passed, _) in results.items() if not passed)
    print(f"{len(rows)} rows, {len(entries)} tests in {len(results)} programmes, "
          f"skipped: {list(words.values()).count('skip')}, failed: {', '.join(failed) or 'none'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
