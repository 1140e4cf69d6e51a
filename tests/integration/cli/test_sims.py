"""Simulations in shared objects: a good one plays over the network, each fault is one line."""
import os
import shutil

from case import GOOD, INCOMPATIBLE, REFUSED, USAGE, Case, main, tiny


class Sims(Case):
    def test_good_one_runs_and_plays(self):
        out, _ = self.command("run", "--sim", tiny("good"), "--bots", "--ticks", "100")
        self.assertIn("sim=tiny", out)
        server = self.serve("--ticks", "100", "--wait", "2", sim=tiny("good"))
        self.join(server, "--bots", "2", sim=tiny("good"))
        self.assertEqual(server.wait(), GOOD)
        # Its recording is not of a simulation that is built in.
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
                ("ambiguous", REFUSED, ("add", "rival", "Sum")),
                ("abi", INCOMPATIBLE, ("tiny_abi.so", "interface 2", "rebuild")),
                ("no_export", USAGE, ("tiny_no_export.so", "ls_sim_export")),
                ("null", USAGE, ("tiny_null.so", "NULL")),
                ("undefined", INCOMPATIBLE, ("ls_of_a_later_version", "rebuild"))):
            with self.subTest(fault):
                self.refuse("run", "--sim", tiny(fault), code=code, says=says)
                self.refuse("serve", "--sim", tiny(fault), "--port", "0", code=code, says=says)

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
        for count in (60, 100, 3000, os.path.getsize(tiny("good")) // 2):
            shutil.copy(tiny("good"), half)
            os.truncate(half, count)
            self.refuse("run", "--sim", half, code=USAGE, says=("half.so", "no shared object"))

    def test_another_version_is_refused_before_the_match(self):
        server = self.serve("--wait", "0", sim=tiny("good"))
        _, err = self.join(server, sim=tiny("other"), code=INCOMPATIBLE)
        self.assertIn("the server refuses", err)
        _, err = self.join(server, sim="skirmish", code=INCOMPATIBLE)
        self.assertEqual(server.stop(), GOOD)


main()
