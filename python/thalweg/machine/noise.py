# SPDX-License-Identifier: BSD-3-Clause
"""`thalweg machine probe --noise`: what takes the ranks' cores away, and how often.

Each rank reads the clock again and again; a jump of it is a detour (Hoefler, Schneider, Lumsdaine 2010, section III).
`thalweg simulate --noise FILE` plays the detours again (src/sim/simulate/noise.hpp has the file's lines).
"""

from __future__ import annotations

from itertools import pairwise
from statistics import mean, median, pstdev
from typing import TYPE_CHECKING, NamedTuple

from thalweg import _core
from thalweg.errors import FAILED, SETTINGS, USAGE, ThalwegError
from thalweg.text_files import read_text
from thalweg.units import time_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from thalweg.trials.session import Session

FIRST_WORD = "thalweg-noise"
_REGULAR = 0.2
"""Of the pauses between detours, their deviation by their mean: below this they come regularly."""
_RANDOM = 0.7
"""Above this they come at random; those of a Poisson process have 1."""
_FEW = 8


class CoreNoise(NamedTuple):
    """What a rank saw."""

    seconds: float
    """That it looked."""
    detours: list[tuple[float, float]]
    """When each began and how long it took, in seconds."""

    @property
    def part(self) -> float:
        """Give the part of the time that the core was away."""
        return sum(duration for _, duration in self.detours) / self.seconds

    @property
    def irregularity(self) -> float:
        """Give the deviation of the pauses between detours by their mean; 0 where there are too few."""
        begins = [begin for begin, _ in self.detours]
        pauses = [after - before for before, after in pairwise(begins)]
        return pstdev(pauses) / mean(pauses) if len(pauses) >= _FEW else 0.0


def measured_noise(session: Session, seconds: float) -> list[CoreNoise]:
    """Look at all ranks' cores, once for each rank; gives what each saw in its turn."""
    return [noise_of(session, rank, seconds) for rank in range(session.job.ranks)]


def noise_of(session: Session, rank: int, seconds: float) -> CoreNoise:
    """Look at all ranks' cores at once, and give what one of them saw."""
    length, *rest = (1e-6 * one for one in session.probe(f"noise {max(1, round(1e3 * seconds))} {rank}"))
    detours = list(zip(rest[::2], rest[1::2], strict=True))
    if sum(duration for _, duration in detours) >= length:
        message = f"rank {rank} had no core at all in {time_text(length)}"
        raise ThalwegError(FAILED, message, "measure for longer, with a rank for each core: --noise 2")
    return CoreNoise(length, detours)


def described_noise(noise: CoreNoise) -> str:
    """Say how much there is, and how regularly it comes."""
    if not noise.detours:
        return f"none in {time_text(noise.seconds)}"
    durations = [duration for _, duration in noise.detours]
    how = "now and then"
    if len(durations) > _FEW:
        how = f"every {time_text(noise.seconds / len(durations))}"
        if noise.irregularity < _REGULAR:
            how += ", regularly"
        elif noise.irregularity > _RANDOM:
            how += ", at random"
    return (
        f"away {100 * noise.part:.2g} % of {time_text(noise.seconds)}, {how}: {len(durations)} detours of "
        f"{time_text(median(durations))}, the longest {time_text(max(durations))}"
    )


def file_text(noise: Sequence[CoreNoise]) -> str:
    """Write what all ranks saw as a file of measured noise: whole nanoseconds, detours that do not meet."""
    lines = [FIRST_WORD]
    for one in noise:
        detours, end = [], 0
        for begin, duration in one.detours:
            first = max(end, round(1e9 * begin))
            end = first + max(1, round(1e9 * duration))
            detours.append(f"{first} {end - first}")
        lines += [f"processor {max(end + 1, round(1e9 * one.seconds))}", *detours]
    return "\n".join(lines) + "\n"


def noise_text(noise: str) -> str:
    """Give the text of the file where noise is one, else the words themselves. Raises ThalwegError for neither."""
    if not noise:
        return noise
    if noise.startswith("random:") or noise[:1].isdigit():
        try:
            _core.check_noise_words(noise)
        except _core.Error as error:
            raise ThalwegError(USAGE, *error.args) from error
        return noise
    text = read_text(
        noise, "write 1000000,25000 or random:1000000,25000, or name a file of thalweg machine probe --noise"
    )
    try:
        _core.check_noise(text, noise)
    except _core.Error as error:
        raise ThalwegError(SETTINGS, *error.args) from error
    return text
