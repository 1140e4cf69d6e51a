"""Documentation names only things that exist: links, functions, folders, files, names, tests."""
import os
import re

from rules import DOORS
from source import SKIPPED

# File names that pages use as examples or as patterns.
EXAMPLES = {"mygame.c", "harvest.c", "game.c", "game.h", "x.c", "x.h", "x_internal.h", "x_part.c"}
_FILE = re.compile(r"`([\w.-]+(?:/[\w.-]+)*\.(?:c|h|py|md|pml|txt|cmake|hex))`")
_PATH = re.compile(r"`((?:[\w.-]+/)+[\w.-]*)`")
_NAME = re.compile(r"(?<![\w-])((?:ls|LS)_\w*[^\W_])\b(?!\*)")
_TEST = re.compile(r"`((?:test|fuzz)_\w+)`")


def _read(root, path):
    with open(os.path.join(root, path), encoding="utf-8") as file:
        return file.read()


def _words(root, path):
    try:
        return re.findall(r"\w+", _read(root, path))
    except UnicodeDecodeError:
        return ()


def _tree(root):
    """Every file of the tree, and every folder with a "/" at its end."""
    found = set()
    for where, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name not in SKIPPED - {"golden"}]
        above = os.path.relpath(where, root).replace(os.sep, "/") + "/"
        found.update(above.removeprefix("./") + name for name in [*names, *(f"{folder}/" for folder in folders)])
    return found


def links(root, pages):
    """Checks that each relative link of a page leads to a file."""
    for page in pages:
        text = re.sub(r"```.*?```", "", _read(root, page), flags=re.DOTALL)
        for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text):
            if "://" not in target and not os.path.exists(os.path.join(root, os.path.dirname(page), target)):
                yield f"{page}: link to {target}, which does not exist"


def functions(root, pages):
    """Checks that each `file.c:function` of a page exists, with the path from the root or from the page's folder."""
    for page in pages:
        for path, name in re.findall(r"`([\w/]+\.[ch]):([a-z_]\w*)(?:\(\))?`", _read(root, page)):
            texts = [_read(root, place) for place in (path, os.path.join(os.path.dirname(page), path))
                     if os.path.exists(os.path.join(root, place))]
            if not any(re.search(rf"(?m)^[a-z][^;\n]*\b{name}\(", text) for text in texts):
                yield f"{page}: names {path}:{name}, which does not exist"


def folders(root, pages):
    """Checks that each folder in a page's folder map exists, in the root or in tests/."""
    for page in pages:
        maps = re.findall(r"```\n(.*?)```", _read(root, page), flags=re.DOTALL)
        for name in re.findall(r"(?<![\w./-])([a-z]+)/(?=\s)", "".join(maps)):
            if not any(os.path.isdir(os.path.join(root, above, name)) for above in ("", "tests")):
                yield f"{page}: names the folder {name}/, which does not exist"


def files(root, pages):
    """Checks that each `file.c` and `folder/name` of a page exists: a path from the root, from the page's
    folder or its parent, or the name of any file. A program has the name of its source."""
    tree = _tree(root)
    last = {re.sub(r".*/(?=.)", "", path) for path in (*tree, *DOORS)} | EXAMPLES
    for page in pages:
        text = _read(root, page)
        own = os.path.dirname(page)
        places = [place and f"{place}/" for place in ("", own, os.path.dirname(own))]
        for name in sorted({*_FILE.findall(text), *_PATH.findall(text)}):
            top = name.split("/")[0] + "/"
            is_foreign = "/" in name and top not in tree and f"{own}/{top}" not in tree
            if name in last or is_foreign or f"file={name}\n" in text:
                continue
            if not any(place + name + end in tree for place in places for end in ("", "/", ".c", ".py")):
                yield f"{page}: names {name}, which does not exist"


def names(root, pages, sources):
    """Checks that each ls_ and LS_ name and each test on a page occurs in the sources. A test may have the name
    of its ctest entry, which includes its folder."""
    known = {word for source in sources for word in re.findall(r"\w+", source.text)}
    for path in _tree(root):
        name, end = os.path.splitext(path.rsplit("/", 1)[-1])
        known.add(name)
        if name.startswith("test_"):
            known.add(f"test_{os.path.basename(os.path.dirname(path))}_{name[5:]}")
        if end in (".py", ".cmake", ".txt", ".in"):
            known.update(_words(root, path))
    for page in pages:
        text = re.sub(r"`[\w/]+\.[ch]:\w+(?:\(\))?`", "", _read(root, page))
        for name in sorted({*_NAME.findall(text), *_TEST.findall(text)} - known):
            yield f"{page}: names {name}, which does not exist"
