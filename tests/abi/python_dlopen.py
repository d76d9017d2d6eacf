#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An interpreter that was started without the plugin can load it, which static thread-local storage would forbid.

python_dlopen.py PLUGIN
"""

import ctypes
import sys
import threading


class Entry(ctypes.Structure):
    _fields_ = [
        *((name, ctypes.c_uint32) for name in ("size", "version", "floor", "table_count")),
        *((name, ctypes.c_void_p) for name in ("slots", "table", "plugin_name", "plugin_version")),
    ]


def enter(plugin: str) -> None:
    function = ctypes.CDLL(plugin).segue_plugin_entry
    function.argtypes, function.restype = [ctypes.POINTER(Entry)], ctypes.c_int32
    entry = Entry(size=ctypes.sizeof(Entry), version=1, floor=1)
    status = function(ctypes.byref(entry))
    if status != 0 or not entry.slots:
        sys.exit(f"the entry answered {status}")


if __name__ == "__main__":
    enter(sys.argv[1])
    thread = threading.Thread(target=enter, args=sys.argv[1:])
    thread.start()
    thread.join()
