# SPDX-License-Identifier: BSD-3-Clause
"""Calls as bytes: a pickle, and behind it the memory of numpy arrays and other buffers, copied once where it is sent.

Where a call arrives they lie in the message. A long message's memory is taken over with it; a short one is copied.
"""

import ctypes
import pickle
import struct
import weakref
from collections.abc import Callable
from typing import Any

from thalweg.runtime_library import memory_at
from thalweg.structures import Piece

_ALIGNMENT = 16
_HEAD = struct.Struct("<QQ")  # bytes of the pickle, buffers
_SHARED_MAX = 16 << 10  # longer messages have memory of their own


class Pieces:
    """Where the parts of a message are, and what keeps them there."""

    def __init__(self, value: object) -> None:
        """Pickle a value, but for its buffers."""
        buffers: list[pickle.PickleBuffer] = []
        pickled = pickle.dumps(value, protocol=5, buffer_callback=buffers.append)
        views = [buffer.raw() for buffer in buffers]
        sizes = [view.nbytes for view in views]
        head = _HEAD.pack(len(pickled), len(views)) + struct.pack(f"<{len(sizes)}Q", *sizes)
        self._kept = (head, pickled, views)
        self.count = len(views) + 2
        self.array = (Piece * self.count)()
        for place, part in enumerate((head, pickled, *views)):
            self.array[place].from_, self.array[place].bytes = _address_of(part), len(part)


def _address_of(part: Any) -> int | None:
    if isinstance(part, bytes):
        return ctypes.cast(ctypes.c_char_p(part), ctypes.c_void_p).value
    view = _Buffer()
    _get_buffer(part, ctypes.byref(view), 0)
    address: int | None = view.start
    _release_buffer(ctypes.byref(view))  # the memoryview still holds it
    return address


class _Buffer(ctypes.Structure):
    """Py_buffer."""

    _fields_ = (
        ("start", ctypes.c_void_p),
        ("owner", ctypes.py_object),
        ("size", ctypes.c_ssize_t),
        ("item_size", ctypes.c_ssize_t),
        ("is_readonly", ctypes.c_int),
        ("dimensions", ctypes.c_int),
        ("format", ctypes.c_char_p),
        ("shape", ctypes.c_void_p),
        ("strides", ctypes.c_void_p),
        ("suboffsets", ctypes.c_void_p),
        ("internal", ctypes.c_void_p),
    )


_get_buffer = ctypes.pythonapi.PyObject_GetBuffer
_get_buffer.argtypes = (ctypes.py_object, ctypes.POINTER(_Buffer), ctypes.c_int)
_release_buffer = ctypes.pythonapi.PyBuffer_Release
_release_buffer.argtypes = (ctypes.POINTER(_Buffer),)
_release_buffer.restype = None


def read(address: int, size: int, keep: Callable[[], int | None], free: Callable[[int], None]) -> Any:
    """Give what Pieces was made of. `keep` takes the message's memory over, if it can, and `free` frees it."""
    view = memory_at(address, size)
    pickled, buffers = _HEAD.unpack_from(view)
    if buffers == 0:
        return pickle.loads(view[_HEAD.size : _HEAD.size + pickled])  # noqa: S301 (from a rank of the same program)
    memory: Any = None
    kept = keep() if size > _SHARED_MAX else None
    if kept:
        memory = (ctypes.c_char * size).from_address(address)
        weakref.finalize(memory, free, kept)
    else:
        memory = bytearray(view)
    whole = memoryview(memory).cast("B")
    sizes = struct.unpack_from(f"<{buffers}Q", whole, _HEAD.size)
    at = _aligned(_HEAD.size + 8 * buffers)
    body = whole[at : at + pickled]
    at += _aligned(pickled)
    found = []
    for size_of_one in sizes:
        found.append(whole[at : at + size_of_one])
        at += _aligned(size_of_one)
    return pickle.loads(body, buffers=found)  # noqa: S301


def _aligned(size: int) -> int:
    return -(-size // _ALIGNMENT) * _ALIGNMENT
