#!/usr/bin/env python3
"""lockstep.hpp: the examples in C++ have the roots of those in C in every tick, pass `lockstep check` and play
matches; the owners of worlds, sessions and recordings; what must not compile."""
import glob
import os
import re
import shutil
import subprocess
import tempfile
import unittest

from support import BINARY, CPP_BUILT, HERE, OPTIONS, ROOT, join_bots, main, run, serve
from fences import files

WARN = ("-Wall", "-Wextra", "-Wshadow", "-Wconversion", "-Wno-sign-conversion", "-pedantic", "-Werror")
FLOATS = ("-ffp-contract=off", "-fno-math-errno")
PLAIN = ("-fno-exceptions", "-fno-rtti")  # as many engines compile
CPP = os.path.join(ROOT, "examples", "cpp")
# Both standards with each compiler take twice as long.
WAYS = [way for way in (("g++", "-std=c++17"), ("clang++-14", "-std=c++20"), ("g++", "-std=c++20"), ("clang++-14", "-std=c++17"))
        if shutil.which(way[0])][:None if os.environ.get("LOCKSTEP_LONG") else 2]

START = """#include <lockstep/lockstep.hpp>
LS_COMPONENT(place, FIX(x), FIX(y));
LS_COMPONENT(goal, FIX(x), FIX(y));
LS_EVENT(bang, FIX(x));
LS_TERMS(moving, WRITES(place), READS(goal), SENDS(bang));
LS_TERMS(looking, READS_WORLD);
inline constexpr lockstep::component<place> Place(place_component);
static_assert(Place == &place_component, "a copy would be found by its name, in each call");
inline constexpr ls_system right = lockstep::system("right").terms(moving);
"""
# What must not compile -> words of the compiler's message. More uses of terms: test_mistakes.py.
REFUSED = {
    "void f(ls_context *c, const ls_span *s) { LS_USES(c, moving); LS_WRITE_SPAN(c, goal, s); }": "may_write",
    "void f(ls_context *c, ls_entity e) { LS_USES(c, moving); LS_WRITE(c, goal, e); }": "may_write",
    "void f(ls_context *c, ls_entity e) { LS_USES(c, moving); goal *to = LS_WRITE(c, place, e); (void)to; }":
    "goal",
    "void f(ls_context *c, ls_entity e) { LS_USES(c, moving); LS_ATTACH(c, place, e, 1, 2); }": "may_attach",
    "void f(ls_context *c, ls_entity e) { LS_USES(c, moving); LS_READ(c, bang, e); }": "may_read",
    "void f(ls_context *c) { LS_USES(c, moving); LS_EACH_EVENT(c, bang, one) {} }": "may_receive",
    "void f(ls_context *c) { LS_USES(c, moving); LS_SEND(c, place, 1, 2); }": "may_send",
    "void f(ls_context *c) { LS_USES(c, moving); LS_READ_SINGLETON(c, place); }": "may_read_singleton",
    "void f(ls_context *c) { LS_USES(c, moving); LS_SEND(c, bang, 1, 2); }": "too many|excess elements|no elements",
    "void f(ls_context *c, ls_entity e) { LS_USES(c, looking); LS_WRITE_ANY(c, place, e); }": "may_write_any",
    "void f(ls_context *c, ls_entity e) { LS_WRITE(c, place, e); }": "LS_USES_is_missing",
    "LS_STATES(a, LOW, HIGH);\nLS_STATES(b, DRY, WET);\nLS_TERMS(tiding, WRITES_SINGLETON(a));\n"
    "void f(ls_context *c) { LS_USES(c, tiding); LS_ENTER_STATE(c, a, WET); }": "a_has_state_WET",
    "LS_STATES(a, LOW, HIGH);\nLS_STATES(b, DRY, WET);\nLS_TERMS(tiding, WRITES_SINGLETON(a));\n"
    "void f(ls_context *c) { LS_USES(c, tiding); LS_ENTER_STATE_VALUE(c, a, WET); }": "a_state",
    "void far(goal *, const goal *);\nLS_OPERATIONS(operations, OPERATION(place, far));":
    r"OPERATION\(place, far\) takes void far\(place",
    "LS_TERMS(growing, ATTACHES(place));\n"
    "void f(ls_context *c, ls_entity e) { LS_USES(c, growing); LS_ATTACH_TAG(c, place, e); }":
    "place_has_fields_so_use_LS_ATTACH",
    "LS_COMPONENT(wide, FIX(a), FIX(b), FIX(c));\nconstexpr lockstep::component<place> Wide(wide_component);":
    "of_another_size",
    "LS_EVENT(ping, FIX(a), FIX(b));\nconstexpr lockstep::component<ping> Ping(ping_component);": "of_another_kind",
    "constexpr lockstep::tag Tag(place_component);": "of_another_size",
    "struct holey { uint8_t a; uint32_t b; };\nLS_COMPONENT_OF(holey, hole, \"hole\", U8(a), U32(b));": "hole",
    "struct with { with(const with &); ls_fix x; };\n"
    "constexpr lockstep::component<with> With(place_component);": "plain struct",
    "lockstep::world copy(const lockstep::world &from) { return from; }": "deleted",
    "void f() { lockstep::world w; w.create(nullptr, {}); }": "nodiscard",
    "const ls_world *f() { return lockstep::world(nullptr); }": "deleted",
}


