#!/usr/bin/env python3
"""Runs our scenes in Cairn and in the other engines that are installed, and prints a table.

Scenes are exported by our program, so that every engine gets the same bodies. Engines take turns within a round, and the best
round of each counts: on a shared machine that is the fairest figure. Times are milliseconds per step, the first step left out.
`ratio` is the time per step over that of Cairn on one thread, `last 100` the time of the last 100 steps. Overlap and kinetic
energy at the end tell whether the pile stood: an engine that lets it collapse has another problem to solve from then on. Where
there are joints, the table has the largest gap in a joint and the furthest that a limit was passed in all steps instead.
"""
import argparse
import json
import math
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SCENES = ["pyramid", "pyramids", "heap", "mesh_pile", "convex_pile", "washer", "debris", "bricks", "joint_grid", "ragdolls"]
PEERS = ["bullet", "ode"]


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("scenes", nargs="*", default=SCENES, help=f"default: {' '.join(SCENES)}")
    parser.add_argument("--build", default=ROOT / "build/release", type=pathlib.Path, help="build directory")
    parser.add_argument("--rounds", default=3, type=int, help="how often each engine runs each scene; the best counts")
    parser.add_argument("--threads", default="1,2", help="thread counts for Cairn, such as 1,2; the others run on one")
    parser.add_argument("--steps", type=int, help="instead of the scene's own number of steps")
    parser.add_argument("--peers", default=",".join(PEERS), help=f"default: {','.join(PEERS)}")
    parser.add_argument("--rays", action="store_true", help="cast rays at the bare terrain instead, one thread each")
    parser.add_argument("--chain", action="store_true", help="let a chain with a weight swing instead, and print its stretch")
    parser.add_argument("--timeout", default=900, type=int, help="seconds after which a run is given up")
    parser.add_argument("--json", type=pathlib.Path, help="also write every best run to this file")
    return parser.parse_args()


def run_json(command, timeout):
    """The JSON object a command prints, or None with a line on standard error."""
    try:
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=timeout)
    except subprocess.TimeoutExpired:
        print(f"{command[0]}: gave up after {timeout} s", file=sys.stderr)
        return None
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if not lines:
        print(f"{' '.join(map(str, command))}: status {done.returncode}: {done.stderr.strip()}", file=sys.stderr)
        return None
    return json.loads(lines[-1])


def commands_for(scene, scene_file, arguments, peers):
    """Name and command line of each contestant, Cairn first."""
    steps = ["--steps", arguments.steps] if arguments.steps else []
    program = arguments.build / "cairn"
    for threads in arguments.threads.split(","):
        label = "cairn" if threads == "1" else f"cairn, {threads} threads"
        yield label, [program, "bench", scene, "--threads", threads, *steps, "--json"]
    for peer in peers:
        yield peer, [arguments.build / "peers" / peer, scene_file, "--name", scene, *steps]


def best_runs(scene, scene_file, arguments, peers):
    best = {}
    for _ in range(arguments.rounds):
        for label, command in commands_for(scene, scene_file, arguments, peers):
            result = run_json(command, arguments.timeout)
            if result and (label not in best or result["ms_mean"] < best[label]["ms_mean"]):
                best[label] = result
    return best


# Title, width, and what stands in the cell.
TIMES = [
    ("scene", 11, lambda run, _: run["scene"]),
    ("engine", 16, lambda run, _: run["label"]),
    ("ms/step", 8, lambda run, _: f"{run['ms_mean']:.2f}"),
    ("ratio", 6, lambda run, base: f"{run['ms_mean'] / base:.2f}" if base else "-"),
    ("last 100", 8, lambda run, _: f"{run['ms_last']:.2f}"),
]
MEMORY = ("MB", 5, lambda run, _: f"{run['peak_rss_mb']:.0f}")
PILE_COLUMNS = [
    *TIMES,
    ("overlap m", 9, lambda run, _: f"{run['max_penetration']:.4f}"),
    ("energy J/kg", 11, lambda run, _: f"{run['kinetic_energy_per_kg']:.1e}"),
    MEMORY,
]
JOINT_COLUMNS = [
    *TIMES,
    ("gap m", 9, lambda run, _: f"{run['joint_gap']:.4f}"),
    ("limit deg", 9, lambda run, _: f"{run['limit_passed_deg']:.1f}"),
    MEMORY,
]
CHAIN_COLUMNS = [
    ("engine", 16, lambda run, _: run["label"]),
    ("stretch %", 9, lambda run, length: f"{100 * run['joint_gap_sum'] / length:.2f}"),
    ("worst gap m", 11, lambda run, _: f"{run['joint_gap']:.4f}"),
    ("energy lost J", 13, lambda run, _: f"{run['energy_lost']:.0f}"),
    ("ms/step", 8, lambda run, _: f"{run['ms_mean']:.3f}"),
]


