"""All programs of the demo, in the order of the table."""

from thalweg.demo.program import Program
from thalweg.demo.programs import bagel, gromacs, lammps, neuron, own, quantum_espresso

PROGRAMS: tuple[Program, ...] = (
    *quantum_espresso.PROGRAMS,
    *lammps.PROGRAMS,
    *gromacs.PROGRAMS,
    *neuron.PROGRAMS,
    *bagel.PROGRAMS,
    *own.EXAMPLES,
)
