# SPDX-License-Identifier: BSD-3-Clause
"""Write timelines: of runs when they end, of events that were kept, and of several put one above the other."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING

from thalweg.errors import USAGE, ThalwegError
from thalweg.terminal import print_line
from thalweg.timeline.chrome import stack_chrome, write_chrome
from thalweg.timeline.events import read_file, read_memory, read_part
from thalweg.timeline.files import OTF2, check_name
from thalweg.timeline.measured import timeline_of
from thalweg.timeline.memory import EVENTS, PARTS, TimelineMemory, parts_in, remove_parts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from thalweg.timeline.events import RankEvents
    from thalweg.timeline.model import Timeline


def write_timeline(timeline: Timeline, path: str) -> None:
    """Write a timeline as what its name says."""
    if path.endswith(OTF2):
        from thalweg.timeline.otf2_archive import write_otf2  # noqa: PLC0415 - an optional package

        write_otf2(timeline, path)
    else:
        write_chrome(timeline, path)


def write_of_run(memory: TimelineMemory | None, path: str, title: str) -> str:
    """Write a run's timeline when it has ended, and give a line that says so; empty where no rank kept anything.

    Ranks that ended by MPI_Finalize have gathered their events in a file. Of others those of this host are in memory.
    """
    gathered = path + EVENTS
    events: list[RankEvents] = []
    if os.path.exists(gathered):
        with contextlib.suppress(ThalwegError):  # rank 0 was killed while it gathered
            events = read_file(gathered)
    if not events and memory is not None:
        events = read_memory(memory)
        events += _of_parts(path + PARTS)
    if not events:
        return ""
    timeline = timeline_of(events, title)
    write_timeline(timeline, path)
    if os.path.exists(gathered):
        os.unlink(gathered)
    remove_parts(path + PARTS)
    return describe(timeline, path)


def _of_parts(folder: str) -> list[RankEvents]:
    """Read what ranks of other hosts left that did not come to MPI_Finalize."""
    return [rank for part in parts_in(folder) for rank in read_part(part)]


def _kept(path: str) -> list[RankEvents]:
    """Read events that rank 0 gathered in a file, or that ranks left in a folder. Raises ThalwegError for none."""
    if not os.path.isdir(path):
        return read_file(path)
    events = _of_parts(path)
    if not events:
        raise ThalwegError(USAGE, f"{path} has no rank's events", f"name a folder that ends in {PARTS}")
    return events


def describe(timeline: Timeline, path: str) -> str:
    """Say in a line what was written, and what it lacks."""
    where = path if path.endswith(OTF2) else f"{path}, for ui.perfetto.dev"
    calls = sum(one.kind in ("call", "collective", "thalweg") for one in timeline.slices)
    words = f"timeline of {timeline.ranks} ranks, {calls} calls and {len(timeline.arrows)} messages in {where}"
    return "; ".join([words, *timeline.remarks])


def convert(paths: Sequence[str], output: str) -> None:
    """Write the timeline of kept events, or put several timelines one above the other."""
    check_name(output, "thalweg timeline: --output")
    if len(paths) == 1 and (os.path.isdir(paths[0]) or paths[0].endswith(EVENTS)):
        timeline = timeline_of(_kept(paths[0]), os.path.basename(paths[0]).removesuffix(EVENTS).removesuffix(PARTS))
        write_timeline(timeline, output)
        print_line(describe(timeline, output))
        return
    if output.endswith(OTF2) or any(path.endswith(EVENTS) for path in paths):
        raise ThalwegError(
            USAGE, "thalweg timeline: only timelines in JSON are put one above the other", "write each as .json first"
        )
    stack_chrome(paths, output)
    print_line(f"{len(paths)} timelines in {output}, for ui.perfetto.dev")
