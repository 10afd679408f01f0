#!/bin/bash
# Installs what is missing, builds, and runs all tests.
# With CI=true: gcc and clang, release and debug, both sanitizer builds, warnings as errors, and the determinism matrix.
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=$(nproc)

# configure_and_test PRESET [ctest arguments]
configure_and_test() {
    local preset=$1
    shift
    echo "== $preset"
    cmake --preset "$preset" -DCAIRN_WERROR=ON >"build/$preset.log" 2>&1 || { cat "build/$preset.log"; return 1; }
    cmake --build --preset "$preset"
    ctest --preset "$preset" -j "$jobs" "$@"
}

mkdir -p build
if [ "${CI:-}" != true ]; then
    scripts/setup.sh
    configure_and_test release
    exit
fi

scripts/setup.sh --all
configure_and_test release
configure_and_test release-clang
configure_and_test debug -L 'unit|example'
configure_and_test debug-clang -L 'unit|example'
configure_and_test asan-ubsan -L 'unit|example'
configure_and_test tsan -L 'unit|example'
cmake --build --preset release --target peers
scripts/determinism.sh release release-clang debug debug-clang
