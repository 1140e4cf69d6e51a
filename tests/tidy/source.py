"""Reads the tree: the list of files, and C or C++ text with comments and literals blanked out."""
import functools
import os
import re

FOLDERS = ("include", "core", "proto", "replays", "desync", "sims", "server", "client", "cli", "web", "tests",
           "benches", "examples")
SKIPPED = {".git", "build", "out", "golden"}

_TOKEN = re.compile(
    r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.DOTALL)
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.MULTILINE)


def _blank(text):
    return re.sub(r"[^\n]", " ", text)


def file_of(name):
    """The path from the root of the header that `#include` names."""
    return f"include/{name}" if name.startswith("lockstep/") else name


class Source:
    """One source or header of C or C++. `path` is relative to the root and uses slashes."""

    def __init__(self, root, path):
        self.path = path
        with open(os.path.join(root, path), encoding="utf-8") as file:
            self.text = file.read()
        self.line_count = self.text.count("\n")
        # Same length and lines as `text`, so that offsets are the same in both.
        self.code = _TOKEN.sub(lambda m: _blank(m.group()), self.text)
        self.literals = [
            (self.text.count("\n", 0, m.start()) + 1, m.group())
            for m in _TOKEN.finditer(self.text) if m.group()[0] == '"']
        uncommented = _TOKEN.sub(
            lambda m: m.group() if m.group()[0] == '"' else _blank(m.group()), self.text)
        self.includes = [(m.group(1) == "<", m.group(2)) for m in _INCLUDE.finditer(uncommented)]

    @property
    def folder(self):
        return self.path.split("/")[0]

    @property
    def name(self):
        return self.path.rsplit("/", 1)[-1]

    def line_of(self, offset):
        return self.code.count("\n", 0, offset) + 1


def c_files(root):
    """All C and C++ files in the folders of the project, sorted by path."""
    found = []
    for folder in FOLDERS:
        for where, folders, names in os.walk(os.path.join(root, folder)):
            folders[:] = sorted(name for name in folders if name not in SKIPPED)
            for name in sorted(names):
                if name.endswith((".c", ".h", ".cpp", ".hpp")):
                    path = os.path.relpath(os.path.join(where, name), root).replace(os.sep, "/")
                    found.append(Source(root, path))
    return sorted(found, key=lambda source: source.path)


@functools.cache
def functions(source):
    """(name, first line, line count) of each function body at file scope.

    The brace that opens a body follows the `)` of a parameter list; initialisers follow `=`, types follow a
    name.
    A body starts at the line of its signature.
    """
    # Blanks preprocessor directives too: a `#define` may hold unbalanced braces.
    code = re.sub(r"^[ \t]*#(?:\\\n|[^\n])*", lambda m: _blank(m.group()), source.code,
                  flags=re.MULTILINE)
    # `extern "C" {` opens no level; its literal is already blank.
    code = re.sub(r"(\bextern\s*)\{", r"\1 ", code)
    found = []
    depth = 0
    start = 0
    opened = None
    for match in re.finditer(r"[{};]", code):
        offset, char = match.start(), match.group()
        if char == "{":
            if depth == 0 and code[start:offset].rstrip().endswith(")"):
                head = code[start:offset]
                name = re.search(r"(?:TEST\()?(\w+)\s*[()]", head)
                first = start + len(head) - len(head.lstrip())
                opened = (name.group(1) if name else "?", source.line_of(first))
            depth += 1
        elif char == "}":
            depth = max(0, depth - 1)
            if depth == 0:
                if opened:
                    found.append((*opened, source.line_of(offset) - opened[1] + 1))
                opened = None
                start = offset + 1
        elif char == ";" and depth == 0:
            start = offset + 1
    return found
