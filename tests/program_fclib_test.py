#!/usr/bin/env python3
"""Tests of HDF5 problem files through the program: round trips, and damage that must never end it. Usage: program_fclib_test.py PROGRAM

CAIRN_MUTATIONS sets how many damaged files are tried.
"""
import json
import os
import random
import subprocess
import sys
import tempfile
import unittest

PROGRAM = "cairn"
MUTATIONS = int(os.environ.get("CAIRN_MUTATIONS", "150"))
ADDRESSES = [b"TREE", b"HEAP", b"SNOD"]  # what HDF5 itself follows


def cairn(*arguments):
    return subprocess.run([PROGRAM, "lab", *arguments], capture_output=True, text=True, errors="replace", timeout=120)


class Fclib(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        result = self.capture("tower.hdf5")
        if "without HDF5" in result.stderr:
            self.skipTest("built without HDF5")
        self.assertEqual(result.returncode, 0, result.stderr)

    def tearDown(self):
        self.directory.cleanup()

    def path(self, name):
        return os.path.join(self.directory.name, name)

    def capture(self, name):
        return cairn("capture", "tower20", "--step", "5", "--out", self.path(name))

    def solve(self, name):
        result = cairn("solve", self.path(name), "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)

    def refused(self, content, says):
        with open(self.path("broken.hdf5"), "wb") as file:
            file.write(content)
        result = cairn("solve", self.path("broken.hdf5"))
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        self.assertIn(says, result.stderr)

    def bytes_of(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def test_hdf5_and_text_are_the_same_problem(self):
        self.assertEqual(self.capture("tower.dat").returncode, 0)
        binary, text = self.solve("tower.hdf5"), self.solve("tower.dat")
        for key in ("kind", "contacts", "rows", "converged"):
            self.assertEqual(binary[key], text[key], key)
        self.assertAlmostEqual(binary["energy"], text["energy"], delta=1e-9 * abs(text["energy"]))

    def numbers(self, name):
        with open(self.path(name)) as file:
            return [[float(word) for word in line.split()] for line in file]

    def test_solutions_and_guesses(self):
        """What --out writes is a problem with its solution, and with what it began at as a guess."""
        tower, solved, again = self.path("tower.hdf5"), self.path("solved.hdf5"), self.path("again.hdf5")
        first = cairn("solve", tower, "--tolerance", "1e-10", "--out", self.path("r.txt"), "--json")
        self.assertEqual(first.returncode, 0, first.stderr)
        residual = json.loads(first.stdout)["residual"]
        self.assertEqual(cairn("solve", tower, "--tolerance", "1e-10", "--out", solved).returncode, 0)
        for options in ((solved, "--guess", "0"), (solved, "--start", self.path("r.txt"), "--out", again), (again, "--guess", "1")):
            result = cairn("solve", *options, "--tolerance", "1e-10", "--json")
            self.assertEqual(result.returncode, 0, result.stderr)
            case = json.loads(result.stdout)
            self.assertEqual(case["iterations"], 0)
            self.assertAlmostEqual(case["residual"], residual, delta=1e-3 * residual + 1e-14)
        for options, says in (((tower, "--guess", "0"), "no solution"), ((solved, "--guess", "1"), "no guess 1"),
                              ((again, "--guess", "2"), "no guess 2"),
                              ((tower, "--guess", "1", "--start", self.path("r.txt")), "both say")):
            result = cairn("solve", *options)
            self.assertEqual((result.returncode, result.stderr.count("\n")), (2, 1), result.stderr)
            self.assertIn(says, result.stderr)

    def test_bodies(self):
        """Every cube of a tower at rest stands still, and its ground carries it."""
        result = cairn("solve", self.path("tower.hdf5"), "--bodies", self.path("v.txt"), "--velocities", self.path("u.txt"))
        self.assertEqual(result.returncode, 0, result.stderr)
        bodies, contacts = self.numbers("v.txt"), self.numbers("u.txt")
        self.assertEqual(([len(row) for row in bodies], len(contacts)), ([6] * 20, 80))
        lowest = min(sum(abs(x) for x in row) for row in bodies)
        self.assertLess(lowest, 1e-2)  # it sinks by what the step still has to correct

    def test_what_is_not_there_is_named(self):
        whole = self.bytes_of("tower.hdf5")
        self.refused(whole[:600], "not a readable HDF5 file")
        self.refused(whole.replace(b"fclib_global", b"fclib_globul"), "neither a group fclib_local nor fclib_global")
        self.refused(whole.replace(b"spacedim", b"spacedom"), "the dataset /fclib_global/spacedim is missing")

    def test_damage_is_survived(self):
        whole, numbers = self.bytes_of("tower.hdf5"), random.Random(7)
        places = [at for word in ADDRESSES for at in range(len(whole)) if whole.startswith(word, at)]
        refused = 0
        for _ in range(MUTATIONS):
            content = bytearray(whole)
            for _ in range(numbers.randint(1, 4)):
                near = numbers.choice(places) + numbers.randrange(100)
                content[min(near, len(whole) - 1) if numbers.random() < 0.7 else numbers.randrange(8, len(whole))] = numbers.randrange(256)
            if numbers.random() < 0.1:
                content = content[:numbers.randrange(8, len(content))]
            with open(self.path("broken.hdf5"), "wb") as file:
                file.write(content)
            result = cairn("solve", self.path("broken.hdf5"), "--max-iterations", "1")
            self.assertIn(result.returncode, (0, 1, 2), result.stderr)
            refused += result.returncode == 2
        self.assertGreater(refused, 0)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
