# SPDX-License-Identifier: Apache-2.0
"""Ways in which a line of C can be wrong: one small change each, in code and not in a comment or a text."""

import dataclasses
import pathlib
import re
from collections.abc import Iterator

# (what is looked for, what stands there instead)
SWAPS: tuple[tuple[str, str], ...] = (
    (r" < ", " <= "),
    (r" <= ", " < "),
    (r" > ", " >= "),
    (r" >= ", " > "),
    (r" == ", " != "),
    (r" != ", " == "),
    (r" && ", " || "),
    (r" \|\| ", " && "),
    (r" \+ ", " - "),
    (r" - ", " + "),
    (r" \* (?=\w)", " / "),
    (r" \+= ", " -= "),
    (r" -= ", " += "),
    (r" \|= ", " &= "),
    (r"(?<=[\w\])])\+\+", "--"),
    (r"(?<=[\w\])])--", "++"),
    (r"(?<![\w.])0(?![\w.])", "1"),
    (r"(?<![\w.])1(?![\w.])", "0"),
    (r"\bif \((?=.*\) \{$)", "if (!"),
    (r"!(?=[\w(])", ""),
)
# The greater or the less of two, and a difference where it is above 0: of equal ones either branch is the same number.
# So with a part of a number that is above 0: of nothing it is nothing.
NAME = r"(?<![\w.)\]>])(?<!- )(?<!\+ )(?<!\* )(?<!/ )(?P<a>[\w.>\[\]-]+)"
EITHER = re.compile(NAME + r"(?P<sign> [<>] )(?P<b>[\w.>\[\]-]+) \? (?:(?P=a) : (?P=b)|(?P=b) : (?P=a))(?![\w.(\[-])")
EXCESS = re.compile(NAME + r"(?P<sign> > )(?P<b>[\w.>\[\]-]+) \? (?P=a) - (?P=b) : 0(?![\w.])")
PART = re.compile(NAME + r"(?P<sign> > )0 \? \(uint\d+_t\)(?P=a) / [\w.>\[\]-]+ : 0(?![\w.])")
STATEMENT = re.compile(
    r"^\s+(?!return\b|break\b|continue\b|goto\b|const\b|static\b|else\b)"
    r"[\w>.\[\]()*&-]+( [-+|&]?= |\(|\+\+;|--;).*;$"
)
DECLARATION = re.compile(r"^\s+(const |struct |u?int\d+_t|size_t|int|double|char|sg[ip]_\w+|segue_\w+) ?[\w *]")


@dataclasses.dataclass(frozen=True)
class Mutant:
    """One changed line of a file; `line` counts from 1."""

    path: str
    line: int
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.before.strip()}  ->  {self.after.strip() or '(nothing)'}"


def blank(line: str) -> str:
    """The line with as many spaces in the place of its texts and comments."""
    return re.sub(r'"(?:[^"\\]|\\.)*"|/\*.*?\*/|\'(?:[^\'\\]|\\.)*\'', lambda found: " " * len(found[0]), line)


def negated(code: str, start: int) -> str:
    """`if (a) {` as `if (!(a)) {`."""
    return code[:start] + "if (!(" + code[start + len("if (") : -len(") {")] + ")) {"


def changes(line: str) -> Iterator[str]:
    code = blank(line)
    same = {found.start("sign") for either in (EITHER, EXCESS, PART) for found in either.finditer(code)}
    for pattern, instead in SWAPS:
        for found in re.finditer(pattern, code):
            if found.start() in same:
                continue
            if instead == "if (!":
                yield negated(line, found.start())
            else:
                yield line[: found.start()] + instead + line[found.end() :]
    if STATEMENT.match(code) and not DECLARATION.match(code):
        yield ""


def mutants(root: pathlib.Path, path: str) -> Iterator[Mutant]:
    """Every change of a file, in its order. Declarations at file scope, comments and macros stay as they are."""
    comment = macro = False
    for number, line in enumerate((root / path).read_text(encoding="utf-8").splitlines(), 1):
        was_macro, macro = macro, (macro or line.startswith("#")) and line.endswith("\\")
        comment = comment or (line.lstrip().startswith("/*") and "*/" not in line)
        if not (comment or was_macro or macro or line.startswith("#") or line[:1] != " "):
            for after in dict.fromkeys(changes(line)):
                yield Mutant(path, number, line, after)
        comment = comment and "*/" not in line
