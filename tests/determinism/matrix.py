"""Checks that every compiler computes the same: builds the golden program with gcc and clang at -O0 and -O3
and compares the output with the golden file.

usage: matrix.py SOURCE_DIR GOLDEN_FILE SIM

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
        ["cmake", "-S", str(source), "-B", str(folder), f"-DCMAKE_C_COMPILER={compiler}"]
        + [f"-DCMAKE_C_FLAGS={level}", "-DCMAKE_BUILD_TYPE=None", "-DLOCKSTEP_TESTS=ON"]
        + ([f"-DCMAKE_C_COMPILER_LAUNCHER={launcher}"] if launcher else [])
        + (["-G", "Ninja"] if shutil.which("ninja") else [])
    )
    run(["cmake", "--build", str(folder), "--target", "golden", "--parallel", "2"])
    return folder / "tests" / "determinism" / "golden"


def main() -> None:
    source, golden, sim = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
    expected = golden.read_text()
    failures = built = 0
    with tempfile.TemporaryDirectory(prefix="lockstep-matrix-") as folder:
        for name, candidates in COMPILERS.items():
            compiler = find_compiler(candidates)
            if not compiler:
                print(f"SKIP {name}: not installed")
                continue
            for level in LEVELS:
                program = build(source, pathlib.Path(folder) / (name + level), compiler, level)
                found = run([str(program), "print", sim])
                is_equal = found == expected
                print(f"{'ok  ' if is_equal else 'FAIL'} {name} {level}")
                if not is_equal:
                    print(found)
                failures += not is_equal
                built += 1
    if failures or not built:
        sys.exit(1)


if __name__ == "__main__":
    main()
