"""Pictures of schedules are complete and readable, and the one in docs/ is what the command draws."""
import json
import os
import re
import xml.etree.ElementTree as ElementTree

from case import MACHINE, REFUSED, TINY, USAGE, Case, main, tiny

GALLERY = os.path.join(TINY, "gallery.so")
CROWD = os.path.join(TINY, "crowd.so")
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")
SVG = "{http://www.w3.org/2000/svg}"
WIDTH_MAX = 1300
LETTER = 7.3


def dot_tokens(text):
    """The tokens of a DOT file: strings, names and signs; anything else is an error."""
    pattern = re.compile(r'\s+|"(?:[^"\\]|\\.)*"|[\w.#]+|->|[{}\[\];=]', re.DOTALL)
    at = 0
    while at < len(text):
        match = pattern.match(text, at)
        if not match:
            raise AssertionError(f"no DOT: {text[at:at + 40]!r}")
        at = match.end()
        if not match.group().isspace():
            yield match.group()


class Dot:
    """A parser for the part of DOT that the graphs use: subgraphs, nodes, edges, attributes."""

    def __init__(self, text):
        self.tokens = list(dot_tokens(text)) + [""]
        self.at = 0
        self.nodes, self.edges, self.clusters = {}, [], []
        assert self.take() == "digraph"
        self.take()
        self.block()
        assert self.tokens[self.at] == "", self.tokens[self.at:]

    def take(self, expected=None):
        token = self.tokens[self.at]
        assert expected in (None, token), (expected, self.tokens[self.at - 5:self.at + 5])
        self.at += 1
        return token

    def attributes(self):
        found = {}
        if self.tokens[self.at] == "[":
            self.take()
            while self.tokens[self.at] != "]":
                name = self.take()
                self.take("=")
                found[name] = self.take()
            self.take()
        return found

    def block(self):
        self.take("{")
        while self.tokens[self.at] != "}":
            first = self.take()
            if first == ";":
                continue
            if first == "subgraph":
                self.clusters.append(self.take())
                self.block()
            elif self.tokens[self.at] == "=":
                self.take()
                self.take()
            elif self.tokens[self.at] == "->":
                self.take()
                self.edges.append((first, self.take(), self.attributes()))
            else:
                self.nodes[first] = self.attributes()
        self.take("}")


