#!/bin/bash
# Installs what is missing, builds, and runs all tests.
# With CI=true: gcc and clang, release and debug, both sanitizer builds, warnings as errors, and the determinism matrix.
# Every part is run, also after one has failed; a table at the end says how long each took and which failed.
set -uo pipefail
cd "$(dirname "$0")/.." || exit
jobs=$(nproc)
export CTEST_PARALLEL_LEVEL=$jobs
failed=()
table=

# part NAME COMMAND...
part() {
    local name=$1 start=$SECONDS verdict=ok
    shift
    echo "== $name"
    if ! "$@"; then
        verdict=FAILED
        failed+=("$name")
        echo "== $name FAILED" >&2
    fi
    table+=$(printf '%-28s %4d s  %s' "$name" $((SECONDS - start)) "$verdict")$'\n'
    [ $verdict = ok ]
}

# Under a sanitizer gcc warns of what cannot happen, so warnings are no errors there; and following variables through the wide kernels
# for a debugger would take it minutes.
# shellcheck disable=SC2317 # called through `part`
build() {
    local preset=$1 log=build/$1.log strict=(-DCAIRN_WERROR=ON)
    case $preset in
    *san) strict=("-DCMAKE_C_FLAGS_RELWITHDEBINFO=-O1 -g -fno-var-tracking") ;;
    esac
    { cmake --preset "$preset" "${strict[@]}" && cmake --build --preset "$preset"; } >"$log" 2>&1 || { tail -n 60 "$log"; return 1; }
}

build_and_test() { # PRESET [ctest arguments]
    part "$1: build" build "$1" && part "$1: tests" ctest --preset "$@"
}

# A sanitizer looks at whole scenes, on several threads.
# shellcheck disable=SC2317 # called through `part`
scenes_under() {
    local scene
    for scene in shapes:60 dominoes:60 mesh_pile:40 bridge:40 ragdolls:20; do
        "build/$1/cairn" bench "${scene%:*}" --steps "${scene#*:}" --threads 4 || return
    done
}

finish() {
    printf '\n%s' "$table"
    if [ ${#failed[@]} -gt 0 ]; then
        echo "FAILED: ${failed[*]}"
        exit 1
    fi
    echo "All tests passed in $SECONDS s."
    exit 0
}

# shellcheck disable=SC2317 # called through `part`
test_web() { (cd web && CAIRN="$PWD/../build/release/cairn" node --test test/*.test.js) >build/web-tests.log 2>&1 || { tail -n 120 build/web-tests.log; return 1; }; }

# shellcheck disable=SC2317 # called through `part`
test_package() { (cd web/package && npm pack --dry-run --json) >build/package.json && grep -q cairn-base.wasm build/package.json; }

# The page first: tests of the program and of the documentation use it.
web_and_release() {
    part "web: build" scripts/build_web.sh
    build_and_test release
    part "web: tests" test_web
    part "web: package" test_package
}

mkdir -p build
if [ "${CI:-}" != true ]; then
    scripts/setup.sh --tests || exit
    web_and_release
    finish
fi

scripts/setup.sh --all || exit
web_and_release
# What the repository says does not depend on the compiler, nor do results: test_determinism and determinism.sh look after that.
build_and_test release-clang -LE 'repository|program|soak|statistics'
CAIRN_QUICK=1 build_and_test debug -L 'unit|example' -LE statistics
CAIRN_QUICK=1 build_and_test debug-clang -L 'unit|example' -LE statistics
build_and_test asan-ubsan -L 'unit|example' -LE statistics && part "asan-ubsan: scenes" scenes_under asan-ubsan
# The laboratory and geometry by themselves have no threads, nor have worlds of one.
no_threads='lab|problem|condense|model|rows|mass|convex|hull|gjk|sat|clip|collide|tree|box_tree|mesh|height|compound|cast|ray|impact|pairing|continuous|seams|scale|grain|joint_|ragdoll|path|push|needles|impulses|thrown|random_worlds'
build_and_test tsan -L 'unit|example' -LE statistics -E "^test_($no_threads)" && part "tsan: scenes" scenes_under tsan
part "peers: build" cmake --build --preset release --target peers
part "determinism" scripts/determinism.sh release release-clang debug debug-clang
finish
