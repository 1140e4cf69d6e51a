#!/usr/bin/env python3
"""Describes what a program is compiled against: every struct, enum, type and function of the public headers, a
line each, with sizes and offsets on x86-64. Compares it with tests/package/abi.txt, and writes that anew
with --update. A change that breaks compiled programs is refused until LS_ABI has risen, and LS_SIM_ABI too
if simulation modules are concerned."""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
STORED = os.path.join(HERE, "abi.txt")
HEAD = """\
# What a program is compiled against, on x86-64: tests/package/abi.py --update writes this file.
# "module": also a simulation module, LS_SIM_ABI. offset+bytes of members; functions by type."""


def run(*command, text):
    done = subprocess.run(command, input=text, text=True, check=False, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}: exit {done.returncode}\n{done.stderr}")
    return done.stdout


class Header:
    """The declarations that `text` includes, from clang; lines with sizes, from a program that prints them."""

    def __init__(self, include, text, clang):
        self.include, self.text, self.clang = include, text, clang
        self.prints = []  # (line with %-conversions, C expressions)
        self.hidden = []  # functions without LS_API
        self.names = set()
        tree = json.loads(run(clang, "-std=c17", "-D_GNU_SOURCE", "-fsyntax-only", f"-I{include}", "-Xclang",
                              "-ast-dump=json", "-x", "c", "-", text=text))
        for node in tree["inner"]:
            self.take(node)

    def add(self, line, *values):
        self.prints.append((line, values))

    def take(self, node):
        kind, name = node["kind"], node.get("name", "")
        if kind == "EnumDecl":
            self.take_enum(node)
        elif not name.startswith("ls_"):
            return
        elif kind == "RecordDecl" and node.get("completeDefinition"):
            owner = f"{node['tagUsed']} {name}"
            self.add(f"{owner} %zu bytes, align %zu", f"sizeof({owner})", f"_Alignof({owner})")
            self.take_members(owner, "", node)
        elif kind == "TypedefDecl":
            aliased = node["type"]["qualType"]
            if aliased.split(" ")[-1] != name:
                self.add(f"type {name} {self.plain(aliased)}")
        elif kind == "FunctionDecl" and node.get("storageClass") != "static":
            if not any(inner["kind"] == "VisibilityAttr" for inner in node.get("inner", [])):
                self.hidden.append(name)
            if name not in self.names:
                self.names.add(name)
                self.add(f"function {name} {self.plain(node['type']['qualType'])}")

    @staticmethod
    def plain(text):
        """Without the places of unnamed types; %% for printf()."""
        return re.sub(r"\((?:unnamed|anonymous)[^()]*\)", "(unnamed)", text).replace("%", "%%")

    def take_enum(self, node):
        names = [inner["name"] for inner in node.get("inner", []) if inner["kind"] == "EnumConstantDecl"]
        if not names or not names[0].startswith("LS_"):
            return
        owner = f"enum {node['name']}" if "name" in node else "constant"
        if "name" in node:
            self.add(f"{owner} %zu bytes", f"sizeof({owner})")
        for name in names:
            self.add(f"{owner}.{name} = %lld", f"(long long){name}")

    def take_members(self, owner, prefix, node):
        inner_record = None
        for inner in node.get("inner", []):
            if inner["kind"] == "RecordDecl":
                inner_record = inner
                continue
            if inner["kind"] != "FieldDecl":
                continue
            path = prefix + inner.get("name", "")
            qualified = inner["type"]["qualType"]
            if "(unnamed" in qualified or "(anonymous" in qualified:
                self.take_members(owner, path + "." if "name" in inner else prefix, inner_record)
            if "name" not in inner:
                continue
            if inner.get("isBitfield"):
                raise SystemExit(f"{owner}.{path}: a bit-field has no offset that C can tell")
            self.add(f"{owner}.{path} at %zu+%zu {self.plain(qualified)}", f"offsetof({owner}, {path})",
                     f"sizeof((({owner} *)0)->{path})")

    def lines(self):
        """Every line of the description, in the order of the headers."""
        body = "".join(f'printf("{line}\\n"{"".join(", " + value for value in values)});\n'
                       for line, values in self.prints)
        source = f"{self.text}\n#include <stdio.h>\nint main(void)\n{{\n{body}return 0;\n}}\n"
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, "program")
            run(self.clang, "-std=c17", "-D_GNU_SOURCE", "-O0", "-Wl,--unresolved-symbols=ignore-all",
                f"-I{self.include}", "-x", "c", "-", "-o", program, text=source)
            return run(program, text="").splitlines()


