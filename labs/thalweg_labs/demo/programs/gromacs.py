# SPDX-License-Identifier: BSD-3-Clause
"""GROMACS: a box of water, its PME grid on ranks of its own."""

import os
import re
import shutil
from pathlib import Path

from thalweg.launch.timed_run import run
from thalweg_labs.demo.answers import Answer, NoAnswerError, part_behind
from thalweg_labs.demo.program import Job, Program
from thalweg_labs.demo.site import OPENMPI, Site, base_environment

_PREPARATION = (
    "solvate -cs spc216.gro -box 3.2 3.2 3.2 -p water.top -o water.gro",
    "grompp -f water_relax.mdp -c water.gro -p water.top -o relax.tpr",
    "mdrun -deffnm relax -nt 1",
    "grompp -f water.mdp -c relax.gro -p water.top -o run.tpr",
)


def _prepare(site: Site, folder: Path, _ranks: int) -> Job:
    for name in ("water.top", "water.mdp", "water_relax.mdp"):
        shutil.copy(site.inputs / name, folder)
    environment = {"GMX_MAXBACKUP": "-1"}
    for command in _PREPARATION:
        run(["gmx", *command.split()], {**base_environment(os.environ), **environment}, folder, limit_s=20)
    arguments = "mdrun -deffnm run -ntomp 1 -pin off -notunepme -npme 2 -dlb no -reprod"
    return Job(("gmx_mpi", *arguments.split()), environment)


def _answer(_output: str, folder: Path) -> Answer:
    """Take the averages over the run; roundings grow in such a system, so they agree to some digits only."""
    log = (folder / "run.log").read_text(errors="replace")
    averages = part_behind(log, "A V E R A G E S")
    number = r"\s*([-+]?\d\.\d+e[-+]\d+)"
    match = re.search(r"Potential\s+Kinetic En\.\n" + number * 4, averages)
    if match is None:
        message = "no energies under 'A V E R A G E S' in run.log"
        raise NoAnswerError(message)
    names = ("Lennard-Jones", "Coulomb", "Coulomb of the grid", "potential")
    return {f"{name}, kJ/mol": float(value) for name, value in zip(names, match.groups(), strict=True)}


PROGRAMS = (
    Program(
        name="gromacs",
        title="GROMACS, water with PME",
        flavor=OPENMPI,
        prepare=_prepare,
        answer=_answer,
        tolerance=1e-3,
        debian=("gromacs", "gromacs-data"),
    ),
)
