#!/usr/bin/env python3
"""Tests of what the cairn program reads: nothing is waited for, believed, or let into the terminal.
Usage: program_hostile_test.py PROGRAM"""
import json
import os
import random
import struct
import subprocess

import program_base
from program_base import BOX, PAGE, FilesBase, json_lines
from program_recordings import chunk, small_recording, zstd_frame

program_base.TIMEOUT = 60


class Bounded(FilesBase):
    """Recordings that ask for more than they should."""

    def info(self, content, says, most=64):
        """Refused with these words, with at most so many MB more than for a small recording."""
        used = []
        for whole in (small_recording()[0], content):
            program = self.program("info", self.write("x.rec", whole))
            complaint = program.stderr.read()
            program.stdout.close()
            program.stderr.close()
            _, status, usage = os.wait4(program.pid, 0)
            program.returncode = os.waitstatus_to_exitcode(status)
            used.append(usage.ru_maxrss / 1024)
        self.assertIn(says, complaint)
        self.assertEqual((program.returncode, complaint.count("\n")), (2, 1))
        self.assertLess(used[1] - used[0], most)

    def scene(self, bodies=b"", count=0):
        text = struct.pack("<I", 1) + b"x"
        return struct.pack("<2d3f", 0.01, 0.5, 0, -10, 0) + text + text + struct.pack("<I", count) + bodies

    def test_frames_without_end(self):
        """60 million frames of nothing, 2.4 GB in less than 300 kB."""
        per_chunk, whole = 6000000, b"CAIRNREC" + struct.pack("<I", 3) + chunk(b"SCEN", self.scene())
        packed = None
        for i in range(10):
            content = struct.pack("<2I", i * per_chunk, per_chunk) + bytes(40 * per_chunk)
            packed = zstd_frame(content)
            whole += chunk(b"FRAM", content, packed)
        self.assertLess(len(whole), 300000)
        self.info(whole, "more frames than a recording may have", most=280)

    def test_bodies_without_end(self):
        count = 5000000
        body = struct.pack("<2I3d4f", 2, 0, 0, 0, 0, 0, 0, 0, 1)
        self.info(b"CAIRNREC" + struct.pack("<I", 3) + chunk(b"SCEN", self.scene(count * body, count)), "more bodies than a recording may",
                  most=280)

    def test_what_is_stated_is_there(self):
        """No memory for a size that the frame itself does not state."""
        for size in (1 << 28, 100):
            frame = zstd_frame(bytes(1000))
            whole = b"CAIRNREC" + struct.pack("<I4sII", 3, b"SCEN", len(frame), size) + frame
            self.info(whole, "not one zstd frame with a checksum and of the size it states")

    def test_checksums_are_demanded(self):
        whole, scene, _ = small_recording()
        for frame in (zstd_frame(scene, checksum=False), zstd_frame(scene, states_size=False), zstd_frame(scene) + zstd_frame(b""),
                      zstd_frame(scene[:9]) + zstd_frame(scene[9:]), b"", scene):
            self.info(whole.replace(chunk(b"SCEN", scene), chunk(b"SCEN", scene, frame)), "not one zstd frame with a checksum")
        damaged = bytearray(whole)
        damaged[12 + 12 + len(zstd_frame(scene)) - 1] ^= 1  # the checksum of the scene
        self.info(bytes(damaged), "not to its checksum")


class CutShort(FilesBase):
    def test_every_cut(self):
        """Refused before there are frames, and read up to the last whole chunk from then on."""
        whole, scene, frames = small_recording()
        beginning = 12 + len(chunk(b"SCEN", scene)) + len(chunk(b"FRAM", frames))
        for size in range(len(whole)):
            path = self.write("x.rec", whole[:size])
            if size < beginning:
                self.refused("info", path, says=path)
                continue
            result = self.good("info", path)
            self.assertIn("cut short", result.stdout)
            self.assertRegex(result.stderr, r"^cairn info: \S*x.rec: warning: cut short at offset \d+; .* 2 frames .*\n$")
            self.assertEqual(json_lines(self.good("info", path, "--json"))[0]["complete"], False)
            self.assertIn("body dynamic 6 6 7", self.good("info", path, "--frame", "1").stdout)

    def test_cut_and_damaged(self):
        whole, scene, frames = small_recording()
        at = 12 + len(chunk(b"SCEN", scene)) + len(chunk(b"FRAM", frames)) - 1
        self.refused("info", self.write("x.rec", whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1:-9]), says="checksum")


