# SPDX-License-Identifier: BSD-3-Clause
"""Quantum ESPRESSO: all-to-alls of FFT slabs, thousands of small broadcasts and reductions, from Fortran."""

from pathlib import Path

from thalweg_labs.demo.answers import Answer, number_after
from thalweg_labs.demo.program import Job, Program
from thalweg_labs.demo.site import OPENMPI, Site


def _prepare(site: Site, _folder: Path, _ranks: int) -> Job:
    return Job(("pw.x", "-in", str(site.inputs / "silicon.in")))


def _answer(output: str, _folder: Path) -> Answer:
    return {"total energy, Ry": number_after(output, r"!\s+total energy\s+=")}


PROGRAMS = (
    Program(
        name="quantum_espresso",
        title="Quantum ESPRESSO, silicon",
        flavor=OPENMPI,
        prepare=_prepare,
        answer=_answer,
        tolerance=1e-8,
        known={"total energy, Ry": -63.31444345},
        debian=("quantum-espresso", "quantum-espresso-data"),
    ),
)
