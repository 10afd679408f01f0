#!/bin/sh
# Installs what is missing, builds, drops 5000 boxes into a pit, and says where the results are.
set -eu
cd "$(dirname "$0")/.."
scripts/setup.sh
cmake --preset release >/dev/null
cmake --build --preset release --target cairn_program
mkdir -p out
build/release/cairn run heap --record out/heap.cairnrec --plot out/heap.svg
echo "Results: $(pwd)/out/heap.cairnrec (recording) and $(pwd)/out/heap.svg (plot)"
