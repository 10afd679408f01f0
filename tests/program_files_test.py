#!/usr/bin/env python3
"""Tests of what the cairn program writes and prints: nothing is lost or half written, and what cannot be written is told of.
Usage: program_files_test.py PROGRAM"""
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import program_base
from program_base import PAGE, FilesBase, json_lines
from program_recordings import small_recording

NOBODY = 65534
SAYS_FULL = r"^cairn: standard output: (No space left on device|some of it could not be written)\n$"
program_base.TIMEOUT = 60


class Written(FilesBase):
    """Every way to write a file, each as arguments that lack the path at their end."""

    def ways(self):
        os.environ["CAIRN_VIEWER"] = self.write("page.html", PAGE.encode())
        self.addCleanup(os.environ.pop, "CAIRN_VIEWER")
        self.good("lab", "capture", "tower", "--step", "5", "--out", self.path("problem.dat"))
        problem = self.path("problem.dat")
        return {
            "record": ("run", "tower", "--steps", "2", "--record"),
            "plot": ("run", "tower", "--steps", "2", "--plot"),
            "html": ("run", "tower", "--steps", "2", "--html"),
            "export": ("scenes", "tower", "--export"),
            "problem": ("lab", "capture", "tower", "--step", "5", "--out"),
            "solution": ("lab", "solve", problem, "--out"),
            "velocities": ("lab", "solve", problem, "--velocities"),
            "bodies": ("lab", "solve", problem, "--bodies"),
            "profile.svg": ("lab", "profile", problem, "--solvers", "pgs", "--svg"),
            "csv": ("lab", "compare", problem, "--solvers", "newton", "--csv"),
            "svg": ("lab", "compare", problem, "--solvers", "newton", "--svg"),
            "rigidity.csv": ("lab", "rigidity", problem, "--solvers", "pgs", "--iterations", "1", "--csv"),
            "jitter.csv": ("lab", "jitter", "tower20", "--seconds", "0.1", "--csv"),
        }

    def test_every_option_that_names_a_file_is_tried(self):
        tried = {way[-1] for way in self.ways().values()}
        for command in (("run",), ("scenes",), ("lab", "capture"), ("lab", "solve"), ("lab", "compare"), ("lab", "rigidity"),
                        ("lab", "jitter"), ("lab", "profile")):
            text = self.good(*command, "--help").stdout
            self.assertLessEqual(set(re.findall(r"^  (--\w+) FILE", text, re.M)) - {"--start"}, tried, command)

    def test_replaced_by_what_is_complete(self):
        for name, way in self.ways().items():
            target = self.write(name, b"old")
            before = os.stat(target).st_ino
            os.chmod(target, 0o640)
            self.good(*way, target)
            self.assertNotEqual(self.read(name), b"old", name)
            self.assertNotEqual(os.stat(target).st_ino, before, name + " was written over what stood there")
            self.assertEqual(os.stat(target).st_mode & 0o777, 0o640, name)

    def test_through_links(self):
        self.write("target", b"old")
        os.symlink("target", self.path("link"))
        os.symlink(self.path("link"), self.path("far"))
        self.good("scenes", "tower", "--export", self.path("far"))
        self.assertTrue(os.path.islink(self.path("link")) and os.path.islink(self.path("far")))
        self.assertIn(b"cairn-scene", self.read("target"))
        os.symlink(self.path("round"), self.path("round"))
        self.refused("scenes", "tower", "--export", self.path("round"), says="symbolic links")

    def test_a_name_that_is_taken_stays(self):
        self.write("x.part", b"mine")
        self.good("scenes", "tower", "--export", self.path("x"))
        self.assertEqual((self.read("x.part"), sorted(os.listdir(self.directory.name))), (b"mine", ["x", "x.part"]))

    def test_no_such_folder_and_no_room(self):
        for name, way in self.ways().items():
            self.refused(*way, self.path("no/such"), says="No such file")
            self.refused(*way, self.directory.name, says="Is a directory")
            self.refused(*way, "/dev/full", says="No space left")
            self.refused(*way, "", says="No such file")
        self.assertEqual([name for name in os.listdir(self.directory.name) if ".part" in name], [])

    def test_full_disk(self):
        """A limit on the size of files stands for it: the old file stays and nothing is left beside it."""
        for name, way in self.ways().items():
            target = self.write(name, b"old")
            program = self.program(*way, target, preexec_fn=lambda: (resource.setrlimit(resource.RLIMIT_FSIZE, (8, 8)),
                                                                     signal.signal(signal.SIGXFSZ, signal.SIG_IGN)))
            _, complaint = program.communicate()
            self.assertEqual((program.returncode, complaint.count("\n")), (2, 1), (name, complaint))
            self.assertIn("File too large", complaint)
            self.assertEqual(self.read(name), b"old", name)
        self.assertEqual([name for name in os.listdir(self.directory.name) if ".part" in name], [])

    @unittest.skipIf(os.name != "posix" or os.geteuid() != 0, "needs to become somebody else")
    def test_without_permission(self):
        with tempfile.TemporaryDirectory() as place:
            os.chmod(place, 0o755)
            program = shutil.copy(program_base.PROGRAM, place)
            target = os.path.join(place, "x")
            with open(target, "w") as file:
                file.write("old")
            for folder_mode, file_mode in ((0o555, 0o666), (0o777, 0o444)):
                os.chmod(place, folder_mode)
                os.chmod(target, file_mode)
                result = subprocess.run([program, "scenes", "tower", "--export", target], capture_output=True, text=True, user=NOBODY)
                self.assertEqual(result.returncode, 2)
                self.assertEqual(result.stderr, f"cairn scenes: tower: {target}: Permission denied\n")
            with open(target) as file:
                self.assertEqual(file.read(), "old")


