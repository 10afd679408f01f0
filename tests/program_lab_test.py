#!/usr/bin/env python3
"""Tests of `cairn lab` as a user meets it: words, exit statuses, formats. Usage: program_lab_test.py program_base.PROGRAM

Stored problems are looked for in the folder that CAIRN_PROBLEMS names, else in ../shared/problems beside the repository.
"""
import csv
import glob
import json
import math
import os
import random
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

import program_base
from program_base import Base, json_lines

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PROBLEMS = os.environ.get("CAIRN_PROBLEMS", os.path.join(ROOT, "../shared/problems"))
SUBCOMMANDS = ["solve", "compare", "profile", "capture", "jitter", "rigidity", "solvers"]
SOLVE_KEYS = {"file", "kind", "contacts", "solver", "converged", "iterations", "residual", "ms", "law", "products", "stop", "rows",
              "approach", "negative_impulse", "cone", "gap", "direction", "energy"}
FRICTION = 0.5

# One contact of a body of 1 kg that arrives at 1 m/s and slides at `slide` m/s: W is the identity. The solution is known.
def contact(slide):
    return f"3 1\n0 3 3\n3 3\n1 0 0\n0 1 0\n0 0 1\n-1 {slide} 0\n{FRICTION}\n"


LCP = "2\n0 2 2\n2 2\n2 1\n1 2\n-5 -6\n"  # z = (4/3, 7/3)
NO_SOLUTION = "1\n0 1 1\n1 1\n-1\n-1\n"   # w = -z - 1 is never positive


class LabTest(Base):
    command = ("lab",)

    def write(self, name, text):
        with open(self.path(name), "w") as file:
            file.write(text)
        return self.path(name)

    def read(self, name):
        with open(self.path(name)) as file:
            return file.read()

    def solve(self, *arguments, status=0):
        return json_lines(self.good("solve", *arguments, "--json", status=status))

    def impulses(self, name):
        return [[float(word) for word in line.split()] for line in self.read(name).splitlines()]

    def rows(self, name):
        with open(self.path(name), newline="") as file:
            return list(csv.DictReader(file))

    def chart(self, name):
        """The names in the legend, and the numbers of points of the curves."""
        root = xml.etree.ElementTree.parse(self.path(name)).getroot()
        curves = [len(e.get("points").split()) for e in root.iter() if e.tag.endswith("polyline")]
        return [e.text for e in root.iter() if e.tag.endswith("text")], curves


