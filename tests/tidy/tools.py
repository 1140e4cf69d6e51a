"""The rules that need a compiler, a formatter or `nm`. Each yields `place: finding`."""
import functools
import os
import re
import shutil
import subprocess

from rules import BANNED_EVERYWHERE_BELOW, CLOCK_DOORS, circles_of


def _run(command, root):
    return subprocess.run(command, cwd=root, text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def headers_alone(root, files, compiler):
    headers = [source.path for source in files
               if source.path.endswith(".h") and source.folder not in ("tests", "benches", "examples")]
    if not headers:
        return
    command = [compiler, "-std=c17", "-D_GNU_SOURCE", "-fsyntax-only", "-I.", "-Iinclude", "-x", "c"]
    if _run([*command, *headers], root).returncode == 0:
        return
    # Only after a failure: calling the compiler for each header is slow.
    for header in headers:
        result = _run([*command, header], root)
        if result.returncode != 0:
            reason = next((line for line in result.stdout.splitlines() if "error" in line), "")
            yield f"{header}: does not compile alone: {reason}"


def formatted(root, files):
    formatter = shutil.which("clang-format-14") or shutil.which("clang-format")
    if formatter is None:
        yield "clang-format: not installed"
        return
    paths = [source.path for source in files]
    halves = [half for half in (paths[::2], paths[1::2]) if half]
    running = [subprocess.Popen([formatter, "--dry-run", "-Werror", "--ferror-limit=1", *half],
                                cwd=root, text=True, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT) for half in halves]
    for process in running:
        output, _ = process.communicate()
        for place in re.findall(r"^([^:\n]+:\d+):\d+: error:", output, re.MULTILINE):
            yield f"{place}: not as clang-format writes it"


def _symbols(library, dynamic=False):
    """(archive member, kind, name) of each symbol."""
    command = ["nm", "--dynamic", library] if dynamic else ["nm", library]
    result = subprocess.run(command, text=True, check=True, stdout=subprocess.PIPE,
                            stderr=subprocess.DEVNULL)
    member = ""
    for line in result.stdout.splitlines():
        words = line.split()
        if line.endswith(":"):
            member = line.removesuffix(":").removesuffix(".o")
        elif len(words) >= 2:
            yield member, words[-2], words[-1].split("@")[0]


def call_circles(libraries):
    """Finds sources that call each other in a circle: they cannot be read from the ground up.

    Calls are taken from the object files, so a header that many sources share is no circle.
    """
    home = {}
    used = {}
    for library in libraries:
        folder = os.path.basename(library).removeprefix("libls_").removesuffix(".a")
        for member, kind, name in _symbols(library):
            place = f"{folder}/{member}"
            if kind == "U":
                used.setdefault(place, set()).add(name)
            elif kind in "TDRB":
                home[name] = place
    graph = {place: {home[name] for name in names if name in home} - {place}
             for place, names in used.items()}
    yield from circles_of(graph, "circle of sources")


@functools.cache
def libm_names(compiler):
    """The functions that this machine's libm exports."""
    path = subprocess.run([compiler, "-print-file-name=libm.so.6"], text=True, check=True,
                          stdout=subprocess.PIPE).stdout.strip()
    if not os.path.isabs(path):
        return set()
    return {name for _, kind, name in _symbols(path, dynamic=True) if kind in "TWi"}


def foreign_symbols(libraries, compiler):
    banned = libm_names(compiler) | set(BANNED_EVERYWHERE_BELOW)
    for library in libraries:
        folder = os.path.basename(library).removeprefix("libls_").removesuffix(".a")
        for member, kind, name in _symbols(library):
            if any(door.startswith(f"{folder}/") and door.endswith(f"/{member}")
                   for door in CLOCK_DOORS.get(name, ())):
                continue
            # Variants with `__isoc99_`, `__` or `_chk` are the same function under another name.
            plain = re.sub(r"^__(?:isoc\d+_)?|_chk$", "", name)
            if kind == "U" and (name in banned or plain in banned):
                yield f"{os.path.basename(library)}: uses {name}, whose result differs by machine"