def print_row(cells, columns):
    """One row of a Markdown table that is aligned well enough to be read as it is."""
    words = [title in ("scene", "engine") for title, _, _ in columns]
    padded = [cell.ljust(width) if word else cell.rjust(width) for cell, word, (_, width, _) in zip(cells, words, columns)]
    print(f"| {' | '.join(padded)} |", flush=True)


def print_heading(columns):
    print_row([title for title, _, _ in columns], columns)
    print_row(["-" * width if title in ("scene", "engine") else "-" * (width - 1) + ":" for title, width, _ in columns], columns)


def print_runs(best, columns, base):
    for label, run in best.items():
        run = {**run, "label": f"{label} {run['version']}" if "version" in run else label}
        print_row([cell(run, base) for _, _, cell in columns], columns)


def export(program, scene, folder):
    """The file that the scene was written to, or None with a line on standard error."""
    path = pathlib.Path(folder) / f"{scene}.txt"
    done = subprocess.run([program, "scenes", scene, "--export", path], capture_output=True, text=True)
    if done.returncode == 0:
        return path
    print(f"run.py: {scene} cannot be exported: {done.stderr.strip()}", file=sys.stderr)
    return None


def race_scenes(arguments, peers, folder):
    """A table for each run of scenes that are judged by the same columns."""
    results, heading = {}, None
    for scene in arguments.scenes:
        scene_file = export(arguments.build / "cairn", scene, folder)
        best = best_runs(scene, scene_file, arguments, peers) if scene_file else {}
        if not best:
            continue
        columns = JOINT_COLUMNS if all("joint_gap" in run for run in best.values()) else PILE_COLUMNS
        if columns is not heading:
            if heading:
                print()
            print_heading(columns)
            heading = columns
        print_runs(best, columns, best["cairn"]["ms_mean"] if "cairn" in best else None)
        results[scene] = best
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")
    return 0 if results else 1


def chain_length(path):
    """Metres: the joints of the chain begin at the first one and lie in a row."""
    joints = [line.split() for line in path.read_text(encoding="utf-8").splitlines() if line.startswith("joint ")]
    bodies = [line.split() for line in path.read_text(encoding="utf-8").splitlines() if line.startswith("body ")]
    first, last = (bodies[int(joint[2])] for joint in (joints[0], joints[-1]))
    a, b = ([float(word) for word in body[2:5]] for body in (first, last))
    half_link = math.dist([float(word) for word in joints[-1][4:7]], (0, 0, 0))
    return math.dist(a, b) + half_link


def race_chain(arguments, peers, folder):
    """How far a chain stretches, the sum of all gaps at the worst moment, when nothing is in its way."""
    scene_file = export(arguments.build / "cairn", "chain", folder)
    if not scene_file:
        return 1
    best = {}
    for label, command in commands_for("chain", scene_file, arguments, peers):
        result = run_json([*command, "--no-contacts"] if label in peers else command, arguments.timeout)
        if result:
            best[label] = result
    print_heading(CHAIN_COLUMNS)
    print_runs(best, CHAIN_COLUMNS, chain_length(scene_file))
    return 0 if best else 1


# The same rays for all: peers cast the first of the million that Cairn casts.
PEER_RAYS = 300000


def race_rays(arguments, peers, terrain):
    """Rays per second against the 20,000 triangles of the terrain, the best way each engine has."""
    best = {}
    for _ in range(arguments.rounds):
        result = run_json([arguments.build / "cairn", "bench", "rays", "--steps", 1, "--json"], arguments.timeout)
        if result:
            best["cairn"] = max(best.get("cairn", 0.0), result["terrain_rays_per_second"])
        for peer in [name for name in peers if name != "ode"]: # its rays are geoms that collide, one space at a time
            result = run_json([arguments.build / "peers" / peer, terrain, "--rays", PEER_RAYS], arguments.timeout)
            if result:
                label = f"{peer} {result['version']}"
                fastest = max(result["world_rays_per_second"], result["mesh_rays_per_second"])
                best[label] = max(best.get(label, 0.0), fastest)
    print("| engine      | rays per second |")
    print("| ----------- | --------------: |")
    for label, rays in best.items():
        print(f"| {label.ljust(11)} | {rays:15,.0f} |")
    return 0 if best else 1


def main():
    arguments = parse_arguments()
    program = arguments.build / "cairn"
    if not program.is_file():
        print(f"run.py: {program} is not built; cmake --preset release && cmake --build --preset release", file=sys.stderr)
        return 2
    peers = []
    for peer in filter(None, arguments.peers.split(",")):
        if (arguments.build / "peers" / peer).is_file():
            peers.append(peer)
        else:
            print(f"run.py: {peer} is not built: scripts/setup.sh --all installs it, the target `peers` builds it", file=sys.stderr)

    with tempfile.TemporaryDirectory() as folder:
        if arguments.rays:
            terrain = export(program, "terrain", folder)
            return race_rays(arguments, peers, terrain) if terrain else 1
        return (race_chain if arguments.chain else race_scenes)(arguments, peers, folder)


if __name__ == "__main__":
    sys.exit(main())
