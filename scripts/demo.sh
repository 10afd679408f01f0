#!/bin/sh
# Installs what is missing, builds, drops 5000 boxes into a pit, and says which file to open in a browser.
set -eu
cd "$(dirname "$0")/.."
scripts/setup.sh --web
echo "Building Cairn ..."
cmake --preset release >/dev/null
cmake --build --preset release --target cairn_program
echo "Building the viewer ..."
scripts/build_web.sh
mkdir -p out
echo "Simulating 5000 boxes that fall into a pit ..."
build/release/cairn run heap --threads "$(nproc)" --record out/heap.cairnrec --plot out/heap.svg --html out/heap.html
echo
echo "Plot:    file://$(pwd)/out/heap.svg"
echo "Next:    build/release/cairn view      (runs the scenes live in the browser)"
echo "         build/release/cairn --help"
echo "Open it: file://$(pwd)/out/heap.html"
