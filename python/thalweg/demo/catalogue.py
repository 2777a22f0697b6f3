"""All programs of the demo, in the order of the table."""

from collections.abc import Collection

from thalweg.demo.program import Program
from thalweg.demo.programs import bagel, gromacs, lammps, neuron, own, quantum_espresso
from thalweg.demo.site import FLAVOURS
from thalweg.errors import SETTINGS, ThalwegError

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
        ThalwegError: if there is no such library or program.

    """
    _check("--mpi", mpi, FLAVOURS)
    _check("--only", only, list(dict.fromkeys(program.name for program in PROGRAMS)))
    return tuple(
        program
        for program in PROGRAMS
        if (not mpi or program.flavour.name in mpi) and (not only or program.name in only)
    )


def _check(option: str, names: Collection[str], known: Collection[str]) -> None:
    for name in names:
        if name not in known:
            raise ThalwegError(SETTINGS, f"{option}: the demo has no {name!r}", f"Take one of {', '.join(known)}.")
