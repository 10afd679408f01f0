#!/bin/sh
# Compiles every public header by itself, as strict C and as strict C++. Usage: check_headers.sh CC CXX
set -eu
cc=$1
cxx=$2
cd "$(dirname "$0")/.."
for header in include/cairn/*.h; do
    name=cairn/$(basename "$header")
    echo "#include \"$name\"" | "$cc" -std=c17 -Wall -Wextra -pedantic -Werror -Iinclude -fsyntax-only -x c -
    echo "#include \"$name\"" | "$cxx" -std=c++11 -Wall -Wextra -pedantic -Werror -Iinclude -fsyntax-only -x c++ -
    echo "$name: compiles alone as C and as C++"
done
