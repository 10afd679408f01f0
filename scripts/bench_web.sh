#!/bin/sh
# Installs what is missing, builds, and measures Cairn beside other engines, all as WebAssembly under Node. The machine should
# have nothing else to do.
# Usage: bench_web.sh [OPTION...]     options are those of bench/web/run.mjs
set -eu
cd "$(dirname "$0")/.."
scripts/build_web.sh --engine
npm ci --prefix bench/web --no-audit --no-fund --loglevel=error
exec node bench/web/run.mjs "$@"
