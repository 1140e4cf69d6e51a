"""`replay`: looking into recordings, comparing them, saving what is good of them."""
import json
import os
import re
import subprocess

from case import CORRUPT, DIVERGED, GOOD, INCOMPATIBLE, MACHINE, TINY, USAGE, Case, main, tiny

TICKS = 120


class Replay(Case):
    def make(self, name, *options, sim="skirmish", bots=2):
        server = self.serve("--ticks", str(TICKS), "--wait", str(bots), "--tick-rate", "120",
                            "--players", "2", "--seed", "7", *options, sim=sim)
        self.join(server, "--bots", str(bots), sim=sim)
        self.assertEqual(server.wait(), GOOD)
        os.rename(self.recording(), self.path(name))
        return self.path(name)

    def lines(self, *arguments, code=GOOD):
        out, _ = self.command("replay", *arguments, code=code)
        return [json.loads(line) for line in out.splitlines()]

    def write(self, name, data):
        with open(self.path(name), "wb") as file:
            file.write(data)
        return self.path(name)

    def read(self, path):
        with open(path, "rb") as file:
            return file.read()

    def wrong_root(self, path, tick):
        name = self.path(f"wrong-{tick}.lsr")
        subprocess.run([os.path.join(TINY, "re_record"), path, name, "0", str(tick)], check=True)
        return name

    def test_info_seek_and_print(self):
        path = self.make("a.lsr")
        out, _ = self.command("replay", "info", path)
        self.assertRegex(out, r"(?m)^simulation  skirmish \S+, fingerprint [0-9a-f]{32}, ")
        self.assertRegex(out, rf"(?m)^ticks       0 to {TICKS}, 1\.0 s$")
        self.assertIn("match       seed 7, 2 seats, 120 ticks a second", out)
        info, = self.lines("info", "--json", path)
        self.assertEqual(info["last_tick"], str(TICKS))
        self.assertEqual(info["roots"], str(TICKS + 1))
        self.assertEqual(info["inputs"]["join"], 2)
        self.assertEqual(info["bytes"], str(os.path.getsize(path)))
        self.assertTrue(info["is_closed"] and info["is_good"])

        roots = {line["tick"]: line["root"] for line in self.lines("export", path)
                 if line["type"] == "tick"}
        for tick in (0, 1, 77, TICKS):
            out, _ = self.command("replay", "seek", path, str(tick))
            self.assertIn(f"tick={tick} root={roots[str(tick)]} ", out)

        # One world, three ways to see a cell of it.
        whole, = [json.loads(self.command("replay", "print", path, "77", "--json")[0])]
        name, cell = next(iter(whole["components"]["Health"].items()))
        some, = self.lines("print", path, "77", "--json", "--component", "Health")
        self.assertEqual(some["root"], roots["77"])
        self.assertEqual(some["components"], {"Health": whole["components"]["Health"]})
        one, = self.lines("print", path, "77", "--json", "--entity", name)
        self.assertEqual(one["components"]["Health"], {name: cell})
        self.assertTrue(all(list(cells) == [name] for cells in one["components"].values()))
        out, _ = self.command("replay", "print", path, "77", "--entity", name, "--component",
                              "Health")
        self.assertEqual(out, f"tick 77, root {roots['77']}\n{name} Health {json.dumps(cell)}\n")
        self.command("replay", "print", path, "77", "-o", self.path("state.txt"))
        with open(self.path("state.txt"), encoding="utf-8") as file:
            self.assertIn(f"{name} Health {json.dumps(cell)}\n", file.read())
        gone, _ = self.command("replay", "print", path, "77", "--entity",
                               name.rsplit(":", 1)[0] + ":9")
        self.assertIn("does not live", gone)

    def test_states_that_the_server_recorded(self):
        ticks = 1200
        server = self.serve("--ticks", str(ticks), "--wait", "2", "--tick-rate", "240",
                            "--units", "2000")
        self.join(server, "--bots", "2")
        self.assertEqual(server.wait(), GOOD)
        path = self.recording()
        info, = self.lines("info", "--json", path)
        self.assertGreaterEqual(info["keyframes"], 2)
        self.assertEqual(info["signed_tick"], str(ticks))
        root = self.lines("export", path, "--from", str(ticks))[1]["root"]
        out, _ = self.command("replay", "seek", path, str(ticks))
        found = re.search(r"root=(\w+) .*simulated_ticks=(\d+) keyframes=([12])$", out)
        self.assertEqual(found.group(1), root)
        self.assertLess(int(found.group(2)), ticks - 128)

    def test_export(self):
        path = self.make("a.lsr")
        header, *ticks, end = self.lines("export", path)
        self.assertEqual((header["type"], header["match"]["seed"]), ("header", "7"))
        self.assertEqual([line["tick"] for line in ticks], [str(i) for i in range(TICKS + 1)])
        self.assertEqual((end["type"], end["last_tick"]), ("end", str(TICKS)))
        self.assertNotIn("inputs", ticks[TICKS])
        joins = [sent for line in ticks[:TICKS] for sent in line["inputs"] if sent["kind"] == "join"]
        self.assertEqual(sorted(sent["player"] for sent in joins), [0, 1])
        orders = [sent for line in ticks[:TICKS] for sent in line["inputs"]
                  if sent["kind"] == "order"]
        self.assertTrue(all(bytes.fromhex(sent["data"]) for sent in orders))
        some = self.lines("export", path, "--from", "10", "--to", "12")
        self.assertEqual(some[1:-1], ticks[10:13])
        self.refuse("replay", "export", path, "--from", "100000", code=USAGE,
                    says=(path, f"0 to {TICKS}"))
        self.command("replay", "export", path, "--from", "5", "--to", "4", code=USAGE)
        self.refuse("replay", "export", path, "-o", self.path("no", "file"), code=MACHINE,
                    says=(self.path("no", "file"),))

    def test_diff(self):
        path = self.make("a.lsr")
        out, _ = self.command("replay", "diff", path, "60", "60")
        self.assertEqual(len(out.splitlines()), 1)
        out, _ = self.command("replay", "diff", path, "60", "61", code=DIVERGED)
        self.assertIn("  tick: 60 | 61\n", out)
        found = self.lines("diff", path, "60", "61", "--json", "--lines", "100000", code=DIVERGED)
        field = next(line for line in found if line["kind"] == "field" and "entity" in line)
        self.assertEqual((field["tick"], field["other_tick"]), ("60", "61"))
        # What it says of a field is what `print` shows.
        cells = [self.lines("print", path, tick, "--json", "--entity", field["entity"])[0]
                 ["components"][field["component"]][field["entity"]] for tick in ("60", "61")]
        self.assertNotEqual(cells[0][field["field"]], cells[1][field["field"]])
        few, _ = self.command("replay", "diff", path, "60", "61", "--lines", "2", code=DIVERGED)
        self.assertRegex(few, rf"(?m)^and {len(found) - 2} more$")

        self.command("replay", "diff", path, self.write("same.lsr", self.read(path)))
        other = self.make("b.lsr", bots=1)
        found = self.lines("diff", path, other, "--json", "--lines", "100000", code=DIVERGED)
        self.assertEqual(found[0]["kind"], "inputs")
        parted = int(found[0]["tick"]) + 1
        self.assertTrue(all(line["tick"] == str(parted) for line in found[1:]))
        self.command("replay", "diff", path, other, str(parted - 1))
        out, _ = self.command("replay", "diff", path, other, str(parted), code=DIVERGED)
        self.assertRegex(out, r"(?m)^  \S.* \| \S")
        # A recording that ends sooner differs in that alone.
        cut = self.write("cut.lsr", self.read(path)[:-200])
        out, _ = self.command("replay", "diff", path, cut, code=DIVERGED)
        self.assertRegex(out, rf"equal up to tick \d+: .*\n  last tick: {TICKS} \| \d+\n$")

    def test_recording_that_diverged(self):
        path = self.make("a.lsr")
        wrong = self.wrong_root(path, 50)
        self.command("replay", "print", wrong, "49")
        for arguments in (("seek", wrong, "50"), ("print", wrong, "80"), ("diff", path, wrong)):
            self.refuse("replay", *arguments, code=DIVERGED,
                        says=(wrong, "before tick 50", "expected root", "lockstep verify"))

    def test_repair(self):
        path = self.make("a.lsr")
        data = self.read(path)
        out, _ = self.command("replay", "repair", path)
        self.assertIn(f"nothing to repair ticks={TICKS}\n", out)
        self.assertFalse(os.path.exists(self.path("a.repaired.lsr")))
        middle = len(data) // 2
        kinds = {"torn": data[:-7], "zeros": data[:middle] + bytes(2000),
                 "flipped": data[:middle] + bytes([data[middle] ^ 4]) + data[middle + 1:]}
        for kind, broken in kinds.items():
            name = self.write(f"{kind}.lsr", broken)
            out, _ = self.command("replay", "repair", name)
            new = self.path(f"{kind}.repaired.lsr")
            saved = self.read(new)
            self.assertEqual(self.read(name), broken)
            self.assertTrue(broken.startswith(saved))
            self.assertIn(f" bytes={len(saved)} lost_bytes={len(broken) - len(saved)} ", out)
            ticks = self.verified_ticks(new)
            self.assertIn(f"repaired {new} ticks={ticks} ", out)
            self.assertGreater(ticks, 0)
            self.refuse("replay", "repair", name, code=USAGE, says=(new, "already"))
            self.assertEqual(self.read(new), saved)
        self.refuse("replay", "repair", self.path("flipped.lsr"), "-o", self.path("no", "a.lsr"),
                    code=MACHINE, says=(self.path("no"),))

    def test_cut(self):
        path = self.make("a.lsr", bots=2)
        whole = self.lines("export", path)
        new = self.path("part.lsr")
        out, _ = self.command("replay", "cut", path, "--from", "40", "--to", "90", "-o", new)
        self.assertIn(f"cut {new} ticks=50 first_tick=40 last_tick=90 keyframes=1 "
                      f"bytes={os.path.getsize(new)}\n", out)
        self.assertEqual(self.lines("export", new)[1:-2], whole[41:91])
        info, = self.lines("info", "--json", new)
        self.assertEqual((info["first_tick"], info["keyframes"], info["is_closed"]), ("40", 1, True))
        self.assertIn("(cut)", info["end"])
        for tick in ("40", "41", "90"):
            self.assertEqual(self.command("replay", "print", new, tick),
                             self.command("replay", "print", path, tick))
        self.refuse("replay", "seek", new, "39", code=USAGE, says=(new, "40 to 90"))
        self.command("replay", "diff", path, new, "77")
        # A part of a part, and one without frames.
        again = self.path("again.lsr")
        self.command("replay", "cut", new, "--from", "60", "--to", "61", "-o", again)
        self.assertEqual(self.lines("export", again)[1:-2], whole[61:62])
        self.command("replay", "cut", path, "--from", "50", "--to", "50", "-o", self.path("0.lsr"))
        self.assertEqual(self.command("replay", "print", self.path("0.lsr"), "50"),
                         self.command("replay", "print", path, "50"))
        # A whole copy with states in it: seeks begin there.
        quick = self.path("quick.lsr")
        out, _ = self.command("replay", "cut", path, "--keyframes", "25", "-o", quick)
        self.assertIn(" keyframes=4 ", out)
        self.assertEqual(self.verified_ticks(quick), TICKS)
        self.assertEqual(self.lines("export", quick)[1:-1], whole[1:-1])
        out, _ = self.command("replay", "seek", quick, "110")
        self.assertIn(f"tick=110 root={whole[111]['root']} ", out)
        self.assertIn(" simulated_ticks=10 keyframes=2\n", out)
        self.refuse("replay", "cut", path, "-o", new, code=USAGE, says=(new, "already"))
        self.refuse("replay", "cut", path, "--from", "900", "-o", self.path("x"), code=USAGE,
                    says=(path, f"0 to {TICKS}"))
        self.refuse("replay", "cut", path, "-o", self.path("no", "x"), code=MACHINE,
                    says=(self.path("no"),))
        self.command("replay", "cut", path, code=USAGE)
        self.refuse("replay", "cut", self.wrong_root(path, 50), "--from", "60", "-o",
                    self.path("x"), code=DIVERGED, says=("before tick 50",))
        self.assertFalse(os.path.exists(self.path("x")))

    def test_damaged_files_are_shown_as_far_as_they_go(self):
        path = self.make("a.lsr")
        data = self.read(path)
        middle = len(data) // 2
        bad = self.write("bad.lsr", data[:middle] + bytes([data[middle] ^ 4]) + data[middle + 1:])
        out, _ = self.refuse("replay", "info", bad, code=CORRUPT, says=(bad,))
        last = int(out.split("ticks       0 to ")[1].split(",")[0])
        self.assertTrue(0 < last < TICKS)
        out, _ = self.refuse("replay", "export", bad, code=CORRUPT, says=(bad,))
        self.assertIn(f'"tick": "{last}"', out)
        _, err = self.command("replay", "seek", bad, str(last))
        self.assertIn("warning", err)
        self.refuse("replay", "seek", bad, str(last + 1), code=USAGE,
                    says=(bad, f"tick {last + 1}", f"0 to {last}"))

    def test_mistakes(self):
        path = self.make("a.lsr")
        self.command("replay", code=USAGE)
        self.assertIn("repair", self.command("replay", "--help")[0])
        self.refuse("replay", "prnt", path, code=USAGE, says=("did you mean 'print'",))
        for action in ("info", "export", "repair"):
            self.command("replay", action, code=USAGE)
            self.refuse("replay", action, self.path("no.lsr"), code=USAGE, says=("no.lsr",))
            self.refuse("replay", action, self.write("text.lsr", b"hello" * 99), code=CORRUPT,
                        says=("text.lsr",))
            self.refuse("replay", action, self.folder, code=USAGE, says=("folder",))
        for action in ("seek", "print"):
            self.command("replay", action, path, code=USAGE)
            self.command("replay", action, path, "one", code=USAGE)
            self.refuse("replay", action, path, str(TICKS + 1), code=USAGE,
                        says=(path, f"0 to {TICKS}"))
        self.refuse("replay", "print", path, "1", "--component", "Healt", code=USAGE,
                    says=("did you mean 'Health'",))
        self.refuse("replay", "print", path, "1", "--entity", "nobody", code=USAGE,
                    says=("nobody",))
        self.command("replay", "diff", path, code=USAGE)
        self.command("replay", "diff", path, "1", code=USAGE)
        self.command("replay", "diff", path, path, "1", "2", code=USAGE)
        self.refuse("replay", "seek", path, "1", "--sim", "toyphys", code=INCOMPATIBLE,
                    says=(path,))
        with open("/dev/full", "w", encoding="ascii") as full:
            self.assertEqual(subprocess.run([os.environ["LOCKSTEP"], "replay", "export", path],
                                            stdout=full, stderr=subprocess.DEVNULL,
                                            check=False).returncode, MACHINE)

    def test_another_build(self):
        path = self.make("t.lsr", sim=tiny("good"))
        self.refuse("replay", "seek", path, "1", code=INCOMPATIBLE, says=(path, "--sim"))
        self.command("replay", "seek", path, "1", "--sim", tiny("good"))
        self.refuse("replay", "seek", path, "1", "--sim", tiny("other"), code=INCOMPATIBLE,
                    says=(path,))
        self.refuse("replay", "seek", path, "5", "--sim", tiny("other"), "--any-build",
                    code=DIVERGED, says=(path,))


main()
