#!/usr/bin/env python3
"""Makes one C source of the examples of a page, for tests/tutorial/test_examples.c.

Fences:  ```c shared    definitions for all examples
         ```c           an example: definitions of its own; several in a section are one example
         ```c check     statements after the example, which use `world` and `executor`

Each section with the heading `###` is an example. The definitions `systems`, `sets`, `setup` and so on become the members of
its `ls_sim`; what it does not define comes from the shared ones. A `ls_sim` that it defines itself stays unused.
"""
import argparse
import os
import re
import sys

from fences import fences

LISTS = {"modules": "module", "options": "option", "lanes": "lane", "systems": "system", "stages": "stage", "sets": "set",
         "independences": "independence", "pars": "par", "tables": "table", "operations": "operation",
         "incompatibilities": "incompatibility"}
SINGLE = {"setup": "&", "input_is_valid": "", "despawns_empty": ""}
DEFINED = re.compile(r"^(?:static (?:const )?\w+ (?:\*const )?|enum \{ |LS_OPERATIONS\()(" + "|".join([*LISTS, *SINGLE, "sim"]) + r")(?:\[\] =| =|\(|,)", re.M)
COMPONENT = re.compile(r"^LS_(?:COMPONENT|TAG|SINGLETON|EVENT|EVENT_KEPT|STATES)\((\w+)", re.M)
OF_MODULE = re.compile(r"^LS_COMPONENTS\(\w+_parts, ([^)]*)\)", re.M)
ROW = re.compile(r"\{&(\w+)_component, \w+, \w+\}")


class Refused(Exception):
    pass


def sections(text):
    """(title, text) of each `###` section. The lines before it are blank in the text, so its line numbers are the page's."""
    without_code = re.sub(r"^```.*?^```$", lambda match: re.sub(r"[^\n]", " ", match.group()), text, flags=re.M | re.S)
    heads = list(re.finditer(r"^(#{2,3}) ([^\n]+)$", without_code, re.M))
    for head, after in zip(heads, [*heads[1:], None]):
        if head.group(1) == "###":
            end = after.start() if after else len(text)
            blank = re.sub(r"[^\n]", "", text[:head.start()])
            yield head.group(2), blank + text[head.start():end]


def slug_of(title):
    return re.sub(r"\W+", "_", title.lower()).strip("_")


def code_of(found, page):
    return "".join(f'#line {fence.line} "{page}"\n{fence.body}' for fence in found)


def renamed(code, names, slug):
    """The page's examples define the same names. Strings and members of a struct keep theirs."""
    return re.sub(rf"(?<![.>\w])({'|'.join(names)})\b", rf"\1_{slug}", code) if names else code


def sim_of(slug, code, shared):
    """The simulation of an example."""
    own, common = set(DEFINED.findall(code)), set(DEFINED.findall(shared))
    rows = ROW.findall(code)
    rows += [name for names in OF_MODULE.findall(code) for name in names.split(", ")]
    components = [name for name in COMPONENT.findall(shared + code) if name not in rows]
    members = [".abi = LS_SIM_ABI", f'.name = "{slug}"', '.version = "1"', ".tick_rate = 10", ".player_count = 2",
               f".components = listed_{slug}", f".component_count = LS_COUNT_OF(listed_{slug})"]
    for name in [*LISTS, *SINGLE]:
        if name not in own | common:
            continue
        here = f"{name}_{slug}" if name in own else name
        where = code if name in own else shared
        is_list = f" {name}[] =" in where or f"({name}, OPERATION(" in where
        members.append(f".{name} = {'' if is_list else SINGLE[name]}{here}")
        if is_list:
            members.append(f".{LISTS.get(name, name)}_count = LS_COUNT_OF({here})")
    return (f"LS_COMPONENTS(listed_{slug}, {', '.join(components)});\n"
            f"static const ls_sim example_{slug} = {{{', '.join(members)}}};\n")


def example_of(title, section, shared, page):
    """The source of an example, in a function run_SLUG and a simulation example_SLUG."""
    slug = slug_of(title)
    found = [fence for fence in fences(section) if fence.language == "c" and fence.words != "shared"]
    code = code_of([fence for fence in found if not fence.words], page)
    check = code_of([fence for fence in found if fence.words == "check"], page)
    if {fence.words for fence in found} - {"", "check"}:
        raise Refused(f"{page}: a fence of \"{title}\" is neither `c`, `c shared` nor `c check`")
    if not code or not check or "assert(" not in code + check:
        raise Refused(f"{page}: the task \"{title}\" has no example, no `check` or no assert()")
    return "".join([renamed(code, DEFINED.findall(code), slug), f'#line 1 "{slug}"\n', sim_of(slug, code, shared),
                    f"static void run_{slug}(ls_world *world, ls_executor *executor)\n{{\n", check, "}\n"])


def make(text, page):
    """The C source."""
    shared = code_of([fence for fence in fences(text) if (fence.language, fence.words) == ("c", "shared")], page)
    out = ['#undef NDEBUG\n#include <assert.h>\n#include "tests/tutorial/examples.h"\n', shared]
    rows = []
    for title, section in sections(text):
        out.append(example_of(title, section, shared, page))
        rows.append(f'    {{"{title}", &example_{slug_of(title)}, run_{slug_of(title)}}},\n')
    return "".join([*out, "const struct example examples[] = {\n", *rows,
                    f"}};\nconst uint32_t example_count = {len(rows)};\n"])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("page")
    parser.add_argument("output")
    options = parser.parse_args()
    with open(options.page, encoding="utf-8") as file:
        text = file.read()
    try:
        made = make(text, os.path.abspath(options.page))
    except Refused as refused:
        print(refused, file=sys.stderr)
        return 1
    with open(options.output, "w", encoding="utf-8") as file:
        file.write(made)
    return 0


if __name__ == "__main__":
    sys.exit(main())
