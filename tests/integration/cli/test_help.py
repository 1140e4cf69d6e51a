"""The help of every command is complete and uses the project's words, and docs/ describe the same options."""
import os
import re

from case import GOOD, USAGE, Case, main

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
PAGES = ["README.md"] + [os.path.join("docs", name) for name in sorted(os.listdir(os.path.join(ROOT, "docs")))
                         if name.endswith(".md")]
OPTION = r"--[a-z][a-z-]*[a-z]"
COLUMNS_MAX = 80
# Constructions that the house rules ban, and words that were replaced.
BANNED = (r"(?:^|[.:;]\s+)(?:Who|What|Of|So that)\b", r"\b(?:no|any|some|every)body\b", r"\b(?:he|him)\b",
          r"\bbehind\b", r"\bso (?:long|many|much)\b", r"\bas far as\b", r"\bconnect pass", r"\b(?:this|a|the) pass\b",
          r"--timeout-ms", r"\bThey\b", r"Mandatory or optional")


def menu(text):
    """The names in a list of commands or actions."""
    return re.findall(r"(?m)^  ([a-z-]+) +[a-z]", text.split("Exit codes:")[0])


class Help(Case):
    answers = {}  # of all tests: the same words have the same answer, and each test asks all commands

    def ask(self, *words):
        if words not in self.answers:
            out, err = self.command(*words)
            self.assertEqual(err, "")
            self.answers[words] = out
        return self.answers[words]

    def leaves(self):
        """Yields the words of every command that takes options."""
        for name in menu(self.ask("--help")):
            text = self.ask(name, "--help")
            actions = menu(text) if "ACTION --help" in text else []
            yield from ((name, action) for action in actions)
            if not actions:
                yield (name,)

    def options(self):
        return {words: set(re.findall(OPTION, re.sub(r"(?m)^ {16,}.*$", "", self.ask(*words, "--help"))))
                for words in self.leaves()}

    def test_all_commands_are_found(self):
        """The other tests rely on leaves(), so this test counts them."""
        leaves = list(self.leaves())
        self.assertGreaterEqual(len(leaves), 25, leaves)
        for words in (("serve",), ("replay", "diff"), ("schedule", "times"), ("token", "issue")):
            self.assertIn(words, leaves)

    def test_every_help_is_short_lines_in_our_words(self):
        for words in ((), ("replay",), ("schedule",), ("token",), *self.leaves()):
            with self.subTest(words):
                text = self.ask(*words, "--help")
                for letter in ("-h", "-?"):
                    self.assertEqual(self.ask(*words, letter), text)
                self.assertLessEqual(max(map(len, text.splitlines())), COLUMNS_MAX)
                self.assertIn(" ".join(("Usage: lockstep", *words)), text)
                for pattern in BANNED:
                    self.assertIsNone(re.search(pattern, " ".join(text.split())), pattern)

    def test_every_help_ends_with_exit_codes(self):
        for words in ((), *self.leaves()):
            with self.subTest(words):
                codes = self.ask(*words, "--help").split("\nExit codes:\n")
                self.assertEqual(len(codes), 2)
                self.assertRegex(codes[1], r"\A +0  \S")
                self.assertRegex(codes[1], r"(?m)^ +2  \S")

    def test_topics(self):
        listed = re.search(r"explains a topic: ([^.]*)\.", " ".join(self.ask("--help").split())).group(1).split(", ")
        self.assertGreaterEqual(len(listed), 7)
        for topic in listed:
            with self.subTest(topic):
                text = self.ask("help", topic)
                self.assertTrue(text.endswith("\n"))
                self.assertLessEqual(max(map(len, text.splitlines())), COLUMNS_MAX)
                for pattern in BANNED:
                    self.assertIsNone(re.search(pattern, " ".join(text.split())), pattern)
        self.assertEqual(self.ask("help", "exit-codes"), self.ask("--help").split("Exit codes:\n")[1])
        proposed = self.command("completion", "words", "help", "")[0]
        self.assertEqual([line.split("\t")[0] for line in proposed.splitlines()][-len(listed):], listed)
        for words, says in ((("help", "exit-code"), "unknown command or topic 'exit-code', did you mean 'exit-codes'?"),
                            (("help", "srve"), "did you mean 'serve'?"), (("help", "foo"), "topic 'foo'; see `lockstep --help`"),
                            (("--verson",), "unknown option '--verson', did you mean '--version'?"),
                            (("admin", "--hlep"), "unknown option '--hlep', did you mean '--help'?"),
                            (("addresses",), "unknown command 'addresses'; see")):
            self.assertIn(says, self.command(*words, code=USAGE)[1])

    def test_topics_name_what_exists(self):
        known = set().union(*self.options().values())
        text = "".join(self.ask("help", topic) for topic in ("start", "addresses", "configuration", "files", "operations", "signals"))
        found = re.findall(OPTION, text)
        self.assertGreaterEqual(len(found), 8)
        self.assertLessEqual(set(found), known)
        first = re.findall(r"(?m)^  lockstep (\S+)", self.ask("help", "start"))
        self.assertEqual(first, ["serve", "join", "watch", "verify"])

    def test_exit_codes_have_one_table(self):
        """cli/common/command.h, `lockstep --help` and docs/operations.md list the same codes; commands have no others."""
        def codes(text, pattern):
            return {int(code) for codes in re.findall(pattern, text) for code in codes.split(", ")}

        def read(*parts):
            with open(os.path.join(ROOT, *parts), encoding="utf-8") as file:
                return file.read()

        in_help = r"(?m)^ +(\d+(?:, \d+)*)  \S"
        all_codes = codes(self.ask("--help").split("\nExit codes:\n")[1], in_help)
        table = read("docs", "operations.md").split("| exit code | |\n")[1].split("\n\n")[0]
        self.assertEqual(codes(table, r"(?m)^\| (\d+(?:, \d+)*) \|"), all_codes)
        header = codes(read("cli", "common", "command.h"), r"LS_EXIT_[A-Z]+ = (\d+)")
        self.assertEqual(header, {code for code in all_codes if code < 128})
        for words in self.leaves():
            with self.subTest(words):
                self.assertLessEqual(codes(self.ask(*words, "--help").split("\nExit codes:\n")[1], in_help), all_codes)
        for word in ("refused", "crashed", "stuck", "failed"):
            self.assertRegex(table, rf"(?m)^\| \d \| {word}:")
            self.assertRegex(self.ask("--help"), rf"(?m)^ +\d  {word}:")

    def test_every_option_has_a_sentence(self):
        for words in self.leaves():
            text = self.ask(*words, "--help").split("Exit codes:")[0]
            for option in re.split(r"(?m)^(?=  .{4}--)", text)[1:]:
                with self.subTest(words, option=option):
                    said = option.split("\n\n")[0].split(None, 1)[1].strip()
                    said = re.sub(r"\A--\S+\s+", "", said)
                    self.assertRegex(said, r"\A[A-Z]")
                    self.assertGreaterEqual(len(said.split()), 3)

    def test_the_actions_differ(self):
        for name in ("schedule", "replay", "token"):
            texts = [self.ask(*words, "--help") for words in self.leaves() if words[0] == name]
            self.assertEqual(len(set(texts)), len(texts))
        self.assertNotIn("--ticks", self.ask("schedule", "check", "--help"))
        self.assertIn("--format", self.ask("schedule", "graph", "--help"))

    def test_a_mistyped_option_has_a_proposal(self):
        for typed, meant in ((("serve", "--prot", "3"), "'--prot', did you mean '--port'"),
                             (("run", "--sim", "toyphys", "--tikcs=3"), "'--tikcs', did you mean '--ticks'"),
                             (("replay", "diff", "a", "--jsno"), "'--jsno', did you mean '--json'"),
                             (("run", "--xylophone"), "'--xylophone'; see `lockstep run --help`"),
                             (("token", "--key", "x", "issue"), "see `lockstep token --help`")):
            _, err = self.refuse(*typed, code=USAGE, says=(meant,))
            self.assertEqual(len(err.splitlines()), 1, err)

    def test_words_that_look_like_an_unknown_option(self):
        """Tries an unknown option as a value, an abbreviated option, and an option after --help."""
        _, err = self.command("run", "--sim", "--prot", code=USAGE)
        self.assertNotIn("unknown option", err)
        self.command("run", "--si", "toyphys", "--tick", "3", code=USAGE)
        self.assertIn("root=", self.command("run", "--si", "toyphys", "--ticks", "3")[0])
        self.assertIn("Usage", self.command("run", "--help", "--prot", code=GOOD)[0])
        self.assertIn("ambiguous", self.command("run", "--t", "3", code=USAGE)[1])

    def test_documented_options_exist(self):
        known, found = self.options(), 0
        names = {words[0] for words in known}
        for page in PAGES:
            with open(os.path.join(ROOT, page), encoding="utf-8") as file:
                text = re.sub(r"\\\n", " ", file.read())
            for line, tail in ((line, tail) for line in text.splitlines()
                               for tail in re.findall(r"lockstep ([a-z]+ [^`|&;#]*)", line)):
                words = tail.split()
                if words[0] not in names:
                    continue
                leaf = tuple(words[:2]) if tuple(words[:2]) in known else (words[0],)
                options = known.get(leaf) or set().union(*(known[key] for key in known if key[0] == words[0]))
                for option in re.findall(OPTION, tail):
                    found += 1
                    self.assertIn(option, options, f"{page}: {line}")
        self.assertGreater(found, 80)


main()
