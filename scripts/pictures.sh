#!/bin/sh
# Makes the pictures of README.md and docs/ anew.
set -eu
cd "$(dirname "$0")/.."
scripts/setup.sh --tests
scripts/build_web.sh
cmake --preset release >/dev/null
cmake --build --preset release --target cairn_program
mkdir -p docs/images out
build/release/cairn run debris --record out/debris.cairnrec
build/release/cairn render out/debris.cairnrec --width 960 --height 540 --camera 35,32,1.25 --out docs/images/debris.png
build/release/cairn render mesh_pile --width 960 --height 540 --out docs/images/mesh_pile.png
build/release/cairn render examples/scenes/limits.json --frame 96 --width 960 --height 540 --camera -30,22,2.2 --out docs/images/limits.png
cd web
npm run --silent pictures
