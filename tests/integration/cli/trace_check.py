#!/usr/bin/env python3
"""Checks a trace of `lockstep run --trace` against its schedule.

    trace_check.py TRACE.json SCHEDULE.json

SCHEDULE.json is the output of `lockstep schedule graph --format json`. Every finding is one line; the exit code
is 1 if there is one."""
import json
import sys
from collections import defaultdict
from decimal import Decimal

SLICES = {"tick", "stage", "parallel", "criteria", "sync", "begin", "part", "end", "hash", "idle"}
PER_SYSTEM = {"begin", "part", "end", "off"}
ARGUMENTS = {"tick": {"tick"}, "hash": {"tick"}, "idle": {"tick"}, "stage": {"tick", "stage"},
             "parallel": {"tick", "stage", "run"}, "criteria": {"tick", "stage", "run"},
             "sync": {"tick", "stage", "run"}, "off": {"tick", "run"}, "end": {"tick", "run"},
             "begin": {"tick", "run", "pages"},
             "part": {"tick", "run", "first_page", "pages", "entities"}}


def nanoseconds(value):
    """The number of microseconds; None if it is no number or has more than three decimals."""
    if isinstance(value, bool) or not isinstance(value, (int, Decimal)):
        return None
    scaled = Decimal(value) * 1000
    return int(scaled) if scaled == int(scaled) and scaled >= 0 else None


def is_count(value):
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def check_arguments(place, event):
    arguments = event.get("args")
    if not isinstance(arguments, dict):
        yield f"{place}: args is no object"
        return
    wanted = ARGUMENTS.get(event["cat"], set())
    if set(arguments) != wanted:
        yield f"{place}: args are {sorted(arguments)}, not {sorted(wanted)}"
    for name in wanted & set(arguments) - {"stage"}:
        if not is_count(arguments[name]):
            yield f"{place}: {name} is {arguments[name]!r}, no count"


def check_event(place, event):
    if not isinstance(event, dict) or not isinstance(event.get("name"), str):
        yield f"{place}: no event with a name"
        return
    if event.get("pid") != 1:
        yield f"{place}: pid is {event.get('pid')!r}, not 1"
    if event.get("ph") == "M":
        if event["name"] not in ("process_name", "thread_name"):
            yield f"{place}: metadata of an unknown name {event['name']!r}"
        return
    if not is_count(event.get("tid")):
        yield f"{place}: tid is {event.get('tid')!r}"
    if nanoseconds(event.get("ts")) is None:
        yield f"{place}: ts is {event.get('ts')!r}, no time"
    if event.get("cat") == "off":
        if event.get("ph") != "i" or event.get("s") != "t":
            yield f"{place}: off is no instant of a thread"
    elif event.get("cat") not in SLICES or event.get("ph") != "X":
        yield f"{place}: neither a slice nor an instant that is known"
        return
    elif nanoseconds(event.get("dur")) is None:
        yield f"{place}: dur is {event.get('dur')!r}, no time"
    yield from check_arguments(place, event)


def check_nesting(thread, slices):
    """Checks that every slice ends inside the slice in which it begins. If two share both ends, either may be
    the outer."""
    open_slices = []
    for start, end, name in sorted(slices, key=lambda one: (one[0], -one[1])):
        while open_slices and open_slices[-1][0] <= start:
            open_slices.pop()
        if open_slices and end > open_slices[-1][0]:
            yield (f"worker {thread}: {name!r} at {start} ns ends at {end} ns, inside "
                   f"{open_slices[-1][1]!r}, which ends at {open_slices[-1][0]} ns")
        open_slices.append((end, name))


def check_pages(place, pages, parts, is_concurrent):
    if not is_concurrent:
        if len(parts) > 1:
            yield f"{place}: a sequential system has {len(parts)} parts"
        parts = [part for part in parts if part != (0, pages)]
        if parts:
            yield f"{place}: a sequential system's part is {parts[0]}, not (0, {pages})"
        return
    expected = 0
    for first, count in sorted(parts):
        if first != expected:
            yield f"{place}: page {min(first, expected)} is " + (
                "missing" if first > expected else "there twice")
        expected = max(expected, first + count)
    if expected != pages:
        yield f"{place}: pages up to {expected} ran, {pages} were found"


