#!/bin/sh
# Installs a finished build into a temporary place and uses it from outside, by find_package and by pkg-config.
# Usage: check_install.sh BUILD_DIR CC CXX
set -eu
build=$1
cc=$2
cxx=$3
scripts=$(cd "$(dirname "$0")" && pwd)
consumer=$scripts/../examples/consumer
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

# The demo builds no tests. It should build all that is installed: `cmake --install` is what a reader does next.
if [ -f "$build/build.ninja" ]; then
    echo "== what the demo builds"
    target=$(sed -n 's/.*cmake --build.*--target //p' "$scripts/demo.sh")
    ninja -C "$build" -t inputs "$target" >"$place/inputs"
    ninja -C "$build" -t query "$target" >>"$place/inputs"
    for file in $(sed -n "s|.* FILES \"$build/\([^/\"]*\)\")|\1|p" "$build/cmake_install.cmake"); do
        ninja -C "$build" -t query "$file" >/dev/null 2>&1 || continue # written by cmake itself
        grep -qE "^ *$file$" "$place/inputs" || { echo "$target does not build $file, which is installed"; exit 1; }
    done
fi

cmake --install "$build" --prefix "$place/prefix" >"$place/log" || { cat "$place/log"; exit 1; }

echo "== find_package"
cmake -S "$consumer" -B "$place/build" -G Ninja -DCMAKE_PREFIX_PATH="$place/prefix" \
    -DCMAKE_C_COMPILER="$cc" -DCMAKE_CXX_COMPILER="$cxx" >"$place/log" || { cat "$place/log"; exit 1; }
cmake --build "$place/build" >"$place/log" || { cat "$place/log"; exit 1; }
"$place/build/consumer"
"$place/build/consumer_cpp"

echo "== pkg-config"
libdir=$(dirname "$(find "$place/prefix" -name cairn.pc)")
export PKG_CONFIG_PATH="$libdir"
# shellcheck disable=SC2046 # the flags are meant to be split
"$cc" -std=c17 -Wall -Wextra -pedantic -Werror "$consumer/main.c" $(pkg-config --cflags --libs cairn) -o "$place/with_pc"
LD_LIBRARY_PATH="${libdir%/pkgconfig}" "$place/with_pc"
