#!/usr/bin/env python3
"""Tests of the cairn program as a user meets it: words, exit statuses, formats. Usage: program_test.py program_base.PROGRAM"""
import base64
import json
import os
import random
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import unittest
import unittest.mock
import xml.etree.ElementTree

import program_base
from program_base import Base, FilesBase, json_lines, run_cairn as cairn
from program_recordings import chunk, small_joint, small_recording

COMMANDS = ["scenes", "run", "bench", "quality", "solvers", "info", "view", "render"]
BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))), None)
BENCH_KEYS = {"scene", "solver", "threads", "steps", "bodies", "manifolds", "points", "ms_mean", "ms_p50", "ms_p99", "ms_max",
              "ms_last", "stages", "peak_rss_mb", "max_penetration", "kinetic_energy_per_kg", "state_hash"}


class Words(Base):
    def test_help_of_every_command(self):
        overview = self.good().stdout
        self.assertEqual(overview, self.good("--help").stdout)
        self.assertEqual(overview, self.good("help").stdout)
        for command in COMMANDS:
            self.assertIn("  " + command + " ", overview)
            text = self.good(command, "--help").stdout
            self.assertEqual(text, self.good("help", command).stdout)
            self.assertIn("Usage: cairn " + command, text)
            self.assertIn("Examples:\n  cairn ", text)

    def test_examples_in_help_name_real_options(self):
        for command in COMMANDS:
            text = self.good(command, "--help").stdout
            for example in re.findall(r"^  cairn (\w+)(.*)$", text.split("Examples:")[1], re.M):
                known = set(re.findall(r"^  (--\w+)", self.good(example[0], "--help").stdout, re.M))
                self.assertLessEqual(set(re.findall(r"--\w+", example[1])), known, example)

    def test_version(self):
        self.assertRegex(self.good("--version").stdout, r"^cairn \d+\.\d+\.\d+\n$")

    def test_wrong_words_get_a_suggestion(self):
        self.refused("bnech", "pyramid", says='did you mean "bench"')
        self.refused("help", "qualty", says='did you mean "quality"')
        self.refused("run", "piramid", says='did you mean "pyramid"')
        self.refused("bench", "convexpile", says='did you mean "convex_pile"')
        self.refused("quality", "towr", says='did you mean "tower"')
        self.refused("scenes", "hep", says='did you mean "heap"')
        self.refused("run", "tower", "--slover", "pgs", says="did you mean --solver")
        self.refused("run", "tower", "--solver", "soft_stp", says='did you mean "soft_step"')
        self.refused("run", "tower", "--friction", "cones", says='did you mean "cone"')
        self.refused("bench", "tower", "--simd", "avx", says='did you mean "avx2"')
        self.refused("run", "tower", "--solver", "zzzzzz", says="soft_step, pgs")

    def test_wrong_values(self):
        self.refused("run", "tower", "--steps", "many", says="--steps wants a number")
        self.refused("run", "tower", "--steps", "1.5", says="whole number")
        self.refused("run", "tower", "--steps", "0", says="from 1 to")
        self.refused("run", "tower", "--dt=nan", says="--dt wants a number")
        self.refused("run", "tower", "--steps", says="--steps wants a value")
        self.refused("run", "tower", "--json=1", says="takes no value")
        self.refused("run", "tower", "heap", says="one word too many")
        self.refused("run", "-x", says="two dashes")
        self.refused("run", says="which scene")
        self.refused("bench", says="which scene")
        self.refused("info", says="which file")
        self.refused("render", says="WHAT is a recording or a scene")
        self.refused("render", "tower", says="--out FILE.png")
        self.refused("render", "tower", "--out", "x.png", "--width", "15", says="from 16 to 4096")
        self.refused("render", "tower", "--out", "x.png", "--camera", "1,2", says="three numbers")
        self.refused("render", "tower", "--out", "x.png", "--camera", "1,2,-3", says="zoom above 0")
        self.refused("view", "--port", "65536", says="from 0 to 65535")
        self.refused("scenes", "--export", "x", says="wants a scene")
        self.refused("quality", "tower", "--mu", "0.5", says="no parameter --mu")
        self.refused("quality", "tower", "--height", "1.5", says="whole number")
        self.refused("run", "tower", "--steps", "0", says="from 1 to 10000000, not")
        self.refused("solvers", "x", says="usage: cairn solvers\n")
        for one, two in (("--record", "--plot"), ("--html", "--plot"), ("--record", "--html")):
            self.refused("run", "tower", one, "x", two, "x", says="the same file")

    def test_words_of_every_call(self):
        """No line of a help text is wider than 120 letters, no label touches what it labels, and one thing is not many."""
        texts = [self.good(*command, "--help").stdout for command in
                 [(), *((c,) for c in COMMANDS), *(("lab", c) for c in ("solve", "compare", "capture", "jitter", "rigidity", "solvers"))]]
        for text in texts:
            self.assertLessEqual(max(map(len, text.splitlines())), 120, text)
            self.assertNotRegex(text, r"[ \t]\n")
            self.assertNotIn("dozen", text)
        report = self.good("run", "tower", "--steps", "1", "--residual", "--tolerance", "1e-4").stdout
        for line in report.splitlines()[1:]:
            self.assertRegex(line, r"^(\S.{16} +\S|  \S.{14} )", line)
        case = self.good("quality", "tower", "--height", "2").stdout
        for text in (report, case):
            self.assertNotRegex(text, r"\b1 (islands|steps|threads|cases|points|manifolds|colours|substeps)\b")
        for command in ("solve", "capture"):
            self.assertEqual(self.good("help", "lab", command).stdout, self.good("lab", command, "--help").stdout)

    def test_pictures_are_called_what_they_are(self):
        for name in ("x.jpg", "x.svg", "./x.JPEG", "x.pdf"):
            self.refused("render", "tower", "--out", name, says="--out makes a picture that ends in .png, not \"" + name)
        for name in ("x.png", "x.PDF"):
            self.refused("run", "tower", "--plot", name, says="ends in .svg")
            self.refused("lab", "compare", "tower", "--svg", name, says="ends in .svg")
        self.good("run", "tower", "--steps", "1", "--plot", self.path("x.SVG"))
        self.good("run", "tower", "--steps", "1", "--plot", self.path("plain"))

    def test_overlap_at_worst(self):
        for steps in ("1", "3"):
            end, worst = re.search(r"penetration +(\S+) mm at the end, (\S+) mm at worst",
                                   self.good("run", "tower", "--steps", steps).stdout).groups()
            self.assertGreaterEqual(float(worst), float(end))

    def test_unwritable_files(self):
        nowhere = self.path("no/such/folder")
        self.refused("run", "tower", "--steps", "1", "--record", nowhere, says=nowhere)
        self.refused("run", "tower", "--steps", "1", "--plot", nowhere, says=nowhere)
        self.refused("scenes", "tower", "--export", nowhere, says=nowhere)
        self.refused("info", nowhere, says=nowhere)

    def test_solvers(self):
        solvers = json_lines(self.good("solvers", "--json"))
        self.assertEqual([s["solver"] for s in solvers if s["default"]], ["soft_step"])
        for solver in solvers:
            self.assertIn(solver["solver"], self.good("solvers").stdout)
            self.good("run", "tower", "--steps", "2", "--solver", solver["solver"])


