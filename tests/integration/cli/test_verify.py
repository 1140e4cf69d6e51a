"""`lockstep verify` of many files, and its report about the first divergence."""
import json
import os
import pty
import re
import shutil
import subprocess
import unittest.mock
import xml.etree.ElementTree

from case import (BINARY, CORRUPT, DIVERGED, GOOD, INCOMPATIBLE, MACHINE, TIMEOUT_S, TINY, USAGE,
                  Case, main)

TICKS = 60
HERE = os.path.dirname(os.path.abspath(__file__))
PLANTED = 99  # the tick in which drift_faulty adds 5 to a field of body 305


def faulty(fault):
    return os.path.join(TINY, f"faulty_{fault}.so")


def drift(which):
    return os.path.join(TINY, f"drift_{which}.so")


class Verify(Case):
    def record(self, sim, ticks=TICKS, *options):
        # With another seed the planted tick may write the old value, so there would be no write to find.
        server = self.serve("--ticks", str(ticks), "--wait", "0", "--tick-rate", "120", "--seed",
                            "1", *options, sim=sim)
        self.assertEqual(server.wait(), GOOD)
        path = self.path("match.lsr")
        os.rename(self.recording(), path)
        return path

    def tool(self, name, *arguments):
        subprocess.run([os.path.join(TINY, name), *arguments], check=True, timeout=TIMEOUT_S,
                       stderr=subprocess.DEVNULL)
        return arguments[1]

    def write(self, name, data):
        with open(self.path(name), "wb") as file:
            file.write(data)
        return self.path(name)

    def kinds(self):
        """Creates a file of each kind; all are of one simulation."""
        good = self.record(faulty("none"))
        with open(good, "rb") as file:
            data = file.read()
        middle = len(data) // 2
        return {"good": good,
                "torn": self.write("torn.lsr", data[:-10]),
                "corrupt": self.write("corrupt.lsr", data[:middle] + bytes([data[middle] ^ 1]) +
                                      data[middle + 1:]),
                "diverged": self.tool("re_record", good, self.path("diverged.lsr"), "3", "30"),
                "incompatible": self.rerun(good, "other.lsr", faulty("race")),
                "missing": self.path("missing.lsr")}

    def verify(self, *arguments, code, sim=faulty("none")):
        out, err = self.command("verify", "--sim", sim, *arguments, code=code)
        return out, err

    def lines(self, *arguments, code, sim=faulty("none")):
        out, err = self.verify("--json", *arguments, code=code, sim=sim)
        self.assertEqual(err, "")
        return [json.loads(line) for line in out.splitlines()]

    def test_a_file_of_each_kind(self):
        kinds = self.kinds()
        junit = self.path("junit.xml")
        out, err = self.verify(*kinds.values(), "--jobs", "3", "--junit", junit, code=DIVERGED)
        self.assertEqual(err, "", "no bar without a terminal")
        lines = out.splitlines()
        heads = [line for line in lines if not line.startswith(" ")]
        words = ["good", "good", "corrupt", "diverged", "incompatible", "missing"]
        self.assertEqual([line.split()[:2] for line in heads[:-1]],
                         [[word, path] for word, path in zip(words, kinds.values())])
        self.assertRegex(heads[0], rf" ticks={TICKS} seconds=\d+\.\d+ times_real_time=\d+\.\d$")
        self.assertRegex(heads[-1], r"^verified files=6 good=2 missing=1 incompatible=1 corrupt=1 "
                                    r"diverged=1 signed=1 ticks=\d+ seconds=\S+ ticks_per_second=\d+ "
                                    r"times_real_time=\d+\.\d$")
        self.assertIn("torn", lines[2])
        self.assertIn("  end        ", lines[3])
        self.assertIn("  tick       29", lines)
        self.assertRegex(lines[1], rf"^  signed through tick {TICKS - 1}, 0 unsigned, by the server")

        suite = xml.etree.ElementTree.parse(junit).getroot().find("testsuite")
        self.assertEqual([suite.get(name) for name in ("tests", "failures", "errors", "skipped")],
                         ["6", "1", "3", "0"])
        self.assertEqual([[mark.tag for mark in case] for case in suite],
                         [["system-out"], ["system-out"], ["error"], ["failure"], ["error"], ["error"]])
        self.assertEqual([case.get("name") for case in suite], list(kinds.values()))
        failure = suite[3].find("failure")
        self.assertIn("diverged in tick 29", failure.get("message"))
        self.assertIn(f"again: lockstep verify --sim {faulty('none')} {kinds['diverged']}",
                      failure.text)
        self.assertIn("missing.lsr", suite[5].find("error").get("message"))

    def test_the_worst_file_decides(self):
        kinds = self.kinds()
        good = kinds["good"]
        order = (("missing", USAGE), ("incompatible", INCOMPATIBLE), ("corrupt", CORRUPT),
                 ("diverged", DIVERGED))
        for index, (word, code) in enumerate(order):
            with self.subTest(word):
                self.verify(good, kinds[word], code=code)
                for better, _ in order[:index]:
                    self.verify(kinds[word], kinds[better], good, code=code)
                self.verify(kinds[word], code=code)
        self.verify(good, kinds["torn"], good, code=GOOD)
        self.refuse("verify", good, "--sim", faulty("none"), "--junit", "/dev/full", code=MACHINE,
                    says=("/dev/full",))

    def test_json_lines(self):
        kinds = self.kinds()
        *files, total = self.lines(kinds["good"], kinds["diverged"], kinds["missing"],
                                   code=DIVERGED)
        self.assertEqual([one["result"] for one in files], ["good", "diverged", "missing"])
        self.assertEqual([one["file"] for one in files],
                         [kinds["good"], kinds["diverged"], kinds["missing"]])
        self.assertEqual((files[0]["ticks"], files[0]["sim"], files[0]["error"]),
                         (TICKS, "faulty", None))
        self.assertGreater(files[0]["times_real_time"], 0)
        found = files[1]["divergence"]
        self.assertEqual((found["tick"], found["component"]), (29, None))
        self.assertNotEqual(found["expected_root"], found["found_root"])
        self.assertEqual((total["files"], total["good"], total["diverged"], total["missing"],
                          total["corrupt"]), (3, 1, 1, 1, 0))
        alone, = self.lines(kinds["good"], code=GOOD)
        self.assertEqual((alone["result"], alone["ticks"]), ("good", TICKS))

    def test_a_name_that_is_no_text(self):
        good = self.record(faulty("none"))
        name = os.path.join(os.fsencode(self.folder), b"m\xe9.lsr")
        os.rename(good, name)
        junit = self.path("junit.xml")
        out = subprocess.run([BINARY, "verify", "--sim", faulty("none"), "--json", "--junit", junit, name],
                             check=True, stdout=subprocess.PIPE, timeout=TIMEOUT_S).stdout
        self.assertEqual(json.loads(out.decode("utf-8"))["file"], self.path("m\ufffd.lsr"))
        case, = xml.etree.ElementTree.parse(junit).getroot().iter("testcase")
        self.assertEqual(case.get("name"), self.path("m?.lsr"))

    def test_folders_and_many_files(self):
        good = self.record(faulty("none"))
        os.mkdir(self.path("many"))
        names = [self.path("many", f"{number:02}.lsr") for number in range(20)]
        for name in names:
            shutil.copy(good, name)
        self.write("many/notes.txt", b"no recording")
        for jobs in ("1", "7"):
            *files, total = self.lines(self.path("many"), good, "--jobs", jobs, code=GOOD)
            self.assertEqual([one["file"] for one in files], names + [good])
            self.assertEqual((total["files"], total["good"], total["ticks"]), (21, 21, 21 * TICKS))
        os.mkdir(self.path("empty"))
        self.refuse("verify", good, self.path("empty"), code=USAGE, says=("empty", ".lsr"))
        self.command("verify", good, "--jobs", "0", code=USAGE)

    def test_a_crash_is_one_files_result(self):
        long = self.record(faulty("none"))
        short = self.path("short.lsr")
        self.command("replay", "cut", long, "--sim", faulty("none"), "--to", "20", "--output",
                     short)
        *files, total = self.lines(short, long, short, code=DIVERGED, sim=faulty("fall"))
        self.assertEqual([one["result"] for one in files], ["good", "crashed", "good"])
        self.assertRegex(files[1]["error"],
                         rf"match\.lsr: after 30 of {TICKS} ticks: killed by signal 6")
        self.assertEqual((total["diverged"], total["good"]), (1, 2))

    def test_a_crash_of_the_only_file(self):
        path = self.record(faulty("none"))
        says = rf"match\.lsr: after 30 of {TICKS} ticks: killed by signal 6 .*in system \"count\", tick 30"
        next_command = f"lockstep explain --sim {faulty('fall')} {path}"
        out, err = self.verify(path, code=DIVERGED, sim=faulty("fall"))
        self.assertRegex(err, rf"\Alockstep verify: \S*{says}")
        self.assertEqual(out, f"next       {next_command}\n")
        junit = self.path("junit.xml")
        os.mkdir(self.path("one"))
        shutil.copy(path, self.path("one", "match.lsr"))
        for arguments in (path,), (self.path("one"),):
            one, = self.lines(*arguments, "--junit", junit, code=DIVERGED, sim=faulty("fall"))
            self.assertEqual(one["result"], "crashed")
            self.assertRegex(one["error"], says)
            case, = xml.etree.ElementTree.parse(junit).getroot().iter("testcase")
            self.assertRegex(case.find("failure").get("message"), says)
            self.assertIn("\nagain: lockstep verify --sim ", case.find("failure").text)

    def test_a_file_without_progress_is_ended(self):
        path = self.record(faulty("none"))
        with unittest.mock.patch.dict(os.environ, LOCKSTEP_FAULT="1"):
            for paths in (path,), (path, path):
                first, *_ = self.lines(*paths, "--any-build", "--timeout", "15", code=DIVERGED,
                                       sim=faulty("hang"))
                self.assertRegex(first["error"], rf"after 30 of {TICKS} ticks: no progress in 15 s\b")
        # The whole replay takes longer than the limit, but no single tick does.
        self.verify(path, "--timeout", "7", code=GOOD, sim=faulty("slow"))
        self.command("verify", path, "--timeout", "0", code=USAGE)

    def test_a_divergence_outlives_the_search_for_its_cause(self):
        wrong = self.tool("re_record", self.record(faulty("none")), self.path("wrong.lsr"), "3", "30")
        with unittest.mock.patch.dict(os.environ, LOCKSTEP_FAULT=self.path("was-here")):
            one, = self.lines(wrong, "--any-build", code=DIVERGED, sim=faulty("second"))
        self.assertEqual((one["result"], one["divergence"]["tick"]), ("diverged", 29))
        self.assertIn(" diverged in tick 29: ", one["error"])
        self.assertRegex(one["divergence"]["known"], r"^killed by signal 6 .*in system \"count\", tick 20")
        self.assertIn("lockstep explain ", one["next"])

    def test_another_version_is_tried_with_a_warning(self):
        path = self.record(faulty("none"))
        *files, _ = self.lines(path, path, "--any-build", code=DIVERGED, sim=faulty("race"))
        for one in files:
            self.assertIn("use the build that recorded it", one["warning"])
            self.assertEqual((one["result"], one["divergence"]["tick"]), ("diverged", 0))

    def test_another_legal_order_ends_as_recorded(self):
        path = self.rerun(self.record(faulty("none")), "race.lsr", faulty("race"), "--shuffle", "1")
        one, = self.lines(path, code=DIVERGED, sim=faulty("race"))
        found = one["divergence"]
        self.assertEqual((found["component"], found["entity"], found["field"]),
                         ("Score", None, "seen"))
        self.assertIn(found["system"], ("look", "triple"))
        self.assertNotEqual(found["expected"], found["found"])
        self.assertRegex(found["known"], r"^run in the legal order \d+, the tick ends as recorded")
        out, err = self.verify(path, code=DIVERGED, sim=faulty("race"))
        self.assertIn(f" diverged in tick {found['tick']}: expected root ", err)
        for line in (f"tick       {found['tick']}", f"system     {found['system']}",
                     "component  Score", "field      seen",
                     f"value      expected {found['expected']}, found {found['found']}"):
            self.assertIn(line + "\n", out)

    def planted(self, *states):
        """A recording that no run here reproduces in tick PLANTED. `states` are options that add states to it."""
        match = self.record(drift("good"), 150, "--keyframe-ticks", "0", "--column-ticks", "0")
        return self.rerun(match, "wrong.lsr", drift("faulty"), *states)

    def test_a_state_right_after_the_tick_names_all(self):
        path = self.planted("--keyframes", "50")
        one, = self.lines(path, code=DIVERGED, sim=drift("good"))
        found = one["divergence"]
        self.assertEqual([found[key] for key in ("tick", "system", "component", "entity", "field",
                                                 "seen_tick")],
                         [PLANTED, "drift", "body", "bodies/305:1", "y", PLANTED + 1])
        self.assertEqual(int(found["expected"]), int(found["found"]) + 5)
        # A compiler may write both fields with one store.
        source = os.path.join(HERE, "drift_sim.c")
        with open(source, encoding="utf-8") as file:
            lines = [number for number, text in enumerate(file, 1) if "(draw" in text]
        self.assertIn(found["line"], [f"drift at {source}:{line}" for line in lines])
        self.assertIn("right after it", found["known"])

    def test_a_later_state_says_how_late_it_is(self):
        one, = self.lines(self.planted("--keyframes", "60"), code=DIVERGED, sim=drift("good"))
        found = one["divergence"]
        self.assertEqual([found[key] for key in ("tick", "system", "writers", "component", "entity",
                                                 "field", "seen_tick")],
                         [PLANTED, None, "drift", "body", "bodies/305:1", "y", 120])
        self.assertEqual(int(found["expected"]), int(found["found"]) + 5)
        self.assertIn("20 ticks later", found["known"])

    def test_column_hashes_name_the_component(self):
        server = self.serve("--ticks", "150", "--wait", "0", "--tick-rate", "120", "--players", "2",
                            "--keyframe-ticks", "0", "--column-ticks", "10", sim=drift("faulty"))
        self.assertEqual(server.wait(), GOOD)
        out, _ = self.verify(self.recording(), code=DIVERGED, sim=drift("good"))
        self.assertIn(f"tick       {PLANTED}\n"
                      "system     one of those that write body: drift\n"
                      "component  body\n"
                      "known      from the column hashes that the file holds right after it\n",
                      out)

    def test_where_nothing_but_the_root_is_there(self):
        out, _ = self.verify(self.planted(), code=DIVERGED, sim=drift("good"))
        self.assertIn(f"tick       {PLANTED}\nsystem     unknown\n"
                      "known      the file holds neither", out)

    def test_a_forged_root_is_no_divergence(self):
        """A forged root has right checksums, but a wrong signature; the following roots agree."""
        good = self.record(drift("good"), 150)
        forged = self.tool("re_forge", good, self.path("forged.lsr"), "70")
        out, err = self.verify(forged, code=CORRUPT, sim=drift("good"))
        self.assertRegex(err, r"forged\.lsr: the server's signature at byte \d+ is wrong: .*; "
                              r"after tick 69 the file then expects root [0-9a-f]{16}, and")
        for line in ("tick       69", "known      the hashes and states that the file holds after "
                     "it do not differ",
                     "again      from tick 71 on the state agrees again: the root itself was changed"):
            self.assertIn(line + "\n", out)
        self.assertNotIn("next ", out)
        self.assertNotIn("system", out)
        one, = self.lines(forged, code=CORRUPT, sim=drift("good"))
        self.assertEqual((one["result"], one["divergence"]["tick"], one["divergence"]["agrees_tick"]),
                         ("corrupt", 69, 71))
        *_, total = self.lines(forged, good, code=CORRUPT, sim=drift("good"))
        self.assertEqual((total["corrupt"], total["good"], total["diverged"]), (1, 1, 0))
        for command in (("explain", forged), ("bisect", good, forged)):
            code = DIVERGED if command[0] == "bisect" else GOOD
            _, err = self.command(*command, "--sim", drift("good"), code=code)
            self.assertRegex(err, rf"(?m)^lockstep {command[0]}: warning: \S*forged\.lsr: the server's "
                                  r"signature at byte \d+ is wrong")

    def test_a_wrong_signature_after_a_signed_divergence(self):
        server = self.serve("--ticks", "700", "--wait", "0", "--tick-rate", "100", "--seed", "1",
                            sim=drift("faulty"))
        self.assertEqual(server.wait(), GOOD)
        forged = self.tool("re_forge", self.recording(), self.path("late.lsr"), "690")
        out, err = self.verify(forged, code=DIVERGED, sim=drift("good"))
        self.assertIn(f" diverged in tick {PLANTED}: ", err)
        self.assertRegex(out, r"(?m)^signed through tick \d+, .*; .*the server's signature at byte \d+ "
                              r"is wrong")
        self.assertRegex(out, r"(?m)^next +lockstep explain ")

    def test_an_unsigned_root_that_is_wrong_alone(self):
        """Without signatures, a single wrong root may also be a real difference that was overwritten."""
        wrong = self.tool("re_record", self.record(faulty("none")), self.path("wrong.lsr"), "3", "30")
        out, _ = self.verify(wrong, code=DIVERGED)
        self.assertIn("again      from tick 31 on the state agrees again: the root itself is wrong, or "
                      "what differed was written over\n", out)

    def test_a_cut_is_not_signed(self):
        good = self.record(faulty("none"))
        for name, options in (("whole.lsr", ()), ("begin.lsr", ("--to", "20")),
                              ("end.lsr", ("--from", "20"))):
            self.command("replay", "cut", good, "--sim", faulty("none"), *options, "--output",
                         self.path(name))
            out, _ = self.verify(self.path(name), code=GOOD)
            self.assertRegex(out, r"(?m)^signed by no server, \d+ ticks unsigned: this is a cut or a "
                                  r"rerun of a recording, which no server signs$")

    def append(self, path, name, data):
        with open(path, "rb") as file:
            return self.write(name, file.read() + data)

    def refuse_trust(self, path, *options, says):
        out, err = self.verify(path, *options, code=CORRUPT)
        self.assertRegex(err, rf"\Alockstep verify: {re.escape(path)}: {says}")
        self.assertEqual(out, "", "it was not played")

    def test_a_file_of_another_server_is_refused(self):
        """The file has a signature, but of another server than the expected one."""
        good = self.record(faulty("none"))
        key = self.servers[-1].address.split("#")[1]
        other, _ = self.command("keygen", self.path("other"))
        other = other.split()[1]
        out, _ = self.verify(good, code=GOOD)
        self.assertIn(f"signed through tick {TICKS - 1}, 0 unsigned, by the server {key}; --key checks that "
                      "this is the server you mean\n", out)
        self.write("known", f"# mine\n\n[::1]:7400 {other}\nplay.example.org:7400 {key}\n".encode())
        self.write("strangers", f"[::1]:7400 {other}".encode())
        for right in key, f"127.0.0.1:7400#{key}", self.path("identity"), self.path("known"):
            out, _ = self.verify(good, "--key", right, "--require-signed", code=GOOD)
            self.assertIn(f"by the server {key}, which --key names\n", out)
        for wrong in other, self.path("other"), self.path("strangers"):
            self.refuse_trust(good, "--key", wrong, says=f"is of the server {key}, which --key {wrong} does not name: ")
        # The wrong key is reported before the simulation is loaded.
        self.refuse("verify", "--key", other, good, code=CORRUPT, says=("does not name",))

    def test_a_key_that_is_none(self):
        good = self.record(faulty("none"))
        os.chmod(self.path("identity"), 0o644)
        self.write("no-key", b"play.example.org:7400 me\n")
        self.write("empty", b"# none\n")
        for key, says in ((self.path("missing"), "neither a public key nor a file"),
                          (self.path("identity"), "chmod 600"), (self.path("no-key"), "no-key line 1"),
                          (self.path("empty"), "holds no key")):
            self.refuse("verify", "--key", key, good, code=USAGE, says=(key, says))

    def test_a_file_that_is_not_signed_is_refused_where_that_is_asked(self):
        good = self.record(faulty("none"), 700, "--sign-ticks", "60")
        key = self.servers[-1].address.split("#")[1]
        self.command("replay", "cut", good, "--sim", faulty("none"), "--output", self.path("cut.lsr"))
        for option in (("--require-signed",), ("--key", key)):
            self.refuse_trust(self.path("cut.lsr"), *option, says="signed by no server: this is a cut or a rerun")
        # A server that is killed leaves ticks that it did not sign in time.
        with open(good, "rb") as file:
            torn = self.write("torn.lsr", file.read()[:-300])
        self.verify(torn, "--key", key, code=GOOD)
        self.refuse_trust(torn, "--key", key, "--require-signed",
                          says=r"\d+ of its ticks are not signed, the first of them is tick \d+: ")
        # A header that names the key proves nothing: after a change every signature is wrong.
        forged = self.tool("re_forge", good, self.path("forged.lsr"), "1")
        _, err = self.verify(forged, "--key", key, code=CORRUPT)
        self.assertIn("; no tick is covered by a valid signature; ", err)
        late = self.tool("re_forge", good, self.path("late.lsr"), "690")
        _, err = self.verify(late, code=CORRUPT)
        self.assertRegex(err, r"; the ticks below \d\d+ are as the server wrote them; ")

    def test_a_match_that_ends_before_its_first_tick(self):
        server = self.serve("--rooms", "1", sim=faulty("none"))
        self.assertEqual(server.stop(), GOOD)
        path = self.recording()
        out, _ = self.verify(path, "--require-signed", "--key", server.address.split("#")[1], code=GOOD)
        self.assertIn("signed before the first tick, 0 unsigned, by the server ", out)
        with open(path, "rb") as file:
            cut = self.write("cut.lsr", file.read()[:-1])
        self.refuse_trust(cut, "--require-signed", says="signed by no server: it names a server's key")

    def test_the_signer_is_in_every_report(self):
        good = self.record(faulty("none"))
        key = self.servers[-1].address.split("#")[1]
        cut, trailed, junit = self.path("cut.lsr"), self.append(good, "trailed.lsr", b"x" * 300), self.path("j.xml")
        self.command("replay", "cut", good, "--sim", faulty("none"), "--output", cut)
        one, two, *_ = self.lines(good, cut, code=GOOD)
        self.assertEqual((one["server_key"], one["unsigned_ticks"], two["server_key"], two["unsigned_ticks"]),
                         (key, 0, None, TICKS))
        *files, total = self.lines(good, trailed, cut, "--key", key, "--strict", "--junit", junit, code=CORRUPT)
        self.assertEqual([file["result"] for file in files], ["good", "corrupt", "untrusted"])
        self.assertEqual((total["good"], total["corrupt"]), (1, 2))
        suite = xml.etree.ElementTree.parse(junit).getroot().find("testsuite")
        self.assertEqual([[mark.tag for mark in case] for case in suite], [["system-out"], ["error"], ["failure"]])
        self.assertIn(f"by the server {key}, which --key names", suite[0].find("system-out").text)
        again = f"again: lockstep verify --sim {faulty('none')} --key {key} --strict {cut}"
        self.assertIn(again, suite[2].find("failure").text)
        self.lines(trailed, cut, "--junit", junit, code=GOOD)
        notes = [case.find("system-out").text
                 for case in xml.etree.ElementTree.parse(junit).getroot().iter("testcase")]
        self.assertIn("warning: 300 bytes follow the end", notes[0])
        self.assertIn("signed by no server", notes[1])

    def test_bytes_after_a_closed_recording(self):
        """Appends text, zeros, noise that looks like a record, or the same file again after the end."""
        good = self.record(faulty("none"))
        self.command("replay", "cut", good, "--sim", faulty("none"), "--output", self.path("cut.lsr"))
        for path in good, self.path("cut.lsr"):
            with open(path, "rb") as file:
                data = file.read()
            for number, more in enumerate((b"hello", b"x" * 300, bytes(4096), b"\x05\x03abc", b"\x02\x01" * 40, data)):
                trailed = self.write(f"{number}.lsr", data + more)
                warning = f"{len(more)} bytes follow the end of the recording"
                with self.subTest(path=path, more=more[:8]):
                    out, err = self.verify(trailed, code=GOOD)
                    self.assertIn(f"lockstep verify: warning: {trailed}: {warning}", err)
                    self.assertIn(f"verified ticks={TICKS} ", out)
                    _, err = self.verify(trailed, "--strict", code=CORRUPT)
                    self.assertIn(f"{trailed}: {warning} at byte {len(data)}: ", err)
            self.verify(path, "--strict", code=GOOD)
        # The last signature is part of the file: changing it is damage.
        with open(good, "rb") as file:
            data = file.read()
        self.verify(self.write("flipped.lsr", data[:-20] + bytes([data[-20] ^ 1]) + data[-19:]), code=CORRUPT)

    def test_a_setup_that_depends_on_the_machine(self):
        path = self.record(faulty("setup"))
        _, err = self.verify(path, code=DIVERGED, sim=faulty("setup"))
        self.assertIn("though the simulation's fingerprint is that of the recording", err)
        # The recording holds the server's first state.
        one, = self.lines(path, code=DIVERGED, sim=faulty("setup"))
        found = one["divergence"]
        self.assertEqual([found[key] for key in ("component", "entity", "field", "seen_tick")],
                         ["Place", "walkers/0:1", "y", 0])
        self.assertEqual(int(found["expected"]), self.servers[-1].process.pid)
        self.assertIn("that the file holds right after it", found["known"])
        _, err = self.verify(path, "--any-build", code=DIVERGED, sim=faulty("race"))
        self.assertIn("another version of the simulation's setup", err)

    def on_terminal(self, *arguments):
        """Runs `verify` with stderr on a terminal; returns what it shows."""
        ours, theirs = pty.openpty()
        with subprocess.Popen([BINARY, "verify", *arguments], stdout=subprocess.DEVNULL,
                              stderr=theirs) as process:
            os.close(theirs)
            shown = b""
            while True:
                try:
                    more = os.read(ours, 4096)
                except OSError:
                    break
                if not more:
                    break
                shown += more
            os.close(ours)
            self.assertEqual(process.wait(TIMEOUT_S), GOOD)
        return shown.decode()

    def test_a_bar_on_a_terminal(self):
        good = self.record(faulty("none"), 15)
        shown = self.on_terminal("--sim", faulty("slow"), good, good, good)
        self.assertTrue(re.search(r"\r\x1b\[K\[[#.]{30}\] +\d+ %, \d of 3 files", shown), shown)
        self.assertTrue(shown.endswith("\r\x1b[K"), "it is taken away in the end")
        self.assertNotIn("3 of 3 files", shown, "there is nothing to wait for after the last result")
        shown = self.on_terminal("--sim", faulty("slow"), good)
        self.assertGreater(int(re.findall(r" %, tick (\d+)", shown)[-1]), 0, shown)
        # What ends at once has none.
        self.assertEqual(self.on_terminal("--sim", faulty("none"), good), "")

    def test_a_folder_with_a_slash(self):
        os.mkdir(self.path("rec"))
        shutil.copy(self.record(faulty("none")), self.path("rec", "a.lsr"))
        for folder in (self.path("rec"), self.path("rec") + "/", self.path("rec") + "//"):
            out, _ = self.verify(folder, code=GOOD)
            self.assertTrue(out.startswith(self.path("rec", "a.lsr") + ": "), out)


if __name__ == "__main__":
    main()
