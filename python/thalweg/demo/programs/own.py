"""Our own programs, examples and small benchmarks, on both MPI libraries: what they send is known."""

from functools import partial
from pathlib import Path
from typing import NamedTuple

from thalweg.demo.answers import Answer, answer_line
from thalweg.demo.program import Job, Program
from thalweg.demo.site import FLAVOURS, Flavour, Site


class _Own(NamedTuple):
    """A program and its arguments on Open MPI and on MPICH.

    MPICH alone takes tens of milliseconds for a collective where ranks outnumber cores.
    """

    name: str
    title: str
    folder: str
    binary: str
    openmpi: str
    mpich: str
    debian: tuple[str, ...] = ()


_FFT_OPENMPI = "--size 72x60x64 --iterations 40"
_FFT_MPICH = "--size 36x30x32 --iterations 12"
_PENCILS = "--layout pencils --mode overlapped"

_EXAMPLES = (
    _Own(
        name="radix_sort",
        title="examples: radix sort",
        folder="examples",
        binary="radix_sort",
        openmpi="--keys-per-rank 50000 --repeat 20",
        mpich="--keys-per-rank 5000 --repeat 4",
    ),
    _Own(
        name="fft3d_slabs",
        title="examples: FFT, slabs",
        folder="examples",
        binary="fft3d",
        openmpi=_FFT_OPENMPI,
        mpich=_FFT_MPICH,
        debian=("libfftw3-dev",),
    ),
    _Own(
        name="fft3d_pencils",
        title="examples: FFT, pencils, overlapped",
        folder="examples",
        binary="fft3d",
        openmpi=f"{_FFT_OPENMPI} {_PENCILS}",
        mpich=f"{_FFT_MPICH} {_PENCILS}",
        debian=("libfftw3-dev",),
    ),
)
_BENCHMARKS = (
    _Own(
        name="conjugate_gradient",
        title="conjugate gradient",
        folder="benchmarks/programs",
        binary="conjugate_gradient",
        openmpi="--size 32 --iterations 1500",
        mpich="--size 32 --iterations 40",
    ),
)


def _prepare(own: _Own, flavour: Flavour, site: Site, _folder: Path, _ranks: int) -> Job:
    arguments = {"openmpi": own.openmpi, "mpich": own.mpich}[flavour.name]
    return Job((site.built(own.folder, own.binary, flavour), *arguments.split()))


def _answer(output: str, _folder: Path) -> Answer:
    return answer_line(output)


def _described(programs: tuple[_Own, ...]) -> tuple[Program, ...]:
    return tuple(
        Program(
            name=own.name,
            title=own.title,
            flavour=flavour,
            prepare=partial(_prepare, own, flavour),
            answer=_answer,
            tolerance=0,
            debian=own.debian,
        )
        for flavour in FLAVOURS.values()
        for own in programs
    )


EXAMPLES = _described(_EXAMPLES)
BENCHMARKS = _described(_BENCHMARKS)