class Numbers(Base):
    def test_bench(self):
        result = json_lines(self.good("bench", "tower", "--steps", "20", "--json"))
        self.assertEqual(len(result), 1)
        self.assertLessEqual(BENCH_KEYS, set(result[0]))
        self.assertEqual((result[0]["scene"], result[0]["steps"], result[0]["bodies"]), ("tower", 20, 41))
        self.assertRegex(result[0]["state_hash"], r"^[0-9a-f]{16}$")
        self.assertLessEqual(result[0]["ms_p50"], result[0]["ms_p99"])
        self.assertLessEqual(result[0]["ms_p99"], result[0]["ms_max"])
        self.assertGreater(len(result[0]["stages"]), 3)

    def test_one_step_is_enough(self):
        result = json_lines(self.good("bench", "dominoes", "--steps", "1", "--json"))[0]
        self.assertGreater(result["ms_mean"], 0.0)

    def test_bench_all(self):
        scenes = [s["scene"] for s in json_lines(self.good("scenes", "--json")) if s["timed"]]
        result = json_lines(self.good("bench", "all", "--steps", "1", "--json"))
        self.assertEqual([r["scene"] for r in result], scenes)
        table = self.good("bench", "all", "--steps", "1").stdout.splitlines()
        self.assertEqual([line.split()[0] for line in table], ["scene"] + scenes)

    def test_threads_do_not_change_the_result(self):
        one, three = (json_lines(self.good("bench", "shapes", "--steps", "90", "--json", "--threads", n))[0] for n in ("1", "3"))
        self.assertEqual(one["state_hash"], three["state_hash"])

    def test_run_summary(self):
        text = self.good("run", "tower", "--steps", "5").stdout
        for word in ("bodies", "contacts", "real time", "penetration", "energy", "state hash"):
            self.assertIn(word, text)

    def test_quality_json(self):
        wanted = {
            ("tower", "--height", "3"): {"height", "stands", "drift", "loss"},
            ("heavy_on_light", "--ratio", "10"): {"ratio", "stands", "overlap"},
            ("slope", "--mu", "0.5"): {"mu", "slip_angle_deg", "creep"},
            ("bounce", "--e", "0.5"): {"e", "height_ratio", "error_percent"},
            ("stop",): {"mu", "error_percent"},
            ("penetration",): {"speed", "time", "overlap"},
        }
        for arguments, keys in wanted.items():
            result = cairn("quality", *arguments, "--json")
            cases = json_lines(result)
            self.assertGreater(len(cases), 0, arguments)
            for case in cases:
                self.assertLessEqual(keys | {"scene", "solver", "pass", "judged"}, set(case))
            missed = any(case["judged"] and not case["pass"] for case in cases)
            self.assertEqual(result.returncode, 1 if missed else 0, arguments)

    def test_small_tower_stands(self):
        case = json_lines(self.good("quality", "tower", "--height", "3", "--json"))[0]
        self.assertTrue(case["stands"] and case["pass"])


