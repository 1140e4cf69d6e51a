#!/usr/bin/env python3
"""Pages that tests/tutorial/examples.py refuses, and what it makes of the others."""
import os
import re
import unittest

import examples
import fences

SHARED = """# A page
```c shared
LS_COMPONENT(place, FIX(x));
static const char *const lanes[] = {"meadow"};
static const ls_system setup = {.name = "begin", .lanes = "meadow"};
```
"""
TASK = """## Tasks
### Count the sheep
```c
LS_SINGLETON(total, U32(sheep));
static const ls_system systems[] = {{.name = "count"}};
```
```c check
assert(1);
```
"""


class Examples(unittest.TestCase):
    def refuses(self, page, words):
        with self.assertRaisesRegex(examples.Refused, words):
            examples.make(page, "page.md")

    def test_examples_become_a_simulation(self):
        made = examples.make(SHARED + TASK, "page.md")
        self.assertIn("LS_COMPONENTS(listed_count_the_sheep, place, total);", made)
        for member in (".systems = systems_count_the_sheep", ".system_count = LS_COUNT_OF(systems_count_the_sheep)",
                       ".lanes = lanes,", ".setup = &setup}"):
            self.assertIn(member, made)
        self.assertIn('#line 10 "page.md"\nLS_SINGLETON', made)
        self.assertIn('{"Count the sheep", &example_count_the_sheep, run_count_the_sheep}', made)

    def test_examples_define_members_of_their_own(self):
        own = TASK.replace("LS_SINGLETON", 'static const ls_system setup = {.name = "own", .lanes = "fold"};\nLS_SINGLETON')
        made = examples.make(SHARED + own, "page.md")
        self.assertIn('setup_count_the_sheep = {.name = "own", .lanes = "fold"}', made)
        self.assertIn(".setup = &setup_count_the_sheep", made)

    def test_examples_may_have_several_setups(self):
        made = examples.make(SHARED + TASK.replace("LS_SINGLETON", "static const ls_system setup[] = {{0}};\nLS_SINGLETON"), "page.md")
        self.assertIn(".setup = setup_count_the_sheep, .setup_count = LS_COUNT_OF(setup_count_the_sheep)", made)

    def test_examples_leave_out_the_rows_of_tables(self):
        own = TASK.replace("LS_SINGLETON", "LS_COMPONENT(tile, U8(kind));\nstatic const ls_match_table tables[] = "
                                           "{{&tile_component, count, fill}};\nLS_SINGLETON")
        made = examples.make(SHARED + own, "page.md")
        self.assertIn("LS_COMPONENTS(listed_count_the_sheep, place, total);", made)
        self.assertIn(".tables = tables_count_the_sheep", made)

    def test_examples_need_code_and_an_assertion(self):
        self.refuses(SHARED + TASK + "### Sleep\nJust do it.\n", '"Sleep" has no example')
        self.refuses(SHARED + TASK.replace("assert(1);", "(void)world;"), "no assert")
        self.refuses(SHARED + TASK.replace("```c check", "```c chekc"), "Count the sheep")

    def test_examples_come_from_fences_that_may_name_a_file(self):
        text = "```c file=walk.c needs=sdl2\nint a;\n```\n```sh\nmake\n```\n"
        self.assertEqual(fences.files(text), {"walk.c": "int a;\n"})
        self.assertEqual([fence.line for fence in fences.fences(text)], [2, 5])

    def test_examples_are_all_in_the_index_of_the_page(self):
        root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
        with open(os.path.join(root, "docs", "ecs.md"), encoding="utf-8") as file:
            index, text = file.read().split("\n## ", 1)
        tasks = [title.lower() for title, _ in examples.sections("\n## " + text)]
        self.assertGreater(len(tasks), 50)
        self.assertEqual(sorted(re.findall(r"\[([^]]+)\]\(#([^)]+)\)", index)),
                         sorted((task, re.sub(r"[^\w ]", "", task).replace(" ", "-")) for task in tasks))

    def test_examples_refuse_an_unknown_fence(self):
        self.refuses(SHARED + TASK + "```c chekc\nassert(2);\n```\n", "neither")


if __name__ == "__main__":
    unittest.main()
