#!/usr/bin/env python3
"""Checks that README.md and docs/ tell the truth. Usage: check_docs.py [PROGRAM]

- A fenced block that names a file after its language (```c examples/hello.c) is a part of that file, word for word; the one in
  README.md is the whole of it.
- Files, links, presets, identifiers (cn_..., CN_...) and constants (NAME = value) that are named exist.
- With PROGRAM, every `cairn ...` command line is run, shortened (few and long steps, few iterations), and must be understood. The
  commands of a page run in order in one folder, so that a later one may read what an earlier one wrote. A command that a sentence
  only names is asked for its help, and so are servers, and what needs the viewer's page where that is not built.
"""
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
FENCE = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SPAN = re.compile(r"`([^`\n]+)`")
PATH = re.compile(r"(?<![\w./<-])(?:\./)?((?:include|src|app|examples|tests|bench|scripts|docs|cmake|web|\.ci)/[\w./*-]*)")
LINK = re.compile(r"\]\(([^)#\s]+)[^)]*\)")
NAME = re.compile(r"\b(cn_[a-z0-9_]+|CN_[A-Z0-9_]+)\b")
CONSTANT = re.compile(r"[A-Z][A-Z_]{3,} (?:= )?[\d.]+f?")
PRESET = re.compile(r"--preset[ =]([\w-]+)")
COMMAND = re.compile(r"^\s*(?:build/release/)?cairn( .*)?$")


def sources():
    files = [f for top in ("include", "src", "app", "examples") for f in (ROOT / top).rglob("*.[ch]")]
    return "\n".join(f.read_text(encoding="utf-8") for f in files)


def check_excerpts(page, text):
    excerpts = 0
    for info, body in FENCE.findall(text):
        words = info.split()
        if len(words) < 2:
            continue
        excerpts += 1
        source = ROOT / words[1]
        if not source.is_file():
            yield f"the file {words[1]} of a block does not exist"
        elif body not in source.read_text(encoding="utf-8"):
            yield f"a block is not what {words[1]} says"
        elif page == "README.md" and body != source.read_text(encoding="utf-8"):
            yield f"the block is not the whole of {words[1]}"
    if page == "README.md" and excerpts == 0:
        yield "the hello world of examples/hello.c is missing"


def check_names(page, text, code, presets):
    folder = (ROOT / page).parent
    for path in sorted(set(PATH.findall(text))):
        if not list(ROOT.glob(path.rstrip("./"))):
            yield f"there is no {path}"
    for link in LINK.findall(text):
        if "://" not in link and not (folder / link).exists():
            yield f"the link {link} leads nowhere"
    for name in sorted(set(NAME.findall(text))):
        if not name.endswith("_") and not re.search(rf"\b{name}\b", code):
            yield f"nothing is called {name}"
    for span in SPAN.findall(text):
        if CONSTANT.fullmatch(span) and span not in code:
            yield f"the source does not say {span}"
    for preset in sorted(set(PRESET.findall(text))):
        if preset not in presets:
            yield f"there is no preset {preset}"


def commands_of(text):
    """The arguments of each command line, as a shell would split them, up to the first operator."""
    lines = [line for line in text.splitlines() if line.startswith("    ")]
    lines += [line for info, body in FENCE.findall(text) if info in ("", "sh") for line in body.splitlines()]
    lines += SPAN.findall(FENCE.sub("", text))
    in_page_order = sorted(set(lines), key=text.find)
    for line in in_page_order:
        match = COMMAND.match(line)
        words = shlex.split(match.group(1) or "", comments=True) if match else []
        for stop in ("|", "&&", ">", ";"):
            words = words[: words.index(stop)] if stop in words else words
        if words and not any(re.fullmatch(r"\[?[A-Z|a-z]*[A-Z]{2,}\S*", word) for word in words):  # SCENE stands for a name
            yield words


def with_option(words, option, value):
    """The command with an option set, whether it was given or not."""
    if option in words:
        at = words.index(option)
        return words[: at + 1] + [value] + words[at + 2:]
    return words + [option, value]


NAMED_ONLY = (["run"], ["bench"], ["info"], ["render"], ["lab"], ["lab", "solve"], ["lab", "compare"], ["lab", "capture"],
              ["lab", "jitter"], ["lab", "rigidity"])
# What makes a command short, and whether it may then answer 1: a bound was missed, or a solver did not converge.
SHORTENED = {
    "render": ("--frame", "1", False),
    "run": ("--steps", "2", False),
    "bench": ("--steps", "2", False),
    "quality": ("--dt", "0.5", True),
    "lab solve": ("--max-iterations", "200", True),
    "lab compare": ("--max-iterations", "50", True),
    "lab jitter": ("--seconds", "0.1", False),
}


RAN = set()  # commands without files, which other pages show as well


def check_commands(text, program, folder):
    page = ROOT / "build/web/viewer.html"
    environment = {**os.environ, "CAIRN_VIEWER": str(page)} if page.is_file() else None
    for words in commands_of(text):
        name = " ".join(words[:2]) if words[0] == "lab" else words[0]
        needs_page = name == "render" or "--html" in words
        quick, may_miss = words, False
        if words in NAMED_ONLY or name == "view" or (needs_page and not page.is_file()):
            quick = words + ["--help"]
        elif name in SHORTENED and "--list" not in words and "--help" not in words:
            option, value, may_miss = SHORTENED[name]
            quick = with_option(words, option, value)
        if not any("." in word for word in words):
            if tuple(quick) in RAN:
                continue
            RAN.add(tuple(quick))
        done = subprocess.run([program, *quick], cwd=folder, env=environment, capture_output=True, text=True, timeout=300)
        if done.returncode not in ((0, 1) if may_miss else (0,)):
            yield f"cairn {' '.join(words)}: {done.stderr.strip()}"


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve()) if len(sys.argv) > 1 else None
    code = sources()
    presets = {p["name"] for p in json.loads((ROOT / "CMakePresets.json").read_text(encoding="utf-8"))["configurePresets"]}
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    wrong = 0
    commands = 0
    for path in pages:
        page, text = str(path.relative_to(ROOT)), path.read_text(encoding="utf-8")
        complaints = [*check_excerpts(page, text), *check_names(page, text, code, presets)]
        if program:
            commands += len(list(commands_of(text)))
            with tempfile.TemporaryDirectory() as folder:
                (pathlib.Path(folder) / "out").mkdir()
                (pathlib.Path(folder) / "examples").symlink_to(ROOT / "examples")
                complaints += check_commands(text, program, folder)
        for complaint in complaints:
            print(f"{page}: {complaint}")
        wrong += len(complaints)
    print(f"{len(pages)} pages, {commands} commands run, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
