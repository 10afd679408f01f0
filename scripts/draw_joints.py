#!/usr/bin/env python3
"""Draws the pictures of docs/joints.md: each joint as two bodies, seen from above at an angle, with an arrow for every way it moves.

Usage: draw_joints.py [FOLDER]     docs/images/joints unless told

Body a is grey and body b is yellow. Green arrows are free, red ones limited, blue ones driven. y is up.
"""
import math
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SIZE, LARGE = (220, 160, 42.0), (440, 240, 68.0)  # width and height in pixels, pixels per metre
YAW, PITCH = math.radians(32), math.radians(24)  # of the viewer
LIGHT = (0.35, 0.85, 0.4)
GREY, YELLOW, PALE = "#8394a8", "#f0c36a", "#dfe4ea"
FREE, LIMITED, DRIVEN, LINE = "#15904b", "#c8341d", "#2563eb", "#39424e"
X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


def add(a, b):
    return tuple(x + y for x, y in zip(a, b))


def scale(s, a):
    return tuple(s * x for x in a)


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def unit(a):
    return scale(1.0 / math.sqrt(dot(a, a)), a)


def turned(v, axis, degrees):
    """v turned about a unit axis."""
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return add(add(scale(c, v), scale(s, cross(axis, v))), scale((1.0 - c) * dot(axis, v), axis))


def across(axis):
    """Two unit vectors that make a right-handed frame with the axis: axis, u, v."""
    u = unit(cross(Y if abs(axis[1]) < 0.9 else X, axis))
    return u, cross(axis, u)


RIGHT = (math.cos(YAW), 0.0, -math.sin(YAW))
VIEW = (math.sin(YAW) * math.cos(PITCH), math.sin(PITCH), math.cos(YAW) * math.cos(PITCH))
UP = cross(VIEW, RIGHT)


def shaded(color, normal):
    """Darker where the face is turned away from the light."""
    bright = 0.66 + 0.36 * max(0.0, dot(unit(normal), unit(LIGHT)))
    channels = [int(color[i:i + 2], 16) for i in (1, 3, 5)]
    return "#" + "".join(f"{min(255, round(c * bright)):02x}" for c in channels)


def hull(points):
    """The outline of points in the plane (Andrew's monotone chain)."""
    def half(ordered):
        chain = []
        for p in ordered:
            while len(chain) > 1 and ((chain[-1][0] - chain[-2][0]) * (p[1] - chain[-2][1]) -
                                      (chain[-1][1] - chain[-2][1]) * (p[0] - chain[-2][0])) <= 0:
                chain.pop()
            chain.append(p)
        return chain[:-1]
    ordered = sorted(set(points))
    return half(ordered) + half(ordered[::-1])


def path(points, closed=False):
    text = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    return text + ("Z" if closed else "")


