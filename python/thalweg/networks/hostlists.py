# SPDX-License-Identifier: BSD-3-Clause
"""Lists of names as Slurm writes them: n[001-016,020], rack[1-2]-n[0-3],login (src/core/base/host_names.hpp)."""

from thalweg import _core
from thalweg.errors import SETTINGS, ThalwegError
from thalweg.text_files import Place


def expand(text: str, place: Place | None = None) -> list[str]:
    """Write out a list's names, in its order. Raises ThalwegError where it is none, or names too many."""
    try:
        return _core.expand_names(text)
    except _core.Error as error:
        problem, remedy = error.args
        if place is not None:
            place.refuse(problem, remedy)
        raise ThalwegError(SETTINGS, problem, remedy) from error
