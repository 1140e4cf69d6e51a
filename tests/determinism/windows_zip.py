"""The zip of scripts/windows-zip, unpacked into a new folder: every command line of its README.txt runs there as it is
written, and a game with a library of another LS_ABI says so."""
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import zipfile

from wine import ABI, ADDS, COMPILER, FLAGS, INCOMPATIBLE, LIBRARY, MODULE, PATIENCE_S, WINE, Failure, Wine

BYTES_MAX = 6_000_000
LICENCES = {"zstd", "libsodium", "enet", "jansson", "xxhash", "mingw-w64", "libgcc"}
TICKS, TICK_RATE = 600, 60
MATCH = ("--sim", "skirmish", "--wait", "2", "--ticks", str(TICKS), "--tick-rate", str(TICK_RATE), "--policy", "wait")
# A game and its simulation: a module of the program, or a program of its own that plays it and prints its root.
GAME = MODULE.replace("ADDS", ADDS["good"]).replace(".abi = ABI", ".abi = LS_SIM_ABI") + """
#include <stdio.h>
int main(void)
{
    const ls_match match = {.seed = 1, .player_count = 2, .tick_rate = 20};
    ls_program *program;
    ls_world *world;
    ls_error error;
    if (ls_library_abi() != LS_ABI || ls_program_create(ls_sim_export(), &program, &error) ||
        ls_world_create(program, &match, &world, &error))
        return 1;
    for (uint64_t tick = 0; tick < 100; tick++) {
        const ls_frame frame = {.tick = tick};
        if (ls_world_advance(world, &frame, NULL, &error))
            return 1;
    }
    printf("root=%016llx\\n", (unsigned long long)ls_world_root(world));
    ls_world_destroy(world);
    ls_program_destroy(program);
    return 0;
}
"""


def command_lines(readme: str) -> list[str]:
    """The indented lines; one that ends with ^ goes on in the next."""
    lines = re.findall(r"(?m)^    (?! )(.+(?:(?<= \^)\n.+)*)$", readme)
    return [re.sub(r" \^\n\s*", " ", line) for line in lines]


