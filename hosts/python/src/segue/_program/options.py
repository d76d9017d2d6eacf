# SPDX-License-Identifier: Apache-2.0
"""What stands behind a command's name: options with their values, and operands."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import NoReturn

from segue._program.complain import OK, USAGE, complain

LONGEST_NAME = 64


@dataclass(frozen=True, slots=True)
class Option:
    """value: what its value is called, None for a flag."""

    name: str
    value: str | None
    help: str


@dataclass(frozen=True, slots=True)
class Command:
    """usage: what stands behind the name. run: gets what was given, and returns an exit status."""

    name: str
    usage: str
    summary: str
    options: tuple[Option, ...]
    operands: int
    run: Callable[[Given], int]


@dataclass(slots=True)
class Given:
    """The options and operands of one call; a flag that is given has the value ""."""

    values: dict[str, str] = field(default_factory=dict)
    operands: list[str] = field(default_factory=list)


class Refused(Exception):
    """The exit status to end with; what there is to say was said."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


def parse(command: Command, arguments: Sequence[str]) -> Given:
    """Raises Refused for wrong usage, and for --help, which it answers itself."""
    given, words, only_operands = Given(), iter(arguments), False
    for word in words:
        if only_operands or not word.startswith("-") or word == "-":
            _take_operand(command, given, word)
        elif word == "--":
            only_operands = True
        elif word in ("--help", "-h"):
            print_help(command)
            raise Refused(OK)
        else:
            name, value = _take_option(command, word, words)
            given.values[name] = value
    return given


def print_help(command: Command) -> None:
    print(f"segue {command.name} {command.usage}\n    {command.summary}\n")
    for option in command.options:
        print(f"  {option.name + (' ' + option.value if option.value else ''):<22} {option.help}")
    print(f"  {'--help':<22} this text")


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word that is at most half of it away, in edits."""
    best, fewest = None, len(word.encode("utf-8", "surrogateescape")) // 2 + 1
    if len(word) >= LONGEST_NAME:
        return None
    for one in known:
        distance = _edits(word.encode("utf-8", "surrogateescape"), one.encode())
        if distance < fewest:
            best, fewest = one, distance
    return best


def _take_operand(command: Command, given: Given, word: str) -> None:
    if len(given.operands) == command.operands:
        _refuse(f"{command.name}: {word} is one argument too many")
    given.operands.append(word)


def _take_option(command: Command, word: str, words: Iterable[str]) -> tuple[str, str]:
    """An option, with its value behind it or behind a "="."""
    name, equals, value = word.partition("=")
    option = next((one for one in command.options if one.name == name), None)
    if option is None:
        meant = nearest(name, [*(one.name for one in command.options), "--help"])
        _refuse(
            f"{command.name}: no option {name}; the nearest is {meant}"
            if meant
            else f"{command.name}: no option {name} (segue {command.name} --help shows all)"
        )
    if option.value is None:
        if equals:
            _refuse(f"{command.name}: {name} takes no value")
        return name, ""
    if not equals:
        behind = next(iter(words), None)
        if behind is None:
            _refuse(f"{command.name}: {name} needs a value: {option.value}")
        value = behind
    return name, value


def _refuse(text: str) -> NoReturn:
    complain(text)
    raise Refused(USAGE)


def _edits(a: bytes, b: bytes) -> int:
    """Levenshtein's distance, one row of his table at a time."""
    row = list(range(len(b) + 1))
    for i, have in enumerate(a, 1):
        diagonal, row[0] = row[0], i
        for j, want in enumerate(b, 1):
            diagonal, row[j] = row[j], min(diagonal + (have != want), row[j] + 1, row[j - 1] + 1)
    return row[-1]
