# SPDX-License-Identifier: BSD-3-Clause
"""What ranks load before the program's own libraries, in which order, and what is among it for the program's sake.

Sanitizers' runtimes refuse to run behind others, so they come first. What the user preloads is next, and then the
libraries that the program is linked with to stand in for MPI's functions, such as profilers: behind an interposer they
would be called no more. Interposers come last.
"""

import os
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from thalweg.programs.find import Program

PRELOAD = "LD_PRELOAD"
ADDED = "THALWEG_PRELOAD_ADDED"
"""Lists what is loaded for the program's sake, separated by colons: ranks spare their children these, too."""


class Preloads(NamedTuple):
    """An environment whose LD_PRELOAD is the user's and what comes before, variables with the rest, and remarks."""

    environment: Mapping[str, str]
    variables: dict[str, str]
    remarks: tuple[str, ...]


def with_needed(
    programs: Sequence[Program | None], variables: Mapping[str, str], environment: Mapping[str, str]
) -> Preloads:
    """Add to what is preloaded for ranks what their programs need there."""
    found = [program for program in programs if program is not None and program.mpi is not None]
    own = environment.get(PRELOAD, "")
    needed = dict.fromkeys(program.sanitizer for program in found if program.sanitizer)
    first = [library for library in needed if os.path.basename(library) not in own]
    wrappers = list(dict.fromkeys(library for program in found for library in program.wrappers if library not in own))
    shared = [library for library in wrappers if all(library in program.wrappers for program in found)]
    remarks = tuple(_remark(library) for library in wrappers if library not in shared)
    added = [*first, *shared]
    if not added or PRELOAD not in variables:
        return Preloads(_with(environment, first, own), dict(variables), remarks)
    rest = {PRELOAD: ":".join([*shared, variables[PRELOAD]]), ADDED: ":".join(added)}
    return Preloads(_with(environment, first, own), {**variables, **rest}, remarks)


def _with(environment: Mapping[str, str], first: Sequence[str], own: str) -> Mapping[str, str]:
    return {**environment, PRELOAD: ":".join([*first, *([own] if own else [])])} if first else environment


def _remark(library: str) -> str:
    name = os.path.basename(library)
    return f"{name} stands in for MPI functions of some of the job's programs alone, so it sees no calls: preload it"
