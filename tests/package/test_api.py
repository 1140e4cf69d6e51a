#!/usr/bin/env python3
"""cmake/describe_api.py: the JSON has all that the headers have, which the test reads as text, and its numbers are those
of another compiler."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import abi

TOOL = os.path.join(abi.ROOT, "cmake", "describe_api.py")
INCLUDE = abi.INCLUDE
# Attributes and pieces of assembler, which are no numbers or texts.
NO_VALUE = {"LS_NO_RETURN", "LS_MUST_USE", "LS_API", "LS_WIDE", "LS_SIM_EXPORT", "LS_FLOAT_PROBES_BEGIN", "LS_FLOAT_PROBES_END",
            "LS_FLOAT_PROBE_ENTRY", "LS_READS_WORLD", "LS_WRITES_WORLD", "LS_TERM_KIND_READS_WORLD",
            "LS_TERM_KIND_WRITES_WORLD", "LS_GRANT_READ_WORLD", "LS_GRANT_WRITE_WORLD"}


def describe(include, output):
    subprocess.run((sys.executable, "-B", TOOL, "--include", include, "--output", output), check=True)
    with open(output, encoding="utf-8") as file:
        return json.load(file)


def names_in(members):
    """The names that the declarations between the braces of a struct declare, also in structs inside it."""
    for part in re.split(r"[;{}]", members):
        function = re.search(r"\(\*(\w+)\)\(", part)
        if function:
            yield function.group(1)
        elif len(re.findall(r"\w+", part)) > 1:
            yield from (re.search(r"(\w+)(\[.*\])*\s*$", one).group(1) for one in part.split(","))


def text_names(include):
    """What the headers declare, read as text."""
    for header in sorted(os.listdir(os.path.join(include, "lockstep"))):
        if not header.endswith(".h"):
            continue
        with open(os.path.join(include, "lockstep", header), encoding="utf-8") as file:
            text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
        for name in re.findall(r"^#define (LS_\w*[A-Z0-9])[ \t]+\S", text, re.M):
            if name not in NO_VALUE:
                yield f"constant {name}"
        text = re.sub(r"^ *#(?:.*\\\n)*.*", "", text, flags=re.M)
        for name in re.findall(r"^(?:static inline|LS_API)\b[^;{}()]*?\b(ls_\w+)\(", text, re.M):
            yield f"function {name}"
        for name in re.findall(r"^typedef [^;{}]*?\b(ls_\w+)(?:\([^;{}]*\))?;", text, re.M):
            yield f"type {name}"
        for kind, name, line, lines in re.findall(
                r"^(?:typedef )?(struct|union|enum) ?(ls_\w+)? \{(?:([^\n]*)\}|(.*?)^\})", text, re.M | re.S):
            members = line or lines
            for member in re.findall(r"\b(LS_\w+)(?: =|,|\s*$)", members, re.M) if kind == "enum" else names_in(members):
                yield f"{kind} {name}.{member}"


def described_names(description):
    """The same, from the JSON. Of a member in a struct inside another one, the last name counts."""
    for kind in ("functions", "constants"):
        yield from (f"{kind[:-1]} {one['name']}" for one in description[kind])
    for kind in ("types", "structs", "opaque", "enums"):
        yield from (f"type {one['name']}" for one in description[kind])
    for one in description["structs"]:
        yield from (f"{one['kind']} {one['name']}.{member['name'].split('.')[-1]}" for member in one["members"])
    for one in description["enums"]:
        yield from (f"enum {one['name'] or ''}.{value['name']}" for value in one["values"])


def wrong_numbers(description, include, compiler="gcc"):
    """Sizes, offsets and values that another compiler disagrees with."""
    facts = []
    for one in description["structs"]:
        owner = f"{one['kind']} {one['name']}"
        facts += [(f"sizeof({owner})", one["bytes"]), (f"_Alignof({owner})", one["align"])]
        for member in one["members"]:
            facts += [(f"offsetof({owner}, {member['name']})", member["offset"]),
                      (f"sizeof((({owner} *)0)->{member['name']})", member["bytes"])]
    for one in description["enums"]:
        facts += [(f"sizeof(enum {one['name']})" if one["name"] else f"sizeof({one['values'][0]['name']})", one["bytes"])]
        facts += [(value["name"], value["value"]) for value in one["values"]]
    facts += [(f"(unsigned long long)({one['name']})", f"{one['value'] % 2**64}u") for one in description["constants"]
              if not isinstance(one["value"], str)]
    source = "".join(f"#include <lockstep/{one['name']}>\n" for one in description["headers"])
    source += "".join(f"_Static_assert({value} == {wanted}, \"{value}\");\n" for value, wanted in facts)
    done = subprocess.run((compiler, "-std=c17", "-w", "-fsyntax-only", f"-I{include}", "-x", "c", "-"), input=source, text=True,
                          check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return re.findall(r'static assertion failed: "(.*)"', done.stdout) or done.stdout


def lacks(description, include):
    """What the headers have and the description lacks."""
    missing = set(text_names(include)) - set(described_names(description))
    missing |= {f"header of {one['name']}" for kind in ("functions", "structs", "enums", "types")
                for one in description[kind] if not one["header"]}
    missing |= {f"a parameter's name in {one['name']}" for one in description["functions"]
                if not all(parameter["name"] for parameter in one["parameters"])}
    return sorted(missing)


class Api(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.work = tempfile.mkdtemp(prefix="lockstep-api-")
        cls.addClassCleanup(shutil.rmtree, cls.work)
        cls.json = describe(INCLUDE, os.path.join(cls.work, "api.json"))

    def one(self, kind, name):
        found, = [one for one in self.json[kind] if one["name"] == name]
        return found

    def test_it_has_everything_in_the_headers(self):
        self.assertGreater(len(self.json["functions"]), 400)
        self.assertEqual(lacks(self.json, INCLUDE), [])

    def test_each_status_has_its_errors(self):
        returns = [one for one in self.json["functions"] if one["result"] == "ls_status"]
        self.assertGreater(len(returns), 70)
        self.assertEqual([one["name"] for one in returns if not one.get("errors")], [])

    def test_bounds_of_parameters(self):
        bounds = {one["name"]: [parameter["items"] for parameter in one["parameters"] if "items" in parameter]
                  for one in self.json["functions"]}
        self.assertEqual(bounds["ls_public_key_format"], [44])
        self.assertEqual(bounds["ls_session_update"], [])
        declared = sum(bool(re.search(r"LS_API[^;]*\w\[\w[^;]*;", text)) for text in self.declarations())
        self.assertEqual(sum(map(bool, bounds.values())), declared)

    @staticmethod
    def declarations():
        for header in os.listdir(os.path.join(INCLUDE, "lockstep")):
            with open(os.path.join(INCLUDE, "lockstep", header), encoding="utf-8") as file:
                yield from re.findall(r"^LS_API[^;]*;", file.read(), re.M)

    def test_another_compiler_has_its_numbers(self):
        self.assertEqual(wrong_numbers(self.json, INCLUDE), "")
        planted = json.loads(json.dumps(self.json))
        view, = [one for one in planted["structs"] if one["name"] == "ls_session_view"]
        view["bytes"] += 8
        view["members"][1]["offset"] += 4
        planted["enums"][0]["values"][1]["value"] += 1
        self.assertEqual(wrong_numbers(planted, INCLUDE), [
            "sizeof(struct ls_session_view)", "offsetof(struct ls_session_view, confirmed_previous)", "LS_ERROR_USAGE"])

    def test_what_it_lacks_is_found(self):
        include = os.path.join(self.work, "include")
        shutil.copytree(INCLUDE, include)
        path = os.path.join(include, "lockstep", "session.h")
        with open(path, encoding="utf-8") as file:
            text = file.read()
        planted = ("#define LS_ODD_NS 77u\n"
                   "/* An odd one.\n *   owns    nobody */\n"
                   "typedef struct ls_odd { int32_t left; uint64_t wait_ms; /* how long */ } ls_odd;\n"
                   "typedef enum ls_odd_kind { LS_ODD_ONE = 4 } ls_odd_kind;\n"
               "typedef void ls_odd_visit(int of);\n"
                   "static inline int ls_odd_half(int of) { return of / 2; }\n"
                   "LS_API ls_session *ls_session_create_odd(const ls_odd *odd, uint64_t delay_ns);\n")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace("LS_API ls_client *ls_session_client(", planted + "LS_API ls_client *ls_session_client("))
        self.assertEqual(lacks(self.json, include), [
            "constant LS_ODD_NS", "enum ls_odd_kind.LS_ODD_ONE", "function ls_odd_half", "function ls_session_create_odd",
            "struct ls_odd.left", "struct ls_odd.wait_ms", "type ls_odd_visit"])
        new = describe(include, os.path.join(self.work, "new.json"))
        self.assertEqual(lacks(new, include), [])
        odd, = [one for one in new["structs"] if one["name"] == "ls_odd"]
        self.assertEqual((odd["comment"], odd["owns"]), ("An odd one.", "nobody"))
        self.assertEqual(odd["members"][1], {"name": "wait_ms", "type": "uint64_t", "offset": 8, "bytes": 8,
                                             "comment": "how long", "unit": "milliseconds"})
        made, = [one for one in new["functions"] if one["name"] == "ls_session_create_odd"]
        self.assertEqual(made["destroy"], "ls_session_destroy")
        self.assertEqual(made["parameters"][1]["unit"], "nanoseconds")

    def test_comments_units_and_owners(self):
        create = self.one("functions", "ls_session_create")
        self.assertRegex(create["comment"], "^Creates a session and its client")
        self.assertIn("LS_ERROR_USAGE when the config has hooks", create["errors"])
        self.assertEqual([(one["name"], one.get("destroy")) for one in create["parameters"]],
                         [("config", None), ("predict_ticks", None), ("session", "ls_session_destroy"), ("error", None)])
        self.assertTrue(create["is_must_use"])
        self.assertTrue(self.one("functions", "ls_fix_add")["is_inline"])
        self.assertTrue(self.one("functions", "ls_error_set")["is_variadic"])
        self.assertEqual(self.one("constants", "LS_TICK_NEVER")["value"], 2**64 - 1)
        self.assertEqual(self.one("constants", "LS_FIX_MIN")["value"], -2**31)
        self.assertEqual(self.one("constants", "LS_SIM_EXPORT_NAME")["value"], "ls_sim_export")
        self.assertEqual(self.one("constants", "LS_SECOND_NS")["unit"], "nanoseconds")
        self.assertEqual(self.one("enums", "ls_status")["values"][1],
                         {"name": "LS_ERROR_USAGE", "value": 1, "comment": "the caller passed a wrong argument or description"})
        with open(abi.STORED, encoding="utf-8") as file:
            self.assertEqual(self.json["abi"], abi.Description.of_text(file.read()).abi)
        self.assertEqual({one["name"]: one.get("destroy") for one in self.json["opaque"]}["ls_recording"],
                         "ls_recording_close")


if __name__ == "__main__":
    sys.exit(unittest.main())