class Words(LabTest):
    def test_help(self):
        overview = self.good("--help").stdout
        self.assertEqual(overview, self.good().stdout)
        self.assertIn("Usage: cairn lab", overview)
        for name in SUBCOMMANDS:
            self.assertIn(f"  {name} ", overview)
            text = self.good(name, "--help").stdout
            self.assertIn("Usage: cairn lab " + name, text)
            self.assertIn("  --json ", text)
            for example in re.findall(r"^  cairn lab (\w+)(.*)$", text.split("Examples:")[1], re.M):
                known = set(re.findall(r"^  (--[\w-]+)", self.good(example[0], "--help").stdout, re.M))
                self.assertLessEqual(set(re.findall(r"--[\w-]+", example[1])), known, example)

    def test_solvers(self):
        solvers = json_lines(self.good("solvers", "--json"))
        self.assertGreaterEqual({s["solver"] for s in solvers}, {"pgs", "newton", "lemke"})
        for solver in solvers:
            self.assertIn(f"{solver['solver']} ", self.good("solvers").stdout)
            self.assertGreater(len(solver["summary"]), 10)

    def test_wrong_words_get_a_suggestion(self):
        file = self.write("c.dat", contact(0))
        self.refused("slove", says='did you mean "solve"')
        self.refused("solve", file, "--solver", "nwton", says='did you mean "newton"')
        self.refused("solve", file, "--solver", "zzzzzz", says="pgs, block_pgs")
        self.refused("solve", file, "--law", "coulom", says='did you mean "coulomb"')
        self.refused("solve", file, "--kind", "lpc", says='did you mean "lcp"')
        self.refused("solve", file, "--toleranse", "1", says="did you mean --tolerance")
        self.refused("compare", file, "--solvers", "pgs,nwton", says='did you mean "newton"')
        self.refused("compare", "towr20", says='did you mean "tower20"')
        self.refused("capture", "towr20", "--out", self.path("x"), says='did you mean "tower20"')
        self.refused("jitter", "piramid20", says='did you mean "pyramid20"')
        self.refused("jitter", "--solvers", "pgs,soft_stp", says='did you mean "soft_step"')
        self.refused("rigidity", "--solvers", "pg", says='did you mean "pgs"')

    def test_wrong_values(self):
        file = self.write("c.dat", contact(0))
        self.refused("solve", says="which file")
        self.refused("solve", file, "--tolerance", "-1", says="from 0 to 1")
        self.refused("solve", file, "--max-iterations", "0", says="from 1")
        self.refused("solve", file, file, "--out", self.path("r"), says="single file")
        self.refused("solve", file, "--solver", "lemke", "--directions", "5", says="even")
        self.refused("compare", says="which problem")
        self.refused("compare", file, "--solvers", "", says="solver")
        self.refused("compare", file, "--step", "5", says="is a file")
        self.refused("capture", says="which scene")
        self.refused("capture", "tower20", says="where to")
        self.refused("capture", "tower20", "--step", "0", "--out", "x", says="from 1")
        self.refused("rigidity", "--iterations", "15,x", says="growing numbers")
        self.refused("rigidity", "--iterations", "60,15", says="growing numbers")
        self.refused("rigidity", "--iterations", "", says="growing numbers")

    def test_bad_files(self):
        self.refused("solve", self.path("nothing.dat"), says="nothing.dat: No such file")
        self.refused("compare", self.path("nothing.dat"), says="nothing.dat: No such file")
        self.refused("rigidity", self.path("nothing.dat"), says="nothing.dat: No such file")
        self.refused("solve", self.directory.name, says=self.directory.name)
        self.refused("solve", self.write("garbage.dat", "not a problem\n"), says="garbage.dat: line 1")
        self.refused("solve", self.write("empty.dat", ""), says="empty.dat")
        whole = contact(1)
        for size in range(len(whole) - 4):
            self.refused("solve", self.write("cut.dat", whole[:size]), says="cut.dat")
        for bad in ("nan", "inf", "1e999", "x"):
            self.refused("solve", self.write("bad.dat", whole.replace("-1", bad)), says="bad.dat")

    def test_unwritable_files(self):
        file, nowhere = self.write("c.dat", contact(0)), self.path("no/such/file")
        self.refused("solve", file, "--out", nowhere, says=nowhere)
        self.refused("capture", "tower20", "--step", "1", "--out", nowhere, says=nowhere)
        self.refused("compare", file, "--solvers", "newton", "--svg", nowhere, says=nowhere)
        self.refused("compare", file, "--solvers", "newton", "--csv", nowhere, says=nowhere)
        self.refused("jitter", "tower20", "--seconds", "0.1", "--svg", nowhere, says=nowhere)
        self.refused("rigidity", file, "--csv", nowhere, says=nowhere)


