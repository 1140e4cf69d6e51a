"""Builds the site of web/ for the tests of this folder, or ends them with exit code 77."""
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SITE = ROOT / "build" / "web" / "site"
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
    run("web/build", timeout=timeout)
