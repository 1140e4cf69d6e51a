#!/usr/bin/env python3
"""Plays with lockstep.exe under Wine and with the program of this machine: each serves the other, both verify both
recordings, keys and tokens are made and used on both, Ctrl+C ends a match in order, simulations that crash, hang or
hide state are found in processes of their own, a disk fills up, and bad input gives the errors and exit codes of Linux.
windows_commands.py has the steps that compare commands, windows_library.py those of the DLL, and windows_zip.py
that of the zip.

usage: windows.py --linux LOCKSTEP --exe LOCKSTEP.EXE --library LIBLOCKSTEP_SIM.DLL.A --zip FILE --folder FOLDER
  --library    the import library for simulations in DLLs
  --zip        the file that scripts/windows-zip makes
  --only NAME  only this step, as prove() names it; may be repeated
  --prefix     Wine's folder, which other programs of ./matrix use too (default: one beside that of --folder). The
               variable WINEPREFIX is not asked, because a step deletes the saved keys there
Exit code 77: Wine or the cross compiler is missing.
"""
import argparse
import contextlib
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time
import zipfile

from wine import (ADDS, COMPILER, CORRUPT, CRASHED, DIVERGED, FLAGS, INCOMPATIBLE, MACHINE, PATIENCE_S, REFUSED, ROOT,
                  START_S, USAGE, WINE, Failure, Skipped, Wine)
import windows_commands
import windows_library
import windows_zip

KILLS = 4
WINE_BEGIN_S = 5
TICKS, TICK_RATE = 600, 60
SECOND_INTERRUPT, NO_DISK = 130, 77
# A small disk in a namespace of its own, of which a filler leaves 20 KiB; it goes as soon as the recording has failed.
# wineserver opens the files for others, so the one that runs here starts here.
FULL_DISK = """
wineserver -w
mount -t tmpfs -o size=256k none disk || exit 77
head -c 241664 /dev/zero >disk/ballast
"$@" serve --sim skirmish --bind 127.0.0.1 --port 0 --identity disk.id --record disk/new --wait 0 --ticks 1700 \
  --tick-rate 200 --sync-ticks 20 --sign-ticks 20 --keyframe-ticks 0 >disk.out 2>disk.log &
until grep -q "^recording_failed " disk.log || ! kill -0 $! 2>kill.txt; do sleep 0.05; done
rm disk/ballast
wait $!
code=$?
mkdir kept
cp disk/new/*.lsr kept/
wineserver -w
exit $code
"""
# Further sources of the module.
MEAN = """
#include <lockstep/lockstep.h>
double mean(double sum, double weight, double count);
double mean(double sum, double weight, double count) { return sum * weight + count; }
"""
SINES = """
#include <xmmintrin.h>
__attribute__((constructor)) static void flush(void) { _mm_setcsr(_mm_getcsr() | 0x8040); }
"""


def has_not_begun(pid: int) -> bool:
    """Whether it is still in Wine's start, which sets the signal handlers at its end."""
    try:
        status = pathlib.Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    except OSError:
        return False
    return re.search(r"(?m)^SigCgt:\s0+$", status) is not None