class Solve(LabTest):
    def test_fields(self):
        result = self.solve(self.write("c.dat", contact(0.1)))
        self.assertEqual(len(result), 1)
        self.assertLessEqual(SOLVE_KEYS, set(result[0]))
        self.assertEqual((result[0]["kind"], result[0]["contacts"], result[0]["rows"]), ("friction", 1, 3))
        self.assertEqual((result[0]["solver"], result[0]["law"], result[0]["stop"]), ("newton", "coulomb", "converged"))
        self.assertIs(result[0]["converged"], True)
        self.assertLessEqual(result[0]["residual"], 1e-8)

    def test_known_solutions(self):
        """It arrives at 1 m/s, so r_N is 1 N s; friction stops a slide of up to 0.5 m/s, and takes 0.5 N s from a faster one."""
        for slide, tangent in ((0.1, -0.1), (2.0, -FRICTION)):
            file = self.write("c.dat", contact(slide))
            self.solve(file, "--tolerance", "1e-12", "--out", self.path("r.txt"))
            (normal, first, second), = self.impulses("r.txt")
            self.assertAlmostEqual(normal, 1.0, delta=1e-11)
            self.assertAlmostEqual(first, tangent, delta=1e-11)
            self.assertAlmostEqual(second, 0.0, delta=1e-11)
        plain = self.solve(file, "--no-friction", "--out", self.path("r.txt"))[0]
        (normal,), = self.impulses("r.txt")
        self.assertEqual(plain["rows"], 1)
        self.assertAlmostEqual(normal, 1.0, delta=1e-7)
        lcp = self.solve(self.write("l.dat", LCP), "--solver", "pgs", "--tolerance", "1e-12", "--out", self.path("r.txt"))[0]
        self.assertEqual((lcp["kind"], lcp["contacts"]), ("lcp", 2))
        for (have,), want in zip(self.impulses("r.txt"), (4 / 3, 7 / 3)):
            self.assertAlmostEqual(have, want, delta=1e-10)

    def test_every_solver_that_takes_it_solves_one_contact(self):
        for slide in (0.1, 2.0):
            file = self.write("c.dat", contact(slide))
            for solver in (s["solver"] for s in json_lines(self.good("solvers", "--json"))):
                result = self.cairn("solve", file, "--solver", solver, "--tolerance", "1e-6", "--json")
                case = json_lines(result)[0]
                if case["stop"] == "refused":
                    self.assertEqual((result.returncode, case["residual"]), (2, None))
                    self.assertIn(case["reason"], result.stderr)
                else:
                    self.assertEqual(result.returncode, 0 if case["converged"] else 1)
                    self.assertTrue(case["converged"] or solver in ("lemke", "penalty", "mprgp", "dantzig"), case)

    def test_start(self):
        self.good("capture", "sled", "--out", self.path("p.dat"))
        first = self.solve(self.path("p.dat"), "--tolerance", "1e-5", "--out", self.path("r.txt"))[0]
        again = self.solve(self.path("p.dat"), "--tolerance", "1e-5", "--start", self.path("r.txt"))[0]
        self.assertGreater(first["iterations"], 0)
        self.assertEqual((again["iterations"], again["residual"]), (0, first["residual"]))
        self.assertEqual(len(self.impulses("r.txt")), first["contacts"])
        for text, says in (("1 2", "2 impulses"), ("1 2 x", "number 3"), ("1 2 nan", "number 3"), ("1 2 3 4", "4 impulses")):
            self.refused("solve", self.write("c.dat", contact(0)), "--start", self.write("bad.txt", text), says=says)
        self.refused("solve", self.path("c.dat"), "--start", self.path("none.txt"), says="none.txt: No such file")

    def test_the_error_of_siconos(self):
        """Its formula, written once more: |r - P(r - u - mu |u_T|)| over the largest of |q|, |r| and |u|."""
        for slide in (0.1, 2.0, 40.0):
            file = self.write("c.dat", contact(slide))
            case = self.solve(file, "--solver", "pgd", "--tolerance", "0.2", "--siconos-error", "--out", self.path("r.txt"))[0]
            first, numbers = self.read("r.txt").splitlines()
            self.assertTrue(first.startswith("# residual "), first)
            r = [float(word) for word in numbers.split()]
            q = [-1.0, slide, 0.0]
            u = [a + b for a, b in zip(r, q)]
            x = [r[0] - u[0] - FRICTION * math.hypot(u[1], u[2]), r[1] - u[1], r[2] - u[2]]
            t = math.hypot(x[1], x[2])
            if FRICTION * t <= -x[0]:
                x = [0.0, 0.0, 0.0]
            elif t > FRICTION * x[0]:
                n = (x[0] + FRICTION * t) / (1.0 + FRICTION ** 2)
                x = [n, FRICTION * n * x[1] / t, FRICTION * n * x[2] / t]
            expected = math.dist(r, x) / max(math.hypot(*q), math.hypot(*r), math.hypot(*u))
            self.assertAlmostEqual(case["siconos_error"], expected, delta=1e-8)
            self.assertGreater(expected, 0.0)
            self.solve(file, "--start", self.path("r.txt"))
        self.assertNotIn("siconos_error", self.solve(file)[0])
        self.assertEqual(self.solve(self.write("m.dat", "1 0 1 0 0 1 0 0 1 1 1 1 2 -1"), "--siconos-error")[0]["siconos_error"], None)

    def test_body_velocities(self):
        self.good("capture", "sled", "--out", self.path("p.dat"))
        self.solve(self.path("p.dat"), "--tolerance", "1e-3", "--bodies", self.path("v.txt"))
        self.assertEqual({len(line) for line in self.impulses("v.txt")}, {6})
        self.refused("solve", self.write("c.dat", contact(0)), "--bodies", self.path("v.txt"), says="no bodies")

    def test_time_limit(self):
        """A pyramid that a thousand sweeps do not solve, for half a second."""
        self.good("capture", "pyramid10", "--out", self.path("p.dat"))
        case = self.solve(self.path("p.dat"), "--solver", "pgs", "--tolerance", "0", "--max-iterations", "100000000", "--time-limit",
                          "0.5", status=1)[0]
        self.assertEqual(case["stop"], "time")
        self.assertGreater(case["iterations"], 0)
        self.assertLess(case["ms"], 5000)
        self.assertLess(case["residual"], 1.0)
        self.refused("solve", self.path("p.dat"), "--time-limit", "0", says="from 0.001")

    def test_exit_status(self):
        good, bad = self.write("c.dat", contact(2)), self.path("missing.dat")
        self.good("capture", "tower20", "--step", "1", "--out", self.path("t.dat"))
        missed = self.solve(self.path("t.dat"), "--solver", "pgs", "--max-iterations", "1", status=1)[0]
        self.assertEqual((missed["converged"], missed["stop"], missed["iterations"]), (False, "limit", 1))
        files = self.solve(good, bad, good, status=2)  # the others are still solved
        self.assertEqual([f["file"] for f in files], [good, good])
        ray = self.solve(self.write("n.dat", NO_SOLUTION), "--solver", "newton", status=1)[0]
        self.assertFalse(ray["converged"])

    def test_table(self):
        text = self.good("solve", self.write("a.dat", contact(2)), self.write("longer_name.dat", LCP)).stdout.splitlines()
        self.assertEqual([line.split()[0] for line in text], ["file", "a.dat", "longer_name.dat"])
        self.assertEqual(len({len(line) for line in text}), 1)

    def test_laws(self):
        """A contact that slides lifts off under the relaxed law, at u_N = mu |u_T|; a box law knows no circle."""
        file = self.write("c.dat", contact(2.0))
        relaxed = self.solve(file, "--law", "relaxed", "--tolerance", "1e-12", "--solver", "block_pgs", "--out", self.path("r.txt"))[0]
        (normal, tangent, _), = self.impulses("r.txt")
        self.assertEqual(relaxed["law"], "relaxed")
        self.assertAlmostEqual(normal - 1.0, FRICTION * (2.0 + tangent), delta=1e-9)

    def test_mutated_files(self):
        """Whatever the bytes, there is an answer: solved, missed, or refused in one line."""
        self.good("capture", "sled", "--out", self.path("p.dat"))
        generator = random.Random(5)
        for whole in (contact(1), LCP, self.read("p.dat")):
            for i in range(40):
                words = whole.split(" ") if i % 2 else list(whole)
                for _ in range(generator.randint(1, 3)):
                    words[generator.randrange(len(words))] = generator.choice(("", "0", "-1", "9" * 12, "1e308", "nan", "\n", "7"))
                text = (" " if i % 2 else "").join(words)
                result = self.cairn("solve", self.write("m.dat", text), "--solver", "pgs", "--max-iterations", "50", "--json")
                self.assertIn(result.returncode, (0, 1, 2), result.stderr)
                self.assertEqual(result.stderr.count("\n"), 1 if result.returncode == 2 else 0)


