#!/usr/bin/env python3
"""The viewer (docs/web.md) in headless Chromium: golden recordings give the roots of `lockstep replay`, bad files one sentence.

    test_web_viewer.py LOCKSTEP RE_RECORD WALKERS.so

Exit code 77: the modules cannot be built, or Chromium, node or playwright-core are missing.
"""
import functools
import http.server
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest

import web_site
from web_site import PLAYWRIGHT, ROOT, SITE, run

GOLDEN = ROOT / "replays" / "golden"
TICKS = (0, 120, 300, 301, 600)
LOCKSTEP = pathlib.Path(sys.argv.pop(1)).resolve()
RE_RECORD = pathlib.Path(sys.argv.pop(1)).resolve()
WALKERS = pathlib.Path(sys.argv.pop(1)).resolve()
NEVER = "1000000000"


def root_at(path, tick):
    words = dict(word.split("=", 1) for word in run(LOCKSTEP, "replay", "seek", path, str(tick)).split())
    return words["root"]


def describe(path):
    info = dict(line.split(None, 1) for line in run(LOCKSTEP, "replay", "info", path).splitlines() if " " in line)
    return {"path": str(path), "last": TICKS[-1], "key": info["server"].split()[-1],
            "roots": {tick: root_at(path, tick) for tick in TICKS}}


def system_names(simulation):
    graph = json.loads(run(LOCKSTEP, "schedule", "graph", "--sim", simulation, "--format", "json"))
    return [system["name"] for system in graph["systems"]]


def play(folder, server_options, *players):
    """A match of skirmish for two clients, each with options of `join`; gives the folder of its recordings."""
    pathlib.Path(folder).mkdir()
    common = ("--sim", "skirmish", "--bind", "127.0.0.1", "--port", "0", "--identity", f"{folder}/identity", "--record", f"{folder}/records")
    with subprocess.Popen([LOCKSTEP, "serve", *common, "--units", "200", "--players", "2", "--wait", "2", "--tick-rate", "30",
                           *server_options], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        while not (line := server.stdout.readline()).startswith("listening "):
            assert line, "the server ended"
        clients = [subprocess.Popen([LOCKSTEP, "join", line.split()[1], "--sim", "skirmish", *options], stdout=subprocess.DEVNULL,
                                    stderr=subprocess.DEVNULL, cwd=folder) for options in players]
        for _ in server.stdout:
            pass
        for client in clients:
            client.wait(timeout=600)
    return pathlib.Path(folder, "records")


def make_bundle(folder):
    """The evidence of a match in which one client's world is changed at tick 100."""
    records = play(f"{folder}/desync", ("--ticks", "240", "--desync", "report"), ("--bots", "1"), ("--corrupt-at", "100"))
    bundle, = records.glob("*.desync-*")
    return str(bundle)


def diff(*words):
    said = subprocess.run([LOCKSTEP, "replay", "diff", *words, "--json", "--lines", "100000"], text=True, check=False,
                          stdout=subprocess.PIPE, timeout=600).stdout
    return [json.loads(line) for line in said.splitlines()]


def make_pair(folder):
    """A golden match, the same without an order, and what `lockstep replay diff` says of them."""
    left, right, less, wrong, short = GOLDEN / "skirmish.lsr", *(f"{folder}/{name}.lsr" for name in ("right", "less", "wrong", "short"))
    orders = [json.loads(line) for line in run(LOCKSTEP, "replay", "export", left).splitlines()]
    without = [line["tick"] for line in orders if any(each["kind"] == "order" for each in line.get("inputs", []))][1]
    run(RE_RECORD, left, less, "0", NEVER, without)
    subprocess.run([LOCKSTEP, "replay", "rerun", "-o", right, less], check=False, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL, timeout=600)
    run(RE_RECORD, left, wrong, "0", "330")
    run(LOCKSTEP, "replay", "cut", "--to", "300", "-o", short, left)
    cells = [cell for cell in diff(left, right) if cell["kind"] != "inputs"]
    fields = [[f"{cell['component']}.{cell['field']} of {cell['entity']}", cell["a"], cell["b"]] for cell in cells if cell.get("entity")]
    lives = [cell for cell in diff(left, right, str(TICKS[-1])) if cell["kind"] == "life"]
    lonely = next(cell["entity"] for cell in lives if cell["a"].startswith("free"))
    twofold = next(cell["entity"] for cell in lives if cell["a"].startswith("alive") and cell["b"].startswith("alive"))
    return {"left": str(left), "right": right, "wrong": wrong, "short": short, "first": int(cells[0]["tick"]), "count": len(cells),
            "fields": fields, "lonely": lonely, "twofold": twofold}


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format, *arguments):  # pylint: disable=redefined-builtin
        pass