class Proof(Wine):
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
        """A server without --identity and a client without a key in the address save theirs in the user's folder."""
        users = self.prefix / "drive_c/users"
        for old in users.glob("*/AppData/Roaming/lockstep"):
            shutil.rmtree(old)
        server, address = self.serve(self.windows, "--sim", "toyphys", "--allow-light", "--tick-rate", "60",
                                     "--ticks", "60")
        host, _, key = address.partition("#")
        try:
            self.run(self.windows, "join", host, "--light", "--input", "random", says="ended")
            self.wait_code(server, "server.txt", 0, "ended")
        finally:
            server.kill()
            server.wait()
        saved = {path.name: path.read_text(encoding="utf-8") for path in users.glob("*/AppData/Roaming/lockstep/*")}
        if set(saved) != {"identity", "known_servers"} or key not in saved["known_servers"]:
            raise Failure(f"APPDATA has no identity and known servers with {key}, but {saved.keys()}")
        server, again = self.serve(self.windows, "--sim", "toyphys")
        server.kill()
        server.wait()
        if not again.endswith(key):
            raise Failure(f"saved keys: {key}, and after another start {again}")
        print("saved: identity and known servers, and the identity found again")

    def check_known_again(self) -> None:
        """A client without a key in the address saves the one it sees; another identity on that port is refused."""
        first, address = self.serve(self.linux, "--sim", "toyphys")
        first.kill()
        first.wait()
        host, _, _ = address.partition("#")
        port = host.rpartition(":")[2]
        for words, code, says in ((["--identity", "one.id"], 0, "ended"), (["--identity", "one.id"], 0, "ended"),
                                  (["--identity", "two.id"], REFUSED, "key")):
            server, _ = self.serve(self.linux, "--sim", "toyphys", "--allow-light", "--tick-rate", "60",
                                   "--ticks", "60", "--port", port, *words)
            try:
                self.run(self.windows, "join", host, "--light", "--input", "random", code=code, says=says)
            finally:
                server.kill()
                server.wait()
        print("known server: saved, found again, and refused with another key")

    def check_tokens(self) -> None:
        """A matchmaker's key and a token of either system are good on the other one."""
        for maker, other, name in ((self.windows, self.linux, "aus Windows"), (self.linux, self.windows, "aus Linux")):
            key, token = f"{name} schlüssel", f"{name} pass"
            self.run(maker, "keygen", "--token-key", "--id", "7", key, says="7")
            os.chmod(self.folder / key, 0o600)  # Wine makes files as the umask says; on Windows the folder decides
            self.run(maker, "token", "issue", "--key", key, "--client", "Jörg", "--lifetime", "10m", "-o", token)
            os.chmod(self.folder / token, 0o600)
            texts = {re.sub(r"(?m)^state.*", "", self.run(program, "token", "show", "--key", key, token, says="Jörg"))
                     for program in (maker, other)}
            if len(texts) != 1:
                raise Failure(f"token show: {texts}")
            server, address = self.serve(other, "--sim", "toyphys", "--allow-light", "--tick-rate", "60",
                                         "--ticks", "60", "--token-key", key, "--require-token")
            try:
                self.run(maker, "join", address, "--light", "--input", "random", code=REFUSED, says="token")
                self.run(maker, "join", address, "--light", "--input", "random", "--token", token, says="ended")
            finally:
                server.kill()
                server.wait()
            self.compare("token", "issue", "--key", key, "--client", "Jörg", "-o", token)
        (self.folder / "kein schlüssel").write_bytes(b"nothing")
        os.chmod(self.folder / "kein schlüssel", 0o600)
        self.compare("token", "issue", "--key", "kein schlüssel", "--client", "a", "-o", "nie")
        self.compare("token", "show", "kein schlüssel")
        print("tokens: made and admitted on both")

    def check_interrupts(self) -> None:
        """Ctrl+C, which Wine makes of SIGINT, ends a server and a client in order; a second one at once."""
        match = ("--sim", "skirmish", "--set", "units=200", "--players", "2", "--wait", "2", "--tick-rate", "60")
        server, address = self.serve(self.windows, *match, "--record", "abgebrochen")
        bots = self.start("bots.txt", self.linux, "join", address, "--bots", "2")
        self.wait_line(bots, "bots.txt", r"^tick [1-9]\d*  playing 2")
        server.send_signal(signal.SIGINT)
        text = self.wait_code(server, "server.txt", 0, r"ended tick=\d+ root=\w+ desyncs=0")
        self.wait_code(bots, "bots.txt", 0, "client 2 ended")
        ended = re.search(r"ended tick=(\d+) root=(\w+)", text)
        for program in (self.linux, self.windows):
            self.run(program, "verify", "--require-signed", "abgebrochen",
                     says=rf"verified ticks={ended[1]} root={ended[2]}")
        self.run(self.linux, "replay", "info", str(next((self.folder / "abgebrochen").glob("*.lsr"))), says="drained")
        server, address = self.serve(self.linux, *match, "--end-when-empty")
        bots = self.start("bots.txt", self.windows, "join", address, "--bots", "2")
        self.wait_line(bots, "bots.txt", r"^tick [1-9]\d*  playing 2")
        bots.send_signal(signal.SIGINT)
        self.wait_code(bots, "bots.txt", 0, "asked to stop")
        self.wait_code(server, "server.txt", 0, "desyncs=0")
        server, address = self.serve(self.windows, *match)
        bots = self.start("bots.txt", self.linux, "join", address, "--bots", "2")
        self.wait_line(bots, "bots.txt", r"^tick [1-9]\d*  playing 2")
        bots.send_signal(signal.SIGSTOP)  # the server waits for a client that does not answer
        server.send_signal(signal.SIGINT)
        time.sleep(1)
        server.send_signal(signal.SIGINT)
        try:
            self.wait_code(server, "server.txt", SECOND_INTERRUPT, "")
        finally:
            bots.kill()
            bots.wait()
        print(f"Ctrl+C: the match ended at tick {ended[1]}, its recording verifies; a client left; a second one "
              "ends at once")

    def check_floats(self) -> None:
        """Modules whose floats would differ are refused or named, as on Linux."""
        plain = (f"-DADDS={ADDS['good']}", "-DABI=LS_SIM_ABI")
        (self.folder / "mean.c").write_text(MEAN, encoding="utf-8")
        (self.folder / "sines.c").write_text(SINES, encoding="utf-8")
        for name, flags, wanted in (("fused", ("-mfma", "-ffp-contract=fast"), "-ffp-contract=off"),
                                    ("gnu", ("-std=gnu17", "-mfma", "-ffp-contract=fast"), "-ffp-contract=off"),
                                    ("divided", ("-freciprocal-math",), "-fno-reciprocal-math"),
                                    ("summed", ("-fassociative-math", "-fno-signed-zeros", "-fno-trapping-math"),
                                     "-fno-associative-math")):
            self.refuse("run", "--sim", self.compile(f"{name}.dll", *plain, *flags), code=INCOMPATIBLE,
                        says=re.escape(wanted))
        for command in (("check", "--ticks", "5"), ("schedule", "check"), ("serve", "--port", "0"),
                        ("verify", str(ROOT / "replays/golden/skirmish.lsr"))):
            self.refuse(*command, "--sim", "fused.dll", code=INCOMPATIBLE, says=re.escape("-ffp-contract=off"))
        # Only one source of the module contracts.
        mean = self.folder / "mean.o"
        subprocess.run([COMPILER, *FLAGS, "-c", f"-I{ROOT}/include", "-mfma", "-ffp-contract=fast",
                        str(self.folder / "mean.c"), "-o", str(mean)], check=True)
        for module in (self.compile("first half.dll", *plain, str(mean)),
                       self.compile("second half.dll", *plain, after=(str(mean),))):
            self.refuse("run", "--sim", f"./{module}", code=INCOMPATIBLE, says=re.escape("-ffp-contract=off"))
        try:
            self.compile("fast.dll", *plain, "-Ofast")
        except Failure as failure:
            if "-ffast-math" not in str(failure):
                raise
        else:
            raise Failure("a module with -Ofast compiles")
        # A library of others that was linked so changes the mode of the process.
        sines = self.folder / "sines.o"
        subprocess.run([COMPILER, *FLAGS, "-c", str(self.folder / "sines.c"), "-o", str(sines)], check=True)
        module = self.compile("flushing.dll", *plain, str(sines))
        self.run(self.windows, "run", "--sim", module, "--ticks", "5", says="flush to zero")
        print("floats: contraction, reciprocals, reordered sums, -Ofast and another mode are named")

    def check_modules(self) -> None:
        good = self.compile("ein spiel/drift ü.dll", f"-DADDS={ADDS['good']}", "-DABI=LS_SIM_ABI")
        out = self.run(self.windows, "run", "--sim", good, "--ticks", "100", says=r"root=\w+ ticks=100")
        self.run(self.windows, "check", "--sim", good, "--ticks", "50", says="0 failed")
        self.run(self.windows, "schedule", "check", "--sim", good, says="builds")
        other = self.compile("other.dll", "-DADDS=1", "-DABI=(LS_SIM_ABI+65536)")
        self.refuse("run", "--sim", other, code=INCOMPATIBLE, says="was built for layout")
        bad = self.compile("crash.dll", f"-DADDS={ADDS['crash']}", "-DABI=LS_SIM_ABI")
        self.run(self.windows, "check", "--sim", bad, "--ticks", "5", code=DIVERGED,
                 says=r'killed by signal 11 \(Segmentation fault\) in system "drift"')
        whole = (self.folder / good).read_bytes()
        (self.folder / "cut.dll").write_bytes(whole[:len(whole) // 2])
        self.refuse("run", "--sim", "./cut.dll", code=USAGE, says="cut short")
        at = int.from_bytes(whole[0x3c:0x40], "little") + 4
        (self.folder / "arm.dll").write_bytes(whole[:at] + b"\x64\xaa" + whole[at + 2:])
        self.refuse("run", "--sim", "./arm.dll", code=INCOMPATIBLE, says=r"for another machine \(arm, 64 bits\)")
        self.refuse("run", "--sim", "./missing.dll", code=USAGE, says="No such file")
        print(f"modules: {out.splitlines()[-1]}; another ABI, another CPU, a cut one and a crash are named")

    def check_processes(self) -> None:
        """verify, check and bisect run simulations in processes of their own, which end with them."""
        modules = {name: self.compile(f"{name}.dll", f"-DADDS={adds}", "-DABI=LS_SIM_ABI")
                   for name, adds in ADDS.items()}
        for name, ticks in (("eins", "50"), ("lang", "100")):
            self.run(self.windows, "serve", "--sim", modules["good"], "--wait", "0", "--ticks", ticks,
                     "--tick-rate", "200", "--bind", "127.0.0.1", "--port", "0", "--record", name,
                     says=f"ended tick={ticks}")
            shutil.move(next((self.folder / name).glob("*.lsr")), self.folder / f"{name}.lsr")
        shutil.copy(self.folder / "eins.lsr", self.folder / "zwei.lsr")
        # In one process the second file would find the variable of the first, as the second run of `repeat` does.
        self.run(self.windows, "verify", "eins.lsr", "zwei.lsr", "--sim", modules["hidden"], says=r"files=2 good=2")
        text = self.run(self.windows, "check", "--sim", modules["hidden"], "--ticks", "100", "--seeds", "1",
                        code=DIVERGED)
        for name, result in (("repeat", "FAILED"), ("rejoin", "FAILED"), ("threads", "good"),
                             ("process", r"good: in part \(memory, heap, time, zone\); locale and module addresses are tried on Linux only")):
            if not re.search(rf"(?m)^{name} .* {result}", text):
                raise Failure(f"check: {name} is not {result}:\n{text}")
        same = f"./../{self.folder.name}/{modules['good']}"
        self.run(self.windows, "check", "--sim", modules["good"], "--other", same, code=USAGE, says="one and the same build")
        self.run(self.windows, "check", "--sim", modules["good"], "--other", modules["other"], "--ticks", "100",
                 "--only", "other", code=DIVERGED, says=r"(?s)FAILED other.*written by drift")
        self.run(self.windows, "verify", "eins.lsr", "--sim", modules["crash"], code=DIVERGED,
                 says=r'killed by signal 11 \(Segmentation fault\) in system "drift", tick 0')
        self.run(self.windows, "verify", "eins.lsr", "--sim", modules["hang"], "--timeout", "1", code=DIVERGED,
                 says="no progress in 1 s")
        self.run(self.windows, "bisect", "lang.lsr", "--sim", modules["good"], "--other", modules["other"],
                 code=DIVERGED, says=r"(?s)drift.*body")
        self.run(self.windows, "bisect", "lang.lsr", "--sim", modules["good"], "--other", modules["crash"],
                 code=CRASHED, says=r'side B.*\n*.*system "drift"|system "drift"')
        for _ in range(KILLS):  # in the moment in which the second one begins
            hung = self.start("hung.txt", self.windows, "verify", "eins.lsr", "--sim", modules["hang"],
                              "--timeout", "600")
            self.wait_count("hang.dll", 2)
            hung.kill()
            hung.wait()
            self.wait_ended("hang.dll")
        print("processes: hidden state, a crash and a hang are found; two processes ended with the first of them")

    def pids_with(self, word: str) -> list[int]:
        """The processes that have `word` in their command line."""
        return [int(path.parent.name) for path in pathlib.Path("/proc").glob("[0-9]*/cmdline")
                if self.has_word(path, word)]

    def wait_count(self, word: str, count: int) -> None:
        until = time.monotonic() + START_S
        while len(pids := self.pids_with(word)) != count:
            if time.monotonic() > until:
                raise Failure(f"processes with {word}: {pids}, wanted {count}")
            time.sleep(0.01)

    def wait_ended(self, word: str) -> None:
        """Waits until no process has `word` in its command line. A process that Wine's server ends before its first
        request waits for the reply for ever, because it still holds the other end of that pipe (Wine 8.0). It has
        run nothing of the program, so it is ended here."""
        until = time.monotonic() + START_S
        begin = time.monotonic() + WINE_BEGIN_S
        while pids := self.pids_with(word):
            if time.monotonic() > until:
                raise Failure(f"processes with {word}: {pids} still run")
            if time.monotonic() > begin:
                for pid in filter(has_not_begun, pids):
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
            time.sleep(0.01)

    def has_word(self, path: pathlib.Path, word: str) -> bool:
        try:
            own = os.readlink(path.parent / "cwd") == str(self.folder)
            return own and word in path.read_bytes().decode("utf-8", errors="replace")
        except OSError:
            return False

    def check_bisect(self) -> None:
        """Two recordings: the same answer on both systems."""
        golden = str(ROOT / "replays/golden/skirmish.lsr")
        shutil.copy(golden, self.folder / "spiel ä.lsr")
        shutil.copy(ROOT / "replays/golden/regatta.lsr", self.folder / "fremd ä.lsr")
        self.run(self.linux, "replay", "cut", "spiel ä.lsr", "--to", "200", "--output", "kopf ä.lsr")
        for words, code in ((("spiel ä.lsr", "kopf ä.lsr"), 0), (("spiel ä.lsr", "fremd ä.lsr"), INCOMPATIBLE)):
            texts = [self.run(program, "bisect", *words, code=code) for program in (self.linux, self.windows)]
            if texts[0] != texts[1]:
                raise Failure(f"bisect {words}: {texts[0]} on Linux, {texts[1]} on Windows")
        print(f"bisect: {texts[0].splitlines()[0]}")

    def check_words(self) -> None:
        """The same wrong words on both systems: the same code, the same first line."""
        for words in (["run", "--tikcs", "3"], ["run", "--sim"], ["run", "--t", "3"],
                      ["run", "--sim=skirmish", "--ticks=x"], ["verify"], ["verify", "fehlt ü.lsr"], ["keygen"],
                      ["frobnicate"], ["replay", "info", "fehlt"],
                      ["join"], ["serve", "--sim", "nothing"], ["bisect", "a.lsr"], ["token", "issue"]):
            self.compare(*words)
        serve = ("serve", "--sim", "toyphys", "--bind", "127.0.0.1", "--port", "0", "--identity", "words.id", "--log",
                 "words.log")
        for words, says in ((("watch", "x.lsr"), "not on Windows: "), (("watch", "--web", "x.lsr"), "not on Windows: "),
                            (("admin",), "not on Windows: a server has no admin socket there"),
                            (("top",), "not on Windows: a server has no admin socket there"),
                            ((*serve, "--http", "0"), "--http: this build has no HTTP: .* on Windows there is none"),
                            ((*serve, "--record", ".", "--on-finished", "x"), "--on-finished: not on Windows"),
                            ((*serve, "--admin", "admin.socket"), "--admin: not on Windows")):
            self.refuse(*words, code=USAGE, says=says)
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
        self.check_temporary_folder(self.folder.joinpath(*["tmp " + "x" * 40] * 6))
        print(f"paths: {len(str(self.folder / deep))} characters")

    def check_temporary_folder(self, folder: pathlib.Path) -> None:
        """The files that two processes share are in the folder of TMP, however long its path is."""
        folder.mkdir(parents=True)
        program, place = (f"Z:{path}".replace("/", "\\") for path in (self.windows[1], folder))
        for name, code, says in (("", 0, "process .*good"), ("fehlt", MACHINE, "a temporary file: No such file")):
            (self.folder / "tmp.bat").write_text(f'@set TMP={place}\\{name}\r\n@"{program}" check --sim skirmish '
                                                 "--ticks 5 --seeds 1 --option-matches 0 --only process\r\n",
                                                 encoding="utf-8")
            self.run([WINE, "cmd"], "/c", "tmp.bat", code=code, says=says)

    def check_bad_paths(self) -> None:
        """What is missing, taken, no folder or too long, with blanks, other alphabets and more than 260 characters."""
        deep = "/".join(["ein ordner mit ü und 雪 " + "y" * 40] * 6)
        (self.folder / deep).mkdir(parents=True)
        (self.folder / deep / "leer").mkdir()
        (self.folder / deep / "datei 雪").write_bytes(b"")
        shutil.copy(ROOT / "replays/golden/skirmish.lsr", self.folder / "spiel ä.lsr")
        self.compare("verify", f"{deep}/fehlt.lsr")
        self.compare("verify", f"{deep}/datei 雪/spiel.lsr")
        self.compare("verify", f"{deep}/datei 雪")
        self.compare("verify", f"{deep}/leer")
        self.compare("replay", "info", f"{deep}/leer")
        self.compare("replay", "cut", "spiel ä.lsr", "--to", "9", "--output", f"{deep}/fehlt/teil.lsr")
        self.compare("replay", "cut", "spiel ä.lsr", "--to", "9", "--output", f"{deep}/leer")
        self.compare("keygen", f"{deep}/fehlt/schlüssel")
        self.compare("keygen", f"{deep}/leer")
        self.compare("serve", "--sim", "toyphys", "--record", f"{deep}/datei 雪", "--identity", f"{deep}/k")
        self.compare("serve", "--sim", "toyphys", "--identity", f"{deep}/datei 雪")
        self.compare("run", "--sim", f"./{deep}/datei 雪")
        self.compare("run", "--sim", f"./{deep}/fehlt.dll")
        self.compare("verify", "z" * 5000 + ".lsr")
        self.compare("verify", "z" * 300 + ".lsr")
        print(f"bad paths: the errors of Linux, at {len(str(self.folder / deep))} characters")

    def check_recording_disk(self) -> None:
        """A disk that is full for a while: the match goes on, the gap is told, and what is kept verifies."""
        mount = ["unshare", "-rm", "mount", "-t", "tmpfs", "none", "/mnt"]
        allowed = shutil.which("unshare") and subprocess.run(mount, capture_output=True, check=False).returncode == 0
        if not allowed:
            raise Skipped("no rights to mount in a namespace")
        self.let_end()
        (self.folder / "disk").mkdir()
        done = subprocess.run(["unshare", "-rm", "sh", "-c", FULL_DISK, "sh", *self.windows], cwd=self.folder,
                              env=self.environment, capture_output=True, timeout=PATIENCE_S, check=False)
        if done.returncode == NO_DISK:
            raise Skipped("this machine refuses a tmpfs of 256 KiB")
        log = self.text_of("disk.log")
        said = re.search(r"(?m)^recording_failed tick=\d+ .*No space left.*free space", log)
        if done.returncode != MACHINE or not said:
            raise Failure(f"full disk: code {done.returncode}, wanted {MACHINE}:\n{done.stderr.decode()}{log}")
        first = min((self.folder / "kept").glob("*.lsr"), key=lambda path: len(path.name))
        text = self.run(self.linux, "verify", str(first))
        played = int(re.search(r"verified ticks=(\d+)", text)[1])
        lost = int(re.search(r", (\d+) ticks in none", text)[1])
        if played + lost != 1700:
            raise Failure(f"full disk: {played} ticks and {lost} in no file are not 1700:\n{text}")
        print(f"full disk while recording: {played} ticks recorded, {lost} named as missing")

    def check_full_disk(self) -> None:
        """The command says that its output is incomplete."""
        if not os.path.exists("/dev/full"):
            raise Skipped("this machine has no /dev/full")
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
                 "outputs": lambda: windows_commands.check_outputs(self),
                 "resume": lambda: windows_commands.check_resume(self),
                 "relay": lambda: windows_commands.check_relay(self),
                 "explain": lambda: windows_commands.check_explain(self),
                 "module versions": lambda: windows_commands.check_module_versions(self),
                 "calls": lambda: windows_commands.check_calls(self), "IPv6": lambda: windows_commands.check_ipv6(self),
                 "known server": self.check_known_again, "saved keys": self.check_saved_keys,
                 "zip": lambda: windows_zip.check(self), "exports": lambda: windows_library.check_exports(self),
                 "library": lambda: windows_library.check_library(self), "tokens": self.check_tokens,
                 "Ctrl+C": self.check_interrupts, "modules": self.check_modules, "floats": self.check_floats,
                 "processes": self.check_processes, "bisect": self.check_bisect, "words": self.check_words,
                 "paths": self.check_paths, "module paths": lambda: windows_commands.check_module_paths(self),
                 "bad paths": self.check_bad_paths, "full disk": self.check_full_disk,
                 "full disk while recording": self.check_recording_disk}
        failed = 0
        for name, step in steps.items():
            if self.options.only and name not in self.options.only:
                continue
            began = time.monotonic()
            try:
                step()
            except Skipped as reason:
                print(f"SKIPPED: {name}: {reason}") # machines.py makes a row of it
            except (Failure, subprocess.SubprocessError, OSError, StopIteration, zipfile.BadZipFile) as fault:
                failed += 1
                print(f"FAILED: {name}: {fault}")
            print(f"  {name}: {time.monotonic() - began:.0f} s", flush=True)
        return 1 if failed else 0


def main() -> int:
    parser = argparse.ArgumentParser()
    for name in ("linux", "exe", "library", "zip", "folder"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--prefix")
    parser.add_argument("--only", action="append")
    options = parser.parse_args()
    for tool in (WINE, shutil.which(COMPILER)):
        if not tool:
            print(f"skipped: there is no Wine or no {COMPILER} on this machine")
            return 77
    proof = Proof(options)
    proof.keep_running()
    try:
        return proof.prove()
    finally:
        proof.let_end()


if __name__ == "__main__":
    sys.exit(main())