def headers_of(include):
    """Names of the headers of C."""
    return sorted(name for name in os.listdir(os.path.join(include, "lockstep")) if name.endswith(".h"))


def version(include, header, pattern):
    with open(os.path.join(include, "lockstep", header), encoding="utf-8") as file:
        return int(re.search(pattern, file.read(), re.M).group(1))


class Description:
    """The versions and the set of lines: of headers, or as stored."""

    def __init__(self, abi, sim_abi, lines):
        self.abi, self.sim_abi, self.lines = abi, sim_abi, lines

    @classmethod
    def of_headers(cls, include, clang):
        whole = Header(include, "".join(f"#include <lockstep/{name}>\n" for name in headers_of(include)), clang)
        module = set(Header(include, "#include <lockstep/lockstep.h>\n", clang).lines())
        return cls(version(include, "base.h", r"^#define LS_ABI (\d+)$"),
                   version(include, "sim.h", r"^#define LS_SIM_ABI \((\d+)u << 16"),
                   [("module " if line in module else "") + line for line in whole.lines()])

    @classmethod
    def of_text(cls, text):
        lines = [line for line in text.splitlines() if not line.startswith("#")]
        return cls(int(lines[0].split()[1]), int(lines[1].split()[1]), lines[2:])

    def text(self):
        return "\n".join([HEAD, f"LS_ABI {self.abi}", f"LS_SIM_ABI {self.sim_abi}", *self.lines, ""])


def owner_of(line):
    """`struct ls_x` of a struct or of its member."""
    found = re.match(r"(?:module )?(struct \w+|union \w+)", line)
    return found and found.group(1)


def breaking(old, new):
    """Lines that make compiled programs wrong: those that went or changed, and new members of old structs."""
    def bare(lines):
        return {line.removeprefix("module ") for line in lines}
    was, now = bare(old.lines), bare(new.lines)
    owners = {owner_of(line) for line in was} - {None}
    keys = {key(line) for line in was}
    modules = {line.removeprefix("module ") for side in (old, new) for line in side.lines
               if line.startswith("module ")}
    return sorted((line, line in modules) for line in
                  [line for line in was - now] +
                  [line for line in now - was if owner_of(line) in owners and key(line) not in keys])


def key(line):
    """What a line describes, without how."""
    words = line.removeprefix("module ").split(" ")
    return tuple(words[:2])


def listed(old, new, lines):
    """The lines, each followed by what the other side has in its place."""
    other = {key(line): line.removeprefix("module ") for line in new.lines}
    stayed = {line.removeprefix("module ") for line in old.lines}
    return "".join(f"\n  {line}" + (f"\n    now: {other[key(line)]}" if line in stayed and key(line) in other else "")
                   for line in lines)


def refusal(old, new):
    """Why the new description may not replace the old one; None if it may."""
    broken = breaking(old, new)
    if broken and new.abi <= old.abi:
        return (f"these lines break programs that were compiled before; raise LS_ABI in "
                f"include/lockstep/base.h to {old.abi + 1}:" + listed(old, new, [line for line, _ in broken]))
    modules = [line for line, is_module in broken if is_module]
    if modules and new.sim_abi <= old.sim_abi:
        return (f"these lines break simulation modules that were compiled before; raise LS_SIM_ABI in "
                f"include/lockstep/sim.h to {old.sim_abi + 1}:" + listed(old, new, modules))
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--include", default=os.path.join(ROOT, "include"))
    parser.add_argument("--stored", default=STORED)
    parser.add_argument("--clang", default="clang-14")
    options = parser.parse_args()
    new = Description.of_headers(options.include, options.clang)
    old_text = ""
    if os.path.exists(options.stored):
        with open(options.stored, encoding="utf-8") as file:
            old_text = file.read()
        why = refusal(Description.of_text(old_text), new)
        if why:
            raise SystemExit(why)
    if options.update:
        with open(options.stored, "w", encoding="utf-8") as file:
            file.write(new.text())
    elif new.text() != old_text:
        raise SystemExit("tests/package/abi.txt does not describe the public headers: tests/package/abi.py --update")


if __name__ == "__main__":
    sys.exit(main())
