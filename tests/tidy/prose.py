"""Banned constructions in comments of C files and in pages (docs/testing.md, "Prose").

Each folder has a number of findings that are still allowed. The number may only fall: a folder with
more fails, and for a folder with fewer a note asks to lower its number.

    tests/tidy/prose.py [--root DIR] [FOLDER ...]    prints every finding, allowed or not
"""
import argparse
import glob
import os
import re
import sys

from source import c_files

# Findings that a folder may still have. A folder that is missing here may have none.
ALLOWED = {
    "examples": 6,
    "replays": 1,
    "tests": 160,
}

# Where a sentence begins: a paragraph, a list item, a table cell, or after the end of another one.
_START = r"(?:\A|\n[ \t]*\n|\n[ \t]*(?:[-*]|\d+\.)[ \t]|\||[.!?][\"')]*\s)\s*"
_DETERMINER = r"(?:the|a|an|each|every|its|their|that|this|one|all)\s"
_IN_TIME = (r"(?:ticks?|stages?|systems?|sync|frames?|calls?|writes?|headers?|lengths?|bytes?|names?|counts?|"
            r"inputs?|snapshots?|commands?|handshake|first|last|other|others)\b")

CONSTRUCTIONS = (
    ("a sentence that begins with a headless relative",
     _START + r"(?P<at>(?:Who|Whom|Whoever|Whatever|What)\b(?![^.!?|]*\?))"),
    ("a sentence that begins with \"Of\"", _START + r"(?P<at>Of\s(?!course\b))"),
    ("a sentence that begins with \"So that\"", _START + r"(?P<at>[Ss]o\sthat\b)"),
    ("a clause that begins with a headless relative", r"[;:]\s(?P<at>who(?:ever)?\b)"),
    ("a person's pronoun", r"(?P<at>\b(?:[Hh]e|[Hh]im|[Hh]is|[Hh]imself|[Ss]he)\b(?![/-]))"),
    ("\"whose\" for a program",
     r"(?P<at>\b(?:client|server|process|thread|worker|peer|player|spectator|room|sender|receiver)(?:es|s)?,?"
     r"\swhose\b)"),
    ("\"nobody\", \"anybody\" or \"somebody\"", r"(?P<at>\b(?:[Nn]o|[Aa]ny|[Ss]ome)body\b)"),
    ("\"so many\" or \"so long\" without a number", r"(?P<at>\b[Ss]o\s(?:many|long)\b(?!\sas\s\d))"),
    ("\"as far as\" without a number", r"(?P<at>\b[Aa]s\sfar\sas\b(?!\s\d))"),
    ("\"take up\" as an everyday verb", r"(?P<at>\b(?:[Tt]akes?|[Tt]ook|[Tt]aken|[Tt]aking)\sup\b(?!\sto\b))"),
    ("\"stand\" as an everyday verb",
     r"(?P<at>\b(?:stands|stood|stand\s(?:in|on|at|before|after|behind|beside|under))\b(?!\s(?:for|alone|still)\b))"),
    ("\"lie\" as an everyday verb",
     r"(?P<at>\b(?:lies|lain|lie\s(?:in|on|at|before|behind|beside|under|between|within|near|together|outside))\b)"),
    ("\"come to be\"", r"(?P<at>\b(?:comes?|came|coming)\sto\sbe\b)"),
    ("\"behind\" for \"after\"",
     r"(?P<at>\b(?:(?:comes?|came|coming|runs?|ran|begins?|starts?|follows?|directly|right|shortly)\sbehind\b|"
     r"behind\s" + _DETERMINER + _IN_TIME + "))"),
)
# Words may be apart by a line break and its indentation.
_PATTERNS = [(name, re.compile(re.sub(r"\\s(?!\*)", r"\\s+", pattern))) for name, pattern in CONSTRUCTIONS]

_COMMENT = re.compile(r"\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|//[^\n]*|/\*.*?\*/", re.DOTALL)


def _blank(text, fill=" "):
    return re.sub(r"[^\n]", fill, text)


def comments(text):
    """(offset, prose) of each comment, with marks of comments blanked and every offset kept."""
    for match in _COMMENT.finditer(text):
        if match.group()[0] != "/":
            continue
        prose = re.sub(r"^([ \t]*)\*(?!/)", r"\1 ", match.group()[2:].removesuffix("*/"), flags=re.MULTILINE)
        yield match.start() + 2, re.sub(r"`[^`\n]+`", lambda m: _blank(m.group(), "x"), prose)


def page_prose(text):
    """A page without its code, headings and link targets; every offset is kept."""
    text = re.sub(r"^```.*?^```", lambda m: _blank(m.group()), text, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"^#[^\n]*", lambda m: _blank(m.group()), text, flags=re.MULTILINE)
    text = re.sub(r"`[^`]+`", lambda m: _blank(m.group(), "x"), text)
    text = re.sub(r"\]\([^)\n]*\)", lambda m: _blank(m.group()), text)
    return re.sub(r"\*\*|\[|_(?=\w)|(?<=\w)_", lambda m: _blank(m.group()), text)


def in_prose(prose):
    """(offset, construction, words) of each banned construction."""
    found = []
    for name, pattern in _PATTERNS:
        for match in pattern.finditer(prose):
            start = match.start("at")
            found.append((start, name, " ".join(prose[start:start + 60].split())))
    return sorted(found)


def findings(root, files=None):
    """{folder: findings}; pages belong to the folder that they are in, those of the root to "."."""
    found = {}
    for source in c_files(root) if files is None else files:
        for offset, prose in comments(source.text):
            for at, name, words in in_prose(prose):
                found.setdefault(source.folder, []).append(
                    f"{source.path}:{source.line_of(offset + at)}: {name}: {words}")
    for pattern in ("*.md", "docs/*.md", "docker/*.md"):
        for path in sorted(glob.glob(os.path.join(root, pattern))):
            page = os.path.relpath(path, root).replace(os.sep, "/")
            with open(path, encoding="utf-8") as file:
                text = file.read()
            for at, name, words in in_prose(page_prose(text)):
                found.setdefault(os.path.dirname(page) or ".", []).append(
                    f"{page}:{text.count(chr(10), 0, at) + 1}: {name}: {words}")
    return found


def excess(root, files=None, allowed=None):
    """The findings of each folder that has more of them than it may have."""
    allowed = ALLOWED if allowed is None else allowed
    for folder, found in sorted(findings(root, files).items()):
        limit = allowed.get(folder, 0)
        if len(found) > limit:
            if limit:
                yield f"{folder}: {len(found)} banned constructions in its prose, at most {limit}:"
            yield from found


def slack(root, files=None, allowed=None):
    """What to lower: a folder that got better keeps what it gained."""
    allowed = ALLOWED if allowed is None else allowed
    found = findings(root, files)
    for folder, limit in sorted(allowed.items()):
        count = len(found.get(folder, ()))
        if count < limit:
            yield f"tests/tidy/prose.py: lower ALLOWED of {folder} from {limit} to {count}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    here = os.path.dirname(os.path.abspath(__file__))
    parser.add_argument("--root", default=os.path.dirname(os.path.dirname(here)))
    parser.add_argument("folders", nargs="*")
    options = parser.parse_args()
    for folder, found in sorted(findings(options.root).items()):
        if not options.folders or folder in options.folders:
            print("\n".join(found))
            print(f"{folder}: {len(found)} of {ALLOWED.get(folder, 0)} allowed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
