#!/usr/bin/env python3
"""docker/try with fake tools that do nothing: its messages when a machine or a build fails, and that it leaves
nothing behind. Only docker/try itself plays into a real container."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")

# Records its command line, and fails with a message if the line begins with $FAILS.
TOOL = """#!/bin/sh
line="${0##*/} $*"
echo "$line" >>"$NOTES"
case "$line" in "$FAILS"*) echo "not permitted here" >&2; exit 1 ;; esac
"""
ID = "#!/bin/sh\necho ${FAKE_UID:-0}\n"
# The error message is far above the last lines, as when other build jobs run in parallel.
BUILDAH = TOOL + """case "$line" in *" -q "*) exec >/dev/null ;; esac # it prints no command's output then
case "$line" in *" images "*) exit 1 ;; *" bud "*) ;; *) exit 0 ;; esac
echo "[7/90] Building C object cli/common/progress_bar.c.o"
echo "FAILED: cli/common/progress_bar.c.o"
echo "/src/cli/bar.c:7:5: error: 'nothing' undeclared (first use in this function)"
echo "    7 |     return nothing;"
for job in $(seq 8 60); do echo "[$job/90] Building C object another$job.c.o"; done
echo "Error: building at STEP RUN: exit status 1" >&2
exit 125
"""
MMDEBSTRAP = TOOL + 'for word; do :; done\necho base >"$word"\n'
DPKG_QUERY = """#!/bin/sh
for package; do :; done
[ "$package" = "$MISSING" ] || echo "ii "
"""


class DockerTry(unittest.TestCase):
    def setUp(self):
        self.root = tempfile.mkdtemp(prefix="lockstep-try-")
        self.addCleanup(shutil.rmtree, self.root)
        for path in ("docker/try", "docker/prometheus", "docker/Dockerfile", "scripts/install-missing"):
            os.makedirs(os.path.join(self.root, os.path.dirname(path)), exist_ok=True)
            shutil.copy(os.path.join(ROOT, path), os.path.join(self.root, path))
        for folder in ("bin", "tmp"):
            os.mkdir(os.path.join(self.root, folder))
        tools = dict.fromkeys(("apt-get", "ip", "iptables", "mount", "nsenter", "podman", "umount",
                               "unshare"), TOOL)
        tools |= {"id": ID, "buildah": BUILDAH, "mmdebstrap": MMDEBSTRAP, "dpkg-query": DPKG_QUERY}
        for name, text in tools.items():
            path = os.path.join(self.root, "bin", name)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            os.chmod(path, 0o755)

    def run_it(self, *arguments, fails="-", **more):
        """Runs docker/try; returns (exit code, output, command lines of the tools)."""
        notes = os.path.join(self.root, "notes")
        open(notes, "w", encoding="utf-8").close()
        env = os.environ | {"PATH": os.path.join(self.root, "bin") + ":" + os.environ["PATH"],
                            "TMPDIR": os.path.join(self.root, "tmp"), "NOTES": notes,
                            "FAILS": fails, "MISSING": "-"} | more
        done = subprocess.run([os.path.join(self.root, "docker/try"), *arguments], env=env, text=True,
                              check=False, timeout=300, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        self.assertEqual(os.listdir(os.path.join(self.root, "tmp")), [], done.stdout)
        with open(notes, encoding="utf-8") as file:
            return done.returncode, done.stdout, file.read()

    def test_a_build_that_fails_shows_the_message_of_the_compiler(self):
        code, output, notes = self.run_it()
        self.assertEqual(code, 1, output)
        self.assertIn("/src/cli/bar.c:7:5: error: 'nothing' undeclared", output)
        self.assertIn("    7 |     return nothing;", output)
        self.assertIn("docker/try: the image did not build", output)
        self.assertEqual(output.splitlines()[-1], "0 passed, 1 failed")
        for name in ("server", "player"):
            self.assertRegex(notes, f"(?m)^ip netns delete ls-{name}-")

    def test_a_machine_that_lacks_something_is_told_before_the_build(self):
        for fails, feature in (("ip netns add", "network namespaces"),
                               ("ip -n ls-server", "pairs of virtual network devices"),
                               ("ip netns exec", "address translation"),
                               ("unshare --mount", "mount namespaces")):
            with self.subTest(fails):
                code, output, notes = self.run_it(fails=fails)
                self.assertEqual(code, 1, output)
                self.assertIn(f"docker/try: this machine lacks {feature}", output)
                self.assertIn("not permitted here", output)
                self.assertEqual(output.splitlines()[-1], "0 passed, 1 failed")
                self.assertNotIn("mmdebstrap", notes)

    def test_without_overlay_mounts_layers_are_copied(self):
        for fails, driver in (("mount -t overlay", True), ("-", False)):
            with self.subTest(fails):
                _, output, notes = self.run_it(fails=fails)
                bud, = (line for line in notes.splitlines() if " bud " in line)
                self.assertEqual("--storage-driver vfs" in bud, driver)
                self.assertEqual("overlay mounts fail on this machine" in output, driver)

    def test_packages_and_images_that_stay_are_listed(self):
        keep = os.path.join(self.root, "kept")
        _, output, _ = self.run_it("--keep", keep, MISSING="buildah")
        self.assertIn("left on this machine: the Debian packages buildah\n", output)
        self.assertIn(f"left on this machine: images and layers in {keep}\n", output)

    def test_it_needs_root(self):
        code, output, notes = self.run_it(FAKE_UID="1000")
        self.assertEqual((code, notes), (2, ""))
        self.assertIn("needs root", output)


if __name__ == "__main__":
    sys.exit(unittest.main())
