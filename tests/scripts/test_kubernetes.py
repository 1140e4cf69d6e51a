#!/usr/bin/env python3
"""The files of docker/kubernetes: each fits the schema of its kind, and they fit each other and the server."""
import copy
import os
import re
import sys
import unittest

from kubernetes_schemas import KINDS

try:
    import yaml
except ImportError:
    print("python3-yaml is not installed", file=sys.stderr)
    sys.exit(77)

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
FOLDER = os.path.join(ROOT, "docker", "kubernetes")
TYPES = {"object": dict, "array": list, "string": str, "integer": int, "boolean": bool}


def check(value, schema, at="$"):
    """The errors of a value, each with its place."""
    if "enum" in schema:
        return [] if value in schema["enum"] else [f"{at}: {value!r} is none of {schema['enum']}"]
    kind = TYPES[schema["type"]]
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        return [f"{at}: {value!r} is no {schema['type']}"]
    errors = []
    if kind is dict:
        known = schema.get("properties")
        errors += [f"{at}: {name} is missing" for name in schema.get("required", ()) if name not in value]
        for name, member in value.items():
            if known is not None and name not in known:
                errors.append(f"{at}: {name} is unknown")
            elif known is None and not re.fullmatch(schema["keys"], name):
                errors.append(f"{at}: {name!r} is no key")
            else:
                errors += check(member, known[name] if known is not None else schema["values"], f"{at}.{name}")
    elif kind is list:
        if len(value) < schema["minItems"]:
            errors.append(f"{at}: too few items")
        for i, item in enumerate(value):
            errors += check(item, schema["items"], f"{at}[{i}]")
    elif kind is str:
        if len(value) < schema.get("minLength", 0) or not re.fullmatch(schema.get("pattern", r"[\s\S]*"), value):
            errors.append(f"{at}: {value!r} does not fit")
    elif kind is int and not schema["minimum"] <= value <= schema["maximum"]:
        errors.append(f"{at}: {value} is out of range")
    return errors


def load():
    """{kind: document} of the folder."""
    found = {}
    for name in sorted(os.listdir(FOLDER)):
        with open(os.path.join(FOLDER, name), encoding="utf-8") as file:
            for document in yaml.safe_load_all(file):
                assert document["kind"] not in found, name
                found[document["kind"]] = document
    return found


def read(*parts):
    with open(os.path.join(ROOT, *parts), encoding="utf-8") as file:
        return file.read()


def mistakes(files):
    """What the schemas cannot see: names and numbers that have to agree."""
    game = files["Fleet"]["spec"]["template"]["spec"]
    pod = game["template"]["spec"]
    servers = [one for one in pod["containers"] if one["name"] == game["container"]]
    variables = {one["name"]: one["value"] for one in servers[0]["env"]} if servers else {}
    labels, options = game["template"]["metadata"]["labels"], read("cli", "serve.c") + read("cli", "common", "match_options.c")
    volumes = {one["name"] for one in pod["volumes"]}
    policy, scaler = files["NetworkPolicy"]["spec"], files["FleetAutoscaler"]["spec"]
    open_ports = {(port["port"], port["protocol"]) for rule in policy["ingress"] for port in rule["ports"]}
    allocation = files["GameServerAllocation"]["spec"]
    rooms = game["counters"]["rooms"]["capacity"]
    wanted = {
        "the container is there": len(servers) == 1,
        "variables are options": all(
            f'"{name.removeprefix("LOCKSTEP_SERVE_").lower().replace("_", "-")}"' in options for name in variables),
        "rooms open by allocation alone": variables.get("LOCKSTEP_SERVE_ROOMS") == "0",
        "the capacity is that of the server": variables.get("LOCKSTEP_SERVE_ROOMS_MAX") == str(rooms),
        "tokens that are required have a key": "LOCKSTEP_SERVE_TOKEN_KEY" in variables or
                                               "lockstep.dev/tokens" not in allocation["metadata"]["annotations"],
        "mounts have volumes": all(mount["name"] in volumes for one in pod["containers"] + pod["initContainers"]
                                   for mount in one["volumeMounts"]),
        "nothing is privileged": all(
            one["securityContext"] == {"readOnlyRootFilesystem": True, "allowPrivilegeEscalation": False,
                                       "capabilities": {"drop": ["ALL"]}}
            for one in pod["containers"] + pod["initContainers"]) and pod["securityContext"]["runAsNonRoot"],
        "the user is that of the image": f"USER {pod['securityContext']['runAsUser']}:" in read("docker", "Dockerfile"),
        "the policy is for these pods": policy["podSelector"]["matchLabels"].items() <= labels.items(),
        "the policy admits players": {(one["containerPort"], one["protocol"]) for one in game["ports"]} <= open_ports,
        "the policy admits the monitoring": {(one["containerPort"], one["protocol"])
                                             for one in servers[0]["ports"]} <= open_ports if servers else False,
        "the server finds its port": [one["name"] for one in game["ports"]] == ["lockstep"],
        "the scaler is for this fleet": scaler["fleetName"] == files["Fleet"]["metadata"]["name"],
        "the scaler counts what the servers have": scaler["policy"]["counter"]["key"] in game["counters"],
        "the scaler's limits fit": rooms <= scaler["policy"]["counter"]["minCapacity"] <=
                                   scaler["policy"]["counter"]["maxCapacity"],
        "allocations are for this fleet": all(
            one["matchLabels"] == {"agones.dev/fleet": files["Fleet"]["metadata"]["name"]} and
            one["counters"].keys() <= game["counters"].keys() for one in allocation["selectors"]),
        "allocations say what the server reads": all(
            f'"{name}"' in read("cli", "serve", "agones_gameserver.c") for name in allocation["metadata"]["annotations"]),
        "the base has all files but the allocation": set(files["Kustomization"]["resources"]) == {
            name for name in os.listdir(FOLDER) if name not in ("kustomization.yaml", "allocation.yaml")},
        "the base sets the image": [one["name"] for one in files["Kustomization"]["images"]] == [
            *{one["image"] for one in pod["containers"] + pod["initContainers"]}],
        "no Service sets an option": pod["enableServiceLinks"] is False,
        "draining has time": pod["terminationGracePeriodSeconds"] >= 30,
    }
    return [what for what, holds in wanted.items() if not holds]