class Picture:
    """Things are drawn over each other in the order in which they are added."""

    def __init__(self, width, height, pixels_per_metre):
        self.width, self.height, self.scale = width, height, pixels_per_metre
        self.parts = []

    def project(self, p):
        return (self.width / 2 + self.scale * dot(p, RIGHT), self.height / 2 - self.scale * dot(p, UP))

    def stroke(self, points, color, width=2.0, dash=None, closed=False, fill="none", opacity=None):
        dashes = f' stroke-dasharray="{dash}"' if dash else ""
        faint = f' fill-opacity="{opacity}"' if opacity else ""
        self.parts.append(f'<path d="{path(points, closed)}" fill="{fill}"{faint} stroke="{color}" stroke-width="{width}"'
                          f'{dashes} stroke-linejoin="round" stroke-linecap="round"/>')

    def line(self, points, color=LINE, width=2.0, dash=None):
        self.stroke([self.project(p) for p in points], color, width, dash)

    def solid(self, faces, color, smooth=False, outline=True):
        """Faces are counter-clockwise from outside. Those that look at the viewer are drawn, far ones first."""
        seen = []
        for face in faces:
            normal = cross(add(face[1], scale(-1, face[0])), add(face[2], scale(-1, face[1])))
            if dot(normal, VIEW) > 1e-9:
                seen.append((sum(dot(p, VIEW) for p in face) / len(face), face, normal))
        for _, face, normal in sorted(seen, key=lambda item: item[0]):
            fill = shaded(color, normal)
            edge = fill if smooth and len(face) == 4 else shaded(LINE, normal)
            self.stroke([self.project(p) for p in face], edge, 0.8, closed=True, fill=fill)
        if outline:
            self.stroke(hull([self.project(p) for face in faces for p in face]), LINE, 1.4, closed=True)

    def box(self, center, half, color, turn=None):
        """`turn` is an axis and degrees, about the origin of the picture."""
        def corner(i, j, k):
            p = add(center, (i * half[0], j * half[1], k * half[2]))
            return turned(p, *turn) if turn else p
        faces = []
        for axis in range(3):
            for sign in (1, -1):
                ring = [(1, 1), (-1, 1), (-1, -1), (1, -1)][::sign]
                at = [[0, 0, 0] for _ in ring]
                for place, (u, v) in zip(at, ring):
                    place[axis], place[(axis + 1) % 3], place[(axis + 2) % 3] = sign, u, v
                faces.append([corner(*place) for place in at])
        self.solid(faces, color)

    def rod(self, start, end, radius, color, profile=None):
        """A round bar, or one with the given radii around it."""
        axis = unit(add(end, scale(-1, start)))
        u, v = across(axis)
        radii = profile or [radius] * 36
        angles = [2 * math.pi * i / len(radii) for i in range(len(radii))]
        ring = [add(scale(r * math.cos(t), u), scale(r * math.sin(t), v)) for r, t in zip(radii, angles)]
        low, high = [add(start, p) for p in ring], [add(end, p) for p in ring]
        sides = [[low[i], low[(i + 1) % len(ring)], high[(i + 1) % len(ring)], high[i]] for i in range(len(ring))]
        self.solid([*sides, high, low[::-1]], color, smooth=profile is None, outline=profile is None)

    def ball(self, center, radius, color):
        x, y = self.project(center)
        r = radius * self.scale
        self.parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{r:.1f}" fill="{shaded(color, VIEW)}" stroke="{LINE}" '
                          f'stroke-width="1.4"/>')
        self.parts.append(f'<circle cx="{x - 0.25 * r:.1f}" cy="{y - 0.35 * r:.1f}" r="{0.4 * r:.1f}" fill="#ffffff" '
                          f'fill-opacity="0.35"/>')

    def coil(self, start, end, turns, radius):
        axis = add(end, scale(-1, start))
        u, v = across(unit(axis))
        points = [start]
        for i in range(20 * turns + 1):
            t = i / (20 * turns)
            angle = 2 * math.pi * turns * t
            middle = add(start, scale(0.1 + 0.8 * t, axis))
            points.append(add(middle, add(scale(radius * math.cos(angle), u), scale(radius * math.sin(angle), v))))
        self.line([*points, end], LINE, 1.8)

    def heads(self, points, color, both):
        ends = [points, points[::-1]] if both else [points]
        for run in ends:
            tip = run[-1]
            back = next(p for p in reversed(run) if math.dist(p, tip) > 7.0)
            angle = math.atan2(tip[1] - back[1], tip[0] - back[0])
            corners = [(tip[0] + r * math.cos(angle + t), tip[1] + r * math.sin(angle + t)) for r, t in ((4, 0), (8, 2.4), (8, -2.4))]
            self.stroke(corners, "#ffffff", 1.0, closed=True, fill=color)

    def arrow(self, points, color=FREE, both=True):
        flat = [self.project(p) for p in points]
        self.stroke(flat, "#ffffff", 5.5)
        self.stroke(flat, color, 2.8)
        self.heads(flat, color, both)

    def arc(self, center, axis, radius, first, last, color=FREE, both=True, zero=None):
        """Degrees count about the axis, from `zero`."""
        zero = zero or across(axis)[0]
        steps = max(2, round(abs(last - first) / 6))
        turns = [first + (last - first) * i / steps for i in range(steps + 1)]
        self.arrow([add(center, scale(radius, turned(zero, axis, t))) for t in turns], color, both)

    def text(self, place, words, color):
        x, y = self.project(place)
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" fill="{color}" font-family="sans-serif" font-size="12" '
                          f'text-anchor="middle">{words}</text>')

    def svg(self):
        return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width}" height="{self.height}" viewBox="0 0 {self.width} {self.height}">\n'
                f'<rect width="{self.width}" height="{self.height}" rx="8" fill="#ffffff"/>\n' + "\n".join(self.parts) + "\n</svg>\n")


# ---- The joints

