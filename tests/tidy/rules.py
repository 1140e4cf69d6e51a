"""The rules that only need the source text. Each takes the files and yields `place: finding`."""
import os
import re
from collections import Counter

from source import FOLDERS, file_of, functions

C_LINES_MAX = 500
H_LINES_MAX = 150
FUNCTION_LINES_MAX = 70

# The folders that a folder may include besides itself; a folder without an entry may include all.
MAY_INCLUDE = {
    "core": set(),
    "proto": {"core"},
    "replays": {"core", "proto"},
    "desync": {"core", "proto", "replays"},
    "sims": {"core"},
    "server": {"core", "proto", "replays"},
    "client": {"core", "proto", "replays"},
}

# Public headers without a source of the same name, by the folder that owns them.
PUBLIC_WITHOUT_SOURCE = {
    "core": ("bundle", "cell", "define", "define_table", "each", "entity", "field_kinds", "hierarchy", "items", "lockstep", "module",
             "incompatibility", "operation", "schedule", "span_types", "system", "term", "term_cursor", "term_grants", "term_kinds", "terms", "wide", "world_term", "world_terms"),
    "proto": ("carrier", "session_limits", "evidence_limits", "limits", "link_stats", "packet", "remote"),
    "replays": ("recording_tick", "sink"),
    "server": ("room_stats", "server_config", "server_stats"),
    "client": ("client_config", "client_stats"),
}

# Each third-party header may be included only by the file, or files, named here.
DOORS = {
    "enet/enet.h": "proto/enet_library.h",
    "sodium.h": "proto/",
    "jansson.h": ("core/text/json.c", "cli/common/admin_json.c", "cli/schedule/trace_read.c",
                  "cli/serve/agones_gameserver.c", "cli/lobby/lobby_body.c", "cli/lobby/lobby_entry.c"),
    "hiredis/hiredis.h": ("cli/lobby/lobby_redis.c",),
    "xxhash.h": ("core/base/hash.c", "core/base/hash_stream.c"),
    "xxh3.h": "core/base/hash.c",
    "xxh_x86dispatch.h": "core/base/hash.c",
    "libwebsockets.h": ("cli/serve/http.c", "cli/serve/http_client.c", "cli/serve/http_headers.c", "cli/serve/http_play.c",
                        "cli/serve/http_waiting.c"),
    "zstd.h": "proto/pack.c",
    "unwind.h": "desync/call_stack.c",
    "elfutils/libdw.h": "desync/source.c",
    "elfutils/libdwfl.h": "desync/source.c",
    "dlfcn.h": ("cli/", "desync/crash.c", "desync/source.c", "proto/platform_library_posix.c"),
    "curses.h": "cli/",
}

# Results must not depend on these functions: they differ between machines, runs or C libraries.
BANNED_EVERYWHERE_BELOW = (
    "rand", "srand", "rand_r", "random", "srandom", "drand48", "lrand48", "arc4random", "getrandom",
    "time", "clock", "clock_gettime", "ls_monotonic_ns", "gettimeofday", "localtime", "gmtime", "mktime", "strftime",
    "qsort", "qsort_r", "bsearch", "setlocale", "localeconv", "strcoll", "getenv", "atof", "strtod",
    "strtof")
# Only these files may call the heap's functions: core/ uses ls_alloc, which never fails, and pages come from
# one pool. A simulation keeps its state in components.
HEAP_DOORS = ("core/base/base.c", "core/base/platform_posix.c", "core/base/platform_wasm.c")
# The functions that read a clock, and who may call them: the platform layer asks the system. Tracing asks the
# platform layer, because no result depends on what it measures.
CLOCK_DOORS = {
    "clock_gettime": ("core/base/platform_posix.c", "core/base/platform_wasm.c"),
    "ls_monotonic_ns": ("core/run/trace.c",),
}
BANNED_HEAP = ("malloc", "calloc", "realloc", "free", "strdup", "aligned_alloc", "posix_memalign")
BANNED_IN_SIMS = BANNED_HEAP + ("ls_alloc", "ls_realloc", "ls_free", "printf", "puts", "fopen")
_FLOAT_FORMAT = re.compile(r"%[-+ #0]*[0-9*]*(?:\.[0-9*]+)?[lL]?[fFeEgGaA]")


