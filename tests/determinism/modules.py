#!/usr/bin/env python3
"""Checks that `lockstep` of another machine refuses modules that do not fit, with the line and the code of x86-64: one
whose compiler contracts, one of this machine, and one with another convention for floats. ./matrix runs it.

usage: modules.py --program="EMULATOR LOCKSTEP" --compiler="COMPILER FLAGS" --fma=FLAGS [--soft=FLAGS] --folder=FOLDER
  --fma    with these the compiler uses a fused multiply-add
  --soft   with these it has another convention for floats
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
CONSUMER = ROOT / "tests" / "package" / "consumer"
FLAGS = ("-fno-math-errno", "-Werror=implicit-function-declaration", "-fPIC", '-DLS_SIM_SOURCE_HASH="matrix"',
         f"-I{ROOT}/include")
GOOD, INCOMPATIBLE = 0, 3
CONTRACTED = (r"\S+ was compiled so that floats differ between machines: a \* b \+ c is rounded once instead of twice; "
              r"compile each of its files with -ffp-contract=off \(.*\)")
FOREIGN = r"\S+ was built for another machine \({}\), this lockstep is for .*; build it for this one"
COMMANDS = (("run",), ("check", "--ticks", "5"), ("schedule", "check"), ("serve", "--port", "0"),
            ("verify", str(ROOT / "replays" / "golden" / "skirmish.lsr")))


class Failure(Exception):
    pass


class Modules:
    def __init__(self, options: argparse.Namespace):
        self.program, self.compiler = options.program.split(), options.compiler.split()
        self.contract = [*options.fma.split(), "-ffp-contract=fast"]
        self.fma, self.soft = options.fma.split(), options.soft.split()
        self.folder = pathlib.Path(options.folder)
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)

    def compile(self, name: str, *words: str, compiler: tuple[str, ...] = ()) -> str:
        path = str(self.folder / name)
        subprocess.run([*(compiler or self.compiler), *words, "-o", path], check=True)
        return path

    def module(self, name: str, *flags: str) -> str:
        return self.compile(name, *FLAGS, *flags, "-shared", str(CONSUMER / "counter.c"))

    def run(self, command: tuple[str, ...], path: str, code: int) -> subprocess.CompletedProcess:
        done = subprocess.run([*self.program, *command, "--sim", path], capture_output=True, text=True, timeout=240,
                              check=False)
        if done.returncode != code:
            raise Failure(f"{' '.join(command)} --sim {path}: code {done.returncode}, wanted {code}\n"
                          f"{done.stdout}{done.stderr}")
        return done

    def refuses(self, path: str, says: str, commands=COMMANDS[:1]) -> None:
        for command in commands:
            text = self.run(command, path, INCOMPATIBLE).stderr
            if not re.fullmatch(rf"lockstep [a-z ]+: {says}\n", text):
                raise Failure(f"{' '.join(command)} --sim {path} says\n{text}and not\n{says}")

    def check_floats(self) -> None:
        off = ("-std=c17", "-O2", "-fexcess-precision=fast", "-ffp-contract=off")
        text = self.run(("run", "--ticks", "5"), self.module("good.so", *off), GOOD)
        if "root=" not in text.stdout or text.stderr:
            raise Failure(f"good.so: {text.stdout}{text.stderr}")
        self.refuses(self.module("contracted.so", *off, *self.contract), CONTRACTED, COMMANDS)
        # gcc contracts unasked in its GNU dialect.
        self.refuses(self.module("gnu.so", "-std=gnu17", "-O2", *self.fma), CONTRACTED)
        # Only one source of the module contracts.
        other = self.compile("other.o", *FLAGS, *off, *self.contract, "-c", str(CONSUMER / "other.c"))
        self.refuses(self.module("half.so", *off, other), CONTRACTED)
        print("refused: modules that contract, when asked to, in GNU C, and in one of two sources")

    def check_machines(self) -> None:
        source = self.folder / "twice.c"
        source.write_text("float twice(float x) { return 2 * x; }\n", encoding="utf-8")
        words = ("-shared", "-fPIC", "-nostdlib", str(source))
        self.refuses(self.compile("native.so", *words, compiler=("gcc-12",)), FOREIGN.format(r"[^)]+"), COMMANDS)
        if self.soft:
            self.refuses(self.compile("soft.so", *words, *self.soft), FOREIGN.format(r"\S+, soft float"))
        print("refused: a module of this machine" + ", and one with another convention for floats" * bool(self.soft))


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser()
    for name in ("program", "compiler", "fma", "folder"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--soft", default="")
    modules = Modules(parser.parse_args(arguments))
    os.environ["XDG_CONFIG_HOME"] = str(modules.folder)  # not the keys of the user
    try:
        modules.check_floats()
        modules.check_machines()
    except (Failure, subprocess.CalledProcessError, subprocess.TimeoutExpired) as failure:
        print(failure)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
