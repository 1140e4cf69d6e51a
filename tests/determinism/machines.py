#!/usr/bin/env python3
"""The targets of ./matrix, their proofs, and the tables that it prints. ./matrix installs what this needs.

usage: machines.py [--build] [--list] [--document] [--setup-seconds N] [TARGET...]
"""
import argparse
import concurrent.futures
import dataclasses
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
OUT = ROOT / "build" / "matrix"
SOURCES = OUT / "sources"
PAGE = ROOT / "docs" / "determinism.md"
RESULTS = OUT / "results.json"  # the rows of the last run of each target, and of the last live matches of all
REFERENCE = "x86-64"
LIVE_TICKS = 600
# Only a step that hangs takes so long, whatever else the machine does.
LIMIT_S = 1500
# What a step prints of a part that this machine cannot run.
SKIP_CODE = 77  # of a step that this machine cannot run at all; its last line is "skipped: REASON"
SKIPPED = re.compile(r"SKIPPED: ([^:]+): (.+)")
# In qemu the ways but the serial one play this much of GOLDEN's 2,000 ticks: the rest says nothing more about a
# processor.
EMULATED_TICKS = 250
WHOLE_S = 15 * 60  # what a run of all may take on two cores
# The simulations of each proof; the folder has a file for each.
GOLDEN = {"digest": ("replays/golden", "skirmish", "cannon", "colony", "fountain"), "regatta": ("replays/golden", "regatta"),
          "floats": ("tests/determinism", "floats")}


@dataclasses.dataclass(frozen=True)
class Target:
    name: str
    what: str  # compiler and machine, for docs/determinism.md
    compiler: str
    flags: str = ""
    runner: tuple[str, ...] = ()
    system: str = "Linux"
    has_threads: bool = True
    needs: tuple[str, ...] = ()  # features of this machine's CPU
    has_program: bool = True  # builds desync/ and cli/, too
    tools: str = ""  # an option for these two
    shares: bool = False  # links the libraries of others that REFERENCE has built
    plays: bool = False  # takes part in the live matches of all machines
    bits: int = 64  # of a pointer
    options: tuple[str, ...] = ()
    fma: str | None = None  # with these options its compiler uses a fused multiply-add; None: no modules are tried
    soft: str = ""  # with these it has another convention for floats

    @property
    def folder(self) -> pathlib.Path:
        return OUT / self.name

    def program(self, name: str) -> list[str]:
        path = self.folder / (name + (".exe" if self.system == "Windows" else ""))
        return [*self.runner, str(path.relative_to(ROOT))]

    def has(self, name: str) -> bool:
        return (ROOT / self.program(name)[-1]).exists()


def variant(name: str, what: str, compiler: str, flags: str, **more) -> Target:
    """x86-64 with other options or another compiler."""
    return Target(name, what, compiler, flags, shares=True, **({"has_program": False} | more))


def emulated(name: str, what: str, triple: str, cpu: str, **more) -> Target:
    runner = (f"qemu-{cpu}-static", "-L", f"/usr/{triple}")
    return Target(name, f"gcc 12, {what}, qemu", f"{triple}-gcc", "-O2", runner, plays=True, **({"fma": ""} | more))


WASI = (f"-DCMAKE_MODULE_PATH={ROOT}/cmake/cross", "-DCMAKE_C_COMPILER_TARGET=wasm32-wasi",
        "-DCMAKE_C_COMPILER_WORKS=1", "-DCMAKE_TRY_COMPILE_TARGET_TYPE=STATIC_LIBRARY")
