"""Simulations in shared objects: a good one plays over the network; each faulty one gives a one-line error."""
import json
import os
import shutil
import struct
import subprocess

from case import GOOD, INCOMPATIBLE, REFUSED, USAGE, Case, main, tiny


def loaded_bytes(path):
    """The mapped bytes of a 64-bit ELF file; the rest is only for debuggers."""
    with open(path, "rb") as file:
        data = file.read()
    start, = struct.unpack_from("<Q", data, 32)
    size, count = struct.unpack_from("<HH", data, 54)
    headers = (struct.unpack_from("<IIQQQQ", data, start + i * size) for i in range(count))
    return max(offset + bytes_ for kind, _, offset, _, _, bytes_ in headers if kind == 1)


class Sims(Case):
    def test_good_one_runs_and_plays(self):
        out, _ = self.command("run", "--sim", tiny("good"), "--bots", "--ticks", "100")
        self.assertIn("sim=tiny", out)
        server = self.serve("--ticks", "100", "--wait", "2", sim=tiny("good"))
        self.join(server, "--bots", "2", sim=tiny("good"))
        self.assertEqual(server.wait(), GOOD)
        # The recording's simulation is not built in.
        path = self.recording()
        self.refuse("verify", path, code=INCOMPATIBLE, says=("'tiny'", "--sim"))
        self.assertEqual(self.verified_ticks(path, "--sim", tiny("good")), 100)

    def test_a_name_without_a_slash_is_of_this_folder(self):
        shutil.copy(tiny("good"), self.path("mine.so"))
        self.command("run", "--sim", "mine.so", "--ticks", "1")

    def test_planted_faults_are_named(self):
        for fault, code, says in (
                ("padded", USAGE, ("Holey",)),
                ("twice", USAGE, ("Sum",)),
                ("ambiguous", REFUSED, ("add", "rival", "Sum", "`lockstep schedule check --sim ")),
                ("abi", INCOMPATIBLE, ("tiny_abi.so", " of the simulation interface, this lockstep has layout ",
                                        "rebuild")),
                ("no_export", USAGE, ("tiny_no_export.so", "ls_sim_export")),
                ("null", USAGE, ("tiny_null.so", "NULL")),
                ("unlinked", USAGE, ("of_no_library", "link the library that has it, -lm for the functions of math.h")),
                ("undefined", INCOMPATIBLE, ("ls_of_a_later_version", "rebuild"))):
            with self.subTest(fault):
                self.refuse("run", "--sim", tiny(fault), code=code, says=says)
                self.refuse("serve", "--sim", tiny(fault), "--port", "0", code=code, says=says)

    def test_the_command_that_tells_all_can_be_typed(self):
        """If the module's path needs quoting in a shell, the printed command quotes it."""
        path = self.path("my games", "ambiguous.so")
        os.mkdir(os.path.dirname(path))
        shutil.copy(tiny("ambiguous"), path)
        self.refuse("run", "--sim", path, code=REFUSED, says=(f"`lockstep schedule check --sim '{path}'` shows",))

    def test_a_schedule_that_does_not_build_is_told_whole(self):
        for fault, kind, says in (("ambiguous", "ambiguity", "settle it with .after"),
                                  ("ghost", "unknown", 'after "ghost", but no system has that name'),
                                  ("padded", "declaration", "Holey")):
            with self.subTest(fault):
                text, _ = self.command("schedule", "check", "--sim", tiny(fault), code=REFUSED)
                self.assertIn(f"{kind}: ", text)
                self.assertIn("tiny: does not build, 1 finding, ", text)
                report = json.loads(self.command("schedule", "check", "--json", "--sim", tiny(fault),
                                                 code=REFUSED)[0])
                self.assertFalse(report["builds"])
                self.assertEqual([found["kind"] for found in report["findings"]], [kind])
                self.assertIn(says, report["findings"][0]["text"])

    def test_one_without_a_hash_of_its_sources_is_warned_of(self):
        _, err = self.command("run", "--sim", tiny("unknown"), "--ticks", "1")
        self.assertRegex(err, r"\Alockstep: warning: the fingerprint of \S+ does not cover[^\n]+\n\Z")
        self.assertEqual(self.command("run", "--sim", tiny("good"), "--ticks", "1")[1], "")
        serve = ("serve", "--sim", tiny("unknown"), "--bind", "127.0.0.1", "--port", "0", "--identity",
                 self.path("identity"), "--wait", "0", "--ticks", "1", "--quiet")
        self.refuse(*serve, code=INCOMPATIBLE, says=("tiny_unknown.so has no hash", "--allow-unhashed"))
        self.command(*serve, "--allow-unhashed")

    def test_files_that_are_none(self):
        self.refuse("run", "--sim", self.path("no.so"), code=USAGE, says=("no.so", "No such file"))
        self.refuse("run", "--sim", "no.so", code=USAGE, says=("no.so", "No such file"))
        self.refuse("run", "--sim", self.folder, code=USAGE, says=(self.folder,))
        for name, data in (("text.so", b"not code\n" * 100), ("empty.so", b"")):
            with open(self.path(name), "wb") as file:
                file.write(data)
            self.refuse("run", "--sim", self.path(name), code=USAGE,
                        says=(name, "no shared object"))
        half = self.path("half.so")
        for count in (60, 100, 3000, loaded_bytes(tiny("good")) - 1):
            shutil.copy(tiny("good"), half)
            os.truncate(half, count)
            self.refuse("run", "--sim", half, code=USAGE, says=("half.so", "no shared object"))

    def refuses_machine(self, path, machine):
        for command in (("run",), ("serve", "--port", "0"), ("check",), ("schedule", "check")):
            self.refuse(*command, "--sim", path, code=INCOMPATIBLE,
                        says=(path, f" was built for another machine ({machine}), this lockstep is for "))

    def test_a_module_for_another_machine(self):
        """The loader would say that there is no such file, or load it with another convention for floats."""
        with open(tiny("good"), "rb") as file:
            module = bytearray(file.read())
        path = self.path("other.so")
        # The word size, the byte order, the machine and its flags in the header.
        for word, order, machine, flags, name in ((2, 1, 183 if module[18] != 183 else 62, 0, None),
                                                  (1, 1, 40, 0x5000400, "arm, hard float"),
                                                  (1, 1, 40, 0x5000200, "arm, soft float"),
                                                  (2, 2, 22, 0, "s390x, big-endian"),
                                                  (2, 1, 9999, 0, "machine 9999 of 64 bits")):
            end = "<" if order == 1 else ">"
            module[4:6] = word, order
            struct.pack_into(end + "H", module, 18, machine)
            struct.pack_into(end + "I", module, 48 if word == 2 else 36, flags)
            with open(path, "wb") as file:
                file.write(module)
            with self.subTest(machine=machine, flags=flags):
                self.refuses_machine(path, name or {183: "aarch64", 62: "x86-64"}[machine])

    def test_a_module_of_a_cross_compiler(self):
        source, path = self.path("other.c"), self.path("other.so")
        with open(source, "w", encoding="utf-8") as file:
            file.write("float twice(float x) { return 2 * x; }\n")
        built = 0
        for compiler, flags, machine in (("aarch64-linux-gnu-gcc", (), "aarch64"),
                                         ("arm-linux-gnueabihf-gcc", (), "arm, hard float"),
                                         ("arm-linux-gnueabihf-gcc", ("-mfloat-abi=softfp",), "arm, soft float"),
                                         ("i686-linux-gnu-gcc", ("-mfpmath=387",), "x86"),
                                         ("riscv64-linux-gnu-gcc", (), "riscv64, double float"),
                                         ("s390x-linux-gnu-gcc", (), "s390x, big-endian")):
            if not shutil.which(compiler):
                continue
            built += 1
            with self.subTest(compiler=compiler, flags=flags):
                subprocess.run((compiler, "-shared", "-fPIC", "-nostdlib", *flags, source, "-o", path), check=True)
                self.refuses_machine(path, machine)
        if not built:
            self.skipTest("no cross compiler here")

    def test_another_version_is_refused_before_the_match(self):
        server = self.serve("--wait", "0", sim=tiny("good"))
        out, err = self.join(server, sim=tiny("other"), code=INCOMPATIBLE)
        self.assertIn("the server refuses", err)
        self.assertIn("other sources of 'tiny 1'", err)
        self.assertEqual((out + err).count("\n"), 1, out + err)
        server.wait_line("other sources of 'tiny 1'", server.log)
        _, err = self.join(server, "--bots", "2", sim="skirmish", code=INCOMPATIBLE)
        self.assertIn("2 of 2 clients", err)
        self.assertIn("the server 'tiny 1'", err)
        self.assertEqual(server.stop(), GOOD)

    def test_without_sim_the_server_is_asked(self):
        for sim, more in (("skirmish", ("--bots", "2")), ("regatta", ("--bots", "2")),
                          ("toyphys", ("--spectate",))):
            server = self.serve("--wait", "0", "--tick-rate", "20", sim=sim)
            self.command("join", server.address, "--ticks", "20", *more)
            self.assertEqual(server.stop(), GOOD)
        server = self.serve("--wait", "0", sim=tiny("good"))
        out, err = self.refuse("join", server.address, code=INCOMPATIBLE,
                               says=("the server runs 'tiny 1'", "--sim PATH.so"))
        self.assertEqual((out + err).count("\n"), 1, out + err)
        self.assertEqual(server.stop(), GOOD)


main()
