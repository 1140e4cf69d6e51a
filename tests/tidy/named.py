"""Documentation names only things that exist: links, functions, folders, files, names, tests, log events."""
import os
import re

from layers import FOLDERS
from rules import DOORS
from source import SKIPPED

# File names that pages use as examples or as patterns.
EXAMPLES = {"mygame.c", "harvest.c", "game.c", "game.h", "x.c", "x.h", "x_internal.h", "x_part.c"}
_FILE = re.compile(r"`([\w.-]+(?:/[\w.-]+)*\.(?:c|h|py|md|pml|txt|cmake|hex))`")
_PATH = re.compile(r"`((?:[\w.-]+/)+[\w.-]*)`")
_NAME = re.compile(r"(?<![\w-])((?:ls|LS)_\w*[^\W_])\b(?!\*)")
_TEST = re.compile(r"`((?:test|fuzz)_\w+)`")
# The format of a log line: the event and its fields. The literal may continue in further literals.
_EVENT = re.compile(r'"(%s|[a-z_]+) (?:[a-z_]+=(?:\\.|[^"\\\n])*)"(?:\s*(?:PRI\w+|"(?:\\.|[^"\\\n])*"))*')


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


# The ends of names of files that belong to the file without it: its private header, and its sources for some systems.
_BELONGING = re.compile(r"_(?:internal|absent|posix|linux|windows|wasm|plain)$")


def sources(root, files):
    """Checks that the README.md of a folder of the product, if it has one, names each source and header there."""
    named = {}
    missing = {}
    for source in files:
        where, name = os.path.split(source.path)
        page = f"{'include' if source.folder == 'include' else where}/README.md"  # of include/lockstep/
        if source.folder not in (*FOLDERS, "include") or not os.path.exists(os.path.join(root, page)):
            continue
        if page not in named:
            named[page] = set(re.findall(r"\w+", "".join(re.findall(r"```.*?```|`[^`]*`", _read(root, page), re.DOTALL))))
        name = name.rsplit(".", 1)[0]
        stem = _BELONGING.sub("", name)
        if not named[page] & {name, stem}:
            missing.setdefault((page, stem), source.path)
    for (page, _), path in missing.items():
        yield f"{page}: does not name {path}"


def _logged(source):
    """(event, fields) of each log line of a source. A format that begins with %s may be any event: then all
    quoted words in statements with `log_` are taken as events. Lines of stdout end with a newline; log lines do not."""
    words = [word for part in source.text.split(";") if "log_" in part for word in re.findall(r'"([a-z_]+)"', part)]
    for match in _EVENT.finditer(source.text):
        if not match.group().endswith('\\n"'):
            for event in words if match.group(1) == "%s" else [match.group(1)]:
                yield event, re.findall(r"[ \"]([a-z_]+)=", match.group())


def events(root, sources):
    """Checks that the tables of docs/operations-log.md have a row for each event of the logs, with its fields."""
    page = "docs/operations-log.md"
    text = _read(root, page) if os.path.exists(os.path.join(root, page)) else ""
    rows = [line.split("|") for line in text.split("\n") if line.startswith("| `")]
    for source in sources:
        for event, fields in _logged(source) if source.path.startswith(("server/", "client/", "cli/serve/")) else ():
            if not any(f"`{event}`" in row[1] and all(f"`{field}`" in row[-2] for field in fields) for row in rows):
                yield f"{page}: no row for the event {event} with {', '.join(fields)} of {source.path}"
    for event in [event for row in rows for event in re.findall(r"`(\w+)`", row[1])]:
        if not any(re.search(rf'"{event}[ "]', source.text) for source in sources if source.folder != "tests"):
            yield f"{page}: has a row for the event {event}, which does not exist"
