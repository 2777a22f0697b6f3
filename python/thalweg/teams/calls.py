# SPDX-License-Identifier: BSD-3-Clause
"""A call as it is prepared, before a team makes it or a starter starts it."""

import ctypes
from typing import Any, Generic, NamedTuple, TypeVar

from thalweg.structures import SizedStructure
from thalweg.teams.handle import Handle

Arrays = TypeVar("Arrays")  # what calls give that give an array,
Rooted = TypeVar("Rooted")  # that give one on the root,
Numbers = TypeVar("Numbers")  # a whole number,
Nothing = TypeVar("Nothing")  # or nothing


class Call(NamedTuple):
    """A function of a team, with its structure, and the buffers that belong to it until it has finished."""

    name: str
    function: str
    given: SizedStructure
    buffers: object
    result: Any = None
    outlives: bool = False  # its return: barrier() or complete() ends it


class Calls(Generic[Arrays, Rooted, Numbers, Nothing]):
    """Calls, each written once: those of a team wait and give results, those of Team.start() give requests."""

    def __init__(self, handle: Handle) -> None:
        """Make calls on a team."""
        self._handle = handle

    @property
    def rank(self) -> int:
        """The number of this rank in the team."""
        return self._handle.rank

    @property
    def size(self) -> int:
        """The number of ranks."""
        return self._handle.size

    def _issue(self, call: Call) -> Any:
        raise NotImplementedError

    def _made(self, call: Call, request: Any) -> None:
        self._handle.call(call.name, call.function, ctypes.byref(call.given), request)
