# SPDX-License-Identifier: BSD-3-Clause
"""Where calls are in the program's sources, by debugging information (src/run/mpi/symbols)."""

from __future__ import annotations

import ctypes
import os
from functools import cache
from typing import TYPE_CHECKING

from thalweg.libraries import find_library

if TYPE_CHECKING:
    from collections.abc import Callable

    from thalweg.timeline.events import CallPlace

_TEXT_BYTES = 512


@cache
def _describe() -> Callable[[bytes, int, ctypes.Array[ctypes.c_char], int], int] | None:
    path = find_library("libthalweg-symbols.so")
    if not path:
        return None
    try:
        function = ctypes.CDLL(path).thalweg_describe_source
    except (OSError, AttributeError):
        return None
    function.argtypes = (ctypes.c_char_p, ctypes.c_ulong, ctypes.c_char_p, ctypes.c_size_t)
    function.restype = ctypes.c_int
    return function


@cache
def source_of(call: CallPlace) -> str:
    """Say "file.c:12 (function)", or what else is known of the place."""
    file = os.path.basename(call.module)
    if call.python:
        return f"{file}:{call.address} ({call.python})"
    text = ctypes.create_string_buffer(_TEXT_BYTES)
    describe = _describe()
    if describe and call.module and describe(os.fsencode(call.module), call.address, text, _TEXT_BYTES):
        return text.value.decode(errors="replace")
    return f"{file or 'code'}+{call.address:#x}"


def line_of(call: CallPlace) -> str:
    """Say the place without the function that it is in."""
    return source_of(call).partition(" (")[0]
