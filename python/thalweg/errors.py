# SPDX-License-Identifier: BSD-3-Clause
"""What can go wrong, and the exit status of each: the table behind docs/exit-status.md."""

from typing import NamedTuple


class Status(NamedTuple):
    """An exit status of the command itself; a started program's own status is passed on unchanged."""

    number: int
    description: str


FAILED = Status(1, "the command ran and its answer is no: a proof failed, a comparison differs")
USAGE = Status(2, "the command line cannot be understood")
SETTINGS = Status(
    3,
    "a setting is wrong: an unknown strategy, a parameter out of range, a file that is broken or cannot be used",
)
PROGRAM = Status(
    4,
    "the program cannot be interposed: no MPI program, statically linked, set-uid, an MPI that is not supported",
)
LAUNCHER = Status(5, "no launcher fits the program's MPI, or the launcher would refuse to start")
INSTALLATION = Status(6, "a part of Thalweg itself is missing: an interposer library or the compiled core")
LAB = Status(7, "the lab cannot be made or used: not root, one is up already, none is up")
NIC = Status(8, "the network device's agent cannot be started or asked: no right, no device, none is there")
FILES = Status(9, "the output, or a file that no setting names, cannot be read or written: no space, no right")
NOT_EXECUTABLE = Status(126, "the program exists but may not be executed")
NOT_FOUND = Status(127, "the program does not exist")

STATUSES = (FAILED, USAGE, SETTINGS, PROGRAM, LAUNCHER, INSTALLATION, LAB, NIC, FILES, NOT_EXECUTABLE, NOT_FOUND)


class ThalwegError(Exception):
    """The root of the errors that users see: what happened, what to do about it, and the exit status."""

    def __init__(self, status: Status, message: str, remedy: str = "") -> None:
        """Keep the parts apart so that tests and callers need not take the text to pieces."""
        super().__init__(message)
        self.status = status
        self.message = message
        self.remedy = remedy

    def __str__(self) -> str:
        """Say what happened on the first line and the remedy, if there is one, on the second."""
        return f"{self.message}\n  {self.remedy}" if self.remedy else self.message
