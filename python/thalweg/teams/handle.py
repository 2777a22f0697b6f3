# SPDX-License-Identifier: BSD-3-Clause
"""What a team's calls share: the library's handle, and buffers that belong to calls under way."""

import ctypes
import operator
import os
import sys
from types import CodeType
from typing import TYPE_CHECKING, Any, NoReturn, SupportsIndex

from thalweg.teams.library import TeamError, TeamLibrary

if TYPE_CHECKING:
    from thalweg.teams.memory import SymmetricMemory

_FILES: dict[CodeType, bytes] = {}  # texts that calls under way refer to, one for each function that makes some


class Handle:
    """A team of the library."""

    def __init__(self, library: TeamLibrary, pointer: ctypes.c_void_p) -> None:
        """Take over a team that was made."""
        self.library = library
        self.pointer = pointer
        self.rank = library.number("team_rank", pointer)
        self.size = library.number("team_size", pointer)
        self.memories: list[SymmetricMemory] = []
        self._held: dict[int, object] = {}
        self._number = 0

    def call(self, name: str, function: str, *arguments: Any) -> None:
        """Call thalweg_team_<function>; `name` is what the program has called."""
        self.must_be_open(name)
        self.library.call(f"team_{function}", self.pointer, *arguments)

    def must_be_open(self, name: str) -> None:
        """Fail where the team was freed."""
        if not self.pointer:
            self.refuse(name, "the team was freed", "make another one")

    def number(self, call: str, what: str, value: SupportsIndex) -> int:
        """Check a number that C takes as an int, and would cut off."""
        number = operator.index(value)
        if not -(1 << 31) <= number < 1 << 31:
            self.refuse(call, f"{what} {number}", "give a number of 32 bits")
        return number

    def hold(self, buffers: object) -> int:
        """Keep what belongs to a call under way, also if the program forgets it; gives the number to let it go by."""
        self._number += 1
        self._held[self._number] = buffers
        return self._number

    def let_go(self, number: int) -> None:
        """Forget what has been held."""
        self._held.pop(number, None)

    def let_all_go(self) -> None:
        """Forget everything: all calls have finished."""
        self._held.clear()

    def refuse(self, call: str, problem: str, remedy: str) -> NoReturn:
        """Fail: a value or a call is wrong."""
        where = f"{call} on rank {self.rank} of {self.size}"
        raise TeamError(f"{where}: {problem}; {remedy}", call, self.rank, remedy)


def site() -> tuple[bytes, int]:
    """Find where the program has called the package: the file's name, which lives on, and the line."""
    frame = sys._getframe(1)  # noqa: SLF001
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("thalweg.teams."):
        frame = frame.f_back
    code = frame.f_code
    if code not in _FILES:
        _FILES[code] = os.path.basename(code.co_filename).encode(errors="replace")
    return _FILES[code], frame.f_lineno
