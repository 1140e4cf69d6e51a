"""The tables of docs/texts.md: every test that they name exists and runs, and every row names one or says why not.

    text_table.py    prints the faults
"""
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests", "security"))
import attack_table  # noqa: E402  it knows which tests exist

PAGE = os.path.join(ROOT, "docs", "texts.md")
TEXTS = 5
FILE = re.compile(r"`(test_\w+)` \((test_\w+\.\w+)\)")


def tables_of(text):
    """[(heading, [cells of a row])] of the page, without the rows of headings."""
    tables = []
    for section in re.split(r"(?m)^## ", text)[1:]:
        heading, _, body = section.partition("\n")
        rows = [[cell.strip() for cell in line.strip().strip("|").split("|")]
                for line in body.splitlines() if line.startswith("|")]
        tables.append((heading, rows[2:]))
    return tables


def tests_of(root):
    """{test name: the names of the files that have such a test}."""
    tests = {}
    for name, path in attack_table.defined(root):
        tests.setdefault(name, set()).add(os.path.basename(path))
    return tests


def is_in_file(name, test_file, tests):
    """Whether a test is in the file that the page gives, or without one in the file that its name begins with."""
    if test_file:
        return test_file in tests[name]
    return any(name.startswith(os.path.splitext(file)[0] + "_") for file in tests[name])


def row_faults(heading, row, tests):
    at = f"{heading}: \"{row[-3]}\""
    names = attack_table.NAME.findall(row[-1])
    files = dict(FILE.findall(row[-1]))
    faults = [f"{at}: `{name}` exists nowhere" for name in names if name not in tests]
    faults += [f"{at}: `{name}` is not in that file" for name in names
               if name in tests and not is_in_file(name, files.get(name), tests)]
    if not names and not row[-2].startswith("not built: "):
        faults.append(f"{at}: no test")
    return faults


def faults_of(text, tests):
    """The faults of the page, as lines."""
    tables = tables_of(text)
    faults = [] if len(tables) > TEXTS else [f"{len(tables)} tables, for {TEXTS} texts and the rest"]
    for heading, rows in tables:
        if not rows:
            faults.append(f"{heading}: no rows")
        for row in rows:
            faults += row_faults(heading, row, tests)
    return faults


def main():
    with open(PAGE, encoding="utf-8") as file:
        faults = faults_of(file.read(), tests_of(ROOT))
    for fault in faults:
        print("docs/texts.md: " + fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
