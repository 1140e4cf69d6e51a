"""`replay`: inspecting, comparing and repairing recordings."""
import json
import os
import pty
import re
import subprocess
import unittest
import unittest.mock

from case import (BINARY, CORRUPT, DIVERGED, GOOD, INCOMPATIBLE, MACHINE, SHIM, TIMEOUT_S, TINY, USAGE, Case,
                  is_sanitized, main, tiny)

from frames import keyframes_of, record_offsets, record_types

TICKS = 120
KEYFRAME, COLUMNS = 6, 7  # types of records
SLOWLY = ("--tick-rate", "20")  # both players join before the last tick

# A root is recorded some ticks after its frame: up to the ticks of 1.5 s when other work delays the server of
# these recordings.
ROOTS_LATE = 300


class Replay(Case):
    def make(self, name, *options, sim="skirmish", bots=2):
        server = self.serve("--ticks", str(TICKS), "--wait", str(bots), "--tick-rate", "120",
                            "--players", "2", "--seed", "7", *options, sim=sim)
        self.join(server, "--bots", str(bots), sim=sim)
        self.assertEqual(server.wait(), GOOD)
        os.rename(self.recording(), self.path(name))
        return self.path(name)

    def make_exact(self, keyframes, ticks, rate=120):
        """A recording with a keyframe every `keyframes` ticks; a busy server leaves some out."""
        path = self.path("exact.lsr")
        self.command("replay", "rerun", self.make("a.lsr", "--tick-rate", str(rate), "--ticks", str(ticks)),
                     "--keyframes", str(keyframes), "-o", path)
        return path

    def lines(self, *arguments, code=GOOD):
        out, _ = self.command("replay", *arguments, code=code)
        return [json.loads(line) for line in out.splitlines()]

    def export(self, path, *options):
        """The lines of `export` that every tick has."""
        return [line for line in self.lines("export", path, *options)
                if line["type"] in ("header", "tick", "end")]

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
        path = self.make("a.lsr", *SLOWLY)
        out, _ = self.command("replay", "info", path)
        self.assertRegex(out, r"(?m)^simulation  skirmish \S+, fingerprint [0-9a-f]{32}, ")
        self.assertRegex(out, rf"(?m)^ticks       0 to {TICKS}, 6\.0 s$")
        self.assertIn("match       seed 7, 2 seats, 20 ticks a second", out)
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

        # Three commands that show one cell of the same world.
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
        gone, = self.lines("print", path, "77", "--json", "--entity", name.rsplit(":", 1)[0] + ":9")
        self.assertEqual((gone["lives"], gone["components"]), (False, {}))
        self.assertIs(one["lives"], True)
        self.assertNotIn("lives", some)

    def test_states_that_the_server_recorded(self):
        ticks = 1200
        server = self.serve("--ticks", str(ticks), "--wait", "2", "--tick-rate", "60",
                            "--units", "2000")
        self.join(server, "--bots", "2")
        self.assertEqual(server.wait(), GOOD)
        path = self.recording()
        info, = self.lines("info", "--json", path)
        self.assertGreaterEqual(info["keyframes"], 2)
        self.assertEqual(info["signed_tick"], str(ticks))
        root = self.export(path, "--from", str(ticks))[1]["root"]
        out, _ = self.command("replay", "seek", path, str(ticks))
        found = re.search(r"root=(\w+) .*simulated_ticks=(\d+) keyframes=([12])$", out)
        self.assertEqual(found.group(1), root)
        self.assertLess(int(found.group(2)), ticks - 128)

    def test_export(self):
        path = self.make("a.lsr", *SLOWLY)
        header, *ticks, end = self.export(path)
        self.assertEqual((header["type"], header["match"]["seed"]), ("header", "7"))
        self.assertEqual([line["tick"] for line in ticks], [str(i) for i in range(TICKS + 1)])
        self.assertEqual((end["type"], end["last_tick"]), ("end", str(TICKS)))
        self.assertNotIn("inputs", ticks[TICKS])
        joins = [sent for line in ticks[:TICKS] for sent in line["inputs"] if sent["kind"] == "join"]
        self.assertEqual(sorted(sent["player"] for sent in joins), [0, 1])
        orders = [sent for line in ticks[:TICKS] for sent in line["inputs"]
                  if sent["kind"] == "order"]
        self.assertTrue(all(bytes.fromhex(sent["data"]) for sent in orders))
        some = self.export(path, "--from", "10", "--to", "12")
        self.assertEqual(some[1:-1], ticks[10:13])
        self.refuse("replay", "export", path, "--from", "100000", code=USAGE,
                    says=(path, f"0 to {TICKS}"))
        self.command("replay", "export", path, "--from", "5", "--to", "4", code=USAGE)
        self.refuse("replay", "export", path, "-o", self.path("no", "file"), code=MACHINE,
                    says=(self.path("no", "file"),))

    def test_export_has_fields_that_only_some_ticks_have(self):
        path = self.make("a.lsr", "--keyframe-ticks", "16", "--column-ticks", "32")
        again = self.path("again.lsr")
        lines = self.lines("export", path)
        ticks = {kind: [int(line["tick"]) for line in lines if line["type"] == kind]
                 for kind in ("keyframe", "columns")}
        info, = self.lines("info", "--json", path)
        self.assertEqual(len(ticks["keyframe"]), info["keyframes"])
        # On a busy machine a keyframe may be later.
        self.assertEqual(ticks["keyframe"], sorted(set(ticks["keyframe"])))
        self.assertEqual(ticks["keyframe"][0], 0)
        self.assertTrue(16 <= ticks["keyframe"][1] < 32, ticks)
        self.assertEqual(ticks["columns"], [32, 64, 96])
        keyframes = [line for line in lines if line["type"] == "keyframe"]
        self.assertEqual(str(sum(line["bytes"] for line in keyframes)), info["keyframe_bytes"])
        self.assertEqual({line["base_tick"] for line in keyframes}, {keyframes[0]["tick"]})
        for at, line in enumerate(lines):
            if line["type"] == "columns":
                self.assertEqual(lines[at + 1]["tick"], line["tick"])
                self.assertTrue(all(re.fullmatch("[0-9a-f]{16}", one) for one in line["hashes"]))
        # One hash per column of the state; only hashes of written columns change.
        first, second, _ = [line["hashes"] for line in lines if line["type"] == "columns"]
        self.assertEqual(len(first), len(second))
        self.assertNotEqual(first, second)
        self.assertTrue(set(first) & set(second))
        for kind in ("keyframe", "columns"):
            tick = str(ticks[kind][1])
            some = self.lines("export", path, "--from", tick, "--to", tick)
            self.assertEqual([line["type"] for line in some if line["type"] == kind or
                              line["type"] not in ticks], ["header", kind, "tick", "end"])
        subprocess.run([os.path.join(TINY, "re_record"), path, again, "0", "1000000000"], check=True)
        middle = TICKS // 2
        for options in ((), ("--from", str(middle))):
            epoch, = [line for line in self.lines("export", again, *options) if line["type"] == "epoch"]
            self.assertEqual(epoch, {"type": "epoch", "tick": str(middle), "epoch": 1,
                                     "unix_s": "1700000000"})
        self.assertEqual([line["type"] for line in
                          self.lines("export", again, "--from", str(middle + 1))].count("epoch"), 0)

    def test_diff(self):
        path = self.make("a.lsr")
        out, _ = self.command("replay", "diff", path, "60", "60")
        self.assertEqual(len(out.splitlines()), 1)
        out, _ = self.command("replay", "diff", path, "60", "61", code=DIVERGED)
        self.assertIn("  tick: 60 | 61\n", out)
        found = self.lines("diff", path, "60", "61", "--json", "--lines", "100000", code=DIVERGED)
        field = next(line for line in found if line["kind"] == "field" and "entity" in line)
        self.assertEqual((field["tick"], field["other_tick"]), ("60", "61"))
        # `diff` gives the same field values as `print`.
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
        # The only difference is that one recording ends earlier, by more than what follows the last frame.
        cut = self.write("cut.lsr", self.read(path)[:-600])
        out, _ = self.command("replay", "diff", path, cut, code=DIVERGED)
        self.assertRegex(out, rf"equal up to tick \d+: .*\n  last tick: {TICKS} \| \d+\n$")

    def test_recording_that_diverged(self):
        path = self.make("a.lsr")
        wrong = self.wrong_root(path, 50)
        self.command("replay", "print", wrong, "49")
        for arguments in (("seek", wrong, "50"), ("print", wrong, "80"), ("diff", path, wrong)):
            self.refuse("replay", *arguments, code=DIVERGED,
                        says=(wrong, "before tick 50", "expected root", "lockstep verify"))
        # Differences that no replay reproduces: the files' own roots and inputs.
        found, _ = self.refuse("replay", "diff", path, wrong, code=DIVERGED,
                               says=(f"`lockstep bisect {path} {wrong}`",))
        self.assertRegex(found, r"\Aaccording to the files: root after tick 49: "
                                r"[0-9a-f]{16} \| [0-9a-f]{16}\n\Z")
        found, = self.lines("diff", path, wrong, "--json", code=DIVERGED)
        self.assertEqual((found["kind"], found["of"], found["tick"]), ("divergence", "state", "49"))
        self.assertNotEqual(found["a"], found["b"])

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
            self.assertIn(f" bytes={len(saved)} ignored_bytes={len(broken) - len(saved)}\n", out)
            ticks = self.verified_ticks(new)
            self.assertIn(f"repaired {new} ticks={ticks} ", out)
            self.assertGreater(ticks, 0)
            self.refuse("replay", "repair", name, code=USAGE, says=(new, "already"))
            self.assertEqual(self.read(new), saved)
        self.refuse("replay", "repair", self.path("flipped.lsr"), "-o", self.path("no", "a.lsr"),
                    code=MACHINE, says=(self.path("no"),))

    def damage(self, path, name, *places):
        """Writes a copy with one byte changed at each place."""
        data = bytearray(self.read(path))
        for place in places:
            data[place] ^= 0x10
        return self.write(name, bytes(data))

    def repair(self, path, code=GOOD):
        """Repairs; returns the saved parts as (first tick, last tick, path) and the lost ticks as (first,
        last). Checks that each part verifies and has the frames and roots of the original."""
        out, _ = self.command("replay", "repair", path, code=code)
        start, ticks = re.search(r"^repaired (\S+) ticks=(\d+) ", out, re.MULTILINE).groups()
        saved = [(0, int(ticks), start)]
        for name, count, first, last, roots in re.findall(
                r"^saved (\S+) ticks=(\d+) first_tick=(\d+) last_tick=(\d+) roots=(\d+)$", out,
                re.MULTILINE):
            self.assertEqual(int(count), int(last) - int(first))
            # Roots of the last ticks are recorded after the frames, so the next damage may hide them.
            self.assertIn(int(roots) - int(count), range(-ROOTS_LATE, 2))
            self.assertEqual(name, start.replace(".lsr", f"-{first}.lsr"))
            saved.append((int(first), int(last), name))
        lost = [(int(first), int(last)) for count, first, last in re.findall(
            r"^lost ticks=(\d+) from=(\d+) to=(\d+)$", out, re.MULTILINE)]
        for first, last, name in saved:
            self.assertEqual(self.verified_ticks(name), last - first)
            found, wanted = self.ticks_of(name)[:last - first], self.whole[first:last]
            known = sum(line["root"] is not None for line in found)
            self.assertEqual(found[:known], wanted[:known])
            self.assertLess(len(found) - known, ROOTS_LATE)
            self.assertEqual([line["inputs"] for line in found],
                             [line["inputs"] for line in wanted])
        return saved, lost

    def ticks_of(self, path):
        return [line for line in self.lines("export", path) if line["type"] == "tick"]

    def test_repair_saves_content_after_a_damage(self):
        ticks = 900
        path = self.make_exact(8, ticks, rate=60)
        self.whole = self.ticks_of(path)
        size = os.path.getsize(path)
        types, offsets = record_types(path), record_offsets(path)
        keyframes = keyframes_of(path)
        full = [i for i, _, is_full in keyframes if is_full][1:]

        def before(keyframe):
            """An offset within a frame a few ticks before the keyframe."""
            return offsets[[i for i in range(keyframe) if types[i] == 2][-5]] + 3

        # Damage in the middle: two parts, with a gap that ends at the next full keyframe at the latest.
        half = full[len(full) // 2]
        saved, lost = self.repair(self.damage(path, "middle.lsr", before(half)))
        self.assertEqual(len(saved), 2)
        self.assertEqual(saved[1][1], ticks)
        self.assertEqual(lost, [(saved[0][1], saved[1][0] - 1)])
        self.assertLess(saved[1][0] - saved[0][1], 16 * 8 + 20)
        info, = self.lines("info", "--json", saved[1][2])
        self.assertTrue(info["is_closed"] and info["is_good"])
        self.assertEqual(info["keyframes"], sum(tick >= saved[1][0] for _, tick, _ in keyframes))
        out, _ = self.command("verify", saved[1][2])
        self.assertIn("closed (finished)", out)
        self.assertIn("signed by no server", out)

        # Damage in two places: three parts; the second ends before the second damage.
        saved, lost = self.repair(self.damage(path, "two.lsr", before(full[0]), before(full[-1])))
        self.assertEqual(len(saved), 3)
        self.assertEqual(lost, [(saved[0][1], saved[1][0] - 1), (saved[1][1], saved[2][0] - 1)])
        self.assertEqual(saved[2][1], ticks)
        out, _ = self.command("verify", saved[1][2])
        self.assertIn("closed (cut)", out)

        # Damage in the last bytes: all ticks are saved in one file.
        saved, lost = self.repair(self.damage(path, "last.lsr", size - 3))
        self.assertEqual((len(saved), lost), (1, []))
        self.assertEqual(saved[0][1], ticks)

        # Damage in the header: nothing can be read.
        broken = self.damage(path, "header.lsr", 40)
        _, err = self.refuse("replay", "repair", broken, code=CORRUPT, says=(broken, "header"))
        self.assertFalse(os.path.exists(self.path("header.repaired.lsr")), err)

        # Repair replaces no existing file, not even a part.
        os.remove(self.path("middle.repaired.lsr"))
        self.refuse("replay", "repair", self.path("middle.lsr"), code=USAGE,
                    says=("middle.repaired-", "already"))

    def damage_behind_a_full_keyframe(self, path, name):
        """Damages the first frame after a full keyframe; returns the path and the number of keyframes after it."""
        types, offsets = record_types(path), record_offsets(path)
        keyframes = [i for i, kind in enumerate(types) if kind == 6]
        # A busy machine makes fewer keyframes: the second full one, or the last, may be missing.
        full = 16 if len(keyframes) > 17 else 0
        frame = types.index(2, keyframes[full])
        return self.damage(path, name, offsets[frame] + 3), len(keyframes) - full - 1

    def test_repair_begins_with_a_keyframe_whose_full_one_is_whole(self):
        """Only the damaged stretch is lost, not everything up to the next full keyframe."""
        path = self.make("a.lsr", "--ticks", "900", "--keyframe-ticks", "20")
        self.whole = self.ticks_of(path)
        broken, behind = self.damage_behind_a_full_keyframe(path, "broken.lsr")
        _, err = self.refuse("replay", "info", broken, code=CORRUPT,
                             says=(f"lockstep replay repair {broken}",))
        self.assertIn(f"({behind} keyframes to begin with)", err)
        saved, lost = self.repair(broken)
        self.assertEqual(len(saved), 2)
        self.assertLess(saved[1][0] - saved[0][1], 63 + 20 + 20)  # full keyframes are 320 ticks apart
        self.assertEqual(lost, [(saved[0][1], saved[1][0] - 1)])
        self.assertEqual(saved[1][1], 900)

    def test_repair_without_the_simulation(self):
        path = self.make("a.lsr", "--ticks", "900", "--keyframe-ticks", "20", sim=tiny("good"))
        broken, _ = self.damage_behind_a_full_keyframe(path, "broken.lsr")

        def saved_from(*options):
            out, err = self.command("replay", "repair", broken, *options)
            return int(re.search(r"^saved \S+ ticks=\d+ first_tick=(\d+)", out,
                                 re.MULTILINE).group(1)), err
        first, err = saved_from()
        self.assertIn("warning: the simulation 'tiny' is not built in", err)
        better, err = saved_from("--sim", tiny("good"), "-o", self.path("b.lsr"))
        self.assertEqual(err, "")
        self.assertLess(better, first)
        self.refuse("replay", "repair", broken, "--sim", "no.so", code=USAGE, says=("no.so",))

    def test_repair_of_a_part_without_its_first_state(self):
        path = self.make("a.lsr", "--keyframe-ticks", "20")
        part = self.path("part.lsr")
        self.command("replay", "cut", path, "--from", "10", "-o", part)
        keyframe = self.read(part).index(b"\x28\xb5\x2f\xfd")  # the magic number of a zstd frame
        broken = self.damage(part, "broken.lsr", keyframe + 30)
        for command in (("verify",), ("replay", "info"), ("replay", "repair")):
            self.refuse(*command, broken, code=CORRUPT, says=(broken,))
        self.refuse("replay", "seek", broken, "12", code=CORRUPT, says=(broken,))
        out, _ = self.refuse("replay", "repair", broken, code=CORRUPT,
                             says=(broken, "nothing can be saved"))
        self.assertIn("no start: the state before tick 10", out)
        self.assertEqual([n for n in os.listdir(self.folder) if "repaired" in n], [])

        # With more states in it, the part has content after the damage.
        self.command("replay", "cut", path, "--from", "10", "--keyframes", "4", "-o",
                     self.path("more.lsr"))
        data = self.read(self.path("more.lsr"))
        broken = self.damage(self.path("more.lsr"), "few.lsr",
                             data.index(b"\x28\xb5\x2f\xfd") + 30)
        out, _ = self.command("replay", "repair", broken)
        self.assertNotIn("repaired ", out)
        first = re.search(rf"^saved (\S+) ticks=(\d+) first_tick=(\d+) last_tick={TICKS} ", out,
                          re.MULTILINE)
        self.assertEqual(int(first.group(3)), 10 + 16 * 4)
        self.assertEqual(self.verified_ticks(first.group(1)), int(first.group(2)))

    def test_repair_of_every_record(self):
        """Damages one record after another: everything saved is right, and at most two distances of full
        keyframes are lost."""
        path = self.make_exact(4, 500, rate=60)
        self.whole = self.ticks_of(path)
        offsets = record_offsets(path)
        for at in offsets[1::len(offsets) // 12]:
            name = self.damage(path, f"at-{at}.lsr", at + 3)
            saved, _ = self.repair(name)
            self.assertGreater(sum(last - first for first, last, _ in saved), 500 - 2 * 16 * 4 - 20)

    def test_cut(self):
        path = self.make("a.lsr", bots=2)
        whole = self.export(path)
        new = self.path("part.lsr")
        out, _ = self.command("replay", "cut", path, "--from", "40", "--to", "90", "-o", new)
        self.assertIn(f"cut {new} ticks=50 first_tick=40 last_tick=90 keyframes=1 "
                      f"bytes={os.path.getsize(new)}\n", out)
        self.assertEqual(self.export(new)[1:-2], whole[41:91])
        info, = self.lines("info", "--json", new)
        self.assertEqual((info["first_tick"], info["keyframes"], info["is_closed"]), ("40", 1, True))
        self.assertIn("(cut)", info["end"])
        for tick in ("40", "41", "90"):
            self.assertEqual(self.command("replay", "print", new, tick),
                             self.command("replay", "print", path, tick))
        self.refuse("replay", "seek", new, "39", code=USAGE, says=(new, "40 to 90"))
        self.command("replay", "diff", path, new, "77")
        # A cut of a cut, and a cut without frames.
        again = self.path("again.lsr")
        self.command("replay", "cut", new, "--from", "60", "--to", "61", "-o", again)
        self.assertEqual(self.export(again)[1:-2], whole[61:62])
        self.command("replay", "cut", path, "--from", "50", "--to", "50", "-o", self.path("0.lsr"))
        self.assertEqual(self.command("replay", "print", self.path("0.lsr"), "50"),
                         self.command("replay", "print", path, "50"))
        # A copy of everything with additional states, from which seeks start.
        quick = self.path("quick.lsr")
        out, _ = self.command("replay", "cut", path, "--keyframes", "25", "-o", quick)
        self.assertIn(" keyframes=5 ", out)
        self.assertEqual(self.verified_ticks(quick), TICKS)
        self.assertEqual(self.export(quick)[1:-1], whole[1:-1])
        out, _ = self.command("replay", "seek", quick, "110")
        self.assertIn(f"tick=110 root={whole[111]['root']} ", out)
        self.assertIn(" simulated_ticks=10 keyframes=2\n", out)
        self.refuse("replay", "cut", path, "-o", new, code=USAGE, says=(new, "already"))
        self.refuse("replay", "cut", path, "--from", "900", "-o", self.path("x"), code=USAGE,
                    says=(path, f"0 to {TICKS}"))
        self.refuse("replay", "cut", path, "--to", str(TICKS + 1), "-o", self.path("x"), code=USAGE,
                    says=(path, f"0 to {TICKS}"))
        self.refuse("replay", "cut", new, "--from", "39", "-o", self.path("x"), code=USAGE,
                    says=(new, "40 to 90"))
        self.assertFalse(os.path.exists(self.path("x")))
        self.refuse("replay", "cut", path, "-o", self.path("no", "x"), code=MACHINE,
                    says=(self.path("no"),))
        self.command("replay", "cut", path, code=USAGE)
        self.refuse("replay", "cut", self.wrong_root(path, 50), "--from", "60", "-o",
                    self.path("x"), code=DIVERGED, says=("before tick 50",))
        self.assertFalse(os.path.exists(self.path("x")))

    def test_rerun(self):
        path = self.make("a.lsr", "--keyframe-ticks", "30", "--column-ticks", "20")
        whole, new = self.export(path), self.path("new.lsr")
        out, err = self.command("replay", "rerun", path, "-o", new)
        self.assertEqual((out, err), (f"rerun {new} ticks={TICKS} first_tick=0 last_tick={TICKS} "
                                      f"keyframes={record_types(path).count(KEYFRAME)} bytes={os.path.getsize(new)}\n", ""))
        self.assertEqual(self.export(new)[1:-1], whole[1:-1])
        old, own = (self.lines("info", "--json", file)[0] for file in (path, new))
        for key in ("fingerprint", "version", "match", "last_tick", "roots", "inputs", "is_closed"):
            self.assertEqual(own[key], old[key])
        self.assertIsNone(own["server_key"])
        self.assertEqual([record_types(new).count(kind) for kind in (KEYFRAME, COLUMNS)],
                         [record_types(path).count(kind) for kind in (KEYFRAME, COLUMNS)])
        out, _ = self.command("verify", new)
        self.assertIn(f"signed by no server, {TICKS} ticks unsigned: this is a cut or a rerun of a "
                      "recording, which no server signs\n", out)
        # Rerun on threads and with additional states, then rerun of a cut.
        other = self.path("other.lsr")
        out, _ = self.command("replay", "rerun", path, "--threads", "2", "--share-from", "1",
                              "--keyframes", "50", "-o", other)
        self.assertIn(" keyframes=3 ", out)
        self.command("replay", "diff", path, other, "100")
        part, again = self.path("part.lsr"), self.path("again.lsr")
        self.command("replay", "cut", path, "--from", "40", "--to", "90", "-o", part)
        out, _ = self.command("replay", "rerun", part, "-o", again)
        self.assertIn(f"rerun {again} ticks=50 first_tick=40 last_tick=90 keyframes=1 ", out)
        self.assertEqual(self.export(again)[1:-2], whole[41:91])
        self.assertEqual(self.verified_ticks(again), 50)

        self.refuse("replay", "rerun", path, "-o", new, code=USAGE, says=(new, "already"))
        self.refuse("replay", "rerun", path, "-o", self.path("no", "x"), code=MACHINE,
                    says=(self.path("no"),))
        self.refuse("replay", "rerun", path, "--sim", "toyphys", "-o", self.path("x"),
                    code=INCOMPATIBLE, says=("toyphys",))
        for wrong in ((path,), ("-o", self.path("x"))):
            self.command("replay", "rerun", *wrong, code=USAGE)
        self.assertFalse(os.path.exists(self.path("x")))
        self.assertIn("Exit codes", self.command("replay", "rerun", "--help")[0])

    def test_rerun_that_leaves_the_file_goes_on(self):
        """Does what a user with another build would do; the new and the old recording then show the cause."""
        good, late = (os.path.join(TINY, f"faulty_{name}.so") for name in ("none", "late"))
        path, new = self.make("a.lsr", sim=good), self.path("new.lsr")
        race = ("--sim", os.path.join(TINY, "faulty_race.so"))
        self.refuse("replay", "rerun", path, *race, "-o", new, code=INCOMPATIBLE,
                    says=("use the build that recorded it",))
        self.assertFalse(os.path.exists(new))
        self.command("replay", "rerun", path, *race, "--any-build", "-o", self.path("race.lsr"),
                     code=DIVERGED)
        self.command("verify", self.path("race.lsr"), *race)
        out, err = self.command("replay", "rerun", path, "--sim", late, "-o", new, code=DIVERGED)
        self.assertIn(f"rerun {new} ticks={TICKS} ", out)
        roots = [{line["tick"]: line["root"] for line in self.lines("export", file)
                  if line["type"] == "tick"} for file in (path, new)]
        self.assertIn(f"lockstep replay rerun: {path}: this run differs in tick 30: expected "
                      f"root {roots[0]['31']}, found {roots[1]['31']}; `lockstep bisect "
                      f"{path} {new}` finds the cause\n", err)
        self.assertEqual(err.count("this run differs"), 1)
        self.assertEqual(len(roots[1]), TICKS + 1)
        out, _ = self.command("verify", new, "--sim", late)
        self.assertIn(f"verified ticks={TICKS} ", out)
        out, _ = self.command("bisect", path, new, "--sim", good, "--other", late, code=DIVERGED)
        for line in ("tick 30\n", "count, stage main\n", "component  Score\n", "count at "):
            self.assertIn(line, out)
        # Rerun computes the first state itself, whatever states the file holds.
        start = self.wrong_root(path, 0)
        _, err = self.command("replay", "rerun", start, "--sim", good, "-o", self.path("start.lsr"),
                              code=DIVERGED)
        self.assertIn("this run differs before the first tick: ", err)
        # Rerun of a truncated file uses the readable part.
        torn = self.write("torn.lsr", self.read(path)[:2000])
        out, _ = self.command("replay", "rerun", torn, "--sim", good, "-o", self.path("end.lsr"))
        self.assertIn(" first_tick=0 ", out)
        self.assertIn("(cut)", self.lines("info", "--json", self.path("end.lsr"))[0]["end"])

    def on_terminal(self, *arguments):
        """What the action writes to stderr when that is a terminal."""
        ours, theirs = pty.openpty()
        subprocess.run([BINARY, "replay", *arguments], stdout=subprocess.DEVNULL, stderr=theirs, check=True,
                       timeout=TIMEOUT_S)
        os.close(theirs)
        shown = os.read(ours, 1 << 16)
        os.close(ours)
        return shown

    @unittest.skipIf(is_sanitized(), "the sanitizer has to come before a preloaded library")
    def test_repair_shows_a_bar_on_a_terminal(self):
        """Each call for a new file takes longer than a second, so its ticks are written later than that."""
        path = self.make_exact(8, 400)
        broken, _ = self.damage_behind_a_full_keyframe(path, "broken.lsr")
        slow = {"LD_PRELOAD": SHIM, "SLOW_DISK": f"1100 repaired {self.write('slow', b'')}"}
        with unittest.mock.patch.dict(os.environ, slow):
            shown = self.on_terminal("repair", broken)
        self.assertRegex(shown, rb"\[[#.]{30}\] +\d+ %, \d+\.\d of \d+\.\d MB, \d+\.\d MB/s")
        self.assertTrue(shown.endswith(b"\r\x1b[K"), shown)

    @unittest.skipIf(is_sanitized(), "the sanitizer has to come before a preloaded library")
    def test_rerun_shows_a_bar_on_a_terminal(self):
        path = self.make("a.lsr")
        slow = {"LD_PRELOAD": SHIM, "SLOW_DISK": f"1100 rerun {self.write('slow', b'')}"}
        with unittest.mock.patch.dict(os.environ, slow):
            shown = self.on_terminal("rerun", path, "-o", self.path("rerun.lsr"))
        self.assertRegex(shown, rb"\[[#.]{30}\] +\d+ %, tick \d+ of \d+, \d+ ticks/s")
        self.assertTrue(shown.endswith(b"\r\x1b[K"), shown)

    def test_damaged_files_are_shown_up_to_the_damage(self):
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