I686 = "/usr/i686-linux-gnu/lib"  # which the system's loader does not know
TARGETS = (
    Target("x86-64", "gcc 12, `-O2`", "gcc-12", "-O2", plays=True),
    emulated("s390x", "big-endian", "s390x-linux-gnu", "s390x"),
    Target("windows", "mingw-w64 gcc 12, Wine", "x86_64-w64-mingw32-gcc", "-O2",
           ("env", "WINEDEBUG=-all", shutil.which("wine64") or "wine"), "Windows", plays=True),
    emulated("ppc64le", "little-endian POWER", "powerpc64le-linux-gnu", "ppc64le", tools="-O0"),
    emulated("riscv64", "RISC-V", "riscv64-linux-gnu", "riscv64", soft="-march=rv64imac -mabi=lp64", tools="-O0"),
    emulated("aarch64", "ARM, 64 bits", "aarch64-linux-gnu", "aarch64"),
    emulated("armhf", "ARM, 32 bits", "arm-linux-gnueabihf", "arm", bits=32, fma="-mfpu=vfpv4",
             soft="-mfloat-abi=softfp", tools="-O0"),
    Target("wasm32", "clang 14, WebAssembly, node", "clang-14", "-O2", ("scripts/run-wasi",), "WASI", has_threads=False,
           options=WASI, bits=32),
    Target("i686", "gcc 12, 32 bits, SSE2", "i686-linux-gnu-gcc", "-O2 -msse2 -mfpmath=sse", plays=True, bits=32, tools="-O0", fma="-mfma",
           options=(f"-DCMAKE_EXE_LINKER_FLAGS=-Wl,--dynamic-linker={I686}/ld-linux.so.2,-rpath,{I686}",)),
    Target("musl", "gcc 12, musl", "musl-gcc", f"-O2 -isystem {OUT}/kernel-headers", plays=True, tools="-O0"),
    variant("x86-64-clang14", "clang 14, `-O2`", "clang-14", "-O2"),
    variant("x86-64-clang19", "clang 19, `-O2`", "clang-19", "-O2", has_program=True, tools="-O0"),
    variant("x86-64-O0", "gcc 12, `-O0`", "gcc-12", "-O0"),
    variant("x86-64-O3", "gcc 12, `-O3`", "gcc-12", "-O3"),
    variant("x86-64-native", "gcc 12, `-O2 -march=native`", "gcc-12", "-O2 -march=native"),
    variant("x86-64-no-fma", "gcc 12, `-O3 -march=x86-64-v3 -mno-fma`", "gcc-12", "-O3 -march=x86-64-v3 -mno-fma",
            needs=("avx2", "bmi2", "f16c", "movbe")),
)
NAMES = {target.name: target for target in TARGETS}
# What each component of tests/determinism/traps/ breaks, for docs/determinism.md.
RULES = {
    "alignment": "the size of a struct with a 64-bit member is in the state",
    "argument_order": "two draws are arguments of one call",
    "byte_order": "an integer is read by its bytes",
    "char_sign": "a `char` is compared or widened",
    "contraction": "compiled with `-ffp-contract=fast`",
    "fast_math": "compiled with `-Ofast`",
    "libm": "`sin`, `exp` and `pow`",
    "nan_bits": "the bits of a NaN",
    "size_t_width": "arithmetic in `size_t`",
    "time_t_width": "the size of a `time_t`",
    "unstable_sort": "`qsort` with equal keys",
    "x87": "compiled with `-mfpmath=387`",
}


@dataclasses.dataclass
class Row:
    target: str
    proof: str
    cpu_s: float
    wall_s: float
    result: str  # "passed", "FAILED" or a reason why it did not run