def frames(p):
    """The six coordinates: three ways along the axes of frame a, and swing and twist."""
    muted, origin, place = "#46525f", (-1.8, -0.75, 0.5), (0.35, 0.0, 0.0)
    p.box(add(origin, (-0.25, -0.2, -0.25)), (0.25, 0.2, 0.25), GREY)
    p.line([origin, place], LINE, 1.4, "4 4")
    p.text((-0.8, -0.15, 0.25), "x, y, z", LINE)
    for axis, name in ((X, "x"), (Y, "y"), (Z, "z")):
        p.arrow([origin, add(origin, scale(0.9, axis))], muted, both=False)
        p.text(add(origin, scale(1.15, axis)), name, muted)
    swung = turned(X, Z, 42)
    p.line([place, add(place, scale(1.9, X))], muted, 1.4, "2 4")
    p.text(add(place, (2.2, 0.0, 0.0)), "x of a", muted)
    p.box(place, (0.3, 0.3, 0.3), YELLOW)
    p.arrow([add(place, scale(0.3, swung)), add(place, scale(1.9, swung))], "#b07d1a", both=False)
    p.text(add(place, scale(2.2, swung)), "x of b", "#b07d1a")
    p.arc(place, Z, 1.55, 3, 37, FREE, False, X)
    p.text(add(place, scale(1.95, turned(X, Z, 19))), "swing", FREE)
    p.arc(add(place, scale(0.95, swung)), swung, 0.3, -130, 140, FREE, False)
    p.text(add(place, add(scale(0.9, swung), (0.0, 0.5, 0.0))), "twist", FREE)


def socket(p):
    p.box((-1.55, 0.0, 0.0), (0.25, 0.7, 0.6), GREY)
    p.rod((-1.3, 0.0, 0.0), (-1.1, 0.0, 0.0), 0.32, GREY)


def arm(p):
    p.ball((-0.95, 0.0, 0.0), 0.28, YELLOW)
    p.rod((-0.72, 0.0, 0.0), (0.3, 0.0, 0.0), 0.12, YELLOW)
    p.box((0.55, 0.0, 0.0), (0.3, 0.25, 0.25), YELLOW)


def swing_and_twist(p, color):
    anchor = (-0.95, 0.0, 0.0)
    p.arc((-0.2, 0.0, 0.0), X, 0.4, -130, 130, color, True, Y)
    p.arc(anchor, Z, 2.2, -28, 28, color, True, X)
    p.arc(anchor, Y, 2.2, -28, 28, color, True, X)


def ball(p):
    socket(p)
    arm(p)
    swing_and_twist(p, FREE)


def cone_twist(p):
    socket(p)
    rim = [(0.85, 0.95 * math.cos(math.radians(t)), 0.95 * math.sin(math.radians(t))) for t in range(0, 360, 10)]
    flat = [p.project(q) for q in rim]
    p.stroke(hull([p.project((-0.95, 0.0, 0.0)), *flat]), LIMITED, 1.0, "3 3", True, LIMITED, 0.1)
    arm(p)
    p.stroke(flat, LIMITED, 1.4, "4 3", True, LIMITED, 0.08)
    swing_and_twist(p, LIMITED)


def hinge(p):
    p.box((-0.85, 0.0, 0.0), (0.7, 0.12, 0.8), GREY)
    p.rod((0.0, 0.0, -1.0), (0.0, 0.0, -0.5), 0.2, YELLOW)
    p.box((0.85, 0.0, 0.0), (0.7, 0.12, 0.8), YELLOW, (Z, -35))
    p.rod((0.0, 0.0, -0.5), (0.0, 0.0, 0.45), 0.2, GREY)
    p.rod((0.0, 0.0, 0.45), (0.0, 0.0, 0.95), 0.2, YELLOW)
    p.line([(0.0, 0.0, 0.95), (0.0, 0.0, 1.6)], LINE, 1.4, "5 3")
    p.arc((0.0, 0.0, 0.0), Z, 1.8, -55, 15, FREE, True, X)


def slider(p):
    p.rod((-2.0, -0.1, 0.0), (2.0, -0.1, 0.0), 0.12, GREY)
    p.box((-2.0, -0.2, 0.0), (0.1, 0.5, 0.4), GREY)
    p.box((0.0, 0.0, 0.0), (0.6, 0.4, 0.5), YELLOW)
    p.rod((0.6, -0.1, 0.0), (2.0, -0.1, 0.0), 0.12, GREY)
    p.box((2.0, -0.2, 0.0), (0.1, 0.5, 0.4), GREY)
    p.arrow([(-1.0, 0.85, 0.0), (1.0, 0.85, 0.0)])


def cylindrical(p):
    p.rod((-1.9, 0.0, 0.0), (1.9, 0.0, 0.0), 0.2, GREY)
    p.rod((-0.6, 0.0, 0.0), (0.6, 0.0, 0.0), 0.5, YELLOW)
    p.rod((0.6, 0.0, 0.0), (1.9, 0.0, 0.0), 0.2, GREY)
    p.arrow([(-1.0, 0.95, 0.0), (1.0, 0.95, 0.0)])
    p.arc((1.15, 0.0, 0.0), X, 0.5, -140, 130, FREE, True, Y)


