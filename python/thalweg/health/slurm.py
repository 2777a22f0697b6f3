# SPDX-License-Identifier: BSD-3-Clause
"""Whether this host belongs to a Slurm cluster, and how srun starts ranks of MPI there."""

import re
from collections.abc import Mapping

from thalweg.health.finding import NONE, OK, WARN, Finding
from thalweg.programs.processes import executable, output_of

_SECONDS = 20.0
_KINDS = re.compile(r"\b(pmix\w*|pmi2|cray_shasta)\b")


def cluster(environment: Mapping[str, str]) -> list[Finding]:
    """Ask srun and scontrol; both answer without a job."""
    srun = executable("srun", environment)
    if srun is None:
        return [Finding(NONE, "Slurm", "no srun in PATH")]
    version = output_of([srun, "--version"], environment, _SECONDS).text.strip()
    listed = output_of([srun, "--mpi=list"], environment, _SECONDS)
    kinds = sorted(set(_KINDS.findall(f"{listed.text} {listed.errors}")))
    if not kinds and "error" in listed.errors:
        return [Finding(NONE, "Slurm", f"{srun} knows of no cluster: {_last_line(listed.errors)}")]
    job = f", job {environment['SLURM_JOB_ID']}" if "SLURM_JOB_ID" in environment else ""
    if not kinds:
        text = f"{version}, srun --mpi has nothing that MPI libraries use"
        return [Finding(WARN, "Slurm", f"{text}{job}", "start ranks by the MPI's launcher: thalweg run -n 8 ./app")]
    text = f"{version}, srun --mpi: {', '.join(kinds)}"
    if _default(environment) != "none":
        return [Finding(OK, "Slurm", f"{text}{job}")]
    remedy = f"name it: srun --mpi={next((one for one in kinds if one.startswith('pmi')), kinds[0])}"
    others = [one for one in ("pmix", "pmi2") if one in kinds]
    if len(others) == 2:
        remedy = "name it: srun --mpi=pmix (Open MPI), --mpi=pmi2 (MPICH)"
    return [Finding(OK, "Slurm", f"{text}; none by default{job}", remedy)]


def _default(environment: Mapping[str, str]) -> str:
    """Give the plugin that srun uses where none is named; empty where the controller does not answer."""
    if "SLURM_MPI_TYPE" in environment:
        return environment["SLURM_MPI_TYPE"]
    scontrol = executable("scontrol", environment)
    if scontrol is None:
        return ""
    try:
        shown = output_of([scontrol, "show", "config"], environment, _SECONDS).text
    except TimeoutError:
        return ""
    found = re.search(r"^MpiDefault\s*=\s*(\S+)", shown, re.MULTILINE)
    return found[1] if found else ""


def _last_line(text: str) -> str:
    return text.strip().splitlines()[-1].removeprefix("srun: ").removeprefix("fatal: ")
