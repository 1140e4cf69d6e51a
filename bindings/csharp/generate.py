#!/usr/bin/env python3
"""Writes Native.cs, the C interface in C#, from lockstep-api.json: enums, structs, constants, types of callbacks, and every
function of the library. The names are those of C; pointers stay pointers.

    bindings/csharp/generate.py lockstep-api.json [--output FILE] [--facts FILE]

--facts writes a class for the tests: the offset of each member, as C# has it and as C has it."""
import argparse
import json
import os
import re
import sys
from xml.sax.saxutils import escape

HERE = os.path.dirname(os.path.abspath(__file__))
FORMAT = 1
PLAIN = {
    "void": "void", "bool": "Bool", "char": "byte", "int": "int", "double": "double", "unsigned int": "uint",
    "size_t": "UIntPtr", "int8_t": "sbyte", "uint8_t": "byte", "int16_t": "short", "uint16_t": "ushort", "int32_t": "int",
    "uint32_t": "uint", "int64_t": "long", "uint64_t": "ulong",
}
# What a buffer of fixed size can hold, by size of an element.
UNITS = {1: "byte", 2: "ushort", 4: "uint", 8: "ulong"}
KEYWORDS = {"base", "checked", "event", "fixed", "in", "is", "lock", "object", "out", "params", "ref", "string"}
FUNCTION = re.compile(r"(.*?) ?\((?:\*\)\()?(.*)\)")


def split(text):
    """The parts of a list of parameters."""
    return [] if text == "void" else [part.strip() for part in text.split(",")]