class Runner:
    """Runs steps and prints a row for each. Steps of several targets run at the same time."""

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self.running: set[int] = set()
        self.lock = threading.Lock()

    def add(self, row: Row, output: str = "") -> None:
        with self.lock:
            self.rows.append(row)
            print(f"| {row.target:14} | {row.proof:27} | {row.cpu_s:6.0f} | {row.wall_s:5.0f} | {row.result:6} |")
            if output:
                print(output)
            sys.stdout.flush()

    def run(self, command: list[str], log) -> tuple[int, float]:
        """The exit code and the seconds of processor time, with those of all processes that it waited for."""
        with subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, cwd=ROOT,
                              start_new_session=True) as process:
            self.running.add(process.pid)
            guard = threading.Timer(LIMIT_S, os.killpg, (process.pid, signal.SIGKILL))
            guard.start()
            _, status, usage = os.wait4(process.pid, 0)
            guard.cancel()
            self.running.discard(process.pid)
            process.returncode = os.waitstatus_to_exitcode(status)
        return process.returncode, usage.ru_utime + usage.ru_stime

    def measure(self, target: str, proof: str, commands: list[list[str]], log_name: str) -> bool:
        """One step: commands, one after another until one fails."""
        path = OUT / target / f"{log_name}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        began, cpu_s, code = time.monotonic(), 0.0, 0
        with open(path, "w", encoding="utf-8") as log:
            for command in commands:
                try:
                    code, seconds = self.run(command, log)
                except OSError as error:
                    log.write(f"{error}\n")
                    code, seconds = 1, 0.0
                cpu_s += seconds
                if code != 0:
                    break
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
        early = [line for line in lines[:-20] if line.startswith("FAILED")]
        output = "\n".join([*early, *lines[-20:]]) if code != 0 else ""
        last = lines[-1] if lines else ""
        is_skipped = code == SKIP_CODE and last.startswith("skipped: ")
        result = "passed" if code == 0 else last if is_skipped else "FAILED"
        self.add(Row(target, proof, cpu_s, time.monotonic() - began, result), "" if is_skipped else output)
        for name, reason in (match.groups() for match in map(SKIPPED.fullmatch, lines) if match):
            self.add(Row(target, name, 0, 0, f"skipped: {reason}"))
        return code == 0

    def stop(self) -> None:
        for pid in list(self.running):
            os.killpg(pid, signal.SIGKILL)

    def count(self, result: str) -> int:
        return sum(row.result == result for row in self.rows)


def cpu_facts() -> tuple[str, set[str]]:
    """The name and the features of this machine's CPU."""
    text = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8")
    name, flags = re.search(r"^model name\s*: (.*)", text, re.M), re.search(r"^flags\s*: (.*)", text, re.M)
    return re.sub(r"\((?:R|TM)\)", "", name.group(1)) if name else "?", set(flags.group(1).split()) if flags else set()


def ways(target: Target) -> str:
    return "all ways" if target.has_threads else "no threads"


def link_kernel_headers() -> None:
    """musl has no headers of the kernel; gcc finds these before its own folders and no others of glibc."""
    folder = OUT / "kernel-headers"
    folder.mkdir(parents=True, exist_ok=True)
    for name, place in (("linux", "linux"), ("asm-generic", "asm-generic"), ("asm", "x86_64-linux-gnu/asm")):
        link = folder / name
        link.unlink(missing_ok=True)
        link.symlink_to(f"/usr/include/{place}")


def build_commands(target: Target, is_shared: bool) -> list[list[str]]:
    for name in ("player", "host", "player_dll", "consumer_shared", "cli/lockstep"):  # none of an earlier build may play
        (ROOT / target.program(name)[-1]).unlink(missing_ok=True)
    launcher = shutil.which("ccache")
    folder = str(target.folder)
    return [["cmake", "-S", "cmake/cross", "-B", folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=None",
             f"-DCMAKE_SYSTEM_NAME={target.system}", f"-DCMAKE_C_COMPILER={target.compiler}",
             f"-DCMAKE_C_FLAGS={target.flags}", f"-DLOCKSTEP_SOURCES={SOURCES if SOURCES.exists() else ''}",
             f"-DLOCKSTEP_LIBRARIES={OUT / REFERENCE if is_shared else ''}",
             f"-DLOCKSTEP_PROGRAM={'ON' if target.has_program else 'OFF'}", f"-DLOCKSTEP_TOOLS={target.tools}",
             f"-DLOCKSTEP_SHARED={'ON' if target.system == 'Linux' and not target.shares else 'OFF'}",
             # No proof is of the libraries of others, and optimised they take half of a build. They are in the zip for
             # Windows.
             f"-DLOCKSTEP_FOREIGN={'' if target.system == 'Windows' else '-O0'}", *target.options,
             *([f"-DCMAKE_C_COMPILER_LAUNCHER={launcher}"] if launcher else [])],
            ["ninja", "-C", folder, "-j", str(os.cpu_count() or 2), "all", *(["site"] if target.system == "WASI" else [])]]


