#!/usr/bin/env python3
"""Finds circles of files in a folder: none may exist, so that each folder can be read from the ground up.

A node is the files that share a name: x.c, x.h and x_internal.h, anywhere in the folder, and the public
header include/lockstep/x.h. Node a leads to b when a file of a includes a file of b, or when the object of a
uses a symbol that the object of b defines.

    tests/tidy/layers.py [--root DIR] [--build DIR] [FOLDER ...]    prints each circle and its arrows
"""
import argparse
import glob
import os
import subprocess
import sys

from source import c_files, file_of

FOLDERS = ("core", "proto", "replays", "desync", "server", "client", "cli")
# Subfolders of core/, from the ground up: none includes one that comes after it.
CORE = ("base", "schema", "schedule", "state", "run", "check", "text")


def stem_of(path):
    return os.path.basename(path).rsplit(".", 1)[0].removesuffix("_internal")


def nodes(files, folder, public):
    """{path: node} of the files that belong to a folder."""
    found = {source.path: stem_of(source.path) for source in files if source.folder == folder}
    found.update({path: stem_of(path) for path, owner in public.items() if owner == folder})
    return found


def include_arrows(files, members):
    """{(from, to): "FILE includes FILE"} between nodes."""
    arrows = {}
    for source in files:
        here = members.get(source.path)
        for _, name in source.includes:
            there = members.get(file_of(name))
            if here and there and here != there:
                arrows.setdefault((here, there), f"{source.path} includes {name}")
    return arrows


def call_arrows(library, members):
    """Like arrows by includes, but from the symbols of a library's objects."""
    known = set(members.values())
    out = subprocess.run(["nm", library], text=True, check=True, stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL).stdout
    home, used, member = {}, {}, ""
    for line in out.splitlines():
        words = line.split()
        if line.endswith(":"):
            member = stem_of(line[:-1].removesuffix(".o"))
        elif len(words) >= 2 and member in known:
            if words[-2] == "U":
                used.setdefault(member, set()).add(words[-1])
            elif words[-2] in "TDRBC":
                home[words[-1]] = member
    arrows = {}
    for here, names in used.items():
        for name in sorted(names):
            there = home.get(name, here)
            if there != here:
                arrows.setdefault((here, there), f"{here} calls {name}() of {there}")
    return arrows


def circles(arrows):
    """The strongly connected components with more than one node, the largest first (Tarjan)."""
    graph = {}
    for here, there in arrows:
        graph.setdefault(here, []).append(there)
        graph.setdefault(there, [])
    index, low, stack, on_stack, found = {}, {}, [], set(), []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        on_stack.add(node)
        for target in graph[node]:
            if target not in index:
                visit(target)
                low[node] = min(low[node], low[target])
            elif target in on_stack:
                low[node] = min(low[node], index[target])
        if low[node] == index[node]:
            component = []
            while not component or component[-1] != node:
                component.append(stack.pop())
                on_stack.remove(component[-1])
            if len(component) > 1:
                found.append(sorted(component))

    sys.setrecursionlimit(10000)
    for node in sorted(graph):
        if node not in index:
            visit(node)
    return sorted(found, key=len, reverse=True)


def arrows_of(root, files, folder, public, libraries=()):
    members = nodes(files, folder, public)
    arrows = include_arrows(files, members)
    for library in libraries:
        for arrow, why in call_arrows(library, members).items():
            arrows.setdefault(arrow, why)
    return arrows


def held(root, files, public, libraries):
    """Each circle in the checked folders, with its arrows."""
    for folder in FOLDERS:
        own = [library for library in libraries if os.path.basename(library) == f"libls_{folder}.a"]
        arrows = arrows_of(root, files, folder, public, own)
        for circle in circles(arrows):
            why = [reason for (here, there), reason in sorted(arrows.items())
                   if here in circle and there in circle]
            yield f"{folder}: circle of files: {' '.join(circle)}: {'; '.join(why)}"


def core_upward(files, public):
    """Includes from a subfolder of core/ into a later one of CORE. A public header belongs to the folder of its
    source."""
    sources = {stem_of(source.path): source.path.split("/")[1] for source in files
               if source.folder == "core" and source.path.endswith(".c") and source.path.count("/") == 2}
    level = {name: number for number, name in enumerate(CORE)}

    def level_of(path):
        parts = path.split("/")
        name = parts[1] if parts[0] == "core" and len(parts) == 3 else None
        if public.get(path) == "core":
            name = sources.get(stem_of(path))
        return level.get(name)

    for source in files:
        here = level_of(source.path)
        for _, name in source.includes:
            there = level_of(file_of(name))
            if here is not None and there is not None and there > here:
                yield f"{source.path}: includes {name}: core/{CORE[here]} is below core/{CORE[there]}"


def main():
    from rules import public_folders
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    here = os.path.dirname(os.path.abspath(__file__))
    parser.add_argument("--root", default=os.path.dirname(os.path.dirname(here)))
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--arrows", action="store_true", help="print every arrow of each circle")
    parser.add_argument("folders", nargs="*")
    options = parser.parse_args()
    files = c_files(options.root)
    public = public_folders(files)
    for folder in options.folders or FOLDERS:
        libraries = glob.glob(os.path.join(options.root, options.build, folder, f"libls_{folder}.a"))
        arrows = arrows_of(options.root, files, folder, public, libraries)
        found = circles(arrows)
        print(f"{folder}: {len(found)} circles, of {[len(circle) for circle in found]} files")
        for circle in found:
            print("   ", " ".join(circle))
            if options.arrows:
                for (a, b), why in sorted(arrows.items()):
                    if a in circle and b in circle:
                        print(f"        {a} -> {b}: {why}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
