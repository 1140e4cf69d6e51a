#!/usr/bin/env python3
"""liblockstep.so: what it exports, and programs, clients and simulations in C and C++ that use the installed
one."""
import glob
import os
import re
import shutil
import subprocess
import tempfile
import unittest

import abi
from support import HERE, OPTIONS, ROOT, main, run
from fences import files

WARN = ("-Wall", "-Wextra", "-pedantic", "-Werror")


def exports(library):
    """name -> version of every symbol that the library defines for others."""
    lines = run("nm", "-D", "--defined-only", "--with-symbol-versions", library).splitlines()
    # The version itself is a symbol of type A.
    return dict(line.split()[2].split("@@") if "@@" in line else (line.split()[2], "")
                for line in lines if line.split()[1] != "A")


def replaced():
    """ENet's functions that the link replaces, which libenet finds through the symbol table."""
    with open(os.path.join(ROOT, "proto", "enet_socket.c"), encoding="utf-8") as file:
        return set(re.findall(r"^LS_REPLACES .*?\b(enet_socket_\w+)\(", file.read(), re.M))


def faults(found, wanted, version):
    return (sorted(set(found) - wanted), sorted(wanted - set(found)),
            sorted(name for name in found if found[name] != version))


class Exports(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.library = os.path.join(OPTIONS.build, "liblockstep.so")
        cls.api = abi.describe()
        cls.number = cls.api["abi"]
        cls.wanted = {one["name"] for one in abi.functions_of(cls.api)} | replaced()

    def test_only_what_public_headers_declare(self):
        self.assertGreater(len(self.wanted), 300)
        self.assertEqual(faults(exports(self.library), self.wanted, f"LOCKSTEP_{self.number}"), ([], [], []))

    def test_replaced_functions_are_those_of_libenet(self):
        linked = re.search(r"libenet\S* => (\S+)", run("ldd", self.library)).group(1)
        self.assertGreater(len(replaced()), 5)
        self.assertLessEqual(replaced(), set(exports(linked)))

    def test_faults_in_the_exports_are_found(self):
        with open(os.path.join(OPTIONS.build, "liblockstep.map"), encoding="utf-8") as file:
            text = file.read()
        with tempfile.TemporaryDirectory() as folder:
            planted, linked = os.path.join(folder, "map"), os.path.join(folder, "liblockstep.so")
            for old, new, at in (("    ls_world_root;\n", "", 1), ("global:\n", "global:\n    *;\n", 0)):
                self.assertIn(old, text)
                with open(planted, "w", encoding="utf-8") as file:
                    file.write(text.replace(old, new).replace("local:\n    *;\n", "" if at == 0 else "local:\n    *;\n"))
                run(OPTIONS.compiler, "-shared", f"-Wl,--version-script={planted}", "-Wl,--whole-archive",
                    os.path.join(OPTIONS.build, "liblockstep.a"), "-Wl,--no-whole-archive", "-o", linked)
                found = faults(exports(linked), self.wanted, f"LOCKSTEP_{self.number}")
                self.assertTrue(found[at], found)
                self.assertFalse(found[1 - at], found)

    def test_soname_has_the_abi(self):
        dynamic = run("readelf", "-d", self.library)
        self.assertIn(f"Library soname: [liblockstep.so.{self.number}]", dynamic)

    def test_every_public_function_is_declared_for_export(self):
        """The description finds no header for a function whose declaration does not begin with LS_API."""
        self.assertEqual([one["name"] for one in abi.functions_of(self.api) if not one["header"]], [])


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.work = tempfile.mkdtemp(prefix="lockstep-shared-")
        cls.addClassCleanup(shutil.rmtree, cls.work)
        cls.prefix = os.path.join(cls.work, "prefix")
        run("cmake", "--install", OPTIONS.build, "--prefix", cls.prefix)
        cls.binary = os.path.join(cls.prefix, "bin", "lockstep")
        cls.source, cls.build = os.path.join(cls.work, "source"), os.path.join(cls.work, "build")
        os.mkdir(cls.source)
        for folder in ("consumer", "cpp", "shared"): # the last CMakeLists.txt stays
            shutil.copytree(os.path.join(HERE, folder), cls.source, dirs_exist_ok=True)
        # Without pkg-config the package finds none of the libraries that only the static form needs.
        run("cmake", "-S", cls.source, "-B", cls.build, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={cls.prefix}",
            f"-DCMAKE_C_COMPILER={OPTIONS.compiler}", "-DCMAKE_C_FLAGS=-Wall -Wextra -Werror",
            "-DCMAKE_CXX_FLAGS=-Wall -Wextra -pedantic -Werror", "-DPKG_CONFIG_EXECUTABLE=/nonexistent")
        run("cmake", "--build", cls.build)
        found, = glob.glob(os.path.join(cls.prefix, "**", "lockstep-shared.pc"), recursive=True)
        cls.pc_env = os.environ | {"PKG_CONFIG_PATH": os.path.dirname(found)}
        cls.env = os.environ | {"LD_LIBRARY_PATH": os.path.dirname(os.path.dirname(found))}

    def flags(self, *names):
        return run("pkg-config", *names, env=self.pc_env).split()

    def test_programs_of_both_forms_agree(self):
        by_cmake = run(os.path.join(self.build, "program"), env=self.env)
        self.assertRegex(by_cmake, r"^tick=10 entities=4 root=[0-9a-f]{16}\n")
        for name, is_shared in (("lockstep-shared", True), ("lockstep", False)):
            program = os.path.join(self.work, name)
            run(OPTIONS.compiler, "-std=c17", "-O2", os.path.join(self.source, "program.c"),
                os.path.join(self.source, "counter.c"), "-o", program, *self.flags("--cflags", "--libs", name))
            self.assertEqual(run(program, env=self.env), by_cmake)
            needed = run("readelf", "-d", program)
            self.assertEqual("[liblockstep.so." in needed, is_shared, needed)
            self.assertEqual("[libsodium.so." in needed, not is_shared, needed)

    def play(self, host, *player):
        bound = f"[{host}]" if ":" in host else host
        server = subprocess.Popen(
            (self.binary, "serve", "--sim", os.path.join(self.build, "counter.so"), "--bind", host, "--port",
             "0", "--wait", "1", "--ticks", "60", "--temporary-identity"),
            text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(server.communicate)
        self.addCleanup(server.kill)
        line = server.stdout.readline()
        port = re.search(re.escape(bound) + r":(\d+)", line).group(1)
        said = run(*(player or (os.path.join(self.build, "player"),)), host, port, env=self.env)
        self.assertEqual(said, "ended tick=60 acked=1 diverged=0\n")
        self.assertEqual(server.wait(timeout=240), 0)

    def test_a_client_plays_a_match(self):
        self.play("127.0.0.1")

    def test_a_client_plays_over_ipv6(self):
        """Needs the link's own sockets, which libenet has to find in the shared library."""
        if not os.path.exists("/proc/net/if_inet6"):
            self.skipTest("this machine has no IPv6")
        self.play("::1")

    def test_a_plugin_plays_as_an_engine_loads_it(self):
        """Of both forms, with its simulation inside: the sockets that libenet has to find are in the plugin, or in a library
        that the engine does not know."""
        host = os.path.join(self.work, "host")
        run(OPTIONS.compiler, os.path.join(self.source, "host.c"), "-o", host, "-ldl")
        counter = os.path.join(self.source, "counter.c")
        hashed = run(self.binary, "source-hash", counter).strip()
        for name in ("lockstep", "lockstep-shared"):
            plugin = os.path.join(self.work, name + "-plugin.so")
            run(OPTIONS.compiler, "-shared", "-fPIC", "-O2", "-Dmain=plugin_play", f'-DLS_SIM_SOURCE_HASH="{hashed}"',
                os.path.join(self.source, "player.c"), counter, "-o", plugin, *self.flags("--cflags", "--libs", name),
                "-Wl,--no-undefined")
            for address in ("127.0.0.1", "::1")[:1 + os.path.exists("/proc/net/if_inet6")]:
                with self.subTest(name, address=address):
                    self.play(address, host, plugin)

    def test_without_the_exports_of_enet_there_is_no_ipv6(self):
        """The test above can fail: the same library, whose sockets libenet does not find."""
        if not os.path.exists("/proc/net/if_inet6"):
            self.skipTest("this machine has no IPv6")
        folder = tempfile.mkdtemp(dir=self.work)
        planted = os.path.join(folder, "map")
        with open(os.path.join(OPTIONS.build, "liblockstep.map"), encoding="utf-8") as file, \
                open(planted, "w", encoding="utf-8") as out:
            out.writelines(line for line in file if "enet_socket_" not in line)
        name = re.search(r"soname: \[(.*)\]", run("readelf", "-d", os.path.join(OPTIONS.build, "liblockstep.so"))).group(1)
        used = run("pkg-config", "--libs", "libxxhash", "jansson", "libsodium", "libenet", "libzstd").split()
        run(OPTIONS.compiler, "-shared", f"-Wl,--version-script={planted}", "-Wl,--whole-archive",
            os.path.join(OPTIONS.build, "liblockstep.a"), "-Wl,--no-whole-archive", *used, f"-Wl,-soname,{name}",
            "-o", os.path.join(folder, name))
        player = os.path.join(folder, "player")
        run(OPTIONS.compiler, os.path.join(self.source, "player.c"), os.path.join(self.source, "counter.c"),
            "-o", player, *self.flags("--cflags", "--libs", "lockstep-shared"))
        for host, says in (("::1", "no IPv6: "), ("not an address", "not an address")):
            done = subprocess.run((player, host, "9"), env=os.environ | {"LD_LIBRARY_PATH": folder}, text=True,
                                  check=False, stderr=subprocess.PIPE)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn(says, done.stderr)

    def root(self, module):
        out = run(self.binary, "run", "--sim", module, "--ticks", "600")
        return re.search(r"root=[0-9a-f]{16} ticks=600 digest=[0-9a-f]{16}", out).group()

    def compilers(self):
        return [(name, plus) for name, plus in (("gcc", "g++"), ("clang-14", "clang++-14"))
                if shutil.which(name) and shutil.which(plus)]

    def test_simulations_in_cpp_have_the_roots_of_c(self):
        with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as file:
            text = files(file.read())["drift.c"]
        with open(os.path.join(self.source, "drift.c"), "w", encoding="utf-8") as file:
            file.write(text)
        module = os.path.join(self.work, "drift.so")
        def built(compiler, source, *flags):
            run(compiler, "-O2", "-shared", "-fPIC", *flags, os.path.join(self.source, source), "-o", module)
            return self.root(module)
        wanted = built(OPTIONS.compiler, "drift.c", *self.flags("--cflags", "lockstep-sim"))
        self.assertEqual(self.root(os.path.join(self.build, "drift.so")), wanted)
        flags = [flag for flag in self.flags("--cflags", "lockstep-sim-cpp")]
        for _, compiler in self.compilers():
            # clang knows no such flag.
            own = [flag for flag in flags if "g++" == compiler or "excess" not in flag]
            with self.subTest(compiler):
                self.assertEqual(built(compiler, "drift17.cpp", "-std=c++17", *WARN, *own), wanted)
                self.assertEqual(built(compiler, "drift.cpp", "-std=c++20", *WARN, "-Wno-missing-field-initializers",
                                       *own), wanted)

    def test_macros_mean_the_same_in_c_and_cpp(self):
        flags, lines = self.flags("--cflags", "--libs", "lockstep-shared"), {}
        flags = [flag for flag in flags if "excess" not in flag and "implicit" not in flag]
        program = os.path.join(self.work, "macros")
        for c, plus in self.compilers():
            for compiler, language, standard in ((c, "c", "c17"), (plus, "c++", "c++17"), (plus, "c++", "c++20")):
                run(compiler, "-x", language, f"-std={standard}", *WARN, "-O1",
                    os.path.join(self.source, "macros.c"), "-x", "none", "-o", program, *flags)
                lines[f"{compiler} {standard}"] = run(program, env=self.env)
        first = next(iter(lines.values()))
        self.assertIn("10.0.2.1:40001", first)
        self.assertEqual([name for name in lines if lines[name] != first], [])

    def test_a_variable_in_a_fix_constant_does_not_compile(self):
        for c, plus in self.compilers():
            for compiler, language in ((c, "c"), (plus, "c++")):
                source = ("#include <lockstep/fix.h>\nls_fix twice(int n);\nls_fix twice(int n)\n"
                          "{\n    return LS_FIX(n);\n}\n")
                done = subprocess.run((compiler, "-x", language, "-O0", f"-I{self.prefix}/include", "-fsyntax-only",
                                       "-"), input=source, text=True, check=False, stderr=subprocess.PIPE)
                self.assertNotEqual(done.returncode, 0, compiler)
                self.assertIn("LS_FIX() takes a constant; of a variable take ls_fix_from_int()", done.stderr)


if __name__ == "__main__":
    main()