def interface_commands(target: Target) -> list[list[str]]:
    """The public structs, enums and macros are as on x86-64, without the structs where a pointer has 32 bits; for Windows
    each header compiles alone in C17, C++17 and C++20."""
    layouts = target.folder / "layouts.c"
    rules = [sys.executable, "-B", "tests/package/layouts.py", *["--values"] * (target.bits == 32)]
    layouts.write_text(subprocess.run(rules, cwd=ROOT, check=True, capture_output=True, text=True).stdout, encoding="utf-8")
    flags = ["-std=c17", "-ffp-contract=off", *(["-fexcess-precision=fast"] if "gcc" in target.compiler else [])]
    commands = [[target.compiler, *flags, *target.flags.split(), "-Iinclude", "-fsyntax-only", str(layouts)]]
    if target.system == "Windows":
        commands.append([sys.executable, "-B", "tests/package/test_headers.py", "--compilers", target.compiler,
                         target.compiler.replace("gcc", "g++")])
    return commands


def library_commands(target: Target) -> list[list[str]]:
    """liblockstep.so exports what the headers declare, and a program computes the same with it and with the archives."""
    forms = [" ".join(target.program(f"consumer_{form}")) for form in ("static", "shared")]
    compare = 'static=$($0) && shared=$($1) && echo "$shared" && [ "$shared" = "$static" ]'
    return [[sys.executable, "-B", "tests/package/test_shared.py", f"--build={target.folder}",
             "Exports.test_only_what_public_headers_declare", "Exports.test_soname_has_the_abi"],
            ["sh", "-c", compare, *forms]]


def program_commands(target: Target) -> list[list[str]]:
    """`lockstep` verifies the recordings, and refuses modules that do not fit."""
    program = target.program("cli/lockstep")
    commands = [[*program, "verify", "--require-signed", *golden_recordings()]]
    if target.fma is not None:
        commands.append([sys.executable, "-B", "tests/determinism/modules.py", f"--program={' '.join(program)}",
                         f"--compiler={target.compiler} {target.flags}", f"--fma={target.fma}", f"--soft={target.soft}",
                         f"--folder={target.folder / 'modules'}"])
    return commands


def is_emulated(target: Target) -> bool:
    return bool(target.runner) and target.runner[0].startswith("qemu")


def golden_commands(target: Target, proof: str) -> list[list[str]]:
    action = "check" if target.has_threads else "check-unthreaded"
    is_short = is_emulated(target) and "LOCKSTEP_LONG" not in os.environ
    folder, *sims = GOLDEN[proof]
    return [[*target.program("golden"), action, sim, f"{folder}/{sim}.txt", *([str(EMULATED_TICKS)] if is_short else [])]
            for sim in sims]


def golden_recordings() -> list[str]:
    return sorted(str(path.relative_to(ROOT)) for path in (ROOT / "replays" / "golden").glob("*.lsr"))


def recording_commands(target: Target) -> list[list[str]]:
    recordings = golden_recordings()
    verifier = target.program("verifier")
    copies = target.folder / "copies"
    copies.mkdir(exist_ok=True)
    commands = [[*verifier, "verify", *recordings], [*verifier, "notice", recordings[0]],
                [*verifier, "cuts", recordings[0], "7" if is_emulated(target) else "1"]]
    if target.system != "WASI":
        commands.append([*verifier, "record", recordings[0], str(copies.relative_to(ROOT))])
    return commands


