"""A really full disk: a small tmpfs in a mount namespace, which needs no rights where users may create
namespaces. Elsewhere the test skips itself."""
import glob
import os
import re
import subprocess
import unittest

from case import BINARY, MACHINE, TIMEOUT_S, Case, can_mount, main

TICKS = 3000  # 30 s: much longer than the server waits for a disk to recover

# A filler file leaves 20 KiB free; it is removed as soon as the recording has failed.
SCRIPT = """
mount -t tmpfs -o size=256k none disk || exit 77
printf '#!/bin/sh\\necho "$1" >>finished\\n' >command
chmod +x command
head -c 241664 /dev/zero >disk/ballast
"$LOCKSTEP" serve --sim skirmish --bind 127.0.0.1 --port 0 --identity identity --record disk/new \
  --wait 0 --ticks "$TICKS" --tick-rate 100 --set units=200 --sync-ticks 20 --sign-ticks 20 --keyframe-ticks 0 \
  --on-finished ./command \
  >out 2>log &
until grep -q "^recording_failed " log || ! kill -0 $! 2>kill; do sleep 0.05; done
df disk/new >df
rm disk/ballast
wait $!
code=$?
cp disk/new/*.lsr .
exit $code
"""

# Finished matches fill the disk. Only a server that may delete them starts.
FULL_START = """
mount -t tmpfs -o size=256k none disk || exit 77
serve() {
  "$LOCKSTEP" serve --sim skirmish --bind 127.0.0.1 --port 0 --identity identity --record disk/new --quiet \
    --wait 0 --ticks 50 --tick-rate 100 --set units=200 "$@"
}
serve || exit 90
serve || exit 91
head -c 1000000 /dev/zero >disk/new/ballast
rm -f log
serve 2>log && exit 92
serve --keep-free 20k 2>>log
code=$?
exit $code
"""


class FullDisk(Case):
    @unittest.skipUnless(can_mount(), "no rights to mount a tmpfs in a namespace (unshare -rm)")
    def test_a_server_that_may_delete_starts_on_a_full_disk(self):
        os.mkdir(self.path("disk"))
        done = subprocess.run(["unshare", "-rm", "sh", "-c", FULL_START], cwd=self.folder, check=False,
                              env={**os.environ, "LOCKSTEP": BINARY}, timeout=TIMEOUT_S)
        with open(self.path("log"), encoding="utf-8") as file:
            log = file.read()
        self.assertEqual(done.returncode, 0, log)
        self.assertIn("No space left", log)
        self.assertRegex(log, r"(?m)^recording_removed .* limit=free")

    @unittest.skipUnless(can_mount(), "no rights to mount a tmpfs in a namespace (unshare -rm)")
    def test_a_disk_that_is_full_for_a_while(self):
        """The match continues and loses nothing recorded. Once there is space, recording continues, and the
        missing ticks are reported."""
        os.mkdir(self.path("disk"))
        done = subprocess.run(["unshare", "-rm", "sh", "-c", SCRIPT], cwd=self.folder, check=False,
                              env={**os.environ, "LOCKSTEP": BINARY, "TICKS": str(TICKS)},
                              timeout=TIMEOUT_S)
        with open(self.path("log"), encoding="utf-8") as file:
            log = file.read()
        self.assertEqual(done.returncode, MACHINE, log)
        self.assertIn(f"end tick={TICKS} ", log)
        failed = int(re.search(r"^recording_failed tick=(\d+) .*No space left.*free space", log,
                               re.MULTILINE).group(1))
        names = sorted(glob.glob(self.path("*.lsr")), key=len)
        self.assertGreaterEqual(len(names), 2, log)
        with open(self.path("finished"), encoding="utf-8") as file:
            self.assertEqual(file.read(), f"disk/new/{os.path.basename(names[0])}\n")
        with open(self.path("df"), encoding="utf-8") as file:
            self.assertRegex(file.read(), r" (9\d|100)% ")

        out, _ = self.command("verify", names[0])
        played = int(re.search(r"^verified ticks=(\d+)", out, re.MULTILINE).group(1))
        lost = int(re.search(r"; \d+ files, (\d+) ticks in none", out).group(1))
        self.assertEqual(played + lost, TICKS)
        first = int(re.search(r"^segment tick=(\d+) ", out, re.MULTILINE).group(1))
        # The files hold every tick up to the failure, and every tick since the first new file.
        self.assertEqual(first - lost, failed)
        self.assertIn(f"signed through tick {TICKS - 1}, 0 unsigned", out)


main()
