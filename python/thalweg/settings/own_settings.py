# SPDX-License-Identifier: BSD-3-Clause
"""The MPI library's variables that Thalweg sets itself: ranks are told which, so that they count as nobody's choice."""

from collections.abc import Mapping

OWN_SETTINGS = "THALWEG_OWN_SETTINGS"
"""Lists their names, separated by commas."""


def own_settings(environment: Mapping[str, str]) -> list[str]:
    """Name the variables of an environment that Thalweg has set."""
    return [name for name in environment.get(OWN_SETTINGS, "").split(",") if name]


def marked(variables: Mapping[str, str], environment: Mapping[str, str]) -> dict[str, str]:
    """Add to variables that Thalweg sets the list of them, behind those that are listed in the environment already."""
    if not variables:
        return {}
    return {**variables, OWN_SETTINGS: ",".join(dict.fromkeys([*own_settings(environment), *variables]))}