def lacking_sources() -> str:
    """Why a build has no program."""
    reason = SOURCES / "no-enet"
    if reason.exists():
        return f"no sources of ENet: {reason.read_text(encoding='utf-8').strip()}"
    lacks = [name for name in ("enet", "jansson") if not (SOURCES / name).exists()]
    return f"no sources of {' and '.join(lacks)}" if lacks else "the build made no program"


def prove(runner: Runner, target: Target, is_shared: bool, only_builds: bool) -> None:
    """Builds one target and runs its proofs."""
    lacks = [feature for feature in target.needs if feature not in cpu_facts()[1]]
    if lacks:
        runner.add(Row(target.name, "all", 0, 0, f"skipped: this CPU has no {', '.join(lacks)}"))
        return
    if not runner.measure(target.name, "build, -Werror", build_commands(target, is_shared), "build"):
        return
    has_program = target.has_program and target.system != "WASI"
    if has_program and not target.has("cli/lockstep"):
        runner.add(Row(target.name, "program", 0, 0, "FAILED"), lacking_sources())
    if only_builds:
        return
    if target.system != "WASI" and not target.shares:  # its compiler's options are those of cmake/cross
        runner.measure(target.name, "interface", interface_commands(target), "interface")
    if target.has("consumer_shared"):
        runner.measure(target.name, "shared library", library_commands(target), "library")
    for proof in GOLDEN:
        runner.measure(target.name, f"{proof}, {ways(target)}", golden_commands(target, proof), proof)
    runner.measure(target.name, "traps", [[*target.program("traps/traps"), "print"]], "traps")
    if target.has("verifier"):
        runner.measure(target.name, "recordings", recording_commands(target), "recordings")
    else:
        runner.add(Row(target.name, "recordings", 0, 0, "FAILED"), "no sources of zstd and libsodium")
    if has_program and target.has("cli/lockstep") and target.system != "Windows":  # play_windows() has its proofs
        runner.measure(target.name, "program", program_commands(target), "program")


def prove_all(runner: Runner, targets: list[Target], only_builds: bool) -> None:
    """As many targets at a time as there are CPUs. REFERENCE is the first, and the ones that share with it the last. The
    program of Windows plays beside all that comes later: most of its time it waits."""
    ended = {target.name: threading.Event() for target in targets}
    stopped = threading.Event()

    def work(target: Target) -> None:
        is_shared = target.shares and REFERENCE in ended
        if is_shared:
            ended[REFERENCE].wait()
        if stopped.is_set():
            return
        try:
            prove(runner, target, is_shared, only_builds)
        finally:
            ended[target.name].set()

    def play(target: Target) -> None:
        for name in (REFERENCE, target.name):
            ended[name].wait()
        if not stopped.is_set():
            play_windows(runner, target)

    cpus, players = os.cpu_count() or 2, [target for target in targets if target.system == "Windows" and not only_builds]
    with concurrent.futures.ThreadPoolExecutor(cpus) as pool, concurrent.futures.ThreadPoolExecutor(1) as beside:
        futures = [pool.submit(work, target) for target in targets]
        futures += [beside.submit(play, target) for target in players]
        try:
            for future in futures:
                future.result()
        except BaseException:
            stopped.set()
            for future in futures:
                future.cancel()
            runner.stop()
            for event in ended.values():
                event.set()
            raise


def read_hashes(path: pathlib.Path) -> dict[str, str]:
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines() if path.exists() else []
    return dict(line.split() for line in lines if re.fullmatch(r"\w+ [0-9a-f]{16}\s*", line))


def find_traps(folder: pathlib.Path, names: list[str]) -> dict[str, list[str]]:
    """For each broken rule the machines whose component differs from that of REFERENCE."""
    reference = read_hashes(folder / REFERENCE / "traps.txt")
    others = {name: read_hashes(folder / name / "traps.txt") for name in names if name != REFERENCE}
    return {rule: [name for name, own in others.items() if rule in reference and own.get(rule, reference[rule]) !=
                   reference[rule]] for rule in sorted(set(RULES) | set(reference))}


