"""The tables of docs/texts.md are true, and the check reports planted faults."""
import unittest

import text_table


class Table(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.tests = text_table.tests_of(text_table.ROOT)
        with open(text_table.PAGE, encoding="utf-8") as file:
            cls.text = file.read()

    def expect(self, old, new, fault):
        self.assertIn(old, self.text)
        faults = text_table.faults_of(self.text.replace(old, new, 1), self.tests)
        self.assertEqual(len(faults), 1, faults)
        self.assertIn(fault, faults[0])

    def test_the_tables_are_true(self):
        self.assertEqual(text_table.faults_of(self.text, self.tests), [])

    def test_a_table_that_is_missing_is_found(self):
        text = "".join("## " + part for part in self.text.split("## ")[1:text_table.TEXTS])
        faults = text_table.faults_of(text, self.tests)
        self.assertEqual(faults, ["4 tables, for 5 texts and the rest"])

    def test_an_invented_test_of_a_table_is_found(self):
        self.expect("`test_start_reads_what_was_there_across_pages`", "`test_that_was_not_written`",
                    "concurrent production: all invocations see the state at the start\": "
                    "`test_that_was_not_written` exists nowhere")

    def test_a_test_of_another_file_is_found(self):
        self.expect("`test_data_has_its_shape` (test_graph.py)", "`test_data_has_its_shape` (test_trace.py)",
                    "`test_data_has_its_shape` is not in that file")
        self.expect("`test_data_has_its_shape` (test_graph.py)", "`test_data_has_its_shape`",
                    "`test_data_has_its_shape` is not in that file")

    def test_an_ability_without_a_test_is_found(self):
        self.expect("`test_baseline_stays_while_its_system_is_off`", "", "no test")
        self.expect("| not built: columns instead", "| columns instead", "no test")


if __name__ == "__main__":
    unittest.main(verbosity=2)
