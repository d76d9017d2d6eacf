#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes src/segue/_abi.py from the C headers: structs, enums, columns, and the functions of segue/host.h with types.

make_abi.py            writes the file
make_abi.py --print    prints it, for the test that holds file and headers together

The C preprocessor expands the headers' tables, so that nothing is typed by hand. CC names another compiler.
"""

import os
import pathlib
import re
import subprocess
import sys
from dataclasses import dataclass

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
TARGET = HERE.parent / "src/segue/_abi.py"

NUMBERS = {
    "uint8_t": "c_uint8",
    "uint16_t": "c_uint16",
    "uint32_t": "c_uint32",
    "int32_t": "c_int32",
    "uint64_t": "c_uint64",
    "int64_t": "c_int64",
    "size_t": "c_size_t",
    "double": "c_double",
    "char": "c_char",
}

PREAMBLE = '''# SPDX-License-Identifier: Apache-2.0
# Made by tools/make_abi.py from the C headers. Not to be edited: run that again.
"""The C border in ctypes: structs, enums, and the functions of libsegue with their types."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from enum import IntEnum
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from ctypes import _CArgObject, _Pointer
    from typing import TypeAlias

    Address: TypeAlias = ctypes.c_void_p | ctypes.Array[ctypes.c_char] | int | None
    Out: TypeAlias = _CArgObject | None
    Text: TypeAlias = bytes | ctypes.Array[ctypes.c_char] | None


class Column(NamedTuple):
    """A column of a group or plan: its field, the type of its elements, its rows by the struct's counts, whether it has
    to be there."""

    field: str
    type: Any
    rows: Callable[[Any], int]
    required: bool
