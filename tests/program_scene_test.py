#!/usr/bin/env python3
"""Tests of scene files and model files through the program. Usage: program_scene_test.py PROGRAM

CAIRN_MUTATIONS sets how many damaged files of each kind are tried.
"""
import base64
import glob
import json
import math
import os
import random
import re
import shutil
import struct
import subprocess
import unittest

import program_base
from program_base import Base, json_lines

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
EXAMPLES = os.path.join(ROOT, "examples/scenes")
MUTATIONS = int(os.environ.get("CAIRN_MUTATIONS", "150"))
FLOOR = {"type": "static", "position": [0, -1, 0], "shapes": [{"type": "box", "half_extents": [20, 1, 20]}]}
BALL = {"position": [0, 0.5, 0], "shapes": [{"type": "sphere", "radius": 0.5}]}
SQUARE = {"vertices": [[-9, 0, -9], [9, 0, -9], [9, 0, 9], [-9, 0, 9]], "triangles": [[0, 2, 1], [0, 3, 2]]}

# ---- Small models

CUBE = [(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]
CUBE_TRIANGLES = [(0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1), (2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4),
                  (1, 5, 7), (1, 7, 3)]


def obj_cube(extra=""):
    lines = ["v %g %g %g" % v for v in CUBE]
    for i, triangle in enumerate(CUBE_TRIANGLES):
        if i % 6 == 0:
            lines.append("usemtl " + ("grass", "rock")[i // 6])
        lines.append("f %d %d %d" % tuple(k + 1 for k in triangle))
    return "\n".join(lines) + "\n" + extra


def gltf_cube(nodes):
    """A glTF of one cube that every node shows, and its binary part."""
    places = b"".join(struct.pack("<3f", *v) for v in CUBE)
    indices = b"".join(struct.pack("<3H", *t) for t in CUBE_TRIANGLES)
    description = {
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [i for i, n in enumerate(nodes) if not n.get("inner")]}],
        "nodes": [{k: v for k, v in {"mesh": 0, **n}.items() if k != "inner" and v is not None} for n in nodes],
        "materials": [{"name": "unused"}, {"name": "paint"}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1, "material": 1}]}],
        "buffers": [{"byteLength": len(places) + len(indices)}],
        "bufferViews": [{"buffer": 0, "byteOffset": 0, "byteLength": len(places)},
                        {"buffer": 0, "byteOffset": len(places), "byteLength": len(indices)}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": 8, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 1]},
                      {"bufferView": 1, "componentType": 5123, "count": 36, "type": "SCALAR"}],
    }
    return description, places + indices


def glb(nodes):
    description, binary = gltf_cube(nodes)
    text = json.dumps(description).encode()
    text += b" " * (-len(text) % 4)
    return (struct.pack("<4sII", b"glTF", 2, 12 + 8 + len(text) + 8 + len(binary)) +
            struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(binary), b"BIN\0") + binary)


# ---- Scenes

