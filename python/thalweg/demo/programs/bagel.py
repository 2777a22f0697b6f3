"""BAGEL: Hartree-Fock of a small molecule, its matrices summed up by collectives; Debian has it on MPICH."""

import shutil
from pathlib import Path

from thalweg.demo.answers import Answer, NoAnswerError, number_after
from thalweg.demo.program import Job, Program
from thalweg.demo.site import MPICH, Site


def _prepare(site: Site, folder: Path, _ranks: int) -> Job:
    shutil.copy(site.inputs / "hydrogen_fluoride.json", folder)
    return Job(("BAGEL", "hydrogen_fluoride.json"), {"BAGEL_NUM_THREADS": "1"})


def _answer(output: str, _folder: Path) -> Answer:
    """Take the energy of the last iteration: number, energy, residual and time stand in a line."""
    if "SCF iteration converged" not in output:
        message = "the iteration did not converge"
        raise NoAnswerError(message)
    return {"energy, Hartree": number_after(output[: output.index("SCF iteration converged")], r"\n\s+\d+\s")}


PROGRAMS = (
    Program(
        name="bagel",
        title="BAGEL, hydrogen fluoride",
        flavour=MPICH,
        prepare=_prepare,
        answer=_answer,
        tolerance=1e-9,
        debian=("bagel",),
    ),
)
