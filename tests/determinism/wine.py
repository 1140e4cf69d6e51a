"""Runs lockstep.exe under Wine and the program of this machine in one folder, for windows.py and its parts."""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
START_S, PATIENCE_S = 60, 240
BEGINNINGS = 4
COMPILER = "x86_64-w64-mingw32-gcc"
ABI = re.search(r"(?m)^#define LS_ABI (\d+)", (ROOT / "include/lockstep/base.h").read_text(encoding="utf-8"))[1]
LIBRARY = f"lockstep-{ABI}.dll"
# Those of docs/determinism.md, and of the zip's README.txt.
FLAGS = ("-std=c17", "-O2", "-ffp-contract=off", "-fno-math-errno", "-fexcess-precision=fast",
         "-Werror=implicit-function-declaration")
WINE = shutil.which("wine64") or shutil.which("wine")
WINESERVER = shutil.which("wineserver") or "wineserver"
DIVERGED, USAGE, INCOMPATIBLE, CORRUPT, MACHINE, REFUSED, CRASHED = 1, 2, 3, 4, 5, 6, 7
# What the system of MODULE adds to each of 100 entities in a tick.
ADDS = {
    "good": "1",
    "other": "(self[i].at > (60 << 16) ? 2 : 1)",
    "crash": "(*(volatile int *)0)",
    "hang": "({ for (volatile int on = 1; on;) {} 1; })",
    # A variable that no snapshot holds: what the first 60 ticks of a process compute, its later ones do not.
    "hidden": "({ static int calls; calls++ < 6000 ? 1 : 2; })",
}
MODULE = """
#include <lockstep/lockstep.h>
LS_COMPONENT(body, FIX(at));
LS_COMPONENTS(components, body);
LS_TERMS(starting, OTHERS_STRUCTURE(body));
LS_TERMS(drifting, WRITES(body));
static void start(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, starting);
    (void)entities;
    for (int i = 0; i < 100; i++)
        LS_ATTACH(context, body, ls_spawn(context, 0), .at = ls_fix_from_int(i));
}
static void drift(ls_context *context, const ls_span *span)
{
    LS_USES(context, drifting);
    body *self = LS_WRITE_SPAN(context, body, span);
    for (uint32_t i = 0; i < span->count; i++)
        self[i].at += ADDS;
}
static const ls_system setup = {.name = "start", .mode = LS_SEQUENTIAL, .match = start, .lanes = "world",
                                .terms = starting};
static const ls_system systems[] = {{.name = "drift", .mode = LS_CONCURRENT, .span = drift,
                                     .terms = drifting}};
static const ls_sim sim = {.abi = ABI, .name = "drift", .version = "1", .source_hash = LS_SIM_SOURCE_HASH,
                           .tick_rate = 20, .player_count = 2, .components = components, .component_count = 1,
                           .systems = systems, .system_count = 1, .setup = &setup};
LS_SIM_EXPORT const ls_sim *ls_sim_export(void) { return &sim; }
"""


class Failure(Exception):
    pass


class Skipped(Exception):
    pass


