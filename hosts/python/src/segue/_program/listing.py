# SPDX-License-Identifier: Apache-2.0
"""python -m segue list: the plugins and assignors that there are."""

from __future__ import annotations

import json

from segue._errors import SegueError
from segue._host import Host
from segue._plan import Assignor, Plugin
from segue._program.complain import NO_PLUGIN, OK, complain
from segue._program.opened import opened
from segue._program.options import Command, Given, Option


def run(given: Given) -> int:
    with opened(given) as host:
        assignors = host.assignors()
        if not host.plugins():
            complain("no plugin was found; name one by --plugin PATH or its folder in SEGUE_PLUGIN_PATH")
            return NO_PLUGIN
        print(_document(host, assignors) if "--json" in given.values else _table(host, assignors))
        if not assignors:
            complain("every plugin that was found is refused")
            return NO_PLUGIN
    return OK


def _refusal(host: Host, plugin: Plugin) -> str:
    """Why it gives no assignor, as loading it again says; empty for one that asking for assignors has loaded."""
    if not plugin.abi:
        try:
            host.load(plugin.path)
        except SegueError as refusal:
            return str(refusal)
    return ""


def _table(host: Host, assignors: list[Assignor]) -> str:
    lines = []
    for plugin in host.plugins():
        if refusal := _refusal(host, plugin):
            lines += [f"{plugin.name} ({plugin.path})", f"  refused: {refusal}"]
            continue
        lines.append(f"{plugin.name} {plugin.version} ({plugin.path})")
        lines += [f"  {one.name:<18} {one.version:<6} {one.summary}" for one in assignors if one.plugin == plugin.path]
    return "\n".join(lines)


def _document(host: Host, assignors: list[Assignor]) -> str:
    plugins = [
        {
            "name": plugin.name,
            "version": plugin.version,
            "path": plugin.path,
            "abi": plugin.abi,
            "assignors": [_row(one) for one in assignors if one.plugin == plugin.path],
            **({"refused": refusal} if (refusal := _refusal(host, plugin)) else {}),
        }
        for plugin in host.plugins()
    ]
    return json.dumps({"segue": "list/1", "plugins": plugins}, indent=1, ensure_ascii=False)


def _row(one: Assignor) -> dict[str, object]:
    return {
        "name": one.name,
        "version": one.version,
        "summary": one.summary,
        "cold": one.cold,
        "leaving": one.knows_leaving,
        "loose": one.loose,
    }


COMMAND = Command(
    "list",
    "[--plugin PATH] [--json]",
    "show the plugins and assignors that there are",
    (
        Option("--plugin", "PATH", "load this plugin as well: a path, or a name on the search path"),
        Option("--json", None, "print one JSON document"),
    ),
    0,
    run,
)