class Viewer(unittest.TestCase):
    def setUp(self):
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=SITE))
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)

    def watch(self, path):
        """The URL of `watch --web`; None where this build has no HTTP."""
        process = subprocess.Popen([LOCKSTEP, "watch", "--web", "--site", SITE, "--from", "240", path], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.communicate)
        self.addCleanup(process.terminate)
        if url := process.stdout.readline().strip():
            return url
        said = process.communicate()[1]
        self.assertIn("this build has no HTTP", said)
        print("watch --web is left out:", said, end="")
        return None

    def write_files(self, folder):
        good = (GOLDEN / "skirmish.lsr").read_bytes()
        bad = {"empty": (b"", "^This file(’s)? "), "text": (b"I am a letter and no recording. " * 9, "is not a Lockstep recording"),
               "short": (good[:30], "^This file(’s)? "), "header": (good[:20] + bytes([good[20] ^ 0x55]) + good[21:], "^This file(’s)? ")}
        refused = []
        for name, (data, pattern) in bad.items():
            pathlib.Path(folder, name).write_bytes(data)
            refused.append({"path": f"{folder}/{name}", "pattern": pattern})
        with open(f"{folder}/enormous", "wb") as file:
            file.truncate((1 << 30) + 1)
        refused.append({"path": f"{folder}/enormous", "pattern": "larger than 1 GiB"})
        pathlib.Path(folder, "torn").write_bytes(good[:len(good) * 7 // 10])
        pathlib.Path(folder, "damaged").write_bytes(good[:len(good) // 2] + bytes([good[len(good) // 2] ^ 1]) + good[len(good) // 2 + 1:])
        pair, watched = make_pair(folder), pathlib.Path(folder, "watched")
        watched.mkdir()
        for path in (*GOLDEN.glob("*.lsr"), pathlib.Path(pair["short"])):
            shutil.copy(path, watched)
        expected = {"chromium": shutil.which("chromium"), "site": str(SITE), "refused": refused, "torn": {"path": f"{folder}/torn"}, "damaged": {"path": f"{folder}/damaged"},
                    "bundle": make_bundle(folder), "colony": str(web_site.record(LOCKSTEP, f"{folder}/colony", "colony", "--seed", "1", "--ticks", "500",
                                                                                 "--tick-rate", "240")),
                    "walkers": str(web_site.record(LOCKSTEP, f"{folder}/walkers", WALKERS, "--ticks", "240", "--tick-rate", "240")),
                    "pair": pair, "systems": system_names("skirmish"),
                    "watched": [self.watch(path) for path in (GOLDEN / "skirmish.lsr", watched)],
                    "recordings": [describe(path) for path in sorted(GOLDEN.glob("*.lsr"))]}
        pathlib.Path(folder, "expected.json").write_text(json.dumps(expected), encoding="utf-8")

    def test_viewer(self):
        with tempfile.TemporaryDirectory() as folder:
            self.write_files(folder)
            address = f"http://127.0.0.1:{self.server.server_address[1]}/"
            said = run("node", str(ROOT / "tests/web/viewer_test.mjs"), str(PLAYWRIGHT), address, folder)
        print(said, end="")

    def test_sounds(self):
        with tempfile.TemporaryDirectory() as folder:
            # Ticks wait for the states of both, or a busy machine shoots less.
            walkers = web_site.record(LOCKSTEP, folder, WALKERS, "--ticks", "240", "--tick-rate", "240", "--policy", "wait")
            address = f"http://127.0.0.1:{self.server.server_address[1]}/"
            said = run("node", str(ROOT / "tests/web/sound_test.mjs"), str(PLAYWRIGHT), shutil.which("chromium"), address, str(walkers))
        print(said, end="")


web_site.build(needs_browser=True)
unittest.main()