def text_of(*path):
    with open(os.path.join(ROOT, *path), encoding="utf-8") as file:
        return file.read()


class Simulations(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.work = tempfile.mkdtemp(prefix="lockstep-cpp-")
        cls.addClassCleanup(shutil.rmtree, cls.work)
        harvest = files(text_of("docs", "tutorial.md"))["harvest.c"]
        source = os.path.join(cls.work, "harvest.c")
        with open(source, "w", encoding="utf-8") as file:
            file.write(harvest)
        cls.in_c = {"harvest": cls.module("harvest_c", source, OPTIONS.compiler, "-std=c17"),
                    "walkers": cls.module("walkers_c", os.path.join(ROOT, "examples", "walkers", "walkers.c"),
                                          OPTIONS.compiler, "-std=c17")}

    @classmethod
    def module(cls, name, source, compiler, *flags):
        out = os.path.join(cls.work, name + ".so")
        run(compiler, "-O2", "-shared", "-fPIC", *FLOATS, *flags, f"-I{ROOT}/include", source, "-o", out)
        return out

    def digest(self, module, *options):
        """The hash of the roots of all ticks."""
        said = run(BINARY, "run", "--sim", module, "--bots", "--ticks", "900", *options)
        return re.search(r"root=[0-9a-f]{16} ticks=900 digest=[0-9a-f]{16}", said).group()

    def test_roots_are_those_of_c_in_every_tick(self):
        for name, in_c in self.in_c.items():
            wanted = {seed: self.digest(in_c, "--seed", seed) for seed in ("1", "2")}
            self.assertNotEqual(wanted["1"], wanted["2"])
            for compiler, standard in WAYS:
                module = self.module(name, os.path.join(CPP, name + ".cpp"), compiler, standard, *WARN, *PLAIN)
                with self.subTest(name, compiler=compiler, standard=standard):
                    for seed, root in wanted.items():
                        self.assertEqual(self.digest(module, "--seed", seed), root)
                    self.assertEqual(self.digest(module, "--seed", "2", "--threads", "3"), wanted["2"])
                    self.assertEqual(self.digest(module, "--seed", "2", "--shuffle", "9"), wanted["2"])

    def test_a_changed_simulation_has_other_roots(self):
        source = os.path.join(self.work, "slower.cpp")
        for name, old in (("harvest", "speed = LS_FIX(0.25)"), ("walkers", "speed = LS_FIX(0.2)")):
            text = text_of("examples", "cpp", name + ".cpp")
            self.assertEqual(text.count(old), 1)
            with open(source, "w", encoding="utf-8") as file:
                file.write(text.replace(old, "speed = LS_FIX(0.24)"))
            slower = self.module("slower", source, WAYS[0][0], WAYS[0][1], f"-I{CPP}")
            self.assertNotEqual(self.digest(slower, "--seed", "1"), self.digest(self.in_c[name], "--seed", "1"))

    def test_check_finds_nothing(self):
        for name in ("harvest", "walkers"):
            said = run(BINARY, "check", "--sim", os.path.join(CPP_BUILT, name + "_cpp.so"),
                       "--ticks", "120")
            self.assertRegex(said, rf"(?m)^{name}: \d+ runs, \d+ ticks, 0 failed$")

    def setUp(self):
        self.folder = tempfile.mkdtemp(dir=self.work)

    def test_a_client_in_cpp_plays_a_match(self):
        """Beside bots of `lockstep join`; the recording is verified by the simulation in C, root by root."""
        module = os.path.join(CPP_BUILT, "walkers_cpp.so")
        server, address = serve(self, module, "--ticks", "150", "--record", self.folder, "--wait", "3", "--tick-rate", "20")
        bots = join_bots(self, address, module, os.path.join(self.folder, "known"))
        said = run(os.path.join(CPP_BUILT, "play_walkers_cpp"), address)
        self.assertEqual(said, "ended tick=150 states=1 events=1 diverged=0\n")
        self.assertEqual(bots.wait(timeout=240), 0)
        out = server.communicate(timeout=240)[0]
        self.assertIn("desyncs=0", out)
        recording, = glob.glob(os.path.join(self.folder, "*.lsr"))
        said = run(BINARY, "verify", "--sim", self.in_c["walkers"], "--any-build", recording)
        self.assertIn("verified ticks=150 ", said)

    def test_the_game_of_the_tutorial_plays_a_match(self):
        """Server and bots with the module in C++; the recording has the roots of the one in C."""
        module = os.path.join(CPP_BUILT, "harvest_cpp.so")
        server, address = serve(self, module, "--ticks", "120", "--record", self.folder, "--wait", "2", "--tick-rate", "60")
        bots = join_bots(self, address, module, os.path.join(self.folder, "known"))
        self.assertEqual(bots.wait(timeout=60), 0)
        self.assertIn("desyncs=0", server.communicate(timeout=60)[0])
        recording, = glob.glob(os.path.join(self.folder, "*.lsr"))
        said = run(BINARY, "verify", "--sim", self.in_c["harvest"], "--any-build", recording)
        self.assertIn("verified ticks=120 ", said)

    def test_a_client_of_another_simulation_is_refused(self):
        _, address = serve(self, "skirmish", "--wait", "1")
        done = subprocess.run((os.path.join(CPP_BUILT, "play_walkers_cpp"), address),
                              text=True, check=False, timeout=240, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 5)
        self.assertRegex(done.stdout, "^refused ")
        self.assertIn("skirmish", done.stderr)

    def test_owners(self):
        for compiler, standard in WAYS:
            program, path = os.path.join(self.folder, "owners"), os.path.join(self.folder, "a.lsr")
            run(compiler, standard, "-O1", *WARN, *FLOATS, *PLAIN, f"-I{ROOT}/include", f"-I{CPP}",
                os.path.join(HERE, "cpp", "owners.cpp"), os.path.join(CPP, "walkers.cpp"), "-o", program,
                f"-L{OPTIONS.build}", "-llockstep", f"-Wl,-rpath,{OPTIONS.build}")
            root = re.fullmatch(r"root=([0-9a-f]{16}) ticks=90\n", run(program, path)).group(1)
            said = run(BINARY, "verify", "--sim", self.in_c["walkers"], "--any-build", path)
            self.assertIn(f"verified ticks=90 root={root}", said)
            os.remove(path)

    def is_good(self, name):
        for compiler, standard in WAYS:
            program = os.path.join(self.folder, name)
            run(compiler, standard, "-O1", *WARN, *FLOATS, f"-I{ROOT}/include",
                os.path.join(HERE, "cpp", name + ".cpp"), "-o", program,
                f"-L{OPTIONS.build}", "-llockstep", f"-Wl,-rpath,{OPTIONS.build}")
            self.assertEqual(run(program), "good\n")

    def test_changes_and_events_of_several_ticks(self):
        self.is_good("changes")

    def test_the_macros_of_a_simulation(self):
        self.is_good("features")

    def test_modules(self):
        self.is_good("modules")

    def test_a_copy_of_the_folder_builds_against_the_installed_package(self):
        prefix, build = os.path.join(self.folder, "prefix"), os.path.join(self.folder, "build")
        run("cmake", "--install", OPTIONS.build, "--prefix", prefix)
        run("cmake", "-S", os.path.join(prefix, "share", "lockstep", "examples", "cpp"), "-B", build, "-G", "Ninja",
            f"-DCMAKE_PREFIX_PATH={prefix}", "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Werror")
        run("cmake", "--build", build)
        self.assertEqual(self.digest(os.path.join(build, "walkers_cpp.so"), "--seed", "1"),
                         self.digest(self.in_c["walkers"], "--seed", "1"))


class Compiling(unittest.TestCase):
    def compile(self, way, text):
        return subprocess.run((*way, *WARN[:-1], "-Werror", f"-I{ROOT}/include", "-fsyntax-only", "-x", "c++", "-"),
                              input=START + text + "\n", text=True, check=False, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)

    def test_what_must_not_compile(self):
        for number, (text, says) in enumerate(REFUSED.items()):
            way = WAYS[number % len(WAYS)]
            done = self.compile(way, text)
            with self.subTest(text, way=way):
                self.assertNotEqual(done.returncode, 0)
                self.assertRegex(done.stdout, says)

    def test_a_partner_by_its_key_alone_has_no_warning(self):
        text = ("LS_COMPONENT(married, ENTITY(spouse, LS_KEEP));\n"
                "constexpr ls_partner first = {&married_component, 0, LS_PARTNER_FIRST_WINS};\n"
                "constexpr ls_system both[] = {lockstep::system(\"a\").partner(FAILS),\n"
                "    lockstep::system(\"b\").partner(WINS), lockstep::system(\"c\").partner(first)};\n"
                "static_assert(both[0].partner.component == &married_component && both[0].partner.clash == LS_PARTNER_FAILS);\n"
                "static_assert(both[1].partner.clash == both[2].partner.clash && both[2].partner.clash == first.clash);")
        for way in WAYS:
            key = "LS_KEY(married, spouse)" if way[1] == "-std=c++20" else "&married_component, 0"
            clash = ".clash = first.clash" if way[1] == "-std=c++20" else "first.clash"
            done = self.compile(way, text.replace("FAILS),", f"{{{key}}}),").replace("WINS),", f"{{{key}, {clash}}}),"))
            self.assertEqual(done.returncode, 0, done.stdout)

    def test_the_rest_of_it_compiles(self):
        for way in WAYS:
            done = self.compile(way, "void f(ls_context *c, const ls_span *s) { LS_USES(c, moving); "
                                "for (place &at : lockstep::cells(LS_WRITE_SPAN(c, place, s), s->count)) at.x++; }")
            self.assertEqual(done.returncode, 0, done.stdout)


if __name__ == "__main__":
    main()
