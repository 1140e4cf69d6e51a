"""Recordings on a failing disk: the match continues, all synced ticks remain, and after a kill a resumed server
uses all files as one match."""
import errno
import json
import os
import re
import shutil
import signal
import subprocess
import unittest
import xml.etree.ElementTree

from case import BINARY, CORRUPT, DIVERGED, GOOD, MACHINE, SHIM, TIMEOUT_S, TINY, USAGE, Case, FaultyServer, Server, is_sanitized, main, tiny
from frames import record_offset, record_offsets, record_types

FRAME, SIGNATURE = 2, 8  # types of records
MATCHES = 5
# The disk's thread may wait for a processor, and must fail within the match. The simulation must not be too late for it.
QUICK = ("--tick-rate", "50", "--sync-ticks", "15", "--sign-ticks", "30", "--column-ticks", "10")


@unittest.skipIf(is_sanitized(), "a sanitizer wants to be the first that is loaded")
class Durable(Case):
    def files(self):
        folder = self.path("recordings")
        names = sorted(n for n in os.listdir(folder) if n.endswith(".lsr"))
        first = [n for n in names if not re.search(r"\.\d+\.lsr$", n)]
        self.assertEqual(len(first), 1, names)
        later = sorted((n for n in names if n not in first),
                       key=lambda n: int(n.split(".")[-2]))
        return [os.path.join(folder, n) for n in first + later]

    def verify(self, path, code=GOOD):
        """Verifies a recording; returns (ticks played, signed through, unsigned, ticks in no file)."""
        out, _ = self.command("verify", path, code=code)
        ticks = int(re.search(r"^verified ticks=(\d+)", out, re.MULTILINE).group(1))
        through, left = re.search(r"^signed (?:through tick (\d+)|by no server), (\d+) (?:ticks )?unsigned",
                                  out, re.MULTILINE).groups()
        through = -1 if through is None else int(through)
        lost = re.search(r"; \d+ files, (\d+) ticks in none", out)
        return ticks, through, int(left), int(lost.group(1)) if lost else 0

    def check_all(self, server, ticks):
        """Verifies every later file alone, and the whole match; returns the number of ticks in no file."""
        files = self.files()
        self.assertGreater(len(files), 1, server.text())
        for path in files[1:]:
            self.command("verify", path)
        played, through, left, lost = self.verify(files[0])
        self.assertEqual(played + lost, ticks)
        self.assertEqual((through, left), (ticks - 1, 0))
        return lost

    @staticmethod
    def flip(path, at):
        with open(path, "r+b") as file:
            file.seek(at)
            byte = file.read(1)[0]
            file.seek(at)
            file.write(bytes([byte ^ 1]))

    def run_with(self, *fault):
        server = FaultyServer(self.folder, fault, "--wait", "2", "--ticks", "300", *QUICK)
        self.servers.append(server)
        self.join(server, "--bots", "2")
        self.assertEqual(server.wait(), MACHINE)
        self.assertIn("ended tick=300", server.text())
        self.assertIn("desyncs=0", server.text())
        log = server.text()
        self.assertEqual(len(re.findall(r"^recording_failed ", log, re.MULTILINE)), 1, log)
        return server

    def lose_at_most(self, ticks, *fault):
        """A match that leaves out few ticks between its files; on a busy machine, one of several matches."""
        lost = []
        for _ in range(MATCHES):
            shutil.rmtree(self.path("recordings"), ignore_errors=True)
            server = self.run_with(*fault)
            lost.append(self.check_all(server, 300))
            if lost[-1] <= ticks:
                return server
        return self.fail(f"ticks in no file: {lost}\n{server.text()}")

    def test_a_failed_sync_is_never_tried_again(self):
        """The server leaves the file as it is and starts a new one at once; every tick is in one of them."""
        server = self.lose_at_most(0, "fdatasync", errno.EIO, 2, 1)
        self.assertIn("Input/output error", server.text())

    def test_a_failed_write(self):
        self.lose_at_most(5, "write", errno.EIO, 60, 1)

    def test_a_full_disk_that_has_room_again(self):
        server = self.lose_at_most(5, "write", errno.ENOSPC, 60, 1)
        self.assertIn("free space", server.text())

    def test_a_failed_sync_before_the_name(self):
        """The server does not start if the beginning of its recording cannot be synced."""
        process = subprocess.run(
            [BINARY, "serve", "--sim", "skirmish", "--bind", "127.0.0.1", "--port", "0",
             "--identity", self.path("identity"), "--record", self.path("recordings")],
            env={**os.environ, "LD_PRELOAD": SHIM, "FAULTY_DISK": f"fsync {errno.EIO} 1 1"},
            capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
        self.assertEqual(process.returncode, MACHINE, process.stderr)
        self.assertIn("Input/output error", process.stderr)
        self.assertEqual(os.listdir(self.path("recordings")), [])

    def test_a_failed_sync_of_the_name(self):
        """The sync of the folder fails: by then the file has its name, and loses it again."""
        server = self.serve("--ticks", "40", "--wait", "0")
        self.assertEqual(server.wait(), GOOD)
        path, = self.files()
        os.mkdir(self.path("folder.lsr"))  # calls for paths with ".lsr" fail
        for cut in (("--from", "10"), ()):
            new = self.path("folder.lsr", "cut.lsr")
            process = subprocess.run(
                [BINARY, "replay", "cut", path, *cut, "-o", new],
                env={**os.environ, "LD_PRELOAD": SHIM, "FAULTY_DISK": f"fsync {errno.EIO} 2 1"},
                capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
            self.assertEqual(process.returncode, MACHINE, process.stderr)
            self.assertEqual(os.listdir(self.path("folder.lsr")), [])

    def test_a_match_of_several_files_is_played_as_one(self):
        server = self.run_with("fdatasync", errno.EIO, 2, 1)
        first, second = self.files()
        sizes = re.findall(r"^recorded (\S+) bytes=(\d+)$", server.text(), re.MULTILINE)
        self.assertEqual(sizes, [(p, str(os.path.getsize(p))) for p in (first, second)])
        out, _ = self.command("replay", "info", first)
        begin, = re.findall(rf"^continues   ticks (\d+) to 300 in {re.escape(second)}$", out,
                            re.MULTILINE)
        out, _ = self.command("replay", "info", "--json", first)
        self.assertEqual(json.loads(out)["later_files"], [second])

        out, _ = self.command("replay", "export", second)
        roots = {line["tick"]: line["root"] for line in map(json.loads, out.splitlines())
                 if line["type"] == "tick"}
        # A busy machine may have closed ticks between the two files (test_player covers both).
        _, _, _, missing = self.verify(first)
        for tick in () if missing else (begin, str(int(begin) + 1), "299", "300"):
            out, _ = self.command("replay", "seek", first, tick)
            self.assertIn(f"tick={tick} root={roots[tick]} ", out)
            out, _ = self.command("replay", "print", first, tick)
            self.assertIn(f"tick {tick}, root {roots[tick]}\n", out)
        if not missing:
            out, _ = self.command("replay", "diff", first, str(int(begin) - 3), "300",
                                  code=DIVERGED)
            self.assertIn(f"b is tick 300, root {roots['300']}", out)
            self.refuse("replay", "seek", first, "301", code=USAGE, says=("it has 0 to 300",))
        again = self.path("again.lsr")
        out, err = self.command("replay", "rerun", first, "-o", again)
        self.assertIn(" ticks=300 first_tick=0 last_tick=300 " if not missing else " first_tick=0 ",
                      out)
        self.assertEqual("are in no file; the new one ends there" in err, bool(missing), err)
        self.assertEqual(self.verified_ticks(again), int(begin) - int(missing) + (
            0 if missing else 300 - int(begin)))
        # Before a gap of missing ticks, `seek` ends and says where the match continues.
        os.truncate(first, os.path.getsize(first) - 400)
        _, err = self.refuse("replay", "seek", first, "299", code=USAGE,
                             says=(f"the match continues at tick {begin} in {second}",))
        last = int(re.search(r"it has 0 to (\d+)", err).group(1))
        self.assertLess(last, int(begin))
        self.command("replay", "seek", first, str(last))

        _, err = self.command("replay", "export", first)
        self.assertIn(f"warning: this ends before tick {last}; the match continues at tick {begin} in "
                      f"{second}", err)
        self.command("replay", "export", first, "--to", str(last))

        # If a later file cannot be read, commands still read the first.
        self.flip(second, 30)
        _, err = self.command("replay", "seek", first, str(last))
        self.assertIn(f"warning: {second}", err)

    def drift(self, *options, joins=None):
        """Records a match of drifting bodies in two files; returns the builds and the files."""
        good, faulty = (os.path.join(TINY, f"drift_{which}.so") for which in ("good", "faulty"))
        server = FaultyServer(self.folder, ("fdatasync", errno.EIO, 1, 1), "--ticks", "150",
                              "--tick-rate", "30", "--seed", "1", *options, sim=good)
        self.servers.append(server)
        if joins:
            self.join(server, *joins, sim=faulty, code=DIVERGED)
        self.assertEqual(server.wait(), MACHINE)
        return good, faulty, *self.files()

    def test_the_cause_of_a_difference_in_a_later_file(self):
        """`verify` finds the difference in the second file, and so does every command that it suggests."""
        good, faulty, first, second = self.drift("--wait", "0")
        out, _ = self.command("verify", "--sim", faulty, first, code=DIVERGED)
        self.assertIn("tick       99\n", out)
        self.assertIn(f"next       lockstep explain --sim {faulty} {first}\n", out)
        out, _ = self.command("explain", "--sim", faulty, first)
        self.assertIn("ticks 0 to 150, the root before tick 100 is ", out)
        self.assertIn("class      unsaved state\n", out)
        out, _ = self.command("bisect", first, "--sim", good, "--other", faulty, code=DIVERGED)
        self.assertIn("differ     in tick 99\n", out)
        self.command("explain", "--sim", good, first)

        # Test cases and exports made from the first file also contain the whole match.
        folder = self.path("cases")
        self.command("explain", "--sim", faulty, "--to-test", folder, first)
        name, = (n for n in os.listdir(folder) if n.endswith(".1.lsr"))
        with open(os.path.join(folder, name), "rb") as copy, open(second, "rb") as later:
            self.assertEqual(copy.read(), later.read())
        out, _ = self.command("replay", "export", first)
        lines = [json.loads(line) for line in out.splitlines()]
        self.assertEqual([line["tick"] for line in lines if line["type"] == "tick"],
                         [str(t) for t in range(151)])
        self.assertEqual((lines[-1]["last_tick"], lines[-1]["roots"]), ("150", "151"))
        cut = self.path("cut.lsr")
        self.command("replay", "cut", first, "--sim", good, "--from", "20", "-o", cut)
        out, _ = self.command("replay", "info", cut)
        self.assertIn("roots       131 of 131\n", out)
        self.command("verify", cut, "--sim", good)

        # If a later file is unreadable, no command reports a clean result.
        self.flip(second, 30)
        for command in (("explain", "--sim", good, first),
                        ("bisect", first, first, "--sim", good)):
            self.refuse(*command, code=CORRUPT, says=("the match continues", second))

    def test_a_bundle_of_a_later_file_starts_with_the_match(self):
        _, faulty, first, second = self.drift("--wait", "1", "--desync", "report",
                                              joins=("--bots", "1"))
        out, _ = self.command("replay", "info", second)
        begin = int(re.search(r"^ticks       (\d+) to", out, re.MULTILINE).group(1))
        bundle, = (os.path.join(self.path("recordings"), name)
                   for name in os.listdir(self.path("recordings")) if ".desync-" in name)
        tick = int(bundle.rsplit("-", 1)[1])
        self.assertGreater(tick, begin)
        out, _ = self.command("explain", "--sim", faulty, bundle)
        self.assertRegex(out, r"(?m)^  from the start +(server|client|neither) +[0-9a-f]{16}")
        self.assertIn(f"match   {first}: \"from the start\" is from its first tick", out)

    def kill_and_resume(self, spoil=None):
        """Starts a second file, kills the server and resumes: clients return, and the match ends. Returns the
        match's last tick and the number of ticks in no file."""
        server = FaultyServer(self.folder, ("fdatasync", errno.EIO, 3, 1), "--wait", "2", *QUICK)
        self.servers.append(server)
        bots = self.start_join(server, "--bots", "2", "--ticks", "600")
        server.wait_line(r"^segment tick=(\d+) ", server.log)
        tick = int(server.wait_line(r"^tick ([2-9]\d\d|[1-9]\d{3,})  ", server.lines).group(1))
        server.process.kill()
        self.assertEqual(server.wait(), -signal.SIGKILL)
        if spoil:
            spoil(self.files()[0])
        again = Server(self.folder, "--resume", self.path("recordings"), "--port",
                       str(server.port), *QUICK)
        self.servers.append(again)
        restored = again.wait_line(r"^restored tick=(\d+) epoch=1 ", again.log)
        self.assertGreaterEqual(int(restored.group(1)), tick)
        self.assertIn("resumed 1 of 1 unfinished matches", again.text())
        lost = again.wait_line(r"^restored_segments files=2 lost_ticks=(\d+)", again.log)
        self.end(bots, GOOD)
        self.assertEqual(again.stop(), GOOD)
        self.assertIn("desyncs=0", again.text())
        self.assertNotIn("desync tick=", again.text())
        ended = int(re.search(r"^ended tick=(\d+)", again.text(), re.MULTILINE).group(1))
        self.assertGreater(ended, tick)
        self.assertEqual(len(self.files()), 2)
        return ended, int(lost.group(1))

    def test_a_disk_that_fails_and_a_process_that_is_killed(self):
        ended, lost = self.kill_and_resume()
        self.assertEqual(self.check_all(self.servers[-1], ended), lost)

        # The match is over: a third server finds nothing to resume, and says so without a warning.
        third = Server(self.folder, "--resume", self.path("recordings"), "--ticks", "1",
                       "--wait", "0")
        self.servers.append(third)
        third.wait()
        self.assertIn("nothing to resume in " + self.path("recordings"), third.text())
        self.assertNotIn("not_resumed", third.text())

    def test_a_refused_resume_is_explained(self):
        """Reasons for not resuming: an unfinished recording of another simulation, a finished one, a missing
        folder."""
        server = Server(self.folder, *QUICK)
        self.servers.append(server)
        server.process.kill()
        server.wait()
        folder = self.path("recordings")
        other = Server(self.folder, "--resume", folder, "--wait", "0", "--ticks", "1",
                       sim=tiny("good"))
        self.servers.append(other)
        self.assertEqual(other.wait(), GOOD)
        self.assertIn("resumed 0 of 1 unfinished matches", other.lines)
        self.assertRegex(other.text(),
                         r'(?m)^recording_not_resumed recording="\S+\.lsr" reason=".*tiny')
        unfinished, = (name for name in os.listdir(folder)
                       if re.fullmatch(r"skirmish-.*\.lsr", name))
        os.remove(self.path("recordings", unfinished))
        third = Server(self.folder, "--resume", folder, "--wait", "0", "--ticks", "1")
        self.servers.append(third)
        self.assertEqual(third.wait(), GOOD)
        self.assertIn(f"nothing to resume in {folder}", third.lines)
        self.assertNotIn("not_resumed", third.text())
        folder = self.path("none")
        self.refuse("serve", "--sim", "skirmish", "--port", "0", "--resume", folder, code=USAGE,
                    says=("--resume", folder, "No such file", "an empty one"))
        self.assertFalse(os.path.exists(folder))
        with open(folder, "w", encoding="utf-8"):
            pass
        self.refuse("serve", "--sim", "skirmish", "--port", "0", "--resume", folder, code=USAGE,
                    says=("--resume", folder, "Not a directory", "an empty one"))

    def test_a_disk_that_lost_what_it_failed_to_sync(self):
        """The first file ends before the second begins: the match continues from the state in the second."""
        ended, lost = self.kill_and_resume(
            lambda path: os.truncate(path, os.path.getsize(path) * 2 // 3))
        self.assertGreater(lost, 0)
        played, _, left, missing = self.verify(self.files()[0])
        self.assertEqual((played + missing, missing), (ended, lost))
        self.assertGreater(left, 0)

    def test_the_first_file_lost_its_end(self):
        """The first file has lost its end: verify reports the number of missing ticks and the unsigned ones."""
        server = self.run_with("fdatasync", errno.EIO, 2, 1)
        files = self.files()
        whole = self.check_all(server, 300)
        # Cuts within a frame that follows an unsigned frame.
        types, offsets = record_types(files[0]), record_offsets(files[0])
        frame = max(i for i, kind in enumerate(types) if kind == FRAME and FRAME in types[
            max(k for k in range(i) if k == 0 or types[k] == SIGNATURE):i])
        os.truncate(files[0], offsets[frame] + 4)
        played, through, left, lost = self.verify(files[0])
        self.assertGreater(lost, whole)
        self.assertEqual(played + lost, 300)
        self.assertGreater(left, 0)
        self.assertLess(through, 299)
        # The same for a file with a changed byte.
        self.flip(files[0], record_offset(files[0], FRAME, 10) + 4)
        _, through, left, more = self.verify(files[0], CORRUPT)
        self.assertGreater(more, lost)
        self.assertEqual((through, left), (-1, 300 - more))

    def test_a_damage_in_front_of_another_file(self):
        """Damage in the first file is reported although the match continues in another; the second is still
        verified."""
        self.run_with("fdatasync", errno.EIO, 2, 1)
        first, second = self.files()
        whole, _, _, missing = self.verify(first)
        # In a folder, the second file is part of the match and not counted; a folder given twice counts twice.
        out, _ = self.command("verify", os.path.dirname(first), os.path.dirname(first))
        self.assertRegex(out, rf"(?m)^verified files=2 good=2 signed=2 ticks={2 * whole} ")
        self.assertRegex(out, rf"(?m)^  signed through tick 299, 0 unsigned, .*; 2 files, {missing} ticks")

        self.flip(first, record_offset(first, FRAME, 10) + 4)
        _, err = self.command("replay", "info", first, code=CORRUPT)
        byte = re.search(r"damaged at byte \d+", err).group(0)
        _, err = self.refuse("verify", first, code=CORRUPT, says=(first, byte, "replay repair"))
        played, _, left, lost = self.verify(first, CORRUPT)
        self.assertEqual(played + lost, 300)
        self.assertGreater(min(played, left), 0)

        junit = self.path("junit.xml")
        out, _ = self.command("verify", "--json", "--junit", junit, os.path.dirname(first), second,
                              code=CORRUPT)
        broken, good, total = (json.loads(line) for line in out.splitlines())
        self.assertEqual((broken["result"], broken["ticks"], good["result"]),
                         ("corrupt", played, "good"))
        self.assertIn(byte, broken["error"])
        self.assertEqual((total["files"], total["corrupt"], total["signed"]), (2, 1, 1))
        suite = xml.etree.ElementTree.parse(junit).getroot().find("testsuite")
        self.assertEqual([[mark.tag for mark in case] for case in suite], [["error"], ["system-out"]])

    def test_bytes_beyond_those_that_the_next_file_knows(self):
        """Bytes that the disk refused were never promised, so they are ignored."""
        self.run_with("fdatasync", errno.EIO, 2, 1)
        first, _ = self.files()
        whole = self.verify(first)
        with open(first, "ab") as file:
            file.write(b"\x01\x04never was a record of this match" * 4)
        self.command("replay", "info", first, code=CORRUPT)
        self.assertEqual(self.verify(first), whole)

    def test_a_later_file_that_cannot_be_read(self):
        self.run_with("fdatasync", errno.EIO, 2, 1)
        files = self.files()
        with open(files[1], "r+b") as file:
            file.seek(30)
            file.write(b"\x00\x00\x00")
        self.refuse("verify", files[0], code=CORRUPT, says=(os.path.basename(files[1]),))


main()