def sizes(files):
    for source in files:
        limit = H_LINES_MAX if source.path.endswith((".h", ".hpp")) else C_LINES_MAX
        if source.line_count > limit:
            yield f"{source.path}: {source.line_count} lines, at most {limit}"
        for name, line, count in functions(source):
            if count > FUNCTION_LINES_MAX:
                yield (f"{source.path}:{line}: {name}() has {count} lines, "
                       f"at most {FUNCTION_LINES_MAX}")


_GUARD = re.compile(r"(?m)^#ifndef (\w+)\n#define \1$")


def guards(files):
    """A file that includes two headers with one guard loses the second without a word. A guard is LS_, the name of the
    file and _H; when another header has that, the folder is between LS_ and the name."""
    first = {}
    for source in files:
        match = _GUARD.search(source.code) if source.path.endswith((".h", ".hpp")) else None
        if match and first.setdefault(match.group(1), source.path) != source.path:
            yield (f"{source.path}:{source.line_of(match.start())}: {first[match.group(1)]} has the guard {match.group(1)}, "
                   "too")


def circles(files):
    """Headers that include each other; tools.call_circles does the same for sources."""
    headers = {source.path for source in files if source.path.endswith((".h", ".hpp"))}
    graph = {}
    for source in files:
        if source.path not in headers:
            continue
        beside = source.path.rsplit("/", 1)[0]
        graph[source.path] = {path for _, name in source.includes
                              for path in (file_of(name), f"{beside}/{name}") if path in headers}
    yield from circles_of(graph, "circle of headers")


def circles_of(graph, what):
    """Walks node -> nodes depth-first and reports the path of each circle that it closes."""
    state = {}

    def visit(node, path):
        state[node] = "open"
        for target in sorted(graph.get(node, ())):
            if state.get(target) == "open":
                circle = path[path.index(target):] + [target]
                yield f"{target}: {what}: {' -> '.join(circle)}"
            elif target not in state:
                yield from visit(target, path + [target])
        state[node] = "done"

    for node in sorted(graph):
        if node not in state:
            yield from visit(node, [node])


def public_folders(files):
    """{public header: folder that owns it}: the folder of the source of the same name, or the one that lists
    it. The header may include only what that folder may."""
    folders = {path: folder for folder, names in PUBLIC_WITHOUT_SOURCE.items()
               for path in (f"include/lockstep/{name}.h" for name in names)}
    for source in files:
        if source.folder in MAY_INCLUDE and source.folder != "sims" and source.path.endswith(".c"):
            folders[f"include/lockstep/{source.name[:-2]}.h"] = source.folder
    return folders


def arrows(files):
    public = public_folders(files)
    for source in files:
        folder = public.get(source.path, source.folder)
        if folder == "include" and source.path.endswith(".h"):
            yield f"{source.path}: no source has this name, and PUBLIC_WITHOUT_SOURCE lacks it"
        allowed = MAY_INCLUDE.get(folder)
        for is_system, name in source.includes:
            target = public.get(file_of(name), name.split("/")[0])
            if target == "lockstep" or "/" not in name or is_system and file_of(name) == name:
                continue
            if target == "sims" and source.folder not in ("sims", "cli", "tests", "benches"):
                yield f"{source.path}: includes {name}: only cli/ and tests know a simulation"
            elif target == "sims" and source.path.count("/") > 1 and (
                    source.folder == "sims" and name.split("/")[1] not in (source.path.split("/")[1], "modules")):
                yield f"{source.path}: includes {name}: one simulation knows no other"
            elif allowed is not None and target in MAY_INCLUDE | {"cli": 0, "tests": 0} and (
                    target != folder and target not in allowed):
                yield f"{source.path}: includes {name}: {folder}/ is below {target}/"
            elif source.folder == "include" and file_of(name) == name:
                yield f"{source.path}: includes {name}, which is not installed"


def doors(files):
    for source in files:
        for _, name in source.includes:
            door = DOORS.get(name) or (DOORS["enet/enet.h"] if name.startswith("enet/") else None)
            if door is None or source.folder in ("tests", "benches"):
                continue
            named = door if isinstance(door, tuple) else (door,)
            if not any(source.path.startswith(one) if one.endswith("/") else source.path == one
                       for one in named):
                yield (f"{source.path}: includes <{name}>: it enters through "
                       f"{' and '.join(named)} only")


