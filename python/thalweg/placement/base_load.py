"""What other jobs send over a machine's links, from a file: a link and bytes a line."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from thalweg import _core
from thalweg.errors import SETTINGS, ThalwegError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from thalweg.placement.machine import Slots


def read_base_load(path: str, slots: Slots) -> NDArray[np.float64]:
    """Give the bytes on each link in the time of one pass through a pattern, float64 of shape (links,).

    A line has a link, by its number or its name as `--explain` prints it, and the bytes; what follows # is a note. A
    link that comes twice has the sum. Raises ThalwegError with the line for what is no such text.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no text"
        raise ThalwegError(SETTINGS, f"{path}: {reason}", "name a readable file") from error
    loads = np.zeros(slots.machine.links)
    numbers: dict[str, int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        words = line.partition("#")[0].rsplit(maxsplit=1)
        if not words:
            continue
        name = words[0].strip()
        if not name.isdecimal() and not numbers:
            numbers = {slots.machine.link_name(link): link for link in range(slots.machine.links)}
        link = int(name) if name.isdecimal() else numbers.get(name, -1)
        if len(words) != 2 or not 0 <= link < loads.size:
            remedy = f"write a link's number, 0 to {loads.size - 1}, or its name, and the bytes"
            raise ThalwegError(SETTINGS, f"{path}, line {number}: '{line.strip()}' names no link", remedy)
        loads[link] += _bytes(words[1], f"{path}, line {number}")
    return loads


def _bytes(text: str, where: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value <= _core.amount_max:
        remedy = f"write a number from 0 to {_core.amount_max:g}"
        raise ThalwegError(SETTINGS, f"{where}: '{text}' is no number of bytes", remedy)
    return value