def planar(p):
    p.box((0.0, -0.55, 0.0), (1.7, 0.1, 1.3), GREY)
    p.box((0.0, -0.25, 0.0), (0.55, 0.2, 0.45), YELLOW)
    p.arrow([(0.72, -0.42, 0.0), (1.65, -0.42, 0.0)], both=False)
    p.arrow([(0.0, -0.42, 0.6), (0.0, -0.42, 1.4)], both=False)
    p.arc((0.0, 0.3, 0.0), Y, 0.55, -60, 200, FREE, True, X)
    p.line([(0.0, -0.05, 0.0), (0.0, 0.95, 0.0)], LINE, 1.4, "5 3")


def fixed(p):
    p.box((-0.7, -0.1, 0.0), (0.7, 0.45, 0.5), GREY)
    p.box((0.7, 0.1, 0.0), (0.7, 0.3, 0.4), YELLOW)
    seam = [(0.0, 0.4, -0.4), (0.0, 0.4, 0.4), (0.0, -0.2, 0.4)]
    p.line(seam, LINE, 4.0, "1 5")


def distance(p):
    a, b = (-1.3, -0.5, 0.0), (1.2, 0.4, 0.0)
    p.ball(a, 0.4, GREY)
    p.rod(add(a, (0.3, 0.11, 0.0)), add(b, (-0.3, -0.11, 0.0)), 0.07, PALE)
    p.ball(b, 0.4, YELLOW)
    p.arc(a, Z, 2.66, 28, 42, FREE, False, X)
    p.arc(a, Z, 2.66, 12, -4, FREE, False, X)


def rope(p):
    a, b = (-1.3, 0.45, 0.0), (1.1, 0.1, 0.0)
    ways = [t / 24 for t in range(25)]
    p.line([add(add(a, scale(t, add(b, scale(-1, a)))), (0.0, -4.4 * t * (1 - t), 0.0)) for t in ways], "#8a6a3b", 3.0)
    p.ball(a, 0.4, GREY)
    p.ball(b, 0.4, YELLOW)
    p.arrow([(1.65, 0.05, 0.0), (2.25, -0.05, 0.0)], LIMITED, False)


def spring(p):
    p.box((-1.5, 0.0, 0.0), (0.3, 0.5, 0.5), GREY)
    p.coil((-1.2, 0.0, 0.0), (0.8, 0.0, 0.0), 7, 0.28)
    p.box((1.1, 0.0, 0.0), (0.35, 0.4, 0.4), YELLOW)
    p.arrow([(0.5, 0.85, 0.0), (1.7, 0.85, 0.0)])


def wheel(p):
    p.box((0.0, 0.85, -0.95), (1.3, 0.25, 0.35), GREY)
    p.box((0.0, 0.85, -0.35), (0.3, 0.25, 0.3), GREY)
    p.coil((0.0, 0.6, -0.35), (0.0, -0.35, -0.35), 5, 0.16)
    p.rod((0.0, -0.45, -0.4), (0.0, -0.45, 0.1), 0.1, PALE)
    p.rod((0.0, -0.45, 0.0), (0.0, -0.45, 0.4), 0.72, "#5a636f")
    p.rod((0.0, -0.45, 0.4), (0.0, -0.45, 0.42), 0.4, YELLOW)
    p.arc((0.0, -0.45, 0.45), Z, 0.88, 140, 40, FREE, False, X)
    p.arrow([(-1.35, -0.85, 0.3), (-1.35, 0.15, 0.3)])
    p.arc((0.0, 1.3, -0.35), Y, 0.5, 50, -90, DRIVEN, True, X)


def motor(p):
    p.box((-1.3, -0.45, 0.0), (0.45, 0.3, 0.45), GREY)
    corners = [(i, j, k) for i in (0.45, 1.35) for j in (-0.05, 0.55) for k in (-0.45, 0.45)]
    edges = [(a, b) for a in corners for b in corners if a < b and sum(x != y for x, y in zip(a, b)) == 1]
    p.box((0.35, -0.75, 0.3), (0.45, 0.3, 0.45), YELLOW, (Z, -16))
    for edge in edges:
        p.line(edge, DRIVEN, 1.3, "4 3")
    p.arrow([(0.1, -0.85, 0.75), (0.85, 0.15, 0.45)], DRIVEN, False)
    p.arc((0.9, 0.25, 0.0), Z, 1.05, 40, 110, DRIVEN, False, X)


def toothed(count, radius, tooth):
    """Radii around a gear, four for each tooth."""
    return [radius + (tooth if i % 4 in (0, 1) else -tooth) for i in range(4 * count)]