'''

# The headers' tables, each row between marks that no header has.
TABLES = """
#include <segue/host.h>
#define GROUP_ROW(id, field, type, count, need) @GROUP field type need count@
#define PLAN_ROW(id, field, type, used, capacity) @PLAN field type REQUIRED capacity@
#define RESULT_ROW(field, type, way) @way field@
#define KEY_ROW(field, type, key, initial, least, greatest) @KEY key@
SEGUE_GROUP_COLUMNS(GROUP_ROW) SEGUE_PLAN_COLUMNS(PLAN_ROW)
SEGUE_PLAN_SCALARS(RESULT_ROW)
SEGUE_CONFIG_FIELDS(KEY_ROW)
@VERSION SEGUE_ABI_VERSION@
"""


@dataclass(frozen=True)
class CType:
    """A C type as its base name and the number of stars."""

    base: str
    stars: int

    @property
    def known(self) -> bool:
        return self.base in NUMBERS or self.base == "void"


@dataclass(frozen=True)
class Function:
    name: str
    result: CType
    arguments: list[tuple[str, CType]]


def preprocessed(source: str) -> str:
    command = [os.environ.get("CC", "cc"), "-E", "-P", "-std=c11", f"-I{ROOT}/abi", f"-I{ROOT}/hosts/c/include"]
    done = subprocess.run([*command, "-xc", "-"], input=source, text=True, capture_output=True, check=True)
    return re.sub(r"\s+", " ", done.stdout)


def read_declarator(text: str) -> tuple[str, CType]:
    """'const char *group' -> ("group", char with one star)."""
    words = re.sub(r"\bconst\b|\bstruct\b", " ", text.replace("*", " * ")).split()
    return words[-1], CType(words[0], words.count("*"))


def read_functions(text: str) -> list[Function]:
    pattern = r'__attribute__\(\(visibility\("default"\)\)\) ([^;()]*?)\(([^;]*?)\);'
    functions = []
    for head, tail in re.findall(pattern, text):
        name, result = read_declarator(head)
        arguments = [] if tail.strip() in ("", "void") else [read_declarator(part) for part in tail.split(",")]
        functions.append(Function(name, result, arguments))
    # The plugin's entry stands in the headers too, and libsegue has none.
    return [function for function in functions if function.name != "segue_plugin_entry"]


def read_structs(text: str) -> dict[str, list[tuple[str, CType]]]:
    found = re.findall(r"typedef struct (segue_\w+) \{([^{}]*)\} \1;", text)
    return {name: [read_declarator(part) for part in body.split(";") if part.strip()] for name, body in found}


def read_enums(text: str) -> dict[str, list[tuple[str, str]]]:
    found = re.findall(r"enum (segue_\w+) \{([^{}]*)\};", text)
    return {name: re.findall(r"(\w+) = \(?(-?\w+)\)?", body) for name, body in found}


def read_rows(text: str, kind: str) -> list[str]:
    return re.findall(rf"@ ?{kind} ([^@]*?) ?@", text)


def ctype(kind: CType, structs: set[str]) -> str:
    """How ctypes calls it. Pointers to what only C knows are plain addresses."""
    if kind == CType("char", 1):
        return "ctypes.c_char_p"
    if kind.base == "char" and kind.stars == 2:
        return "ctypes.POINTER(ctypes.c_void_p)"
    inner = f"ctypes.{NUMBERS[kind.base]}" if kind.base in NUMBERS else kind.base
    if kind.base == "void" or (not kind.known and kind.base not in structs):
        inner, kind = "ctypes.c_void_p", CType(kind.base, kind.stars - 1)
    for _ in range(kind.stars):
        inner = f"ctypes.POINTER({inner})"
    return inner


def hint(kind: CType, structs: set[str]) -> str:
    """How a type checker calls an argument."""
    if kind.stars == 0:
        return "float" if kind.base == "double" else "int"
    if kind == CType("char", 1):
        return "Text"
    if kind.base in structs and kind.stars == 1:
        return f"_Pointer[{kind.base}] | Out"
    if kind.stars == 1 and kind.base not in NUMBERS:
        return "Address"
    return "Out"


def result_hint(kind: CType) -> str:
    if kind == CType("void", 0):
        return "None"
    if kind == CType("char", 1):
        return "bytes"
    return "int | None" if kind.stars else hint(kind, set())


def result_ctype(kind: CType) -> str:
    if kind == CType("void", 0):
        return "None"
    return "ctypes.c_void_p" if kind.stars and kind.base != "char" else ctype(kind, set())


def write_enum(name: str, rows: list[tuple[str, str]]) -> str:
    lines = [f"    {row} = {value}" for row, value in rows if not row.endswith("LIMIT_")]
    return "\n".join(["", "", f"class {name}(IntEnum):", *lines])


def write_struct(name: str, fields: list[tuple[str, CType]], structs: set[str]) -> str:
    rows = [f'        ("{field}", {ctype(kind, structs)}),' for field, kind in fields]
    return "\n".join(["", "", f"class {name}(ctypes.Structure):", "    _fields_ = (", *rows, "    )"])


def write_columns(name: str, rows: list[str]) -> str:
    lines = []
    for row in rows:
        field, kind, need, count = row.split(" ", 3)
        rows_of = re.sub(r"\b(?:[gp]->)?([a-z_]{2,})", r"of.\1", count.replace("(size_t)", ""))
        lines.append(f'    Column("{field}", ctypes.{NUMBERS[kind]}, lambda of: {rows_of}, {need == "REQUIRED"}),')
    return "\n".join(["", "", f"{name} = (", *lines, ")"])


def write_names(name: str, rows: list[str]) -> str:
    return "\n".join(["", f"{name} = (", *(f'    "{row}",' for row in rows), ")"])


def write_binding(function: Function, structs: set[str]) -> list[str]:
    types = ", ".join(ctype(kind, structs) for _, kind in function.arguments)
    return [
        f"        dll.{function.name}.argtypes = [{types}]",
        f"        dll.{function.name}.restype = {result_ctype(function.result)}",
    ]


def write_method(function: Function, structs: set[str]) -> list[str]:
    arguments = "".join(f", {name}: {hint(kind, structs)}" for name, kind in function.arguments)
    returned = result_hint(function.result)
    call = f"self._dll.{function.name}({', '.join(name for name, _ in function.arguments)})"
    body = f"        {call}" if returned == "None" else f"        result: {returned} = {call}\n        return result"
    return ["", f"    def {function.name}(self{arguments}) -> {returned}:", body]


def reachable(functions: list[Function], structs: dict[str, list[tuple[str, CType]]]) -> set[str]:
    return {kind.base for function in functions for _, kind in function.arguments if kind.base in structs}


def write_module(text: str, tables: str) -> str:
    functions, structs = read_functions(text), read_structs(text)
    wanted = reachable(functions, structs)
    parts = [PREAMBLE]
    parts += [write_enum(name, rows) for name, rows in read_enums(text).items()]
    parts += [write_struct(name, structs[name], wanted) for name in structs if name in wanted]
    parts += ["\n\nABI_VERSION = " + read_rows(tables, "VERSION")[0].rstrip("u")]
    parts += [write_columns("GROUP_COLUMNS", read_rows(tables, "GROUP"))]
    parts += [write_columns("PLAN_COLUMNS", read_rows(tables, "PLAN"))]
    parts += [write_names("PLAN_RESULTS", read_rows(tables, "OUT"))]
    parts += [write_names("CONFIG_KEYS", [row.strip('"') for row in read_rows(tables, "KEY")])]
    parts += ["\n\nclass Library:", '    """libsegue: each function of segue/host.h under its own name."""', ""]
    parts += ["    def __init__(self, dll: ctypes.CDLL) -> None:", "        self._dll = dll"]
    parts += [line for function in functions for line in write_binding(function, wanted)]
    parts += [line for function in functions for line in write_method(function, wanted)]
    return "\n".join(parts) + "\n"


def main() -> None:
    module = write_module(preprocessed("#include <segue/host.h>\n"), preprocessed(TABLES))
    if "--print" in sys.argv[1:]:
        print(module, end="")
    else:
        TARGET.write_text(module, encoding="utf-8")


if __name__ == "__main__":
    main()
