"""`serve --resume` after a crash: recordings that are still locked, and rooms with two unfinished matches."""
import fcntl
import glob
import os
import re
import threading
import time

from case import GOOD, Case, Server, main, tiny

SIM = tiny("good")
QUICK = ("--tick-rate", "60", "--wait", "0", "--quiet")


class Unfinished(Case):
    def recordings(self):
        return sorted(glob.glob(self.path("recordings", "*.lsr")))

    def crash(self, rooms):
        """Starts a server with `rooms` rooms, kills it, and returns all recordings; each has a seats file
        beside it."""
        names = len(glob.glob(self.path("recordings", "*.seats"))) + rooms
        server = self.serve(*QUICK, "--rooms", str(rooms), sim=SIM)
        self.wait_seats(server, names)
        server.process.kill()
        server.wait()
        return self.recordings()

    def resume(self, *options):
        server = Server(self.folder, "--resume", self.path("recordings"), *QUICK, *options, sim=SIM)
        self.servers.append(server)
        return server

    def test_files_that_are_locked_for_a_moment(self):
        """A killed server may hold its file locks for a moment."""
        paths = self.crash(3)
        held = [open(path, "rb") for path in paths]
        for file in held:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        release = threading.Timer(0.4, lambda: [file.close() for file in held])
        release.start()
        server = self.resume("--rooms", "3")
        release.join()
        self.assertIn("resumed 3 of 3 unfinished matches", server.lines)
        self.assertNotIn("recording_not_resumed", server.text())
        self.assertEqual(server.stop(), GOOD)
        self.assertEqual(self.recordings(), paths)

    def test_of_a_room_the_newest_match_is_taken_up(self):
        """Older recordings of the same room stay unchanged, and the log says why."""
        old = self.crash(2)
        before = {}
        for path in old:
            with open(path, "rb") as file:
                before[path] = file.read()
        time.sleep(1.1)  # names and headers have a resolution of one second
        new = [path for path in self.crash(2) if path not in old]
        self.assertEqual(len(new), 2)
        server = self.resume("--rooms", "2")
        server.wait_line(r"^restored ", server.log, count=len(new))
        server.wait_line(r"^recording_not_resumed ", server.log, count=len(old))
        self.assertIn("resumed 2 of 4 unfinished matches", server.lines)
        told = dict(re.findall(r'(?m)^recording_not_resumed recording="(\S+)" reason="(.*?)" time',
                               server.text()))
        self.assertEqual(sorted(told), old)
        newer = [re.search(r"^the room '[12]' has a newer recording: (\S+);",
                           reason).group(1) for reason in told.values()]
        self.assertEqual(sorted(newer), new)
        self.assertEqual(server.stop(), GOOD)
        for path in old:
            with open(path, "rb") as file:
                self.assertEqual(file.read(), before[path])

        # The resumed matches are over now. The older ones of their rooms still do not continue, also if the
        # files of seats, which name the rooms too, are gone.
        for path in glob.glob(self.path("recordings", "*.seats")):
            os.remove(path)
        server = self.resume("--rooms", "2")
        self.assertIn("resumed 0 of 2 unfinished matches", server.lines)
        self.assertEqual(server.text().count("has a newer recording: "), 2)
        self.assertEqual(server.stop(), GOOD)
        for path in old:
            with open(path, "rb") as file:
                self.assertEqual(file.read(), before[path])

    def end_or_kill(self, server, ends):
        if ends:
            self.assertEqual(server.stop(), GOOD)
        else:
            server.process.kill()
            server.wait()

    def test_of_another_build_no_match_is_newer(self):
        """A server of another build has a newer match in a room of the same name, unfinished or over: the older one
        is that of this build, and goes on."""
        for ends in (False, True):
            old = self.crash(1)[-1]
            time.sleep(1.1)  # names and headers have a resolution of one second
            other = self.serve(*QUICK, sim=tiny("other"))
            other.wait_line(r"^start ", other.log)
            self.end_or_kill(other, ends)
            new = self.recordings()[-1]
            server = self.resume()
            server.wait_line(r"^restored ", server.log)
            self.assertNotIn(f'recording_not_resumed recording="{old}"', server.text())
            self.assertNotIn("has a newer recording", server.text())
            if not ends:
                self.assertIn(f'recording_not_resumed recording="{new}"', server.text())
            self.assertEqual(server.stop(), GOOD)
            self.assertIn(f"recorded {old}", server.text())
            for path in glob.glob(self.path("recordings", "*")):
                os.remove(path)

    def test_the_room_without_a_name_too(self):
        """A match that was killed, then one that ended: the first does not continue."""
        options = ("--tick-rate", "60", "--wait", "0", "--quiet")
        for ends in (False, True):
            server = self.serve(*options, sim=SIM)
            server.wait_line(r"^start ", server.log)
            self.end_or_kill(server, ends)
            time.sleep(1.1)
        server = self.resume()
        self.assertIn("resumed 0 of 1 unfinished matches", server.lines)
        server.wait_line("the room '' has a newer recording: ", server.log)
        self.assertEqual(server.stop(), GOOD)
        self.assertEqual(len(self.recordings()), 3)


main()
