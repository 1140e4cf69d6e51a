"""Compares the memory orders of the program with those of a weak_*.pml. The head of such a model has a table: after the
name of a source, a line for each of its atomic accesses, in their order:

    FUNCTION ACCESS VARIABLE: MODEL'S VARIABLE, ORDER[, ORDER ON FAILURE]

An order is one of the model's names, whose value is that without a fault, or a literal. "-" as the model's variable: the
model leaves the access out. A line "also: MODEL'S VARIABLE, ORDER" names another access of the model that is the line before
in the program; "only ACCESS: ..." one that is atomic in the
model alone. Every access of the source has a line, and every access of the model is that of a line."""
import re

ORDERS = ("RELAXED", "ACQUIRE", "RELEASE", "ACQ_REL", "SEQ_CST")
ACCESS = re.compile(r"\b(?:atomic|__atomic)_(?!init\b|uint\b|bool\b|flag\b)(\w+?)(?:_explicit|_n)?\(")
HEAD = re.compile(r"^[a-z](?:[^;{}]|\n)*?\b(\w+)\((?:[^;{}]|\n)*?\n?\{$", re.M)
ROW = re.compile(r"^ \* {5,}(\w+) (\w+) (\w+): (\w+|-), (\w+)(?:, (\w+))?$")
ALSO = re.compile(r"^ \* {5,}(also|only (?:load|store|modify)): (\w+), (\w+)$")
SOURCE = re.compile(r"^ \*   ((?:\w+/)+\w+\.[ch])$")
IN_MODEL = {"load": "load", "store": "store"}  # all else is a read-modify-write


def arguments(text, at):
    """Those of the call whose first one begins at `at`."""
    depth, found, begin = 0, [], at
    while depth >= 0:
        if text[at] in "([":
            depth += 1
        elif text[at] in ")]":
            depth -= 1
        if depth < 0 or (depth == 0 and text[at] == ","):
            found.append(" ".join(text[begin:at].split()))
            begin = at + 1
        at += 1
    return found


def bare(text):
    """Without comments, whose lines stay."""
    return re.sub(r"/\*.*?\*/", lambda comment: "\n" * comment.group().count("\n"), text, flags=re.S)


def variable(expression):
    """`done` of &world->runs[i].done, `f` of &f(x)[i]."""
    return re.findall(r"\w+", re.sub(r"\([^()]*\)$", "", re.sub(r"\[[^\[\]]*\]", "", expression)))[-1]


def accesses(source):
    """(function, access, variable, orders) of each atomic access of a source."""
    text = bare(source)
    heads = [(head.end(), head.group(1)) for head in HEAD.finditer(text)]
    for found in ACCESS.finditer(text):
        function = [name for at, name in heads if at <= found.start()][-1:] or ["?"]
        given = arguments(text, found.end())
        orders = [order.upper() for one in given for order in re.findall(r"^(?:memory_order_|__ATOMIC_)(\w+)$", one)]
        yield function[0], found.group(1), variable(given[0]), tuple(orders or ["SEQ_CST"])


def without_faults(model):
    """The model without comments and planted faults, and the values of its names."""
    lines, left = [], []  # left: of each open #if whether its lines are read
    for line in bare(model).splitlines():
        word = re.match(r"#(\w+)\s*(.*)", line)
        if word and word.group(1) in ("ifdef", "ifndef", "if"):
            is_fault = "FAULT_" in word.group(2)
            left.append((is_fault, not is_fault or word.group(1) == "ifndef"))
        elif word and word.group(1) in ("else", "elif"):
            is_fault, is_read = left.pop()
            left.append((is_fault, is_read if not is_fault else "FAULT_" not in word.group(2) and not is_read))
        elif word and word.group(1) == "endif":
            left.pop()
        elif all(is_read for _, is_read in left):
            lines.append(line)
    text = "\n".join(lines)
    return text, dict(re.findall(r"^#define (\w+)\s+(\w+)\s*$", text, re.M))


def modelled(text):
    """(access, variable, order) of each access of the model."""
    for found in re.finditer(r"\b(load|store|modify|post)\(", text):
        if re.search(r"inline $", text[:found.start()]):
            continue
        given = arguments(text, found.end())
        of, order = (given[0] if found.group(1) == "post" else given[1]), given[-1]
        if of.isupper() or of.split()[0].isupper():
            yield found.group(1) if found.group(1) in IN_MODEL else "modify", of.split()[0], order


def table(model):
    """The rows of the comment at the top of a model, each with the source that it is of."""
    source, rows = None, []
    for line in map(str.rstrip, model[:model.index("*/")].splitlines()):
        if SOURCE.match(line):
            source = SOURCE.match(line).group(1)
            rows.append((source, None))
        elif source and ROW.match(line):
            rows.append((source, ROW.match(line).groups()))
        elif source and ALSO.match(line):
            which, *of = ALSO.match(line).groups()
            access = rows[-1][1][:3] if which == "also" else ("", which.split()[1], "")
            rows.append((source, (*access, *of, which.split()[0])))
    return rows


def differences(model, read):
    """What differs, a line each. read(source): its text."""
    text, values = without_faults(model)
    rows, found = table(model), []
    told = {(IN_MODEL.get(row[1], "modify"), row[3], row[4]) for _, row in rows if row and row[3] != "-"}
    has = set(modelled(text))
    found += [f"model: {' '.join(one)} has no row" for one in sorted(has - told)]
    found += [f"model: lacks {' '.join(one)}" for one in sorted(told - has)]
    for source in dict.fromkeys(source for source, _ in rows):
        want = []
        for row in (row for of, row in rows if of == source and row):
            orders = tuple(values.get(order, order) for order in row[4:] if order)
            if row[5] not in ("also", "only"):
                want.append((*row[:3], orders))
            elif row[5] == "also" and orders[0] != want[-1][3][0]:
                found.append(f"model: {row[3]} {row[4]} is {orders[0]}, not {want[-1][3][0]}")
        found += [f"{source}: {' '.join(one[:3])}: {order} is no order" for one in want for order in one[3]
                  if order not in ORDERS]
        real = list(accesses(read(source)))
        for at in range(max(len(want), len(real))):
            mine, its = (list_[at] if at < len(list_) else None for list_ in (want, real))
            if mine != its:
                shown = [f"{' '.join(one[:3])}: {', '.join(one[3])}" if one else "nothing" for one in (its, mine)]
                found.append(f"{source}: has {shown[0]}, the table {shown[1]}")
                break  # the rest is moved
    return found