def check_systems(events, schedule, criteria):
    """Checks which systems ran, how often, and over which pages."""
    systems = {one["name"]: one for one in schedule["systems"]}
    seen = defaultdict(lambda: defaultdict(list))
    ticks = {one["args"]["tick"] for one in events if one["cat"] == "tick"}
    for one in events:
        if one["cat"] not in PER_SYSTEM:
            continue
        if one["name"] not in systems and one["name"] not in criteria:
            yield f"tick {one['args']['tick']}: {one['name']!r} is no system of the schedule"
        elif one["name"] in systems:
            seen[one["name"], one["args"]["tick"]][one["args"]["run"]].append(one)
    for name, system in systems.items():
        for tick in sorted(ticks):
            place = f"tick {tick}: {name!r}"
            if not seen[name, tick]:
                yield f"{place} neither ran nor was off"
            for run, ones in sorted(seen[name, tick].items()):
                yield from check_run(f"{place} in run {run}", ones,
                                     system["mode"] == "concurrent")


def check_run(place, ones, is_concurrent):
    by_kind = defaultdict(list)
    for one in ones:
        by_kind[one["cat"]].append(one)
    counts = (len(by_kind["begin"]), len(by_kind["end"]))
    if by_kind["off"]:
        if len(ones) > len(by_kind["off"]):
            yield f"{place} is off and ran"
        return
    if counts != (1, 1):
        yield f"{place} began {counts[0]} times and ended {counts[1]} times"
        return
    began, ended = (nanoseconds(by_kind[kind][0]["ts"]) for kind in ("begin", "end"))
    for part in by_kind["part"]:
        if not began <= nanoseconds(part["ts"]) <= ended:
            yield f"{place} has a part at {part['ts']}, which is not between its begin and end"
    parts = [(part["args"]["first_page"], part["args"]["pages"]) for part in by_kind["part"]]
    yield from check_pages(place, by_kind["begin"][0]["args"]["pages"], parts, is_concurrent)


def check_order(events, schedule):
    """Checks that no system begins before all systems that an edge puts before it have ended."""
    ends, begins = {}, {}
    for one in events:
        if one["cat"] in ("begin", "end"):
            key = one["name"], one["args"]["tick"], one["args"]["run"]
            (begins if one["cat"] == "begin" else ends)[key] = nanoseconds(one["ts"])
    stages = {one["name"]: one["stage"] for one in schedule["systems"]}
    for edge in schedule["edges"]:
        for (name, tick, run), began in begins.items():
            ended = ends.get((edge["from"], tick, run))
            if (name == edge["to"] and ended is not None and ended > began and
                    stages[name] == stages[edge["from"]]):
                yield f"tick {tick}: {name!r} began before {edge['from']!r} had ended"


def findings(trace, schedule):
    if not isinstance(trace, dict) or set(trace) != {"displayTimeUnit", "otherData", "traceEvents"}:
        yield "the trace is no object of displayTimeUnit, otherData and traceEvents"
        return
    if set(trace["otherData"]) != {"format", "simulation", "dropped_slices"}:
        yield f"otherData has {sorted(trace['otherData'])}"
    events = trace["traceEvents"]
    broken = [finding for number, event in enumerate(events)
              for finding in check_event(f"event {number}", event)]
    if broken:
        yield from broken
        return
    threads = {one["tid"] for one in events if one["ph"] == "M" and one["name"] == "thread_name"}
    slices = defaultdict(list)
    rest = [one for one in events if one["ph"] != "M"]
    for one in rest:
        if one["tid"] not in threads:
            yield f"worker {one['tid']} has no name"
        if one["ph"] == "X":
            start = nanoseconds(one["ts"])
            slices[one["tid"]].append((start, start + nanoseconds(one["dur"]), one["name"]))
    for thread, own in sorted(slices.items()):
        yield from check_nesting(thread, own)
    if trace["otherData"].get("dropped_slices"):
        return  # a missing system cannot be counted
    criteria = {one[key]["criterion"] if key else one["criterion"]
                for group, key in (("sets", None), ("stages", "when"))
                for one in schedule[group] if "criterion" in (one[key] if key else one)}
    yield from check_systems(rest, schedule, criteria)
    yield from check_order(rest, schedule)


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file, parse_float=Decimal)


def main():
    count = 0
    for finding in findings(load(sys.argv[1]), load(sys.argv[2])):
        print(finding)
        count += 1
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
