#!/usr/bin/env python3
"""Writes the public interface of C as JSON, for programs that bind it to another language: functions, structs,
enums, types and constants of include/lockstep/*.h, with sizes and offsets on the machine that it runs on.
docs/engines.md describes the members.

    cmake/describe_api.py [--include DIR] [--clang PROGRAM] [--output FILE]
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FORMAT = 1
INCLUDE = re.compile(r"^#include <lockstep/(\S+)>", re.M)
LABEL = re.compile(r"^  +([a-z]+)  +(\S.*)$")
LABELS = {"shape", "unit", "errors", "owns", "thread", "order", "source", "when", "cells", "values", "identity",
          "rounding", "overflow"}
UNITS = {"ns": "nanoseconds", "us": "microseconds", "ms": "milliseconds", "s": "seconds", "bytes": "bytes",
         "ticks": "ticks", "tick": "tick number", "permille": "1/1000", "count": "number"}


def run(*command, text=""):
    done = subprocess.run(command, input=text, text=True, check=False, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}: exit {done.returncode}\n{done.stderr}")
    return done.stdout


def unit_of(name):
    """The unit that a name ends with, also before _min and _max."""
    words = [word for word in name.lower().rstrip("_").split("_") if word not in ("min", "max", "default")]
    return UNITS.get(words[-1]) if words else None


def plain(text):
    """The words of a comment, one paragraph a line, and its labelled paragraphs."""
    lines = [re.sub(r"^\s*\*? ?", "", line) if at else line for at, line in
             enumerate(text.strip()[2:-2].rstrip().split("\n"))]
    words, labels, into = [], {}, None
    for line in lines:
        label = LABEL.match(line)
        if label and label.group(1) in LABELS:
            into = label.group(1)
            labels[into] = label.group(2)
        elif into and line.startswith("    "):
            labels[into] += " " + line.strip()
        else:
            into = None
            words.append(line.strip())
    return " ".join(words).strip(), labels


class Text:
    """A header as text: where a declaration is, and the comment that belongs to it."""

    def __init__(self, name, text):
        self.name, self.text, self.lines = name, text, text.split("\n")

    def line_of(self, pattern):
        found = re.search(pattern, self.text, re.M)
        return self.text.count("\n", 0, found.start()) if found else None

    def bounds(self, pattern):
        """{parameter: bounds} of those that the function declares as an array, which a compiler takes for a pointer."""
        parameters = re.match(r"[^;{]*", self.text[re.search(pattern, self.text, re.M).end():]).group()
        return dict(re.findall(r"(\w+)\[([^\[\]]+)\]", parameters))

    def comment(self, line, may_share=True):
        """The comment above the line, or above the declarations that precede it without an empty line; or else
        the one that begins in the line."""
        above = line - 1
        while may_share and above >= 0 and self.lines[above].strip() and not self.lines[above].endswith("*/"):
            above -= 1
        if above >= 0 and self.lines[above].endswith("*/") and self.lines[above].lstrip().startswith(("/*", "*")):
            first = above
            while "/*" not in self.lines[first]:
                first -= 1
            if self.lines[first].lstrip().startswith("/*"):
                return "\n".join(self.lines[first:above + 1])
        trailing = "\n".join(self.lines[line:line + 8])
        found = re.match(r"[^\n]*?(/\*.*?\*/)", trailing, re.S)
        return found.group(1) if found else ""

    def member(self, first, name):
        """The line of a member or value within the declaration that begins at `first`."""
        for line in range(first, len(self.lines)):
            code = re.sub(r"/\*.*?(\*/|$)|^\s*\*.*", "", self.lines[line])
            if re.search(rf"\b{name}\b", code):
                return line
            if line > first and self.lines[line].startswith("}"):
                return None
        return None

    def member_comment(self, line):
        code = self.lines[line]
        if "/*" in code and not code.lstrip().startswith("/*"):
            return re.match(r"[^\n]*?(/\*.*?\*/)", "\n".join(self.lines[line:line + 8]), re.S).group(1)
        above = self.lines[line - 1].strip()
        return self.comment(line, False) if above.endswith("*/") and above.startswith(("/*", "*")) else ""


class Api:
    def __init__(self, include, clang):
        self.include, self.clang = include, clang
        folder = os.path.join(include, "lockstep")
        self.headers = []
        for name in sorted(os.listdir(folder)):
            if name.endswith(".h"):
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    self.headers.append(Text(name, file.read()))
        self.prelude = "".join(f"#include <lockstep/{header.name}>\n" for header in self.headers)
        self.flags = ("-std=c17", "-D_GNU_SOURCE", f"-I{include}", "-x", "c", "-")
        self.functions, self.structs, self.enums, self.types, self.opaque = {}, {}, {}, {}, set()
        self.values, self.asked = {}, []
        tree = json.loads(run(clang, "-fsyntax-only", "-Xclang", "-ast-dump=json", *self.flags, text=self.prelude))
        for node in tree["inner"]:
            self.take(node)
        self.measure()

    # -- reading ----------------------------------------------------------------------------------------

    def described(self, name, pattern):
        """{header, comment, ...} of the declaration of `name` that the pattern finds, and where it is."""
        for header in self.headers:
            line = header.line_of(pattern) if name in header.text else None
            if line is not None:
                comment, labels = plain(header.comment(line) or "/**/")
                return {"header": header.name, "comment": comment, **labels}, header, line
        return {"header": None, "comment": ""}, None, None

    def take(self, node):
        kind, name = node["kind"], node.get("name", "")
        if kind == "EnumDecl":
            self.take_enum(node)
        elif not name.startswith("ls_"):
            return
        elif kind == "RecordDecl":
            self.take_record(node, name)
        elif kind == "TypedefDecl":
            spelled = node["type"]["qualType"]
            if spelled.split(" ")[-1] != name:
                about, _, _ = self.described(name, rf"^typedef [^;{{}}]*\b{name}\b")
                self.types[name] = {"name": name, "type": spelled, **about}
        elif kind == "FunctionDecl" and name not in self.functions:
            self.take_function(node, name)

    def take_function(self, node, name):
        pattern = rf"^(LS_API|static)\b[^;{{}}#]*?[ *\n]{name}\("
        about, header, _ = self.described(name, pattern)
        bounds = header.bounds(pattern) if header else {}
        inner = node.get("inner", [])
        parameters = []
        for parameter in inner:
            if parameter["kind"] == "ParmVarDecl":
                one = {"name": parameter.get("name", ""), "type": parameter["type"]["qualType"]}
                if unit_of(one["name"]):
                    one["unit"] = unit_of(one["name"])
                if one["name"] in bounds:
                    one["items"] = None
                    self.asked.append((one, "items", bounds[one["name"]]))
                parameters.append(one)
        made = node["type"]["qualType"]
        self.functions[name] = {
            "name": name, "result": made[:made.index("(")].strip(), "parameters": parameters,
            "is_variadic": node.get("variadic", False), "is_inline": node.get("storageClass") == "static",
            "is_must_use": any(one["kind"] == "WarnUnusedResultAttr" for one in inner), **about}

    def take_enum(self, node):
        names = [inner["name"] for inner in node.get("inner", []) if inner["kind"] == "EnumConstantDecl"]
        if not names or not names[0].startswith("LS_"):
            return
        about, header, line = self.described(names[0], rf"^(typedef )?enum {node['name']}\b" if "name" in node else
                                             rf"^enum \{{[^}}]*\b{names[0]}\b")
        values = []
        for name in names:
            at = header.member(line, name)
            values.append({"name": name, "value": None,
                           "comment": plain(header.member_comment(at) or "/**/")[0] if at is not None else ""})
            self.asked.append((values[-1], "value", name))
        enum = {"name": node.get("name"), "bytes": None, "values": values, **about}
        self.asked.append((enum, "bytes", f"sizeof(enum {node['name']})" if "name" in node else f"sizeof({names[0]})"))
        self.enums[node.get("name", names[0])] = enum

    def take_record(self, node, name):
        if not node.get("completeDefinition"):
            self.opaque.add(name)
            return
        owner = f"{node['tagUsed']} {name}"
        about, header, line = self.described(name, rf"^(typedef )?{owner} \{{")
        record = {"name": name, "kind": node["tagUsed"], "bytes": None, "align": None, "members": [], **about}
        self.asked += [(record, "bytes", f"sizeof({owner})"), (record, "align", f"_Alignof({owner})")]
        self.take_members(record, owner, "", node, (header, line))
        self.structs[name] = record

    def take_members(self, record, owner, prefix, node, place):
        inner_record = None
        header, line = place
        for inner in node.get("inner", []):
            if inner["kind"] == "RecordDecl":
                inner_record = inner
            if inner["kind"] != "FieldDecl":
                continue
            path = prefix + inner.get("name", "")
            spelled = re.sub(r"\((?:unnamed|anonymous)[^()]*\)", "(unnamed)", inner["type"]["qualType"])
            if "(unnamed)" in spelled:
                self.take_members(record, owner, path + "." if "name" in inner else prefix, inner_record, place)
            if "name" not in inner:
                continue
            at = header.member(line, inner["name"]) if header else None
            member = {"name": path, "type": spelled, "offset": None, "bytes": None,
                      "comment": plain(header.member_comment(at) or "/**/")[0] if at is not None else ""}
            if unit_of(path):
                member["unit"] = unit_of(path)
            self.asked += [(member, "offset", f"offsetof({owner}, {path})"),
                           (member, "bytes", f"sizeof((({owner} *)0)->{path})")]
            record["members"].append(member)

    # -- numbers ----------------------------------------------------------------------------------------

    def macros(self):
        """Object-like macros that may be constants: {name: the header's text and line}."""
        found = {}
        for header in self.headers:
            for one in re.finditer(r"^#define (LS_[A-Z0-9_]*[A-Z0-9])[ \t]+(?=\S)", header.text, re.M):
                found[one.group(1)] = (header, header.text.count("\n", 0, one.start()))
        return found

    def constants(self, macros):
        """The macros that are constant expressions or texts: compiles all, and again without what fails."""
        names = sorted(macros)
        head = self.prelude.count("\n") + 1
        program = self.prelude + "#include <stdio.h>\n" + "".join(
            f"long long a{i}(void) {{ return (long long)({name}); }} const char b{i}[] = {{sizeof({name}) > 0}};\n"
            for i, name in enumerate(names))
        done = subprocess.run((self.clang, "-fsyntax-only", "-w", "-ferror-limit=0", *self.flags), input=program,
                              text=True, check=False, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        wrong = {int(line) - head - 1 for line in re.findall(r"^<stdin>:(\d+):\d+: error:", done.stderr, re.M)}
        return [name for i, name in enumerate(names) if i not in wrong]

    def measure(self):
        macros = self.macros()
        names = self.constants(macros)
        # A text's pointer, or a number, whose sign shows only when it has 64 bits.
        kind = "_Generic(({0}), char *: 's', const char *: 's', unsigned long: 'u', unsigned long long: 'u', default: 'i')"
        body = "".join(f'printf("%lld\\n", (long long)({value}));\n' for _, _, value in self.asked)
        body += "".join(f"show({kind.format(name)}, (uintptr_t)({name}), (long long)({name}));\n" for name in names)
        source = (f"{self.prelude}#include <stdio.h>\n"
                  "static void show(int kind, uintptr_t text, long long value)\n{\n"
                  "if (kind == 's')\nprintf(\"s %s\\n\", (const char *)text);\n"
                  'else\nprintf(kind == \'u\' ? "u %llu\\n" : "i %lld\\n", value);\n}\n'
                  f"int main(void)\n{{\n{body}return 0;\n}}\n")
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, "program")
            run(self.clang, "-w", "-O0", "-Wl,--unresolved-symbols=ignore-all", *self.flags, "-o", program, text=source)
            lines = run(program).splitlines()
        for (into, key, _), line in zip(self.asked, lines):
            into[key] = int(line)
        for name, line in zip(names, lines[len(self.asked):]):
            header, at = macros[name]
            sort, _, value = line.partition(" ")
            comment = plain(header.member_comment(at) or header.comment(at) or "/**/")[0]
            self.values[name] = {"name": name, "value": value if sort == "s" else int(value), "header": header.name,
                                 "comment": comment}
            if unit_of(name):
                self.values[name]["unit"] = unit_of(name)

    # -- ownership --------------------------------------------------------------------------------------

    def destroyers(self):
        """{type: the function that ends an object of it}."""
        found = {}
        for name, function in self.functions.items():
            ends = re.fullmatch(r"(ls_\w+)_(destroy|close|free)", name)
            if ends and [one["type"] for one in function["parameters"]] == [ends.group(1) + " *"]:
                found[ends.group(1)] = name
        return found

    def own(self):
        ends = self.destroyers()
        for name, function in self.functions.items():
            for one in function["parameters"]:
                made = re.fullmatch(r"(ls_\w+) \*\*", one["type"])
                if made and made.group(1) in ends:
                    one["destroy"] = ends[made.group(1)]
            made = re.fullmatch(r"(ls_\w+) \*", function["result"])
            if made and made.group(1) in ends and re.search(r"_create|_snapshot$", name):
                function["destroy"] = ends[made.group(1)]

    def describe(self):
        self.own()
        opaque = sorted(self.opaque - set(self.structs))
        return {"format": FORMAT, "library": "lockstep",
                "abi": self.values["LS_ABI"]["value"], "sim_abi": self.values["LS_SIM_ABI"]["value"] >> 16,
                "target": run(self.clang, "-dumpmachine").strip(),
                "headers": [{"name": header.name, "comment": plain(header.comment(0) or "/**/")[0],
                             "includes": INCLUDE.findall(header.text)} for header in self.headers],
                "functions": list(self.functions.values()), "structs": list(self.structs.values()),
                "opaque": [{"name": name, **({"destroy": end} if end else {})}
                           for name in opaque for end in [self.destroyers().get(name)]],
                "enums": list(self.enums.values()), "types": list(self.types.values()),
                "constants": list(self.values.values())}


def write(description, file):
    """One declaration a line, so that two versions can be compared."""
    parts = []
    for key, value in description.items():
        if isinstance(value, list):
            lines = ",\n".join("  " + json.dumps(one, ensure_ascii=False) for one in value)
            parts.append(f'{json.dumps(key)}: [\n{lines}\n]')
        else:
            parts.append(f"{json.dumps(key)}: {json.dumps(value)}")
    file.write("{" + ",\n".join(parts) + "}\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--include", default=os.path.join(ROOT, "include"))
    parser.add_argument("--clang", default="clang-14")
    parser.add_argument("--output")
    options = parser.parse_args()
    description = Api(options.include, options.clang).describe()
    if options.output:
        with open(options.output, "w", encoding="utf-8") as file:
            write(description, file)
    else:
        write(description, sys.stdout)


if __name__ == "__main__":
    main()
