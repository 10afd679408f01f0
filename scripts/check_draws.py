#!/usr/bin/env python3
"""Checks that random numbers are drawn in an order that C defines.

Two draws from one generator among the arguments of a call, in an initializer or on both sides of an operator come in the order that the
compiler likes: gcc and clang would build other scenes of the same seed. Draws separated by a semicolon, by the comma between two variables of
a declaration, by ? : && or ||, or one inside the arguments of the other are ordered. Of draws whose results are only compared or multiplied the
order does not matter, but nobody should have to think about it.
"""
import pathlib
import re
import sys

FOLDERS = ["app", "bench", "examples", "tests"]
COMMENT_OR_TEXT = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)
# A function with a generator among its parameters draws from it.
DRAWING = re.compile(r"\b([a-z]\w*)\s*\([^(){};]*\b(?:rng|cn_random)\s*\*", re.DOTALL)
TOKEN = re.compile(r"[A-Za-z_]\w*|&&|\|\||[-+*/%&|^<>=!]=|[^\sA-Za-z_]")
CONDITIONS = {"if", "while", "for", "switch"}
OPENING = {"(": ")", "[": "]", "{": "}"}


def blank(match):
    return re.sub(r"[^\n]", " ", match.group())


class Reader:
    """Reads one file as nested brackets, and notes the lines of draws whose order is open."""

    def __init__(self, text, drawing):
        self.tokens = [(m.group(), n) for n, line in enumerate(text.splitlines(), 1) for m in TOKEN.finditer(line)]
        self.drawing = drawing
        self.at = 0
        self.found = []

    def bracket(self, closing, ordered_commas):
        """Reads up to the closing bracket; returns whether anything in it draws."""
        any_draw = pending = False
        previous = ""
        while self.at < len(self.tokens):
            token, line = self.tokens[self.at]
            self.at += 1
            if token == closing:
                break
            draws = False
            if token in OPENING:
                is_call = token == "(" and previous in self.drawing
                block = token == "{" and closing in ("}", "") and ordered_commas
                # After ) comes the body of a function or of a statement; after = or ) of a compound literal a list of values.
                inner_ordered = token == "{" and previous in (")", "else", "do", ";", "{", "}", ":") and block
                draws = self.bracket(OPENING[token], inner_ordered) or is_call
                if inner_ordered or previous in CONDITIONS:
                    draws = pending = False
            elif token in (";", "?", ":", "&&", "||") or (token == "," and ordered_commas):
                pending = False
            if draws and pending:
                self.found.append(line)
            pending = pending or draws
            any_draw = any_draw or draws
            previous = token if token not in OPENING else OPENING[token]
        return any_draw


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    texts = {
        path: COMMENT_OR_TEXT.sub(blank, path.read_text(encoding="utf-8"))
        for folder in FOLDERS
        for path in sorted((root / folder).rglob("*.[ch]"))
    }
    drawing = {name for text in texts.values() for name in DRAWING.findall(text)}
    bad = 0
    for path, text in texts.items():
        reader = Reader(text, drawing)
        reader.bracket("", True)
        for line in sorted(set(reader.found)):
            print(f"{path.relative_to(root)}:{line}: two draws whose order C leaves open; draw into variables first")
            bad += 1
    print(f"{len(texts)} files, {len(drawing)} functions that draw, {bad} places with an open order")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