def known_traps(targets: list[Target]) -> dict[str, list[str]]:
    """For each broken rule those of the targets that named it when PAGE was written, whatever this machine's CPU."""
    names = [target.name for target in targets if not target.needs and "native" not in target.flags]
    known = {rule: [] for rule in RULES}
    for rule, machines in re.findall(r"(?m)^\| [^|]+ \| `(\w+)` \| ([^|]+) \|$", PAGE.read_text(encoding="utf-8")):
        if rule in known:
            known[rule] = [name for name in machines.split(", ") if name in names]
    return known


def check_traps(runner: Runner, targets: list[Target], traps: dict[str, list[str]]) -> None:
    """Prints which machines name each broken rule. One failure if a machine no longer names what it named when PAGE was
    written; in a run of all also if a rule has no description, or is named by none."""
    is_whole = len(targets) == len(TARGETS)
    known = known_traps(targets)
    print("\n| broken rule     | differs from x86-64 |\n| --- | --- |")
    is_good = set(traps) == set(RULES)
    for rule, names in traps.items():
        missing = [name for name in known.get(rule, []) if name not in names]
        nowhere = "NOWHERE" if is_whole else "on none of these"
        lost = " ".join(["", "NO LONGER ON", *missing]) if missing else ""
        print(f"| {rule:15} | {' '.join(names) or nowhere}{lost} |")
        is_good = is_good and not missing and bool(names or not is_whole)
    print()
    what = "each rule is named" if is_whole else "compared with x86-64"
    runner.add(Row("all", f"traps, {what}", 0, 0, "passed" if is_good else "FAILED"))


def reference_program() -> str | None:
    """The program `lockstep` of this machine; None: its build has failed, or had no sources."""
    return NAMES[REFERENCE].program("cli/lockstep")[-1] if NAMES[REFERENCE].has("cli/lockstep") else None


def live_clients(targets: list[Target]) -> list[str]:
    clients = []
    for target in targets:
        for program, suffix in (("player", ""), ("player_dll", "-dll")):
            if target.has(program):
                clients.append(f"{target.name}{suffix}={' '.join(target.program(program))}")
    return clients


def play_windows(runner: Runner, target: Target) -> None:
    linux = reference_program()
    if not linux or not target.has("cli/lockstep"):  # a failure of the build
        return
    command = ["tests/determinism/windows.py", "--linux", linux, "--exe", target.program("cli/lockstep")[-1], "--library",
               str(target.folder / "cli/liblockstep_sim.dll.a"), "--zip", str(OUT / "lockstep-windows.zip"), "--folder",
               str(OUT / "live" / "program"), "--prefix", os.environ["WINEPREFIX"]]
    runner.measure(target.name, "program, its zip", [["scripts/windows-zip", "--pack"], command], "program")


def play_matches(runner: Runner, targets: list[Target]) -> None:
    """A server of this machine with a client of each target; a server on s390x with clients of x86-64."""
    server = reference_program()
    if not server:
        runner.add(Row("live", "match", 0, 0, "FAILED"), lacking_sources())
        return
    matches = [(sim, sim, [], [target for target in targets if target.plays]) for sim in ("skirmish", "regatta")]
    big = [target for target in targets if target.name == "s390x" and target.has("host")]
    natives = [target for target in targets if target.name.startswith(REFERENCE)]
    if big and natives:
        matches.append(("skirmish", "server on s390x", ["--host", " ".join(big[0].program("host"))], natives))
    texts = []
    for sim, name, more, players in matches:
        log = f"live-{name.replace(' ', '-')}"
        command = ["tests/determinism/live.py", "--server", server, "--folder", str(OUT / "live" / log), "--sim", sim,
                   "--ticks", str(LIVE_TICKS), *more, *live_clients(players)]
        # What a big-endian server has written is also read when it is cut.
        recording = str((OUT / "live" / log / "recordings/match.lsr").relative_to(ROOT))
        cuts = [[*NAMES[REFERENCE].program("verifier"), "cuts", recording, "7"]] if "--host" in more else []
        runner.measure("live", f"match, {name}", [command, *cuts], log)
        texts.append(f"== {name}\n" + (OUT / "live" / f"{log}.txt").read_text(encoding="utf-8"))
    (OUT / "live.txt").write_text("\n".join(texts), encoding="utf-8")
    play_browsers(runner)


