#!/usr/bin/env python3
"""Tests each rule with a fault planted in a small clean tree: the rule must report exactly that place, and no
other finding may exist."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

import image
import layers
import prose
import rules
import source
import tidy
import tools

CLEAN = {
    "core/CMakeLists.txt": "add_library(ls_core STATIC page.c)\n",
    "core/page.h": """\
#ifndef LS_PAGE_H
#define LS_PAGE_H

int ls_page_count(int rows);

#endif
""",
    "core/page.c": """\
#include "core/page.h"

int ls_page_count(int rows)
{
    return rows / 256;
}
""",
    "proto/link.h": """\
#ifndef LS_LINK_H
#define LS_LINK_H

#include "core/page.h"

#endif
""",
    "cli/CMakeLists.txt": "add_executable(lockstep main.c)\n",
    "cli/main.c": """\
#include "core/page.h"

int main(void)
{
    return ls_page_count(0);
}
""",
    "README.md": "[the page](core/page.h)\n",
}


# A sentence with a banned construction, and a similar one that is allowed.
PROSE = {
    "headless relative": [("Who joins late asks for it.", "Who is asked? The server is."),
                          ("It ends. What follows is cut off.", "It ends what follows it."),
                          ("Whoever comes first waits.", "The room waits for whoever comes first.")],
    "clause that begins": [("It waits; who is late loses it.", "It knows who is late.")],
    'begins with "Of"': [("It ends. Of two tasks one runs.", "One of two tasks runs. Of course it ends."),
                         ("| a | Of one room |", "| a | room of one |")],
    'begins with "So that"': [("So that it fits.", "It is small, so that it fits.")],
    "pronoun": [("The client sends his root.", "The client sends this root, the history of it."),
                ("Then he leaves.", "Then the client leaves.")],
    '"whose" for a program': [("a client whose roots differ", "a schedule whose result differs")],
    '"nobody"': [("Nobody holds the page.", "The page has no holder."),
                 ("It waits for somebody.", "The account is `nobody`.")],
    '"so many"': [("After so many ticks it ends.", "It has many ticks, so it ends."),
                  ("It waits so long.", "So, long waits end.")],
    '"as far as"': [("It reads as far as it can.", "It reads as far as 8 bytes.")],
    '"take up"': [("The match is taken up again.", "They take up to 960 KiB.")],
    '"stand"': [("The value stands in the header.", "A dot stands for any text.")],
    '"lie"': [("The page lies in the pool.", "A client that sends lie after lie is kicked.")],
    '"come to be"': [("So it came to be.", "It will come to an end.")],
    '"behind"': [("It runs behind the others.", "The relay is behind a NAT."),
                 ("The root behind the tick.", "The client is ten ticks behind.")],
}


class Planted(unittest.TestCase):
    def setUp(self):
        self.root = tempfile.mkdtemp(prefix="lockstep-tidy-")
        self.addCleanup(shutil.rmtree, self.root)
        shutil.copy(os.path.join(os.path.dirname(__file__), "../../.clang-format"), self.root)
        for path, text in CLEAN.items():
            self.plant(path, text)

    def plant(self, path, text):
        full = os.path.join(self.root, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "w", encoding="utf-8") as file:
            file.write(text)

    def finds(self, *expected, **libraries):
        """Checks that there are as many findings as expected texts, and that each contains its text, in order."""
        found = list(tidy.findings(self.root, "gcc", **libraries))
        self.assertEqual(len(found), len(expected), found)
        for text, finding in zip(expected, found):
            self.assertIn(text, finding)

    def library(self, **sources):
        """Builds a static library of small sources without optimisation."""
        where = os.path.join(self.root, "lib")
        for name, code in sources.items():
            self.plant(f"lib/{name}.c", code)
            subprocess.run(["gcc", "-w", "-fno-builtin", "-c", f"{name}.c", "-o", f"{name}.c.o"],
                           cwd=where, check=True)
        objects = [f"{name}.c.o" for name in sources]
        subprocess.run(["ar", "rcs", "libls_a.a", *objects], cwd=where, check=True)
        return os.path.join(where, "libls_a.a")

    def test_clean_tree_has_no_finding(self):
        self.finds()

    def test_source_over_500_lines(self):
        self.plant("core/page.c", CLEAN["core/page.c"] + "/* */\n" * 495)
        self.finds("core/page.c: 501 lines, at most 500")

    def test_header_over_150_lines(self):
        self.plant("core/page.h", CLEAN["core/page.h"] + "/* */\n" * 145)
        self.finds("core/page.h: 151 lines, at most 150")

    def test_function_over_70_lines(self):
        body = "    rows++;\n" * 67
        self.plant("core/page.c", CLEAN["core/page.c"].replace("    return", body + "    return"))
        self.finds("core/page.c:3: ls_page_count() has 71 lines")

    def test_function_of_70_lines_is_good(self):
        body = "    rows++;\n" * 66
        self.plant("core/page.c", CLEAN["core/page.c"].replace("    return", body + "    return"))
        self.finds()

    def test_guard_of_two_headers(self):
        self.plant("proto/page.h", CLEAN["core/page.h"].replace("LS_PAGE_H", "LS_PROTO_PAGE_H"))
        self.finds()
        self.plant("proto/page.h", "/* pages */\n" + CLEAN["core/page.h"])
        self.finds("proto/page.h:2: core/page.h has the guard LS_PAGE_H, too")

    def test_file_that_the_page_of_its_folder_does_not_name(self):
        self.plant("core/README.md", "A page is not `core/pages.c`. `page.h` counts rows.\n")
        self.plant("core/pages.c", "")
        self.plant("core/CMakeLists.txt", "add_library(ls_core STATIC page.c pages.c table.c table_posix.c)\n")
        self.plant("core/page_internal.h", "extern int ls_page_pool;\n")
        self.finds()
        self.plant("core/table.c", "")
        self.plant("core/table_posix.c", "")
        self.finds("core/README.md: does not name core/table.c")
        self.plant("core/README.md", "`pages.c`, `page.h`, and a table\n")
        self.finds("core/README.md: does not name core/table.c")
        self.plant("core/README.md", "```\npage | pages | table\n```\n")
        self.finds()

    def test_circle_of_two_headers(self):
        self.plant("core/a.h", '#include "core/b.h"\n')
        self.plant("core/b.h", '#include "core/a.h"\n')
        circle = list(rules.circles(source.c_files(self.root)))
        self.assertEqual(circle, ["core/a.h: circle of headers: core/a.h -> core/b.h -> core/a.h"])

    def test_circle_of_two_sources(self):
        library = self.library(a="int f(void) { return g(); }\n", b="int g(void) { return f(); }\n")
        self.finds("circle of sources: a/a.c -> a/b.c -> a/a.c", libraries=[library])

    def test_sources_that_call_downward_are_good(self):
        library = self.library(a="int f(void) { return g(); }\n", b="int g(void) { return 1; }\n")
        self.finds(libraries=[library])

    def test_arrow_upward(self):
        self.plant("core/page.c", CLEAN["core/page.c"] + '\n#include "proto/link.h"\n')
        self.finds("core/page.c: includes proto/link.h: core/ is below proto/")

    def test_public_header_belongs_to_the_folder_of_its_source(self):
        self.plant("core/CMakeLists.txt", "add_library(ls_core STATIC page.c world.c)\n")
        self.plant("core/world.c", "#include <lockstep/world.h>\nint ls_world;\n")
        self.plant("include/lockstep/world.h", "extern int ls_world;\n")
        self.finds()
        self.plant("server/CMakeLists.txt", "add_library(ls_server STATIC room.c)\n")
        self.plant("server/room.c", "#include <lockstep/room.h>\nint ls_room;\n")
        self.plant("include/lockstep/room.h", "#include <lockstep/world.h>\nextern int ls_room;\n")
        self.finds()
        self.plant("include/lockstep/world.h", "#include <lockstep/room.h>\nextern int ls_world;\n")
        self.assertIn("include/lockstep/world.h: includes lockstep/room.h: core/ is below server/",
                      list(rules.arrows(source.c_files(self.root))))
        self.assertEqual(len(list(rules.circles(source.c_files(self.root)))), 1)

    def test_public_header_that_includes_a_private_one(self):
        self.plant("proto/CMakeLists.txt", "add_library(ls_proto STATIC link.c)\n")
        self.plant("proto/link.c", "#include <lockstep/link.h>\nint ls_link;\n")
        self.plant("include/lockstep/link.h", '#include "core/page.h"\n')
        self.finds("include/lockstep/link.h: includes core/page.h, which is not installed")

    def test_circle_of_a_source_and_a_header(self):
        self.plant("core/CMakeLists.txt", "add_library(ls_core STATIC page.c)\n")
        self.plant("core/table.h", '#include "core/page_internal.h"\nextern int ls_table;\n')
        self.plant("core/page_internal.h", "extern int ls_page_pool;\n")
        self.finds()
        self.plant("core/page.c", '#include "core/table.h"\n' + CLEAN["core/page.c"])
        found = [finding for finding in tidy.findings(self.root, "gcc") if "circle of files" in finding]
        self.assertEqual(found, ["core: circle of files: page table: core/page.c includes core/table.h; "
                                 "core/table.h includes core/page_internal.h"])

    def test_circle_by_a_call(self):
        where = os.path.join(self.root, "lib")
        for name, code in {"page": "int g(void); int f(void) { return g(); }\n",
                           "table": "int f(void); int g(void) { return f(); }\n"}.items():
            self.plant(f"core/{name}.c", code)
            self.plant(f"lib/{name}.c", code)
            subprocess.run(["gcc", "-w", "-c", f"{name}.c", "-o", f"{name}.c.o"], cwd=where, check=True)
        subprocess.run(["ar", "rcs", "libls_core.a", "page.c.o", "table.c.o"], cwd=where, check=True)
        files = source.c_files(self.root)
        found = list(layers.held(self.root, files, {}, [os.path.join(where, "libls_core.a")]))
        self.assertEqual(found, ["core: circle of files: page table: page calls g() of table; "
                                 "table calls f() of page"])

    def test_subfolder_of_core_that_includes_one_above(self):
        self.plant("core/CMakeLists.txt", "add_library(ls_core STATIC page.c)\n")
        self.plant("core/run/tick.h", "extern int ls_tick;\n")
        self.plant("core/check/check.h", '#include "core/run/tick.h"\nextern int ls_check;\n')
        self.finds()
        self.plant("core/state/table.h", '#include "core/run/tick.h"\nextern int ls_table;\n')
        self.finds("core/state/table.h: includes core/run/tick.h: core/state is below core/run")

    def test_function_that_a_page_names(self):
        self.plant("docs/design.md", "`core/page.c:ls_page_count` counts.\n")
        self.finds()
        self.plant("docs/design.md", "`core/page.c:ls_page_sum` and `core/pages.c:ls_page_count` count.\n")
        self.finds("docs/design.md: names core/page.c:ls_page_sum", "docs/design.md: names core/pages.c:ls_page_count")

    def test_function_that_the_page_of_a_folder_names(self):
        self.plant("core/README.md", "`page.c:ls_page_count()` counts, `page.c:ls_page_sum()` adds.\n")
        self.finds("core/README.md: names page.c:ls_page_sum")

    def test_file_that_a_page_names(self):
        self.plant("docs/design.md", "`core/page.c`, `page.h`, `core/`, `core/page`, `sodium.h`, `web/view.c`\n")
        self.finds()
        for name in ("core/pages.c", "pages.c", "core/web/", "proto/link_test"):
            with self.subTest(name):
                self.plant("docs/design.md", f"see `{name}`\n")
                self.finds(f"docs/design.md: names {name}, which does not exist")

    def test_file_that_a_page_gives_or_that_its_folder_has(self):
        self.plant("docs/design.md", "save `hello.c`:\n```c file=hello.c\nint hello;\n```\n")
        self.plant("core/README.md", "`page.c` counts, see `docs/design.md` and `core/page.h`.\n")
        self.finds()

    def test_name_that_no_source_has(self):
        self.plant("tests/unit/core/test_page.c", "/* test_page_counts */\n")
        self.plant("docs/design.md", "`ls_page_count()` by `test_page`, `test_core_page`, `test_page_counts`; `ls_page_*`\n")
        self.finds()
        for name in ("ls_page_sum", "LS_PAGE_ROWS", "`test_page_adds`"):
            with self.subTest(name):
                self.plant("docs/design.md", f"see {name} there\n")
                self.finds(f"docs/design.md: names {name.strip('`')}, which does not exist")

    def test_public_header_of_no_folder(self):
        self.plant("include/lockstep/stray.h", "extern int ls_stray;\n")
        self.finds("include/lockstep/stray.h: no source has this name")

    def test_arrow_between_server_and_client(self):
        self.plant("client/view.h", "int ls_view;\n")
        self.plant("server/room.h", '#include "client/view.h"\n')
        self.finds("server/room.h: includes client/view.h")

    def test_simulation_known_outside_cli(self):
        self.plant("sims/duel/duel.h", "int duel;\n")
        self.plant("server/room.h", '#include "sims/duel/duel.h"\n')
        self.finds("server/room.h: includes sims/duel/duel.h: only cli/ and tests")

    def test_simulation_that_knows_another(self):
        self.plant("sims/duel/duel.h", "int duel;\n")
        self.plant("sims/race/race.h", '#include "sims/duel/duel.h"\n')
        self.finds("sims/race/race.h: includes sims/duel/duel.h: one simulation knows no other")

    def test_simulation_that_knows_a_module(self):
        self.plant("sims/modules/duel.h", "int duel;\n")
        self.plant("sims/race/race.h", '#include "sims/modules/duel.h"\n')
        self.finds()

    def test_module_that_knows_a_simulation(self):
        self.plant("sims/race/race.h", "int race;\n")
        self.plant("sims/modules/duel.h", '#include "sims/race/race.h"\n')
        self.finds("sims/modules/duel.h: includes sims/race/race.h: one simulation knows no other")

    def test_table_of_simulations_knows_them_all(self):
        self.plant("sims/CMakeLists.txt", "add(table.c)\n")
        self.plant("sims/duel/duel.h", "int duel;\n")
        self.plant("sims/table.c", '#include "sims/duel/duel.h"\n')
        self.finds()

    def test_third_party_header_beside_its_door(self):
        for header in ("enet/enet.h", "sodium.h", "xxhash.h", "zstd.h"):
            with self.subTest(header):
                self.plant("server/room.h", f"#include <{header}>\n")
                found = list(rules.doors(source.c_files(self.root)))
                self.assertEqual(len(found), 1)
                self.assertIn(f"server/room.h: includes <{header}>", found[0])

    def test_third_party_header_at_its_door(self):
        self.plant("proto/seal.c", "#include <sodium.h>\n")
        self.assertEqual(list(rules.doors(source.c_files(self.root))), [])

    def test_banned_call(self):
        for name in ("rand", "time", "qsort", "malloc", "clock_gettime"):
            with self.subTest(name):
                self.plant("core/page.c", CLEAN["core/page.c"].replace("rows / 256", f"{name}(rows)"))
                self.finds(f"core/page.c:5: {name}() is banned here")

    def test_the_clock_enters_through_one_door(self):
        self.plant("core/CMakeLists.txt", "add_library(ls_core STATIC page.c trace.c clock.c platform_posix.c)\n")
        for name, door in (("clock_gettime", "core/base/platform_posix.c"), ("ls_monotonic_ns", "core/run/trace.c")):
            code = CLEAN["core/page.c"].replace("rows / 256", f"{name}(rows)").replace("ls_page_count", "ls_clock")
            with self.subTest(name):
                self.plant(door, code)
                self.finds()
                self.plant("core/clock.c", code)
                self.finds(f"core/clock.c:5: {name}() is banned here")
                os.remove(os.path.join(self.root, "core/clock.c"))

    def test_a_system_outside_the_platform_layer(self):
        self.plant("core/CMakeLists.txt", "add_library(ls_core STATIC page.c platform_linux.c)\n")
        for planted, finding in (("#ifdef __linux__\n#endif", "core/page.c:2: tests for __linux__"),
                                 ("#if defined(_WIN32)\n#endif", "core/page.c:2: tests for _WIN32"),
                                 ("#ifndef __s390x__\n#endif", "core/page.c:2: tests for __s390x__"),
                                 ("#if defined(__cplusplus) && \\\n    !defined(__linux__)\n#endif", "core/page.c:2: tests for __linux__"),
                                 ("#if LS_HAS_STEP\n#endif", "core/page.c:2: tests for LS_HAS_STEP"),
                                 ("#ifdef MAP_POPULATE\n#endif", "core/page.c:2: tests for MAP_POPULATE"),
                                 ("#if __BYTE_ORDER__\n#endif", "core/page.c:2: tests for __BYTE_ORDER__"),
                                 ("#define ORDER __BYTE_ORDER__", "core/page.c:2: __BYTE_ORDER__"),
                                 ("#include <pthread.h>", "core/page.c: includes <pthread.h>"),
                                 ("#include <sys/mman.h>", "core/page.c: includes <sys/mman.h>"),
                                 ("#include <execinfo.h>", "core/page.c: includes <execinfo.h>"),
                                 ("#include <windows.h>", "core/page.c: includes <windows.h>")):
            with self.subTest(planted):
                head = '#include "core/page.h"\n'
                self.plant("core/page.c", CLEAN["core/page.c"].replace(head, f"{head}{planted}\n"))
                found = list(rules.systems(source.c_files(self.root), self.root))
                self.assertEqual(found[0][:len(finding)], finding)
                self.assertLessEqual(len(found), 2) # a test of the byte order is two findings
                self.plant("core/page.c", CLEAN["core/page.c"])
                self.plant("core/base/platform_linux.c", f"{planted}\n")
                self.assertEqual(list(rules.systems(source.c_files(self.root), self.root)), [])
                self.plant("proto/platform_socket_posix.c", f"{planted}\n")
                self.assertEqual(list(rules.systems(source.c_files(self.root), self.root)), [])

    def test_a_processor_in_a_public_header(self):
        """Simulations compile the public headers, so one of them has what depends on the processor."""
        for path, finding in (("include/lockstep/wide.h", []),
                              ("include/lockstep/narrow.h", ["include/lockstep/narrow.h:1: tests for __x86_64__"])):
            self.plant(path, "#if defined(__x86_64__)\n#endif\n")
            found = list(rules.systems(source.c_files(self.root), self.root))
            self.assertEqual([one[:one.rindex(":")] for one in found], finding)
            os.remove(os.path.join(self.root, path))

    def test_a_system_in_a_test(self):
        """A test or an example may include a system's headers and test for a processor."""
        for path in ("tests/host.c", "examples/play.c"):
            for planted, finding in (("#include <pthread.h>", []), ("#if defined(__x86_64__)\n#endif", []),
                                     ("#if defined(_WIN32)\n#endif", [f"{path}:1: tests for _WIN32"]),
                                     ("#ifdef __linux__\n#endif", [f"{path}:1: tests for __linux__"])):
                with self.subTest(planted, path=path):
                    self.plant(path, f"{planted}\n")
                    found = list(rules.systems(source.c_files(self.root), self.root))
                    self.assertEqual([one[:one.rindex(":")] for one in found], finding)
                    os.remove(os.path.join(self.root, path))

    def test_a_system_in_a_command(self):
        """A source of one system may include that system's headers; none tests for a system."""
        self.plant("cli/CMakeLists.txt", "# What differs.\nif(WIN32)\n  set(system\n    common/signals_windows.c)\nelse()\n"
                   "  set(system\n    common/signals.c)\nendif()\nadd_library(ls_cli STATIC ${system}\n  serve.c)\n")
        for path, planted, finding in (
                ("cli/serve.c", "#include <unistd.h>", ""),
                ("cli/serve.c", "#include <sys/stat.h>", ""),
                ("cli/serve.c", "#include <sys/epoll.h>", "cli/serve.c: includes <sys/epoll.h>, which not each system"),
                ("cli/serve.c", "#include <execinfo.h>", "cli/serve.c: includes <execinfo.h>, which not each system"),
                ("cli/serve.c", "#ifdef TIOCGWINSZ\n#endif", "cli/serve.c:1: tests for TIOCGWINSZ"),
                ("cli/serve.c", "#if __has_attribute(retain)\n#endif", ""),
                ("cli/serve.c", "#if __has_include(<execinfo.h>)\n#endif", "cli/serve.c:1: tests for __has_include"),
                ("cli/common/signals.c", "#ifdef SIGPWR\n#endif", ""),
                ("cli/posix/fcntl.h", "#ifndef O_CLOEXEC\n#endif", ""),
                ("cli/serve.c", "#include <windows.h>", "cli/serve.c: includes <windows.h>, which not each system"),
                ("cli/serve.c", "#ifdef _WIN32\n#endif", "cli/serve.c:1: tests for _WIN32"),
                ("cli/common/signals.c", "#include <sys/epoll.h>", ""),
                ("cli/common/signals_windows.c", "#include <windows.h>", ""),
                ("cli/common/signals_windows.c", "#ifdef __MINGW32__\n#endif",
                 "cli/common/signals_windows.c:1: tests for __MINGW32__")):
            with self.subTest(path + planted):
                self.plant(path, f"{planted}\n")
                found = list(rules.systems(source.c_files(self.root), self.root))
                self.assertEqual([one[:len(finding)] for one in found], [finding] if finding else [])
                os.remove(os.path.join(self.root, path))

    def test_the_clock_in_a_library(self):
        for member, name, count in (("platform_posix", "clock_gettime", 0), ("trace", "clock_gettime", 1),
                                    ("trace", "ls_monotonic_ns", 0), ("clock", "ls_monotonic_ns", 1)):
            with self.subTest(member):
                library = self.library(**{member: f"int f(void) {{ return {name}(0, 0); }}\n"})
                core = os.path.join(os.path.dirname(library), "libls_core.a")
                os.rename(library, core)
                found = list(tools.foreign_symbols([core], "gcc"))
                self.assertEqual(len(found), count, found)

    def test_banned_name_in_comment_text_or_member_is_good(self):
        self.plant("core/page.c", CLEAN["core/page.c"].replace(
            "    return", '    /* qsort() is unstable */\n    const char *text = "time(0)";\n'
            "    (void)text;\n    return"))
        self.finds()

    def test_address_above_the_link(self):
        self.plant("server/CMakeLists.txt", "add(room.c)\n")
        self.plant("server/room.c", "static int room(const ls_address *from)\n{\n    return !from;\n}\n")
        self.finds("server/room.c:1: ls_address: only a link reads the address in a remote")

    def test_banned_memory_in_a_simulation(self):
        self.plant("sims/duel/CMakeLists.txt", "add(duel.c)\n")
        self.plant("sims/duel/duel.c", "void *duel(void)\n{\n    return ls_alloc(8);\n}\n")
        self.finds("sims/duel/duel.c:3: ls_alloc() is banned here")

    def test_a_message_with_a_term_that_its_reader_has_not_written(self):
        for text, finding in (("add LS_READS()", "a message says LS_READS and not READS"), ("add READS(...), or LS_READ", None)):
            self.plant("cli/main.c", CLEAN["cli/main.c"].replace("int main", f'static const char *text = "{text}";\nint main'))
            self.finds(*([f"cli/main.c:3: {finding}"] if finding else []))

    def test_banned_float_format(self):
        for text in ("%f", "%.3g", "%08.2e", "%lf"):
            with self.subTest(text):
                self.plant("core/page.c", CLEAN["core/page.c"] + f'\nconst char *text = "{text}";\n')
                self.finds("core/page.c:8: printing floats is banned here")

    def test_integer_and_percent_formats_are_good(self):
        self.plant("core/page.c", CLEAN["core/page.c"] + '\nconst char *text = "%d 50%% fast %16lx";\n')
        self.finds()

    def test_source_that_nobody_builds(self):
        self.plant("core/row.c", "int row;\n")
        self.finds("core/row.c: not in the CMakeLists.txt")

    def test_prototype_in_the_header_of_another_source(self):
        self.plant("core/row.h", "#ifndef LS_ROW_H\n#define LS_ROW_H\n\nint ls_row_size(void);\n\n#endif\n")
        self.plant("core/page.c", CLEAN["core/page.c"].replace('"core/page.h"\n', '"core/page.h"\n#include "core/row.h"\n')
                   + "\nint ls_row_size(void)\n{\n    return 256;\n}\n")
        self.finds("core/page.c:9: ls_row_size() has its prototype in core/row.h",
                   "core/row.h:4: only tests use ls_row_size()")

    def test_prototypes_of_a_source_in_parts(self):
        self.plant("core/CMakeLists.txt", "add_library(ls_core STATIC page.c page_rows.c)\n")
        self.plant("core/page_rows.c", CLEAN["core/page.c"].replace("_count", "_rows"))
        self.plant("cli/main.c", CLEAN["cli/main.c"].replace("_count(0)", "_rows(ls_page_count(0))"))
        self.plant("core/page.h", CLEAN["core/page.h"].replace("\n#endif", "int ls_page_rows(int rows);\n\n#endif"))
        self.finds()

    def test_prose_of_texts(self):
        self.plant("core/page.c", CLEAN["core/page.c"]
                   + '\nconst char *why = "signed by nobody", *what = "What to do: it lies behind";\n')
        self.finds('core/page.c:8: "nobody", "anybody" or "somebody": nobody',
                   'core/page.c:8: "lie" as an everyday verb: lies behind')
        self.plant("core/page.c", CLEAN["core/page.c"])
        self.plant("tests/unit/core/test_page.c", 'const char *name = "nobody";\n')
        self.finds()

    def test_function_that_only_tests_use(self):
        self.plant("core/page.h", CLEAN["core/page.h"].replace(
            "\n#endif", "int ls_page_rows(void);\nstatic inline int ls_page_twice(int rows)\n{\n"
            "    return 2 * rows;\n}\n\n#endif"))
        rows = "\nint ls_page_rows(void)\n{\n    return 256;\n}\n"
        self.plant("core/page.c", CLEAN["core/page.c"] + rows)
        self.plant("tests/unit/core/test_page.c", "int test_page_rows(void)\n{\n    return ls_page_rows();\n}\n")
        self.finds("core/page.h:6: only tests use ls_page_twice()", "core/page.h:5: only tests use ls_page_rows()")
        self.plant("core/page.c", CLEAN["core/page.c"].replace(
            "rows / 256", "ls_page_twice(rows) / ls_page_rows()") + rows)
        self.finds()
        self.plant("core/page.c", CLEAN["core/page.c"] + rows)
        self.plant("web/CMakeLists.txt", "add_executable(view view.c)\n")
        self.plant("web/view.c", '#include "core/page.h"\n\nint view(void)\n{\n    return ls_page_twice(ls_page_rows());\n}\n')
        self.finds()

    def test_option_named_by_a_library(self):
        self.plant("core/page.c", CLEAN["core/page.c"] + '\nconst char *why = "too slow (--patience)";\n')
        self.finds("core/page.c:8: a library names the option --patience")
        self.plant("core/page.c", CLEAN["core/page.c"] + '\nconst char *why = "a--b, pkg-config --cflags x";\n')
        self.finds()

    def test_label_within_a_line(self):
        text = "#ifndef LS_A_H\n#define LS_A_H\n\n/* Counts.{} */\nint ls_a(void);\n\n#endif\n"
        self.plant("core/a.c", "int a;\n")
        self.plant("core/CMakeLists.txt", "add_library(ls_core STATIC a.c page.c)\n")
        self.plant("include/lockstep/a.h", text.format(" owns    ls_free() by the caller"))
        self.finds("include/lockstep/a.h:4: a label begins its own line")
        self.plant("include/lockstep/a.h", text.format("\n *   owns    ls_free() by the caller thread as above"))
        self.finds("include/lockstep/a.h:5: a label begins its own line")
        self.plant("include/lockstep/a.h", text.format("\n *   owns    it      thread  any"))
        self.finds()

    def test_case_of_another_name(self):
        self.plant("tests/unit/core/CMakeLists.txt", "ls_test(test_page SOURCES test_page.c)\n")
        self.plant("tests/unit/core/test_page.c", "TEST(test_page_counts)\n{\n}\n")
        self.finds()
        self.plant("tests/unit/core/test_page.c", "TEST(test_column_counts)\n{\n}\n")
        self.finds("tests/unit/core/test_page.c:1: case test_column_counts")

    def test_pipe_whose_reader_closes_early(self):
        subprocess.run(["git", "init", "-q"], cwd=self.root, check=True)
        for line in ("sort names | head -n 5", "list | grep -q x", "list | sed 5q"):
            self.plant("run", f"#!/bin/bash\nset -euo pipefail\n{line}\n")
            self.finds("run:3: ")
        for text in ("#!/bin/bash\nset -euo pipefail\n# a | head\nsort names | sed -n 1,5p\n",
                     "#!/bin/sh\nlist | head\n"):
            self.plant("run", text)
            self.finds()

    def test_link_to_nowhere(self):
        self.plant("docs/design.md", "see [there](../core/nowhere.h)\n")
        self.finds("docs/design.md: link to ../core/nowhere.h")

    def test_folder_of_a_map_that_does_not_exist(self):
        self.plant("docs/design.md", "```\ncore/  the engine   web/   a viewer\n```\nand `lib/` elsewhere\n")
        self.finds("docs/design.md: names the folder web/")

    def plant_log(self, arguments, row):
        self.plant("server/CMakeLists.txt", "add(room.c)\n")
        self.plant("server/room.c", f"void room(void)\n{{\n    ls_log_write({arguments});\n}}\n")
        self.plant("docs/operations-log.md", "# Events of the log\n\n| event | when | fields |\n"
                   f"| --- | --- | --- |\n{row}\n")

    def test_event_with_a_row(self):
        self.plant_log('"enter tick=%d name=%s", 1, "ada"', "| `enter` | it begins | `tick` `name` |")
        self.finds()

    def test_event_without_a_row(self):
        self.plant_log('"enter tick=%d name=%s", 1, "ada"', "")
        self.finds("docs/operations-log.md: no row for the event enter with tick, name of server/room.c")

    def test_event_with_a_field_that_its_row_lacks(self):
        self.plant_log('"enter tick=%d name=%s", 1, "ada"', "| `enter` | it begins | `tick` |")
        self.finds("docs/operations-log.md: no row for the event enter with tick, name")

    def test_event_that_an_argument_names(self):
        self.plant_log('"%s tick=%d", "leave", 1', "| `enter`, `leave` | both | `tick` |")
        self.finds("docs/operations-log.md: has a row for the event enter, which does not exist")
        self.plant_log('"%s tick=%d", "leave", 1', "")
        self.finds("docs/operations-log.md: no row for the event leave with tick")

    def test_line_of_stdout_is_no_event(self):
        self.plant_log('"enter tick=%d\\n", 1', "")
        self.finds()

    def plant_image(self, ignore="!LICENSE\n!cmake\n!core\n!proto\n", build="cmake libc6-dev \\\n  libdw-dev",
                    run="libdw1", copy=". .", tools="podman libdw1"):
        self.plant("CMakeLists.txt", "include(cmake/Flags.cmake)\nforeach(folder core\n  proto)\n"
                   "  add_subdirectory(${folder})\nendforeach()\n"
                   "if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/benches)\n  add_subdirectory(benches)\nendif()\n"
                   "if(LOCKSTEP_TESTS)\n  add_subdirectory(tests)\nendif()\n")
        self.plant("cmake/Flags.cmake", "install(FILES LICENSE DESTINATION doc COMPONENT runtime)\n"
                   "install(DIRECTORY examples DESTINATION doc COMPONENT dev)\n")
        self.plant(".dockerignore", "# kept\n*\n!CMakeLists.txt\n" + ignore)
        self.plant("docker/Dockerfile", "FROM base AS build\nRUN apt-get -qq update \\\n"
                   f" && apt-get install -y {build} >/dev/null \\\n && rm -rf /var\nCOPY {copy}\n"
                   f"FROM base\nRUN apt-get install -y {run}\nCOPY --from=build /image /\n")
        self.plant("docker/try", f"scripts/install-missing {tools} 2>&1 | tee tools.log\n")
        self.plant("quickstart", "scripts/install-missing cmake libc6-dev \\\n    libdw-dev\ncmake -S .\n")

    def test_image_that_has_all(self):
        self.plant_image()
        self.finds()

    def test_static_image_that_has_all(self):
        self.plant_static_image("cmake libbz2-dev libc6-dev libdw-dev")
        self.finds()

    def plant_static_image(self, build, ignore="!scripts/sbom\n"):
        self.plant_image(ignore="!LICENSE\n!cmake\n!core\n!proto\n" + ignore)
        self.plant("docker/Dockerfile.static", f"FROM base AS build\nRUN apt-get -qq install -y {build}\nCOPY . .\n"
                   "RUN cmake -S . \\\n && scripts/sbom /lockstep\nFROM scratch\nCOPY --from=build /image /\n")

    def test_script_kept_out_of_the_static_image(self):
        self.plant_static_image("cmake libc6-dev libdw-dev", ignore="")
        self.finds(".dockerignore: leaves out scripts/sbom, which docker/Dockerfile.static runs")

    def test_script_that_no_image_runs(self):
        self.plant_static_image("cmake libc6-dev libdw-dev", ignore="!scripts/sbom\n!scripts/other\n")
        self.finds(".dockerignore: admits scripts/other, which the image is not built from")

    def test_package_missing_from_the_static_image(self):
        self.plant_static_image("cmake libc6-dev")
        self.finds("docker/Dockerfile.static: the build does not install libdw-dev")

    def test_folder_kept_out_of_the_image(self):
        self.plant_image(ignore="!LICENSE\n!cmake\n!core\n")
        self.finds(".dockerignore: leaves out proto, which CMakeLists.txt adds")

    def test_included_folder_kept_out_of_the_image(self):
        self.plant_image()
        self.plant("include/lockstep/sim.h", "int ls_sim;\n")
        self.plant("proto/link.h", CLEAN["proto/link.h"].replace("core/page.h", "lockstep/sim.h"))
        found = list(image.context(self.root, source.c_files(self.root)))
        self.assertEqual(found, [".dockerignore: leaves out include, which proto/link.h includes "
                                 "lockstep/sim.h of"])

    def test_folder_that_cmake_may_miss_but_a_source_includes(self):
        self.plant_image()
        self.plant("benches/measure.h", "int measure;\n")
        self.plant("benches/CMakeLists.txt", "")
        self.finds()
        self.plant("proto/link.h", CLEAN["proto/link.h"].replace("core/page.h", "benches/measure.h"))
        self.finds(".dockerignore: leaves out benches, which proto/link.h includes")

    def test_installed_file_kept_out_of_the_image(self):
        self.plant_image(ignore="!cmake\n!core\n!proto\n")
        self.finds(".dockerignore: leaves out LICENSE, which cmake/Flags.cmake installs")

    def test_image_with_more_than_it_needs(self):
        self.plant_image(ignore="!LICENSE\n!cmake\n!core\n!proto\n!web\n")
        self.finds(".dockerignore: admits web, which the image is not built from")

    def test_file_that_keeps_nothing_out_of_the_image(self):
        self.plant_image()
        self.plant(".dockerignore", "build\n")
        self.finds(".dockerignore: does not begin with *")

    def test_folder_that_the_image_does_not_copy(self):
        self.plant_image(copy="CMakeLists.txt LICENSE ./cmake core/ .")
        self.finds("docker/Dockerfile: no COPY brings proto, which CMakeLists.txt adds")

    def test_package_missing_from_the_image(self):
        self.plant_image(build="libc6-dev libdw-dev")
        self.finds("docker/Dockerfile: the build does not install cmake")

    def test_package_that_only_the_image_has(self):
        self.plant_image(build="cmake libc6-dev libdw-dev spin")
        self.finds("docker/Dockerfile: the build installs spin, which ./quickstart does not")

    def test_package_with_an_unknown_library(self):
        self.plant_image(build="cmake libc6-dev libdw-dev libfoo-dev")
        self.finds("the build installs libfoo-dev", "RUNTIME_OF does not say what libfoo-dev needs")

    def test_library_missing_from_the_image(self):
        self.plant_image(run="adduser")
        self.finds("docker/Dockerfile: the image does not install libdw1",
                   "docker/Dockerfile: the image installs adduser, which the binary does not need")

    def test_library_missing_beside_the_image(self):
        self.plant_image(tools="podman")
        self.finds("docker/try: does not ask for libdw1")

    def test_folder_that_no_rule_looks_into(self):
        self.plant("CMakeLists.txt", "add_subdirectory(core)\nadd_subdirectory(attic)\n")
        self.finds("tests/tidy/source.py: FOLDERS lacks attic")

    def test_banned_constructions_in_comments(self):
        for name, cases in PROSE.items():
            for bad, good in cases:
                with self.subTest(bad):
                    self.plant("core/page.c", f"/* {bad} */\n" + CLEAN["core/page.c"])
                    self.finds("core/page.c:1: ")
                    self.assertIn(name, next(prose.findings(self.root)))
                    self.plant("core/page.c", f"/* {good} */\n" + CLEAN["core/page.c"])
                    self.finds()

    def test_banned_constructions_in_pages(self):
        for name, cases in PROSE.items():
            for bad, good in cases:
                with self.subTest(bad):
                    self.plant("docs/page.md", f"# What it is\n\n{bad}\n")
                    self.finds("docs/page.md:3: ")
                    self.assertIn(name, next(prose.findings(self.root)))
                    self.plant("docs/page.md", f"# What it is\n\n{good}\n")
                    self.finds()

    def test_banned_construction_over_a_line_break(self):
        self.plant("core/page.c", "/* It reads as\n * far as it can. */\n" + CLEAN["core/page.c"])
        self.finds("core/page.c:1: \"as far as\" without a number: as far as it can.")

    def test_prose_in_code_is_code(self):
        self.plant("docs/page.md", "`Who waits. Of two.`\n\n```c\n/* nobody */\n```\n")
        self.plant("core/page.c", 'static const char *const nobody = "/* So that */";\n')
        self.assertEqual(list(prose.findings(self.root)), [])

    def test_paragraph_of_too_many_sentences(self):
        for text in ("One. Two. Three. Four. Five.", "- One, e.g. this. Two.\n  `Three`. Four. (Five.)"):
            with self.subTest(text):
                self.plant("docs/page.md", f"# Page\n\n{text}\n")
                self.finds("docs/page.md:3: a paragraph of 5 sentences, at most 4")

    def test_paragraphs_of_few_sentences(self):
        self.plant("docs/page.md", "One. Two. Three. Four.\n- Five. Six.\n- Seven, i.e. it. Eight. 0.5 too.\n\nNine?\n")
        self.finds()

    def test_table_cell_of_too_many_sentences(self):
        self.plant("docs/page.md", "| a | b |\n| --- | --- |\n| One. Two. | Three. Four. Five. |\n")
        self.finds("docs/page.md:3: a table cell of 3 sentences, at most 2: Three.")

    def test_third_party_header_with_several_doors(self):
        for path, count in (("cli/a.h", 0), ("desync/crash.h", 1), ("server/room.h", 1)):
            with self.subTest(path):
                self.plant(path, "#include <dlfcn.h>\n")
                self.assertEqual(len(list(rules.doors(source.c_files(self.root)))), count)
                os.remove(os.path.join(self.root, path))

    def test_header_that_needs_another_first(self):
        self.plant("core/row.h", "uint32_t ls_row_count(void);\n")
        self.finds("core/row.h:1: only tests use ls_row_count()", "core/row.h: does not compile alone")

    def test_format(self):
        self.plant("core/page.h", CLEAN["core/page.h"].replace("(int rows)", "( int rows )"))
        self.finds("core/page.h:4: not as clang-format writes it")

    def test_foreign_symbol(self):
        for call in ("sin(1.5)", "qsort(0, 0, 0, 0)", "rand()", "time(0)"):
            with self.subTest(call):
                library = self.library(a=f"int f(void) {{ return (int){call}; }}\n")
                self.finds(f"libls_a.a: uses {call.split('(')[0]}", pure=[library])

    def test_harmless_symbols(self):
        code = "int f(void) { memcpy(0, 0, 0); return snprintf(0, 0, 0); }\n"
        self.finds(pure=[self.library(a=code)])


if __name__ == "__main__":
    sys.exit(unittest.main())
