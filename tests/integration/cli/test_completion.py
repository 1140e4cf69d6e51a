"""Completion in bash, zsh and fish: each shell proposes commands, options, simulations, settings and files."""
import os
import re
import shutil
import subprocess
import sys

from case import BINARY, GOOD, TIMEOUT_S, USAGE, Case, main

SHELLS = ("bash", "zsh", "fish")
FILES = ("match.lsr", "notes.txt", "game.so")
# What is typed, what is proposed, what is not. A proposal that goes on, an option with a value or a folder, ends without a blank.
CASES = (
    ("lockstep s", {"serve", "sims", "schedule", "source-hash"}, {"join"}),
    ("lockstep help se", {"serve"}, {"sims"}),
    ("lockstep replay s", {"seek"}, {"info"}),
    ("lockstep serve --po", {"--port=", "--policy="}, {"--password-file="}),
    ("lockstep serve --allow-p", {"--allow-pause"}, set()),
    ("lockstep serve --policy=", {"--policy=pace", "--policy=wait"}, set()),
    ("lockstep serve --policy w", {"wait"}, {"pace"}),
    ("lockstep run --sim=", {"--sim=skirmish", "--sim=regatta", "--sim=game.so"}, {"--sim=notes.txt"}),
    ("lockstep run --set un", {"units="}, {"sides="}),
    ("lockstep run --set physics.g", {"physics.gravity="}, {"physics.bounce="}),
    ("lockstep watch ", {"match.lsr", "recordings/"}, {"notes.txt", "game.so"}),
    ("lockstep replay seek mat", {"match.lsr"}, set()),
    ("lockstep verify recordings/", {"recordings/old match.lsr"}, set()),
    ("lockstep serve --log=no", {"--log=notes.txt"}, set()),
    ("lockstep serve --log=x --na", set(), {"--name="}),
    ("lockstep unknown ", set(), {"serve"}),
)

BASH = r"""
source <("$LOCKSTEP" completion bash)
COMP_LINE=$1 COMP_POINT=${#1}
_lockstep 2>/dev/null
# What bash keeps of the last word.
word=${1##* }
[[ $word == *=* ]] && kept=${word%=*}= || kept=
for reply in "${COMPREPLY[@]}"; do echo "$kept$reply"; done
"""
FISH = 'lockstep completion fish | source; complete -C "$argv[1]"'
# The function with the words of a line, and with what it uses of zsh: what it proposes is printed.
ZSH = r"""
compdef () { : }
compset () { : }
compadd () { print -rl -- "${(P@)@[-1]}" }
_files () {
    local file typed=${words[CURRENT]#--*=}
    for file in "$typed"*(N); do
        [[ -d $file || -z $1 || $file == ${~2} ]] && print -r -- "${words[CURRENT]%"$typed"}$file"
    done
}
source <(lockstep completion zsh)
words=("${(@s: :)1}")
CURRENT=$#words
_lockstep
"""


class Completion(Case):
    def setUp(self):
        super().setUp()
        os.mkdir(os.path.join(self.folder, "recordings"))
        for name in (*FILES, "recordings/old match.lsr"):
            with open(os.path.join(self.folder, name), "w", encoding="utf-8"):
                pass

    def ask(self, shell, typed):
        """The proposals of the shell for a line, whose end is completed."""
        words = {"bash": ("bash", "--norc", "-c", BASH, "bash", typed),
                 "zsh": ("zsh", "-f", "-c", ZSH, "zsh", typed),
                 "fish": ("fish", "--no-config", "-c", FISH, typed)}[shell]
        path = os.path.dirname(BINARY) + os.pathsep + os.environ["PATH"]
        done = subprocess.run(words, cwd=self.folder, capture_output=True, text=True, timeout=TIMEOUT_S, check=False,
                              env={**os.environ, "PATH": path, "HOME": self.folder, "TERM": "dumb"})
        lines = done.stdout.replace("\r", "").splitlines()
        return {line.split("\t")[0].replace("\\ ", " ") for line in lines}

    def check(self, shell):
        for typed, proposed, others in CASES:
            with self.subTest(typed=typed):
                # zsh adds the slash of a folder itself.
                found = {name.rstrip("/") for name in self.ask(shell, typed)}
                self.assertLessEqual({name.rstrip("/") for name in proposed}, found)
                self.assertFalse(found & others)

    def test_bash(self):
        self.check("bash")

    def test_zsh(self):
        self.check("zsh")

    def test_fish(self):
        self.check("fish")

    def test_the_words_are_those_of_the_help(self):
        """Every option of every command is proposed, and none more."""
        text, _ = self.command("completion", "words", "")
        for command in (line.split("\t")[0] for line in text.splitlines()):
            proposed, _ = self.command("completion", "words", command, "--")
            options = {line.split("\t")[0].rstrip("=") for line in proposed.splitlines()}
            options.discard(":files")
            help_text, _ = self.command("help", *(("schedule", "list") if command == "schedule" else (command,)), code=GOOD)
            self.assertEqual(options, set(re.findall(r"(?m)^  .{4}(--[a-z-]+)", help_text)))

    def test_no_word_is_proposed_twice(self):
        """Two built-in simulations have the module "physics", and so its options."""
        for typed in (("run", "--set", ""), ("run", "--set="), ("run", "--sim", ""), ("run", "--"), ("",)):
            text, _ = self.command("completion", "words", *typed)
            words = [line.split("\t")[0] for line in text.splitlines()]
            self.assertEqual(sorted(words), sorted(set(words)))
        words, _ = self.command("completion", "words", "run", "--set", "physics.")
        self.assertIn("physics.gravity=\t", words)

    def test_wrong_use(self):
        self.refuse("completion", code=USAGE, says=("the shell is missing",))
        self.refuse("completion", "csh", code=USAGE, says=("'csh' is none of the shells: bash, zsh, fish",))
        self.refuse("completion", "bash", "zsh", code=USAGE, says=("one shell at a time",))


missing = [name for name in SHELLS if not shutil.which(name)]
if missing:
    print("skipped: not installed:", ", ".join(missing))
    sys.exit(77)
main()
