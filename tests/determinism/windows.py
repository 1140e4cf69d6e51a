#!/usr/bin/env python3
"""Plays with lockstep.exe under Wine and with the program of this machine: each serves the other, both verify both
recordings, keys are saved and used again, and bad input gives the errors and exit codes of Linux.

usage: windows.py --linux LOCKSTEP --exe LOCKSTEP.EXE --library LIBLOCKSTEP_SIM.DLL.A --folder FOLDER
  --library    the import library for simulations in DLLs
  WINEPREFIX   names Wine's folder, as for other programs of ./matrix
Exit code 77: Wine or the cross compiler is missing.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
START_S, PATIENCE_S = 60, 240
TICKS, TICK_RATE = 600, 60
COMPILER = "x86_64-w64-mingw32-gcc"
WINE = shutil.which("wine64") or shutil.which("wine")
USAGE, INCOMPATIBLE, CORRUPT, MACHINE, REFUSED = 2, 3, 4, 5, 6
MODULE = """
#include <lockstep/lockstep.h>
typedef struct body { ls_fix at; } body;
static const ls_field fields[] = {LS_FIELD(body, at, LS_TYPE_FIX)};
static const ls_component Body = LS_COMPONENT(body, "body", fields), *const components[] = {&Body};
static void start(ls_context *context, const ls_entity *entities)
{
    (void)entities;
    for (int i = 0; i < 100; i++)
        LS_CELL_ATTACH(context, 0, ls_spawn(context, 0), (&(body){.at = ls_fix_from_int(i)}));
}
static void drift(ls_context *context, const ls_span *span)
{
    body *self = LS_SPAN_WRITE(body, context, span, 0);
    for (uint32_t i = 0; i < span->count; i++)
        self[i].at += CRASH;
}
static const ls_system setup = {.name = "start", .mode = LS_SEQUENTIAL, .match = start, .lanes = "world",
                                .terms = LS_TERM_LIST(LS_OTHERS_STRUCTURE(Body))};
static const ls_system systems[] = {{.name = "drift", .mode = LS_CONCURRENT, .span = drift,
                                     .terms = LS_TERM_LIST(LS_WRITES(Body))}};
static const ls_sim sim = {.abi = ABI, .name = "drift", .version = "1", .source_hash = LS_SIM_SOURCE_HASH,
                           .tick_rate = 20, .player_count = 2, .components = components, .component_count = 1,
                           .systems = systems, .system_count = 1, .setup = &setup};