class Kubernetes(unittest.TestCase):
    def setUp(self):
        self.files = load()

    def test_each_file_fits_its_schema(self):
        self.assertEqual(sorted(self.files), sorted(KINDS))
        for kind, document in self.files.items():
            self.assertEqual(check(document, KINDS[kind]), [], kind)

    def test_the_files_fit_each_other_and_the_server(self):
        self.assertEqual(mistakes(self.files), [])

    def apply(self, patches):
        """The files with the JSON patches of an overlay."""
        files = copy.deepcopy(self.files)
        for patch in patches:
            for operation in yaml.safe_load(patch["patch"]):
                steps = [int(one) if one.isdigit() else one for one in operation["path"].strip("/").split("/")]
                at = files[patch["target"]["kind"]]
                for step in steps[:-1]:
                    at = at[step]
                if operation["op"] == "test":
                    self.assertEqual(at[steps[-1]], operation["value"], operation)
                else:
                    self.assertIn(operation["op"], ("add", "replace"))
                    at[steps[-1]] = operation["value"]
        return files

    def test_the_overlay_of_the_page_fits(self):
        page = read("docs", "operations-fleet.md").split("## On Kubernetes with Agones")[1].split("\n## ")[0]
        overlay = yaml.safe_load(re.search(r"```yaml\n(.*?)```", page, re.DOTALL).group(1))
        self.assertEqual([one["name"] for one in overlay["images"]], [one["name"] for one in self.files["Kustomization"]["images"]])
        files = self.apply(overlay["patches"])
        self.assertEqual(check(files["Fleet"], KINDS["Fleet"]), [])
        self.assertEqual(mistakes(files), [])
        self.assertNotEqual(files, self.files)
        # The page shows how to allocate the room of the file, and the names that it reads.
        annotations = self.files["GameServerAllocation"]["spec"]["metadata"]["annotations"]
        self.assertIn(f'--room {annotations["lockstep.dev/room"]} ', page)
        self.assertEqual(set(re.findall(r"`(lockstep\.dev/\w+)`", page)), set(annotations))
        for path in re.findall(r"\{\.status\.(lists|counters)\.(\w+)", page):
            self.assertIn(path[1], self.files["Fleet"]["spec"]["template"]["spec"][path[0]])

    def planted(self, kind, path, value):
        """The files with one value changed; None removes it."""
        files = copy.deepcopy(self.files)
        at = files[kind]
        for step in path[:-1]:
            at = at[step]
        if value is None:
            del at[path[-1]]
        else:
            at[path[-1]] = value
        return files

    def test_the_schemas_find_planted_errors(self):
        game = ("spec", "template", "spec")
        server = (*game, "template", "spec", "containers", 0)
        for kind, path, value, says in (
                ("Fleet", ("apiVersion",), "agones.dev/v2", "is none of"),
                ("Fleet", (*game, "template"), None, "template is missing"),
                ("Fleet", (*game, "helth"), {}, "helth is unknown"),
                ("Fleet", (*game, "ports", 0, "containerPort"), 77777, "out of range"),
                ("Fleet", (*game, "ports", 0, "portPolicy"), "dynamic", "is none of"),
                ("Fleet", (*game, "lists", "rooms", "capacity"), 1001, "out of range"),
                ("Fleet", (*server, "env", 1, "value"), 0, "is no string"),
                ("Fleet", (*server, "image"), None, "image is missing"),
                ("Fleet", (*server, "resources", "limits", "memory"), "much", "does not fit"),
                ("Fleet", ("spec", "replicas"), True, "is no integer"),
                ("FleetAutoscaler", ("spec", "policy", "counter", "maxCapacity"), None, "maxCapacity is missing"),
                ("GameServerAllocation", ("spec", "metadata", "annotations", "lockstep.dev/seed"), 4711, "is no string"),
                ("GameServerAllocation", ("spec", "counters", "rooms", "action"), "Add", "is none of"),
                ("GameServerAllocation", ("spec", "selectors"), [], "too few items"),
                ("NetworkPolicy", ("spec", "ingress", 0, "ports", 0, "protocol"), "SCTP", "is none of"),
                ("Kustomization", ("resource",), [], "resource is unknown")):
            errors = check(self.planted(kind, path, value)[kind], KINDS[kind])
            self.assertEqual(len(errors), 1, (path, errors))
            self.assertIn(says, errors[0])

    def test_disagreements_are_found(self):
        game = ("spec", "template", "spec")
        pod = (*game, "template", "spec")
        for kind, path, value, says in (
                ("Fleet", (*game, "container"), "other", "the container is there"),
                ("Fleet", (*pod, "containers", 0, "env", 2, "name"), "LOCKSTEP_SERVE_ROOM_MAX", "variables are options"),
                ("Fleet", (*pod, "containers", 0, "env", 1, "value"), "1", "rooms open by allocation alone"),
                ("Fleet", (*game, "counters", "rooms", "capacity"), 8, "the capacity is that of the server"),
                ("Fleet", (*pod, "containers", 0, "env", 3), {"name": "LOCKSTEP_SERVE_QUIET", "value": "yes"},
                 "tokens that are required have a key"),
                ("Fleet", (*pod, "volumes", 1, "name"), "key", "mounts have volumes"),
                ("Fleet", (*pod, "containers", 0, "securityContext", "readOnlyRootFilesystem"), False,
                 "nothing is privileged"),
                ("Fleet", (*pod, "securityContext", "runAsUser"), 1000, "the user is that of the image"),
                ("Fleet", (*game, "ports", 0, "containerPort"), 7778, "the policy admits players"),
                ("Fleet", (*pod, "containers", 0, "ports", 0, "containerPort"), 9101, "the policy admits the monitoring"),
                ("Fleet", (*game, "ports", 0, "name"), "default", "the server finds its port"),
                ("Fleet", (*pod, "terminationGracePeriodSeconds"), 5, "draining has time"),
                ("Fleet", (*pod, "enableServiceLinks"), True, "no Service sets an option"),
                ("NetworkPolicy", ("spec", "podSelector", "matchLabels", "app"), "game", "the policy is for these pods"),
                ("FleetAutoscaler", ("spec", "fleetName"), "fleet", "the scaler is for this fleet"),
                ("FleetAutoscaler", ("spec", "policy", "counter", "key"), "seats", "the scaler counts what the servers have"),
                ("FleetAutoscaler", ("spec", "policy", "counter", "minCapacity"), 8, "the scaler's limits fit"),
                ("GameServerAllocation", ("spec", "selectors", 0, "matchLabels", "agones.dev/fleet"), "x",
                 "allocations are for this fleet"),
                ("GameServerAllocation", ("spec", "metadata", "annotations", "lockstep.dev/map"), "x",
                 "allocations say what the server reads"),
                ("Kustomization", ("resources", 0), "fleets.yaml", "the base has all files but the allocation"),
                ("Kustomization", ("images", 0, "name"), "other", "the base sets the image")):
            self.assertIn(says, mistakes(self.planted(kind, path, value)), path)


if __name__ == "__main__":
    unittest.main(verbosity=2)
