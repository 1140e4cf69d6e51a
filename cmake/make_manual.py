#!/usr/bin/env python3
"""Writes the manual pages of `lockstep`, one for each command and action, from their --help.

make_manual.py BINARY FOLDER writes FOLDER/lockstep.1, lockstep-serve.1, lockstep-replay-seek.1 and so on.
"""
import argparse
import os
import re
import shutil
import subprocess

ENTRY = re.compile(r"  ([a-z][a-z-]*) +([a-z].*)")
OPTION = re.compile(r"  (?:-(\w), |    )(--[a-z][a-z-]*)(?:=(\S+))?(?: +(.*))?")
CODE = re.compile(r" +(\d+(?:, \d+)*)  (\S.*)")
TITLE = re.compile(r" ?([A-Z][^.]*):")


def escaped(text):
    """Text of a line of roff: no escapes, no request, and minus signs that can be copied."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text[:1] in (".", "'") else text


def bold(text):
    return "\\fB" + escaped(text) + "\\fR"


def filled(text):
    """A paragraph: `what is typed` in bold."""
    parts = re.split(r"`([^`]*)`", text)
    line = "".join(bold(part) if i % 2 else escaped(part) for i, part in enumerate(parts))
    return "\\&" + line if line[:1] in (".", "'") else line


class Page:
    def __init__(self, words, summary, text, version):
        self.words, self.summary, self.version = words, summary, version
        self.entries, self.lines = [], []
        usage, _, rest = text.partition("\n")
        self.usage = [usage.removeprefix("Usage: ")]
        lines = rest.splitlines()
        while lines and lines[0].startswith("  or:  "):
            self.usage.append(lines.pop(0).removeprefix("  or:  "))
        self.section = "description"
        self.add(".SH DESCRIPTION")
        for line in self.joined(lines):
            self.take(line)

    def add(self, *lines):
        self.lines += lines

    @staticmethod
    def joined(lines):
        """Joins what goes on in the next line, so that roff can fill it."""
        out = []
        for line in lines:
            goes_on = out and out[-1] and (re.match(r" {5,}\S", line) and re.match(r" {2,}\S", out[-1]) and not OPTION.fullmatch(line)
                                           or re.match(r"\S", line) and re.match(r"\S", out[-1]) and line != "Exit codes:"
                                           and not out[-1].endswith(":"))
            if goes_on and not CODE.fullmatch(line):
                out[-1] += " " + line.strip()
            else:
                out.append(line)
        return out

    def take(self, line):
        option, code, entry = OPTION.fullmatch(line), CODE.fullmatch(line), ENTRY.fullmatch(line)
        title = TITLE.fullmatch(line)
        if line == "Exit codes:":
            self.section = "codes"
            self.add('.SH "EXIT STATUS"')
        elif self.section == "codes" and code:
            self.add(".TP", bold(code.group(1)), filled(code.group(2)))
        elif option:
            letter, name, value, text = option.groups()
            if self.section == "description":
                self.section = "options"
                self.add(".SH OPTIONS")
            self.add(".TP", (bold("-" + letter) + ", " if letter else "") + bold(name) + ("=\\fI" + escaped(value) + "\\fR" if value else ""),
                     filled(text or ""))
        elif title and self.section in ("description", "options"):
            # The commands of the first page are titled, too.
            if self.section == "description" and not self.entries and len(self.words) > 1:
                self.section = "options"
                self.add(".SH OPTIONS")
            self.add('.SS "' + title.group(1) + '"')
        elif entry and self.section == "description":
            self.entries.append((entry.group(1), entry.group(2)))
            self.add(".TP", ".BR " + escaped("-".join((*self.words, entry.group(1)))) + " (1)", filled(entry.group(2)))
        elif not line:
            self.add(".PP")
        elif line.startswith("  "):
            self.add(".nf", filled(line), ".fi")
        else:
            self.add(filled(line))

    def roff(self):
        name = "-".join(self.words)
        out = [f'.TH "{name.upper()}" 1 "" "lockstep {self.version}" "Lockstep"', ".SH NAME",
               escaped(name) + " \\- " + escaped(self.summary), ".SH SYNOPSIS"]
        for i, usage in enumerate(self.usage):
            words = len(self.words)
            head, tail = " ".join(usage.split()[:words]), " ".join(usage.split()[words:])
            out += [".br"] * (i > 0) + [bold(head) + (" " + escaped(tail) if tail else "")]
        see = ["lockstep"] if len(self.words) == 2 else ["-".join(self.words[:-1])] if len(self.words) > 2 else []
        # No paragraph begins or ends a section.
        body = "\n".join(self.lines)
        body = re.sub(r"(?:\n\.PP)+(?=\n\.(?:SH|SS|TP|PP)|\Z)", "", body)
        body = re.sub(r"(?<=\n)(\.S[HS] [^\n]*)\n(?:\.PP\n)+", r"\1\n", "\n" + body).strip("\n")
        out.append(body)
        if see:
            out += ['.SH "SEE ALSO"', *(f".BR {escaped(page)} (1)" for page in see)]
        return "\n".join(out) + "\n"


def ask(binary, *words):
    return subprocess.run([binary, *words], check=True, capture_output=True, text=True).stdout


def write(binary, folder, words, summary, version):
    """Writes the page of the words, and those of its actions."""
    page = Page(words, summary, ask(binary, *words[1:], "--help"), version)
    with open(os.path.join(folder, "-".join(words) + ".1"), "w", encoding="utf-8") as file:
        file.write(page.roff())
    for name, text in page.entries:
        write(binary, folder, (*words, name), text, version)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binary")
    parser.add_argument("folder")
    options = parser.parse_args()
    shutil.rmtree(options.folder, ignore_errors=True)
    os.makedirs(options.folder)
    version = ask(options.binary, "--version").split()[1].rstrip(",")
    write(options.binary, options.folder, ("lockstep",), "deterministic lockstep for games and simulations", version)


main()
