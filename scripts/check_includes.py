#!/usr/bin/env python3
"""Checks that dependencies point one way: a file includes only from its own layer and from the layers below it.

The public headers include nothing but each other and the C library; everyone may include them.
"""
import pathlib
import re
import sys

LAYERS = ["base", "math", "shape", "collide", "model", "lab", "solve", "world", "io", "app"]
INCLUDE = re.compile(r'^\s*#\s*include\s+(["<])([^">]+)[">]')


def includes(path):
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        match = INCLUDE.match(line)
        if match:
            yield number, match.group(1) == '"', match.group(2)


def layer_of(path, root):
    parts = path.relative_to(root).parts
    return parts[1] if parts[0] == "src" else parts[0]


def complaint(path, root, quoted, target):
    """What is wrong with one #include line, or None."""
    if path.is_relative_to(root / "include"):
        return "a public header may include public headers only" if quoted and not target.startswith("cairn/") else None
    if not quoted:
        return None
    folder, _, name = target.rpartition("/")
    if folder == "cairn":
        return None if (root / "include" / target).is_file() else "there is no such public header"
    own = layer_of(path, root)
    if not folder:
        return None if (path.parent / name).is_file() else "there is no such file beside it"
    if folder not in LAYERS:
        return "it is in no known layer"
    if LAYERS.index(folder) > LAYERS.index(own):
        return f"{own} is below {folder}"
    return None


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    files = [f for top in ("include", "src", "app") for f in sorted((root / top).rglob("*.[ch]"))]
    wrong = 0
    for path in files:
        if path.is_relative_to(root / "src") and layer_of(path, root) not in LAYERS:
            print(f"{path.relative_to(root)}: it is in no known layer")
            wrong += 1
            continue
        for number, quoted, target in includes(path):
            reason = complaint(path, root, quoted, target)
            if reason:
                print(f'{path.relative_to(root)}:{number}: "{target}": {reason}')
                wrong += 1
    print(f"{len(files)} files, {wrong} wrong includes; order: {' <- '.join(LAYERS)}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
