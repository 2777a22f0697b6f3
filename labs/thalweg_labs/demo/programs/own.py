# SPDX-License-Identifier: BSD-3-Clause
"""Our own programs, examples and small benchmarks, on both MPI libraries: what they send is known."""

from functools import partial
from pathlib import Path
from typing import NamedTuple

from thalweg_labs.demo.answers import Answer, answer_line, number_after
from thalweg_labs.demo.program import Job, Program
from thalweg_labs.demo.site import FLAVORS, MPICH, OPENMPI, Flavor, Site
from thalweg_labs.demo.sizes import repeats


class _Own(NamedTuple):
    """A program, its arguments on each MPI library, its option for repetitions and their numbers at 8 ranks."""

    name: str
    title: str
    folder: str
    binary: str
    openmpi: str
    mpich: str
    option: str
    repeats_openmpi: int
    repeats_mpich: int
    debian: tuple[str, ...] = ()
    prints_exposed: bool = False
    """Whether it prints what its nonblocking calls exposed."""


_FFT_OPENMPI = "--size 72x60x64"
_FFT_MPICH = "--size 36x30x32"
_PENCILS = "--layout pencils --mode overlapped"

_EXAMPLES = (
    _Own(
        name="radix_sort",
        title="examples: radix sort",
        folder="examples",
        binary="radix_sort",
        openmpi="--keys-per-rank 50000",
        mpich="--keys-per-rank 5000",
        option="--repeat",
        repeats_openmpi=80,
        repeats_mpich=10,
    ),
    _Own(
        name="fft3d_slabs",
        title="examples: FFT, slabs",
        folder="examples",
        binary="fft3d",
        openmpi=_FFT_OPENMPI,
        mpich=_FFT_MPICH,
        option="--iterations",
        repeats_openmpi=160,
        repeats_mpich=24,
        debian=("libfftw3-dev",),
    ),
    _Own(
        name="fft3d_pencils",
        title="examples: FFT, pencils, overlapped",
        folder="examples",
        binary="fft3d",
        openmpi=f"{_FFT_OPENMPI} {_PENCILS}",
        mpich=f"{_FFT_MPICH} {_PENCILS}",
        option="--iterations",
        repeats_openmpi=160,
        repeats_mpich=24,
        debian=("libfftw3-dev",),
        prints_exposed=True,
    ),
)
_BENCHMARKS = (
    _Own(
        name="conjugate_gradient",
        title="conjugate gradient",
        folder="labs/programs",
        binary="conjugate_gradient",
        openmpi="--size 32",
        mpich="--size 32",
        option="--iterations",
        repeats_openmpi=1500,
        repeats_mpich=60,
    ),
)


def _prepare(own: _Own, flavor: Flavor, site: Site, _folder: Path, ranks: int) -> Job:
    arguments, at_eight = {
        OPENMPI: (own.openmpi, own.repeats_openmpi),
        MPICH: (own.mpich, own.repeats_mpich),
    }[flavor]
    count = repeats(flavor, at_eight, ranks)
    return Job((site.built(own.folder, own.binary, flavor), *arguments.split(), own.option, str(count)))


def _answer(output: str, _folder: Path) -> Answer:
    return answer_line(output)


def _exposed_s(output: str) -> float:
    return number_after(output, "exposed_s=")


def _described(programs: tuple[_Own, ...]) -> tuple[Program, ...]:
    return tuple(
        Program(
            name=own.name,
            title=own.title,
            flavor=flavor,
            prepare=partial(_prepare, own, flavor),
            answer=_answer,
            tolerance=0,
            debian=own.debian,
            exposed_s=_exposed_s if own.prints_exposed else None,
        )
        for flavor in FLAVORS.values()
        for own in programs
    )


EXAMPLES = _described(_EXAMPLES)
BENCHMARKS = _described(_BENCHMARKS)
