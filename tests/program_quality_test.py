"""Tests of scenes and quality cases with shapes of many parts. Usage: program_quality_test.py PATH_OF_CAIRN"""
import program_base
from program_base import Base, json_lines


class Quality(Base):
    def cases(self, *arguments):
        return json_lines(self.cairn("quality", *arguments, "--json"))

    def test_arch_stands_above_the_least_friction_and_falls_below(self):
        cases = self.cases("arch")
        self.assertEqual([case["stones"] for case in cases], [15] * 4 + [23] * 4 + [31] * 4)
        for case in cases:
            # 0.309: limit analysis of thick semicircular arches, done independently of the program.
            self.assertAlmostEqual(case["mu_bound"], 0.309, delta=0.001)
            self.assertEqual(case["stands"], "yes" if case["mu"] > case["mu_bound"] else "no")
            self.assertTrue(case["pass"] and case["judged"], case)

    def test_cards_stand(self):
        case = self.cases("cards")[0]
        self.assertTrue(case["stands"])
        self.assertLess(case["drift"], 0.002)

    def test_nothing_passes(self):
        for case in self.cases("tunnel", "--speed", "300"):
            self.assertEqual(case["speed"], 300)
            self.assertEqual((case["hits"], case["passed"]), (case["shots"], 0), case)
            self.assertLess(case["energy_gain"], 1e-3)

    def test_a_thousand_shots(self):
        cases = self.cases("tunnel")
        self.assertEqual(sum(case["shots"] for case in cases), 1000)
        self.assertEqual(sum(case["passed"] for case in cases), 0)

    def test_meshes_and_height_fields_have_no_seams(self):
        cases = {(case["surface"], case["body"]): case for case in self.cases("bumps")}
        self.assertEqual(len(cases), 24)
        for surface in ("mesh", "height_field"):
            for body in ("box", "sphere", "capsule", "hull"):
                self.assertLess(cases[surface, body]["vertical_speed"], 1e-3, (surface, body))
                self.assertGreater(cases[surface, body]["way"], 55.0)

    def test_far_away_is_the_same(self):
        for arguments in (("slope",), ("tower", "--height", "10"), ("stop",), ("momentum",)):
            for here, away in zip(self.cases(*arguments), self.cases(*arguments, "--origin", "1e6")):
                self.assertEqual(here["pass"], away["pass"], (here, away))
                for key in here.keys() & {"drift", "slip_angle_deg", "distance", "rolling_speed"}:
                    self.assertAlmostEqual(here[key], away[key], delta=1e-3 * max(1.0, abs(here[key])))

    def test_parameters_of_other_cases_are_refused(self):
        self.refused("quality", "tower", "--speed", "5", says="no parameter --speed")
        self.refused("quality", "tunnel", "--speed", "-5", says="speed")
        self.refused("quality", "cards", "--origin", "far", says="origin")


class Scenes(Base):
    def test_mesh_is_exported(self):
        lines = [line.split() for line in self.good("scenes", "terrain", "--export", "-").stdout.splitlines()]
        mesh = [words for words in lines if words[0] == "mesh"]
        self.assertEqual(len(mesh), 1)
        vertices, triangles = int(mesh[0][11]), int(mesh[0][12])
        self.assertEqual((vertices, triangles), (101 * 101, 20000))
        self.assertEqual(len(mesh[0]), 13 + 3 * vertices + 3 * triangles)
        heights = [float(word) for word in mesh[0][14:13 + 3 * vertices:3]]
        self.assertAlmostEqual(max(heights) - min(heights), 2.0, delta=0.1)
        indices = [int(word) for word in mesh[0][13 + 3 * vertices:]]
        self.assertEqual((min(indices), max(indices)), (0, vertices - 1))

    def test_bodies(self):
        for name, count in (("mesh_pile", 5000), ("bricks", 3137), ("arch", 23), ("cards", 15)):
            text = self.good("scenes", name, "--export", "-").stdout
            self.assertEqual(text.count("body dynamic"), count, name)

    def test_bricks_stand_until_they_are_hit(self):
        result = json_lines(self.good("bench", "bricks", "--steps", "55", "--json"))[0]
        ball = 0.5 * 1047.2 * 925.0 / (1047.2 + 3136 * 50.0)  # J per kg of everything: 30 m/s and 4.2 m/s down, by now
        self.assertLess(result["kinetic_energy_per_kg"], 1.02 * ball)
        self.assertLess(result["max_penetration"], 0.01)

    def test_nobody_falls_through_the_terrain(self):
        result = json_lines(self.good("bench", "mesh_pile", "--steps", "60", "--json"))[0]
        self.assertEqual(result["fallen"], 0)

    def test_rays(self):
        result = json_lines(self.good("bench", "rays", "--rays", "1000", "--steps", "1", "--json"))[0]
        self.assertEqual((result["rays"], result["casts"]), (1000, 100))
        for key in ("rays_per_second", "casts_per_second", "terrain_rays_per_second", "terrain_casts_per_second"):
            self.assertGreater(result[key], 0.0)
        for key, count in (("ray_hits", 1000), ("cast_hits", 100), ("terrain_ray_hits", 1000), ("terrain_cast_hits", 100)):
            self.assertEqual(result[key], count)


if __name__ == "__main__":
    program_base.main(__doc__)