class Wine:
    """A folder for files, and both programs in it."""

    def __init__(self, options: argparse.Namespace):
        self.options = options
        self.folder = pathlib.Path(options.folder).resolve()
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        # Never that of the user, whose saved keys a step would delete.
        self.prefix = pathlib.Path(options.prefix or f"{self.folder}-wine").resolve()
        # Wine ends a process with code 1 when its stack overflows, or a handler fails, and says why only in these channels.
        self.environment = dict(os.environ, WINEDEBUG="-all,err+virtual,err+seh,err+server", WINEPREFIX=str(self.prefix),
                                XDG_CONFIG_HOME=str(self.folder / "linux"))
        self.windows = [WINE, str(pathlib.Path(options.exe).resolve())]
        self.source_hash = ""  # of the last module
        self.linux = [str(pathlib.Path(options.linux).resolve())]
        self.keeper: subprocess.Popen | None = None

    def keep_running(self) -> None:
        """Wine's server and services end 3 s after the last program. A program that starts them seems to end only
        then, because they have its output; so they start with one that waits."""
        self.keeper = subprocess.Popen([WINE, "cmd"], cwd=self.folder, env=self.environment, stdin=subprocess.PIPE,
                                       stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.keeper.stdout.readline()  # all have started

    def let_end(self) -> None:
        """Wine's cmd does not always end with its input, and then Wine as a whole is ended."""
        if self.keeper:
            self.keeper.stdin.close()
            try:
                self.keeper.wait(START_S)
            except subprocess.TimeoutExpired:
                print("Wine did not end by itself", flush=True)
                subprocess.run([WINESERVER, "-k"], env=self.environment, timeout=START_S, check=False)
                self.keeper.kill()
                self.keeper.wait()
            self.keeper.stdout.close()
            self.keeper = None

    def execute(self, program: list[str], *words: str) -> subprocess.CompletedProcess[bytes]:
        """Again where Wine itself could not begin, which happens when something else has an address that it needs."""
        for _ in range(BEGINNINGS):
            done = subprocess.run([*program, *words], cwd=self.folder, env=self.environment, capture_output=True,
                                  timeout=PATIENCE_S, check=False)
            if b"virtual_alloc_first_teb" not in done.stderr:
                break
        return done

    def run(self, program: list[str], *words: str, code: int = 0, says: str = "") -> str:
        done = self.execute(program, *words)
        text = (done.stdout + done.stderr).decode("utf-8", errors="replace").replace("\r", "")
        if done.returncode != code or not re.search(says, text):
            raise Failure(f"{' '.join(words)}: code {done.returncode}, wanted {code} and {says!r}:\n{text}")
        return text

    def refuse(self, *words: str, code: int, says: str) -> None:
        """An error of one line."""
        text = self.run(self.windows, *words, code=code, says=says)
        if len(text.splitlines()) != 1:
            raise Failure(f"{' '.join(words)}: not one line:\n{text}")

    def start(self, output: str, program: list[str], *words: str) -> subprocess.Popen:
        """Its output goes to a file of that name."""
        with open(self.folder / output, "wb") as file:
            return subprocess.Popen([*program, *words], cwd=self.folder, env=self.environment, stdout=file,
                                    stderr=subprocess.STDOUT)

    def text_of(self, name: str) -> str:
        return (self.folder / name).read_text(encoding="utf-8", errors="replace").replace("\r", "")

    def wait_line(self, process: subprocess.Popen, name: str, pattern: str) -> re.Match:
        until = time.monotonic() + START_S
        while time.monotonic() < until:
            has_ended = process.poll() is not None
            found = re.search(pattern, self.text_of(name), re.MULTILINE)
            if found:
                return found
            if has_ended:
                break
            time.sleep(0.05)
        process.kill()
        raise Failure(f"no line {pattern!r}, code {process.wait()}:\n{self.text_of(name)}")

    def serve(self, program: list[str], *words: str) -> tuple[subprocess.Popen, str]:
        bind = () if "--bind" in words else ("--bind", "127.0.0.1")
        server = self.start("server.txt", program, "serve", *bind, "--port", "0", "--quiet", *words)
        return server, self.wait_line(server, "server.txt", r"^listening ((?:[\d.]+|\[[\da-f:]+\]):\d+#\S+)")[1]

    def wait_code(self, process: subprocess.Popen, name: str, code: int, says: str) -> str:
        try:
            ended = process.wait(START_S)
        finally:
            process.kill()
            process.wait()
        text = self.text_of(name)
        if ended != code or not re.search(says, text):
            raise Failure(f"{name}: code {ended}, wanted {code} and {says!r}:\n{text}")
        return text

    def compare(self, *words: str) -> None:
        """The same code, and the same first line of errors, on both systems."""
        done = [self.execute(program, *words) for program in (self.linux, self.windows)]
        lines = [(one.returncode, one.stderr.decode("utf-8").replace("\r", "").splitlines()[:1]) for one in done]
        if lines[0] != lines[1] or lines[0][0] == 0 or not lines[0][1]:
            raise Failure(f"{' '.join(words)}: {lines[0]} on Linux, {lines[1]} on Windows")

    def compile(self, name: str, *flags: str, after: tuple[str, ...] = ()) -> str:
        (self.folder / "module.c").write_text(MODULE, encoding="utf-8")
        output = self.folder / name
        output.parent.mkdir(exist_ok=True)
        self.source_hash = self.run(self.windows, "source-hash", "module.c").split()[-1]
        done = subprocess.run([COMPILER, *FLAGS, "-shared", f"-I{ROOT}/include",
                               f'-DLS_SIM_SOURCE_HASH="{self.source_hash}"', *flags, str(self.folder / "module.c"),
                               *after, "-o", str(output),
                               str(pathlib.Path(self.options.library).resolve())],
                              capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Failure(f"{name}: {done.stderr}")
        return name
