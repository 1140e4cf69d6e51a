#!/usr/bin/env python3
"""What the binary says of its parts (`--version --json`), and the bill of materials that scripts/sbom writes of it."""
import copy
import hashlib
import json
import os
import re
import subprocess
import tempfile
import unittest

from support import OPTIONS, ROOT, main, run

SBOM = os.path.join(ROOT, "scripts", "sbom")
SECONDS = 1700000000
LICENCES = {"0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "GCC-exception-3.1", "GPL-2.0-only", "GPL-2.0-or-later",
            "GPL-3.0-or-later", "ISC", "LGPL-2.1-or-later", "LGPL-3.0-or-later", "MIT",
            "X11-distribute-modifications-variant", "Zlib", "bzip2-1.0.6"}
RELATIONSHIPS = {"DESCRIBES", "DYNAMIC_LINK", "STATIC_LINK"}
# Members that SPDX 2.3 requires, and the form of their values.
DOCUMENT = {"spdxVersion": r"SPDX-2\.3", "dataLicense": r"CC0-1\.0", "SPDXID": r"SPDXRef-DOCUMENT", "name": r".+",
            "documentNamespace": r"https?://[^#\s]+"}
PACKAGE = {"SPDXID": r"SPDXRef-[A-Za-z0-9.-]+", "name": r".+", "downloadLocation": r"NOASSERTION|NONE|\w+://\S+",
           "versionInfo": r"\S+", "copyrightText": r".+"}


def faults(document):
    """What keeps the document from being SPDX 2.3, in words."""
    for name, form in DOCUMENT.items():
        if not re.fullmatch(form, str(document.get(name, ""))):
            yield f"document: {name}"
    created = document.get("creationInfo", {})
    if not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", created.get("created", "")):
        yield "creationInfo: created"
    if not created.get("creators") or not all(re.match(r"(Tool|Person|Organization): ", one) for one in created["creators"]):
        yield "creationInfo: creators"
    known = {"SPDXRef-DOCUMENT"}
    own = {one["licenseId"] for one in document.get("hasExtractedLicensingInfos", ()) if one.get("extractedText")}
    for package in document.get("packages", ()):
        name = package.get("name", "?")
        for member, form in PACKAGE.items():
            if not re.fullmatch(form, str(package.get(member, ""))):
                yield f"{name}: {member}"
        if package.get("SPDXID") in known:
            yield f"{name}: its SPDXID is used twice"
        known.add(package.get("SPDXID"))
        for member in ("licenseConcluded", "licenseDeclared"):
            words = set(re.split(r" (?:AND|OR|WITH) ", package.get(member, "")))
            if not words <= LICENCES | own | {"NOASSERTION", "NONE"}:
                yield f"{name}: {member}"
        if not any(one.get("algorithm") == "SHA256" and re.fullmatch("[0-9a-f]{64}", one.get("checksumValue", ""))
                   for one in package.get("checksums", ())):
            yield f"{name}: checksums"
        for one in package.get("externalRefs", ()):
            if one.get("referenceCategory") != "PACKAGE-MANAGER" or not re.fullmatch(
                    r"pkg:[a-z]+/[\w./%+-]+@[\w.~%-]+(\?arch=\w+)?", one.get("referenceLocator", "")):
                yield f"{name}: externalRefs"
    described = False
    for one in document.get("relationships", ()):
        if one.get("relationshipType") not in RELATIONSHIPS or not {one.get("spdxElementId"), one.get("relatedSpdxElement")} <= known:
            yield f"relationships: {one}"
        described = described or one.get("relationshipType") == "DESCRIBES"
    if not described:
        yield "relationships: nothing is described"