class Unpacked:
    def __init__(self, wine: Wine, packed: pathlib.Path):
        self.wine = wine
        place = wine.folder / "frisch entpackt"
        with zipfile.ZipFile(packed) as archive:
            archive.extractall(place)
        self.folder = place / "lockstep"
        self.readme = (self.folder / "README.txt").read_text(encoding="utf-8")
        self.shown: list[str] = []  # for zip.txt
        self.source_hash = ""
        self.roots: set[str] = set()

    def words_of(self, line: str) -> list[str]:
        """As the prompt of Windows splits it, for this machine."""
        words = shlex.split(line.replace('\\"', "\0").replace("\\", "/").replace("\0", '\\"'))
        if words[0] == "gcc":
            return [COMPILER, *words[1:]]
        return [WINE, *words]

    def start(self, words: list[str], output: str) -> subprocess.Popen:
        with open(self.wine.folder / output, "wb") as file:
            return subprocess.Popen(words, cwd=self.folder, env=self.wine.environment, stdout=file,
                                    stderr=subprocess.STDOUT)

    def run(self, line: str, says: str, code: int = 0, **changes: str) -> str:
        """Runs a line of README.txt with the words that it has in capitals replaced."""
        for name, value in changes.items():
            line = line.replace(name, value)
        done = subprocess.run(self.words_of(line), cwd=self.folder, env=self.wine.environment, capture_output=True,
                              timeout=PATIENCE_S, check=False)
        text = (done.stdout + done.stderr).decode("utf-8", errors="replace").replace("\r", "")
        if done.returncode != code or not re.search(says, text.strip()):
            raise Failure(f"{line}: code {done.returncode}, wanted {code} and {says!r}:\n{text}")
        self.shown.append(f"> {line}\n{text}")
        return text

    def join(self, line: str) -> None:
        """bin\\lockstep.exe plays both seats; bin\\player.exe one, and a bot of this machine the other."""
        wine, is_game = self.wine, "player" in line
        server, address = wine.serve(wine.linux, "--players", "2", *MATCH, "--record", "vom zip")
        running = [server]
        if is_game:
            running.append(wine.start("bot.txt", wine.linux, "join", address, "--bots", "1"))
        try:
            self.run(line, rf"after tick {TICKS}.*desync no" if is_game else "hashes agreed",
                     **{"HOST:PORT#KEY": address})
            wine.wait_code(server, "server.txt", 0, rf"ended tick={TICKS} root=\w+ desyncs=0")
        finally:
            for process in running:
                process.kill()
                process.wait()

    def serve(self, line: str) -> None:
        """It plays on this machine's bots until Ctrl+C; the recording verifies, on both."""
        server = self.start(self.words_of(line), "zip server.txt")
        address = self.wine.wait_line(server, "zip server.txt", r"^listening \S+:(\d+#\S+)")[1]
        bots = self.wine.start("bots.txt", self.wine.linux, "join", f"127.0.0.1:{address}", "--bots", "1")
        self.wine.wait_line(bots, "bots.txt", r"^tick [1-9]\d*  playing")
        server.send_signal(signal.SIGINT)
        text = self.wine.wait_code(server, "zip server.txt", 0, r"ended tick=\d+ root=\w+ desyncs=0")
        self.wine.wait_code(bots, "bots.txt", 0, "ended")
        self.shown.append(f"> {line}\n{text}")

    def verify(self, line: str) -> None:
        text = self.run(line, r"verified ticks=\d+")
        root = re.search(r"root=(\w+)", text)[1]
        self.wine.run(self.wine.linux, "verify", "--require-signed", str(self.folder / "recordings"),
                      says=f"root={root}")

    def name_sources(self, line: str) -> None:
        (self.folder / "game.c").write_text(GAME, encoding="utf-8")
        self.source_hash = self.run(line, r"^\w{64}$").split()[-1]

    def build(self, line: str) -> None:
        absent = [flag for flag in FLAGS if flag not in line.split()]
        if absent:
            raise Failure(f"{line}: lacks {absent}")
        self.run(line, "^$", HASH=self.source_hash)

    def play(self, line: str) -> None:
        """The games and the module in the program come to the same root."""
        root = re.search(r"root=(\w+)", self.run(line, r"root=\w{16}"))[1]
        self.roots.add(root)
        if len(self.roots) != 1:
            raise Failure(f"{line}: root {root}, among {self.roots}")

    def check_other_library(self) -> None:
        """A DLL with all names of ours, of another LS_ABI: the bot of the zip ends with a line and a code."""
        imports = subprocess.run([COMPILER.replace("gcc", "nm"), str(self.folder / "lib/liblockstep.dll.a")],
                                 capture_output=True, text=True, check=False).stdout
        names = sorted(set(re.findall(r" T (ls_\w+)", imports)) - {"ls_library_abi"})
        source = "".join(f"void {name}(void){{}}\n" for name in names)
        source += "unsigned ls_library_abi(void) { return 4711; }\n"
        (self.folder / "other.c").write_text(source, encoding="utf-8")
        shutil.copy(self.folder / "bin/player.exe", self.folder / "player.exe")
        subprocess.run([COMPILER, "-shared", "other.c", "-o", LIBRARY], cwd=self.folder, check=True)
        text = self.run("player.exe 127.0.0.1:1 skirmish NAME 1 known.txt roots.txt", "LS_ABI", INCOMPATIBLE)
        if text.splitlines() != [f"player: the library has LS_ABI 4711, this program was built for {ABI}"]:
            raise Failure(f"a library of another LS_ABI: {text}")
        for name in (LIBRARY, "player.exe"):
            os.remove(self.folder / name)

    def check_absent(self) -> None:
        """README.txt names the commands that end with a line there."""
        def said(*words: str) -> str:
            done = subprocess.run([WINE, str(self.folder / "bin/lockstep.exe"), *words], env=self.wine.environment,
                                  capture_output=True, timeout=PATIENCE_S, check=False)
            return (done.stdout + done.stderr).decode("utf-8")
        commands = re.findall(r"(?m)^  ([a-z-]+)  ", said("--help").partition("Exit codes")[0])
        absent = {name for name in commands if "not on Windows" in said(name)}
        named = re.search(r"(?s)The commands (.*?) and the options", self.readme)
        if len(commands) < 15 or absent != set(re.findall(r"`([a-z-]+)`", named[1])):
            raise Failure(f"README.txt: of {commands}, {absent} are not on Windows")


# What runs a command line of README.txt, by its beginning.
LINES = {r"bin\\(lockstep\.exe join|player\.exe)": Unpacked.join, r"bin\\lockstep\.exe serve": Unpacked.serve,
         r"bin\\lockstep\.exe verify": Unpacked.verify, r"bin\\lockstep\.exe source-hash": Unpacked.name_sources,
         r"gcc ": Unpacked.build, r"bin\\lockstep\.exe run|(bin|\.)\\game\.exe": Unpacked.play}


def check(wine: Wine) -> None:
    packed = pathlib.Path(wine.options.zip)
    if packed.stat().st_size > BYTES_MAX:
        raise Failure(f"{packed}: {packed.stat().st_size} bytes, more than {BYTES_MAX}")
    zipped = Unpacked(wine, packed)
    licences = {path.stem for path in (zipped.folder / "licenses").iterdir()}
    if licences != LICENCES:
        raise Failure(f"the licences are {licences}")
    for line in command_lines(zipped.readme):
        found = [action for pattern, action in LINES.items() if re.match(pattern, line)]
        if len(found) != 1:
            raise Failure(f"README.txt: nothing runs {line!r}")
        found[0](zipped, line)
    zipped.check_other_library()
    zipped.check_absent()
    (wine.folder / "zip.txt").write_text("".join(zipped.shown), encoding="utf-8")
    names = re.findall(r"[\w.]+", " ".join(command_lines(zipped.readme)))
    unused = [path.name for path in (*zipped.folder.glob("lib/*"), *zipped.folder.glob("bin/*.exe"))
              if path.name not in names]
    if unused:
        raise Failure(f"README.txt has no command line with {unused}")
    print(f"zip: {packed.stat().st_size} bytes; each line of its README.txt ran in {zipped.folder.parent.name}; root "
          f"{zipped.roots.pop()} of the module and of the games with both libraries; its output is in "
          f"{wine.folder / 'zip.txt'}")
