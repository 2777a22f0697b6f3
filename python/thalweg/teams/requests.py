# SPDX-License-Identifier: BSD-3-Clause
"""Calls of a team that were started and go on."""

import ctypes
import weakref
from collections.abc import Iterable
from typing import Any, Generic, TypeVar

from thalweg.teams.handle import Handle

Result = TypeVar("Result")


class Request(Generic[Result]):
    """A call that was started: until it has finished its arrays belong to it. One that is dropped goes on."""

    def __init__(self, handle: Handle, pointer: ctypes.c_void_p, buffers: object, result: Result) -> None:
        """Take over what a call has started; a pointer to nothing has finished already."""
        self._handle = handle
        self._pointer = pointer
        self._result = result
        if pointer:
            self._number = handle.hold(buffers)
            weakref.finalize(self, handle.library.status_of, "request_free", ctypes.byref(pointer))

    def test(self) -> bool:
        """Make progress without waiting, and tell whether the call has finished."""
        finished = ctypes.c_int(1)
        if self._pointer:
            self._handle.library.call("request_test", ctypes.byref(self._pointer), ctypes.byref(finished))
            self._end()
        return bool(finished.value)

    def wait(self) -> Result:
        """Wait until the call has finished, and give what the same call of the team gives."""
        if self._pointer:
            self._handle.library.call("request_wait", ctypes.byref(self._pointer))
            self._end()
        return self._result

    def _end(self) -> None:
        if not self._pointer:
            self._handle.let_go(self._number)


def wait_all(requests: Iterable[Request[Any]]) -> list[Any]:
    """Wait for requests, one after the other, and give their results. The first failure ends the call."""
    return [request.wait() for request in requests]