def gear(p):
    p.rod((-0.9, 0.0, -0.15), (-0.9, 0.0, 0.15), 0.0, GREY, toothed(16, 0.9, 0.07))
    p.rod((-0.9, 0.0, 0.15), (-0.9, 0.0, 0.3), 0.2, GREY)
    p.rod((0.63, 0.0, -0.15), (0.63, 0.0, 0.15), 0.0, YELLOW, toothed(10, 0.56, 0.07))
    p.rod((0.63, 0.0, 0.15), (0.63, 0.0, 0.3), 0.15, YELLOW)
    p.arc((-0.9, 0.0, 0.2), Z, 1.2, 130, 55, FREE, False, X)
    p.arc((0.63, 0.0, 0.2), Z, 0.88, 15, 95, FREE, False, X)


def rack(p):
    p.box((0.0, -0.95, 0.0), (1.8, 0.12, 0.2), YELLOW)
    for i in range(13):
        p.box((-1.68 + 0.28 * i, -0.78, 0.0), (0.07, 0.07, 0.2), YELLOW)
    p.rod((0.0, 0.0, -0.15), (0.0, 0.0, 0.15), 0.0, GREY, toothed(14, 0.72, 0.07))
    p.rod((0.0, 0.0, 0.15), (0.0, 0.0, 0.3), 0.18, GREY)
    p.arc((0.0, 0.0, 0.2), Z, 1.0, 130, 50, FREE, False, X)
    p.arrow([(-1.5, -1.3, 0.4), (-0.3, -1.3, 0.4)][::-1], both=False)


def pulley(p):
    p.box((0.0, 1.35, 0.0), (1.6, 0.1, 0.3), PALE)
    for x in (-1.0, 1.0):
        p.line([(x, 1.25, 0.0), (x, 0.85, 0.0)], LINE, 3.0)
        p.rod((x, 0.85, -0.1), (x, 0.85, 0.1), 0.3, PALE)
    p.line([(-1.3, 0.85, 0.1), (-1.3, -0.6, 0.1)])
    p.line([(-1.0, 1.15, 0.1), (1.0, 1.15, 0.1)])
    p.line([(1.3, 0.85, 0.1), (1.3, -0.1, 0.1)])
    p.box((-1.3, -0.9, 0.1), (0.35, 0.3, 0.3), GREY)
    p.box((1.3, -0.35, 0.1), (0.3, 0.25, 0.3), YELLOW)
    p.arrow([(-1.95, -0.4, 0.3), (-1.95, -1.1, 0.3)], both=False)
    p.arrow([(1.95, -0.6, 0.0), (1.95, 0.1, 0.0)], both=False)


def ball_torque(p):
    """What bounds friction: a box for three rotations one by one, a ball for all of them at once."""
    spin, left, right = unit((0.35, 0.9, -0.25)), (-1.7, 0.0, 0.9), (1.5, 0.0, -0.8)
    low, high = add(left, (-0.75, -0.75, -0.75)), add(left, (0.75, 0.75, 0.75))
    corners = [(i, j, k) for i in (low[0], high[0]) for j in (low[1], high[1]) for k in (low[2], high[2])]
    for a in corners:
        for b in corners:
            if a < b and sum(x != y for x, y in zip(a, b)) == 1:
                p.line([a, b], LIMITED, 1.2, "4 3")
    x, y = p.project(right)
    p.parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{0.75 * p.scale:.1f}" fill="{LIMITED}" fill-opacity="0.08" stroke="{LIMITED}" '
                   f'stroke-width="1.4" stroke-dasharray="4 3"/>')
    corner = (low[0], low[1], high[2])
    for center, torque, words in ((left, corner, "friction of each rotation"), (right, add(right, scale(-0.75, spin)), "friction of the ball")):
        p.arrow([center, torque], LIMITED, False)
        p.arrow([center, add(center, scale(1.25, spin))], FREE, False)
        p.ball(center, 0.08, GREY)
        p.text(add(center, scale(1.5, spin)), "spin", FREE)
        p.text(add(center, scale(-1.5, UP)), words, LINE)


JOINTS = [frames, ball, cone_twist, hinge, slider, cylindrical, planar, fixed, distance, rope, spring, wheel, motor, gear, rack, pulley,
          ball_torque]


def main():
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs/images/joints"
    folder.mkdir(parents=True, exist_ok=True)
    for draw in JOINTS:
        picture = Picture(*(LARGE if draw in (frames, ball_torque) else SIZE))
        draw(picture)
        (folder / f"{draw.__name__}.svg").write_text(picture.svg(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