class Interrupted(FilesBase):
    def interrupt(self, name, *arguments):
        """Sends the signal once the part of a file has grown, and answers what the program said."""
        program = self.program("run", "heap", *arguments)
        self.addCleanup(program.kill)
        self.wait_for(lambda: any(".part" in name for name in os.listdir(self.directory.name)) and time.sleep(1) is None)
        program.send_signal(name)
        said = program.communicate(timeout=60)
        self.assertEqual(program.returncode, -name, said)
        return said

    def wait_for(self, condition):
        end = time.monotonic() + 60.0
        while not condition():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.02)

    def test_the_recording_is_finished(self):
        for name in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            self.write("x.rec", b"old")
            out, complaint = self.interrupt(name, "--record", self.path("x.rec"), "--plot", self.path("x.svg"), "--json")
            steps = int(re.fullmatch(r"cairn run: interrupted after (\d+) of \d+ steps\n", complaint).group(1))
            info = json_lines(self.good("info", self.path("x.rec"), "--json"))[0]
            self.assertEqual((info["frames"], info["complete"]), (steps + 1, True))
            self.assertEqual(json.loads(out)["steps"], steps)
            self.assertIn(b"</svg>", self.read("x.svg"))
            self.assertEqual(sorted(os.listdir(self.directory.name)), ["x.rec", "x.svg"])

    def test_what_is_killed_leaves_the_old_file(self):
        self.write("x.rec", b"old")
        program = self.program("run", "heap", "--record", self.path("x.rec"))
        self.wait_for(lambda: os.path.exists(self.path("x.rec.part")) and os.path.getsize(self.path("x.rec.part")) > 1 << 20)
        program.kill()
        program.communicate()
        self.assertEqual(self.read("x.rec"), b"old")
        result = self.good("info", self.path("x.rec.part"), "--json")
        self.assertRegex(result.stderr, r"^cairn info: .*x.rec.part: warning: cut short at offset \d+; .* \d+ frames .*\n$")
        self.assertGreater(json_lines(result)[0]["frames"], 50)

    def test_who_ignores_signals_goes_on(self):
        """As nohup and shells in the background have it."""
        program = self.program("run", "tower", "--steps", "2000", "--record", self.path("x.rec"),
                               preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        self.wait_for(lambda: os.path.exists(self.path("x.rec.part")) or program.poll() is not None)
        program.send_signal(signal.SIGHUP)
        program.communicate()
        self.assertEqual(program.returncode, 0)

    def test_scenes_that_are_run_first(self):
        """Their recording is temporary, and goes with the program."""
        os.mkdir(self.path("temporary"))
        scene = self.write_scene(steps=10000000)
        for command in (("view",), ("render", "--out", self.path("x.png"))):
            program = self.program(command[0], scene, *command[1:], env={**os.environ, "TMPDIR": self.path("temporary")})
            self.wait_for(lambda: len(os.listdir(self.path("temporary"))) > 0)
            program.send_signal(signal.SIGINT)
            _, complaint = program.communicate(timeout=60)
            self.assertEqual((program.returncode, os.listdir(self.path("temporary"))), (-signal.SIGINT, []))
            self.assertIn("interrupted", complaint)


class Printed(FilesBase):
    """What cannot be printed is told of, by every subcommand that is listed."""

    def ways(self):
        self.write("x.rec", small_recording()[0])
        self.write("page.html", PAGE.encode())
        self.good("lab", "capture", "tower", "--step", "5", "--out", self.path("x.dat"))
        problem = self.path("x.dat")
        return {
            "scenes": [(), ("--json",), ("heap", "--export", "-")], "run": [("tower", "--steps", "2"), ("tower", "--steps", "2", "--json")],
            "bench": [("tower", "--steps", "2"), ("tower", "--steps", "2", "--json"), ("rays", "--rays", "10", "--steps", "1")],
            "quality": [("tower", "--height", "2"), ("tower", "--height", "2", "--json")], "solvers": [(), ("--json",)],
            "info": [(self.path("x.rec"),), (self.path("x.rec"), "--json"), (self.path("x.rec"), "--frame", "1")],
            "view": [], "render": [],  # they go on until they are stopped, and need a browser
            "lab": [()],
            "lab solvers": [(), ("--json",)], "lab solve": [(problem,), (problem, "--json")],
            "lab compare": [(problem, "--solvers", "pgs"), (problem, "--solvers", "pgs", "--json")],
            "lab capture": [("tower", "--step", "5", "--out", self.path("y.dat"))],
            "lab profile": [(problem, "--solvers", "pgs"), (problem, "--solvers", "pgs", "--json")],
            "lab rigidity": [(problem, "--solvers", "pgs", "--iterations", "1")], "lab jitter": [("tower20", "--seconds", "0.1", "--solvers", "pgs")],
        }

    def listed(self, *words):
        text = self.good(*words, "--help").stdout
        return re.findall(r"^  (\w+) ", re.search(r"ommands:\n(.*?)\n\n", text, re.S).group(1), re.M)

    def test_full_device(self):
        ways = self.ways()
        commands = self.listed() + ["lab " + word for word in self.listed("lab")]
        self.assertLessEqual(set(commands), set(ways), "a subcommand that this test does not know")
        calls = [("--help",), ("--version",), ("help",)]
        for command in commands:
            calls += [(*command.split(), *way) for way in (*ways[command], ("--help",))]
        for call in calls:
            with open("/dev/full", "w") as full:
                result = subprocess.run([program_base.PROGRAM, *call], stdout=full, stderr=subprocess.PIPE, text=True, timeout=300)
            self.assertEqual(result.returncode, 2, call)
            self.assertRegex(result.stderr, SAYS_FULL, call)

    def test_closed_output(self):
        result = subprocess.run(["sh", "-c", '"$0" "$@" >&-', program_base.PROGRAM, "run", "tower", "--steps", "2", "--record",
                                 self.path("x.rec")], stderr=subprocess.PIPE, text=True)
        self.assertEqual((result.returncode, result.stderr), (2, "cairn: standard output: Bad file descriptor\n"))
        self.good("info", self.path("x.rec"))  # nothing was printed into the recording

    def test_interrupted_and_full(self):
        with open("/dev/full", "w") as full:
            program = subprocess.Popen([program_base.PROGRAM, "view", "--port", "0"], stdout=full, stderr=subprocess.PIPE, text=True,
                                       env={**os.environ, "CAIRN_VIEWER": self.write("page.html", PAGE.encode())})
        time.sleep(0.5)
        program.send_signal(signal.SIGINT)
        _, complaint = program.communicate(timeout=60)
        self.assertEqual(program.returncode, 2)
        self.assertRegex(complaint, SAYS_FULL)


if __name__ == "__main__":
    program_base.main(__doc__)