class Generator:
    def __init__(self, api):
        if api["format"] != FORMAT:
            raise SystemExit(f"lockstep-api.json has format {api['format']}, this generator reads {FORMAT}")
        self.api, self.lines, self.facts = api, [], []
        self.types = {one["name"]: one["type"] for one in api["types"]}
        self.structs = {one["name"]: one for one in api["structs"]}
        self.known = set(self.structs) | {one["name"] for kind in ("opaque", "enums") for one in api[kind]}
        self.callbacks = {name for name, spelled in self.types.items() if "(" in spelled}

    def add(self, *lines, indent=4):
        self.lines += [" " * indent + line if line else "" for line in lines]

    def comment(self, about, indent=4):
        text = about.get("comment", "")
        for label in ("shape", "order", "errors", "owns", "thread"):
            if label in about:
                text += f" {label.capitalize()}: {about[label]}"
        if text.strip():
            self.add(f"/// <summary>{escape(text.strip())}</summary>", indent=indent)

    @staticmethod
    def name(spelled):
        return "@" + spelled if spelled in KEYWORDS else spelled

    def type(self, spelled):
        """The type of C# for one of C."""
        spelled = re.sub(r"\b(const|struct|enum)\b ?", "", spelled).strip()
        if "(" in spelled:
            return "IntPtr"
        if spelled.endswith("*"):
            target = spelled[:-1].strip()
            if target in self.callbacks:
                return "IntPtr"
            # A struct that no header describes is private to the library.
            is_private = re.fullmatch(r"ls_\w+", target) and target not in self.known | set(self.types)
            return "void*" if is_private else self.type(target) + "*"
        if spelled in PLAIN:
            return PLAIN[spelled]
        if spelled in self.types:
            return self.type(self.types[spelled])
        if spelled in self.known:
            return spelled
        raise SystemExit(f"generate.py knows no type {spelled}")

    def parameter(self, spelled, name):
        made = self.type(spelled)
        return f"[MarshalAs(UnmanagedType.U1)] bool {name}" if made == "Bool" else f"{made} {name}"

    def delegate(self, name, result, parameters):
        made = self.type(result)
        if made == "Bool":
            self.add("[return: MarshalAs(UnmanagedType.U1)]")
            made = "bool"
        self.add("[UnmanagedFunctionPointer(CallingConvention.Cdecl)]",
                 f"public unsafe delegate {made} {name}({', '.join(parameters)});")

    def callback(self, name, spelled):
        """The type of a function of the program that the library calls, or of one that a simulation has."""
        result, parameters = FUNCTION.fullmatch(spelled).groups()
        self.delegate(name, result, [self.parameter(one, f"argument{i}") for i, one in enumerate(split(parameters))])

    # -- the parts of the file ----------------------------------------------------------------------------

    def enums(self):
        for one in self.api["enums"]:
            if not one["name"]:
                continue
            self.comment(one)
            self.add(f"public enum {one['name']} : int", "{")
            for value in one["values"]:
                self.comment(value, 8)
                self.add(f"{value['name']} = {value['value']},", indent=8)
            self.add("}", "")

    def array(self, owner, member, element, dimensions):
        """A buffer of numbers; for anything else also a pointer to its first item, of the right type."""
        count = 1
        for number in re.findall(r"\d+", dimensions):
            count *= int(number)
        name, made = self.name(member["name"]), self.type(element)
        if made in UNITS.values() or made in ("sbyte", "short", "int", "long"):
            self.add(f"public fixed {made} {name}[{count}];", indent=8)
            return name
        unit = min(8, self.structs[made]["align"] if made in self.structs else 8)
        self.add(f"public fixed {UNITS[unit]} {member['name']}_[{member['bytes'] // unit}];",
                 "/// <summary>The first item; for a struct on the stack or in memory of C.</summary>",
                 f"public {made}* {name} {{ get {{ fixed ({UNITS[unit]}* at = {member['name']}_) return ({made}*)at; }} }}", indent=8)
        return member["name"] + "_"

    def struct(self, one):
        if one["kind"] != "struct" or any("." in member["name"] or "unnamed" in member["type"] for member in one["members"]):
            raise SystemExit(f"generate.py cannot write {one['kind']} {one['name']}")
        for member in one["members"]:
            if "(" in member["type"]:
                self.callback(f"{one['name']}_{member['name']}", member["type"])
        self.comment(one)
        self.add("[StructLayout(LayoutKind.Sequential)]", f"public unsafe struct {one['name']}", "{")
        for member in one["members"]:
            self.comment(member, 8)
            array = re.fullmatch(r"(.*?)((?:\[\d+\])+)", member["type"])
            name, address = self.name(member["name"]), "&"
            if array:
                name, address = self.array(one["name"], member, *array.groups()), ""
            else:
                self.add(f"public {self.type(member['type'])} {name};", indent=8)
            self.facts.append(f'fact("{one["name"]}.{member["name"]}", (long){address}(({one["name"]}*)0)->{name}, '
                              f'{member["offset"]});')
        self.add("}", "")

    def constants(self):
        self.add("public static class Constants", "{")
        values = [(one["name"], one["value"], one) for one in self.api["constants"]]
        values += [(value["name"], value["value"], value) for one in self.api["enums"] if not one["name"]
                   for value in one["values"]]
        for name, value, about in values:
            self.comment(about, 8)
            if isinstance(value, str):
                kind, text = "string", json.dumps(value)
            else:
                kind = next(kind for kind, least, most in (("int", -2**31, 2**31), ("uint", 0, 2**32), ("long", -2**63, 2**63),
                                                           ("ulong", 0, 2**64)) if least <= value < most)
                text = str(value)
            self.add(f"public const {kind} {name} = {text};", indent=8)
        self.add("}", "")

    def functions(self):
        called = [one for one in self.api["functions"] if not one["is_inline"] and not one["is_variadic"]]
        for one in called:
            self.delegate(one["name"] + "_call", one["result"], [
                self.parameter(parameter["type"], self.name(parameter["name"])) for parameter in one["parameters"]])
        self.add("", "/// <summary>The functions of the library, which Library.Load() finds. Call that first.</summary>",
                 "public static unsafe class Api", "{")
        self.add(f'public const string Target = "{self.api["target"]}";', "", indent=8)
        for one in called:
            self.comment(one, 8)
            self.add(f"public static {one['name']}_call {one['name']} {{ get; private set; }}", indent=8)
        self.add("", "internal static void Bind(FunctionFinder find)", "{", indent=8)
        self.add(*(f'{one["name"]} = find.Get<{one["name"]}_call>("{one["name"]}");' for one in called), indent=12)
        self.add("}", "", "internal static readonly string[] Names =", "{", indent=8)
        self.add(*(f'"{one["name"]}",' for one in called), indent=12)
        self.add("};", "", "/// <summary>The first struct that has another size than in C; null: none.</summary>",
                 "internal static string FindWrongStruct()", "{", indent=8)
        self.add(*(f'if (sizeof({one["name"]}) != {one["bytes"]}) return "{one["name"]}";' for one in self.api["structs"]),
                 "return null;", indent=12)
        self.add("}", indent=8)
        self.add("}")

    def write(self):
        self.enums()
        for one in self.api["opaque"]:
            self.add(f"public struct {one['name']} {{ }}")
        self.add("")
        for name in sorted(self.callbacks):
            self.callback(name, self.types[name])
        self.add("")
        for one in self.api["structs"]:
            self.struct(one)
        self.constants()
        self.functions()
        head = ["// Written by bindings/csharp/generate.py; see docs/engines.md.", "using System;",
                "using System.Runtime.InteropServices;", "", "namespace Lockstep.Native", "{"]
        return "\n".join([*head, *self.lines, "}", ""])

    def write_facts(self):
        body = "\n".join("            " + line for line in self.facts)
        return ("using System;\nusing Lockstep.Native;\n\npublic static unsafe class Facts\n{\n"
                "    public static void Each(Action<string, long, long> fact)\n    {\n        unchecked\n        {\n"
                f"{body}\n        }}\n    }}\n}}\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("api")
    parser.add_argument("--output", default=os.path.join(HERE, "Native.cs"))
    parser.add_argument("--facts")
    options = parser.parse_args()
    with open(options.api, encoding="utf-8") as file:
        generator = Generator(json.load(file))
    text = generator.write()
    with open(options.output, "w", encoding="utf-8") as file:
        file.write(text)
    if options.facts:
        with open(options.facts, "w", encoding="utf-8") as file:
            file.write(generator.write_facts())


if __name__ == "__main__":
    sys.exit(main())
