#!/usr/bin/env python3
"""cmake/describe_api.py: the JSON has all that the headers have. The headers are read in two other ways: by abi.py
(types, sizes and offsets) and as text (inline functions, constants, comments)."""
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
INCLUDE = os.path.join(abi.ROOT, "include")
# Attributes and pieces of assembler, which are no numbers or texts.
NO_VALUE = {"LS_NO_RETURN", "LS_MUST_USE", "LS_API", "LS_SIM_EXPORT", "LS_FLOAT_PROBES_BEGIN", "LS_FLOAT_PROBES_END",
            "LS_FLOAT_PROBE_ENTRY"}


def describe(include, output):
    subprocess.run((sys.executable, "-B", TOOL, "--include", include, "--output", output), check=True)
    with open(output, encoding="utf-8") as file:
        return json.load(file)


def lines_of(description):
    """The lines that abi.py would write for what the JSON says."""
    for one in description["functions"]:
        if not one["is_inline"]:
            types = [parameter["type"] for parameter in one["parameters"]] + ["..."] * one["is_variadic"]
            space = "" if one["result"].endswith("*") else " "
            yield f"function {one['name']} {one['result']}{space}({', '.join(types) or 'void'})"
    for one in description["structs"]:
        owner = f"{one['kind']} {one['name']}"
        yield f"{owner} {one['bytes']} bytes, align {one['align']}"
        for member in one["members"]:
            yield f"{owner}.{member['name']} at {member['offset']}+{member['bytes']} {member['type']}"
    for one in description["enums"]:
        owner = f"enum {one['name']}" if one["name"] else "constant"
        for value in one["values"]:
            yield f"{owner}.{value['name']} = {value['value']}"
    for one in description["types"]:
        yield f"type {one['name']} {one['type']}"


def text_names(include):
    """Inline functions and constants, from the text of the headers."""
    for header in abi.headers_of(include):
        with open(os.path.join(include, "lockstep", header), encoding="utf-8") as file:
            text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
        for name in re.findall(r"^static inline [^;{}()]*?\b(ls_\w+)\(", text, re.M):
            yield f"function {name}"
        for name in re.findall(r"^#define (LS_\w*[A-Z0-9])[ \t]+\S", text, re.M):
            if name not in NO_VALUE:
                yield f"constant {name}"


def lacks(description, include):
    """What the headers have and the description lacks."""
    stored = {line.removeprefix("module ").replace(" __attribute__((noreturn))", "")
              for line in abi.Description.of_headers(include, "clang-14").lines
              if not re.match(r"(module )?enum \w+ \d+ bytes$", line)}
    missing = stored - set(lines_of(description))
    known = {f"function {one['name']}" for one in description["functions"]} | \
        {f"constant {one['name']}" for one in description["constants"]}
    missing |= set(text_names(include)) - known
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
                   "static inline int ls_odd_half(int of) { return of / 2; }\n"
                   "LS_API ls_session *ls_session_create_odd(const ls_odd *odd, uint64_t delay_ns);\n")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace("LS_API ls_client *ls_session_client(", planted + "LS_API ls_client *ls_session_client("))
        self.assertEqual(lacks(self.json, include), [
            "constant LS_ODD_NS", "enum ls_odd_kind.LS_ODD_ONE = 4", "function ls_odd_half",
            "function ls_session_create_odd ls_session *(const ls_odd *, uint64_t)",
            "struct ls_odd 16 bytes, align 8", "struct ls_odd.left at 0+4 int32_t",
            "struct ls_odd.wait_ms at 8+8 uint64_t"])
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
        self.assertEqual(self.json["abi"], abi.version(INCLUDE, "base.h", r"^#define LS_ABI (\d+)$"))
        self.assertEqual({one["name"]: one.get("destroy") for one in self.json["opaque"]}["ls_recording"],
                         "ls_recording_close")


if __name__ == "__main__":
    sys.exit(unittest.main())
