#!/usr/bin/env python3
"""bindings/python: every struct and function of the interface, a player and a spectator in a match, recordings that
verify, diverge and are damaged, and cells as rows."""
import glob
import json
import os
import re
import shutil
import sys
import tempfile
import unittest

from support import BINARY, CPP_BUILT, OPTIONS, ROOT, join_bots, main, run, serve, wrong_libraries, wrong_modules

WALKERS, HARVEST = os.path.join(CPP_BUILT, "walkers_cpp.so"), os.path.join(CPP_BUILT, "harvest_cpp.so")
WORK = tempfile.mkdtemp(prefix="lockstep-python-")
unittest.addModuleCleanup(shutil.rmtree, WORK)
os.environ["LOCKSTEP_LIBRARY"] = os.path.join(OPTIONS.build, "liblockstep.so")
# The package as pip would install it.
shutil.copytree(os.path.join(ROOT, "bindings", "python", "lockstep"), os.path.join(WORK, "lockstep"))
shutil.copy(os.path.join(OPTIONS.build, "lockstep-api.json"), os.path.join(WORK, "lockstep", "api.json"))
sys.path.insert(0, WORK)
import lockstep # pylint: disable=wrong-import-position,wrong-import-order
import lockstep.api # pylint: disable=wrong-import-position,wrong-import-order


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(dir=WORK)

    def simulation(self, path=WALKERS):
        made = lockstep.Simulation(path)
        self.addCleanup(made.close)
        return made

    def fails(self, status, function, *arguments):
        with self.assertRaises(lockstep.Error) as caught:
            function(*arguments)
        self.assertEqual(caught.exception.status, status, caught.exception)
        return str(caught.exception)


class Interface(Case):
    def test_every_struct_and_function_has_a_form_in_ctypes(self):
        api = lockstep.api.get()
        for one in api.description["structs"]:
            api.struct(one["name"]) # compares size and offsets
        names = api.function_names()
        self.assertGreater(len(names), 300)
        for name in names:
            self.assertEqual(len(getattr(api, name).argtypes), len(
                next(one for one in api.description["functions"] if one["name"] == name)["parameters"]))

    def test_a_wrong_layout_or_version_is_refused(self):
        path = os.path.join(self.folder, "api.json")
        def planted(change):
            description = json.loads(json.dumps(lockstep.api.get().description))
            change(description)
            with open(path, "w", encoding="utf-8") as file:
                json.dump(description, file)
            return lockstep.api.Api(description=path)
        def swap(description):
            members, = [one["members"] for one in description["structs"] if one["name"] == "ls_match"]
            members[1]["type"] = "uint64_t"
        with self.assertRaisesRegex(TypeError, "struct ls_match has another layout in ctypes .* make api.json from "):
            planted(swap).struct("ls_match")
        with self.assertRaisesRegex(OSError, "LS_ABI"):
            planted(lambda description: description.update(abi=description["abi"] + 1))
        with self.assertRaisesRegex(OSError, "format 2"):
            planted(lambda description: description.update(format=2))
        with self.assertRaisesRegex(OSError, "made for s390x, and this is .* with 64 bits; build Lockstep here"):
            planted(lambda description: description.update(target="s390x-linux-gnu"))

    def test_a_library_that_does_not_fit(self):
        for path, _, says in wrong_libraries(self.folder, lockstep.api.get().description["abi"]):
            with self.assertRaisesRegex(OSError, says):
                lockstep.api.Api(library=path)

    def test_a_module_that_does_not_fit(self):
        for path, status, says in wrong_modules(self.folder):
            self.assertRegex(self.fails(status, lockstep.Simulation, path), says)


