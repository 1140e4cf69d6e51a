#!/usr/bin/env python3
"""Installs the build into a folder, moves the folder, and builds against it from outside: a program with
CMake, the same program with pkg-config, and a module that the installed binary loads."""
import glob
import os
import pathlib
import platform
import re
import shutil
import subprocess
import tempfile
import unittest

from support import HERE, OPTIONS, ROOT, main, run


class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.work = tempfile.mkdtemp(prefix="lockstep-package-")
        cls.addClassCleanup(shutil.rmtree, cls.work)
        first = os.path.join(cls.work, "first")
        run("cmake", "--install", OPTIONS.build, "--prefix", first)
        # Moved after installation: nothing may depend on the install path.
        cls.prefix = os.path.join(cls.work, "moved")
        os.rename(first, cls.prefix)
        cls.binary = os.path.join(cls.prefix, "bin", "lockstep")
        cls.source = os.path.join(cls.work, "consumer")
        shutil.copytree(os.path.join(HERE, "consumer"), cls.source)
        cls.build = os.path.join(cls.work, "build")
        run("cmake", "-S", cls.source, "-B", cls.build, "-G", "Ninja",
            f"-DCMAKE_PREFIX_PATH={cls.prefix}", f"-DCMAKE_C_COMPILER={OPTIONS.compiler}",
            "-DCMAKE_C_FLAGS=-Wall -Wextra -Werror")
        run("cmake", "--build", cls.build)

    def pkg_config(self, name):
        found = glob.glob(os.path.join(self.prefix, "**", "lockstep.pc"), recursive=True)
        self.assertEqual(len(found), 1)
        env = os.environ | {"PKG_CONFIG_PATH": os.path.dirname(found[0])}
        return run("pkg-config", "--cflags", "--libs", name, env=env).split()

    def test_program_by_cmake_and_by_pkg_config_agree(self):
        by_cmake = run(os.path.join(self.build, "program"))
        self.assertRegex(by_cmake, r"^tick=10 entities=4 root=[0-9a-f]{16}\n")
        program = os.path.join(self.work, "program")
        run(OPTIONS.compiler, "-std=c17", "-O2", os.path.join(self.source, "program.c"),
            os.path.join(self.source, "counter.c"), "-o", program, *self.pkg_config("lockstep"))
        self.assertEqual(run(program), by_cmake)

    @unittest.skipUnless(platform.machine() == "x86_64", "names instructions of x86-64")
    def test_prefetches_stay(self):
        """GCC may take a function that only prefetches for one without effect, and remove its calls."""
        flags = ("-std=c17", "-D_GNU_SOURCE", "-I", ROOT, "-I", os.path.join(ROOT, "include"), "-S", "-o", "-")
        sources = [path for path in glob.glob(os.path.join(ROOT, "core", "**", "*.c"), recursive=True)
                   if re.search(r"__builtin_prefetch\(|ls_store_prefetch\(", pathlib.Path(path).read_text(encoding="utf-8"))]
        self.assertGreaterEqual(len(sources), 4)
        for source in sources:
            for level in ("-O2", "-O3"):
                with self.subTest(os.path.basename(source), level=level):
                    self.assertTrue("\tprefetch" in run(OPTIONS.compiler, level, *flags, source))

    def pages(self, *words):
        """Yields the words of each command and action, as the help lists them."""
        text = run(self.binary, *words, "--help").split("Exit codes:")[0]
        actions = re.findall(r"(?m)^  ([a-z-]+) +[a-z]", text) if "--help` lists" in text else []
        yield words
        for action in actions:
            yield from self.pages(*words, action)

    def test_the_manual_is_the_help(self):
        folder, pages = os.path.join(self.prefix, "share", "man", "man1"), list(self.pages())
        self.assertGreater(len(pages), 25)
        self.assertEqual(sorted(os.listdir(folder)), sorted("-".join(("lockstep", *words)) + ".1" for words in pages))
        for words in pages:
            path = os.path.join(folder, "-".join(("lockstep", *words)) + ".1")
            self.assertEqual(run("groff", "-man", "-Tutf8", "-ww", "-z", path), "")
            shown = re.sub(r"\s+", " ", run("groff", "-man", "-Tascii", "-P-cbou", "-rHY=0", "-rLL=200n", path))
            text = re.sub(r"\s+", " ", run(self.binary, *words, "--help"))
            for said in re.findall(r"--[a-z][a-z-]*(?:=[^ ]+)?", text):
                self.assertIn(said.strip("`'"), shown)
            if words:
                self.assertIn("SYNOPSIS " + "lockstep " + " ".join(words), shown)

    def test_completions_are_where_shells_look(self):
        for shell, place in (("bash", "bash-completion/completions/lockstep"), ("zsh", "zsh/site-functions/_lockstep"),
                             ("fish", "fish/vendor_completions.d/lockstep.fish")):
            with open(os.path.join(self.prefix, "share", place), encoding="utf-8") as file:
                self.assertEqual(file.read(), run(self.binary, "completion", shell))

    def module(self, compiler, *flags, without=(), sources=("counter.c",), link=()):
        """Builds a module like a makefile: each source with its own flags."""
        given = [flag for flag in self.pkg_config("lockstep-sim") if flag not in without]
        out = os.path.join(self.work, "floats.so")
        objects = []
        for source in sources:
            name, *own = source.split()
            objects.append(os.path.join(self.work, name + ".o"))
            run(compiler, "-O2", "-fPIC", "-c", os.path.join(self.source, name), "-o", objects[-1],
                *given, *flags, *own)
        run(compiler, "-shared", *link, *objects, "-o", out)
        return out

    def refuses_floats(self, module, flag):
        for command in (("run", "--ticks", "1"), ("check", "--ticks", "20")):
            done = subprocess.run([self.binary, command[0], "--sim", module, *command[1:]], text=True,
                                  check=False, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertIn(f"{module} was compiled so that floats differ", done.stderr)
            self.assertIn(f"compile each of its files with {flag}", done.stderr)

    def compilers(self):
        return [name for name in {OPTIONS.compiler, "gcc", "clang-14"} if shutil.which(name)]

    def test_reassociated_floats_are_refused(self):
        for compiler in self.compilers():
            self.refuses_floats(self.module(compiler, "-fassociative-math", "-fno-signed-zeros",
                                            "-fno-trapping-math"), "-fno-associative-math")
            self.refuses_floats(self.module(compiler, "-freciprocal-math"), "-fno-reciprocal-math")

    def test_linkers_keep_the_probes(self):
        """A linker that removes unused sections may remove the float probes as unused."""
        for compiler in self.compilers():
            for linker in ("bfd", "gold", "lld"):
                link = (f"-fuse-ld={linker}", "-Wl,--gc-sections")
                if subprocess.run((compiler, *link, "-Wl,--version"), check=False, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL).returncode:
                    continue
                with self.subTest(compiler=compiler, linker=linker):
                    split = ("-ffunction-sections", "-fdata-sections")
                    self.refuses_floats(self.module(
                        compiler, *split, link=link, sources=("counter.c", "other.c -freciprocal-math")),
                        "-fno-reciprocal-math")
                    self.assertTrue(self.root_of_run(self.module(compiler, *split, link=link)))

    def test_contracted_floats_are_refused(self):
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            if " fma " not in file.read():
                self.skipTest("this processor has no fused multiply-add")
        off = ("-ffp-contract=off",)
        for compiler in self.compilers():
            with self.subTest(compiler):
                self.refuses_floats(self.module(compiler, "-mfma", "-ffp-contract=fast"), off[0])
                # Both compilers contract without a warning, gcc only in its GNU dialect.
                self.refuses_floats(self.module(compiler, "-std=gnu17", "-mfma", without=off), off[0])
                # Only one source of the module contracts.
                self.refuses_floats(self.module(compiler, sources=(
                    "counter.c", "other.c -mfma -ffp-contract=fast")), off[0])
                self.assertTrue(self.root_of_run(self.module(compiler, "-mfma", "-march=native",
                                                             "-std=gnu17")))

    def test_a_processor_with_half_floats(self):
        """In GNU C, gcc then defines FLT_EVAL_METHOD as 16, which base.h must accept."""
        probe = os.path.join(self.work, "probe.c")
        with open(probe, "w", encoding="utf-8") as file:
            file.write('#include <float.h>\n_Static_assert(FLT_EVAL_METHOD == 16, "");\n')
        flags = ("-std=gnu17", "-mavx512fp16", "-fsyntax-only")
        if subprocess.run((OPTIONS.compiler, *flags, probe), check=False,
                          stderr=subprocess.DEVNULL).returncode:
            self.skipTest(f"{OPTIONS.compiler} has no such method")
        run(OPTIONS.compiler, *flags, os.path.join(self.source, "counter.c"),
            *self.pkg_config("lockstep-sim"))

    def source_hash(self, *arguments):
        return run(self.binary, "source-hash", *arguments).strip()

    def fingerprint(self, module):
        """The source hash as the header of a recording holds it."""
        folder = tempfile.mkdtemp(dir=self.work)
        run(self.binary, "serve", "--sim", module, "--bind", "127.0.0.1", "--port", "0", "--wait", "0",
            "--ticks", "1", "--record", folder, "--temporary-identity", "--quiet")
        recording, = glob.glob(os.path.join(folder, "*.lsr"))
        return re.search(r"fingerprint ([0-9a-f]+)",
                         run(self.binary, "replay", "info", recording)).group(1)

    def test_make_and_cmake_give_one_fingerprint(self):
        source = os.path.join(self.source, "counter.c")
        def module(*options):
            digest = self.source_hash("-O2", "-Wall", *options, source)
            return self.module(OPTIONS.compiler, *options, f'-DLS_SIM_SOURCE_HASH="{digest}"')
        by_cmake = self.fingerprint(os.path.join(self.build, "counter.so"))
        self.assertEqual(self.fingerprint(module()), by_cmake)
        self.assertEqual(self.fingerprint(module("-DNDEBUG", "-D_GNU_SOURCE")), by_cmake)
        others = {self.fingerprint(module("-DSIZE=2")), self.fingerprint(module("-DSIZE=3")),
                  self.fingerprint(module("-funsigned-char")), by_cmake}
        self.assertEqual(len(others), 4)
        self.assertEqual(self.fingerprint(os.path.join(self.build, "counter_three.so")),
                         self.fingerprint(module("-DSIZE=3", "-DLABEL")))

    def test_builds_with_other_definitions_refuse_each_other(self):
        source = os.path.join(self.source, "counter.c")
        by_make = self.module(OPTIONS.compiler, f'-DLS_SIM_SOURCE_HASH="{self.source_hash(source)}"')
        server = subprocess.Popen(
            (self.binary, "serve", "--sim", os.path.join(self.build, "counter.so"), "--bind", "127.0.0.1",
             "--port", "0", "--wait", "1", "--ticks", "20", "--temporary-identity"),
            text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.addCleanup(server.communicate)
        self.addCleanup(server.kill)
        address = server.stdout.readline().split()[1]
        def join(module):
            return subprocess.run((self.binary, "join", address, "--sim", module, "--bots", "1",
                                   "--known-servers", os.path.join(self.work, "known")),
                                  text=True, check=False, timeout=240, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT)
        other = join(os.path.join(self.build, "counter_three.so"))
        self.assertEqual(other.returncode, 3, other.stdout)
        same = join(by_make)
        self.assertEqual(same.returncode, 0, same.stdout)
        self.assertEqual(server.wait(timeout=240), 0)

    def configure(self, text, *options):
        """Configures a project with this text; returns the hash of each simulation and CMake's output."""
        folder = tempfile.mkdtemp(dir=self.work)
        shutil.copy(os.path.join(self.source, "counter.c"), folder)
        with open(os.path.join(folder, "CMakeLists.txt"), "w", encoding="utf-8") as file:
            file.write("cmake_minimum_required(VERSION 3.22)\nproject(hashes C)\n"
                       "find_package(lockstep REQUIRED)\n" + text)
        build = os.path.join(folder, "build")
        done = subprocess.run(
            ("cmake", "-S", folder, "-B", build, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={self.prefix}",
             f"-DCMAKE_C_COMPILER={OPTIONS.compiler}", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON", *options),
            text=True, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode:
            return None, " ".join(done.stdout.split())
        with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
            return dict(re.findall(r'SOURCE_HASH=\W*([0-9a-f]{64}).*?CMakeFiles/(\w+)\.dir/', file.read())
                        ), done.stdout

    def test_definitions_that_cmake_takes_in_other_ways(self):
        source = os.path.join(self.source, "counter.c")
        sized = self.source_hash("-DSIZE=2", source)
        for text, options in (
                ("target_compile_options(one PRIVATE -DSIZE=2)", ()),
                ('target_compile_options(one PRIVATE "SHELL:-D SIZE=2")', ()),
                ("target_compile_options(one PRIVATE -D SIZE=2)", ()),
                ("set_source_files_properties(counter.c PROPERTIES COMPILE_DEFINITIONS SIZE=2)", ()),
                ("set_source_files_properties(counter.c PROPERTIES COMPILE_OPTIONS -DSIZE=2)", ()),
                ('set_source_files_properties(counter.c PROPERTIES COMPILE_FLAGS "-O1 -DSIZE=2")', ()),
                ("target_compile_options(one PRIVATE $<$<CONFIG:Release>:-g1> -DSIZE=2)", ()),
                ("", ("-DCMAKE_C_FLAGS=-Wall -DSIZE=2",)),
                ("", ("-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_C_FLAGS_RELEASE=-O3 -DNDEBUG -DSIZE=2"))):
            with self.subTest(text=text, options=options):
                hashes, said = self.configure(
                    "lockstep_add_simulation(one SOURCES counter.c)\n" + text, *options)
                self.assertIsNotNone(hashes, said)
                self.assertEqual({value: name for value, name in hashes.items()}, {sized: "one"})

    def test_definitions_that_the_hash_cannot_cover_are_refused(self):
        """Builds with different values would have the same fingerprint."""
        for text in ("target_compile_definitions(one PRIVATE $<$<CONFIG:Debug>:SIZE=2>)",
                     'target_compile_definitions(one PRIVATE "$<$<C_COMPILER_ID:GNU>:SIZE;OTHER>")',
                     "target_compile_definitions(one PRIVATE SIZE=$<IF:$<CONFIG:Debug>,1,2>)",
                     "target_compile_options(one PRIVATE $<$<CONFIG:Debug>:-DSIZE>)",
                     'target_compile_options(one PRIVATE "$<$<CONFIG:Debug>:-g;-DSIZE>")',
                     "target_compile_options(one PRIVATE $<$<CONFIG:Debug>:-fwrapv>)"):
            with self.subTest(text):
                hashes, said = self.configure(
                    "lockstep_add_simulation(one SOURCES counter.c)\n" + text)
                self.assertIsNone(hashes)
                self.assertRegex(said, r"lockstep_add_simulation\(one\): \S+ is part of a generator expression")

    def test_source_hash_takes_a_compiler_s_options(self):
        source = os.path.join(self.source, "counter.c")
        plain, sized = self.source_hash(source), self.source_hash("-DSIZE=1", source)
        for same in (("-O3", "-std=c17", "-I", "/tmp", "-o", "out"), ("-DNDEBUG", "-D_GNU_SOURCE=1"),
                     ("-D", "LS_SIM_SOURCE_HASH=x"), ("-ffp-contract=off",)):
            self.assertEqual(self.source_hash(*same, source), plain)
        for same in (("-DSIZE",), ("-D", "SIZE"), ("-DSIZE=1", "-DSIZE")):
            self.assertEqual(self.source_hash(*same, source), sized)
        self.assertEqual(self.source_hash("-DA", "-DB", source), self.source_hash(source, "-DB", "-DA"))
        self.assertNotEqual(self.source_hash(source, source), plain)
        for wrong, says in (((), "FILE is missing"), (("-O2",), "FILE is missing"), (("no.c",), "no.c")):
            done = subprocess.run([self.binary, "source-hash", *wrong], text=True, check=False,
                                  stderr=subprocess.PIPE)
            self.assertEqual(done.returncode, 2)
            self.assertIn(says, done.stderr)

    def test_license_comes_along(self):
        with open(os.path.join(self.prefix, "share", "doc", "lockstep", "LICENSE"),
                  encoding="utf-8") as file, open(os.path.join(ROOT, "LICENSE"),
                                                  encoding="utf-8") as original:
            self.assertEqual(file.read(), original.read())

    def root_of_run(self, module):
        out = run(self.binary, "run", "--sim", module, "--ticks", "10", "--seed", "7")
        return re.search(r"root=([0-9a-f]{16})", out).group(1)

    def test_module_in_the_installed_binary_agrees_with_the_program(self):
        expected = re.search(r"root=([0-9a-f]{16})", run(os.path.join(self.build, "program")))
        self.assertEqual(self.root_of_run(os.path.join(self.build, "counter.so")),
                         expected.group(1))

    def test_module_by_pkg_config_agrees_too(self):
        module = os.path.join(self.work, "counter.so")
        run(OPTIONS.compiler, "-std=c17", "-O2", "-fPIC", "-shared",
            os.path.join(self.source, "counter.c"), "-o", module, *self.pkg_config("lockstep-sim"))
        self.assertEqual(self.root_of_run(module),
                         self.root_of_run(os.path.join(self.build, "counter.so")))

    def test_a_call_without_a_prototype_does_not_compile(self):
        """The implicit declaration would cut the returned pointer to an int."""
        with open(os.path.join(self.source, "counter.c"), encoding="utf-8") as file:
            text = file.read()
        with open(os.path.join(self.source, "forgotten.c"), "w", encoding="utf-8") as file:
            file.write(text + "\nvoid *forgotten(void);\nvoid *forgotten(void)\n{\n    return missing();\n}\n")
        with self.assertRaisesRegex(AssertionError, "implicit.*missing"):
            self.module(OPTIONS.compiler, sources=("forgotten.c",))
        folder = tempfile.mkdtemp(dir=self.work)
        shutil.copy(os.path.join(self.source, "forgotten.c"), folder)
        with open(os.path.join(folder, "CMakeLists.txt"), "w", encoding="utf-8") as file:
            file.write("cmake_minimum_required(VERSION 3.22)\nproject(forgotten C)\n"
                       "find_package(lockstep REQUIRED)\n"
                       "lockstep_add_simulation(one SOURCES forgotten.c)\n")
        run("cmake", "-S", folder, "-B", folder, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={self.prefix}",
            f"-DCMAKE_C_COMPILER={OPTIONS.compiler}")
        with self.assertRaisesRegex(AssertionError, "implicit.*missing"):
            run("cmake", "--build", folder)

    def built_faulty(self, declarations, **env):
        """The output of a build whose module has the lines in its list of systems; None if it succeeds."""
        folder = tempfile.mkdtemp(dir=self.work)
        with open(os.path.join(HERE, "faulty.c.in"), encoding="utf-8") as file:
            text = file.read().replace("@SYSTEMS@", declarations)
        with open(os.path.join(folder, "faulty.c"), "w", encoding="utf-8") as file:
            file.write(text)
        with open(os.path.join(folder, "CMakeLists.txt"), "w", encoding="utf-8") as file:
            file.write("cmake_minimum_required(VERSION 3.22)\nproject(faulty C)\n"
                       "find_package(lockstep REQUIRED)\n"
                       f"lockstep_add_simulation(faulty {env.get('options', '')} SOURCES faulty.c)\n")
        said = run("cmake", "-S", folder, "-B", folder, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={self.prefix}",
                   f"-DCMAKE_C_COMPILER={OPTIONS.compiler}", *env.get("settings", ()))
        try:
            run("cmake", "--build", folder)
        except AssertionError as error:
            return str(error)
        return said if env.get("configured") else None

    def test_a_schedule_that_does_not_build_is_an_error_of_the_build(self):
        add = '{.name = "add", .span = run, .terms = LS_TERM_LIST(LS_WRITES(sums))},\n'
        rival = '{.name = "rival", .span = run, .terms = LS_TERM_LIST(LS_WRITES(sums))%s},\n'
        self.assertIsNone(self.built_faulty(add + rival % ', .after = "add"'))
        said = self.built_faulty(add + rival % "")
        self.assertRegex(said, r'faulty\.c:15: error: ambiguity: systems "add" and "rival" have no order')
        self.assertRegex(said, r'faulty\.c:16: note: here is "rival"')
        self.assertRegex(said, r'note: every ambiguity is settled by "add" before "rival"')
        said = self.built_faulty(add + "\n" + rival % ', .labels = "rest",\n .after = "adds"')
        self.assertRegex(said, r'faulty\.c:18: error: unknown: system "rival" is to run after "adds", .*"add" meant\?')
        self.assertNotIn("ambiguity", said)

    def test_the_check_of_a_schedule_can_be_left_out(self):
        wrong = '{.name = "add", .span = run, .terms = LS_TERM_LIST(LS_WRITES(sums)), .after = "nothing"},\n'
        self.assertIn("error: unknown", self.built_faulty(wrong))
        self.assertIsNone(self.built_faulty(wrong, options="NO_CHECK"))
        self.assertIsNone(self.built_faulty(wrong, settings=("-DLOCKSTEP_CHECK_SCHEDULES=OFF",)))
        # For another machine the module cannot be loaded here, and the build says so.
        said = self.built_faulty(wrong, configured=True, settings=(
            "-DCMAKE_SYSTEM_NAME=Linux", "-DCMAKE_SYSTEM_PROCESSOR=another"))
        self.assertIn("the schedule is not checked, because this build is for another machine", said)

    def test_module_carries_no_copy_of_the_engine(self):
        # The module may have its own copies of inline functions, but must not export them.
        out = run("nm", "--defined-only", "--extern-only", os.path.join(self.build, "counter.so"))
        self.assertEqual([name for line in out.splitlines() for name in line.split()[2:]
                          if name.startswith("ls_")], ["ls_sim_export", "ls_sim_float_faults"])

    def test_every_public_header_is_installed(self):
        installed = os.listdir(os.path.join(self.prefix, "include", "lockstep"))
        self.assertEqual(sorted(installed),
                         sorted(os.listdir(os.path.join(ROOT, "include", "lockstep"))))

    def test_the_bindings_are_installed_with_what_is_generated(self):
        share = os.path.join(self.prefix, "share", "lockstep")
        if not os.path.exists(os.path.join(OPTIONS.build, "lockstep-api.json")):
            self.skipTest("this build has no clang")
        self.assertIn("lockstep-api.json", os.listdir(share))
        self.assertLess({"Native.cs", "Lockstep.csproj", "Session.cs"}, set(os.listdir(os.path.join(share, "bindings", "csharp"))))
        self.assertLess({"pyproject.toml", "backend.py"}, set(os.listdir(os.path.join(share, "bindings", "python"))))


if __name__ == "__main__":
    main()
