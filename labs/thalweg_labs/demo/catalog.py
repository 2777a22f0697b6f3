# SPDX-License-Identifier: BSD-3-Clause
"""All programs of the demo, in the order of the table."""

from collections.abc import Collection

from thalweg.errors import SETTINGS, ThalwegError
from thalweg_labs.demo.program import Program
from thalweg_labs.demo.programs import bagel, gromacs, lammps, neuron, own, quantum_espresso
from thalweg_labs.demo.site import FLAVORS

PROGRAMS: tuple[Program, ...] = (
    *quantum_espresso.PROGRAMS,
    *lammps.PROGRAMS,
    *gromacs.PROGRAMS,
    *neuron.PROGRAMS,
    *bagel.PROGRAMS,
    *own.EXAMPLES,
)


def chosen(mpi: Collection[str], only: Collection[str]) -> tuple[Program, ...]:
    """The programs on these MPI libraries and of these names; all where nothing is named.

    Raises:
        ThalwegError: if there is no such library, or no such program on one of them.

    """
    _check("--mpi", mpi, FLAVORS)
    there = [program for program in PROGRAMS if not mpi or program.flavor.name in mpi]
    _check("--only", only, dict.fromkeys(program.name for program in there), f" on {' or '.join(mpi)}" if mpi else "")
    return tuple(program for program in there if not only or program.name in only)


def _check(option: str, names: Collection[str], known: Collection[str], where: str = "") -> None:
    for name in names:
        if name not in known:
            message = f"{option}: the demo has no {name!r}{where}"
            raise ThalwegError(SETTINGS, message, f"Take one of {', '.join(known)}.")
