#!/bin/sh
# Installs what is missing of the Debian or Ubuntu packages that building and testing need; silent when nothing is.
# Usage: setup.sh [--web | --tests | --all]
#   --web     also what the WebAssembly build and the viewer need: clang with its libraries for it, Node.js
#   --tests   also a browser to test the viewer in
#   --all     also Bullet and ODE to measure against
set -eu
packages="gcc g++ cmake ninja-build pkg-config python3 libcmocka-dev libjansson-dev libzstd-dev libhdf5-dev libassimp-dev"
web="clang lld wasi-libc libclang-rt-14-dev-wasm32 zstd"
# Any Node.js will do, wherever it comes from.
command -v npm >/dev/null || web="$web nodejs npm"
case "${1:-}" in
--web) packages="$packages $web" ;;
--tests) packages="$packages $web chromium" ;;
--all) packages="$packages $web chromium libbullet-dev libode-dev" ;;
esac

if ! command -v dpkg-query >/dev/null; then
    echo "setup: this is not a Debian system; please install the counterparts of: $packages" >&2
    exit 0
fi
missing=
for package in $packages; do
    # pkg-config is a virtual package of pkgconf on newer systems: the command is what matters.
    if [ "$package" = pkg-config ] && command -v pkg-config >/dev/null; then
        continue
    fi
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

# sudo drops the environment, so the settings travel as arguments of env.
as_root="env DEBIAN_FRONTEND=noninteractive"
if [ "$(id -u)" != 0 ]; then
    if ! command -v sudo >/dev/null; then
        echo "setup: please install as root:$missing" >&2
        exit 1
    fi
    as_root="sudo $as_root"
fi
echo "setup: installing$missing"
# Another package manager may be at work, as on a machine that has just booted: wait for it.
apt="$as_root apt-get -qq -o DPkg::Lock::Timeout=300"
$apt update
# shellcheck disable=SC2086 # the list is meant to be split
$apt install -y --no-install-recommends $missing
