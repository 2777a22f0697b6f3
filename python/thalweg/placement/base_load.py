# SPDX-License-Identifier: BSD-3-Clause
"""What other jobs send over a machine's links, from a file: a link and bytes a line."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from thalweg import _core
from thalweg.errors import SETTINGS, ThalwegError
from thalweg.text_files import Place, lines_of, read_text, shown

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from thalweg.placement.machine import Slots


def read_base_load(path: str, slots: Slots) -> NDArray[np.float64]:
    """Give the bytes on each link in the time of one pass through a pattern, float64 of shape (links,).

    A line has a link, by its number or its name as `--explain` prints it, and the bytes; what follows # is a note. A
    link that comes twice has the sum. Raises ThalwegError with the line for what is no such text.
    """
    loads = np.zeros(slots.machine.links)
    numbers: dict[str, int] = {}
    lines = list(lines_of(read_text(path), path))
    if not lines:
        raise ThalwegError(SETTINGS, f"{path}: there is no link in it", "write a link and its bytes a line")
    for line in lines:
        words = line.text.rsplit(maxsplit=1)
        name = words[0].strip()
        if not name.isdecimal() and not numbers:
            numbers = {slots.machine.link_name(link): link for link in range(slots.machine.links)}
        link = int(name) if name.isdecimal() else numbers.get(name, -1)
        if len(words) != 2 or not 0 <= link < loads.size:
            remedy = f"write a link's number, 0 to {loads.size - 1}, or its name, and the bytes"
            line.place.refuse(f"'{shown(line.text)}' names no link", remedy)
        loads[link] += bytes_in(words[1], line.place)
    return loads


def bytes_in(text: str, place: Place) -> float:
    """Read a number of bytes. Raises ThalwegError with the line."""
    try:
        value = float(text) if text.isascii() else math.nan
    except ValueError:
        value = math.nan
    if not 0 <= value <= _core.amount_max:
        place.refuse(f"'{shown(text)}' is no number of bytes", f"write a number from 0 to {_core.amount_max:g}")
    return value
