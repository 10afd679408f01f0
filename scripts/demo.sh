#!/bin/sh
# Installs what is missing, builds, drops 5000 boxes into a pit, and says where the results are.
set -eu
cd "$(dirname "$0")/.."
scripts/setup.sh
echo "Building Cairn ..."
cmake --preset release >/dev/null
cmake --build --preset release --target cairn_program
mkdir -p out
echo "Simulating 5000 boxes that fall into a pit ..."
build/release/cairn run heap --threads "$(nproc)" --record out/heap.cairnrec --plot out/heap.svg
echo
echo "Plot:      $(pwd)/out/heap.svg (any browser shows it)"
echo "Recording: $(pwd)/out/heap.cairnrec (docs/recording.md describes the format)"
echo "Next:      build/release/cairn --help"
