#!/usr/bin/env python3
"""Hunts desyncs on another processor: builds the whole tree for it (scripts/matrix-sysroot, cmake/cross/sysroot.cmake)
and runs it in qemu.

usage: hunt.py [--native LOCKSTEP] [--folder FOLDER] aarch64|s390x

  build       the program and what follows, with warnings as errors
  units       the unit tests of desync/ and of what a recording is; a steady tick calls no malloc in any byte order
  faults      matches with planted faults: class, system and line are the right ones (where stores are watched)
  cuts        a match recorded there, cut at each of its bytes: that machine and this one say the same
  explained   a desync between clients there: `replay diff` and `explain` of both machines say the same
  races       aarch64: the thread sanitizer finds no race in a team of threads and in the job pool, and a planted one.
              A start takes minutes and 3 GB

--native is this machine's program. Prints a line for each proof with its seconds, and at last "N passed, N failed".
"""
import argparse
import glob
import os
import re
import resource
import shutil
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DEBIAN = {"aarch64": "arm64", "s390x": "s390x"}
WATCHES_STORES = ("aarch64",)
# With the sanitizer there; test_executor takes more than 400 s.
SANITIZED = {"aarch64": [("core", "test_team"), ("server", "test_job_pool")]}
RACE = """#include <pthread.h>
static int shared;
static void *add(void *none) { shared++; return none; }
int main(void) { pthread_t other; pthread_create(&other, 0, add, 0); shared++; return pthread_join(other, 0); }
"""
# A fault for each way to the line: another build, another library, a late client, the check executor, a clock.
FAULTS = ["float_contraction", "libm", "static_counter", "undeclared_write", "wall_clock"]
PRELOADS = ["other_libm", "emulated_execve"]
UNITS = ["test_steady_tick", "test_recording_all", "test_desync_write_watch", "test_desync_statics",
         "test_desync_source", "test_desync_system_search", "test_desync_rerun", "test_desync_start_state",
         "test_desync_ticks", "test_module_file"]
WATCHING = ["test_desync_divergence", "test_desync_write_log", "test_desync_write_log_compare",
            "test_desync_first_difference", "test_desync_skirmish"]
TIMES = re.compile(r" ?\w*(?:seconds|real_time|per_second|_ms)\w*\"?[=:] ?[\d.]+,?")
# Only a step that hangs takes so long, whatever else the machine does.
LIMIT_S = 2400
SHORT = 100  # lines of output that a failure shows


class Failure(Exception):
    pass


