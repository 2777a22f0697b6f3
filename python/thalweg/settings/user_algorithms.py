# SPDX-License-Identifier: BSD-3-Clause
"""The MPI libraries' own variables by which users choose algorithms: such a choice comes before all of ours."""

from collections.abc import Mapping
from typing import NamedTuple

from thalweg.settings.own_settings import own_settings


class NamePattern(NamedTuple):
    """Names of variables that begin so, have this somewhere and end so."""

    prefix: str
    inside: str = ""
    suffix: str = ""

    def matches(self, name: str) -> bool:
        """Tell whether a variable is one of them."""
        return name.startswith(self.prefix) and self.inside in name and name.endswith(self.suffix)


CHOICES = (
    NamePattern("OMPI_MCA_coll_"),
    NamePattern("I_MPI_ADJUST"),
    NamePattern("I_MPI_TUNING"),
    NamePattern("MPIR_CVAR_", suffix="_ALGORITHM"),
    NamePattern("MPIR_CVAR_", inside="_COLL_"),
)


def chosen_by_user(environment: Mapping[str, str]) -> bool:
    """Tell whether the user chose algorithms of the library himself."""
    given = environment.keys() - own_settings(environment)
    return any(pattern.matches(name) for name in given for pattern in CHOICES)
