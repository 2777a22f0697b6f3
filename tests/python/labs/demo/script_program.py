# SPDX-License-Identifier: BSD-3-Clause
"""A shell script described as a program of the demo, on an MPI library that is none."""

from thalweg_labs.demo.answers import Answer, answer_line
from thalweg_labs.demo.program import Job, Program
from thalweg_labs.demo.site import Flavor

# `env -u 4 COMMAND` starts the command, so that "-u" stands where a launcher takes the number of ranks.
NO_MPI = Flavor("none", "No MPI", ("env", "-u"), "libnone.so", ())


def program_that(script: str, known: Answer | None = None) -> Program:
    """Describe a shell script as a program."""
    return Program(
        name="script",
        title="a script",
        flavor=NO_MPI,
        prepare=lambda _site, _folder, _ranks: Job(("sh", "-c", script)),
        answer=lambda output, _folder: answer_line(output),
        tolerance=0,
        known=known or {},
    )
