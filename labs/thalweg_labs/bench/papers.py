# SPDX-License-Identifier: BSD-3-Clause
"""Figures of papers, simulated or run on this machine, each beside the paper's value.

The figures' curves are not in the works' texts, so the papers' values are those that their sentences and tables have.
"""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, NamedTuple

from thalweg.errors import USAGE, ThalwegError
from thalweg.text_files import write_text
from thalweg_labs.bench import papers_combining, papers_fat_tree, papers_objects, papers_routers, papers_tram

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from thalweg_labs.bench.papers_rows import Request, Row


class Part(NamedTuple):
    """Some figures, and what was chosen where the text says nothing."""

    figures: Callable[[Request], Iterator[list[Row]]]
    unsaid: tuple[str, ...]


CHAPTERS = {
    3: Part(papers_combining.figures, papers_combining.UNSAID),
    4: Part(papers_fat_tree.figures, papers_fat_tree.UNSAID),
    5: Part(papers_objects.streaming, papers_objects.UNSAID),
    7: Part(papers_objects.applications, papers_objects.UNSAID),
    8: Part(papers_routers.figures, papers_routers.UNSAID),
}
TRAM = Part(papers_tram.figures, papers_tram.UNSAID)


def run(request: Request, json_file: str) -> None:
    """Simulate the figures of a chapter, or run its programs, and print them."""
    if not request.tram and request.chapter not in CHAPTERS:
        remedy = f"choose one of {', '.join(map(str, CHAPTERS))}"
        raise ThalwegError(USAGE, f"thalweg bench papers: chapter {request.chapter}", remedy)
    part = TRAM if request.tram else CHAPTERS[request.chapter]
    begin = time.perf_counter()
    rows: list[Row] = []
    for found in part.figures(request):
        for row in found:
            rows.append(row)
            plus = f" ± {row.half_width:.3g}" if row.half_width else ""
            print(f"{row.figure:<10} {row.case:<52} {f'{row.ours:.4g}{plus}':<16} {row.unit:<6} {row.paper}".rstrip())
    print(f"\n{time.perf_counter() - begin:.0f} s. What the text does not say, and what was chosen:")
    for text in part.unsaid:
        print(f"- {text}")
    if json_file:
        write_text("[\n" + ",\n".join(json.dumps(row._asdict()) for row in rows) + "\n]\n", json_file)
