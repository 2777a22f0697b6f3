# SPDX-License-Identifier: BSD-3-Clause
"""BAGEL: Hartree-Fock of benzene, its matrices summed up by collectives; Debian has it on MPICH."""

import shutil
from pathlib import Path

from thalweg_labs.demo.answers import Answer, number_after, part_before
from thalweg_labs.demo.program import Job, Program
from thalweg_labs.demo.site import MPICH, Site


def _prepare(site: Site, folder: Path, _ranks: int) -> Job:
    shutil.copy(site.inputs / "benzene.json", folder)
    return Job(("BAGEL", "benzene.json"), {"BAGEL_NUM_THREADS": "1"})


def _answer(output: str, _folder: Path) -> Answer:
    """Take the energy of the last iteration: number, energy, residual and time stand in a line."""
    return {"energy, Hartree": number_after(part_before(output, "SCF iteration converged"), r"\n\s+\d+\s")}


PROGRAMS = (
    Program(
        name="bagel",
        title="BAGEL, benzene",
        flavor=MPICH,
        prepare=_prepare,
        answer=_answer,
        tolerance=1e-9,
        known={"energy, Hartree": -229.59233122},
        debian=("bagel",),
    ),
)