def banned_names(files):
    for source in files:
        if source.folder not in ("core", "sims"):
            continue
        names = BANNED_EVERYWHERE_BELOW
        if source.folder == "sims":
            names += BANNED_IN_SIMS
        elif source.path not in HEAP_DOORS:
            names += BANNED_HEAP
        for match in re.finditer(r"(?<![\w.>])(" + "|".join(names) + r")\s*\(", source.code):
            if source.path in CLOCK_DOORS.get(match.group(1), ()) or source.path.startswith(PLATFORM):
                continue
            yield f"{source.path}:{source.line_of(match.start())}: {match.group(1)}() is banned here"
        for line, literal in source.literals:
            if _FLOAT_FORMAT.search(literal.replace("%%", "")):
                yield f"{source.path}:{line}: printing floats is banned here: {literal}"


# The only sources that may know the system or the processor.
PLATFORM = ("core/base/platform", "proto/platform", "include/lockstep/wide.h")
_KNOWING = "core/base/platform*, proto/platform* and include/lockstep/wide.h"
# The folders that are no part of the product.
NOT_PRODUCT = ("tests", "benches", "examples")
# The folders in which a source of one system alone may include that system's headers: CMakeLists.txt names it between
# if(WIN32) and endif(). The other sources there may include what each system has, from its C library or cli/posix/.
WITH_SYSTEMS = ("desync", "cli")
_ON_EACH_SYSTEM = re.compile(
    r"(?:sys/(?:file|mman|stat|types)|arpa/inet|unistd|fcntl|poll|signal|dirent|dlfcn|stdio_ext|strings)\.h")
# Every other header in angle brackets is a system's: these are of the language, of the compiler, and of libraries.
_OF_NO_SYSTEM = re.compile(
    r"(?:assert|complex|ctype|errno|fenv|float|inttypes|limits|locale|math|setjmp|stdalign|stdarg|stdatomic|stdbool|stddef|stdint"
    r"|stdio|stdlib|stdnoreturn|string|tgmath|time|uchar|wchar|wctype|unwind)\.h|[a-z_]+|lockstep/[\w.]+"
    r"|(?:enet|elfutils|hiredis)/\w+\.h|(?:curses|dwarf|jansson|libwebsockets|sodium|xxhash|xxh3|zstd|zstd_errors)\.h")
# What a source for all systems may ask the preprocessor: the compiler, a library's version, a build option.
_OPTION_TESTS = re.compile(
    r"defined|__cplusplus|__clang__|__GNUC__|__OPTIMIZE__|__FAST_MATH__|ENET_VERSION\w*|LS_HAS_DW|LS_PLANTED|LS_SIM_SOURCE_HASH"
    r"|\w+_HP*")
_CONDITION = re.compile(r"(?m)^[ \t]*#[ \t]*(?:if|ifdef|ifndef|elif)\b((?:[^\\\n]|\\.|\\\n)*)")
_NAME = re.compile(r"__has_attribute\(\w+\)|(?<!\w)[A-Za-z_]\w*")
_SYSTEM = (r"_WIN32|_WIN64|__(?:MINGW|CYGWIN)\w+|__linux__|__linux|__gnu_linux__|__unix__|__unix|__APPLE__|__ANDROID__"
           r"|__GLIBC__|__\w*BSD__|__wasm\w*|__wasi__|__EMSCRIPTEN__")
_PROCESSOR = (r"__x86_64__|__i386__|__SSE\w+|__AVX\w+|__FMA__|__aarch64__|__arm\w*|__ARM_\w+|__s390\w*|__riscv\w*"
              r"|__powerpc\w*|__mips\w*|__LP64__|__BYTE_ORDER\w*|__SIZEOF_\w+")
_SYSTEM_TEST, _ANY_TEST = (re.compile(rf"(?m)^[ \t]*#[ \t]*(?:if|ifdef|ifndef|elif)\b.*?\b({names})(?!\w)")
                           for names in (_SYSTEM, f"{_SYSTEM}|{_PROCESSOR}"))
_BYTE_ORDER = re.compile(r"\b__BYTE_ORDER__\b")


def one_system(root):
    """The sources that CMakeLists.txt of a folder of WITH_SYSTEMS compiles for one system alone."""
    found = set()
    for folder in WITH_SYSTEMS:
        path = os.path.join(root, folder, "CMakeLists.txt")
        if not os.path.exists(path):
            continue
        with open(path, encoding="utf-8") as file:
            blocks = re.findall(r"(?ms)^if\(WIN32\)\n\s*set\(system(.*?)^endif\(\)", file.read())
        found |= {f"{folder}/{name}" for block in blocks for name in re.findall(r"[\w/]+\.c\b", block)}
    return found


