#!/usr/bin/env python3
"""Prints C that compiles only where the public structs and enums have the layout of tests/package/abi.txt, that of x86-64.
./matrix compiles it for every machine with pointers of 64 bits: a change there is then a change here, where it raises LS_ABI."""
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
INCLUDE = os.path.join(os.path.dirname(os.path.dirname(HERE)), "include", "lockstep")
SIZE = re.compile(r"(?:module )?(struct|union) (\w+) (\d+) bytes, align (\d+)")
MEMBER = re.compile(r"(?:module )?(struct|union) (\w+)\.(\w+) at (\d+)\+(\d+) .*")
VALUE = re.compile(r"(?:module )?(?:enum \w+|constant)\.(\w+) = (-?\d+)")


def assertions(lines):
    """A static assertion for each size, offset and value."""
    for line in lines:
        if size := SIZE.fullmatch(line):
            kind, name, count, align = size.groups()
            yield f"sizeof({kind} {name}) == {count} && _Alignof({kind} {name}) == {align}", line
        elif member := MEMBER.fullmatch(line):
            kind, name, field, offset, count = member.groups()
            yield (f"offsetof({kind} {name}, {field}) == {offset} && sizeof((({kind} {name} *)0)->{field}) == {count}", line)
        elif value := VALUE.fullmatch(line):
            yield f"{value.group(1)} == {value.group(2)}", line


def main():
    with open(os.path.join(HERE, "abi.txt"), encoding="utf-8") as file:
        rules = list(assertions(file.read().splitlines()))
    if len(rules) < 1000:
        sys.exit(f"layouts.py: only {len(rules)} rules in abi.txt")
    print("\n".join(f"#include <lockstep/{name}>" for name in sorted(os.listdir(INCLUDE)) if name.endswith(".h")))
    print("#include <stddef.h>\n")
    for rule, line in rules:
        text = line.replace('"', "'")
        print(f'_Static_assert({rule}, "{text}");')


main()
