"""Commands that lockstep.exe has in common with the program of this machine: each prints the same of the same
recording and ends with the same code, a killed server's match is resumed on the other system, modules of another
LS_SIM_ABI or without the engine's functions are refused with the same line, `check` warns about calls of the system's C
library, and both play over IPv6."""
import re
import shutil
import signal
import socket
import subprocess
import time

from wine import (ADDS, COMPILER, FLAGS, INCOMPATIBLE, MODULE, PATIENCE_S, ROOT, START_S, USAGE, Failure,
                  Skipped, Wine)

RESUMED_TICKS, TICK_RATE = 1200, 60
ATTEMPTS, CLOSE_S = 4, 20
SKIRMISH, REGATTA, SHORT, TORN = "spiel ä.lsr", "regatta.lsr", "anfang ä.lsr", "abgerissen.lsr"
# Words, and the exit code of both systems. All print something.
SAME = (
    (("sims",), 0), (("completion", "bash"), 0), (("completion", "words", "replay", ""), 0),
    (("replay", "info", SKIRMISH), 0), (("replay", "info", "--json", REGATTA), 0), (("replay", "info", TORN), 0),
    (("replay", "print", SKIRMISH, "300"), 0), (("replay", "print", "--json", REGATTA, "100"), 0),
    (("replay", "diff", SKIRMISH, "100", "101"), 1), (("replay", "diff", "--json", SKIRMISH, "100", "101"), 1),
    (("replay", "diff", SKIRMISH, SHORT), 1), (("replay", "diff", SKIRMISH, REGATTA), 3),
    (("replay", "export", SHORT), 0), (("replay", "print", SKIRMISH, "9999"), 2),
    (("schedule", "list", "--sim", "skirmish"), 0), (("schedule", "check", "--sim", "regatta"), 0),
    (("schedule", "graph", "--sim", "skirmish"), 0), (("schedule", "graph", "--sim", "toyphys", "--format", "svg"), 0),
    (("schedule", "graph", "--sim", "skirmish", "--format", "dot"), 0),
    (("schedule", "graph", "--sim", "skirmish", "--format", "json"), 0),
)
# Functions of the system's C library, each called by a module of its own.
CALLS = {
    "rand": "int rand(void); int call(void); int call(void) { return rand(); }",
    "qsort": "typedef int order(const void *, const void *);\n"
             "void qsort(void *, unsigned long long, unsigned long long, order *); void call(int *list, order *of);\n"
             "void call(int *list, order *of) { qsort(list, 4, sizeof *list, of); }",
    "tan": "double tan(double); double call(double x); double call(double x) { return tan(x); }",
}
HELP = ("serve", "join", "relay", "verify")
# Times of a run.
MEASURED = re.compile(r"[\d.]+ (?:ns|us|ms|s)\b|(?<=seconds=)[\d.]+|(?<=ticks_per_second=)\d+"
                      r"|(?<=times_real_time=)[\d.]+")


def outputs(wine: Wine, *words: str) -> list[tuple[int, str, str]]:
    """Code, output and errors on Linux and on Windows."""
    done = [subprocess.run([*program, *words], cwd=wine.folder, env=wine.environment, capture_output=True,
                           timeout=PATIENCE_S, check=False) for program in (wine.linux, wine.windows)]
    return [(one.returncode, *(MEASURED.sub("TIME", text.decode("utf-8").replace("\r", ""))
                               for text in (one.stdout, one.stderr)))
            for one in done]


def check_same(wine: Wine, *words: str, code: int = 0) -> None:
    linux, windows = outputs(wine, *words)
    if linux != windows or linux[0] != code or not linux[1] + linux[2]:
        raise Failure(f"{' '.join(words)}, wanted {code}: {linux} on Linux, {windows} on Windows")


