"""The rules that keep .dockerignore and the Dockerfiles consistent with what CMake builds from.

Only a build of the image would find these errors, and that takes root and minutes.
"""
import os
import re

# Build package: the runtime package that a machine without a compiler needs instead.
RUNTIME_OF = {
    "libdw-dev": "libdw1",
    "libenet-dev": "libenet7",
    "libjansson-dev": "libjansson4",
    "libncurses-dev": "libncursesw6",
    "libsodium-dev": "libsodium23",
    "libhiredis-dev": "libhiredis0.14",
    "libwebsockets-dev": "libwebsockets17",
    "libxxhash-dev": "libxxhash0",
    "libzstd-dev": "libzstd1",
}
# docker/Dockerfile.static makes a static library of these itself.
MADE_STATIC = {"libenet-dev"}
# Installed on every Debian.
ESSENTIAL = {"libc6-dev"}
# A command inside such a condition does nothing in the image.
_OPTIONAL = re.compile(r"\b(?:EXISTS|LOCKSTEP_TESTS)\b")
_COMMAND = re.compile(r"(\w+)\s*\(((?:[^()\"]|\"[^\"]*\"|\([^()]*\))*)\)")


def _read(root, path):
    try:
        with open(os.path.join(root, path), encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return ""


def _expand(words, loops):
    """Replaces each `${name}` of a foreach() by the words of the loop."""
    for word in words:
        match = re.fullmatch(r"\$\{(\w+)\}", word)
        yield from loops.get(match.group(1), [word]) if match else [word]


def _commands(text):
    """(name, words, is optional) of each command; optional: inside a condition that is false in the image."""
    conditions = []
    loops = {}
    for match in _COMMAND.finditer(re.sub(r"#[^\n]*", "", text)):
        name, words = match.group(1).lower(), match.group(2).split()
        if name == "if":
            conditions.append(bool(_OPTIONAL.search(match.group(2))))
        elif name == "endif":
            conditions.pop()
        elif name == "foreach":
            loops[words[0]] = words[1:]
        else:
            yield name, list(_expand(words, loops)), any(conditions)


def added_folders(root):
    """{top folder: is optional} of the folders that CMakeLists.txt adds."""
    return {folder: optional for name, words, optional in _commands(_read(root, "CMakeLists.txt"))
            if name == "add_subdirectory" for folder in words}


def _needs(root, files):
    """(top folder or file, text that says what needs it) of the build in the image."""
    if _read(root, "CMakeLists.txt"):
        yield "CMakeLists.txt", "docker/Dockerfile configures from"
    queue = ["CMakeLists.txt"]
    for listing in queue:
        for name, words, optional in _commands(_read(root, listing)):
            if optional or not words:
                continue
            if name == "add_subdirectory" and listing == "CMakeLists.txt":
                yield from ((folder, f"{listing} adds") for folder in words)
            elif name == "include" and "/" in words[0]:
                yield words[0].split("/")[0], f"{listing} includes {words[0]} of"
                queue.append(words[0])
            elif name == "install" and words[0] in ("FILES", "DIRECTORY") and "runtime" in words:
                for path in words[1:words.index("DESTINATION")]:
                    yield path.split("/")[0], f"{listing} installs"
    required = {folder for folder, optional in added_folders(root).items() if not optional}
    for source in files:
        if source.folder in required:
            for _, name in source.includes:
                for path in (name, f"include/{name}"):
                    if os.path.exists(os.path.join(root, path)):
                        yield path.split("/")[0], f"{source.path} includes {name} of"


def _scripts(root):
    """The scripts that the build of the static image runs."""
    for stage in _stages(_read(root, "docker/Dockerfile.static")):
        for command, arguments in stage:
            if command == "RUN":
                yield from ((name, "docker/Dockerfile.static runs") for name in re.findall(r"\bscripts/[\w-]+", arguments))


def _admitted(text):
    """The paths that reach the builder. .dockerignore must exclude everything and then name what it keeps."""
    lines = [line.strip() for line in text.splitlines()]
    lines = [line for line in lines if line and not line.startswith("#")]
    return [line[1:].strip("/") for line in lines if line.startswith("!")], "*" in lines


def _stages(text):
    """[(command, arguments)] of each stage, with continuation lines joined."""
    stages = []
    text = re.sub(r"\\\n", " ", re.sub(r"(?m)^\s*#.*\n", "", text))
    for line in text.splitlines():
        command, _, arguments = line.strip().partition(" ")
        if command == "FROM":
            stages.append([])
        elif command and stages:
            stages[-1].append((command, arguments))
    return stages


def _installed(stage):
    packages = set()
    for command, arguments in stage:
        if command == "RUN":
            for words in re.findall(r"apt-get[^&]*? install ([^&;>]*)", arguments):
                packages |= {word for word in words.split() if not word.startswith("-")}
    return packages


def _asked_for(text):
    """The packages that a script passes to scripts/install-missing."""
    packages = set()
    for words in re.findall(r"scripts/install-missing ([^\n]*)", re.sub(r"\\\n", " ", text)):
        packages |= set(words.split())
    return packages


def context(root, files):
    """Everything that the image's build needs reaches the builder, and nothing else does."""
    if not _read(root, "docker/Dockerfile"):
        return
    admitted, drops_all = _admitted(_read(root, ".dockerignore"))
    if not drops_all:
        yield ".dockerignore: does not begin with *, so everything reaches the builder"
    copied = set()
    for command, arguments in _stages(_read(root, "docker/Dockerfile"))[0]:
        if command == "COPY":
            words = [word for word in arguments.split() if not word.startswith("--")]
            copied |= {word.strip("./").split("/")[0] for word in words[:-1]}
    needed = {}
    for name, reason in (*_needs(root, files), *_scripts(root)):
        needed.setdefault(name, reason)
    for name, reason in needed.items():
        if drops_all and name not in admitted:
            yield f".dockerignore: leaves out {name}, which {reason}"
        elif "" not in copied and name not in copied:
            yield f"docker/Dockerfile: no COPY brings {name}, which {reason}"
    for name in admitted:
        if name not in needed:
            yield f".dockerignore: admits {name}, which the image is not built from"


def packages(root):
    """The image installs the packages that ./quickstart asks for, and the runtime libraries of its build."""
    stages = _stages(_read(root, "docker/Dockerfile"))
    if not stages:
        return
    built, run = _installed(stages[0]), _installed(stages[-1])
    asked = _asked_for(_read(root, "quickstart"))
    for name in sorted(asked - built):
        yield f"docker/Dockerfile: the build does not install {name}, which ./quickstart does"
    for name in sorted(built - asked):
        yield f"docker/Dockerfile: the build installs {name}, which ./quickstart does not"
    for stage in _stages(_read(root, "docker/Dockerfile.static"))[:1]:
        for name in sorted(asked - MADE_STATIC - _installed(stage)):
            yield f"docker/Dockerfile.static: the build does not install {name}, which ./quickstart does"
    wanted = set()
    for name in sorted(name for name in built if name.endswith("-dev") and name not in ESSENTIAL):
        if name in RUNTIME_OF:
            wanted.add(RUNTIME_OF[name])
        else:
            yield f"tests/tidy/image.py: RUNTIME_OF does not say what {name} needs at run time"
    places = (("docker/Dockerfile: the image does not install", run),
              ("docker/try: does not ask for", _asked_for(_read(root, "docker/try"))))
    for place, present in places:
        for name in sorted(wanted - present):
            yield f"{place} {name}, which the binary needs"
    for name in sorted(run - wanted):
        yield f"docker/Dockerfile: the image installs {name}, which the binary does not need"
