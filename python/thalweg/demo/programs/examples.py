"""Our own examples, on both MPI libraries: what they send is known, and so is the answer."""

from functools import partial
from pathlib import Path

from thalweg.demo.answers import Answer, answer_line
from thalweg.demo.program import Job, Program
from thalweg.demo.site import FLAVOURS, Flavour, Site

# MPICH alone needs tens of milliseconds for any collective of more ranks than cores.
_RADIX_SORT = {"openmpi": "--keys-per-rank 50000 --repeat 20", "mpich": "--keys-per-rank 5000 --repeat 4"}
_FFT_BLOCKING = {"openmpi": "--size 72x60x64 --iterations 40", "mpich": "--size 36x30x32 --iterations 6"}
_PENCILS = "--layout pencils --mode overlapped "


def _prepare(example: str, arguments: str, flavour: Flavour, site: Site, _folder: Path, _ranks: int) -> Job:
    return Job((site.example(example, flavour), *arguments.split()))


def _answer(output: str, _folder: Path) -> Answer:
    return answer_line(output)


def _program(example: str, title: str, name: str, arguments: str, flavour: Flavour) -> Program:
    return Program(
        name=name,
        title=title,
        flavour=flavour,
        prepare=partial(_prepare, example, arguments, flavour),
        answer=_answer,
        tolerance=0,
        debian=("libfftw3-dev",) if example == "fft3d" else (),
    )


def _on(flavour: Flavour) -> tuple[Program, ...]:
    fft = _FFT_BLOCKING[flavour.name]
    return (
        _program("radix_sort", "examples: radix sort", "radix_sort", _RADIX_SORT[flavour.name], flavour),
        _program("fft3d", "examples: FFT, slabs", "fft3d_slabs", fft, flavour),
        _program("fft3d", "examples: FFT, pencils, overlapped", "fft3d_pencils", _PENCILS + fft, flavour),
    )


PROGRAMS = tuple(program for flavour in FLAVOURS.values() for program in _on(flavour))
