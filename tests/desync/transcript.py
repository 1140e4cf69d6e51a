"""Plays a match with a planted fault over real ENet, and writes every command and its output into docs/desync.md."""
import argparse
import glob
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BEGIN, END = "<!-- transcript: begin -->\n", "<!-- transcript: end -->"


class Shell:
    """Runs commands as a user types them, in a folder of its own."""

    def __init__(self, build):
        self.folder = tempfile.mkdtemp(prefix="lockstep-transcript-")
        self.environment = dict(os.environ, PATH=os.path.join(build, "cli") + ":" + os.environ["PATH"])
        shutil.copy(os.path.join(build, "tests", "desync", "fault_static_counter.so"),
                    os.path.join(self.folder, "battle.so"))
        self.parts = []

    def start(self, command):
        output = tempfile.TemporaryFile("w+", encoding="utf-8")
        return command, output, subprocess.Popen(
            shlex.split(command), cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
            stdout=output, stderr=subprocess.STDOUT)

    def end(self, started, title):
        command, output, process = started
        code = process.wait(60)
        output.seek(0)
        text = output.read().replace(self.folder + "/", "").replace(ROOT + "/", "")
        self.parts.append(f"{title}\n\n```\n$ {command}\n{text.rstrip()}\n$ echo $?\n{code}\n```\n")

    def run(self, command, title):
        self.end(self.start(command), title)


def play(build):
    shell = Shell(build)
    server = shell.start("lockstep serve --sim ./battle.so --bind 127.0.0.1 --port 7400 --identity "
                         "server.key --tick-rate 60 --ticks 240 --players 4 --desync report --record recordings")
    time.sleep(0.4)
    first = shell.start("lockstep join 127.0.0.1:7400 --sim ./battle.so --bots 1 --known-servers known1")
    time.sleep(1.6)
    second = shell.start("lockstep join 127.0.0.1:7400 --sim ./battle.so --bots 1 --known-servers known2")
    shell.end(first, "The first player is there from the start; nothing is wrong with it:")
    shell.end(second, "The second one joins a second and a half later. Its world is that of a snapshot, and before long it "
              "differs:")
    shell.end(server, "The output of the server meanwhile. `desync` is the verdict, `desync_cell` the first difference, after asking "
              "both sides; the match goes on, and the bundle is written beside the recording:")
    bundle = sorted(glob.glob(os.path.join(shell.folder, "recordings", "*.desync-*")))[0]
    name = os.path.relpath(bundle, shell.folder)
    shell.run(f"lockstep explain --sim ./battle.so --to-test regressions {name}",
              "From the bundle to the line of code, unattended, and to a test that fails until the fault is repaired:")
    shell.run("cat regressions/CMakeLists.txt", "Which is:")
    shutil.rmtree(shell.folder)
    return "\n".join(shell.parts)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True)
    parser.add_argument("--document", metavar="FILE", help="printed when left out")
    options = parser.parse_args()
    text = play(os.path.abspath(options.build))
    if not options.document:
        print(text)
        return 0
    with open(options.document, encoding="utf-8") as page:
        head, rest = page.read().split(BEGIN)
    with open(options.document, "w", encoding="utf-8") as page:
        page.write(head + BEGIN + text + END + rest.split(END)[1])
    return 0


if __name__ == "__main__":
    sys.exit(main())
