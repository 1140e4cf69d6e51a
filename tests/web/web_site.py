"""Builds the site of web/ for the tests of this folder, or ends them with exit code 77."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SITE = ROOT / "build" / "web" / "site"
sys.path.insert(0, str(ROOT / "tests/determinism"))
import machines  # pylint: disable=wrong-import-position

EXAMPLE = "walkers"
# wasm-opt takes most of the time of a build.
IS_QUICK = not os.environ.get("LOCKSTEP_LONG")
os.environ["LOCKSTEP_WEB_QUICK"] = "ON" if IS_QUICK else "OFF"
PLAYWRIGHT = ROOT / "build" / "playwright" / "node_modules" / "playwright-core"


def run(*command, timeout=1200):
    return subprocess.run(command, cwd=ROOT, text=True, check=True, stdout=subprocess.PIPE, timeout=timeout).stdout


def skip(why):
    print("skipped:", why)
    sys.exit(77)


def build(needs_browser, timeout=1200):
    programs = ["node", "clang-14", "wasm-ld-14"] + ["chromium"] * needs_browser
    missing = [name for name in programs if not shutil.which(name)]
    if missing or not pathlib.Path("/usr/lib/wasm32-wasi/libc.a").exists():
        skip("not installed: " + ", ".join(missing or ["wasi-libc"]))
    if needs_browser and not PLAYWRIGHT.exists():
        skip("there is no playwright-core; scripts/fetch-playwright build/playwright fetches it")
    if subprocess.run(["scripts/matrix-sources", "build/matrix/sources"], cwd=ROOT, check=False).returncode != 0:
        skip("no sources of zstd and libsodium")
    run("web/build", "--with", f"examples/{EXAMPLE}", timeout=timeout)


def find_foreign():
    """The name and the command of a program that ./matrix has built of these sources for another machine, which this one
    emulates; None: there is none."""
    os.environ.setdefault("WINEPREFIX", str(machines.OUT / "wine"))
    for target in machines.TARGETS:
        if target.runner and target.has("cli/lockstep") and shutil.which(target.runner[0]):
            command = [*target.runner, str(ROOT / target.program("cli/lockstep")[-1])]
            # Not to a pipe: services of Wine would inherit it, and its end would wait for theirs.
            fits = subprocess.run([*command, "verify", "replays/golden/skirmish.lsr"], cwd=ROOT, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL, check=False)
            if fits.returncode == 0:
                return target.name, command
    return None


def record(lockstep, folder, sim, *options, join=()):
    """Two bots play a match, with more options of `join`; gives its recording."""
    with subprocess.Popen([lockstep, "serve", "--sim", sim, "--bind", "127.0.0.1", "--port", "0", "--temporary-identity", "--record", folder,
                           "--players", "2", "--wait", "2", *options], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        while not (line := server.stdout.readline()).startswith("listening "):
            assert line, "the server ended"
        run(lockstep, "join", line.split()[1], "--sim", sim, "--bots", "2", *join)
        server.communicate()
    recording, = pathlib.Path(folder).glob("*.lsr")
    return recording


def play(test, recordings, modules):
    """Plays recordings in node, with the modules of a folder."""
    recordings = [str(path) for path in recordings]
    with tempfile.TemporaryDirectory() as folder:
        engine = shutil.copy(SITE / "engine.js", pathlib.Path(folder, "engine.mjs"))
        out = run("node", str(ROOT / "tests/web/engine_test.mjs"), str(modules), str(engine), *recordings)
    results = [json.loads(line) for line in out.splitlines()]
    test.assertEqual(results.pop(), {"bad_bytes": "refused"})
    test.assertEqual([result["path"] for result in results], recordings)
    for result in results:
        test.assertTrue(result["isDone"] and result["end"] == "clean")
        test.assertEqual(result["roots"], result["ticks"] + 1)
        test.assertEqual(result["signedTick"], result["tick"])


def serve(test, lockstep, log, *options, sim="skirmish"):
    """Starts a server of a simulation for players of the page. Gives its process, its address for clients over UDP, and that
    of its page."""
    server = subprocess.Popen(
        [lockstep, "serve", "--sim", sim, "--bind", "127.0.0.1", "--port", "0", "--http", "127.0.0.1:0", "--web", "--log", log,
         *(("--units", "400") if sim == "skirmish" else ()), *options], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    test.addCleanup(server.stdout.close)
    test.addCleanup(server.wait)
    test.addCleanup(server.terminate)
    while not (line := server.stdout.readline()).startswith("listening "):
        test.assertTrue(line, "the server ended")
    while not (page := re.search(rf'play url="(http://[^/]+/)play\.html#sim={sim}"', log.read_text(encoding="utf-8"))):
        test.assertIsNone(server.poll(), "the server ended")
        time.sleep(0.05)
    return server, line.split()[1], page.group(1)