class Sbom(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.binary = os.path.join(OPTIONS.build, "cli", "lockstep")
        cls.env = os.environ | {"SOURCE_DATE_EPOCH": str(SECONDS)}
        cls.text = run(SBOM, cls.binary, env=cls.env)
        cls.document = json.loads(cls.text)
        cls.entries = {one["name"]: one for one in cls.document["packages"]}
        cls.version = json.loads(run(cls.binary, "--version", "--json"))

    def test_it_is_spdx(self):
        self.assertEqual(list(faults(self.document)), [])
        self.assertEqual(self.document["creationInfo"]["created"], "2023-11-14T22:13:20Z")

    def test_faults_are_found(self):
        def without(*path):
            document = copy.deepcopy(self.document)
            at = document
            for step in path[:-1]:
                at = at[step]
            del at[path[-1]]
            return document
        for path in (*((name,) for name in DOCUMENT), ("creationInfo",), ("creationInfo", "created"), ("relationships",),
                     ("relationships", 0), ("packages", 1), *(("packages", 1, name) for name in PACKAGE),
                     ("packages", 1, "licenseDeclared"), ("packages", 1, "checksums")):
            with self.subTest(path):
                self.assertNotEqual(list(faults(without(*path))), [])
        for path, value in (("name", "GPL"), ("SPDXID", self.document["packages"][0]["SPDXID"])):
            planted = copy.deepcopy(self.document)
            planted["packages"][1]["licenseDeclared" if path == "name" else path] = value
            self.assertNotEqual(list(faults(planted)), [])

    def test_it_has_each_library_of_the_loader(self):
        needed = re.findall(r"\(NEEDED\).*\[(.*)\]", run("readelf", "-d", self.binary))
        self.assertGreater(len(needed), 5)
        self.assertLessEqual(set(needed), set(self.entries))
        linked = {one["relatedSpdxElement"] for one in self.document["relationships"] if one["relationshipType"] == "DYNAMIC_LINK"}
        self.assertEqual(linked, {one["SPDXID"] for one in self.document["packages"]} - {"SPDXRef-lockstep"})

    def test_digests_and_versions_are_those_of_the_files(self):
        paths = dict(re.findall(r"(\S+) => (/\S+) \(", run("ldd", self.binary))) | {"lockstep": self.binary}
        for name, path in paths.items():
            with open(path, "rb") as file:
                self.assertEqual(self.entries[name]["checksums"][0]["checksumValue"], hashlib.sha256(file.read()).hexdigest())
        package = run("dpkg-query", "-W", "-f", "${Version}", "libsodium23")
        self.assertEqual(self.entries["libsodium.so.23"]["versionInfo"], package)
        self.assertEqual(self.entries["libsodium.so.23"]["licenseDeclared"], "ISC")

    def test_the_same_binary_has_the_same_bill(self):
        self.assertEqual(run(SBOM, self.binary, env=self.env), self.text)

    def test_a_static_binary_is_described_by_its_map(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in (("libenet.a", "archive"), ("libenet.pc", "Version: 1.3.18\n"), ("libfoo.a", ""),
                               ("map", f"{folder}/libenet.a(host.o)\n      proto/libls_proto.a(link.c.o)\nproto/libls_proto.a(x.o)\n"
                                       f"LOAD {folder}/libfoo.a\n")):
                with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                    file.write(text)
            document = json.loads(run(SBOM, self.binary, "--map", os.path.join(folder, "map"), env=self.env))
            self.assertEqual(list(faults(document)), [])
            program, enet = document["packages"]
            self.assertEqual((program["name"], enet["name"], enet["versionInfo"], enet["licenseDeclared"]),
                             ("lockstep", "libenet.a", "1.3.18", "MIT"))
            self.assertEqual(document["relationships"][1]["relationshipType"], "STATIC_LINK")

    def refused(self, *arguments):
        done = subprocess.run((SBOM, *arguments), check=False, capture_output=True, text=True)
        self.assertEqual(done.returncode, 1, done.stdout)
        return done.stderr

    def test_files_that_are_no_program_are_refused(self):
        for arguments, says in ((("/no/program",), "sbom: /no/program is no file\n"),
                                ((__file__,), "is no program that is linked with libraries; a static one needs --map\n"),
                                ((self.binary, "--map", "/no/map"), "sbom: /no/map is no file\n")):
            text = self.refused(*arguments)
            self.assertTrue(text.endswith(says), text)
            self.assertEqual(len(text.splitlines()), 1)

    def test_what_it_does_not_know_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            other, path = os.path.join(folder, "libother.a"), os.path.join(folder, "map")
            with open(path, "w", encoding="utf-8") as file:
                file.write(f"{other}(x.o)\n")
            self.assertIn("belongs to no package", self.refused(self.binary, "--map", path))
            with open(os.path.join(folder, "libother.pc"), "w", encoding="utf-8") as file:
                file.write("Version: 1\n")
            self.assertIn("LICENCES does not have other", self.refused(self.binary, "--map", path))
            with open(path, "w", encoding="utf-8") as file:
                file.write("nothing\n")
            self.assertIn("found no library", self.refused(self.binary, "--map", path))

    def test_the_binary_names_what_is_built_in(self):
        self.assertEqual(list(self.version), ["version", "compiler", "cpu", "rules", "library_abi", "module_abi", "protocol",
                                              "recording_format", "features", "libraries"])
        libraries, features = self.version["libraries"], self.version["features"]
        self.assertEqual(set(features), {"http", "lobby", "modules", "source_lines", "terminal"})
        self.assertTrue(features["modules"] and features["terminal"])
        self.assertEqual(features["http"], "libwebsockets" in libraries)
        self.assertEqual(features["source_lines"], "libdw" in libraries)
        for name, version in libraries.items():
            self.assertEqual(version, run("pkg-config", "--modversion", name).strip().rstrip("-"))
        # Each is in the bill of materials.
        for name in libraries:
            self.assertTrue([one for one in self.entries if one.startswith(("lib" + name).replace("liblib", "lib") + ".so")], name)


if __name__ == "__main__":
    main()