class Capture(LabTest):
    def test_round_trip(self):
        """Solving the file gives what solving the captured step gives."""
        for scene in ("sled", "pile", "tower20"):
            file = self.path(scene + ".dat")
            info = json_lines(self.good("capture", scene, "--out", file, "--json"))[0]
            self.assertEqual((info["scene"], info["file"], info["rows"]), (scene, file, 3 * info["contacts"]))
            solved = self.solve(file, "--solver", "pgs", "--max-iterations", "100", status=1)[0]
            self.assertEqual((solved["kind"], solved["contacts"]), ("global", info["contacts"]))
            direct = json_lines(self.cairn("compare", scene, "--solvers", "pgs", "--max-iterations", "100", "--json"))[0]
            self.assertEqual(direct["step"], info["step"])
            self.assertAlmostEqual(solved["residual"], direct["residual"], delta=1e-6 * direct["residual"])

    def test_fclib(self):
        result = self.cairn("capture", "sled", "--out", self.path("s.hdf5"))
        if "without HDF5" in result.stderr:
            self.skipTest("built without HDF5")
        self.good("capture", "sled", "--out", self.path("s.dat"))
        text, hdf5 = self.solve(self.path("s.dat"), self.path("s.hdf5"), "--solver", "pgs", "--max-iterations", "50", status=1)
        self.assertEqual((text["kind"], text["contacts"]), (hdf5["kind"], hdf5["contacts"]))
        self.assertAlmostEqual(text["residual"], hdf5["residual"], delta=1e-6 * text["residual"])

    def test_weight(self):
        """The ground carries 20 cubes of 100 kg for a step: 20 * 100 * 10 / 60 N s, less what the tower still sinks."""
        self.good("capture", "tower20", "--step", "200", "--out", self.path("t.dat"))
        self.solve(self.path("t.dat"), "--tolerance", "1e-6", "--out", self.path("r.txt"))
        lines = sorted(line[0] for line in self.impulses("r.txt"))
        weight = 20 * 100 * 10 / 60
        self.assertAlmostEqual(sum(lines) / weight, 10.5, delta=0.2)  # all storeys: 20 + 19 + ... + 1 cubes

    def test_islands(self):
        """Dominoes before the first one falls stand alone, each on four points."""
        whole = json_lines(self.good("capture", "dominoes", "--step", "1", "--out", self.path("d.dat"), "--json"))[0]
        part = json_lines(self.good("capture", "dominoes", "--step", "1", "--island", "3", "--out", self.path("i.dat"), "--json"))[0]
        self.assertEqual((whole["bodies"], part["bodies"], part["island"]), (60, 1, 3))
        self.assertGreater(whole["contacts"], 100)
        self.assertLessEqual(part["contacts"], 4)
        self.solve(self.path("i.dat"))
        self.refused("capture", "dominoes", "--step", "1", "--island", "60", "--out", self.path("i.dat"), says="no island 60")

    def test_newton_reaches_its_tolerance(self):
        for scene, steps in (("arch", (2, 40, 100)), ("pyramid10", (40, 60)), ("sled", (2, 5, 10)), ("tower20", (60,))):
            for step in steps:
                file = self.path("n.dat")
                self.good("capture", scene, "--step", str(step), "--out", file)
                self.assertLessEqual(self.solve(file)[0]["residual"], 1e-8 * (1.0 + 1e-6), (scene, step))

    def test_joints(self):
        """Softness and bounds survive, and no format without them takes them."""
        for scene in ("chain", "door", "gears", "bridge"):
            file = self.path(scene + ".dat")
            info = json_lines(self.good("capture", scene, "--step", "30", "--out", file, "--json"))[0]
            self.assertGreater(info["blocks"], info["contacts"])
            solved = self.solve(file, "--tolerance", "1e-6")[0]
            self.assertEqual((solved["kind"], solved["rows"]), ("cairn", info["rows"]))
            direct = json_lines(self.good("compare", scene, "--step", "30", "--solvers", "newton", "--tolerance", "1e-6", "--json"))[0]
            self.assertEqual((solved["residual"], solved["energy"]), (direct["residual"], direct["energy"]))
            for kind in ("friction", "global", "lcp", "mlcp", "relay"):
                self.refused("capture", scene, "--step", "30", "--out", file, "--kind", kind, says=scene + ".dat: ")
        self.good("capture", "sled", "--kind", "cairn", "--out", self.path("s.dat"))
        self.assertTrue(self.read("s.dat").startswith("cairn-problem 1\n"))

    def test_settings(self):
        for settings in (("--solver", "pgs"), ("--threads", "2"), ("--friction", "cone"), ("--dt", "0.01")):
            self.good("capture", "tower20", "--step", "5", *settings, "--out", self.path("t.dat"))
        self.refused("capture", "pile", "--step", "1", "--out", self.path("p.dat"), says="nothing touches in step 1")

    def test_threads_do_not_change_the_problem(self):
        texts = []
        for threads in ("1", "3"):
            self.good("capture", "pile", "--threads", threads, "--out", self.path("p.dat"))
            texts.append(self.read("p.dat"))
        self.assertEqual(*texts)


