# SPDX-License-Identifier: BSD-3-Clause
"""What was found of one part of a host, and how people read it."""

from typing import NamedTuple

OK, NONE, WARN, FAIL = "ok", "none", "warn", "fail"


class Finding(NamedTuple):
    """What was looked at, how it is, and the command or change that helps; empty where nothing is to be done."""

    state: str
    subject: str
    text: str
    remedy: str = ""


def lines_of(found: list[Finding]) -> list[str]:
    """Write findings for people, one a line, with what to do behind an arrow."""
    width = max(len(one.subject) for one in found)
    return [
        f"{one.state:4}  {one.subject:{width}}  {one.text}" + (f" -> {one.remedy}" if one.remedy else "")
        for one in found
    ]