def systems(files, root):
    """A source outside the platform layer neither tests for a system or processor nor includes its headers. What is no
    part of the product may include them, and test for a processor."""
    own = one_system(root)
    for source in files:
        if source.path.startswith(PLATFORM):
            continue
        if source.folder in NOT_PRODUCT:
            for match in _SYSTEM_TEST.finditer(source.code):
                yield (f"{source.path}:{source.line_of(match.start(1))}: tests for {match.group(1)}: only "
                       f"{_KNOWING} may")
            continue
        has_systems = source.folder in WITH_SYSTEMS
        is_own = source.path in own or source.path.startswith("cli/posix/")
        for name, at in _tests(source, is_own):
            yield f"{source.path}:{source.line_of(at)}: tests for {name}: only {_KNOWING} may"
        for match in _BYTE_ORDER.finditer(source.code):
            yield f"{source.path}:{source.line_of(match.start())}: {match.group(0)}: use LS_IS_BIG_ENDIAN"
        for is_system, name in source.includes:
            if not is_system or is_own or _OF_NO_SYSTEM.fullmatch(name):
                continue
            if not has_systems:
                yield f"{source.path}: includes <{name}>: only {_KNOWING} may"
            elif not _ON_EACH_SYSTEM.fullmatch(name):
                yield (f"{source.path}: includes <{name}>, which not each system has, and {source.folder}/CMakeLists.txt "
                       "compiles it for more than one")


def _tests(source, is_of_one_system):
    """(name, position) of what the source asks the preprocessor and may not. A source of one system may ask what that
    system's headers have, but for no other system."""
    if is_of_one_system:
        for match in _ANY_TEST.finditer(source.code):
            yield match.group(1), match.start(1)
        return
    for condition in _CONDITION.finditer(source.code):
        for match in _NAME.finditer(condition.group(1)):
            name = match.group(0)
            if not name.startswith("__has_attribute(") and not _OPTION_TESTS.fullmatch(name):
                yield name, condition.start(1)
                break


def addresses(files):
    """Server and client know remotes (include/lockstep/remote.h): a link need not have addresses."""
    for source in files:
        if source.folder not in ("server", "client"):
            continue
        for match in re.finditer(r"\bls_address\w*", source.code):
            yield (f"{source.path}:{source.line_of(match.start())}: {match.group(0)}: only a link reads "
                   "the address in a remote")


def listed(files, root):
    """A source that no CMakeLists.txt names is never compiled."""
    for source in files:
        if not source.path.endswith(".c") or source.folder in ("tests", "benches"):
            continue
        where = os.path.dirname(source.path)
        named = ""
        while where and not named:
            try:
                with open(os.path.join(root, where, "CMakeLists.txt"), encoding="utf-8") as file:
                    named = file.read()
            except FileNotFoundError:
                where = os.path.dirname(where)
        if not re.search(rf"(?<![\w]){re.escape(source.name)}(?!\w)", named):
            yield f"{source.path}: not in the CMakeLists.txt of its folder"


# Headers that declare the entry points of a table, one for each source.
TABLES = ("cli/common/command.h", "cli/replay/replay_actions.h")
PRODUCT = ("core", "proto", "replays", "server", "client", "desync", "cli", "sims")
_PROTOTYPE = re.compile(r"\b(ls_\w+)\s*\([^;{}]*\)\s*(?:LS_\w+\s*)*;")
_DEFINITION = re.compile(r"^(?!static)[a-z][\w \t*]*?\b(ls_\w+)\([^;{}]*\)\n\{", re.MULTILINE)


def _belongs(source, header):
    """True if the header may declare the source's functions: x.h for x.c and x_part.c, x_part.h for x.c."""
    source = source.rsplit("/", 1)[-1].removesuffix(".c")
    header = header.rsplit("/", 1)[-1].removesuffix(".h").removesuffix("_internal")
    return f"{source}_".startswith(f"{header}_") or f"{header}_".startswith(f"{source}_")


def _prototypes(source):
    """(name, line) of each prototype of a header, without the calls in its inline functions."""
    inside = {number for _, first, count in functions(source) for number in range(first, first + count)}
    for match in _PROTOTYPE.finditer(source.code):
        line = source.line_of(match.start(1))
        if line not in inside:
            yield match.group(1), line


