#!/bin/sh
# Installs what is missing of the Debian or Ubuntu packages that building and testing need; silent when nothing is.
# Usage: setup.sh [--all]     --all adds clang for the full test matrix, and Bullet and ODE to measure against
set -eu
packages="gcc g++ cmake ninja-build pkg-config python3 libcmocka-dev libjansson-dev libzstd-dev"
if [ "${1:-}" = --all ]; then
    packages="$packages clang libbullet-dev libode-dev"
fi

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

if [ "$(id -u)" = 0 ]; then
    as_root=
elif command -v sudo >/dev/null; then
    as_root=sudo
else
    echo "setup: please install as root:$missing" >&2
    exit 1
fi
echo "setup: installing$missing"
$as_root apt-get update -qq
# shellcheck disable=SC2086 # the list is meant to be split
DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends $missing