def play_browsers(runner: Runner) -> None:
    """Two browsers, a bot of this machine, and one of the first emulated machine that is built. No server of a target has
    libwebsockets, so it is that of ./test."""
    server, proof = "build/release/cli/lockstep", "match, two browsers"
    if (ROOT / server).exists():
        runner.measure("live", proof, [[sys.executable, "-B", "tests/web/test_web_play.py", server, "Play.test_websockets"]],
                       "live-browsers")
    else:
        runner.add(Row("live", proof, 0, 0, f"skipped: there is no {server}, which ./test builds"))


def replace_between(text: str, marker: str, lines: list[str]) -> str:
    begin, end = f"<!-- {marker}: begin -->\n", f"<!-- {marker}: end -->"
    head, rest = text.split(begin)
    return head + begin + "\n".join(lines) + "\n" + end + rest.split(end)[1]


def target_lines(rows: list[dict]) -> list[str]:
    columns = ("build", "interface", "shared library", *GOLDEN, "traps", "recordings", "program")
    lines = [f"| target | compiler and machine | {' | '.join(columns)} | live match |",
             "| --- | --- |" + " --- |" * (len(columns) + 1)]
    seconds = {(row["target"], row["proof"].split(",")[0]): f"{row['cpu_s']:.0f} s" for row in rows}
    for target in TARGETS:
        skipped = [row["result"] for row in rows if row["target"] == target.name and row["proof"] == "all"]
        cells = skipped + [""] * (len(columns) - 1) if skipped else [seconds.get((target.name, proof), "-")
                                                                     for proof in columns]
        if not skipped and not target.has_threads:
            cells[columns.index("digest")] += f", {ways(target)}"
        live = "yes" if target.plays else "with s390x" if target.name.startswith(REFERENCE) else "-"
        lines.append(f"| `{target.name}` | {target.what} | {' | '.join(cells)} | {live} |")
    return lines


def remember(rows: list[Row], is_whole: bool, wall_s: float) -> None:
    """A run of some targets replaces their rows; a run of all replaces everything."""
    results = {} if is_whole or not RESULTS.exists() else json.loads(RESULTS.read_text(encoding="utf-8"))
    for name in {row.target for row in rows if row.target in NAMES or is_whole}:
        results[name] = [dataclasses.asdict(row) for row in rows if row.target == name]
    if is_whole:
        results |= {"wall_s": wall_s, "again": [], "is_long": "LOCKSTEP_LONG" in os.environ}
    else:
        results["again"] = sorted({*results.get("again", []), *(row.target for row in rows if row.target in NAMES)})
    RESULTS.write_text(json.dumps(results), encoding="utf-8")