class Graph(Case):
    def graph(self, sim, form, *options):
        return self.command("schedule", "graph", "--sim", sim, "--format", form, *options)[0]

    def sims(self):
        return GALLERY, CROWD, tiny("good"), "skirmish", "toyphys"

    def test_the_picture_in_docs_is_what_is_drawn(self):
        with open(os.path.join(ROOT, "docs", "skirmish-schedule.svg"), encoding="utf-8") as file:
            self.assertEqual(file.read(), self.graph("skirmish", "svg"),
                             "draw it anew: lockstep schedule graph --sim skirmish "
                             "-o docs/skirmish-schedule.svg")

    def test_pictures_show_every_system(self):
        for sim in self.sims():
            with self.subTest(sim):
                data = json.loads(self.graph(sim, "json"))
                root = ElementTree.fromstring(self.graph(sim, "svg"))
                titles = [one.text for one in root.iter(SVG + "title")]
                for system in data["systems"]:
                    about = next(one for one in titles if one.split("\n")[0] == system["name"])
                    for touch in system["touches"]:
                        self.assertIn(touch, about)
                self.assertEqual(self.graph(sim, "svg"), self.graph(sim, "svg"))

    def test_what_the_engine_reads_for_a_system_is_listed(self):
        systems = json.loads(self.graph("colony", "json"))["systems"]
        touches = {system["name"]: system["touches"] for system in systems}
        self.assertEqual(touches["arrange"][-2:], ["join by key of room", "parents first by room"])

    def boxes(self, root):
        """(left, top, right, bottom) of each system's box."""
        for one in root.iter(SVG + "g"):
            for box in one.findall(SVG + "rect"):
                if "box" in box.get("class").split():
                    x, y = float(box.get("x")), float(box.get("y"))
                    yield x, y, x + float(box.get("width")), y + float(box.get("height")), one

    def test_nothing_overlaps_and_all_text_fits(self):
        for sim in self.sims():
            for more in ((), ("--ticks", "3")):
                with self.subTest(sim=sim, more=more):
                    root = ElementTree.fromstring(self.graph(sim, "svg", *more))
                    width, height = float(root.get("width")), float(root.get("height"))
                    self.assertLessEqual(width, WIDTH_MAX)
                    boxes = list(self.boxes(root))
                    for i, (left, top, right, bottom, group) in enumerate(boxes):
                        self.assertTrue(0 <= left and right <= width and bottom <= height)
                        for other in boxes[:i]:
                            self.assertFalse(left < other[2] and other[0] < right and
                                             top < other[3] and other[1] < bottom)
                        for text in group.findall(SVG + "text"):
                            letter = 6 if "small" in text.get("class").split() else LETTER
                            self.assertLessEqual(len(text.text) * letter, right - left)

    def test_lines_pass_by_the_boxes(self):
        root = ElementTree.fromstring(self.graph(CROWD, "svg"))
        boxes = [box[:4] for box in self.boxes(root)]
        lines = [one.get("d") for one in root.iter(SVG + "path") if "line" in one.get("class")]
        self.assertGreater(len(lines), 50)
        straight = 0
        for line in lines:
            end = None
            for kind, numbers in re.findall(r"([MLC])([^MLC]*)", line):
                point = tuple(float(one) for one in re.findall(r"-?\d+", numbers)[-2:])
                if kind == "L" and end[0] == point[0]:
                    straight += 1
                    for left, top, right, bottom in boxes:
                        self.assertFalse(left < point[0] < right and end[1] < bottom and
                                         top < point[1], line)
                end = point
        self.assertGreater(straight, 10)

    def test_everything_has_its_sign(self):
        text = self.graph(GALLERY, "svg")
        for sign in ('class="line weak', 'class="line listed', 'class="line needs',
                     'class="line apart', 'class="line order', 'class="main"',
                     "stage work &amp; &quot;play&quot;", "at start", "before commands", "at end",
                     "sync point: commands", "sync point: commands of the end",
                     "if ask &lt;again&gt;, up to 4 times", "every 3 ticks, offset 1",
                     "each has &lt;its&gt; half", "their filters exclude each other",
                     "the whole stage: every 2 ticks", "prefers-color-scheme:dark"):
            self.assertIn(sign, text)

    def test_data_has_its_shape(self):
        data = json.loads(self.graph(GALLERY, "json"))
        self.assertEqual(set(data), {"format", "simulation", "weights", "stages", "systems",
                                     "edges", "apart", "sets", "pars", "critical_path",
                                     "critical_weight"})
        stages = {one["name"]: one for one in data["stages"]}
        first = stages['work & "play"']
        self.assertEqual(first["at_start"], ["open"])
        self.assertEqual(first["before_commands"], ["close"])
        self.assertEqual(first["at_end"], ["last words"])
        self.assertEqual(first["sync_points"], ["before_end", "after_end"])
        self.assertEqual(stages["loop"]["sync_points"], ["before_end"])
        self.assertEqual(stages["listed"]["within"], "loop")
        kinds = {(one["from"], one["to"]): one["kind"] for one in data["edges"]}
        long_name = "shear & <count> \"all\" of the sheep on the hill"
        self.assertEqual(kinds["left", "follow"], "weak")
        self.assertEqual(kinds[long_name, "needy"], "needs")
        self.assertEqual(kinds["follow", "off"], "needs")
        self.assertEqual(kinds["follow", "draw"], "order")
        self.assertEqual(kinds["three", "two"], "listed")
        apart = {(one["one"], one["other"]): one for one in data["apart"]}
        self.assertEqual(apart["left", "right"]["kind"], "independent")
        self.assertEqual(apart["left", "right"]["reason"], "each has <its> half")
        self.assertEqual(apart["with", "without"]["kind"], "filtered")
        self.assertEqual([one["name"] for one in data["systems"] if one["main_thread"]], ["draw"])
        self.assertEqual(data["pars"], [{"name": "split", "fork": "split",
                                         "merge": "split (merge)", "sides": [["up"], ["down"]]}])
        self.assertEqual(kinds["split", "up"], "par")
        self.assertEqual(kinds["solve", "split"], "order")
        self.assertEqual({one["name"]: one["step"] for one in data["systems"] if "step" in one},
                         {"split": "fork", "split (merge)": "merge"})
        self.assertEqual([one["name"] for one in data["systems"] if one["critical"]],
                         data["critical_path"])
        self.assertEqual(data["critical_weight"], len(data["critical_path"]) - 2)  # without fork and merge

    def test_measured_weights_are_nanoseconds(self):
        data = json.loads(self.graph(GALLERY, "json", "--ticks", "5"))
        self.assertEqual(data["weights"], "nanoseconds")
        weights = {one["name"]: one["weight"] for one in data["systems"]}
        self.assertEqual(weights["off"], 0)
        self.assertGreater(weights["needy"], 0)

    def test_graphs_are_dot(self):
        for sim in self.sims():
            with self.subTest(sim):
                data = json.loads(self.graph(sim, "json"))
                dot = Dot(self.graph(sim, "dot"))
                self.assertEqual(len([one for one in dot.nodes if re.fullmatch(r"s\d+", one)]),
                                 len(data["systems"]))
                shown = [one for one in dot.edges if one[2].get("style") != "invis"]
                self.assertEqual(len(shown), len(data["edges"]) + len(data["apart"]))
                self.assertGreaterEqual(len(dot.clusters), len(data["stages"]))
                for one, other, _ in dot.edges:
                    self.assertIn(one, dot.nodes)
                    self.assertIn(other, dot.nodes)

    def test_the_file_holds_what_stdout_would(self):
        path = self.path("graph.svg")
        out, _ = self.command("schedule", "graph", "--sim", GALLERY, "-o", path)
        self.assertEqual(out, "")
        with open(path, encoding="utf-8") as file:
            self.assertEqual(file.read(), self.graph(GALLERY, "svg"))

    def test_files_that_cannot_be_written(self):
        for path, why in ((self.path("no", "folder"), "No such file"),
                          ("/dev/full", "No space left"), (self.folder, "directory")):
            self.refuse("schedule", "graph", "--sim", "toyphys", "-o", path, code=MACHINE,
                        says=(path, why))

    def test_wrong_use(self):
        for words in (("graph", "--format", "png"), ("graph", "--json"), ("list", "-o", "x"),
                      ("check", "--format", "svg"), ("check", "--ticks", "5"),
                      ("graph", "--ticks", "0"), ("draw",), ("graph", "times")):
            with self.subTest(words):
                self.command("schedule", *words, "--sim", "toyphys", code=USAGE)
        self.command("schedule", "graph", code=USAGE)
        self.refuse("schedule", "graph", "--sim", tiny("ambiguous"), code=REFUSED,
                    says=("add", "rival"))


main()
