#!/usr/bin/env python3
"""scripts/install-missing with a fake dpkg-query and a fake apt-get: the commands that it runs, and its
behaviour when a package list cannot be updated; and the packages that scripts/matrix-setup asks it for."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../scripts/install-missing")
MATRIX_SETUP = os.path.join(os.path.dirname(SCRIPT), "matrix-setup")

# Reports that only the package `present` is installed.
DPKG_QUERY = """#!/bin/sh
for package; do :; done
[ "$package" = present ] && echo "ii "
"""
# Records its calls. Updates exit with $UPDATE_STATUS; installs succeed from call $INSTALLS_AT on.
APT_GET = """#!/bin/sh
for word; do case $word in update|install) action=$word ;; esac; done
echo "$action" >>"$NOTES"
[ "$action" = install ] || { echo "E: some index"; exit "$UPDATE_STATUS"; }
echo "E: unable to locate" >&2
[ "$(grep -c install "$NOTES")" -ge "$INSTALLS_AT" ]
"""


class InstallMissing(unittest.TestCase):
    def setUp(self):
        self.home = tempfile.mkdtemp(prefix="lockstep-install-")
        self.addCleanup(shutil.rmtree, self.home)
        for name, text in (("dpkg-query", DPKG_QUERY), ("apt-get", APT_GET),
                           ("sudo", '#!/bin/sh\nexec "$@"\n')):
            path = os.path.join(self.home, name)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            os.chmod(path, 0o755)

    def run_it(self, *packages, installs_at, update_status=0, script=SCRIPT):
        notes = os.path.join(self.home, "notes")
        open(notes, "w", encoding="utf-8").close()
        env = os.environ | {"PATH": self.home + ":" + os.environ["PATH"], "NOTES": notes,
                            "INSTALLS_AT": str(installs_at), "UPDATE_STATUS": str(update_status),
                            "LOCKSTEP_APT_PAUSE": "0"}
        result = subprocess.run([script, *packages], env=env, text=True, check=False, timeout=300,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        with open(notes, encoding="utf-8") as file:
            return result, file.read().split()

    def test_nothing_is_missing(self):
        result, asked = self.run_it("present", installs_at=1)
        self.assertEqual((result.returncode, result.stdout, asked), (0, "", []))

    def test_the_lists_that_are_there_do(self):
        result, asked = self.run_it("present", "absent", installs_at=1, update_status=100)
        self.assertEqual((result.returncode, asked), (0, ["install"]))
        self.assertEqual(result.stdout, "installing: absent\n")

    def test_lists_are_renewed_when_they_do_not(self):
        result, asked = self.run_it("absent", installs_at=2)
        self.assertEqual((result.returncode, asked), (0, ["install", "update", "install"]))

    def test_a_list_that_cannot_be_renewed_does_not_end_it(self):
        result, asked = self.run_it("absent", installs_at=2, update_status=100)
        self.assertEqual((result.returncode, asked), (0, ["install", "update", "install"]))
        self.assertIn("apt-get update failed", result.stdout)

    def test_it_gives_up_after_three_updates_with_the_message_of_apt(self):
        result, asked = self.run_it("absent", installs_at=9, update_status=100)
        self.assertEqual((result.returncode, asked),
                         (1, ["install"] + ["update", "install"] * 3))
        self.assertIn("E: unable to locate", result.stdout)
        self.assertTrue(result.stdout.rstrip().splitlines()[-1].startswith(
            "install-missing: could not install absent"), result.stdout)

    def packages_of_matrix(self, *words):
        result, _ = self.run_it(*words, installs_at=1, script=MATRIX_SETUP)
        self.assertEqual(result.returncode, 0, result.stdout)
        return set(result.stdout.removeprefix("installing: ").split())

    def test_windows_needs_no_other_machine(self):
        for_all, for_windows = self.packages_of_matrix(), self.packages_of_matrix("windows")
        self.assertLess(for_windows, for_all)
        self.assertIn("gcc-mingw-w64-x86-64", for_windows)
        self.assertEqual([name for name in sorted(for_windows) if "mingw" not in name],
                         ["cmake", "libjansson-dev", "libxxhash-dev", "ninja-build", "pkg-config", "python3"])
        result, asked = self.run_it("windwos", installs_at=1, script=MATRIX_SETUP)
        self.assertEqual((result.returncode, asked), (2, []))


if __name__ == "__main__":
    sys.exit(unittest.main())