class Compare(LabTest):
    def test_all(self):
        file = self.write("c.dat", contact(2))
        names = [s["solver"] for s in json_lines(self.good("solvers", "--json"))]
        cases = json_lines(self.good("compare", file, "--tolerance", "1e-6", "--json"))
        self.assertEqual([c["solver"] for c in cases], names)
        table = self.good("compare", file, "--tolerance", "1e-6").stdout.splitlines()
        self.assertEqual([line.split()[0] for line in table[2:]], names)
        for case in cases:
            self.assertLessEqual({"file", "converged", "iterations", "residual", "stop", "ms"}, set(case))

    def test_curves(self):
        arguments = ("compare", "sled", "--solvers", "pgs,nncg", "--tolerance", "0", "--max-iterations", "1000", "--svg",
                     self.path("c.svg"), "--csv", self.path("c.csv"), "--json")
        cases = json_lines(self.good(*arguments, status=1))
        rows = self.rows("c.csv")
        self.assertEqual(list(rows[0]), ["solver", "iteration", "residual", "ms"])
        for case in cases:
            mine = [row for row in rows if row["solver"] == case["solver"]]
            self.assertEqual([int(row["iteration"]) for row in mine], list(range(1, case["iterations"] + 1)))
            best = min(float(row["residual"]) for row in mine)
            self.assertAlmostEqual(case["residual"], best, delta=2e-6 * best)
            self.assertEqual(sorted(float(row["ms"]) for row in mine), [float(row["ms"]) for row in mine])
        texts, curves = self.chart("c.svg")
        self.assertEqual(len(curves), 4)  # as it goes, and the best so far
        for points in curves:
            self.assertTrue(10 < points <= 200, points)
        self.assertLessEqual({"pgs", "nncg", "iterations"}, set(texts))
        self.assertTrue(any(text.startswith("residual relative to the velocities without impulses") for text in texts))

    def test_several_problems(self):
        self.good("compare", self.write("a<&>.dat", contact(2)), "sled", "--solvers", "block_pgs", "--max-iterations", "30", "--svg",
                  self.path("c.svg"), "--csv", self.path("c.csv"))
        texts, curves = self.chart("c.svg")
        self.assertEqual(len(curves), 4)
        self.assertLessEqual({"a<&>.dat", "sled", "block_pgs"}, set(texts))
        self.assertEqual({row["problem"] for row in self.rows("c.csv")}, {"a<&>.dat", "sled"})

    def test_over_time(self):
        self.good("compare", "sled", "--solvers", "pgs,nncg", "--max-iterations", "200", "--tolerance", "0", "--over", "time", "--svg",
                  self.path("c.svg"), status=1)
        texts, curves = self.chart("c.svg")
        self.assertEqual(len(curves), 4)
        self.assertIn("time [ms]", texts)
        self.refused("compare", "sled", "--over", "tim", says='did you mean "time"')

    def test_names_are_not_cut(self):
        names = [letter * 90 + ".dat" for letter in "ab"]
        files = [self.write(name, contact(2)) for name in names]
        table = self.good("compare", *files, "--solvers", "pgs,newton", "--svg", self.path("c.svg")).stdout
        texts, _ = self.chart("c.svg")
        for name in names:
            self.assertIn(name + ": ", table)
            self.assertLessEqual({f"{solver}, {name}" for solver in ("pgs", "newton")}, set(texts))
        root = xml.etree.ElementTree.parse(self.path("c.svg")).getroot()
        legend = [float(e.get("x")) for e in root.iter() if e.tag.endswith("text") and (e.text or "").startswith("pgs")]
        self.assertGreater(float(root.get("width")), legend[0] + 6.0 * len("newton, " + names[0]))

    def test_profile(self):
        """The ratios, from the costs once more; files that are no problems are left out, those in folders inside unseen."""
        for i in range(6):
            self.write(f"c{i}.dat", contact(0.1 + i))
        self.write("readme.txt", "no problem")
        self.write("l.dat", LCP)
        self.write("n.dat", NO_SOLUTION)
        os.mkdir(self.path("inner"))
        self.write("inner/x.dat", "nothing")
        svg = os.path.join(tempfile.mkdtemp(dir=self.directory.name), "p.svg")
        solvers = ["pgs", "newton", "jacobi", "dantzig"]
        arguments = ("profile", self.directory.name, "--solvers", ",".join(solvers), "--tolerance", "1e-9", "--measure", "iterations")
        result = self.good(*arguments, "--svg", svg, "--json")
        lines = json_lines(result)
        self.assertEqual(result.stderr.count("\n"), 1)
        self.assertIn("readme.txt", result.stderr)
        cases, profiles = [c for c in lines if "file" in c], [c for c in lines if "profile" in c]
        self.assertEqual(len(cases), 8 * len(solvers))
        self.assertEqual([p["profile"] for p in profiles], solvers)
        cost = {(c["file"], c["solver"]): max(c["iterations"], 1) for c in cases if c["converged"]}
        for profile in profiles:
            ratios = []
            for file in {c["file"] for c in cases}:
                least = min((cost[file, s] for s in solvers if (file, s) in cost), default=0)
                if (file, profile["profile"]) in cost:
                    ratios.append(cost[file, profile["profile"]] / least)
            self.assertEqual((profile["problems"], profile["solved"]), (8, len(ratios)))
            self.assertLess(profile["solved"], 8)
            self.assertEqual(profile["best"], sum(ratio == 1 for ratio in ratios))
            for have, want in zip(profile["ratios"], sorted(ratios)):
                self.assertAlmostEqual(have, want, delta=1e-6 * want)
        texts = [e.text for e in xml.etree.ElementTree.parse(svg).getroot().iter() if e.tag.endswith("text")]
        self.assertLessEqual(set(solvers) | {"share of the problems solved"}, set(texts))
        table = self.good(*arguments).stdout
        self.assertIn("within 10", table)
        self.refused("profile", says="which folder")

    def test_nothing_converged(self):
        self.good("compare", "tower20", "--step", "2", "--solvers", "pgs", "--max-iterations", "2", status=1)


