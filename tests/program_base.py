"""What the tests of the program share: running it, a folder of its own for every test, answers and refusals."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

PROGRAM = "cairn"
TIMEOUT = 300  # s, for one call
BOX = {"type": "dynamic", "position": [0, 1, 0], "shapes": [{"type": "box", "half_extents": [1, 1, 1]}]}
PAGE = '<script type="application/octet-stream" id="recording"></script>'  # as much of the viewer as the program looks for


def run_cairn(*arguments):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, errors="replace", timeout=TIMEOUT)


def json_lines(result):
    return [json.loads(line) for line in result.stdout.splitlines()]


class Base(unittest.TestCase):
    command = ()  # words that every call begins with

    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()

    def tearDown(self):
        self.directory.cleanup()

    def path(self, name):
        return os.path.join(self.directory.name, name)

    def cairn(self, *arguments):
        return run_cairn(*self.command, *arguments)

    def good(self, *arguments, status=0):
        result = self.cairn(*arguments)
        self.assertEqual(result.returncode, status, (arguments, result.stdout, result.stderr))
        return result

    def refused(self, *arguments, says):
        result = self.good(*arguments, status=2)
        self.assertEqual(result.stderr.count("\n"), 1, "one line, not: " + result.stderr)
        self.assertIn(says, result.stderr)
        return result


class FilesBase(Base):
    """With files of its own."""

    def write(self, name, content):
        with open(self.path(name), "wb") as file:
            file.write(content)
        return self.path(name)

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def write_scene(self, file="scene.json", /, **fields):
        return self.write(file, json.dumps({"version": 1, "bodies": [BOX], **fields}).encode())

    def program(self, *arguments, **options):
        return subprocess.Popen([PROGRAM, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


def main(usage):
    """Runs the tests of the calling program, whose first argument is the path of cairn."""
    global PROGRAM
    if len(sys.argv) < 2:
        sys.exit(usage)
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
