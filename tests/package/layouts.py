#!/usr/bin/env python3
"""Prints C that compiles only where the public structs, enums and macros are as in tests/package/abi.txt, on x86-64.
./matrix compiles it for every machine with pointers of 64 bits: a change there is then a change here, where it raises LS_ABI.
For the others --values leaves the structs out. Nobody can move their members there alone: abi.txt has the types and the order,
and only an attribute of alignment could act on 32 bits and not on 64.

usage: layouts.py [--values]"""
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
INCLUDE = os.path.join(os.path.dirname(os.path.dirname(HERE)), "include", "lockstep")
SIZE = re.compile(r"(?:module )?(struct|union) (\w+) (\d+) bytes, align (\d+)")
MEMBER = re.compile(r"(?:module )?(struct|union) (\w+)\.(\w+) at (\d+)\+(\d+) .*")
VALUE = re.compile(r"(?:module )?(?:(?:enum \w+|constant)\.|macro )(\w+) = (-?\d+)")


def assertions(lines, only_values):
    """A static assertion for each size, offset and value."""
    for line in lines:
        if value := VALUE.fullmatch(line):
            name, number = value.groups()
            yield f"{name} == {number}{'u' * (int(number) >= 2**63)}", line
        elif only_values:
            continue
        elif size := SIZE.fullmatch(line):
            kind, name, count, align = size.groups()
            yield f"sizeof({kind} {name}) == {count} && _Alignof({kind} {name}) == {align}", line
        elif member := MEMBER.fullmatch(line):
            kind, name, field, offset, count = member.groups()
            yield (f"offsetof({kind} {name}, {field}) == {offset} && sizeof((({kind} {name} *)0)->{field}) == {count}", line)


def main():
    only_values = sys.argv[1:] == ["--values"]
    with open(os.path.join(HERE, "abi.txt"), encoding="utf-8") as file:
        rules = list(assertions(file.read().splitlines(), only_values))
    if len(rules) < (300 if only_values else 1000):
        sys.exit(f"layouts.py: only {len(rules)} rules in abi.txt")
    print("\n".join(f"#include <lockstep/{name}>" for name in sorted(os.listdir(INCLUDE)) if name.endswith(".h")))
    print("#include <stddef.h>\n")
    for rule, line in rules:
        text = line.replace('"', "'")
        print(f'_Static_assert({rule}, "{text}");')


main()
