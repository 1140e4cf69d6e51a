"""Finds banned constructions in comments and texts of C files and in pages, and paragraphs with too many sentences.

    tests/tidy/prose.py [--root DIR] [PATH ...]    prints the findings, of these folders or files only
"""
import argparse
import os
import re
import sys

from source import SKIPPED, c_files

PARAGRAPH_SENTENCES_MAX = 4
CELL_SENTENCES_MAX = 2

# The positions where a sentence begins: a paragraph, a list item, a table cell, or after a sentence's end.
_START = r"(?:\A|\n[ \t]*\n|\n[ \t]*(?:[-*]|\d+\.)[ \t]|\||[.!?][\"')]*\s)\s*"
_DETERMINER = r"(?:the|a|an|each|every|its|their|that|this|one|all)\s"
_IN_TIME = (r"(?:ticks?|stages?|systems?|sync|frames?|calls?|writes?|headers?|lengths?|bytes?|names?|counts?|"
            r"inputs?|snapshots?|commands?|handshake|first|last|other|others)\b")

# Name, words of which each match has one, and pattern.
CONSTRUCTIONS = (
    ("a sentence that begins with a headless relative", "Who Whom Whoever Whatever What",
     _START + r"(?P<at>(?:Who|Whom|Whoever|Whatever|What)\b(?![^.!?|]*\?))"),
    ("a sentence that begins with \"Of\"", "Of", _START + r"(?P<at>Of\s(?!course\b))"),
    ("a sentence that begins with \"So that\"", "So so", _START + r"(?P<at>[Ss]o\sthat\b)"),
    ("a clause that begins with a headless relative", "who whoever", r"[;:]\s(?P<at>who(?:ever)?\b)"),
    ("a person's pronoun", "He he Him him His his Himself himself She she",
     r"(?P<at>\b(?:[Hh]e|[Hh]im|[Hh]is|[Hh]imself|[Ss]he)\b(?![/-]))"),
    ("\"whose\" for a program", "whose",
     r"(?P<at>\b(?:client|server|process|thread|worker|peer|player|spectator|room|sender|receiver)(?:es|s)?,?"
     r"\swhose\b)"),
    ("\"nobody\", \"anybody\" or \"somebody\"", "Nobody nobody Anybody anybody Somebody somebody",
     r"(?P<at>\b(?:[Nn]o|[Aa]ny|[Ss]ome)body\b)"),
    ("\"so many\" or \"so long\" without a number", "many long", r"(?P<at>\b[Ss]o\s(?:many|long)\b(?!\sas\s\d))"),
    ("\"as far as\" without a number", "far", r"(?P<at>\b[Aa]s\sfar\sas\b(?!\s\d))"),
    ("\"take up\" as an everyday verb", "up", r"(?P<at>\b(?:[Tt]akes?|[Tt]ook|[Tt]aken|[Tt]aking)\sup\b(?!\sto\b))"),
    ("\"stand\" as an everyday verb", "stands stood stand",
     r"(?P<at>\b(?:stands|stood|stand\s(?:in|on|at|before|after|behind|beside|under))\b(?!\s(?:for|alone|still)\b))"),
    ("\"lie\" as an everyday verb", "lies lain lie",
     r"(?P<at>\b(?:lies|lain|lie\s(?:in|on|at|before|behind|beside|under|between|within|near|together|outside))\b)"),
    ("\"come to be\"", "come comes came coming", r"(?P<at>\b(?:comes?|came|coming)\sto\sbe\b)"),
    ("\"behind\" for \"after\"", "behind",
     r"(?P<at>\b(?:(?:comes?|came|coming|runs?|ran|begins?|starts?|follows?|directly|right|shortly)\sbehind\b|"
     r"behind\s" + _DETERMINER + _IN_TIME + "))"),
)
# Words may be separated by a line break and indentation.
_PATTERNS = [(name, set(words.split()), re.compile(re.sub(r"\\s(?!\*)", r"\\s+", pattern)))
             for name, words, pattern in CONSTRUCTIONS]

# A text of the program may be a part of a sentence, so where it begins says nothing.
_WITHIN = [one for one in _PATTERNS if " that begins with " not in one[0]]
_PROGRAM = ("include", "core", "proto", "replays", "desync", "sims", "server", "client", "cli")

_WORD = re.compile(r"[A-Za-z]+")
_COMMENT = re.compile(r"\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|//[^\n]*|/\*.*?\*/", re.DOTALL)


def _blank(text, fill=" "):
    return re.sub(r"[^\n]", fill, text)