class Scenes(Base):
    def read(self, name):
        path = self.path(name + ".txt")
        self.good("scenes", name, "--export", path)
        with open(path) as file:
            return file.read().splitlines()

    def test_format(self):
        counts = {"sphere": 1, "tapered_capsule": 3, "capsule": 2, "cylinder": 2, "box": 3}
        for name in [s["scene"] for s in json_lines(self.good("scenes", "--json"))]:
            lines = self.read(name)
            self.assertEqual(lines[0], "cairn-scene 1")
            self.assertEqual([line.split()[0] for line in lines[1:4]], ["gravity", "dt", "steps"])
            self.assertTrue(lines[4].startswith("body "))
            for line in lines[4:]:
                words = line.split()
                if words[0] in ("joint", "axis", "filter"):
                    self.assertEqual(len(words), {"joint": 27, "axis": 16, "filter": 4}[words[0]], line)
                    continue
                numbers = [float(word) for word in words[2 if words[0] == "body" else 1:]]
                if words[0] == "body":
                    self.assertIn(words[1], ("static", "kinematic", "dynamic"))
                    self.assertEqual(len(numbers), 13)
                elif words[0] == "hull":
                    self.assertEqual(len(numbers), 11 + 3 * int(numbers[10]))
                elif words[0] == "mesh":
                    self.assertEqual(len(numbers), 12 + 3 * int(numbers[10]) + 3 * int(numbers[11]))
                else:
                    self.assertEqual(len(numbers), 10 + counts[words[0]])

    def test_bodies(self):
        bodies = {"pyramid": 5050, "pyramids": 10780, "heap": 5000, "convex_pile": 5000, "washer": 8000, "debris": 5000}
        for name, count in bodies.items():
            self.assertEqual(sum(line.startswith("body dynamic") for line in self.read(name)), count, name)

    def test_nothing_overlaps_at_the_start(self):
        """Bounding spheres of hulls and turned cubes stay apart, and inside the pit."""
        for name in ("heap", "convex_pile", "debris"):
            spheres, position = [], None
            for line in self.read(name):
                words = line.split()
                if words[0] == "body":
                    position = [float(w) for w in words[2:5]] if words[1] == "dynamic" else None
                elif position and words[0] in ("hull", "box"):
                    numbers = [float(w) for w in words[11:]]
                    points = numbers[1:] if words[0] == "hull" else numbers
                    radius = max(sum(c * c for c in points[i:i + 3]) ** 0.5 for i in range(0, len(points), 3))
                    spheres.append((position, radius))
            self.assertEqual(len(spheres), 5000)
            self.check_apart(name, spheres)

    def check_apart(self, name, spheres):
        largest = max(radius for _, radius in spheres)
        cells = {}
        for index, (p, radius) in enumerate(spheres):
            for c in (p[0], p[2]):
                self.assertLess(abs(c) + radius, 10.0, name)
            self.assertGreater(p[1] - radius, 0.0, name)
            key = tuple(int(c // (2.0 * largest)) for c in p)
            cells.setdefault(key, []).append(index)
        for (x, y, z), members in cells.items():
            near = [j for dx in (-1, 0, 1) for dy in (-1, 0, 1) for dz in (-1, 0, 1) for j in cells.get((x + dx, y + dy, z + dz), ())]
            for i in members:
                p, r = spheres[i]
                for j in near:
                    if j < i:
                        q, s = spheres[j]
                        square = (p[0] - q[0]) ** 2 + (p[1] - q[1]) ** 2 + (p[2] - q[2]) ** 2
                        self.assertGreater(square, (r + s) ** 2, name)

    def test_debris_sizes(self):
        radii = []
        for line in self.read("debris"):
            words = line.split()
            if words[0] == "hull":
                points = [float(w) for w in words[12:]]
                radii.append(max(sum(c * c for c in points[i:i + 3]) ** 0.5 for i in range(0, len(points), 3)))
        self.assertLess(min(radii), 0.03)
        self.assertGreater(max(radii), 0.9)
        small = sum(r < 0.16 for r in radii) / len(radii)  # the geometric mean of the sizes splits them evenly
        self.assertTrue(0.4 < small < 0.6, small)


class Recordings(Base):
    def write(self, content):
        path = self.path("hand.rec")
        with open(path, "wb") as file:
            file.write(content)
        return path

    def test_the_documented_format(self):
        for version in (1, 2, 3):
            self.check_small(self.write(small_recording(version=version)[0]))

    def check_small(self, path):
        info = json_lines(self.good("info", path, "--json"))[0]
        self.assertEqual((info["scene"], info["frames"], info["hulls"], info["boxes"]), ("hand", 2, 1, 1))
        self.assertEqual((info["kinetic_energy"], info["points"], info["dt"]), (1.5, 4, 0.01))
        lines = self.good("info", path, "--frame", "1").stdout.splitlines()
        self.assertEqual(lines[1:], ["body dynamic 6 6 7 0.000000 0.000000 1.000000 0.000000"])

    def test_documented_joints(self):
        joints = struct.pack("<I", 3) + small_joint() + small_joint(gone=1, kind=1, a=0) + small_joint(a=1, b=0xFFFFFFFF, cone=1)
        path = self.write(small_recording(joints=joints)[0])
        info = json_lines(self.good("info", path, "--json"))[0]
        self.assertEqual((info["joints"], info["broken"], info["bodies"]), (3, 1, 2))
        self.assertIn("3: 2 frames, 1 distance", self.good("info", path).stdout)
        first, second = (self.good("info", path, "--frame", n).stdout.splitlines()[2:] for n in ("0", "1"))
        self.assertEqual(first, ["joint frames world 1 5 7 7", "joint distance 0 1 5 7 7", "joint frames 1 world 0 1 0"])
        self.assertEqual(second, ["joint frames world 1 6 5 7", "joint frames 1 world 0 1 0"])

    def test_joints_that_cannot_be(self):
        for fields, says in (({"gone": 0}, "breaks in a frame"), ({"gone": 2}, "breaks in a frame"), ({"kind": 5}, "kind of joint"),
                             ({"a": 2}, "bodies that are not in the file"), ({"b": 7}, "bodies that are not in the file"),
                             ({"b": 0xFFFFFFFF}, "one body alone"), ({"a": 1}, "one body alone"), ({"cone": 2}, "kind of joint"),
                             ({"freedom": 3}, "degree of freedom"), ({"place": float("nan")}, "finite")):
            self.refused("info", self.write(small_recording(joints=struct.pack("<I", 1) + small_joint(**fields))[0]), says=says)
        one = struct.pack("<I", 1) + small_joint()
        self.refused("info", self.write(small_recording(joints=struct.pack("<I", 0))[0]), says="no joints")
        self.refused("info", self.write(small_recording(joints=struct.pack("<I", 2) + one[4:])[0]), says="more joints than")
        self.refused("info", self.write(small_recording(joints=one + b"x")[0]), says="more data than it should")
        whole = small_recording(joints=one)[0]
        self.refused("info", self.write(whole.replace(chunk(b"JNTS", one), 2 * chunk(b"JNTS", one))), says="a second time")
        early = whole.replace(chunk(b"JNTS", one), b"").replace(struct.pack("<I", 3), struct.pack("<I", 3) + chunk(b"JNTS", one), 1)
        self.refused("info", self.write(early), says="joints before the scene")

    def test_mutated_content(self):
        """Damage that the checksum of real recordings would hide from the reader."""
        _, scene, frames = small_recording()
        joints = struct.pack("<I", 3) + small_joint() + small_joint(gone=1, kind=2, a=0) + small_joint(a=1, b=0xFFFFFFFF)
        generator = random.Random(3)
        for i in range(900):
            parts = [scene, frames, joints]
            part = bytearray(parts[i % 3])
            for _ in range(generator.randint(1, 3)):
                at = generator.randrange(len(part))
                part[at] = generator.choice((0, 1, 127, 128, 255, generator.randrange(256)))
            part = bytes(part[:generator.randrange(len(part))] if i % 7 == 0 else part)
            parts[i % 3] = part
            path = self.write(small_recording(*parts)[0])
            result = cairn("info", path)
            self.assertIn(result.returncode, (0, 2), result.stderr)
            if result.returncode == 2:
                self.assertRegex(result.stderr, r"^cairn info: .*(offset \d+|byte \d+).*\n$")

    def record(self, scene="shapes", steps=70):
        path = self.path(scene + ".rec")
        self.good("run", scene, "--steps", str(steps), "--record", path)
        return path

    def test_round_trip(self):
        path = self.record()
        info = json_lines(self.good("info", path, "--json"))[0]
        self.assertEqual((info["scene"], info["frames"], info["bodies"], info["dynamic"]), ("shapes", 71, 605, 600))
        self.assertEqual((info["hulls"], info["capsules"], info["tapered_capsules"], info["cylinders"]), (100, 50, 50, 100))
        self.assertIn("intact", self.good("info", path).stdout)
        exported = [line.split() for line in self.good("scenes", "shapes", "--export", "-").stdout.splitlines()]
        exported = [words for words in exported if words[0] == "body"]
        frame = [line.split() for line in self.good("info", path, "--frame", "0").stdout.splitlines()]
        self.assertEqual(len(frame), len(exported))
        for have, want in zip(frame, exported):
            self.assertEqual(have[1], want[1])
            for i in range(3):
                self.assertAlmostEqual(float(have[2 + i]), float(want[2 + i]), delta=1e-4)
            dot = sum(float(have[5 + i]) * float(want[5 + i]) for i in range(4))
            self.assertGreater(abs(dot), 0.99999)
        last = self.good("info", path, "--frame", "70").stdout
        self.assertNotEqual(last, self.good("info", path, "--frame", "0").stdout)
        self.refused("info", path, "--frame", "71", says="no frame 71")

    def test_free_fall_is_recorded(self):
        """Before anything touches, all bodies fall alike: frame 10 is 10 steps of falling below frame 0."""
        path = self.record(steps=10)
        first, last = ([line.split() for line in self.good("info", path, "--frame", n).stdout.splitlines()] for n in ("0", "10"))
        top = max(range(len(first)), key=lambda i: float(first[i][3]) if first[i][1] == "dynamic" else -1.0)
        fallen = float(first[top][3]) - float(last[top][3])
        self.assertAlmostEqual(fallen, 0.5 * 10.0 * (10 / 60) ** 2, delta=0.02)

    def test_foreign_and_damaged_files(self):
        path = self.path("x.rec")
        for content, says in ((b"", "not a recording"), (b"CAIRN", "not a recording"), (b"PNG" * 100, "not a recording"),
                              (b"CAIRNREC" + struct.pack("<I", 4), "version"), (b"CAIRNREC" + struct.pack("<I", 1), "offset 12"),
                              (b"CAIRNREC" + struct.pack("<I4sII", 1, b"SCEN", 5, 1 << 31), "256 MiB"),
                              (b"CAIRNREC" + struct.pack("<I4sII", 1, b"SCEN", 5, 100) + b"abcde", "one zstd frame")):
            with open(path, "wb") as file:
                file.write(content)
            self.refused("info", path, says=says)

    def test_truncated_files(self):
        with open(self.record(steps=3), "rb") as file:
            whole = file.read()
        path = self.path("cut.rec")
        cuts = list(range(0, len(whole), 97))
        for size in cuts if len(cuts) < 300 else cuts[:100] + random.Random(1).sample(cuts, 200):
            with open(path, "wb") as file:
                file.write(whole[:size])
            self.refused("info", path, says=path)  # there are no whole chunks of frames yet
        with open(path, "wb") as file:
            file.write(whole + b"x")
        self.refused("info", path, says="behind the end")

    def test_mutated_files(self):
        with open(self.record("tower", steps=2), "rb") as file:
            whole = file.read()
        generator = random.Random(7)
        path = self.path("mutated.rec")
        for _ in range(300):
            content = bytearray(whole)
            for _ in range(generator.randint(1, 4)):
                content[generator.randrange(len(content))] = generator.randrange(256)
            with open(path, "wb") as file:
                file.write(content)
            result = cairn("info", path)
            self.assertIn(result.returncode, (0, 2), result.stderr)

    def test_plot(self):
        path = self.path("plot.svg")
        self.good("run", "tower", "--steps", "30", "--plot", path)
        root = xml.etree.ElementTree.parse(path).getroot()
        lines = [e for e in root.iter() if e.tag.endswith("polyline")]
        texts = "|".join(e.text for e in root.iter() if e.tag.endswith("text"))
        self.assertEqual(len(lines), 4)
        for line in lines:
            self.assertGreater(len(line.get("points").split()), 1)
        for label in ("J/kg", "contact points", "[ms]", "time [s]"):
            self.assertIn(label, texts)


GAP = '<script type="application/octet-stream" id="recording">', "</script>"
# Stands in for the viewer: its SCRIPT draws on a canvas of the size that is asked for, or throws.
STAND_IN = """<!doctype html><meta charset="utf-8">""" + "".join(GAP) + """
<script type="module">
const asked = new URLSearchParams(location.search);
const post = (path, type, body) => fetch(path, { method: 'POST', headers: { 'Content-Type': type }, body });
const SCRIPT
try {
  const canvas = document.createElement('canvas');
  canvas.width = asked.get('width');
  canvas.height = asked.get('height');
  await draw(canvas);
  post('picture', 'image/png', await new Promise((done) => canvas.toBlob(done)));
} catch (error) {
  post('failure', 'text/plain', error.message);
}
</script>
"""
# Fails unless the recording has as many bytes as --color says.
DRAW_RECORDING = """draw = async () => {
  const size = (await (await fetch(asked.get('recording'))).arrayBuffer()).byteLength;
  if (String(size) !== asked.get('color')) throw new Error(`${size} bytes`);
};"""
# Fails always, with all it was asked for.
DRAW_NOTHING = """draw = () => { throw new Error('asked \\u001b[31m' + JSON.stringify([...asked])); };"""
DRAW_TOO_SMALL = "draw = (canvas) => { canvas.width = 20; };"
DRAW_FOREVER = "draw = () => new Promise(() => {});"


class ViewerBase(FilesBase):
    """With a page that stands in for the viewer, and a temporary folder of its own in which nothing may be left."""

    def setUp(self):
        super().setUp()
        os.mkdir(self.path("temporary"))
        self.use_page(DRAW_NOTHING)
        changes = {"CAIRN_VIEWER": self.path("page.html"), "TMPDIR": self.path("temporary")}
        patch = unittest.mock.patch.dict(os.environ, changes)
        patch.start()
        self.addCleanup(patch.stop)
        self.recording = self.write("hand.rec", small_recording()[0])

    def tearDown(self):
        self.assertEqual(os.listdir(self.path("temporary")), [])
        super().tearDown()

    def use_page(self, script):
        self.page = STAND_IN.replace("SCRIPT", script)
        self.write("page.html", self.page.encode())


class Html(ViewerBase):
    def embedded(self, name):
        before, after = self.page.split("".join(GAP))
        text = self.read(name).decode()
        self.assertTrue(text.startswith(before + GAP[0]) and text.endswith(GAP[1] + after))
        return base64.b64decode(text[len(before + GAP[0]):-len(GAP[1] + after)], validate=True)

    def test_recording_is_embedded(self):
        """Runs of different length, so that the recording's size leaves each of the three remainders to base64."""
        remainders = set()
        for steps in range(1, 30):
            text = self.good("run", "tower", "--steps", str(steps), "--record", self.path("t.rec"), "--html",
                             self.path("t.html")).stdout
            recording = self.read("t.rec")
            self.assertEqual(self.embedded("t.html"), recording)
            self.assertIn(f"The page is in {self.path('t.html')}, {len(self.read('t.html')) / 1e6:.2f} MB", text)
            remainders.add(len(recording) % 3)
        self.assertEqual(remainders, {0, 1, 2})

    def test_recording_that_nobody_keeps(self):
        run = json_lines(self.good("run", "shapes", "--steps", "40", "--html", self.path("s.html"), "--json"))[0]
        self.assertEqual((run["html"], run["html_bytes"]), (self.path("s.html"), len(self.read("s.html"))))
        path = self.write("s.rec", self.embedded("s.html"))
        info = json_lines(self.good("info", path, "--json"))[0]
        self.assertEqual((info["scene"], info["frames"]), ("shapes", 41))

    def test_failures_leave_nothing_behind(self):
        target = self.write("old.html", b"old")
        self.write("page.html", b"<html></html>")
        self.refused("run", "tower", "--steps", "1", "--html", target, says="not a page of the viewer")
        self.write("page.html", 2 * self.page.encode())
        self.refused("run", "tower", "--steps", "1", "--html", target, says="not a page of the viewer")
        os.remove(self.path("page.html"))
        self.refused("run", "tower", "--steps", "1", "--html", target, says="CAIRN_VIEWER names " + self.path("page.html"))
        self.assertEqual(self.read("old.html"), b"old")
        self.use_page(DRAW_NOTHING)
        self.refused("run", "tower", "--steps", "1", "--html", self.path("no/such.html"), says="no/such.html")
        self.refused("run", "tower", "--steps", "1", "--html", "/dev/full", says="No space left")
        self.refused("run", "tower", "--record", "x", "--html", "x", says="the same file")
        self.assertEqual(sorted(os.listdir(self.directory.name)), ["hand.rec", "old.html", "page.html", "temporary"])

    def test_page_is_found_near_the_program(self):
        """Next to it, or in ../web, or in ../share/cairn."""
        del os.environ["CAIRN_VIEWER"]
        os.makedirs(self.path("a/bin"))
        program = shutil.copy(program_base.PROGRAM, self.path("a/bin"))
        command = [program, "run", "tower", "--steps", "1", "--html", self.path("t.html")]
        missing = subprocess.run(command, capture_output=True, text=True)
        self.assertEqual(missing.returncode, 2)
        for word in ("scripts/build_web.sh", self.path("a/bin"), "../web", "../share/cairn"):
            self.assertIn(word, missing.stderr)
        for folder in ("a/share/cairn", "a/web", "a/bin"):  # later ones go first
            os.makedirs(self.path(folder), exist_ok=True)
            shutil.copy(self.path("page.html"), self.path(folder + "/viewer.html"))
            with open(self.path(folder + "/viewer.html"), "a") as file:
                file.write(folder)
            subprocess.run(command, check=True, capture_output=True)
            self.assertTrue(self.read("t.html").endswith(folder.encode()))


class View(ViewerBase):
    def serve(self, *arguments):
        """Starts `cairn view` and answers the address it prints."""
        self.server = subprocess.Popen([program_base.PROGRAM, "view", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(self.server.communicate)
        self.addCleanup(self.server.kill)
        address = self.server.stdout.readline().strip()
        self.assertRegex(address, r"^http://127\.0\.0\.1:\d+/")
        self.port = int(address.split(":")[2].split("/")[0])
        return address

    def connect(self):
        client = socket.create_connection(("127.0.0.1", self.port), timeout=20)
        self.addCleanup(client.close)
        return client

    def say(self, request):
        """Sends these bytes and answers status, head and body."""
        client = self.connect()
        client.sendall(request)
        answer = b""
        while piece := client.recv(65536):
            answer += piece
        head, _, body = answer.partition(b"\r\n\r\n")
        return int(head.split()[1]), head.decode().lower(), body

    def ask(self, path, method="GET", host=None, more=""):
        host = host or f"127.0.0.1:{self.port}"
        return self.say(f"{method} {path} HTTP/1.1\r\nHost: {host}\r\n{more}\r\n".encode())

    def status(self, *arguments, **others):
        return self.ask(*arguments, **others)[0]

    def test_page_and_recording(self):
        address = self.serve(self.recording, "--port", "0")
        self.assertEqual(address, f"http://127.0.0.1:{self.port}/?recording=recording")
        for path, content, kind in (("/", self.page.encode(), "text/html; charset=utf-8"),
                                    ("/index.html?frame=3", self.page.encode(), "text/html; charset=utf-8"),
                                    ("/recording", self.read("hand.rec"), "application/octet-stream")):
            status, head, body = self.ask(path)
            self.assertEqual((status, body), (200, content))
            for line in (f"content-type: {kind}", f"content-length: {len(content)}", "cache-control: no-store"):
                self.assertIn("\r\n" + line, head)
            self.assertEqual(self.ask(path, "HEAD"), (200, head, b""))

    def test_scene_by_name(self):
        self.assertEqual(self.serve("tower", "--port", "0"), f"http://127.0.0.1:{self.port}/?scene=tower")
        self.assertEqual((self.status("/"), self.status("/recording")), (200, 404))
        self.refused("view", "towr", says='did you mean "tower"')

    def test_without_a_recording(self):
        self.assertEqual(self.serve("--port", "0"), f"http://127.0.0.1:{self.port}/")
        self.assertEqual((self.status("/"), self.status("/recording")), (200, 404))

    def test_large_recording_and_a_client_that_does_not_read(self):
        """A file larger than what sockets buffer arrives whole, though another client takes nothing of it."""
        self.serve(self.recording, "--port", "0")
        content = random.Random(5).randbytes(20 << 20)
        self.write("hand.rec", content)  # served as it is when asked for
        lazy = self.connect()
        lazy.sendall(f"GET /recording HTTP/1.1\r\nHost: localhost:{self.port}\r\n\r\n".encode())
        status, _, body = self.ask("/recording")
        self.assertEqual(status, 200)
        self.assertTrue(body == content)
        os.remove(self.path("hand.rec"))
        self.assertEqual(self.status("/recording"), 404)

    def test_refusals(self):
        self.serve(self.recording, "--port", "0")
        for path in ("/nothing", "/../page.html", "/recording/", "//", "/%72ecording"):
            self.assertEqual(self.status(path), 404, path)
        for method in ("POST", "PUT", "DELETE", "OPTIONS", "BREW"):
            status, head, _ = self.ask("/", method)
            self.assertEqual((status, "allow: get, head" in head), (405, True), method)
        for host in ("evil.example", f"evil.example:{self.port}", "127.0.0.1", "localhost:1",
                     f"127.0.0.1.evil.example:{self.port}"):
            self.assertEqual(self.status("/", host=host), 403, host)
        for host in ("localhost", "LOCALHOST", "[::1]"):
            self.assertEqual(self.status("/", host=f"{host}:{self.port}"), 200, host)

    def test_garbage(self):
        self.serve(self.recording, "--port", "0")
        host = f"Host: 127.0.0.1:{self.port}\r\n".encode()
        for request in (b"\r\n\r\n", b"garbage\r\n\r\n", b"\0\1\2\xff\r\n\r\n", b"GET / HTTP/1.1\r\n\r\n",
                        b"GET /\r\n" + host + b"\r\n",
                        b"GET / HTTP/2.0\r\n" + host + b"\r\n", b"get / HTTP/1.1\r\n" + host + b"\r\n",
                        b"GET http://x/ HTTP/1.1\r\n" + host + b"\r\n", b"GET / HTTP/1.1\r\n" + 2 * host + b"\r\n",
                        b"GET / HTTP/1.1\r\n" + host + b"no colon\r\n\r\n", b"GET / HTTP/1.1\r\n" + host + b"X: \0\r\n\r\n",
                        b"GET / HTTP/1.1\r\n" + host + b" folded: line\r\n\r\n", b"GET / HTTP/1.1\r\n: x\r\n" + host + b"\r\n"):
            self.assertEqual(self.say(request)[0], 400, request)
        self.assertEqual(self.ask("/", more="X: " + 8000 * "x" + "\r\n")[0], 200)
        self.assertEqual(self.ask("/", more="X: " + 20000 * "x" + "\r\n")[0], 431)
        generator = random.Random(11)
        for _ in range(200):
            client = self.connect()
            client.sendall(generator.randbytes(generator.randint(0, 300)) + generator.choice((b"", b"\r\n\r\n")))
            client.close()
        self.assertEqual(self.status("/"), 200)

    def test_silent_clients_do_not_block(self):
        self.serve(self.recording, "--port", "0")
        silent = [self.connect() for _ in range(10)]
        silent[0].sendall(b"GET / HT")
        start = time.monotonic()
        self.assertEqual(self.status("/"), 200)
        self.assertLess(time.monotonic() - start, 2.0)
        silent += [self.connect() for _ in range(60)]  # more than it talks to at once: the next waits until their time is up
        self.assertEqual(self.status("/"), 200)
        self.assertIn(b" 408 ", silent[0].recv(100))
        self.assertEqual(silent[1].recv(100), b"")

    def test_signals_end_it(self):
        for name in (signal.SIGTERM, signal.SIGINT):
            self.serve(self.recording, "--port", "0")
            self.connect()
            self.server.send_signal(name)
            self.assertEqual(self.server.wait(10), 0)

    def test_ports(self):
        self.serve("--port", "0")
        taken = self.port
        self.refused("view", "--port", str(taken), says=f"port {taken}: ")
        self.serve()  # without an option it finds a free one
        self.assertTrue(8765 <= self.port <= 8785, self.port)
        first = self.port
        self.serve()
        self.assertTrue(first < self.port <= 8785, self.port)

    def test_bad_files(self):
        self.refused("view", self.path("nothing"), says=self.path("nothing"))
        self.refused("view", self.write("bad.rec", b"PNG"), says="not a recording")
        self.refused("view", self.write("cut.rec", self.read("hand.rec")[:50]), says="cut.rec")
        self.refused("view", self.directory.name, says="not a file")
        os.remove(self.path("page.html"))
        self.refused("view", self.recording, says="CAIRN_VIEWER")

    def test_open(self):
        """The desktop's browser is told the address the user is told."""
        os.mkdir(self.path("bin"))
        with open(self.path("bin/xdg-open"), "w") as file:
            file.write('#!/bin/sh\ncd "$(dirname "$0")"\necho "$@" > new\nmv new opened\n')
        os.chmod(self.path("bin/xdg-open"), 0o755)
        with unittest.mock.patch.dict(os.environ, PATH=self.path("nowhere")):
            self.refused("view", "--open", says="xdg-open")
        with unittest.mock.patch.dict(os.environ, PATH=self.path("bin") + ":" + os.environ["PATH"]):
            address = self.serve(self.recording, "--open", "--port", "0")
        for _ in range(100):
            if os.path.exists(self.path("bin/opened")):
                break
            time.sleep(0.1)
        self.assertEqual(self.read("bin/opened").decode(), address + "\n")


class Render(ViewerBase):
    def test_refused_before_a_browser_is_asked(self):
        out = ("--out", self.path("x.png"))
        with unittest.mock.patch.dict(os.environ, CAIRN_BROWSER="/bin/false"):
            self.refused("render", self.recording, "--frame", "2", *out, says="no frame 2; the recording has frames 0 to 1")
            self.refused("render", "tower", "--out", self.path("no/x.png"), says="no/x.png: No such file")
            self.refused("render", "towr", *out, says='did you mean "tower"')
            self.refused("render", self.path("nothing.rec"), *out, says="nothing.rec")
            self.refused("render", self.write("bad", b"PNG"), *out, says="not a recording")
            self.refused("render", "tower", "--color", 3000 * "x", *out, says="too long")
            os.remove(self.path("page.html"))
            self.refused("render", "tower", *out, says="CAIRN_VIEWER")

    def test_browsers_that_are_none(self):
        def refused(says, **environment):
            with unittest.mock.patch.dict(os.environ, environment):
                self.refused("render", "tower", "--out", self.path("x.png"), says=says)
        refused("no program", CAIRN_BROWSER="/no/such/browser")
        refused("install the package chromium", PATH=self.path("nowhere"), CAIRN_BROWSER="")
        refused("ended with status 1 and delivered no picture", CAIRN_BROWSER="/bin/false")

    def test_last_words_of_a_browser(self):
        browser = self.write("browser", b"#!/bin/sh\nfor i in 1 2 3 4 5 6 7 8 9; do echo line $i >&2; done\nkill -9 $$\n")
        os.chmod(browser, 0o755)
        with unittest.mock.patch.dict(os.environ, CAIRN_BROWSER=browser):
            result = cairn("render", "tower", "--out", self.path("x.png"))
        lines = result.stderr.splitlines()
        self.assertEqual((result.returncode, lines[-1]), (2, "    line 9"))
        self.assertIn("ended with status 137", lines[0])
        self.assertEqual(lines[1:], [f"    line {i}" for i in range(4, 10)])

    def test_posts_of_other_pages(self):
        """A browser says which page posts; only those of our own server may, and only whole bodies of a known length count."""
        browser = self.write("browser", f"#!{sys.executable}\n".encode() + b"""import http.client, sys, urllib.parse
host = urllib.parse.urlsplit(sys.argv[-1]).netloc
def post(body, **fields):
    connection = http.client.HTTPConnection(host)
    connection.request("POST", "/failure", body, {"Content-Type": "text/plain", **fields})
    return str(connection.getresponse().status)
statuses = [post("evil", Origin=origin) for origin in ("http://evil.example", "null", "https://" + host)]
statuses += [post("x", **{"Content-Length": "1x"}), post(iter([b"x"]))]
post(",".join(statuses), Origin="http://" + host)
""")
        os.chmod(browser, 0o755)
        with unittest.mock.patch.dict(os.environ, CAIRN_BROWSER=browser):
            self.refused("render", "tower", "--out", self.path("x.png"), says="403,403,403,411,411")

    def test_interrupted(self):
        """The browser and its folder are gone when the program is."""
        browser = self.write("browser", f"#!/bin/sh\nsleep 100 & echo $! > {self.path('id')}\nwait\n".encode())
        os.chmod(browser, 0o755)
        with unittest.mock.patch.dict(os.environ, CAIRN_BROWSER=browser):
            program = subprocess.Popen([program_base.PROGRAM, "render", "tower", "--out", self.path("x.png")], stderr=subprocess.PIPE,
                                       text=True)
        while not os.path.exists(self.path("id")) or not self.read("id"):
            time.sleep(0.05)
        program.send_signal(signal.SIGTERM)
        _, complaint = program.communicate(timeout=20)
        self.assertEqual((program.returncode, complaint.count("\n")), (-signal.SIGTERM, 1))
        self.assertIn("interrupted", complaint)
        end = time.monotonic() + 5.0
        while self.is_running(int(self.read("id"))):
            self.assertLess(time.monotonic(), end)

    def is_running(self, process):
        """A process that ended is listed until somebody asks for its status."""
        try:
            with open(f"/proc/{process}/stat") as file:
                return file.read().rpartition(")")[2].split()[0] != "Z"
        except FileNotFoundError:
            return False


@unittest.skipUnless(BROWSER, "needs Chromium")
class RenderWithBrowser(ViewerBase):
    def setUp(self):
        super().setUp()
        self.out = self.path("x.png")

    def test_picture(self):
        self.use_page(DRAW_RECORDING)
        size = len(self.read("hand.rec"))
        text = self.good("render", self.recording, "--color", str(size), "--width", "320", "--height", "200", "--out",
                         self.out).stdout
        picture = self.read("x.png")
        self.assertEqual((picture[:8], picture[12:16]), (b"\x89PNG\r\n\x1a\n", b"IHDR"))
        self.assertEqual(struct.unpack(">2I", picture[16:24]), (320, 200))
        self.assertIn("Frame 1 of", text)  # the last one
        self.refused("render", self.recording, "--color", "1", "--out", self.path("y.png"), says=f"{size} bytes")
        self.assertFalse(os.path.exists(self.path("y.png")))

    def test_what_the_page_is_asked_for(self):
        common = [["width", "1280"], ["height", "720"], ["deliver", "picture"]]
        result = self.refused("render", "tower", "--out", self.out, says="asked ")
        self.assertNotIn("\x1b", result.stderr)
        asked = json.loads(result.stderr[result.stderr.index("[["):])
        self.assertEqual(asked, [["scene", "tower"], ["frame", "600"], *common])
        result = self.refused("render", self.recording, "--frame", "0", "--camera", "-30,20.5,2", "--color", "a b&c=\u00e9",
                              "--show", "contacts,boxes", "--out", self.out, says="asked ")
        asked = json.loads(result.stderr[result.stderr.index("[["):])
        self.assertEqual(asked, [["recording", "recording"], ["frame", "0"], *common, ["camera", "-30,20.5,2"],
                                 ["color", "a b&c=\u00e9"], ["show", "contacts,boxes"]])

    def test_bad_deliveries(self):
        self.write("x.png", b"old")
        self.use_page(DRAW_TOO_SMALL)
        self.refused("render", "tower", "--height", "300", "--out", self.out, says="20 x 300 pixels instead of 1280 x 300")
        self.use_page("draw = () => post('picture', 'image/png', 'no picture, though long enough to be one');")
        self.refused("render", "tower", "--out", self.out, says="no PNG picture")
        self.use_page(DRAW_FOREVER)
        result = cairn("render", "tower", "--out", self.out, "--timeout", "3")
        self.assertEqual(result.returncode, 2)
        self.assertIn("did not deliver a picture within 3 s", result.stderr)
        self.assertEqual(self.read("x.png"), b"old")

    def test_posts_that_are_refused(self):
        """The page tries what it may not do and reports the statuses it got."""
        self.use_page("""draw = async () => {
          const statuses = [];
          for (const [path, size] of [['picture', 9], ['failure', 4097], ['', 1]])
            statuses.push((await post(path, 'text/plain', 'x'.repeat(size))).status);
          statuses.push((await fetch('picture')).status);
          throw new Error(statuses.join());
        };""")
        self.refused("render", "tower", "--out", self.out, says="415,413,405,405")


if __name__ == "__main__":
    program_base.main(__doc__)
