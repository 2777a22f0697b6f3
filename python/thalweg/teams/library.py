# SPDX-License-Identifier: BSD-3-Clause
"""The C interface of teams (include/thalweg/team.h) as Python calls it, in the library that fits mpi4py's MPI."""

import ctypes
import sys
from typing import Any

from thalweg import prototypes, structures
from thalweg.libraries import team_library
from thalweg.runtime_library import RuntimeLibrary, RuntimeLibraryError, load_for


class TeamError(RuntimeLibraryError):
    """What went wrong in a call of a team: the whole line for people, and its parts."""


class TeamLibrary(RuntimeLibrary):
    """The library with its functions declared, for one process."""

    error = TeamError

    def __init__(self, path: str, communicator: type[ctypes.c_int | ctypes.c_void_p]) -> None:
        """Load the library; `communicator` is what MPI_Comm is, and every other handle of MPI too."""
        super().__init__(path, communicator)
        self.declare(prototypes.of_request(communicator), prototypes.of_team(communicator))
        self.collective_call = structures.team_call_of(communicator)

    def create(self, communicator: Any) -> ctypes.c_void_p:
        """Make the team of an mpi4py communicator."""
        team = ctypes.c_void_p()
        self.call("team_create_for", structures.HEADER_VERSION, self.handle_of(communicator), ctypes.byref(team))
        return team

    def number(self, name: str, team: ctypes.c_void_p) -> int:
        """Call a function of a team that gives a number."""
        return self.status_of(name, team)

    def reach(self, team: ctypes.c_void_p, address: int, rank: int) -> int | None:
        """Give the counterpart of an address in another rank's memory, if that is in this node."""
        found: int | None = self._functions.thalweg_team_reach(team, address, rank)
        return found

    def text(self, name: str, *arguments: Any) -> str:
        """Call a function whose last argument becomes a text."""
        given = ctypes.c_void_p()
        self.call(name, *arguments, ctypes.byref(given))
        return ctypes.string_at(given.value or 0).decode() if given else ""


def library_of(communicator: object) -> TeamLibrary:
    """Find the library for the MPI that an mpi4py communicator belongs to."""
    return load_for(communicator, TeamLibrary, team_library, "Team")


def mpi4py_module() -> Any:
    """Give mpi4py's MPI, which whoever has a communicator has loaded."""
    return sys.modules["mpi4py.MPI"]
