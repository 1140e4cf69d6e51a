"""lockstep-N.dll of the zip of scripts/windows-zip: its exports are the functions of the public headers, and programs
that are linked with it join a server of this machine with a session and read its recording, whole, cut and damaged."""
import pathlib
import re
import shutil
import subprocess
import sys
import zipfile

from wine import COMPILER, FLAGS, LIBRARY, ROOT, WINE, Failure, Wine

sys.path.insert(0, str(ROOT / "tests/package"))
import abi # pylint: disable=wrong-import-position

OWN = {"ls_sim_float_faults"}  # each module and program has its own
COUNTER = ROOT / "tests/package/consumer/counter.c"
TICKS = 60


def exports(library: pathlib.Path) -> set[str]:
    text = subprocess.run([COMPILER.replace("gcc", "objdump"), "-p", str(library)], capture_output=True, text=True,
                          check=True).stdout
    return set(re.findall(r"(?m)^\s*\[ *\d+\] (?:\+base\[ *\d+\] +\w+ )?(\w+)$", text.partition("Name Pointer")[2]))


def check_names(library: pathlib.Path, wanted: set[str]) -> None:
    """Fails with the names that the library lacks and with those that it has too many."""
    found = exports(library)
    if found != wanted:
        raise Failure(f"{library.name}: lacks {sorted(wanted - found)}, has too many {sorted(found - wanted)}")


def check_exports(wine: Wine) -> None:
    """Of lockstep-N.dll, and of lockstep.exe for its modules."""
    wanted = {one["name"] for one in abi.functions_of(abi.describe())} - OWN
    programs = pathlib.Path(wine.options.exe).resolve()
    for library in (programs.parents[1] / LIBRARY, programs):
        check_names(library, wanted)
    # The check can fail: a library without a function, with another one.
    planted = sorted(wanted - {"ls_world_root"} | {"ls_planted"})
    (wine.folder / "planted.c").write_text("".join(f"void {name}(void) {{}}\n" for name in planted), encoding="utf-8")
    subprocess.run([COMPILER, "-shared", "planted.c", "-o", "planted.dll"], cwd=wine.folder, check=True)
    try:
        check_names(wine.folder / "planted.dll", wanted)
    except Failure as failure:
        if str(failure) != "planted.dll: lacks ['ls_world_root'], has too many ['ls_planted']":
            raise
    else:
        raise Failure("a library with other exports passes")
    print(f"exports: the {len(wanted)} functions of the public headers, of {LIBRARY} and lockstep.exe")


class Linked:
    """Programs beside lockstep-N.dll of the zip, and the same simulation as a module of this machine."""

    def __init__(self, wine: Wine):
        self.wine = wine
        with zipfile.ZipFile(wine.options.zip) as archive:
            archive.extractall(wine.folder / "mit der dll")
        self.place = wine.folder / "mit der dll" / "lockstep"
        self.hash = wine.run(wine.linux, "source-hash", str(COUNTER)).split()[-1]
        subprocess.run(["gcc", *self.flags(ROOT / "include"), "-shared", "-fPIC", str(COUNTER), "-o",
                        str(wine.folder / "counter.so")], check=True)

    def flags(self, include: pathlib.Path) -> list[str]:
        return [*FLAGS, f"-I{include}", f'-DLS_SIM_SOURCE_HASH="{self.hash}"']

    def link(self, source: str) -> list[str]:
        program = self.place / "bin" / f"{pathlib.Path(source).stem} ü.exe"
        subprocess.run([COMPILER, *self.flags(self.place / "include"), str(ROOT / source), str(COUNTER), "-o",
                        str(program), str(self.place / "lib/liblockstep.dll.a"), "-Wl,-Bstatic", "-lpthread"],
                       check=True)  # clock_gettime() is in the library of threads
        return [WINE, str(program)]

    def record(self) -> str:
        """A session over the DLL plays a match of a server of this machine; the recording."""
        server, address = self.wine.serve(self.wine.linux, "--sim", "./counter.so", "--wait", "1", "--ticks",
                                          str(TICKS), "--record", "sitzung")
        host, port = re.match(r"(.*):(\d+)#", address).groups()
        try:
            self.wine.run(self.link("tests/package/shared/player.c"), host, port,
                          says=rf"^ended tick={TICKS} acked=1 diverged=0$")
            self.wine.wait_code(server, "server.txt", 0, rf"ended tick={TICKS} root=\w+ desyncs=0")
        finally:
            server.kill()
            server.wait()
        shutil.move(next((self.wine.folder / "sitzung").glob("*.lsr")), self.wine.folder / "sitzung ü.lsr")
        return "sitzung ü.lsr"

    def compare(self, reader: list[str], name: str) -> tuple[int, str]:
        """The program that is linked with the DLL says of a file what `lockstep verify` of this machine says."""
        ours = subprocess.run(reader, input=f"{name}\n".encode(), cwd=self.wine.folder, env=self.wine.environment,
                              capture_output=True, check=False)
        theirs = subprocess.run([*self.wine.linux, "verify", name, "--sim", "./counter.so"], cwd=self.wine.folder,
                                capture_output=True, check=False)
        lines = [said(ours), said(theirs)]
        if lines[0] != lines[1] or (ours.returncode == 0) != (theirs.returncode == 0) or not lines[0]:
            raise Failure(f"{name}: {ours.returncode}, {lines[0]} with {LIBRARY}, "
                          f"{theirs.returncode}, {lines[1]} on Linux")
        return ours.returncode, "\n".join(lines[0])


def said(done: subprocess.CompletedProcess) -> list[str]:
    """What both print: how the file ends, its ticks and root, or the error."""
    text = (done.stdout + done.stderr).decode("utf-8", errors="replace").replace("\r", "")
    text = re.sub(r"(?m)^(?:reader|lockstep verify): ", "", text)
    return [re.sub(r"(root=\w+) .*", r"\1", line) for line in text.splitlines() if not line.startswith("signed ")]


def check_library(wine: Wine) -> None:
    linked = Linked(wine)
    recording = linked.record()
    reader = linked.link("tests/determinism/reader.c")
    code, whole = linked.compare(reader, recording)
    if code != 0 or not re.search(rf"\nverified ticks={TICKS} root=\w+$", whole):
        raise Failure(f"{recording}: {code}, {whole}")
    data = (wine.folder / recording).read_bytes()
    refused = 0
    for count in (0, 10, 100, len(data) // 2, len(data) - 1):
        (wine.folder / "kurz ü.lsr").write_bytes(data[:count])
        refused += linked.compare(reader, "kurz ü.lsr")[0] != 0
    (wine.folder / "kurz ü.lsr").write_bytes(data[:100] + bytes([data[100] ^ 1]) + data[101:])
    linked.compare(reader, "kurz ü.lsr")
    linked.compare(reader, "fehlt ü.lsr")
    if refused != 3:
        raise Failure(f"{refused} of 5 cut recordings are refused, wanted the 3 that are cut in the header")
    print(f"library: a session over {LIBRARY} played {TICKS} ticks; of the recording, whole, cut and damaged, it "
          "says what Linux says")
