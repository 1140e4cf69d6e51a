#!/usr/bin/env python3
"""Checks the tree against the rules of docs/testing.md and prints every finding.

    tests/tidy/tidy.py [--root DIR] [--compiler CC] [--library FILE.a ...] [--pure FILE.a ...]
"""
import argparse
import os
import sys

import image
import layers
import named
import prose
import rules
import scripts
import tools
from source import c_files


def findings(root, compiler, libraries=(), pure=()):
    files = c_files(root)
    pages = prose.markdown(root)
    yield from rules.sizes(files)
    yield from rules.guards(files)
    yield from rules.circles(files)
    yield from rules.arrows(files)
    yield from rules.doors(files)
    yield from rules.banned_names(files)
    yield from rules.addresses(files)
    yield from rules.systems(files, root)
    yield from rules.listed(files, root)
    yield from rules.folders_known(image.added_folders(root))
    yield from rules.prototypes(files)
    yield from rules.unused(files)
    yield from rules.terms_said(files)
    yield from rules.labels(files)
    yield from rules.options_named(files)
    yield from rules.cases(files)
    yield from scripts.early_readers(root)
    yield from named.links(root, pages)
    yield from named.functions(root, pages)
    yield from named.folders(root, {"README.md", "docs/design.md"}.intersection(pages))
    yield from named.files(root, pages)
    yield from named.names(root, pages, files)
    yield from named.sources(root, files)
    yield from named.events(root, files)
    yield from prose.findings(root, files)
    yield from image.context(root, files)
    yield from image.packages(root)
    yield from tools.headers_alone(root, files, compiler)
    yield from tools.formatted(root, files)
    yield from tools.call_circles([*libraries, *pure])
    public = rules.public_folders(files)
    yield from layers.held(root, files, public, [*libraries, *pure])
    yield from layers.core_upward(files, public)
    yield from tools.foreign_symbols(pure, compiler)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    here = os.path.dirname(os.path.abspath(__file__))
    parser.add_argument("--root", default=os.path.dirname(os.path.dirname(here)))
    parser.add_argument("--compiler", default="gcc")
    parser.add_argument("--library", action="append", default=[])
    parser.add_argument("--pure", action="append", default=[],
                        help="a library whose results may not depend on the machine")
    options = parser.parse_args()
    count = 0
    for finding in findings(options.root, options.compiler, options.library, options.pure):
        print(finding)
        count += 1
    print(f"tidy: {count} findings")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
