#!/bin/bash
# Demands one state hash per scene over builds, thread counts and instruction sets.
# Usage: determinism.sh [PRESET...]     takes every preset that is built when none is named
# SCENES (as name:steps) and THREADS can be set in the environment. The steps are chosen so that bodies land, pile up and slide.
set -euo pipefail
cd "$(dirname "$0")/.."
scenes=${SCENES:-pyramid:8 pyramids:20 heap:60 washer:40 shapes:120 mesh_pile:20 chain:40 ragdolls:30 machine:10}
threads=${THREADS:-1 2 5}

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

hash_of() { # PRESET SCENE STEPS THREADS SIMD
    "build/$1/cairn" bench "$2" --steps "$3" --threads "$4" --simd "$5" --json |
        python3 -c 'import json, sys; print(json.load(sys.stdin)["state_hash"])'
}

failed=0
for entry in $scenes; do
    scene=${entry%:*} steps=${entry#*:}
    expected=
    runs=0
    for preset in "${presets[@]}"; do
        for simd in $sets; do
            for count in $threads; do
                hash=$(hash_of "$preset" "$scene" "$steps" "$count" "$simd") || hash="no result"
                expected=${expected:-$hash}
                runs=$((runs + 1))
                if [ "$hash" != "$expected" ] || [ "$hash" = "no result" ]; then
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
