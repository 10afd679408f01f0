#!/bin/sh
# Installs what is missing and builds the engine for WebAssembly and the viewer: web/package/*.wasm and build/web/viewer.html.
# Usage: build_web.sh [--engine]     --engine leaves the viewer out
set -eu
cd "$(dirname "$0")/.."
scripts/setup.sh --web
for preset in wasm wasm-base; do
    cmake --preset $preset >/dev/null
    cmake --build --preset $preset
done
cp build/wasm/web/wasm/cairn.wasm web/package/cairn.wasm
cp build/wasm-base/web/wasm/cairn.wasm web/package/cairn-base.wasm
[ "${1:-}" = --engine ] && exit
cd web
[ node_modules/.package-lock.json -nt package-lock.json ] || npm ci --no-audit --no-fund
node build.mjs