class Studies(LabTest):
    def test_jitter(self):
        arguments = ("jitter", "tower20", "--seconds", "1", "--svg", self.path("j.svg"), "--csv", self.path("j.csv"), "--json")
        cases = json_lines(self.good(*arguments))
        self.assertEqual([c["solver"] for c in cases], ["soft_step", "pgs", "mass_split"])
        rows = self.rows("j.csv")
        self.assertEqual(list(rows[0]), ["solver", "time", "kinetic_energy_per_kg"])
        self.assertEqual(len(rows), 180)
        for case in cases:
            energies = [float(row["kinetic_energy_per_kg"]) for row in rows if row["solver"] == case["solver"]]
            self.assertAlmostEqual(case["kinetic_energy_per_kg"], sum(energies[30:]) / 30, delta=1e-6 * max(energies))
        texts, curves = self.chart("j.svg")
        self.assertEqual(len(curves), 3)
        self.assertLessEqual({"soft_step", "pgs", "kinetic energy [J/kg]", "simulated time [s]"}, set(texts))

    def test_jitter_says_what_it_does(self):
        """The table begins at once, and a long run says every few seconds how far it is."""
        process = subprocess.Popen([program_base.PROGRAM, "lab", "jitter", "pyramid20", "--seconds", "100000"], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        try:
            self.assertIn("pyramid20", process.stdout.readline())
            self.assertRegex(process.stderr.readline(), r"^cairn lab jitter: soft_step \(solver 1 of 3\): \d+ of 6000000 steps$")
        finally:
            process.kill()
            process.communicate()

    def test_rigidity(self):
        arguments = ("rigidity", "sled", "--solvers", "pgs,nncg", "--iterations", "5,50,500", "--svg", self.path("r.svg"), "--csv",
                     self.path("r.csv"), "--json")
        cases = json_lines(self.good(*arguments))
        self.assertEqual([(c["solver"], c["iterations"]) for c in cases],
                         [(solver, count) for solver in ("pgs", "nncg") for count in (5, 50, 500)])
        for solver in ("pgs", "nncg"):  # the best of more sweeps is no worse
            residuals = [c["residual"] for c in cases if c["solver"] == solver]
            self.assertEqual(residuals, sorted(residuals, reverse=True))
        rows = self.rows("r.csv")
        self.assertEqual(list(rows[0]), ["solver", "iterations", "residual", "velocity_error", "ms"])
        self.assertEqual(len(rows), 6)
        texts, curves = self.chart("r.svg")
        self.assertEqual(curves, [3, 3, 3, 3])
        self.assertLessEqual({"pgs", "nncg", "iterations", "500"}, set(texts))

    def test_velocity_error_of_one_contact(self):
        """One sweep over one contact with W = 1 is exact, so nothing is left of the error."""
        case = json_lines(self.good("rigidity", self.write("c.dat", contact(2)), "--solvers", "block_pgs", "--iterations", "60",
                                    "--json"))[0]
        self.assertLess(case["velocity_error"], 1e-9)
        self.assertLess(case["reference_residual"], 1e-12)

    def test_defaults(self):
        text = self.good("rigidity").stdout
        for word in ("pyramid10", "pgs", "mass_split", "500"):
            self.assertIn(word, text)


@unittest.skipUnless(os.path.isdir(PROBLEMS), "no problem files")
class StoredProblems(LabTest):
    def files(self, kind):
        return sorted(glob.glob(os.path.join(PROBLEMS, kind, "*.dat")))

    def test_newton_solves_every_friction_problem(self):
        cases = self.solve(*self.files("friction"))
        self.assertEqual(len(cases), len(self.files("friction")))
        for case in cases:
            self.assertLessEqual(case["residual"], 1e-8 * (1.0 + 1e-6), case["file"])

    def test_fclib(self):
        files = sorted(glob.glob(os.path.join(PROBLEMS, "friction", "*.hdf5")))
        result = self.cairn("solve", *files, "--json")
        if "without HDF5" in result.stderr:
            self.skipTest("built without HDF5")
        self.assertEqual(result.returncode, 0, result.stderr)
        for case in json_lines(result):
            self.assertLessEqual(case["residual"], 1e-8 * (1.0 + 1e-6), case["file"])
            self.assertTrue(math.isfinite(case["energy"]))

    def reach(self, tolerance, *arguments, but=()):
        """Every friction problem with a solver that must reach the tolerance on it."""
        files = [f for f in sorted(glob.glob(os.path.join(PROBLEMS, "friction", "*"))) if not any(word in f for word in but)]
        result = self.cairn("solve", *files, "--tolerance", str(tolerance), *arguments, "--json")
        if "without HDF5" in result.stderr:
            self.skipTest("built without HDF5")
        cases = json_lines(result)
        self.assertEqual(len(cases), len(files))
        for case in cases:
            self.assertTrue(case["converged"], case)
        return {os.path.basename(case["file"]): case for case in cases}

    def test_what_each_solver_must_reach(self):
        self.reach(1e-8, "--solver", "newton")
        self.reach(1e-4, "--solver", "nncg")
        self.reach(1e-8, "--solver", "nncg", "--max-iterations", "20000", but=("Capsules", "OneObject"))
        self.reach(1e-4, "--solver", "block_pgs", "--local", "exact", "--relaxation", "0.7")
        self.reach(1e-4, "--solver", "apgd", but=("OneObject",))
        self.reach(1e-4, "--solver", "admm")

    def test_sweeps_take_as_many_as_others_have_measured(self):
        """Reference counts to 1e-4 for pgs, exact block sweeps and nncg; half as many again are allowed."""
        reference = {"Box_Stacks": (16, 13, 13), "BoxesStack1": (1299, 1334, 706), "Capsules-i100-889": (13, 12, None),
                     "Capsules-i101-404": (15, 12, 11), "Confeti-ex03": (31, 31, 16), "NESpheres_10_1": (7, 7, 5),
                     "OneObject-i100000-316": (105, 104, 37), "OneObject-i1028-138": (195, 196, None),
                     "Rover1039": (310, 9, None), "Rover1040": (277, 9, 98), "Spheres-i099": (99, 99, 32)}
        ways = (("--solver", "pgs"), ("--solver", "block_pgs", "--relaxation", "1"), ("--solver", "nncg"))
        for column, way in enumerate(ways):
            cases = self.reach(1e-4, *way)
            for name, counts in reference.items():
                case = next(c for f, c in cases.items() if f.startswith(name))
                if counts[column]:
                    self.assertLessEqual(case["iterations"], math.ceil(1.5 * counts[column]), (way, case))

    def test_mass_splitting_agrees_with_newton(self):
        for name in ("Box_Stacks-i0122-82-5.hdf5", "Spheres-i099-356-679.hdf5"):
            velocities = []
            for solver, tolerance in (("newton", "1e-10"), ("mass_split", "1e-8")):
                result = self.cairn("solve", os.path.join(PROBLEMS, "friction", name), "--solver", solver, "--tolerance", tolerance,
                                    "--velocities", self.path("u.txt"))
                if "without HDF5" in result.stderr:
                    self.skipTest("built without HDF5")
                self.assertEqual(result.returncode, 0, result.stderr)
                velocities.append([u for row in self.impulses("u.txt") for u in row])
            size = max(map(abs, velocities[0]))
            self.assertLess(max(abs(a - b) for a, b in zip(*velocities)), 1e-6 * max(size, 1.0), name)

    def test_pivoting(self):
        cases = {os.path.basename(c["file"]): c for c in json_lines(self.cairn("solve", *self.files("lcp"), "--solver", "lemke", "--json"))}
        self.assertEqual(cases["lcp_exp_murty2.dat"]["iterations"], 64)
        for name, case in cases.items():
            ray = name in ("lcp_CPS_3.dat", "lcp_Pang_isolated_sol_perturbed.dat")
            self.assertEqual((case["stop"], case["converged"]), ("ray", False) if ray else ("converged", True), name)
        for case in self.solve(*self.files("mlcp")):
            self.assertLessEqual(case["residual"], 1e-8 * (1.0 + 1e-6), case["file"])

    def test_gradients_without_friction(self):
        files = [f for f in self.files("friction") if "BoxesStack1" in f]
        case = self.solve(*files, "--solver", "mprgp", "--no-friction")[0]
        self.assertLessEqual(case["products"], 250)


if __name__ == "__main__":
    program_base.main(__doc__)
