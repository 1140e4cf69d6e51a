"""Checks that every compiler computes the same: builds the golden program with gcc and clang at -O0 and -O3
and compares the output with the golden files. cmake/cross has this program and what it needs, and
nothing else.

usage: compilers.py SOURCE_DIR SIM=GOLDEN_FILE...

A compiler that is not installed is skipped with a message; if none is installed, the check fails.
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile

COMPILERS = {"gcc": ["gcc", "gcc-12"], "clang": ["clang", "clang-14"]}
LEVELS = ["-O0", "-O3"]


def find_compiler(names: list[str]) -> str | None:
    return next((path for path in map(shutil.which, names) if path), None)


def run(command: list[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def build(source: pathlib.Path, folder: pathlib.Path, compiler: str, level: str) -> pathlib.Path:
    launcher = shutil.which("ccache")
    run(
        ["cmake", "-S", str(source / "cmake" / "cross"), "-B", str(folder), f"-DCMAKE_C_COMPILER={compiler}"]
        + [f"-DCMAKE_C_FLAGS={level}", "-DCMAKE_BUILD_TYPE=None"]
        + ([f"-DCMAKE_C_COMPILER_LAUNCHER={launcher}"] if launcher else [])
        + (["-G", "Ninja"] if shutil.which("ninja") else [])
    )
    run(["cmake", "--build", str(folder), "--target", "golden", "--parallel", "2"])
    return folder / "golden"


def main() -> None:
    source = pathlib.Path(sys.argv[1])
    expected = {sim: pathlib.Path(path).read_text() for sim, _, path in (word.partition("=") for word in sys.argv[2:])}
    failures = built = 0
    with tempfile.TemporaryDirectory(prefix="lockstep-compilers-") as folder:
        for name, candidates in COMPILERS.items():
            compiler = find_compiler(candidates)
            if not compiler:
                print(f"SKIP {name}: not installed")
                continue
            for level in LEVELS:
                program = build(source, pathlib.Path(folder) / (name + level), compiler, level)
                built += 1
                for sim, text in expected.items():
                    is_equal = run([str(program), "print", sim]) == text
                    print(f"{'ok  ' if is_equal else 'FAIL'} {name} {level} {sim}")
                    failures += not is_equal
    if failures or not built:
        sys.exit(1)


if __name__ == "__main__":
    main()