def prototypes(files):
    """The prototype of a function must be in the header that belongs to its source."""
    headers = {}
    for source in files:
        if source.path.endswith(".h") and source.folder in ("include", *PRODUCT):
            for name, _ in _prototypes(source):
                headers.setdefault(name, set()).add(source.path)
    for source in files:
        if not source.path.endswith(".c") or source.folder not in PRODUCT:
            continue
        for match in _DEFINITION.finditer(source.code):
            found = headers.get(match.group(1), ())
            if found and not any(path in TABLES or _belongs(source.path, path) for path in found):
                yield (f"{source.path}:{source.line_of(match.start(1))}: {match.group(1)}() has its "
                       f"prototype in {sorted(found)[0]}")


def unused(files):
    """A function of a product folder that neither the product nor web/ calls is there for tests alone."""
    calls, declared = Counter(), {}
    for source in files:
        if source.folder == "web":
            calls.update(re.findall(r"\bls_\w+", source.code))
        if source.folder not in ("include", *PRODUCT):
            continue
        bodies = list(functions(source))
        heads = list(_prototypes(source)) if source.path.endswith(".h") else []
        calls.update(re.findall(r"\bls_\w+", source.code))
        calls.subtract(name for name, *_ in (*bodies, *heads))
        if source.path.endswith(".h") and source.folder != "include":
            declared.update((name, f"{source.path}:{line}") for name, line, *_ in (*bodies, *heads))
    for name, place in declared.items():
        if name.startswith("ls_") and calls[name] <= 0:
            yield f"{place}: only tests use {name}()"


LIBRARIES = ("core", "proto", "replays", "server", "client", "desync", "sims")
_OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]+")


def options_named(files):
    """A library must not name command-line options; those of pkg-config and compilers are allowed."""
    for source in files:
        if source.folder not in LIBRARIES:
            continue
        for line, literal in source.literals:
            match = _OPTION.search(literal)
            if match and "pkg-config" not in literal:
                yield f"{source.path}:{line}: a library names the option {match.group()}: {literal[:60]}"


# The terms for which users of LS_TERMS have other words: SENDS(bang), not LS_SENDS(bang).
_TERM = re.compile(r"\bLS_(?:WITH|WITHOUT|READS|WRITES|OTHERS_\w+|ATTACHES|DETACHES|SENDS|RECEIVES|OBSERVES|"
                   r"CHANGED|ADDED|REMOVED|ANY_OF|IN_LANE|ACCUMULATES|SPAWNS_WITH|COMMANDED|PARTNER_WRITE|\w+_WORLD)\b")


def terms_said(files):
    """Messages say the terms that a simulation's author has written."""
    for source in files:
        if source.folder not in ("core", "desync", "cli"):
            continue
        for line, literal in source.literals:
            if match := _TERM.search(literal):
                yield f"{source.path}:{line}: a message says {match.group()} and not {match.group()[3:]}: {literal[:60]}"


# Labels of a header's comments. When a line is too long, clang-format joins it with the next; a blank may be lost then.
_LABEL = re.compile(r"^ ?[/*].*(?:[\w.;,)`] (?:errors|owns|shape|thread|source)  +\S|[\w)`] thread (?:as|any|one at a time)\b)")


def labels(files):
    for source in files:
        if not source.path.endswith(".h"):
            continue
        for number, line in enumerate(source.text.split("\n"), 1):
            if _LABEL.search(line):
                yield f"{source.path}:{number}: a label begins its own line: {line.strip()}"


_CASE = re.compile(r"(?m)^TEST\((test_\w+)\)")


def cases(files):
    """A case of a unit test begins with the name of its file, so that a failure names the file to open."""
    for source in files:
        name = os.path.basename(source.path)
        if not source.path.startswith("tests/unit/") or not name.startswith("test_"):
            continue
        for match in _CASE.finditer(source.text):
            if not match.group(1).startswith(name[:-2]):
                yield (f"{source.path}:{source.line_of(match.start(1))}: case {match.group(1)} does not begin with "
                       f"{name[:-2]}_")


def folders_known(added):
    """A folder that is missing in FOLDERS would escape all rules about C files."""
    for folder in added:
        if folder.split("/")[0] not in FOLDERS:
            yield f"tests/tidy/source.py: FOLDERS lacks {folder}, which CMakeLists.txt adds"
