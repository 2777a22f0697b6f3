# SPDX-License-Identifier: BSD-3-Clause
"""Values of papers' figures, each beside the paper's."""

from pathlib import Path
from typing import NamedTuple


class Row(NamedTuple):
    """A value of a figure."""

    figure: str
    case: str
    ours: float
    half_width: float
    """Of the 95 % confidence interval; 0 where nothing is random."""
    unit: str
    paper: str
    """Empty where the text has no value."""


class Request(NamedTuple):
    """What to run."""

    chapter: int
    packets: int = 100_000
    """About so many are measured at each load, in chapter 8."""
    plot: str = ""
    """The folder to draw figures over load into, of chapter 8."""
    ranks_max: int = 1 << 20
    """Cases with more are left out, of other chapters."""
    tram: bool = False
    """Not a chapter, but the figures of Wesolowski and others 2014."""
    mpi: str = "openmpi"
    """Of chapters 5 and 7, whose programs run on this machine."""
    folder: Path = Path("build/examples")
    """Where their programs have been built."""
    calls: int = 200_000
    """Of each kind, in a round of chapter 5."""
    lab: str = ""
    """In which chapter 7 runs too, with a rank on each host."""
