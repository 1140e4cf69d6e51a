#!/usr/bin/env python3
"""Describes what a program is compiled against: every struct, enum, type, macro and function of the public headers, a
line each, with sizes and offsets on x86-64, from what cmake/describe_api.py reads. Compares it with
tests/package/abi.txt, and writes that anew with --update. A change that breaks compiled programs is refused until
LS_ABI has risen, and LS_SIM_ABI too if simulation modules are concerned."""
import argparse
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
INCLUDE = os.path.join(ROOT, "include")
STORED = os.path.join(HERE, "abi.txt")
sys.path.insert(0, os.path.join(ROOT, "cmake"))
from describe_api import Api # pylint: disable=wrong-import-position

OWN = ("LS_ABI", "LS_SIM_ABI")  # in lines of their own
VERSIONS = ("LS_PROTOCOL_VERSION", "LS_RECORDING_FORMAT_VERSION", "LS_ENGINE_RULES", "LS_JSON_FORMAT")
LIMITS = ("limits.h", "session_limits.h", "evidence_limits.h", "server.h", "job_pool.h")
SIZE = re.compile(r"LS_(?!SERVER_|CLIENT_|LINK_)\w+(?:_BYTES|_MAX)")

HEAD = """\
# What a program is compiled against, on x86-64: tests/package/abi.py --update writes this file.
# "module": also a simulation module, LS_SIM_ABI. offset+bytes of members; functions by type.
# Layouts of 32 bits have no lines: they follow from the types and the order of the members."""


def describe(include=INCLUDE, clang="clang-14"):
    """The interface, as lockstep-api.json has it."""
    return Api(include, clang).describe()


def functions_of(api):
    """Those of the library; inline functions are compiled into the program."""
    return [one for one in api["functions"] if not one["is_inline"]]


def type_of(parameter):
    """As in C; of an array with its bound, which the caller's buffer has."""
    return f"{parameter['type'].removesuffix(' *')}[{parameter['items']}]" if "items" in parameter else parameter["type"]


def is_agreed(one):
    """Whether a program that was compiled with another value of this macro goes wrong. Versions are compared when programs
    and files meet, defaults are only proposals, and most texts are for people. What server and client keep to is up to
    them; as a bound of an array it is in the line of the member or the parameter."""
    name, value = one["name"], one["value"]
    if name in VERSIONS or name.endswith("_DEFAULT") or (isinstance(value, str) and not name.endswith("_NAME")):
        return False
    return one["header"] not in LIMITS or bool(SIZE.fullmatch(name))


def items(api):
    """Each item of the interface with its lines."""
    for one in functions_of(api):
        types = [type_of(parameter) for parameter in one["parameters"]] + ["..."] * one["is_variadic"]
        space = "" if one["result"].endswith("*") else " "
        yield one, [f"function {one['name']} {one['result']}{space}({', '.join(types) or 'void'})"]
    for one in api["structs"]:
        owner = f"{one['kind']} {one['name']}"
        yield one, [f"{owner} {one['bytes']} bytes, align {one['align']}"] + [
            f"{owner}.{member['name']} at {member['offset']}+{member['bytes']} {member['type']}"
            for member in one["members"]]
    for one in api["enums"]:
        owner = f"enum {one['name']}" if one["name"] else "constant"
        yield one, [f"{owner} {one['bytes']} bytes"] * bool(one["name"]) + [
            f"{owner}.{value['name']} = {value['value']}" for value in one["values"]]
    for one in api["constants"]:
        yield one, [f"macro {one['name']} = {one['value']}"] * (is_agreed(one) and one["name"] not in OWN)
    for one in api["types"]:
        yield one, [f"type {one['name']} {one['type']}"]


def module_headers(api):
    """The headers that <lockstep/lockstep.h> includes, as a simulation module does."""
    includes = {one["name"]: one["includes"] for one in api["headers"]}
    found, left = set(), ["lockstep.h"]
    while left:
        name = left.pop()
        if name not in found:
            found.add(name)
            left += includes[name]
    return found


class Description:
    """The versions and the set of lines: of headers, or as stored."""

    def __init__(self, abi, sim_abi, lines):
        self.abi, self.sim_abi, self.lines = abi, sim_abi, lines

    @classmethod
    def of_headers(cls, include, clang):
        api = describe(include, clang)
        modules = module_headers(api)
        return cls(api["abi"], api["sim_abi"], [("module " if one["header"] in modules else "") + line
                                                for one, lines in items(api) for line in lines])

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


def main(arguments=None, read=Description.of_headers):
    """`read` gives the description of a folder's headers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--include", default=INCLUDE)
    parser.add_argument("--stored", default=STORED)
    parser.add_argument("--clang", default="clang-14")
    options = parser.parse_args(arguments)
    new = read(options.include, options.clang)
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