def cpu_s():
    """The processor time of all processes that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def run(command, code=0, **more):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
                          timeout=LIMIT_S, **more)
    if code is not None and done.returncode != code:
        raise Failure(f"{' '.join(command)} ends with {done.returncode}:\n"
                      + "\n".join(done.stdout.splitlines()[-SHORT:]))
    return done.stdout


class Hunt:
    def __init__(self, machine, native, folder):
        self.machine, self.native, self.folder = machine, os.path.abspath(native), os.path.abspath(folder)
        self.sysroot = os.path.join(self.folder, "sysroot")
        self.build = os.path.join(self.folder, "build")
        self.emulator = f"qemu-{machine}-static -L {self.sysroot}"
        self.program = os.path.join(self.build, "cli", "lockstep")
        self.work = os.path.join(self.folder, "work")
        shutil.rmtree(self.work, ignore_errors=True)
        os.makedirs(self.work)

    def watches(self):
        return self.machine in WATCHES_STORES

    def units(self):
        return UNITS + (WATCHING if self.watches() else [])

    def there(self, *arguments):
        """The command line of the other machine's program."""
        return [*self.emulator.split(), self.program, *arguments]

    def environment(self):
        return dict(os.environ, LOCKSTEP_EMULATOR=self.emulator,
                    LD_PRELOAD=os.path.join(self.build, "tests", "desync", "emulated_execve.so"))

    def configure(self, build, *options):
        run(["cmake", "-S", ROOT, "-B", build, "-G", "Ninja", f"-DLOCKSTEP_MACHINE={self.machine}",
             f"-DLOCKSTEP_SYSROOT={self.sysroot}", "-DCMAKE_BUILD_TYPE=RelWithDebInfo", "-DLOCKSTEP_TESTS=ON",
             f"-DCMAKE_TOOLCHAIN_FILE={ROOT}/cmake/cross/sysroot.cmake", *options])

    def prove_build(self):
        run([os.path.join(ROOT, "scripts", "matrix-sysroot"), DEBIAN[self.machine], self.sysroot])
        self.configure(self.build, "-DLOCKSTEP_WERROR=ON", "-DCMAKE_C_FLAGS_RELWITHDEBINFO=-O2 -g")
        faults = [f"fault_{name}" for name in FAULTS] + ["fault_float_contraction_other"]
        run(["ninja", "-C", self.build, "lockstep", *(f"{name}_program" for name in self.units()), *PRELOADS,
             *(faults if self.watches() else [])])

    def prove_units(self):
        names = "|".join(self.units())
        run(["ctest", "--test-dir", self.build, "-R", f"^({names})$", "-j", "2", "--timeout", "600", "--no-tests=error",
             "--output-on-failure"])

    def prove_faults(self):
        run([sys.executable, "-B", os.path.join(ROOT, "tests", "desync", "test_faults.py"), "--build", self.build,
             "--emulator", self.emulator, *FAULTS])

    def prove_races(self):
        """The sanitizer's memory has fixed addresses: it cannot start itself again in qemu to get them."""
        build, tests = os.path.join(self.folder, "races"), SANITIZED[self.machine]
        self.configure(build, "-DLOCKSTEP_SANITIZE=thread", "-DCMAKE_EXE_LINKER_FLAGS=-static-libtsan "
                       f"-Wl,-rpath-link,{self.sysroot}/usr/lib/{self.machine}-linux-gnu")
        run(["ninja", "-C", build, *(f"unit_{folder}_threads" for folder, _ in tests)])
        fixed = ["setarch", "-R", *self.emulator.split()]
        race = os.path.join(self.work, "race")
        run([f"{self.machine}-linux-gnu-gcc", f"--sysroot={self.sysroot}", "-g", "-fsanitize=thread", "-static-libtsan",
             "-x", "c", "-", "-o", race], input=RACE)
        if "data race" not in run([*fixed, race], code=None):
            raise Failure("no race is reported where two threads count in one variable")
        for folder, name in tests:
            run([*fixed, os.path.join(build, "tests", "unit", folder, f"unit_{folder}_threads"), name])

    def play(self, name, simulation, ticks, *clients):
        """Plays a match there between clients with these options; returns the folder with its files."""
        folder = os.path.join(self.work, name)
        os.makedirs(folder)
        log = open(os.path.join(folder, "log"), "w", encoding="utf-8")
        server = subprocess.Popen(
            self.there("serve", "--sim", simulation, "--bind", "127.0.0.1", "--port", "0", "--identity", "id",
                       "--ticks", str(ticks), "--tick-rate", "10", "--players", "4", "--wait", str(len(clients)),
                       "--evidence-ms", "10000", "--quiet", "--record", "."),
            cwd=folder, stdout=subprocess.PIPE, stderr=log, text=True)
        processes = [server]
        try:
            address = re.match(r"listening (\S+)", server.stdout.readline())
            if not address:
                raise Failure(f"the server says no address: {open(log.name, encoding='utf-8').read()}")
            for i, options in enumerate(clients):
                processes.append(subprocess.Popen(
                    self.there("join", address.group(1), "--bots", "1", "--evidence-ms", "10000",
                               "--known-servers", f"known{i}", *options), cwd=folder, stdout=log, stderr=log))
            for process in reversed(processes):
                process.wait(300)
        finally:
            for process in processes:
                process.kill()
                process.wait()
            log.close()
        return folder

    def compare(self, *arguments, code=None):
        """Both machines' programs say the same, but for times and for the stores that only one of them watches; returns
        what the other machine's says."""
        texts, stores = [], []
        for command, environment in ((self.there(*arguments), self.environment()),
                                     ([self.native, *arguments], os.environ)):
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
                                  timeout=LIMIT_S, env=environment)
            lines = [TIMES.sub("", line) for line in done.stdout.splitlines()]
            stores.append([line for line in lines if line.startswith("store ")])
            text = "\n".join(line for line in lines if not line.startswith("store "))
            texts.append(f"{text}\nexit code {done.returncode}")
            if code is not None and done.returncode != code:
                raise Failure(f"{' '.join(command)} ends with {done.returncode}:\n{text}")
        if texts[0] != texts[1]:
            raise Failure(f"{arguments[0]}: {self.machine} says\n{texts[0]}\nand this machine\n{texts[1]}")
        return "\n".join([texts[0], *stores[0]])

    def prove_cuts(self):
        folder = self.play("cuts", "regatta", 12, ())
        path, = glob.glob(os.path.join(folder, "*.lsr"))
        with open(path, "rb") as file:
            data = file.read()
        cuts = os.path.join(folder, "cuts")
        os.mkdir(cuts)
        for count in range(len(data) + 1):
            with open(os.path.join(cuts, f"{count:05}.lsr"), "wb") as file:
                file.write(data[:count])
        text = self.compare("verify", cuts)
        last = re.search(r"verified files=(\d+) good=(\d+) corrupt=(\d+)", text)
        files, good, corrupt = map(int, last.groups())
        if files != len(data) + 1 or good + corrupt != files or not good or not corrupt:
            raise Failure(f"{len(data)} bytes: {last.group(0)}")
        if text.count("\n  error ") != corrupt:
            raise Failure(f"not one line for each of {corrupt} errors:\n{text[:3000]}")
        print(f"  {len(data)} bytes: {good} cuts are shorter recordings, {corrupt} are refused in one line")

    def prove_explained(self):
        folder = self.play("explained", "skirmish", 40, (), ("--corrupt-at", "20"))
        bundle, = glob.glob(os.path.join(folder, "*.desync-*"))
        path, = glob.glob(os.path.join(folder, "*.lsr"))
        difference = self.compare("replay", "diff", path, "19", "20", code=1)
        if "Position" not in difference:
            raise Failure(f"no cell differs:\n{difference}")
        text = self.compare("explain", bundle, code=0)
        found = re.search(r"^cell +(.*): server .*, client .*$", text, re.M)
        if not found or f"component  {found.group(1).split('.')[0]}" not in text:
            raise Failure(f"the cell is not found again:\n{text}")
        if not self.watches() and "stores are watched on Linux on x86-64 and aarch64 only" not in text:
            raise Failure(f"not said that stores are not watched:\n{text}")
        print(f"  {found.group(0)}: replay diff and explain say the same here and there")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("machine", choices=sorted(DEBIAN))
    parser.add_argument("--native", default=os.path.join(ROOT, "build", "release", "cli", "lockstep"))
    parser.add_argument("--folder", help="for all that is built (default build/matrix/hunt-MACHINE)")
    parser.add_argument("--only", metavar="PROOF", help="after the build, this proof alone")
    options = parser.parse_args()
    hunt = Hunt(options.machine, options.native,
                options.folder or os.path.join(ROOT, "build", "matrix", "hunt-" + options.machine))
    proofs = ["units", "cuts", "explained"] + (["faults"] if hunt.watches() else [])
    proofs += ["races"] if options.machine in SANITIZED else []
    passed = failed = 0
    for proof in ["build"] + [name for name in proofs if options.only in (None, name)]:
        begin, cpu_begin = time.monotonic(), cpu_s()
        try:
            getattr(hunt, "prove_" + proof)()
            result, passed = "passed", passed + 1
        except (Failure, subprocess.TimeoutExpired, ValueError) as failure:
            print(failure)
            result, failed = "FAILED", failed + 1
        print(f"{options.machine}: {proof} {result}, {time.monotonic() - begin:.0f} s, "
              f"{cpu_s() - cpu_begin:.0f} s of processor time", flush=True)
        if proof == "build" and failed:
            break
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
