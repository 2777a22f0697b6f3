# SPDX-License-Identifier: BSD-3-Clause
"""Jobs of one program on a lab that a benchmark makes for itself, natively and under Thalweg."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from thalweg.errors import FAILED, ThalwegError
from thalweg.lab.hosts import Lab, checked
from thalweg.lab.network import down, up

_TRIES = 3
_PATIENCE_S = 300
"""Jobs of some MPIs hang in their end now and then (docs/lab.md)."""


@contextmanager
def made_lab(name: str, hosts: int, topology: str, rates: tuple[str, str], shuffle: int) -> Iterator[Lab]:
    """Make a lab, whose rates are of links and of hosts' own, and take it down."""
    lab = checked(name, hosts, rates[0], topology, shuffle, rates[1])
    up(lab)
    try:
        yield lab
    finally:
        down(name)


class Outcome(NamedTuple):
    """What a job printed: its seconds and the checksum; and what the report says of placing, {} without one."""

    seconds: float
    answer: str
    placing: dict[str, Any]


def run_job(lab: Lab, program: Sequence[str], options: Sequence[str], report: Path | None = None) -> Outcome:
    """Run a program that prints its seconds and a checksum, with a rank on each host."""
    seconds, answer = output_of(lab, program, [*options, *(["--report", str(report)] if report else [])]).split()[-2:]
    found = json.loads(report.read_text()).get("placing", {}) if report else {}
    return Outcome(float(seconds), answer, found)


def output_of(lab: Lab, program: Sequence[str], options: Sequence[str], ranks: int = 0) -> str:
    """Run a program on so many ranks; one that does not end is ended with all on the hosts, and run again.

    Of 0 ranks there is one on each host.
    """
    words = ["lab", "run", "--name", lab.name, *options, "-n", str(ranks or lab.hosts), "--", *program]
    consent = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    for _ in range(_TRIES):
        try:
            done = subprocess.run(
                [sys.executable, "-m", "thalweg", *words],
                capture_output=True,
                text=True,
                check=False,
                env=os.environ | consent,
                timeout=_PATIENCE_S,
            )
        except subprocess.TimeoutExpired:
            down(lab.name)
            up(lab)
            continue
        if done.returncode:
            raise ThalwegError(FAILED, f"{' '.join(words)} ended with status {done.returncode}\n{done.stderr[-2000:]}")
        return done.stdout
    raise ThalwegError(FAILED, f"{' '.join(words)} did not end within {_PATIENCE_S} s, {_TRIES} times")
