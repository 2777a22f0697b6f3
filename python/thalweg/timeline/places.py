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
def _describe() -> Callable[..., int] | None:
    path = find_library("libthalweg-symbols.so")
    if not path:
        return None
    try:
        function = ctypes.CDLL(path).thalweg_describe_source
    except (OSError, AttributeError):
        return None
    texts = (ctypes.c_char_p,) * 3  # what a line shows, the path, and the function
    function.argtypes = (ctypes.c_char_p, ctypes.c_ulong, *texts, ctypes.c_size_t)
    function.restype = ctypes.c_int
    return function


@cache
def source_of(call: CallPlace) -> str:
    """Say "file.c:12 (function)", or what else is known of the place."""
    file = os.path.basename(call.module)
    if call.python:
        return f"{file}:{call.address} ({call.python})"
    text, path, within = (ctypes.create_string_buffer(_TEXT_BYTES) for _ in range(3))
    describe = _describe()
    if describe and call.module:
        line = describe(os.fsencode(call.module), call.address, text, path, within, _TEXT_BYTES)
        if line >= 0:
            return text.value.decode(errors="replace")
    return f"{file or 'code'}+{call.address:#x}"


def line_of(call: CallPlace) -> str:
    """Say the place without the function that it is in."""
    return source_of(call).partition(" (")[0]