def document() -> int:
    """Writes the tables of the last runs into the page."""
    results = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    wall_s, again, is_long = (results.pop(name, default) for name, default in (("wall_s", 0), ("again", []), ("is_long", False)))
    absent = [name for name in (*NAMES, "live") if name not in results]
    rows = [row for own in results.values() for row in own]
    # Not the row of the traps, which are compared with the page that is written here.
    failed = [f"{row['target']}: {row['proof']}" for row in rows if row["result"] == "FAILED" and row["target"] != "all"]
    traps = find_traps(OUT, list(NAMES))
    if absent or failed or not all(traps.values()):
        print(f"machines.py: there are no good results of {', '.join(absent + failed) or 'traps'}; ./matrix makes them",
              file=sys.stderr)
        return 1
    cpus, cpu_s = os.cpu_count() or 2, sum(row["cpu_s"] for row in rows)
    lines = [f"{time.strftime('%Y-%m-%d')}, {cpu_facts()[0]}, {cpus} cores, `./matrix`: {cpu_s:.0f} s of processor "
             f"time, {cpu_s / cpus:.0f} s for each core. It took {wall_s:.0f} s beside the load of that hour. "
             + (f"Alone and later ran: {', '.join(again)}. " if again else "")
             + "The columns have seconds of processor time. In qemu the ways of `digest`, `regatta` and `floats` but the serial one play "
             + ("all 2,000 ticks." if is_long else f"{EMULATED_TICKS} of 2,000 ticks."), "", *target_lines(rows)]
    text = replace_between(PAGE.read_text(encoding="utf-8"), "targets of ./matrix", lines)
    rules = ["| broken rule | component | differs on |", "| --- | --- | --- |"]
    rules += [f"| {RULES[rule]} | `{rule}` | {', '.join(names)} |" for rule, names in traps.items()]
    PAGE.write_text(replace_between(text, "broken rules", rules), encoding="utf-8")
    return 0


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(usage="./matrix [--build | --list | --document] [TARGET...]")
    parser.add_argument("--build", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--document", action="store_true")
    parser.add_argument("--setup-seconds", type=int, default=0)
    parser.add_argument("targets", nargs="*", metavar="TARGET")
    options = parser.parse_args(arguments)
    for name in options.targets:
        if name not in NAMES:
            parser.error(f"there is no target {name}; there are: {' '.join(NAMES)}")
    return options


def run_all(options: argparse.Namespace) -> int:
    began, runner = time.monotonic(), Runner()
    # All others are compared with REFERENCE, and play live with it.
    names = options.targets if options.build else [REFERENCE, *options.targets]
    targets = [target for target in TARGETS if not options.targets or target.name in names]
    os.environ["WINEPREFIX"] = str(OUT / "wine")
    shutil.rmtree(OUT / "live", ignore_errors=True)
    for target in targets:
        (target.folder / "traps.txt").unlink(missing_ok=True)
    link_kernel_headers()
    print("| target         | proof                       | CPU, s |     s | result |\n| --- | --- | --- | --- | --- |")
    prove_all(runner, targets, options.build)
    is_whole = len(targets) == len(TARGETS) and not options.build
    if not options.build:
        if any(target.has("player") for target in targets):
            play_matches(runner, targets)
        elif any(target.plays for target in targets):
            runner.add(Row("live", "match", 0, 0, "FAILED"), lacking_sources())
        check_traps(runner, targets, find_traps(OUT, [target.name for target in targets]))
    wall_s, cpu_s = time.monotonic() - began + options.setup_seconds, sum(row.cpu_s for row in runner.rows)
    print(f"{wall_s:.0f} s, {options.setup_seconds} s of them setup, {cpu_s:.0f} s of processor time")
    if is_whole:
        print(f"{'within' if wall_s <= WHOLE_S else 'more than'} the {WHOLE_S} s that all targets may take on two cores")
    if not options.build:
        remember(runner.rows, is_whole, wall_s)
    failed = runner.count("FAILED")
    skipped = [f"{row.target}: {row.proof}" for row in runner.rows if row.result.startswith("skipped")]
    if skipped:
        print(f"{len(skipped)} skipped: {'; '.join(skipped)}")
    print(f"{runner.count('passed')} passed, {failed} failed")
    return 1 if failed else 0


def main(arguments: list[str]) -> int:
    options = parse(arguments)
    if options.list:
        print("\n".join(NAMES))
        return 0
    return document() if options.document else run_all(options)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