def comments(text):
    """(offset, prose) of each comment. Comment marks are blanked, so offsets in the prose match the file."""
    for match in _COMMENT.finditer(text):
        if match.group()[0] != "/":
            continue
        prose = re.sub(r"^([ \t]*)\*(?!/)", r"\1 ", match.group()[2:].removesuffix("*/"), flags=re.MULTILINE)
        yield match.start() + 2, re.sub(r"`[^`\n]+`", lambda m: _blank(m.group(), "x"), prose)


def page_prose(text):
    """A page without code, headings, bold lead-ins and link targets. They are blanked, so offsets match the file."""
    text = re.sub(r"^```.*?^```", lambda m: _blank(m.group()), text, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"^#[^\n]*", lambda m: _blank(m.group()), text, flags=re.MULTILINE)
    text = re.sub(r"`[^`]+`", lambda m: _blank(m.group(), "x"), text)
    text = re.sub(r"^([ \t]*(?:[-*] |\d+\. )?)\*\*[^*\n]{1,40}[.:]\*\*",
                  lambda m: m.group(1) + _blank(m.group()[len(m.group(1)):]), text, flags=re.MULTILINE)
    text = re.sub(r"\]\([^)\n]*\)", lambda m: _blank(m.group()), text)
    return re.sub(r"\*\*|\[|_(?=\w)|(?<=\w)_", lambda m: _blank(m.group()), text)


def in_prose(prose, patterns=None):
    """(offset, construction, words) of each banned construction in the prose."""
    found = []
    present = set(_WORD.findall(prose))
    for name, words, pattern in patterns or _PATTERNS:
        for match in pattern.finditer(prose) if words & present else ():
            start = match.start("at")
            found.append((start, name, " ".join(prose[start:start + 60].split())))
    return sorted(found)


def markdown(root):
    """All pages of the tree, sorted by path."""
    found = []
    for where, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name not in SKIPPED]
        found += [os.path.relpath(os.path.join(where, name), root).replace(os.sep, "/")
                  for name in names if name.endswith(".md")]
    return sorted(found)


_ABBREVIATED = re.compile(r"\b(?:e\.g|i\.e|etc|vs|cf|ca)\.")
_SENTENCE_END = re.compile(r"[.!?](?=[\"')]*(?:\s+[\"'(x]*[A-Z0-9x]|\s*\Z))")


def sentences(text):
    """The number of sentences; code counts as a word, and a list item ends a sentence."""
    text = _ABBREVIATED.sub("x", re.sub(r"\A\s*(?:[-*]|\d+\.)\s", "", text)).strip()
    return len(_SENTENCE_END.findall(text)) + (0 if not text or text[-1] in ".!?\"')" else 1)


def blocks(prose):
    """(offset, kind of block, text, maximum number of sentences) of each paragraph, list item and table cell."""
    for match in re.finditer(r"[^\n]*\S[^\n]*(?:\n[^\n]*\S[^\n]*)*", prose):
        at = match.start()
        for item in re.split(r"(?m)(?=^[ \t]*(?:[-*]|\d+\.)[ \t])", match.group()):
            if item.lstrip().startswith("|"):
                for line in item.splitlines(keepends=True):
                    for cell in line.split("|"):
                        yield at, "table cell", cell, CELL_SENTENCES_MAX
                    at += len(line)
            else:
                yield at, "paragraph", item, PARAGRAPH_SENTENCES_MAX
                at += len(item)


def findings(root, files=None):
    """Each finding as `place: text`, those in C files first."""
    for source in c_files(root) if files is None else files:
        for line, text in source.literals if source.folder in _PROGRAM else ():
            for _, name, words in in_prose(text[1:-1], _WITHIN):
                yield f"{source.path}:{line}: {name}: {words}"
        for offset, prose in comments(source.text):
            for at, name, words in in_prose(prose):
                yield f"{source.path}:{source.line_of(offset + at)}: {name}: {words}"
    for page in markdown(root):
        with open(os.path.join(root, page), encoding="utf-8") as file:
            prose = page_prose(file.read())
        for at, name, words in in_prose(prose):
            yield f"{page}:{prose.count(chr(10), 0, at) + 1}: {name}: {words}"
        for at, what, text, most in blocks(prose):
            if sentences(text) > most:
                yield (f"{page}:{prose.count(chr(10), 0, at) + 1}: a {what} of {sentences(text)} sentences, "
                       f"at most {most}: {' '.join(text.split())[:60]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    here = os.path.dirname(os.path.abspath(__file__))
    parser.add_argument("--root", default=os.path.dirname(os.path.dirname(here)))
    parser.add_argument("paths", nargs="*")
    options = parser.parse_args()
    found = [one for one in findings(options.root) if one.startswith(tuple(options.paths) or "")]
    print("\n".join([*found, f"{len(found)} findings"]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
