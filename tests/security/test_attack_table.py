"""The table of the page is complete, and the check reports a planted fault."""
import os
import re
import sys
import unittest

import attack_table

sys.path.insert(0, os.path.join(attack_table.ROOT, "tests", "mutants"))
from faults import FAULTS # pylint: disable=wrong-import-position

PAGE = os.path.join(attack_table.ROOT, "docs", "security.md")


class Table(unittest.TestCase):
    def setUp(self):
        with open(PAGE, encoding="utf-8") as file:
            self.text = file.read()
        self.found = attack_table.definitions(attack_table.ROOT)

    def test_the_page_is_true(self):
        self.assertEqual(attack_table.faults_of(self.text, self.found), [])

    def test_every_test_has_an_entry(self):
        for names in attack_table.rows_of(self.text).values():
            for name in names:
                self.assertTrue(attack_table.entry_of(attack_table.ROOT, name, self.found[name]))

    def test_a_missing_row_is_found(self):
        lines = [line for line in self.text.splitlines() if not line.startswith("| 38 |")]
        self.assertEqual(attack_table.faults_of("\n".join(lines), self.found),
                         ["row 38 of the attack table is missing"])

    def test_an_invented_test_is_found(self):
        text = self.text + "\nand `test_that_nobody_wrote`\n"
        self.assertEqual(attack_table.faults_of(text, self.found),
                         ["`test_that_nobody_wrote` is named and exists nowhere"])

    def test_the_proofs_of_each_attack_exist(self):
        def read(*parts):
            with open(os.path.join(attack_table.ROOT, *parts), encoding="utf-8") as file:
                return file.read()
        table = read("docs", "testing.md").split("### From an attack to its proofs\n")[1].split("\n### ")[0]
        mutants = {fault.name for fault in FAULTS}
        rows = attack_table.rows_of(self.text)
        lines = [line.strip("| ").split(" | ") for line in table.splitlines() if line.startswith("|")][2:]
        self.assertGreater(len(lines), 10)
        for attack, _, row, planted, killed in lines:
            self.assertIn(int(row), rows, attack)
            self.assertLessEqual(set(re.findall("`([^`]+)`", killed)), mutants, attack)
            self.assertTrue(planted.startswith("none: ") or "`" in planted, attack)
            for name, faults in re.findall(r"(\w+): ((?:`[A-Z_]+`(?:, )?)+)", planted):
                model = read("tests", "models", name + ".pml")
                for fault in re.findall("`(.+?)`", faults):
                    self.assertRegex(model, rf"\bFAULT_{fault}\b", attack)

    def test_an_entry_of_the_simulator_is_a_test(self):
        row = "| 38 | the address | is followed | `simulation_enet`, `simulation_seeds` |\n"
        self.assertEqual(attack_table.rows_of(row), {38: ["simulation_enet", "simulation_seeds"]})
        self.assertEqual(attack_table.entry_of(attack_table.ROOT, "simulation_enet", self.found["simulation_enet"]),
                         "simulation_enet")
        self.assertEqual(attack_table.faults_of(self.text + "\nand `simulation_invented`\n", self.found),
                         ["`simulation_invented` is named and exists nowhere"])

    def test_a_row_without_a_test_is_found(self):
        row = next(line for line in self.text.splitlines() if line.startswith("| 38 |"))
        text = self.text.replace(row, "| 38 | the address | is followed | none |")
        self.assertEqual(attack_table.faults_of(text, self.found),
                         ["row 38 of the attack table names no test"])

    # Output of ctest -V: lines of cmocka, and of unittest with and without a line of a test's output.
    SHOWN = """
7: Test command: /usr/bin/python3 "test_x.py"
7: [       OK ] test_good
7: [  SKIPPED ] test_left_out
7: test_plain (__main__.Case.test_plain) ... ok
7: test_plain_left_out (__main__.Case.test_plain_left_out) ... skipped 'no rights'
7: test_told (__main__.Case.test_told)
7: What it shows ... in words. ... ok
7: test_told_left_out (__main__.Case.test_told_left_out)
7: What it shows. ... skipped "a sanitizer"
1/1 Test #7: test_x .......................   Passed    0.10 sec
"""

    def test_a_skipped_test_has_not_passed(self):
        names = {"test_good", "test_plain", "test_told"}
        left_out = {"test_left_out", "test_plain_left_out", "test_told_left_out"}
        self.assertEqual(attack_table.skipped_of(self.SHOWN, names | left_out), left_out)
        words = [attack_table.judge(name, (passed, left_out))
                 for passed in (True, False) for name in ("test_good", "test_left_out")]
        self.assertEqual(words, ["pass", "skip", "FAIL", "FAIL"])

    def test_skipped_tests_are_one(self):
        shown = self.SHOWN.replace("   Passed ", "***Skipped ")
        self.assertEqual(attack_table.skipped_of(shown, {"test_good"}), {"test_good"})
        shown = self.SHOWN + "7: setUpClass (__main__.Other) ... skipped 'no rights'\n"
        self.assertEqual(attack_table.skipped_of(shown, {"test_good", "test_told", "test_other"}),
                         {"test_other"})


if __name__ == "__main__":
    unittest.main(verbosity=2)