LS_SIM_EXPORT const ls_sim *ls_sim_export(void) { return &sim; }
"""


class Failure(Exception):
    pass


class Proof:
    def __init__(self, options: argparse.Namespace):
        self.options = options
        self.folder = pathlib.Path(options.folder).resolve()
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        self.environment = dict(os.environ, WINEDEBUG="-all", XDG_CONFIG_HOME=str(self.folder / "linux"))
        self.windows = [WINE, str(pathlib.Path(options.exe).resolve())]
        self.linux = [str(pathlib.Path(options.linux).resolve())]

    def run(self, program: list[str], *words: str, code: int = 0, says: str = "") -> str:
        done = subprocess.run([*program, *words], cwd=self.folder, env=self.environment, capture_output=True,
                              timeout=PATIENCE_S, check=False)
        text = (done.stdout + done.stderr).decode("utf-8", errors="replace").replace("\r", "")
        if done.returncode != code or not re.search(says, text):
            raise Failure(f"{' '.join(words)}: code {done.returncode}, wanted {code} and {says!r}:\n{text}")
        return text

    def serve(self, program: list[str], *words: str) -> tuple[subprocess.Popen, str]:
        with open(self.folder / "server.txt", "wb") as output:
            server = subprocess.Popen([*program, "serve", "--bind", "127.0.0.1", "--port", "0", "--quiet", *words],
                                      cwd=self.folder, env=self.environment, stdout=output, stderr=subprocess.STDOUT)
        until = time.monotonic() + START_S
        while time.monotonic() < until and server.poll() is None:
            found = re.search(r"(?m)^listening ([\d.:]+#\S+)", (self.folder / "server.txt").read_text(encoding="utf-8"))
            if found:
                return server, found[1]
            time.sleep(0.05)
        server.kill()
        raise Failure("the server does not listen:\n" + (self.folder / "server.txt").read_text(encoding="utf-8"))

    def play(self, server_program: list[str], client: list[str], name: str, *settings: str) -> None:
        """A match of 600 ticks: no desync, and a recording that both programs verify."""
        recordings = f"{name} – spiele"
        server, address = self.serve(server_program, "--sim", "skirmish", "--players", "2", "--wait", "2", "--ticks",
                                     str(TICKS), "--tick-rate", str(TICK_RATE), "--record", recordings, "--policy",
                                     "wait", "--log", f"{name}.log", "--set", "units=300", *settings)
        try:
            joined = self.run(client, "join", address, "--bots", "2")
            (self.folder / f"{name}.txt").write_text(joined, encoding="utf-8")
            code = server.wait(START_S)
        finally:
            server.kill()
            server.wait()
        ended = (self.folder / "server.txt").read_text(encoding="utf-8").replace("\r", "")
        root = re.search(rf"ended tick={TICKS} root=(\w+) desyncs=0", ended)
        if code != 0 or not root or "hashes agreed" not in joined:
            raise Failure(f"{name}: the server ended with {code}:\n{ended}\n{joined}")
        for program in (self.linux, self.windows):
            self.run(program, "verify", "--require-signed", recordings, says=rf"verified ticks={TICKS} root={root[1]}")
        self.run(self.linux, "replay", "info", str(next((self.folder / recordings).glob("*.lsr"))))
        late = re.findall(r"ticks late: (half .*)", joined)
        print(f"{name}: {TICKS} ticks, root {root[1]}, 0 desyncs, verified by both; {late[0] if late else ''}")

    def check_saved_keys(self) -> None:
        """The identity of a server and the known servers of a client are in the user's folder."""
        users = pathlib.Path(self.environment["WINEPREFIX"]) / "drive_c/users"
        found = {path.name for path in users.glob("*/AppData/Roaming/lockstep/*")}
        if not {"identity", "known_servers"} <= found:
            raise Failure(f"APPDATA has no identity and known servers, but {found}")
        print(f"saved: {', '.join(sorted(found))}")

    def check_known_again(self) -> None:
        """A client without a key in the address saves the one it sees; another identity on that port is refused."""
        first, address = self.serve(self.linux, "--sim", "toyphys")
        first.kill()
        first.wait()
        host, _, _ = address.partition("#")
        port = host.rpartition(":")[2]
        for words, code, says in ((["--identity", "one.id"], 0, "ended"), (["--identity", "one.id"], 0, "ended"),
                                  (["--identity", "two.id"], REFUSED, "key")):
            server, _ = self.serve(self.linux, "--sim", "toyphys", "--allow-light", "--ticks", "60", "--port", port, *words)
            try:
                self.run(self.windows, "join", host, "--light", "--input", "random", code=code, says=says)
            finally:
                server.kill()
                server.wait()
        print("known server: saved, found again, and refused with another key")

    def compile(self, name: str, *flags: str) -> str:
        (self.folder / "module.c").write_text(MODULE, encoding="utf-8")
        output = self.folder / name
        output.parent.mkdir(exist_ok=True)
        source_hash = self.run(self.windows, "source-hash", "module.c").split()[-1]
        subprocess.run([COMPILER, "-O2", "-shared", f"-I{ROOT}/include", f'-DLS_SIM_SOURCE_HASH="{source_hash}"',
                        "-ffp-contract=off", *flags, str(self.folder / "module.c"), "-o", str(output),
                        str(pathlib.Path(self.options.library).resolve())], check=True)
        return name

    def check_modules(self) -> None:
        good = self.compile("ein spiel/drift ü.dll", "-DCRASH=1", "-DABI=LS_SIM_ABI")
        out = self.run(self.windows, "run", "--sim", good, "--ticks", "100", says=r"root=\w+ ticks=100")
        self.run(self.windows, "check", "--sim", good, "--ticks", "50", says="0 failed")
        self.run(self.windows, "schedule", "check", "--sim", good, says="builds")
        other = self.compile("other.dll", "-DCRASH=1", "-DABI=(LS_SIM_ABI+65536)")
        self.run(self.windows, "run", "--sim", other, code=INCOMPATIBLE, says="was built for layout")
        bad = self.compile("crash.dll", "-DCRASH=(*(volatile int *)0)", "-DABI=LS_SIM_ABI")
        self.run(self.windows, "check", "--sim", bad, "--ticks", "5", code=1,
                 says=r'killed by signal 11 \(Segmentation fault\) in system "drift"')
        whole = (self.folder / good).read_bytes()
        (self.folder / "cut.dll").write_bytes(whole[:len(whole) // 2])
        self.run(self.windows, "run", "--sim", "./cut.dll", code=USAGE, says="cut short")
        at = int.from_bytes(whole[0x3c:0x40], "little") + 4
        (self.folder / "arm.dll").write_bytes(whole[:at] + b"\x64\xaa" + whole[at + 2:])
        self.run(self.windows, "run", "--sim", "./arm.dll", code=INCOMPATIBLE,
                 says=r"for another machine \(arm, 64 bits\)")
        self.run(self.windows, "run", "--sim", "./missing.dll", code=USAGE, says="No such file")
        print(f"modules: {out.splitlines()[-1]}; another ABI, another CPU, a cut one and a crash are named")

    def check_words(self) -> None:
        """The same wrong words on both systems: the same code, the same first line."""
        for words in (["run", "--tikcs", "3"], ["run", "--sim"], ["run", "--t", "3"], ["run", "--sim=skirmish", "--ticks=x"],
                      ["verify"], ["verify", "fehlt ü.lsr"], ["keygen"], ["frobnicate"], ["replay", "info", "fehlt"],
                      ["join"], ["serve", "--sim", "nothing"], ["bisect", "a.lsr"], ["token", "issue"]):
            texts = [subprocess.run([*program, *words], cwd=self.folder, env=self.environment, capture_output=True,
                                    timeout=PATIENCE_S, check=False) for program in (self.linux, self.windows)]
            lines = [(done.returncode, done.stderr.decode("utf-8").replace("\r", "").splitlines()[:1]) for done in texts]
            if lines[0] != lines[1] or lines[0][0] == 0:
                raise Failure(f"{' '.join(words)}: {lines[0]} on Linux, {lines[1]} on Windows")
        for command in ("watch", "explain", "relay"):
            text = self.run(self.windows, command, "x.lsr", code=USAGE, says="not on Windows: ")
            if len(text.splitlines()) != 1:
                raise Failure(f"{command}: {text}")
        print("words: the errors of Linux")

    def check_paths(self) -> None:
        """A path of more than 260 characters, with blanks and letters of other alphabets."""
        deep = "/".join(["ein ordner mit ü und 雪 " + "x" * 40] * 6)
        (self.folder / deep).mkdir(parents=True)
        recording = next(ROOT.glob("replays/golden/skirmish.lsr"))
        shutil.copy(recording, self.folder / deep / "spiel 雪.lsr")
        self.run(self.windows, "verify", f"{deep}/spiel 雪.lsr", says="verified ticks=")
        self.run(self.windows, "replay", "cut", f"{deep}/spiel 雪.lsr", "--to", "100", "--output", f"{deep}/teil.lsr")
        self.run(self.linux, "verify", f"{deep}/teil.lsr", says="verified ticks=")
        self.run(self.windows, "keygen", f"{deep}/schlüssel")
        self.run(self.windows, "keygen", f"{deep}/schlüssel", code=REFUSED, says="exists and is not overwritten")
        damaged = bytearray(recording.read_bytes())
        damaged[len(damaged) // 2] ^= 1
        (self.folder / "damaged.lsr").write_bytes(damaged)
        for program in (self.linux, self.windows):
            self.run(program, "verify", "damaged.lsr", code=CORRUPT)
        print(f"paths: {len(str(self.folder / deep))} characters")

    def check_full_disk(self) -> None:
        """The command says that its output is incomplete."""
        if not os.path.exists("/dev/full"):
            return
        for program in (self.linux, self.windows):
            with open("/dev/full", "wb") as full:
                done = subprocess.run([*program, "--help"], stdout=full, stderr=subprocess.PIPE, env=self.environment,
                                      timeout=PATIENCE_S, check=False)
            if done.returncode != MACHINE or b"stdout cannot be written" not in done.stderr:
                raise Failure(f"a full disk: {done.returncode}, {done.stderr.decode()}")
        print("full disk: exit code 5 on both")

    def prove(self) -> int:
        steps = {"Linux serves Windows": lambda: self.play(self.linux, self.windows, "linux serves"),
                 "Windows serves Linux": lambda: self.play(self.windows, self.linux, "windows serves"),
                 "known server": self.check_known_again, "saved keys": self.check_saved_keys,
                 "modules": self.check_modules, "words": self.check_words, "paths": self.check_paths,
                 "full disk": self.check_full_disk}
        failed = 0
        for name, step in steps.items():
            try:
                step()
            except (Failure, subprocess.SubprocessError, OSError, StopIteration) as fault:
                failed += 1
                print(f"FAILED: {name}: {fault}")
        return 1 if failed else 0


def main() -> int:
    parser = argparse.ArgumentParser()
    for name in ("linux", "exe", "library", "folder"):
        parser.add_argument(f"--{name}", required=True)
    options = parser.parse_args()
    for tool in (WINE, shutil.which(COMPILER)):
        if not tool:
            print(f"skipped: there is no Wine or no {COMPILER} on this machine")
            return 77
    return Proof(options).prove()


if __name__ == "__main__":
    sys.exit(main())
