# SPDX-License-Identifier: BSD-3-Clause
"""How a program of the demo is described."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from thalweg_labs.demo.answers import Answer
from thalweg_labs.demo.site import Flavor, Site


@dataclass(frozen=True)
class Job:
    """What a launcher starts on every rank, in a scratch folder that preparation has filled."""

    command: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Program:
    """A program and a problem for it, on one MPI library; one small file of `programs/` each.

    `prepare` fills a scratch folder for a number of ranks and says what to start there; `answer` takes the
    program's own answer out of its output and that folder. Answers of all runs must agree to within
    `tolerance`, and with `known` where the answer is known beforehand. A program that overlaps communication with
    computation may print for how many seconds it waited nonetheless; `exposed_s` takes them out of its output.
    """

    name: str
    title: str
    flavor: Flavor
    prepare: Callable[[Site, Path, int], Job]
    answer: Callable[[str, Path], Answer]
    tolerance: float
    known: Answer = field(default_factory=dict)
    exposed_s: Callable[[str], float] | None = None
    debian: tuple[str, ...] = ()
    pypi: tuple[str, ...] = ()
