#!/usr/bin/env python3
"""Tests of the cairn program as a user meets it: words, exit statuses, formats. Usage: program_test.py PROGRAM"""
import json
import os
import random
import re
import struct
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

PROGRAM = "cairn"
COMMANDS = ["scenes", "run", "bench", "quality", "solvers", "info"]
BENCH_KEYS = {"scene", "solver", "threads", "steps", "bodies", "manifolds", "points", "ms_mean", "ms_p50", "ms_p99", "ms_max",
              "ms_last", "stages", "peak_rss_mb", "max_penetration", "kinetic_energy_per_kg", "state_hash"}


def cairn(*arguments):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, errors="replace", timeout=300)


def json_lines(result):
    return [json.loads(line) for line in result.stdout.splitlines()]


class Base(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()

    def tearDown(self):
        self.directory.cleanup()

    def path(self, name):
        return os.path.join(self.directory.name, name)

    def good(self, *arguments):
        result = cairn(*arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result

    def refused(self, *arguments, says):
        result = cairn(*arguments)
        self.assertEqual(result.returncode, 2, (arguments, result.stdout, result.stderr))
        self.assertEqual(result.stderr.count("\n"), 1, "one line, not: " + result.stderr)
        self.assertIn(says, result.stderr)
        return result


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
        self.refused("scenes", "--export", "x", says="wants a scene")
        self.refused("quality", "tower", "--mu", "0.5", says="no parameter --mu")

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
        counts = {"sphere": 1, "capsule": 2, "cylinder": 2, "box": 3}
        for name in [s["scene"] for s in json_lines(self.good("scenes", "--json"))]:
            lines = self.read(name)
            self.assertEqual(lines[0], "cairn-scene 1")
            self.assertEqual([line.split()[0] for line in lines[1:4]], ["gravity", "dt", "steps"])
            self.assertTrue(lines[4].startswith("body "))
            for line in lines[4:]:
                words = line.split()
                numbers = [float(word) for word in words[2 if words[0] == "body" else 1:]]
                if words[0] == "body":
                    self.assertIn(words[1], ("static", "kinematic", "dynamic"))
                    self.assertEqual(len(numbers), 13)
                elif words[0] == "hull":
                    self.assertEqual(len(numbers), 11 + 3 * int(numbers[10]))
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


def chunk(tag, content):
    """A chunk as docs/recording.md describes it, its content a zstd frame of one raw block."""
    frame = struct.pack("<IBI", 0xFD2FB528, 0xA0, len(content)) + struct.pack("<I", 1 | len(content) << 3)[:3] + content
    return struct.pack("<4sII", tag, len(frame), len(content)) + frame


def small_recording(scene=None, frames=None):
    """A static tetrahedron and a dynamic box that moves 2 quanta along x in frame 1, written by hand."""
    text = struct.pack("<I", 4) + b"hand"
    pose = struct.pack("<7f", 0, 0, 0, 0, 0, 0, 1)
    hull = struct.pack("<I", 4) + pose + struct.pack("<2I", 4, 4) + struct.pack("<12f", 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1)
    hull += b"".join(struct.pack("<4I", 3, *face) for face in ((0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)))
    box = struct.pack("<I", 2) + pose + struct.pack("<3f", 1, 2, 3)
    bodies = b"".join(struct.pack("<2I3d4f", kind, 1, *place, 0, 0, 0, 1) + shape
                      for kind, place, shape in ((0, (0, 0, 0), hull), (2, (5, 6, 7), box)))
    if scene is None:
        scene = struct.pack("<2d3f", 0.01, 0.5, 0, -10, 0) + text + text + struct.pack("<I", 2) + bodies
    scalars = struct.pack("<3d4I", 1.5, 0, 2, 3, 4, 1, 0)
    if frames is None:
        frames = struct.pack("<2I", 0, 2) + scalars + struct.pack("<3i4h", 0, 0, 0, 0, 0, 0, 32767)
        frames += scalars + struct.pack("<3i4h", 2, 0, 0, 0, 0, 32767, -32767)
    whole = b"CAIRNREC" + struct.pack("<I", 1) + chunk(b"SCEN", scene) + chunk(b"FRAM", frames) + chunk(b"NEWS", b"later")
    return whole + chunk(b"DONE", struct.pack("<I", 2)), scene, frames


class Recordings(Base):
    def write(self, content):
        path = self.path("hand.rec")
        with open(path, "wb") as file:
            file.write(content)
        return path

    def test_the_documented_format(self):
        path = self.write(small_recording()[0])
        info = json_lines(self.good("info", path, "--json"))[0]
        self.assertEqual((info["scene"], info["frames"], info["hulls"], info["boxes"]), ("hand", 2, 1, 1))
        self.assertEqual((info["kinetic_energy"], info["points"], info["dt"]), (1.5, 4, 0.01))
        lines = self.good("info", path, "--frame", "1").stdout.splitlines()
        self.assertEqual(lines[1], "body dynamic 6 6 7 0.000000 0.000000 1.000000 0.000000")

    def test_mutated_content(self):
        """Damage that the checksum of real recordings would hide from the reader."""
        _, scene, frames = small_recording()
        generator = random.Random(3)
        for i in range(600):
            part = bytearray(scene if i % 2 else frames)
            for _ in range(generator.randint(1, 3)):
                at = generator.randrange(len(part))
                part[at] = generator.choice((0, 1, 127, 128, 255, generator.randrange(256)))
            part = bytes(part[:generator.randrange(len(part))] if i % 7 == 0 else part)
            path = self.write(small_recording(part if i % 2 else None, None if i % 2 else part)[0])
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
        self.assertEqual((info["hulls"], info["capsules"], info["cylinders"]), (100, 100, 100))
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
                              (b"CAIRNREC" + struct.pack("<I", 9), "version"), (b"CAIRNREC" + struct.pack("<I", 1), "offset 12"),
                              (b"CAIRNREC" + struct.pack("<I4sII", 1, b"SCEN", 5, 1 << 31), "256 MiB"),
                              (b"CAIRNREC" + struct.pack("<I4sII", 1, b"SCEN", 5, 100) + b"abcde", "decompress")):
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
            self.refused("info", path, says=path)
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


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