class SceneBase(Base):
    def write(self, name, content):
        path = self.path(name)
        with open(path, "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())
        return path

    def scene(self, *bodies, **fields):
        return {"version": 1, **fields, "bodies": list(bodies)}

    def write_scene(self, scene, name="my.json"):
        return self.write(name, json.dumps(scene, indent=1))

    def run_scene(self, scene, *options):
        return json_lines(self.good("run", self.write_scene(scene), "--json", *options))[0]

    def export(self, scene):
        """The words of every line of the exported text."""
        return [line.split() for line in self.good("scenes", self.write_scene(scene), "--export", "-").stdout.splitlines()]

    def bodies(self, scene):
        """Position, rotation, velocities of every body: 13 numbers."""
        return [[float(w) for w in words[2:]] for words in self.export(scene) if words[0] == "body"]

    def heights(self, scene, steps):
        """The heights of all bodies after that many steps."""
        return [y for _, y, _ in self.places(scene, steps)]

    def places(self, scene, steps):
        record = self.path("motion.rec")
        self.good("run", self.write_scene(scene), "--steps", str(steps), "--record", record)
        lines = self.good("info", record, "--frame", str(steps)).stdout.splitlines()
        return [[float(word) for word in line.split()[2:5]] for line in lines if line.startswith("body")]

    def assertNear(self, numbers, expected, tolerance=1e-6):
        self.assertEqual(len(numbers), len(expected), numbers)
        for a, b in zip(numbers, expected):
            self.assertAlmostEqual(a, b, delta=tolerance, msg=(numbers, expected))


class GoodScenes(SceneBase):
    def test_examples(self):
        for path in sorted(glob.glob(os.path.join(EXAMPLES, "*.json"))):
            one, two = (json_lines(self.good("run", path, "--steps", "60", "--json", "--threads", n))[0] for n in ("1", "2"))
            self.assertEqual(one["state_hash"], two["state_hash"], path)
            self.assertGreater(one["bodies"], 10)
            self.assertGreater(one["points"], 0)
            self.assertLess(one["max_penetration"], 0.1)

    def test_fields_reach_the_world(self):
        text = self.export(self.scene(
            {"type": "kinematic", "position": [1, 2, 1e6 + 0.125], "rotation": [0, 0.6, 0, 0.8], "linear_velocity": [3, 4, 5],
             "angular_velocity": [6, 7, 8],
             "shapes": [{"type": "capsule", "half_height": 0.5, "radius": 0.25, "position": [1, 0, 0],
                         "rotation": {"axis": [0, 0, 2], "degrees": 90}, "density": 7, "material": "m"}]},
            dt=0.01, steps=77, world={"gravity": [1, 2, 3]}, materials={"m": {"friction": 0.25, "restitution": 0.5}}))
        self.assertEqual(text[1:4], [["gravity", "1", "2", "3"], ["dt", "0.01"], ["steps", "77"]])
        self.assertEqual(text[4][:2], ["body", "kinematic"])
        self.assertNear([float(w) for w in text[4][2:]], [1, 2, 1e6 + 0.125, 0, 0.6, 0, 0.8, 3, 4, 5, 6, 7, 8])
        self.assertEqual(text[5][0], "capsule")
        half = math.sqrt(0.5)
        self.assertNear([float(w) for w in text[5][1:]], [1, 0, 0, 0, 0, half, half, 7, 0.25, 0.5, 0.5, 0.25])

    def test_tapered_capsules(self):
        limb = {"type": "tapered_capsule", "half_height": 0.5, "bottom_radius": 0.3, "top_radius": 0.1}
        text = self.export(self.scene({"shapes": [limb]}, {"shapes": [{"type": "compound", "compound": "c"}]},
                                      compounds={"c": {"parts": [limb]}}))
        for line in (line for line in text if line[0] == "tapered_capsule"):
            self.assertNear([float(w) for w in line[-3:]], [0.5, 0.3, 0.1])
        self.assertEqual(sum(line[0] == "tapered_capsule" for line in text), 2)

    def test_speed_limits_and_sleep_speeds(self):
        ball = {**BALL, "position": [0, 100, 0]}
        free, slow = (self.heights(self.scene({**ball, **more}), 60)[0] for more in ({}, {"max_linear_speed": 2}))
        self.assertLess(free, 96)
        self.assertGreater(slow, 98)
        turning = {**ball, "angular_velocity": [0, 0.5, 0], "gravity_scale": 0}
        for fields, awake in (({}, 1), ({"sleep_speed": 1}, 0), ({"max_angular_speed": 0.05}, 0)):
            report = self.run_scene(self.scene({**turning, **fields}, world={"sleeping": True}), "--steps", "60")
            self.assertEqual(report["awake_bodies"], awake, fields)

    def test_ignored_pairs(self):
        floor, balls = {**FLOOR, "name": "floor"}, [{**BALL, "name": name, "position": [x, 0.5, 0]} for name, x in (("a", 0), ("b", 3))]
        heights = self.heights(self.scene(floor, *balls, ignored_pairs=[["b", "floor"]]), 60)
        self.assertAlmostEqual(heights[1], 0.5, 2)
        self.assertLess(heights[2], -3)
        for pair, says in ((["a", "c"], 'ignored_pairs[0][1] names the body "c"'), (["a", "a"], "ignored_pairs[0]: body and other are both"),
                           (["a"], "ignored_pairs[0] is a list of 1; it must be a pair of bodies or of shapes")):
            path = self.write_scene(self.scene(floor, *balls, ignored_pairs=[pair]))
            self.refused("run", path, says=says)

    def test_ignored_pairs_of_shapes(self):
        # A small ball is held by its large twin, which the floor does not notice.
        shapes = [{"type": "sphere", "radius": r} for r in (0.5, 0.2)]
        floor, ball = {**FLOOR, "name": "floor"}, {"name": "ball", "position": [0, 0.5, 0], "shapes": shapes}
        pair = [{"body": "ball", "shape": 0}, {"body": "floor", "shape": 0}]
        self.assertAlmostEqual(self.heights(self.scene(floor, ball), 60)[1], 0.5, 2)
        self.assertAlmostEqual(self.heights(self.scene(floor, ball, ignored_pairs=[pair]), 60)[1], 0.2, 2)
        for bad, says in (([{"body": "ball", "shape": 2}, pair[1]], "ignored_pairs[0][0] is shape 2 of a body that has 2"),
                          (["ball", pair[1]], "ignored_pairs[0] must be two bodies or two shapes"),
                          ([{"body": "ball"}, pair[1]], "ignored_pairs[0][0]"),
                          ([pair[0], {"body": "flor", "shape": 0}], 'did you mean "floor"')):
            self.refused("run", self.write_scene(self.scene(floor, ball, ignored_pairs=[bad])), says=says)

    def test_capacity(self):
        room = {"bodies": 100, "shapes": 100, "contacts": 500, "joints": 10}
        with_room = self.run_scene(self.scene(FLOOR, BALL, world={"capacity": room}), "--steps", "30")
        self.assertEqual(with_room["state_hash"], self.run_scene(self.scene(FLOOR, BALL), "--steps", "30")["state_hash"])
        self.refused("run", self.write_scene(self.scene(BALL, world={"capacity": {"bodies": -1}})), says="world.capacity.bodies is -1")

    def test_ball_joints(self):
        # A motor lifts the box to the side of its anchor that the rotation names.
        body = {"name": "arm", "position": [1, 3, 0], "shapes": [{"type": "box", "half_extents": [0.5, 0.1, 0.1]}]}
        def places(**ball):
            joint = {"type": "ball", "b": "arm", "anchor": [0, 3, 0], "ball": ball}
            return self.places(self.scene(body, joints=[joint]), 300)[0]
        turn = {"axis": [0, 1, 0], "degrees": 90}
        for got, wanted in zip(places(motor={"rotation": turn}), (0, 3, -1)):
            self.assertAlmostEqual(got, wanted, 2)
        for got, wanted in zip(places(friction=1000), (1, 3, 0)):
            self.assertAlmostEqual(got, wanted, 2)
        self.assertLess(places(motor={"velocity": [0, 0, 0], "max_torque": 100})[1], 2.5)
        for ball, says in (({"motor": {"max_torque": 1}}, "joints[0].ball.motor must have either"), ({"friction": -1}, "joints[0].ball.friction is -1"),
                           ({"motor": {"rotation": [0, 0, 0, 2]}}, "joints[0].ball.motor.rotation is a quaternion of length 2")):
            joint = {"type": "ball", "b": "arm", "anchor": [0, 3, 0], "ball": ball}
            self.refused("run", self.write_scene(self.scene(body, joints=[joint])), says=says)
        hinge = {"type": "hinge", "b": "arm", "anchor": [0, 3, 0], "axis": [0, 0, 1], "ball": {"friction": 1}}
        self.refused("run", self.write_scene(self.scene(body, joints=[hinge])), says="CN_SWING_Y is locked")

    def test_options_go_before_the_file(self):
        scene = self.scene(FLOOR, BALL, dt=0.02, steps=7, world={"solver": "pgs", "substeps": 3, "measure": True})
        report = self.run_scene(scene)
        self.assertEqual((report["dt"], report["steps"], report["solver"]), (0.02, 7, "pgs"))
        report = self.run_scene(scene, "--dt", "0.01", "--steps", "9", "--solver", "soft_step", "--substeps", "5")
        self.assertEqual((report["dt"], report["steps"], report["solver"], report["substeps"]), (0.01, 9, "soft_step", 5))

    def test_sleeping(self):
        for fields, options, awake in (({}, (), 1), ({"world": {"sleeping": True}}, (), 0), ({}, ("--sleep", "on"), 0),
                                       ({"world": {"sleeping": True}}, ("--sleep", "off"), 1)):
            report = self.run_scene(self.scene(FLOOR, BALL, **fields), "--steps", "90", *options)
            self.assertEqual(report["awake_bodies"], awake, (fields, options))

    def test_grid(self):
        grid = {"count": [3, 2, 4], "spacing": [1, 10, 100]}
        places = [b[:3] for b in self.bodies(self.scene({**BALL, "position": [5, 6, 7], "grid": grid}))]
        self.assertEqual(places, [[5 + x, 6 + 10 * y, 7 + 100 * z] for y in range(2) for z in range(4) for x in range(3)])
        moved = self.bodies(self.scene({**BALL, "rotation": "random", "grid": {**grid, "jitter": [0.5, 0, 0.25], "seed": 3}}))
        self.assertEqual(len({tuple(b[3:7]) for b in moved}), 24)
        for i, body in enumerate(moved):
            self.assertLessEqual(abs(body[0] - i % 3), 0.5)
            self.assertEqual(body[1], 0.5 + 10 * (i // 12))
            self.assertAlmostEqual(sum(q * q for q in body[3:7]), 1, delta=1e-5)

    def test_seeds(self):
        many = {**BALL, "rotation": "random", "grid": {"count": [2, 2, 2], "spacing": 2}}
        seeded = {**many, "grid": {**many["grid"], "seed": 5}}
        plain, again, other = (self.bodies(self.scene(many, **f)) for f in ({}, {}, {"seed": 9}))
        self.assertEqual(plain, again)
        self.assertNotEqual(plain, other)
        self.assertEqual(self.bodies(self.scene(seeded)), self.bodies(self.scene(many, seeded))[8:])

    def test_every_command_takes_files(self):
        path = self.write_scene(self.scene(FLOOR, BALL, name="little", summary="a ball"))
        self.assertEqual(json_lines(self.good("bench", path, "--steps", "2", "--json"))[0]["scene"], "little")
        self.assertIn("a ball", self.good("scenes", path).stdout)
        self.assertIn("little, step 5: 1 contact", self.good("lab", "capture", path, "--step", "5", "--out", self.path("x")).stdout)
        self.good("lab", "compare", path, "--step", "5", "--solvers", "pgs")
        self.good("lab", "jitter", path, "--seconds", "0.1", "--solvers", "pgs")

    def test_triangles_heights_and_compounds_hold_bodies(self):
        """Each ball comes to rest half a metre above what is below it; the last falls through the hole of the height field."""
        def ground(x, shape):
            return {"type": "static", "position": [x, 0, 0], "shapes": [shape]}

        def ball(x, z=0.3):
            return {**BALL, "position": [x, 0.6, z]}
        self.write("floor.f32", struct.pack("<9f", *([2.0] * 9)))
        square = {**SQUARE, "smooth": True}
        scene = self.scene(
            ground(0, {"type": "mesh", "mesh": "square", "scale": [0.5, 1, 0.5]}),
            ground(20, {"type": "height_field", "height_field": "flat", "position": [-2, -2, -2]}),
            ground(40, {"type": "compound", "compound": "blocks", "position": [0, -0.5, 0]}),
            ball(0), ball(20, -1), ball(39.5), ball(21, 1),
            meshes={"square": square},
            height_fields={"flat": {"columns": 3, "rows": 3, "spacing": 2, "file": "floor.f32", "holes": [[1, 1]]}},
            compounds={"blocks": {"parts": [{"type": "box", "half_extents": [1, 0.5, 1], "position": [x, 0, 0]} for x in (-1, 1)]}})
        heights = self.heights(scene, 120)[3:]
        self.assertNear(heights[:3], [0.5, 0.5, 0.5], 2e-3)
        self.assertLess(heights[3], -1)

    def test_sensors_and_continuous_bodies(self):
        """A ball falls through a sensor; a bullet is stopped by a thin plate unless it is told not to be."""
        plate = {"type": "box", "half_extents": [2, 0.02, 2]}
        below = {"type": "static", "shapes": [{**plate, "sensor": True}]}
        self.assertLess(self.heights(self.scene(below, {**BALL, "position": [0, 1, 0]}), 60)[1], -1)
        for continuous in (True, False):
            bullet = {"position": [0, 3.1, 0], "linear_velocity": [0, -300, 0], "continuous": continuous,
                      "shapes": [{"type": "sphere", "radius": 0.1}]}
            height = self.heights(self.scene({"type": "static", "shapes": [plate]}, bullet), 10)[1]
            self.assertEqual(height > 0, continuous)

    def test_materials_by_number_and_by_name(self):
        """A block slides where the mesh is ice and stays where it is not, on a slope made by gravity."""
        box = {"position": [-3, 0.25, 0], "shapes": [{"type": "box", "half_extents": [0.25, 0.25, 0.25], "material": "rough"}]}
        mesh = {"vertices": [[-9, 0, -9], [0, 0, -9], [9, 0, -9], [9, 0, 9], [0, 0, 9], [-9, 0, 9]],
                "triangles": [[0, 4, 1], [0, 5, 4], [1, 3, 2], [1, 4, 3]], "materials": [1, 1, 0, 0]}
        record = self.path("motion.rec")

        def moved(names):
            scene = self.scene({"type": "static", "shapes": [{"type": "mesh", "mesh": "two", "materials": names}]},
                               {**box, "position": [-3, 0.25, 0]}, {**box, "position": [3, 0.25, 0]},
                               meshes={"two": mesh}, materials={"ice": {"friction": 0}, "rough": {"friction": 1}},
                               world={"gravity": [0, -10, 2]})
            self.good("run", self.write_scene(scene), "--steps", "30", "--record", record)
            lines = self.good("info", record, "--frame", "30").stdout.splitlines()
            return [float(line.split()[4]) > 0.1 for line in lines if line.startswith("body dynamic")]
        self.assertEqual(moved(["rough", "ice"]), [True, False])
        self.assertEqual(moved(["ice", "rough"]), [False, True])

    def test_docs_name_every_field(self):
        with open(os.path.join(ROOT, "docs/scene-files.md"), encoding="utf-8") as file:
            page = file.read()
        fields = set()
        for path in glob.glob(os.path.join(ROOT, "app/json_*.c")):
            with open(path, encoding="utf-8") as file:
                fields |= set(re.findall(r'\{ "(\w+)", CN_FIELD', file.read()))
        self.assertGreater(len(fields), 60)
        self.assertEqual([f for f in sorted(fields) if f"`{f}`" not in page and f'"{f}"' not in page], [])


class Joints(SceneBase):
    """Joints, paths and ragdolls of scene files."""

    PRESETS = {
        "ball": {"anchor": [0, 1, 0]},
        "cone_twist": {"anchor": [0, 1, 0], "axis": [0, 1, 0], "swing": 0.5, "twist": 0.25},
        "hinge": {"anchor": [0, 1, 0], "axis": [0, 0, 1]},
        "slider": {"anchor": [0, 1, 0], "axis": [0, 0, 1]},
        "cylindrical": {"anchor": [0, 1, 0], "axis": [0, 0, 1]},
        "planar": {"anchor": [0, 1, 0], "normal": [0, 1, 0]},
        "fixed": {"anchor": [0, 1, 0]},
        "distance": {"anchor_a": [0, 3, 0], "anchor_b": [0, 1, 0]},
        "rope": {"anchor_a": [0, 3, 0], "anchor_b": [0, 1, 0], "length": 2.5},
        "spring": {"anchor_a": [0, 3, 0], "anchor_b": [0, 1, 0], "stiffness": 100, "damping": 5},
        "wheel": {"anchor": [0, 1, 0], "up": [0, 1, 0], "axle": [0, 0, 1], "stiffness": 100, "damping": 5},
        "motor": {"hertz": 5, "max_force": 100, "max_torque": 10},
        "gear": {"axis_a": [0, 0, 1], "axis_b": [0, 0, 1], "ratio": 2},
        "rack": {"axis": [0, 0, 1], "direction": [1, 0, 0], "ratio": 0.5},
        "pulley": {"anchor_a": [0, 1, 0], "anchor_b": [2, 1, 0], "ground_a": [0, 3, 0], "ground_b": [2, 3, 0], "ratio": 1},
        "frames": {"axes": {"x": {"freedom": "locked"}}},
    }
    # What each degree of freedom x, y, z, twist, swing_y, swing_z is: free, locked or limited.
    FREEDOMS = {"ball": "LLLFFF", "cone_twist": "LLLMMM", "hinge": "LLLFLL", "slider": "FLLLLL", "cylindrical": "FLLFLL",
                "planar": "LFFFLL", "fixed": "LLLLLL", "wheel": "LFLFLL", "motor": "FFFFFF", "frames": "LFFFFF"}

    def two(self, *joints, **fields):
        """A ball and another beside it, and the joints."""
        return self.scene({**BALL, "name": "one", "position": [0, 1, 0]}, {**BALL, "name": "two", "position": [2, 1, 0]},
                          joints=list(joints), **fields)

    def joints(self, scene):
        """Of every joint the words of its line, and an object from degrees of freedom to the words of theirs."""
        found = []
        for words in self.export(scene):
            if words[0] == "joint":
                found.append((words[1:], {}))
            elif words[0] == "axis":
                found[-1][1][words[1]] = words[2:]
        return found

    def frame_of(self, scene, steps):
        """The lines of the last frame after that many steps."""
        record = self.path("motion.rec")
        self.good("run", self.write_scene(scene), "--steps", str(steps), "--record", record)
        return [line.split() for line in self.good("info", record, "--frame", str(steps)).stdout.splitlines()]

    def test_every_type(self):
        for kind, fields in self.PRESETS.items():
            (words, axes), = self.joints(self.two({"type": kind, "a": "one", "b": "two", **fields}))
            self.assertEqual(words[0], kind if kind in ("distance", "gear", "rack", "pulley") else
                             "distance" if kind in ("rope", "spring") else "frames")
            self.assertEqual(words[1:3], ["0", "1"])
            if kind in self.FREEDOMS:
                letters = "".join({"free": "F", "locked": "L", "limited": "M"}[axes.get(dof, ["free"])[0]]
                                  for dof in ("x", "y", "z", "twist", "swing_y", "swing_z"))
                self.assertEqual(letters, self.FREEDOMS[kind], kind)
            report = self.run_scene(self.two({"type": kind, "a": "one", "b": "two", **fields}), "--steps", "3")
            self.assertEqual((report["joints"], report["bodies"]), (1, 2))
            self.assertGreaterEqual(report["direct"], 0)

    def test_fields_of_a_degree_of_freedom(self):
        axis = {"limits": [-0.5, 0.75], "hertz": 6, "damping_ratio": 0.5, "friction": 7,
                "spring": {"stiffness": 11, "damping": 12, "rest": 0.25},
                "motor": {"place": 0.125, "max_force": 13, "hertz": 14, "damping_ratio": 1.5}}
        numbers = [-0.5, 0.75, 6, 0.5, 11, 12, 0.25, 0.125, 13, 14, 1.5, 7]
        hinge = {"type": "hinge", "a": "one", "anchor": [0, 1, 0], "axis": [0, 0, 1]}
        free = {"type": "frames", "a": "one", "frame_b": {"position": [0, 1, 0]}}
        for joint, dof in (({**hinge, **axis}, "twist"), ({**hinge, "axes": {"twist": axis}}, "twist"),
                           ({**free, "axes": {"swing_z": axis}}, "swing_z"), ({**hinge, "type": "slider", **axis}, "x"),
                           ({"type": "distance", "a": "one", "anchor_a": [0, 1, 0], "anchor_b": [0, 3, 0], **axis}, "x")):
            (_, axes), = self.joints(self.two(joint))
            self.assertEqual((axes[dof][0], axes[dof][8]), ("limited", "place"), joint)
            self.assertNear([float(w) for i, w in enumerate(axes[dof]) if i not in (0, 8)], numbers)
        (_, axes), = self.joints(self.two({**hinge, "limits": [None, 0], "motor": {"speed": -2, "max_force": 3}}))
        self.assertEqual(axes["twist"][:3] + axes["twist"][8:11], ["limited", "-inf", "0", "speed", "-2", "3"])

    def test_frames_and_flags(self):
        joint = {"type": "frames", "a": "world", "b": "two", "cone": True, "collide": True,
                 "frame_a": {"position": [1, 2, 3], "rotation": [0, 0.6, 0, 0.8]},
                 "frame_b": {"position": [4, 5, 6], "rotation": {"axis": [1, 0, 0], "degrees": 180}},
                 "axes": {"swing_y": {"limits": [-1, 1]}, "swing_z": {"limits": [-1, 1]}}}
        (words, _), = self.joints(self.two(joint))
        self.assertEqual(words[1:3], ["-1", "1"])
        self.assertNear([float(w) for w in words[3:19]], [1, 2, 3, 0, 0.6, 0, 0.8, 4, 5, 6, 1, 0, 0, 0, 1, 1])

    def test_chain_of_a_grid(self):
        """Links of half a metre hang from the world one below the other, and stay together."""
        link = {"name": "link", "position": [0, 5, 0], "grid": {"count": [1, 6, 1], "spacing": [0, -0.5, 0]},
                "shapes": [{"type": "sphere", "radius": 0.1}]}
        scene = self.scene(link, joints=[
            {"type": "ball", "b": "link", "anchor": [0, 5.25, 0]},
            {"type": "ball", "a": "link", "b": "link[1]", "anchor": [0, 4.75, 0], "repeat": {"count": 5, "spacing": [0, -0.5, 0]}}])
        self.assertEqual([words[1:3] for words, _ in self.joints(scene)], [["-1", "0"]] + [[str(i), str(i + 1)] for i in range(5)])
        beam = {"name": "beam", "position": [0, 7, 0], "shapes": [{"type": "box", "half_extents": [1, 0.1, 0.1]}]}
        several = self.scene(link, beam, joints=[{"type": "ball", "a": "beam", "b": "link", "anchor": [0, 6, 0], "repeat": {"count": 6}}])
        self.assertEqual([words[1:3] for words, _ in self.joints(several)], [["6", str(i)] for i in range(6)])
        lines = self.frame_of(scene, 60)
        self.assertNear([float(line[3]) for line in lines[:6]], [5 - 0.5 * i for i in range(6)], 5e-3)
        self.assertNear([float(line[5]) for line in lines[6:]], [5.25 - 0.5 * i for i in range(6)], 5e-3)

    def test_how_joints_are_solved(self):
        joint = {"type": "ball", "b": "one", "anchor": [0, 2, 0]}
        for word, direct in (("sweep", 0), ("direct", 1)):
            self.assertEqual(self.run_scene(self.two(joint, world={"joint_solve": word}), "--steps", "2")["direct"], direct)
        self.refused("run", self.write_scene(self.two(joint, world={"joint_solve": "swep"})), says='did you mean "sweep"?')

    def test_breaking_is_recorded(self):
        """A ball of 524 kg hangs on a joint that carries less than its weight, and one on a joint that carries more."""
        for force, joints in ((5000, 0), (5500, 1)):
            scene = self.two({"type": "ball", "b": "one", "anchor": [0, 1, 0], "break_force": force})
            lines = self.frame_of(scene, 10)
            self.assertEqual(sum(words[0] == "joint" for words in lines), joints)
            self.assertEqual(float(lines[0][3]) > 0.99, joints == 1)
            info = json_lines(self.good("info", self.path("motion.rec"), "--json"))[0]
            self.assertEqual((info["joints"], info["broken"]), (1, 1 - joints))
            first = self.good("info", self.path("motion.rec"), "--frame", "0").stdout
            self.assertIn("\njoint frames world 0 0 1 0\n", first)

    def test_path(self):
        lift = {"type": "kinematic", "name": "lift", "position": [3, 1, 0], "shapes": [{"type": "box", "half_extents": [1, 0.1, 1]}],
                "path": {"keys": [{"time": 5}, {"time": 6, "position": [3, 2, 0], "rotation": {"axis": [0, 1, 0], "degrees": 90}}]}}
        line = self.frame_of(self.scene(lift, dt=0.01), 50)[0]
        self.assertNear([float(w) for w in line[2:5]], [3, 1.5, 0], 1e-4)
        self.assertAlmostEqual(float(line[6]), math.sin(math.pi / 8), delta=1e-3)
        self.assertNear([float(w) for w in self.frame_of(self.scene(lift, dt=0.01), 150)[0][2:5]], [3, 2, 0], 1e-4)

    def test_ragdolls(self):
        doll = {"name": "doll", "position": [0, 1, 0], "height": 2, "mass": 80, "material": "skin", "grid": {"count": [2, 1, 1], "spacing": 5},
                "pose": {"left_forearm": {"axis": [1, 0, 0], "degrees": -90}}, "drive": {"strength": 0.5, "hertz": 4}, "kinematic": ["pelvis"]}
        scene = self.scene(FLOOR, ragdolls=[doll], materials={"skin": {"friction": 0.9}}, joints=[
            {"type": "rope", "b": "doll.left_hand[1]", "anchor_a": [5, 9, 0], "anchor_b": [5, 1, 0], "length": 20}])
        bodies = self.bodies(scene)
        self.assertEqual(len(bodies), 1 + 2 * 16)
        self.assertNear([b - a for a, b in zip(bodies[1][:3], bodies[17][:3])], [5, 0, 0])
        self.assertEqual(self.joints(scene)[-1][0][2], str(1 + 16 + 6))
        report = self.run_scene(scene, "--steps", "20")
        self.assertEqual((report["bodies"], report["joints"]), (33, 31))
        self.assertEqual(self.frame_of(scene, 20)[1][1], "kinematic")


class Refusals(SceneBase):
    """Every refusal is one line that names the file, the line in it, the field and what is wrong."""

    def refused_text(self, text, marker, says):
        path = self.write("my.json", text)
        line = text[:text.rindex(marker)].count("\n") + 1
        self.refused("run", path, says=f"cairn run: {path}:{line}: {says}")

    def refused_scene(self, scene, marker, says):
        self.refused_text(json.dumps(scene, indent=1), marker, says)

    def shape(self, **fields):
        return self.scene(FLOOR, BALL, {"shapes": [{"type": "box", "half_extents": [1, 1, 1]}, fields]})

    def test_files(self):
        self.refused("run", "none.json", says="cairn run: none.json: No such file or directory\n")
        self.refused("run", self.directory.name + "/.json", says="No such file")
        os.mkdir(self.path("folder.json"))
        self.refused("run", self.path("folder.json"), says="this is a folder")
        self.refused_text('{\n "version": 1,\n "bodies": [\n}\n', "}", "this is not JSON")
        self.refused_text('{\n "version": 1,\n "version": 1\n}\n', '"version": 1\n', "this is not JSON: duplicate")
        self.refused_text("", "", "this is not JSON")
        self.refused_text("\n[]", "[]", "the scene is a list of 0; it must be an object")
        self.refused_text('{\n}', "{", 'the scene has no "version"')

    def test_header(self):
        for fields, marker, says in (
                ({"version": 2}, '"version"', "version is 2; it must be at most 1"),
                ({"version": "1"}, '"version"', 'version is "1"; it must be a whole number'),
                ({"steps": 1.5}, '"steps"', "steps is 1.5; it must be a whole number"),
                ({"steps": 0}, '"steps"', "steps is 0; it must be at least 1"),
                ({"dt": 2}, '"dt"', "dt is 2; it must be at most 1"),
                ({"name": 5}, '"name"', "name is 5; it must be a text"),
                ({"name": "x" * 61}, '"name"', "name is longer than 60"),
                ({"seed": -1}, '"seed"', "seed is -1; it must be a whole number, at least 0"),
                ({"body": []}, '"body"', 'body is no field of this object; did you mean "bodies"?'),
                ({"qqqqq": []}, '"qqqqq"', "qqqqq is no field of this object\n"),
                ({"world": []}, '"world"', "world is a list of 0; it must be an object"),
                ({"world": {"gravity": [0, -10]}}, '"gravity"', "world.gravity is a list of 2; it must be a list of 3 numbers"),
                ({"world": {"gravity": [0, -10, None]}}, "null", "world.gravity[2] is null; it must be a number"),
                ({"world": {"solver": "soft_stp"}}, '"solver"', 'world.solver is "soft_stp"; did you mean "soft_step"?'),
                ({"world": {"friction_model": "zzzzz"}}, '"friction_model"', 'world.friction_model is "zzzzz"; it must be one of: patch, cone'),
                ({"world": {"sleeping": 1}}, '"sleeping"', "world.sleeping is 1; it must be true or false"),
                ({"world": {"substeps": 10 ** 30}}, '"substeps"', "")):
            self.refused_scene({**self.scene(FLOOR), **fields}, marker, says) if says else self.refused(
                "run", self.write_scene({**self.scene(FLOOR), **fields}), says="too big")

    def test_bodies(self):
        for fields, marker, says in (
                ({"type": "dinamic"}, '"dinamic"', 'type is "dinamic"; did you mean "dynamic"?'),
                ({"position": [0, 1e99, 0]}, "1e+99", "position[1] is 1e+99; it must be at most 1e+09"),
                ({"rotation": [0, 0, 0, 2]}, '"rotation"', "rotation is a quaternion of length 2; it must be 1"),
                ({"rotation": {"axis": [0, 0, 0], "degrees": 5}}, '"rotation"', "rotation has an axis without length"),
                ({"rotation": {"axis": [0, 0, 1]}}, '"rotation"', 'rotation has no "degrees", which it must have'),
                ({"rotation": "any"}, '"rotation"', 'rotation is "any"; it must be [x, y, z, w], {'),
                ({"linear_damping": -2}, '"linear_damping"', "linear_damping is -2; it must be at least 0"),
                ({"locks": ["linear_w"]}, '"linear_w"', 'locks[0] is "linear_w"; did you mean "linear_x"?'),
                ({"shapes": {}}, '"shapes"', "shapes is an object; it must be a list of shapes"),
                ({"grid": {"count": [1, 2], "spacing": 1}}, '"count"', "grid.count is a list of 2"),
                ({"grid": {"count": [1, 98765432, 1], "spacing": 1}}, "98765432", "grid.count[1] is 98765432; it must be at most"),
                ({"grid": {"count": [9999, 9999, 1], "spacing": 1}}, '"count"', "grid.count is more than ten million bodies"),
                ({"grid": {"count": [1, 1, 1]}}, '"grid"', 'grid has no "spacing", which it must have'),
                ({"grid": {"count": [1, 1, 1], "spacing": 1, "jiter": 0}}, '"jiter"', 'grid.jiter is no field of this object; did you mean "jitter"?')):
            self.refused_scene(self.scene(FLOOR, fields), marker, "bodies[1]." + says)
        self.refused_scene(self.scene(FLOOR, 98765), "98765", "bodies[1] is 98765; it must be an object")
        self.refused_scene({"version": 1, "bodies": 5}, '"bodies"', "bodies is 5; it must be a list of bodies")

    def test_shapes(self):
        for fields, marker, says in (
                ({"type": "sphere", "radius": -98}, "-98", ".radius is -98; it must be above 0"),
                ({"type": "sphere", "radius": 1e-60}, '"type": "sphere"', ": "),
                ({"type": "sphere"}, '"type": "sphere"', ' has no "radius", which it must have'),
                ({"type": "sphere", "radius": 1, "half_height": 1}, '"half_height"', ".half_height is no field of this object"),
                ({"radius": 7654}, '"radius": 7654', ' has no "type", which it must have'),
                ({"type": "shpere", "radius": 1}, '"shpere"', '.type is "shpere"; did you mean "sphere"?'),
                ({"type": "box", "half_extents": [1, 0.0, 1]}, "0.0", ".half_extents[1] is 0; it must be above 0"),
                ({"type": "box", "half_extents": [1, 1, 1], "density": "?"}, '"?"', '.density is "?"; it must be a number, at least 0'),
                ({"type": "box", "half_extents": [1, 1, 1], "filter": {"mask": -1}}, '"mask"', ".filter.mask is -1; it must be a whole"),
                ({"type": "box", "half_extents": [1, 1, 1], "rotation": "random"}, '"random"', '.rotation is "random"; it must be [x'),
                ({"type": "box", "half_extents": [1, 1, 1], "material": "x"}, '"material"', '.material names the material "x", which there is not'),
                ({"type": "box", "half_extents": [1, 1, 1], "materials": []}, '"materials"', ".materials is for meshes and height fields"),
                ({"type": "hull", "hull": 3}, '"hull": 3', ".hull is 3; it must be a text")):
            scene = self.shape(**fields)
            text = json.dumps(scene, indent=1)
            if marker.startswith('"type"') or marker == '"radius": 7654':  # the shape is named by its own line, one above
                line = text[:text.rindex(marker)].count("\n")
                path = self.write("my.json", text)
                self.refused("run", path, says=f"{path}:{line}: bodies[2].shapes[1]{says}")
            else:
                self.refused_text(text, marker, "bodies[2].shapes[1]" + says)

    def test_named_things(self):
        box = {"type": "box", "half_extents": [1, 1, 1]}
        field = {"columns": 2, "rows": 2, "spacing": 1, "heights": [0, 0, 0, 0]}
        for fields, marker, says in (
                ({"materials": {"ice": {"friction": -1}}}, '"friction"', "materials.ice.friction is -1; it must be at least 0"),
                ({"materials": {"ice": {"restitution": 3}}}, '"restitution"', "materials.ice.restitution is 3; it must be at most 1"),
                ({"materials": [7]}, '"materials"', "materials is a list of 1; it must be an object"),
                ({"hulls": {"flat": {"points": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]}}}, '"flat"', "hulls.flat: the points all lie in one plane"),
                ({"hulls": {"h": {"points": [[0, 0, 0], "a"]}}}, '"a"', 'hulls.h.points[1] is "a"; it must be a list of 3 numbers'),
                ({"meshes": {"m": {}}}, '"m"', 'meshes.m must have a "file", or "vertices" and "triangles"'),
                ({"meshes": {"m": {"file": "none.obj"}}}, '"file"', f"meshes.m.file: {self.path('none.obj')}: No such file"),
                ({"meshes": {"m": {**SQUARE, "file": "x.obj"}}}, '"vertices"', 'meshes.m.vertices does not go with "file"'),
                ({"meshes": {"m": {**SQUARE, "triangles": [[0, 1, 98]]}}}, "98", "meshes.m.triangles[0][2] is 98; it must be at most 3"),
                ({"meshes": {"m": {**SQUARE, "triangles": [[0, 1]]}}}, '"triangles"', "meshes.m.triangles[0] is a list of 2"),
                ({"meshes": {"m": {**SQUARE, "triangles": []}}}, '"m"', "meshes.m: "),
                ({"meshes": {"m": {**SQUARE, "triangles": [[0, 1, 1]]}}}, '"m"', "meshes.m: "),
                ({"meshes": {"m": {**SQUARE, "materials": [0]}}}, '"materials"', "meshes.m.materials is a list of 1; it must be a list of 2"),
                ({"meshes": {"m": {**SQUARE, "scale": 0}}}, '"scale"', "meshes.m.scale is 0; it must be above 0"),
                ({"height_fields": {"f": {**field, "heights": [1]}}}, '"heights"', "height_fields.f.heights is a list of 1; it must be a list of 4"),
                ({"height_fields": {"f": {**field, "file": "x"}}}, '"f"', 'height_fields.f must have either "heights" or a "file"'),
                ({"height_fields": {"f": {**field, "holes": [[0, 98]]}}}, "98", "height_fields.f.holes[0][1] is 98; it must be at most 0"),
                ({"height_fields": {"f": {**field, "columns": 1}}}, '"columns"', "height_fields.f.columns is 1; it must be at least 2"),
                ({"compounds": {"c": {"parts": []}}}, '"c"', "compounds.c: "),
                ({"compounds": {"c": {"parts": [box, {**box, "density": 98}]}}}, '"density"', "compounds.c.parts[1].density is no field"),
                ({"compounds": {"c": {"parts": [{"type": "mesh"}]}}}, '"mesh"', 'compounds.c.parts[0].type is "mesh"; it must be one of: sphere')):
            text = json.dumps({"version": 1, **fields, "bodies": [FLOOR]}, indent=1)
            path = self.write("my.json", text)
            line = text[:text.index(marker)].count("\n") + 1
            result = self.refused("run", path, says=says)
            found = int(re.match(rf"cairn run: {re.escape(path)}:(\d+): ", result.stderr).group(1))
            self.assertIn(found - line, (0, 1) if "[" in says.split(" ")[0] else (0,), (text, result.stderr))

    def test_joints(self):
        hinge = {"type": "hinge", "a": "one", "b": "two", "anchor": [0, 1, 0], "axis": [0, 0, 1]}
        bodies = [FLOOR, {**BALL, "name": "one"}, {**BALL, "name": "two", "grid": {"count": [3, 1, 1], "spacing": 2}}]
        for fields, marker, says in (
                ({"type": "hing"}, '"hing"', '.type is "hing"; did you mean "hinge"?'),
                ({"a": "wto"}, '"wto"', '.a names the body "wto", which there is not; did you mean "two"?'),
                ({"a": 98765}, "98765", ".a is 98765; it must be a text"),
                ({"a": "two[3]"}, '"two[3]"', '.a is "two[3]", which stands for body 3 of 3 here; they count from 0'),
                ({"a": "two[-1]"}, '"two[-1]"', '.a is "two[-1]", which stands for body -1 of 3'),
                ({"a": "two[1"}, '"two[1"', '.a names the body "two[1", which there is not'),
                ({"a": "two[1]x"}, '"two[1]x"', '.a names the body "two[1]x", which there is not'),
                ({"repeat": {"count": 4}, "a": None}, '"b"', '.b is "two", which stands for body 3 of 3'),
                ({"repeat": {"count": 0}}, '"count": 0', ".repeat.count is 0; it must be at least 1"),
                ({"repeat": 98}, '"repeat"', ".repeat is 98; it must be an object"),
                ({"anchr": [0, 0, 0]}, '"anchr"', '.anchr is no field of this object; did you mean "anchor"?'),
                ({"axis": [0, 1]}, '"axis"', ".axis is a list of 2; it must be a list of 3 numbers"),
                ({"limits": [1, 2, 3]}, '"limits"', ".limits is a list of 3; it must be a list of 2 numbers"),
                ({"limits": [0, "?"]}, '"?"', '.limits[1] is "?"; it must be a number'),
                ({"limits": [0, 1], "freedom": "free"}, '"freedom"', '.freedom does not go with "limits"'),
                ({"freedom": "limited"}, '"limited"', '.freedom is "limited"; it must be one of: free, locked'),
                ({"motor": {"speed": 1}}, '"motor"', '.motor has no "max_force", which it must have'),
                ({"motor": {"max_force": 1}}, '"motor"', '.motor must have either "speed" or "place"'),
                ({"motor": {"max_force": 1, "speed": 1, "place": 1}}, '"motor"', '.motor must have either'),
                ({"friction": -98}, "-98", ".friction is -98; it must be at least 0"),
                ({"axes": {"twst": {}}}, '"twst"', '.axes.twst is no field of this object; did you mean "twist"?'),
                ({"axes": {"x": {"spring": {"stiffness": -98}}}}, "-98", ".axes.x.spring.stiffness is -98; it must be at least 0"),
                ({"break_force": "?"}, '"?"', '.break_force is "?"; it must be a number, at least 0')):
            scene = self.scene(*bodies, joints=[{**hinge, "a": "world"}, {**hinge, **fields}])
            self.refused_scene(scene, marker, "joints[1]" + says)
        for fields, says in (({"axis": [0, 0, 0]}, "axis"), ({"a": "two"}, "same body"), ({"b": None, "a": None}, "both"),
                             ({"limits": [1, -1]}, "lower"), ({"break_torque": 0}, "torque"), ({"a": "world", "b": "floor"}, "dynamic")):
            scene = self.scene(*bodies, {**FLOOR, "name": "floor"}, joints=[{**hinge, **fields}])
            result = self.refused("run", self.write_scene(scene), says="joints[0]: ")
            self.assertIn(says, result.stderr)
        self.refused_scene(self.scene(*bodies, joints=98765), "98765", "joints is 98765; it must be a list of joints")
        self.refused("run", self.write_scene(self.scene(*bodies, joints=[{"a": "one"}])), says='joints[0] has no "type", which it must')

    def test_names_of_bodies(self):
        for name, says in (("world", "it must be some letters"), ("", "it must be some letters"), ("a[0]", "it must be some letters"),
                           ("a.b", "it must be some letters"), ("x" * 256, "it must be some letters"), (98765, "it must be a text"),
                           ("ball", "as that of another body")):
            scene = self.scene({**BALL, "name": "ball"}, {"name": name})
            self.refused("run", self.write_scene(scene), says="bodies[1].name is ")
            self.refused("run", self.path("my.json"), says=says)

    def test_paths_and_ragdolls(self):
        for fields, says in (
                ({"path": {}}, 'bodies[0].path has no "keys", which it must have'),
                ({"path": {"keys": 5}}, "bodies[0].path.keys is 5; it must be a list of keys"),
                ({"path": {"keys": [{"time": 0}, {}]}}, 'bodies[0].path.keys[1] has no "time"'),
                ({"path": {"keys": [{"time": 1}, {"time": 0}]}}, "bodies[0].path: "),
                ({"path": {"keys": []}}, "bodies[0].path: "),
                ({"path": {"keys": [{"time": 0}], "blocked": "stal"}}, 'bodies[0].path.blocked is "stal"; did you mean "stall"?'),
                ({"path": {"keys": [{"time": 0}]}, "type": "dynamic"}, "bodies[0].path: ")):
            self.refused("run", self.write_scene(self.scene({"type": "kinematic", **fields})), says=says)
        for doll, says in (
                ({"height": -1}, "ragdolls[0].height is -1; it must be above 0"),
                ({"height": 1e6}, "ragdolls[0]: "),
                ({"pose": {"tail": [0, 0, 0, 1]}}, "ragdolls[0].pose.tail is no field"),
                ({"pose": {"head": 5}}, "ragdolls[0].pose.head is 5; it must be [x, y, z, w]"),
                ({"kinematic": ["hed"]}, 'ragdolls[0].kinematic[0] is "hed"; did you mean "head"?'),
                ({"drive": {"strenth": 1}}, 'ragdolls[0].drive.strenth is no field of this object; did you mean "strength"?'),
                ({"material": "x"}, 'ragdolls[0].material names the material "x"'),
                ({"name": "world"}, "ragdolls[0].name is "), ({"rotation": 5}, "ragdolls[0].rotation is 5")):
            self.refused("run", self.write_scene(self.scene(ragdolls=[doll])), says=says)

    def test_names_that_do_not_fit(self):
        scene = self.scene({"type": "static", "shapes": [{"type": "mesh", "mesh": "sqare"}]}, meshes={"square": SQUARE})
        self.refused_scene(scene, '"sqare"', 'bodies[0].shapes[0].mesh names the mesh "sqare", which there is not; did you mean "square"?')
        scene["bodies"][0]["shapes"][0] = {"type": "mesh", "mesh": "square", "materials": []}
        scene["meshes"] = {"square": {**SQUARE, "materials": [0, 3]}}
        self.refused_scene(scene, '"materials": []', 'bodies[0].shapes[0].materials has 0 materials; "square" calls for 4')
        scene["bodies"][0]["shapes"][0]["materials"] = {"a": "b"}
        self.refused_scene(scene, '"materials": {', "bodies[0].shapes[0].materials is an object; it must be a list of materials")

    def test_names_with_escapes_and_strange_layouts(self):
        text = '{"version":1,"materials":{"a\\"]}":{},\n\n"\\u00e9":{"friction":"?"}},"bodies":[]}'
        self.refused_text(text, '"?"', "materials.é.friction")

    def test_mutations(self):
        for name in ("first.json", "machine.json"):
            with open(os.path.join(EXAMPLES, name), encoding="utf-8") as file:
                self.mutate(file.read())

    def mutate(self, whole):
        numbers, refused = random.Random(11), 0
        pieces = ["-1", "0", "1e999", "null", "[]", "{}", '""', "true", '"x"', "}", "]", ",", "1e-60", "99999999999999999999", "\\"]
        for _ in range(MUTATIONS):
            text = whole
            for _ in range(numbers.randint(1, 2)):
                tokens = list(re.finditer(r'"[^"]*"|-?[0-9.]+|[{}\[\],:]', text))
                token = numbers.choice(tokens)
                text = text[:token.start()] + numbers.choice(pieces) + text[token.end():]
            if numbers.random() < 0.1:
                text = text[:numbers.randrange(len(text))]
            result = self.cairn("run", self.write("my.json", text), "--steps", "2")
            self.assertIn(result.returncode, (0, 2), (text, result.stderr))
            if result.returncode == 2:
                refused += 1
                self.assertRegex(result.stderr, r"^cairn run: .*my\.json.*\n$", text)
        self.assertGreater(refused, MUTATIONS // 2)


class Models(SceneBase):
    def setUp(self):
        super().setUp()
        if not os.path.exists(os.path.join(os.path.dirname(program_base.PROGRAM), "cairn-mesh")):
            self.skipTest("built without assimp")

    def info(self, name, content):
        return json_lines(self.good("info", self.write(name, content), "--json"))[0]

    def test_obj(self):
        cube = self.info("cube.obj", obj_cube())
        self.assertEqual((cube["vertices"], cube["triangles"], cube["dropped"], cube["closed"]), (8, 12, 0, True))
        self.assertEqual((cube["materials"], cube["material_triangles"]), (["grass", "rock"], [6, 6]))
        self.assertNear(cube["lower"] + cube["upper"] + [cube["volume"]], [0, 0, 0, 1, 1, 1, 1])
        text = self.good("info", self.path("cube.obj")).stdout
        self.assertIn("closed, 1 m^3 inside", text)
        opened = self.info("open.obj", "\n".join(obj_cube().splitlines()[:-1]))
        self.assertEqual((opened["closed"], opened["open_edges"]), (False, 3))

    def test_polygons_and_relative_numbers(self):
        square = self.info("square.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv -1 0.5 0\nf -5 -4 -3 -2 -1\nl 1 2\n")
        self.assertEqual((square["vertices"], square["triangles"], square["open_edges"]), (5, 3, 5))

    def test_same_places_are_welded(self):
        lines = []
        for triangle in CUBE_TRIANGLES:
            lines += ["v %g %g %g" % CUBE[k] for k in triangle] + ["f -3 -2 -1"]
        soup = self.info("soup.obj", "\n".join(lines).replace("v 0 ", "v -0.0 "))
        self.assertEqual((soup["vertices"], soup["triangles"], soup["closed"]), (8, 12, True))

    def test_glb_with_nodes(self):
        one = self.info("one.glb", glb([{}]))
        self.assertEqual((one["vertices"], one["triangles"], one["materials"], one["closed"]), (8, 12, ["paint"], True))
        # A node within a node, turned about y by 90 degrees; and a mirrored one, whose inside must stay inside.
        half = math.sqrt(0.5)
        three = self.info("three.glb", glb([{}, {"mesh": None, "translation": [10, 0, 0], "scale": [2, 2, 2], "children": [3]},
                                            {"scale": [-1, 1, 1], "translation": [-5, 0, 0]},
                                            {"inner": True, "rotation": [0, half, 0, half], "translation": [0, 3, 0]}]))
        self.assertEqual((three["vertices"], three["triangles"], three["closed"]), (24, 36, True))
        self.assertNear(three["lower"] + three["upper"], [-6, 0, -2, 12, 8, 1], 1e-5)
        self.assertAlmostEqual(three["volume"], 1 + 1 + 8, delta=1e-4)

    def test_gltf_with_a_buffer_beside_it(self):
        description, binary = gltf_cube([{}])
        for uri in ("cube.bin", "data:application/octet-stream;base64," + base64.b64encode(binary).decode()):
            description["buffers"][0]["uri"] = uri
            self.write("cube.bin", binary)
            self.assertEqual(self.info("cube.gltf", json.dumps(description))["volume"], 1)
        description["buffers"][0]["uri"] = "missing.bin"
        self.refused("info", self.write("cube.gltf", json.dumps(description)), says="cube.gltf: ")

    def test_meshes_of_scenes(self):
        """A ball rests on a floor of a model in another folder; names of its materials are checked."""
        os.mkdir(self.path("models"))
        self.write("models/floor.obj", "v -1 0 -1\nv 1 0 -1\nv 1 0 1\nv -1 0 1\nusemtl top\nf 4 3 2 1\nf 1 1 2\n")
        shape = {"type": "mesh", "mesh": "floor", "materials": {"top": "ice"}}
        scene = self.scene({"type": "static", "shapes": [shape]}, {**BALL, "position": [3, 1, 4]},
                           meshes={"floor": {"file": "models/floor.obj", "scale": [10, 1, 10]}}, materials={"ice": {"friction": 0}})
        self.assertAlmostEqual(self.heights(scene, 120)[1], 0.5, delta=2e-3)
        result = self.good("run", self.write_scene(scene), "--steps", "1")
        self.assertEqual(result.stderr, f"cairn run: {self.path('models/floor.obj')}: 1 of 3 triangles have no area and are left out\n")
        shape["materials"] = {"topp": "ice"}
        self.assertIn('shapes[0].materials.topp is no material of the mesh "floor"; did you mean "top"?',
                      self.good("run", self.write_scene(scene), status=2).stderr)

    def test_bad_models(self):
        for name, content, says in (("none.obj", "", "none.obj: "), ("points.obj", "v 0 0 0\nv 1 0 0\nl 1 2\n", "no triangles"),
                                    ("text.glb", "hello", "text.glb: "), ("cut.glb", glb([{}])[:300], "cut.glb: "),
                                    ("flat.obj", "v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n", "flat.obj: "),
                                    ("nan.obj", "v 0 0 0\nv 1 0 0\nv nan 0 1\nf 1 2 3\n", "nan.obj: ")):
            self.refused("info", self.write(name, content), says=says)
        self.refused("info", self.path("missing.glb"), says="missing.glb: No such file or directory")

    def test_damage_is_survived(self):
        numbers, refused = random.Random(5), 0
        wholes = {"broken.glb": glb([{}, {"scale": [2, 2, 2]}]), "broken.obj": obj_cube().encode()}
        for i in range(MUTATIONS):
            name = ("broken.glb", "broken.glb", "broken.obj")[i % 3]
            content = bytearray(wholes[name])
            for _ in range(numbers.randint(1, 4)):
                content[numbers.randrange(len(content))] = numbers.choice((numbers.randrange(256), ord("9"), ord("-"), 0, 255))
            if numbers.random() < 0.1:
                content = content[:numbers.randrange(len(content))]
            result = self.cairn("info", self.write(name, bytes(content)))
            self.assertIn(result.returncode, (0, 2), result.stderr)
            if result.returncode == 2:
                refused += 1
                self.assertRegex(result.stderr, rf"^cairn info: .*{name}: .+\n$")
        self.assertGreater(refused, 0)


class Helpers(SceneBase):
    """The program that reads models may be missing, crash, or write nonsense."""

    def ask(self, helper):
        program = self.path("cairn")
        shutil.copy(program_base.PROGRAM, program)
        if helper is not None:
            os.chmod(self.write("cairn-mesh", "#!/bin/sh\n" + helper + "\n"), 0o755)
        model = self.write("cube.obj", obj_cube())
        result = subprocess.run([program, "info", model], capture_output=True, text=True, timeout=60)
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        self.assertTrue(result.stderr.startswith(f"cairn info: {model}: "), result.stderr)
        return result.stderr

    def test_sentences(self):
        self.assertIn("built without assimp", self.ask(None))
        self.assertIn("the file is damaged or too large: the assimp library failed on it", self.ask("kill -SEGV $$"))
        self.assertIn("did not write all of it", self.ask("printf CAIRNTRI; head -c 16 /dev/zero | tr '\\0' '\\1'"))
        self.assertIn("too odd", self.ask("printf 'too odd' >&2; exit 1"))


if __name__ == "__main__":
    program_base.main(__doc__)
