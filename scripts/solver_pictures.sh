#!/bin/sh
# Draws how the residual falls, for every solver of the laboratory, into docs/images/solvers: on a tower, on a pile after impact, and on
# a heavy plate that slides over light cubes. And the pictures of docs/lab.md.
# Usage: scripts/solver_pictures.sh [PROGRAM]
set -eu
cd "$(dirname "$0")/.."
program=${1:-build/release/cairn}
if [ $# -eq 0 ]; then
    cmake --preset release >/dev/null
    cmake --build --preset release --target cairn_program
fi
mkdir -p docs/images/solvers
"$program" lab compare tower20 --seconds 20 --svg docs/images/lab-compare.svg
"$program" lab jitter --svg docs/images/lab-jitter.svg
"$program" lab rigidity --svg docs/images/lab-rigidity.svg
"$program" lab solvers | while read -r solver _; do
    # 1 says that none of them converged, which is worth a picture too.
    "$program" lab compare tower20 pile sled --solvers "$solver" --seconds 20 --svg "docs/images/solvers/$solver.svg" || [ $? -eq 1 ]
done
