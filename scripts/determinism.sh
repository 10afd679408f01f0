#!/bin/bash
# Demands one state hash per scene over builds, thread counts and instruction sets.
# Usage: determinism.sh [PRESET...]     takes every preset that is built when none is named
# SCENES, STEPS and THREADS can be set in the environment.
set -euo pipefail
cd "$(dirname "$0")/.."
scenes=${SCENES:-pyramid heap convex_pile washer}
steps=${STEPS:-40}
threads=${THREADS:-1 2 3 8}

presets=("$@")
if [ ${#presets[@]} = 0 ]; then
    for preset in release release-clang debug debug-clang; do
        [ -x "build/$preset/cairn" ] && presets+=("$preset")
    done
fi
[ ${#presets[@]} -gt 0 ] || { echo "determinism: no build found" >&2; exit 2; }

sets="base"
if grep -qw avx2 /proc/cpuinfo 2>/dev/null; then
    sets="base avx2"
else
    echo "determinism: this processor has no AVX2; only the base instruction set is compared"
fi

hash_of() {
    "build/$1/cairn" bench "$2" --steps "$steps" --threads "$3" --simd "$4" --json |
        python3 -c 'import json, sys; print(json.load(sys.stdin)["state_hash"])'
}

failed=0
for scene in $scenes; do
    expected=
    runs=0
    for preset in "${presets[@]}"; do
        for simd in $sets; do
            for count in $threads; do
                hash=$(hash_of "$preset" "$scene" "$count" "$simd")
                expected=${expected:-$hash}
                runs=$((runs + 1))
                if [ "$hash" != "$expected" ]; then
                    echo "$scene: $preset, $simd, $count threads: $hash instead of $expected"
                    failed=1
                fi
            done
        done
    done
    echo "$scene: $runs runs of $steps steps, hash $expected"
done
[ $failed = 0 ] && echo "determinism: one hash per scene over: ${presets[*]}; $sets; $threads threads"
exit $failed
