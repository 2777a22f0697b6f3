# SPDX-License-Identifier: BSD-3-Clause
"""NEURON: spikes of a network, gathered by all ranks every millisecond of the model; on either MPI."""

from functools import partial
from pathlib import Path

from thalweg_labs.demo.answers import Answer, answer_line
from thalweg_labs.demo.program import Job, Program
from thalweg_labs.demo.site import MPICH, OPENMPI, Flavor, Site
from thalweg_labs.demo.sizes import repeats

_STOP_MS = {"openmpi": 800, "mpich": 80}


def _prepare(flavor: Flavor, site: Site, _folder: Path, ranks: int) -> Job:
    # NEURON opens whatever libmpi.so it finds first.
    environment = {"LD_LIBRARY_PATH": str(site.compatible_library_folder(flavor))}
    stop_ms = repeats(flavor, _STOP_MS[flavor.name], ranks)
    script = str(site.inputs / "ring_network.py")
    return Job((str(site.wheels / "bin" / "python"), script, str(stop_ms)), environment)


def _answer(output: str, _folder: Path) -> Answer:
    return answer_line(output)


PROGRAMS = tuple(
    Program(
        name="neuron",
        title="NEURON, ring of cells",
        flavor=flavor,
        prepare=partial(_prepare, flavor),
        answer=_answer,
        tolerance=0,
        pypi=("neuron==9.0.2",),
    )
    for flavor in (OPENMPI, MPICH)
)