class Read(FilesBase):
    def places(self):
        """What is no file, under names that end as files of all kinds do."""
        for ending in ("json", "obj", "gltf", "glb", "rec", "dat", "hdf5", "raw"):
            os.mkfifo(self.path("pipe." + ending))
            os.mkdir(self.path("folder." + ending))
            os.symlink("/dev/zero", self.path("device." + ending))
            for kind, says in (("pipe", "this is a pipe"), ("folder", "this is a folder"), ("device", "this is a device")):
                yield ending, self.path(f"{kind}.{ending}"), says

    def test_what_is_no_file_is_refused(self):
        os.environ["CAIRN_VIEWER"] = self.write("page.html", PAGE.encode())
        self.addCleanup(os.environ.pop, "CAIRN_VIEWER")
        field = {"columns": 2, "rows": 2, "spacing": 1}
        for ending, path, says in self.places():
            if ending == "json":
                for command in (("run", path), ("scenes", path), ("view", path), ("bench", path), ("render", path, "--out", self.path("x")),
                                ("lab", "capture", path, "--out", self.path("x")), ("lab", "jitter", path)):
                    self.refused(*command, says=says)
            elif ending in ("obj", "gltf", "glb"):
                self.refused("info", path, says=says)
                self.refused("run", self.write_scene(meshes={"m": {"file": path}}), says=says)
            elif ending == "raw":
                self.refused("run", self.write_scene(height_fields={"f": {**field, "file": path}}), says=says)
            elif ending == "rec":
                for command in ("info", "view"):
                    self.refused(command, path, says=says)
                self.refused("render", path, "--out", self.path("x"), says=says)
            else:
                for command in ("solve", "compare", "rigidity"):
                    self.refused("lab", command, path, says=says)

    def buffer(self, uri):
        """A triangle whose corners lie in the buffer."""
        return json.dumps({"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
                           "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}], "buffers": [{"uri": uri, "byteLength": 36}],
                           "bufferViews": [{"buffer": 0, "byteLength": 36}],
                           "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"}]}).encode()

    def test_models_keep_to_their_folder(self):
        content = struct.pack("<9f", 0, 0, 0, 1, 0, 0, 0, 1, 0)
        os.mkdir(self.path("models"))
        os.mkdir(self.path("models/parts"))
        self.write("secret.bin", content)
        self.write("models/parts/own.bin", content)
        os.symlink(self.path("secret.bin"), self.path("models/link.bin"))
        os.mkfifo(self.path("models/pipe.bin"))
        for uri in ("../secret.bin", self.path("secret.bin"), "parts/../../secret.bin", "link.bin", "pipe.bin", "file://" + self.path("secret.bin"),
                    "%2e%2e/secret.bin"):
            path = self.write("models/x.gltf", self.buffer(uri))
            self.refused("info", path, says="x.gltf: ")
            self.refused("run", self.write_scene(meshes={"m": {"file": "models/x.gltf"}}), says="x.gltf: ")
        for uri in ("parts/own.bin", "./parts/own.bin", "parts/../parts/own.bin"):
            path = self.write("models/x.gltf", self.buffer(uri))
            self.assertIn("3 vertices", self.good("info", path).stdout)
        os.chdir(self.path("models"))
        self.addCleanup(os.chdir, "/")
        self.assertIn("3 vertices", self.good("info", "x.gltf").stdout)
        self.write("models/x.gltf", self.buffer("../secret.bin"))
        self.refused("info", "x.gltf", says="x.gltf: ")
        os.symlink("models/x.gltf", self.path("to.gltf"))
        self.write("models/x.gltf", self.buffer("secret.bin"))
        self.good("info", self.path("to.gltf"))  # the folder of the name that was given

    def test_materials_keep_to_their_folder(self):
        os.mkdir(self.path("models"))
        self.write("secret.mtl", b"newmtl secret\nKd 1 0 0\n")
        path = self.write("models/x.obj", b"mtllib ../secret.mtl\nusemtl secret\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
        result = self.cairn("info", path)
        self.assertIn(result.returncode, (0, 2))

    def test_texts_are_cleaned(self):
        evil = "\x1b]0;evil\x07\x1b[31mred\x9b31m\x7f\r\u202e"
        wide = "caf\u00e9 \u65e5\u672c"
        hands = (("info", self.write("x.obj", f"v 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl {evil}\nf 1 2 3\n".encode())),
                 ("info", self.write("y.gltf", self.buffer(evil))), ("info", self.write("z.gltf", b"{" + evil.encode())),
                 ("run", self.write_scene("a.json", name=evil), "--steps", "1"),
                 ("scenes", self.write_scene("b.json", summary=evil)),
                 ("run", self.write_scene("c.json", **{evil: 1})), ("run", self.write_scene("d.json", steps=evil)),
                 ("run", self.write_scene("e.json", joints=[{"type": "ball", "a": evil, "b": evil}])),
                 ("run", self.write_scene("f.json", bodies=[{**BOX, "name": evil}, {**BOX, "name": evil}])),
                 ("run", self.write_scene("g.json", bodies=[{**BOX, "shapes": [{"type": evil}]}])),
                 ("run", self.write_scene("h.json", meshes={evil: {"file": evil + ".obj"}})),
                 ("run", self.write("i.json", evil.encode())), ("run", self.write("j.json", evil.encode("latin-1", "replace"))),
                 ("lab", "solve", self.write("k.dat", evil.encode())), ("info", self.write("l.rec", evil.encode())),
                 ("lab", "solve", self.write("m.dat", f"3\n1\n{evil}\n".encode())), (evil,), ("run", evil), ("quality", evil), ("lab", evil),
                 ("run", "tower", "--" + evil), ("run", "tower", "--solver", evil), ("bench", "tower", "--steps", evil))
        for call in hands:
            result = subprocess.run([program_base.PROGRAM, *call], capture_output=True, timeout=60)
            said = (result.stdout + result.stderr).decode()  # and it is UTF-8
            self.assertNotRegex(said, "[\x00-\x09\x0b-\x1f\x7f-\x9f]", call)
        self.assertIn(wide, self.good("run", self.write_scene(name=wide), "--steps", "1").stdout)
        self.refused("run", wide, says=wide)

    def test_texts_of_bytes_by_chance(self):
        generator = random.Random(5)
        for _ in range(60):
            word = bytes(generator.choice((0x1b, 0x9b, 0xc2, 0xe2, 0xf0, 0x80, 0xbf, 0xff, 65)) for _ in range(generator.randint(1, 9)))
            result = subprocess.run([program_base.PROGRAM.encode(), b"run", word], capture_output=True)
            self.assertNotRegex(result.stderr.decode(), "[\x00-\x09\x0b-\x1f\x7f-\x9f]", word)


if __name__ == "__main__":
    program_base.main(__doc__)
