"""Traps of shell scripts. In a pipe under `pipefail`, a reader that closes early kills its writer by
SIGPIPE, so the script fails at random."""
import os
import re
import subprocess

_EARLY = re.compile(r"\|\s*(head\b|grep\s+(?:-\w*\s+)*-\w*[qm]|sed\s[^|]*\d+q\b)")


def scripts(root):
    """Finds shell scripts by their first line, outside build folders."""
    try:
        names = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=root, check=True,
                               capture_output=True, text=True).stdout.split("\n")
    except (OSError, subprocess.CalledProcessError):
        return
    for name in filter(None, names):
        try:
            with open(os.path.join(root, name), encoding="utf-8") as file:
                if re.match(r"#!.*\b(?:ba)?sh\b", file.readline()):
                    yield name, file.read()
        except (UnicodeDecodeError, OSError):
            continue


def early_readers(root):
    for name, text in scripts(root):
        if "pipefail" not in text:
            continue
        for number, line in enumerate(text.split("\n"), 2):
            match = _EARLY.search(line)
            if match and not line.lstrip().startswith("#"):
                yield (f"{name}:{number}: `{match.group(1)}` closes its pipe early; "
                       "under pipefail the script fails")