class Matches(Case):
    def serve(self, *options):
        return serve(self, WALKERS, "--record", self.folder, *options)

    def session(self, simulation, address, **options):
        made = lockstep.Session(simulation, address, **options)
        self.addCleanup(made.close)
        return made

    def test_the_bot_plays_beside_others_and_its_recording_verifies(self):
        server, address = self.serve("--wait", "3", "--ticks", "150", "--tick-rate", "20")
        bots = join_bots(self, address, WALKERS, os.path.join(self.folder, "known"))
        walkers = self.simulation()
        session = self.session(walkers, address, name="snake", predict_ticks=4)
        self.assertEqual(session.run(240, session.bot), "ended", session.reason)
        stats = session.stats
        self.assertFalse(stats.has_diverged)
        self.assertGreater(stats.inputs_acked, 0)
        self.assertGreater(stats.states_submitted, 20)
        self.assertEqual(stats.tick, 150)
        self.assertEqual(bots.wait(timeout=240), 0)
        said = server.communicate(timeout=240)[0]
        root = re.search(r"ended tick=150 root=([0-9a-f]{16}) desyncs=0", said).group(1)
        recording, = glob.glob(os.path.join(self.folder, "*.lsr"))
        self.assertEqual(lockstep.verify(walkers, recording), (150, int(root, 16)))
        self.look(walkers, recording)
        self.refuse(walkers, recording)

    def look(self, walkers, recording):
        """The rows are what `lockstep replay print` prints."""
        with lockstep.Replay(walkers, recording) as replay:
            world = replay.seek(100)
            self.assertEqual((world.tick, world.root), (100, replay.recorded_root(100)))
            printed = run(BINARY, "replay", "print", recording, "100", "--sim", WALKERS, "--component", "place")
            rows = world.rows("place")
            shown = re.findall(r'"x": (-?[\d.]+), "y": (-?[\d.]+)', printed)
            self.assertGreaterEqual(len(rows), 8)
            self.assertEqual(len(shown), len(rows), printed)
            for row, (x, y) in zip(rows, shown):
                self.assertAlmostEqual(row["x"], float(x), places=3)
                self.assertAlmostEqual(row["y"], float(y), places=3)
            both = world.rows("place", "walker")
            self.assertEqual([row["walker.player"] for row in both], list(range(8)))
            self.assertEqual([row["walker.is_here"] for row in both], [True] * 3 + [False] * 5)
            self.assertTrue({row["entity"] for row in both} < {row["entity"] for row in rows})

    def refuse(self, walkers, recording):
        with open(recording, "rb") as file:
            data = bytearray(file.read())
        data[len(data) // 2] ^= 1
        damaged = os.path.join(self.folder, "damaged")
        with open(damaged, "wb") as file:
            file.write(data)
        self.assertIn("damaged", self.fails("LS_ERROR_CORRUPT", lockstep.verify, walkers, damaged))
        self.fails("LS_ERROR_NOT_FOUND", lockstep.verify, walkers, "/nonexistent.lsr")
        self.fails("LS_ERROR_INCOMPATIBLE", lockstep.verify, self.simulation(HARVEST), recording)
        source = os.path.join(self.folder, "slower.cpp")
        with open(os.path.join(ROOT, "examples", "cpp", "walkers.cpp"), encoding="utf-8") as file:
            text = file.read()
        with open(source, "w", encoding="utf-8") as file:
            file.write(text.replace("speed = LS_FIX(0.2)", "speed = LS_FIX(0.19)"))
        slower = os.path.join(self.folder, "slower.so")
        run("g++", "-std=c++17", "-O1", "-shared", "-fPIC", f"-I{ROOT}/include", f"-I{ROOT}/examples/cpp", source,
            "-o", slower)
        self.fails("LS_ERROR_DIVERGED", lockstep.verify, self.simulation(slower), recording, True)

    def test_a_script_plays_and_a_spectator_sees_it(self):
        server, address = self.serve("--wait", "1", "--tick-rate", "60")
        walkers = self.simulation()
        player = self.session(walkers, address)
        watcher = self.session(walkers, address, is_spectator=True)
        right = bytes((127, 0, 0, 0))
        def script(world, seat):
            row, = [row for row in world.rows("walker") if row["player"] == seat]
            return right, [b"\1"] if row["reload"] == 0 else []
        seen, shots, speed = set(), 0, 0
        for _ in range(600):
            player.run(0.1, script)
            watcher.update()
            if watcher.confirmed and watcher.confirmed.tick > 30:
                seen.add(watcher.confirmed.tick)
                shots = max(shots, len(watcher.confirmed.rows("shot")))
                speed = max(row["dx"] for row in watcher.confirmed.rows("walker"))
            if len(seen) > 10 and shots and speed > 0.19:
                break
        self.assertEqual((player.state, watcher.state), ("playing", "playing"), (player.reason, watcher.reason))
        self.assertGreater(shots, 0)
        self.assertAlmostEqual(speed, 0.2, places=3)
        self.assertGreater(player.stats.inputs_acked, 0)
        self.assertFalse(watcher.submit(b"\1")) # it has no seat
        with self.assertRaises(ValueError):
            player.submit_state(b"\0")
        with self.assertRaises(ValueError):
            player.submit(b"")
        player.close()
        player.close()
        self.assertIsNone(server.poll())

    def test_who_does_not_belong_is_refused(self):
        _, address = self.serve("--wait", "1")
        stranger = self.session(self.simulation(HARVEST), address)
        self.assertEqual(stranger.run(60), "refused")
        self.assertIn("walkers", stranger.reason)
        key = address.split("#")[1]
        other = address.replace(key, ("B" if key[0] != "B" else "C") + key[1:])
        self.assertEqual(self.session(self.simulation(), other).run(60), "refused")
        self.fails("LS_ERROR_USAGE", lockstep.Session, self.simulation(), "127.0.0.1:1:2#x")
        self.fails("LS_ERROR_USAGE", lambda: lockstep.Session(self.simulation(), address, predict_ticks=999))


if __name__ == "__main__":
    main()
