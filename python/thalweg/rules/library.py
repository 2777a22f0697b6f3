# SPDX-License-Identifier: BSD-3-Clause
"""An MPI library as one whose algorithms can be chosen: what it offers, and how it is told."""

import os
import re
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from thalweg.errors import SETTINGS, ThalwegError
from thalweg.programs.families import LoadedMpi
from thalweg.programs.find import find_program
from thalweg.rules import formats
from thalweg.rules.algorithms import INTEL, MPICH, OPENMPI, Algorithm, algorithms, intel_variable
from thalweg.rules.formats import Rules

_INTEL_TOOL = "impi_info"

Choices = Mapping[str, Sequence[Algorithm]]
"""By operation, what the library lets users choose; operations without a choice are left out."""


class Library(NamedTuple):
    """A library of a family that has algorithms to choose among: openmpi, mpich or intel."""

    family: str
    path: str

    def choices(self, operations: Iterable[str], ranks: int) -> Choices:
        """List what it offers on so many ranks; Intel MPI is asked itself, as its presets differ by version."""
        if self.family == INTEL:
            offered = _intel_presets(self.path)
            found = {name: offered.get(intel_variable(name), []) for name in operations}
        else:
            found = {name: list(algorithms(self.family, name, ranks)) for name in operations}
        return {name: several for name, several in found.items() if several}

    def rules_text(self, rules: Rules, ranks: int) -> str:
        """Write rules in the library's own format."""
        if self.family == OPENMPI:
            return formats.openmpi_rules(rules, ranks)
        if self.family == INTEL:
            return formats.intel_settings(rules, ranks)
        return formats.mpich_selection(rules, ranks, formats.mpich_defaults(self.path))

    def file_variables(self, path: str) -> dict[str, str]:
        """Name the variables by which programs use a file of rules."""
        if self.family == OPENMPI:
            return {
                "OMPI_MCA_coll_tuned_use_dynamic_rules": "1",
                "OMPI_MCA_coll_tuned_dynamic_rules_filename": os.path.abspath(path),
            }
        if self.family == INTEL:
            return formats.intel_variables(Path(path).read_text(encoding="utf-8"))
        return {"MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE": os.path.abspath(path)}

    def way_to_use(self, path: str) -> str:
        """Say how programs use a file of rules without Thalweg, as words of a shell."""
        if self.family == INTEL:
            return f"set -a; . {os.path.abspath(path)}"
        return " ".join(f"{name}={value}" for name, value in self.file_variables(path).items())


def library_of(program: str, environment: Mapping[str, str]) -> Library | None:
    """Find the library that a program loads; nothing where its algorithms cannot be chosen."""
    found = find_program([program], environment)
    assert found is not None
    assert found.mpi is not None
    return library_of_mpi(found.mpi)


def library_of_mpi(mpi: LoadedMpi) -> Library | None:
    """Give a loaded MPI's library; nothing where its algorithms cannot be chosen."""
    if mpi.family.name == OPENMPI:
        return Library(OPENMPI, mpi.library)
    if mpi.family.name != MPICH:
        return None
    return Library(INTEL if _intel_tool(mpi.library) else MPICH, mpi.library)


def _intel_tool(library: str) -> str:
    """Find the program that comes with Intel MPI and tells its settings; empty for other libraries."""
    for folder in Path(os.path.abspath(library)).parents:
        path = folder / "bin" / _INTEL_TOOL
        if path.exists():
            return str(path)
    return ""


def _intel_presets(library: str) -> dict[str, list[Algorithm]]:
    """Ask Intel MPI how many presets each variable takes: they are numbered, and only numbered."""
    folder = os.path.dirname(os.path.abspath(library))
    path = ":".join(filter(None, (folder, os.environ.get("LD_LIBRARY_PATH"))))
    command = [_intel_tool(library), "-a"]
    surroundings = os.environ | {"LD_LIBRARY_PATH": path}
    # Its texts are Latin-1: trade marks.
    answer = subprocess.run(command, capture_output=True, encoding="latin-1", check=False, env=surroundings)
    found = intel_presets_of(answer.stdout)
    if not found:
        message = f"{' '.join(command)} does not tell which presets there are: {answer.stderr.strip() or 'no answer'}"
        raise ThalwegError(SETTINGS, message, "is Intel MPI whole?")
    return found


def intel_presets_of(text: str) -> dict[str, list[Algorithm]]:
    """Read the answer: a variable's name at the beginning of a line, later `range: 0-22`; 0 is the default."""
    presets: dict[str, list[Algorithm]] = {}
    name = ""
    for line in text.splitlines():
        if line[:1].strip():
            name = line.strip()
        elif (match := re.fullmatch(r"\s*range: 0-(\d+)\s*", line)) and name.startswith("I_MPI_ADJUST_"):
            presets[name] = [Algorithm(f"preset_{number}", number) for number in range(1, int(match[1]) + 1)]
    return presets
