#!/bin/bash
# Measures speed and accuracy on this machine, which should have nothing else to do, and writes docs/measurements.md.
# Usage: measure.sh [ROUNDS]     rounds per engine and scene, 3 unless told; about four minutes each
set -euo pipefail
cd "$(dirname "$0")/.."
rounds=${1:-3}
scenes=(pyramid pyramids heap)
build=${BUILD:-build/release}
page=$(mktemp)
trap 'rm -f "$page"' EXIT

processor=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
system=$(sed -n 's/^PRETTY_NAME="\(.*\)"$/\1/p' /etc/os-release)
load=$(cut -d ' ' -f 1 /proc/loadavg)
compiler=$(sed -n 's/^CMAKE_C_COMPILER:[^=]*=//p' "$build/CMakeCache.txt")
{
    cat <<EOF
# Measurements

**Measured on $(date -u +%F), $processor, $(nproc) cores, $system, $("$compiler" --version | head -n 1).
Load before: $load.**

\`scripts/measure.sh\` measures everything on this page and writes it. Figures differ from machine to machine. A load above about 0.5 means
that the machine had other work to do: the times are then too long, and not for all engines alike.

## Speed, beside other engines

\`bench/peers/run.py ${scenes[*]} --rounds $rounds --threads 1,2\` after \`scripts/setup.sh --all\` and
\`cmake --build --preset release --target all peers\`.

Milliseconds per step of 1/60 s, best of $rounds rounds, sleeping off. \`ratio\` is against Cairn on one thread; \`last 100\` is the time of the
last 100 steps. Overlap and kinetic energy are those at the end: they tell whether the pile stood. Every engine gets the same scene file
and runs at its own defaults, Bullet and ODE on one thread and as Debian packages them. An engine that lets a pile collapse has another
problem to solve from then on, so its time says little.

EOF
    bench/peers/run.py "${scenes[@]}" --rounds "$rounds" --threads 1,2 --build "$build"
    cat <<'EOF'

Hulls, which take the others much longer: `bench/peers/run.py convex_pile --steps 200 --rounds 1`.

EOF
    bench/peers/run.py convex_pile --steps 200 --rounds 1 --build "$build"
    cat <<'EOF'

Boxes on a triangle mesh: `bench/peers/run.py mesh_pile --rounds 1 --threads 1,2`.

EOF
    bench/peers/run.py mesh_pile --rounds 1 --threads 1,2 --build "$build"
    cat <<EOF

Rays at the 20,000 triangles of that mesh, best of $rounds rounds, one thread each: \`bench/peers/run.py --rays --rounds $rounds\`. And
at the mesh with the boxes at rest on it: \`cairn bench rays\`.

EOF
    bench/peers/run.py --rays --rounds "$rounds" --build "$build"
    echo
    echo '```text'
    "$build/cairn" bench rays
    "$build/cairn" bench rays --threads 2
    echo '```'
    cat <<EOF

## Joints, beside other engines

\`bench/peers/run.py joint_grid ragdolls --rounds $rounds --threads 1,2\`. \`gap\` is the furthest that a joint came apart in any step, and
\`limit\` the furthest that a joint passed the limits of its rotation. The others get the same joints as far as they have them: ODE
takes the limits of shoulders, hips and the like as Euler angles, which differ from ours far from the middle, and Bullet has no friction
in these joints.

EOF
    bench/peers/run.py joint_grid ragdolls --rounds "$rounds" --threads 1,2 --build "$build"
    cat <<'EOF'

A chain of 20 links, 10 m long, is let go from level with a weight of 100 links at its end, and swings for 10 s:
`bench/peers/run.py --chain --threads 1`. `stretch` is the sum of all gaps at the worst moment, against its length. 4032 J are at stake in
the first fall; an engine whose chain stretches loses more than that, as the weight sinks.

EOF
    bench/peers/run.py --chain --threads 1 --build "$build"
    cat <<'EOF'

## Accuracy

`cairn quality`; the cases are described in [scenes.md](scenes.md).

```text
EOF
    # A missed bound is a figure like any other here.
    "$build/cairn" quality || [ $? = 1 ]
    echo '```'
} | tee "$page"
cp "$page" docs/measurements.md
