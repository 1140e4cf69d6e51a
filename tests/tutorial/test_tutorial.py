#!/usr/bin/env python3
"""Follows docs/tutorial.md or README.md as a new user would: writes the files of the page, runs its commands in
order in one shell, and compares their output with the page.

Fences:  ```LANGUAGE file=NAME      a file for the current folder
         ```sh [exit=N]             commands; the last one's exit status is N, by default 0
         ... needs=PACKAGE          left out where pkg-config does not know the package
         ```sh terminal=NAME        commands that run in the background until the end of the page
         ```text [terminal=NAME]    the output, in which `...` stands for any text

With --update, hashes on the page are replaced by the printed ones, after an intended change of results;
everything else must match even then.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

from fences import fences

HASH = re.compile(r"\b[0-9a-f]{16}\b")
MARK = "tutorial-block-done"


class Mismatch(Exception):
    pass


def pattern_of(text):
    """The regular expression for a block of output. A line of only `...` stands for any number of lines."""
    pieces = []
    for line in text.strip("\n").split("\n"):
        if line.strip() == "...":
            pieces.append(r"(?:[^\n]*\n)*?")
        else:
            pieces.append(r"[^\n]*?".join(map(re.escape, line.rstrip().split("..."))) + r"[ ]*\n")
    return re.compile(r"\A" + "".join(pieces) + r"\Z")


def check(what, shown, printed, renewed=None):
    """Compares printed output with the page. If `renewed` is given, it collects changed hashes: old -> new."""
    printed = printed.rstrip("\n") + "\n"
    if pattern_of(shown).match(printed):
        return
    if renewed is not None:
        loose = pattern_of(shown).pattern
        for old in set(HASH.findall(shown)):
            first = f"(?P<h{old}>[0-9a-f]{{16}})"
            loose = loose.replace(old, first, 1)
        found = re.match(loose, printed)
        if found:
            renewed.update({name[1:]: value for name, value in found.groupdict().items()})
            return
    raise Mismatch(f"{what}: the page shows\n{shown}\nbut it prints\n{printed}")


class Shell:
    """One bash process that keeps its folder and variables between blocks."""

    def __init__(self, home, env):
        self.log = os.path.join(home, "shell.out")
        self.folder = os.path.join(home, "lockstep-source")
        self.process = subprocess.Popen(["bash"], cwd=self.folder, env=env, text=True,
                                        stdin=subprocess.PIPE)

    def run(self, code):
        """Runs the lines up to the first that fails; returns its exit status and all output."""
        if os.path.exists(self.log):
            os.remove(self.log)
        block = "".join(line + " && \\\n" for line in code.strip().split("\n")) + "true"
        self.process.stdin.write(
            f"{{ {block}; }} >{self.log}.part 2>&1; echo {MARK} $? >>{self.log}.part; "
            f"pwd >{self.log}.pwd; env -0 >{self.log}.env; mv {self.log}.part {self.log}\n")
        self.process.stdin.flush()
        deadline = time.monotonic() + 1200
        while not os.path.exists(self.log):
            if time.monotonic() > deadline or self.process.poll() is not None:
                raise Mismatch(f"does not end:\n{code}")
            time.sleep(0.02)
        with open(self.log, encoding="utf-8") as file:
            output, _, status = file.read().rpartition(MARK)
        with open(self.log + ".pwd", encoding="utf-8") as file:
            self.folder = file.read().strip()
        with open(self.log + ".env", encoding="utf-8") as file:
            self.env = dict(pair.split("=", 1) for pair in file.read().split("\0") if "=" in pair)
        return int(status), output

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class Terminal:
    """A command in the background, with the shell's folder and variables."""

    def __init__(self, shell, code, path):
        self.path = path
        self.code = code
        with open(path, "w", encoding="utf-8") as output:
            self.process = subprocess.Popen(["bash", "-c", f"exec {code.strip()}"], env=shell.env,
                                            cwd=shell.folder, stdout=output,
                                            stderr=subprocess.STDOUT)
        deadline = time.monotonic() + 120
        while not re.search("listening|relaying", self.read()):
            if time.monotonic() > deadline or self.process.poll() is not None:
                raise Mismatch(f"{code}\ndoes not listen:\n{self.read()}")
            time.sleep(0.02)

    def read(self):
        with open(self.path, encoding="utf-8") as file:
            return file.read()

    def finish(self):
        try:
            status = self.process.wait(timeout=240)
        except subprocess.TimeoutExpired:
            status = "none, it runs on"
        if status != 0:
            raise Mismatch(f"{self.code}\nexit status {status}:\n{self.read()}")
        return self.read()

    def stop(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()


def follow(page, home, shell, terminals, renewed):
    """Yields the name of each step that succeeds."""
    printed = ""
    for fence in fences(page):
        language, body = fence.language, fence.body
        options = dict(word.split("=", 1) for word in fence.words.split())
        if "needs" in options and not has_package(options["needs"]):
            yield f"left out, there is no {options['needs']}: {body.strip().splitlines()[0]}"
            continue
        if "file" in options:
            with open(os.path.join(shell.folder, options["file"]), "w", encoding="utf-8") as file:
                file.write(body)
            yield f"file {options['file']}"
        elif language == "sh" and "terminal" in options:
            name = options["terminal"]
            terminals[name] = Terminal(shell, body, os.path.join(home, name + ".out"))
            yield f"started: {body.strip()}"
        elif language == "sh":
            status, printed = shell.run(body)
            if status != int(options.get("exit", "0")):
                raise Mismatch(f"{body}\nexit status {status}:\n{printed}")
            yield f"ran: {body.strip().splitlines()[-1]}"
        elif language == "text" and "terminal" in options:
            check(options["terminal"], body, terminals[options["terminal"]].finish(), renewed)
            yield f"output of the terminal {options['terminal']}"
        elif language == "text":
            check("output", body, printed, renewed)
            yield "output"
        else:
            raise Mismatch(f"an unknown fence: {language} {fence.words}")


def has_package(name):
    return subprocess.run(["pkg-config", "--exists", name], check=False).returncode == 0


def own_network():
    """Runs the test in its own network namespace, so that the page's port is free. Needs root."""
    if os.environ.get("LOCKSTEP_TUTORIAL_INSIDE") or os.geteuid() != 0:
        return
    if not (shutil.which("unshare") and shutil.which("ip")):
        return
    probe = subprocess.run(["unshare", "--net", "true"], check=False, stderr=subprocess.DEVNULL)
    if probe.returncode == 0:
        os.environ["LOCKSTEP_TUTORIAL_INSIDE"] = "1"
        os.execvp("unshare", ["unshare", "--net", "sh", "-c", 'ip link set lo up && exec "$0" "$@"',
                              sys.executable, "-B", *sys.argv])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--page", required=True)
    parser.add_argument("--update", action="store_true")
    options = parser.parse_args()
    own_network()

    home = tempfile.mkdtemp(prefix="lockstep-tutorial-")
    # The page uses build/release in the folder of the repository.
    os.makedirs(os.path.join(home, "lockstep-source", "build"))
    os.symlink(options.build, os.path.join(home, "lockstep-source", "build", "release"))
    env = {key: value for key, value in os.environ.items() if not key.startswith("XDG_")}
    shell = Shell(home, env | {"HOME": home, "LC_ALL": "C.UTF-8"})
    terminals = {}
    renewed = {} if options.update else None
    try:
        with open(options.page, encoding="utf-8") as file:
            page = file.read()
        for step in follow(page, home, shell, terminals, renewed):
            print("ok", step, flush=True)
        if renewed:
            with open(options.page, "w", encoding="utf-8") as file:
                file.write(HASH.sub(lambda m: renewed.get(m.group(), m.group()), page))
    except Mismatch as mismatch:
        print("FAILED", mismatch)
        return 1
    finally:
        for terminal in terminals.values():
            terminal.stop()
        shell.close()
        shutil.rmtree(home)
    return 0


if __name__ == "__main__":
    sys.exit(main())