def check_outputs(wine: Wine) -> None:
    golden = ROOT / "replays/golden"
    shutil.copy(golden / "skirmish.lsr", wine.folder / SKIRMISH)
    shutil.copy(golden / "regatta.lsr", wine.folder / REGATTA)
    wine.run(wine.linux, "replay", "cut", SKIRMISH, "--to", "200", "--output", SHORT)
    whole = (golden / "skirmish.lsr").read_bytes()
    (wine.folder / TORN).write_bytes(whole[:len(whole) * 2 // 3])
    for words, code in SAME:
        check_same(wine, *words, code=code)
    for command in HELP:
        check_same(wine, command, "--help")
    for words in (("replay", "rerun", SHORT), ("replay", "repair", TORN), ("replay", "cut", SKIRMISH, "--from", "200")):
        check_written(wine, *words)
    print(f"outputs: {len(SAME) + len(HELP) + 3} commands print and write the same on both")


def check_written(wine: Wine, *words: str) -> None:
    """The files of both systems hold the same frames, and both verify them."""
    exports = []
    for program, name in ((wine.linux, "linux.lsr"), (wine.windows, "windows.lsr")):
        wine.run(program, *words, "--output", name)
        exports.append(wine.run(wine.linux, "replay", "export", name).splitlines()[1:-1])  # builds and names differ
        for other in (wine.linux, wine.windows):
            wine.run(other, "verify", name, says="verified ticks=")
        (wine.folder / name).unlink()
    if exports[0] != exports[1]:
        raise Failure(f"{' '.join(words)}: the recordings differ")


def check_resume(wine: Wine) -> None:
    """A server is killed in a match, and one on the same or the other system continues it with its clients."""
    for first, second, name in ((wine.windows, wine.windows, "Windows, Windows"),
                                (wine.linux, wine.windows, "Linux, Windows"),
                                (wine.windows, wine.linux, "Windows, Linux")):
        for attempt in range(1, ATTEMPTS + 1):
            try:
                tick = resume(wine, first, second, name)
                break
            except PortKept as fault:
                if attempt == ATTEMPTS:
                    raise
                print(f"resume, {name}: {fault}; it begins anew", flush=True)
                shutil.rmtree(wine.folder / name)
        print(f"resumed: {name}, killed at tick {tick}, ended at {RESUMED_TICKS}, verified by both")


class PortKept(Failure):
    """wineserver owns the sockets of Windows programs. Rarely it keeps that of a killed one, and no server can listen
    there again. That is a fault of Wine: the killed process is gone."""


def wait_free(port: int) -> None:
    """wineserver closes the socket of a killed process a little later."""
    until = time.monotonic() + CLOSE_S
    while True:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            try:
                probe.bind(("127.0.0.1", port))
                return
            except OSError as fault:
                if time.monotonic() > until:
                    raise PortKept(f"port {port} is in use {CLOSE_S} s after its process was killed") from fault
        time.sleep(0.05)


def resume(wine: Wine, first: list[str], second: list[str], name: str) -> int:
    common = ("--sim", "skirmish", "--set", "units=200", "--players", "2", "--wait", "2", "--tick-rate", str(TICK_RATE),
              "--ticks", str(RESUMED_TICKS), "--policy", "wait", "--sync-ticks", "20", "--log", f"{name}.log")
    server, address = wine.serve(first, *common, "--identity", "resume.id", "--record", name)
    port = re.search(r":(\d+)#", address)[1]
    bots = wine.start("bots.txt", wine.linux, "join", address, "--bots", "2")
    try:
        wine.wait_line(bots, "bots.txt", r"^tick [1-9]\d\d  ")
        server.kill()
        server.wait(START_S)
        (wine.folder / "resume.id").chmod(0o600)  # Wine makes files as the umask says
        wait_free(int(port))
        server, _ = wine.serve(second, *common, "--identity", "resume.id", "--resume", name, "--port", port)
        said = wine.wait_code(server, "server.txt", 0, rf"ended tick={RESUMED_TICKS} root=\w+ desyncs=0")
        bots_said = wine.wait_code(bots, "bots.txt", 0, f"the match ended at tick {RESUMED_TICKS}")
    finally:
        for process in (server, bots):
            process.kill()
            process.wait()
    if "resumed 1 of 1 unfinished matches" not in said or "hashes agreed" not in bots_said:
        raise Failure(f"resume, {name}:\n{said}\n{bots_said}")
    root = re.search(rf"ended tick={RESUMED_TICKS} root=(\w+)", said)[1]
    for program in (wine.linux, wine.windows):
        wine.run(program, "verify", "--require-signed", name, says=rf"root={root}")
    for program in (wine.linux, wine.windows):
        server = wine.start("server.txt", program, "serve", *common[:2], "--bind", "127.0.0.1", "--port", "0",
                            "--wait", "0", "--ticks", "1", "--identity", "resume.id", "--resume", name)
        wine.wait_code(server, "server.txt", 0, f"nothing to resume in {name}")
    return int(re.search(r"(?m)^restored tick=(\d+)", wine.text_of(f"{name}.log"))[1])


def check_module_versions(wine: Wine) -> None:
    """A module of an earlier and one of a later LS_SIM_ABI: one line, and the code, of Linux."""
    (wine.folder / "module.c").write_text(MODULE, encoding="utf-8")
    for name, abi in (("earlier", "(LS_SIM_ABI-65536)"), ("later", "(LS_SIM_ABI+65536)")):
        flags = (f"-DADDS={ADDS['good']}", f"-DABI={abi}")
        wine.compile(f"{name}.dll", *flags)
        subprocess.run(["gcc", *FLAGS, "-shared", "-fPIC", f"-I{ROOT}/include", '-DLS_SIM_SOURCE_HASH="1"', *flags,
                        "module.c", "-o", f"{name}.so"], cwd=wine.folder, check=True)
        for command in (("run",), ("serve", "--port", "0"), ("verify", str(ROOT / "replays/golden/skirmish.lsr"))):
            said = [wine.run(program, *command, "--sim", f"./{name}.{ending}",
                             code=INCOMPATIBLE).replace(f".{ending}", "")
                    for program, ending in ((wine.linux, "so"), (wine.windows, "dll"))]
            if said[0] != said[1] or len(said[0].splitlines()) != 1:
                raise Failure(f"{name}, {command}: {said[0]} on Linux, {said[1]} on Windows")
    check_missing_function(wine)
    print("module versions: an earlier and a later LS_SIM_ABI and a missing function of the engine are refused as on "
          "Linux")


def check_calls(wine: Wine) -> None:
    """`check` names functions whose results other machines need not have."""
    for name, source in (("nothing", "int call(void); int call(void) { return 1; }"), *CALLS.items()):
        (wine.folder / "call.c").write_text(source + "\n", encoding="utf-8")
        module = wine.compile(f"calls {name}.dll", f"-DADDS={ADDS['good']}", "-DABI=LS_SIM_ABI", "-fno-builtin",
                              str(wine.folder / "call.c"))
        text = wine.run(wine.windows, "check", "--sim", f"./{module}", "--ticks", "5", "--seeds", "1", "--only", "base",
                        says="0 failed")
        found = re.findall(r"(?m)^warning: drift calls (.*?): another machine or C library", text)
        if found != [f"{name}()"] * (name in CALLS):
            raise Failure(f"a module that calls {name}:\n{text}")
    print(f"calls: `check` names {', '.join(CALLS)}")


def check_ipv6(wine: Wine) -> None:
    """Each system serves bots of the other one."""
    try:
        with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as probe:
            probe.bind(("::1", 0))
    except OSError as fault:
        raise Skipped("this machine has no IPv6") from fault
    for first, second in ((wine.linux, wine.windows), (wine.windows, wine.linux)):
        server, address = wine.serve(first, "--bind", "::1", "--sim", "skirmish", "--set", "units=200", "--players", "2",
                                     "--wait", "2", "--ticks", "120", "--tick-rate", str(TICK_RATE), "--policy", "wait")
        try:
            wine.run(second, "join", address, "--bots", "2", says="hashes agreed")
            wine.wait_code(server, "server.txt", 0, r"ended tick=120 root=\w+ desyncs=0")
        finally:
            server.kill()
            server.wait()
    print(f"IPv6: {address.partition('#')[0]}")


def check_module_paths(wine: Wine) -> None:
    """A module at a path of more than 260 characters, with blanks and letters of other alphabets, runs as another one,
    in processes of their own too; of a bad one, the line and the code are those of Linux."""
    deep = "/".join(["ein ordner mit ü und 雪 " + "z" * 40] * 6)
    (wine.folder / deep).mkdir(parents=True)
    good = f"./{deep}/drift 雪.dll"
    wine.compile("drift.dll", f"-DADDS={ADDS['good']}", "-DABI=LS_SIM_ABI")
    shutil.copy(wine.folder / "drift.dll", wine.folder / good)
    roots = {re.search(r"root=\w+", wine.run(wine.windows, "run", "--sim", module, "--ticks", "50"))[0]
             for module in ("drift.dll", good)}
    if len(roots) != 1:
        raise Failure(f"module paths: {roots}")
    wine.run(wine.windows, "schedule", "check", "--sim", good, says="builds")
    wine.run(wine.windows, "check", "--sim", good, "--ticks", "20", "--seeds", "1", says="0 failed")
    wine.run(wine.windows, "serve", "--sim", good, "--wait", "0", "--ticks", "60", "--tick-rate", "200", "--bind",
             "127.0.0.1", "--port", "0", "--record", deep, says="ended tick=60")
    recording = next((wine.folder / deep).glob("*.lsr")).relative_to(wine.folder)
    wine.run(wine.windows, "verify", str(recording), str(recording), "--sim", good, says="files=2 good=2")
    wine.run(wine.windows, "explain", str(recording), "--sim", good, says="class +nothing found")
    flags = (f"-DADDS={ADDS['good']}", "-DABI=(LS_SIM_ABI+65536)")
    whole = (wine.folder / wine.compile("later.dll", *flags)).read_bytes()
    subprocess.run(["gcc", *FLAGS, "-shared", "-fPIC", f"-I{ROOT}/include", '-DLS_SIM_SOURCE_HASH="1"', *flags,
                    "module.c", "-o", "later.so"], cwd=wine.folder, check=True)
    for name, ours, theirs, code in (("later", whole, (wine.folder / "later.so").read_bytes(), INCOMPATIBLE),
                                     ("cut", whole[:len(whole) // 2], whole[:len(whole) // 2], USAGE)):
        lines = []
        for program, ending, data in ((wine.linux, "so", theirs), (wine.windows, "dll", ours)):
            (wine.folder / deep / f"{name}.{ending}").write_bytes(data)
            lines.append(wine.run(program, "run", "--sim", f"./{deep}/{name}.{ending}", code=code,
                                  says=re.escape(deep)).replace(f".{ending}", ""))
        if len(lines[1].splitlines()) != 1 or (name == "later" and lines[0] != lines[1]):
            raise Failure(f"module paths, {name}: {lines[0]} on Linux, {lines[1]} on Windows")
    print(f"module paths: {len(str(wine.folder / good))} characters: {roots.pop()} as elsewhere, and the errors of "
          "Linux")


def check_missing_function(wine: Wine) -> None:
    """A module that was built for an engine with another function, which this one lacks."""
    (wine.folder / "later.c").write_text("void ls_later(void); void *later(void); "
                                         "void *later(void) { return (void *)ls_later; }\n", encoding="utf-8")
    (wine.folder / "later.def").write_text("LIBRARY lockstep.exe\nEXPORTS\nls_later\n", encoding="utf-8")
    subprocess.run([COMPILER.replace("gcc", "dlltool"), "-d", "later.def", "-l", "later.a"], cwd=wine.folder,
                   check=True)
    flags = (f"-DADDS={ADDS['good']}", "-DABI=LS_SIM_ABI")
    wine.compile("wants.dll", *flags, str(wine.folder / "later.c"), after=(str(wine.folder / "later.a"),))
    subprocess.run(["gcc", *FLAGS, "-shared", "-fPIC", f"-I{ROOT}/include", '-DLS_SIM_SOURCE_HASH="1"', *flags,
                    "module.c", "later.c", "-o", "wants.so"], cwd=wine.folder, check=True)
    said = [wine.run(program, "run", "--sim", f"./wants.{ending}", code=INCOMPATIBLE,
                     says="undefined symbol: ls_later").replace(f".{ending}", "")
            for program, ending in ((wine.linux, "so"), (wine.windows, "dll"))]
    if said[0] != said[1] or len(said[0].splitlines()) != 1:
        raise Failure(f"a missing function: {said[0]} on Linux, {said[1]} on Windows")


def check_relay(wine: Wine) -> None:
    """A relay on Windows stands between a server and bots of this machine, and one inside of `join` on Windows."""
    counts = []
    for name in ("relay", "join"):
        server, address = wine.serve(wine.linux, "--sim", "skirmish", "--set", "units=200", "--players", "2",
                                     "--wait", "2", "--ticks", "300", "--tick-rate", str(TICK_RATE), "--policy", "wait")
        running = [server]
        bad_line = ("loss=5", "delay=10", "jitter=5")
        try:
            if name == "relay":
                relay = wine.start("relay.txt", wine.windows, "relay", "--to", address,
                                   *(f"--{word}" for word in bad_line), "--seed", "7")
                running.append(relay)
                through = wine.wait_line(relay, "relay.txt", r"^relaying (\S+) to")[1]
                wine.run(wine.linux, "join", through, "--bots", "2", says="hashes agreed")
                relay.send_signal(signal.SIGINT)
                counts.append(wine.wait_code(relay, "relay.txt", 0,
                                             r"(?m)^up +packets \d+  delivered [1-9]\d*  lost [1-9]"))
            else:
                wine.run(wine.windows, "join", address, "--bots", "2", *(f"--relay-{word}" for word in bad_line),
                         says="hashes agreed")
            wine.wait_code(server, "server.txt", 0, r"ended tick=300 root=\w+ desyncs=0")
        finally:
            for process in running:
                process.kill()
                process.wait()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
        taken.bind(("127.0.0.1", 0))
        for words in (("--to", "x:y"), ("--to", "127.0.0.1:1", "--listen", "nowhere:1"),
                      ("--to", "127.0.0.1:1", "--listen", f"127.0.0.1:{taken.getsockname()[1]}")):
            wine.compare("relay", *words)
    print(f"relay: {counts[0].splitlines()[-2]}")


def check_explain(wine: Wine) -> None:
    """Each row has the result of Linux, and the class, tick, system and cell are the same; and of a crash."""
    folder = "erklärt"
    for name in ("good", "hidden", "crash"):
        flags = (f"-DADDS={ADDS[name]}", "-DABI=LS_SIM_ABI")
        wine.compile(f"{name}.dll", *flags)
        subprocess.run(["gcc", *FLAGS, "-shared", "-fPIC", f"-I{ROOT}/include",
                        f'-DLS_SIM_SOURCE_HASH="{wine.source_hash}"', *flags, "module.c", "-o", f"{name}.so"],
                       cwd=wine.folder, check=True)
    wine.run(wine.windows, "serve", "--sim", "./good.dll", "--wait", "0", "--ticks", "100", "--tick-rate", "200",
             "--bind", "127.0.0.1", "--port", "0", "--record", folder, says="ended tick=100")
    recording = f"{folder}/{next((wine.folder / folder).glob('*.lsr')).name}"
    for name, code, wanted, more in (("hidden", 0, "unsaved state", ("--to-test", "fall")), ("crash", 7, "crash", ())):
        texts = [wine.run(program, "explain", recording, "--sim", f"./{name}.{ending}", *more, code=code)
                 for program, ending in ((wine.linux, "so"), (wine.windows, "dll"))]
        said = [explained(text) for text in texts]
        is_run = not more or "it was run, and fails here" in texts[1]
        if said[0] != said[1] or said[0].get("class") != wanted or not is_run:
            raise Failure(f"explain {name}: {texts[0]} on Linux, {texts[1]} on Windows")
        if more and not re.search(r"(?m)^store +unknown: stores are watched on Linux", texts[1]):
            raise Failure(f"explain does not say that stores are not watched:\n{texts[1]}")
    check_same(wine, "explain", "--help")
    check_bundle(wine)
    print("explain: every row of Linux but the filled heap; a crash, unsaved state and a flipped bit, with cell and "
          "class")


def check_bundle(wine: Wine) -> None:
    """A client on Windows has a flipped bit: both systems explain the bundle alike."""
    server, address = wine.serve(wine.linux, "--sim", "skirmish", "--set", "units=200", "--players", "2", "--wait", "2",
                                 "--ticks", "300", "--tick-rate", str(TICK_RATE), "--policy", "wait",
                                 "--desync", "report", "--record", "bündel")
    try:
        wine.run(wine.windows, "join", address, "--bots", "2", "--corrupt-at", "150", code=1)
        wine.wait_code(server, "server.txt", 0, "desyncs=1")
    finally:
        server.kill()
        server.wait()
    bundle = f"bündel/{next((wine.folder / 'bündel').glob('*.desync-*')).name}"
    said = [explained(wine.run(program, "explain", bundle)) for program in (wine.linux, wine.windows)]
    if said[0] != said[1] or "class" not in said[0]:
        raise Failure(f"explain {bundle}: {said[0]} on Linux, {said[1]} on Windows")


def explained(text: str) -> dict[str, str]:
    """Rows and conclusions, without what needs watched stores, lines or a filled heap."""
    rows = dict(re.findall(r"(?m)^  (\S.{25})\s*(.*?)(?: \(drift.*)?$", text.partition("\nclass")[0]))
    ends = dict(re.findall(r"(?m)^(class|because|tick|system|page|component|entity|field|value|why) +(.*)$", text))
    return {name.strip(): what for name, what in (rows | ends).items() if not name.startswith("heap filled")}
