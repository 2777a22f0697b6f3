# SPDX-License-Identifier: BSD-3-Clause
"""A schedule as a moving picture: ranks on a circle, and the messages of one stage after the other.

python -m website.schedule_picture >docs/schedule.svg        scripts/ is in PYTHONPATH
"""

import math
import re
import sys
from pathlib import Path
from typing import NamedTuple

from jinja2 import Environment

from thalweg.strategies import make_sample

HERE = Path(__file__).resolve().parent
OPERATION, STRATEGY, RANKS = "allreduce", "recursive_doubling", 8
SIDE = 300
RADIUS = 115
RANK_RADIUS = 16
STEP_SECONDS = 1.5


class Message(NamedTuple):
    """A line from the sender's border to the receiver's."""

    x1: float
    y1: float
    x2: float
    y2: float


def messages_by_stage(schedules: list[str]) -> list[list[tuple[int, int]]]:
    """Read who sends to whom in each stage from what `thalweg strategies show` prints of each rank."""
    stages: list[list[tuple[int, int]]] = []
    for rank, text in enumerate(schedules):
        for number, stage in enumerate(re.split(r"^stage \d+$", text, flags=re.MULTILINE)[1:]):
            if number == len(stages):
                stages.append([])
            stages[number] += [(rank, int(to)) for to in re.findall(r"^ +\d+  send .* to (\d+)", stage, re.MULTILINE)]
    return [stage for stage in stages if stage]


def schedule_picture(operation: str = OPERATION, strategy: str = STRATEGY, ranks: int = RANKS) -> str:
    """Draw a strategy's schedule as SVG that moves by itself, or stands still where motion is not wanted."""
    sample = make_sample(operation, strategy, ranks)
    stages = messages_by_stage([sample.print(rank) for rank in range(ranks)])
    places = [_place(rank, ranks) for rank in range(ranks)]
    environment = Environment(autoescape=True, keep_trailing_newline=True)
    shown = 100 / len(stages)
    return environment.from_string((HERE / "schedule.svg.j2").read_text()).render(
        title=f"{operation} by {strategy} on {ranks} ranks",
        side=SIDE,
        step=STEP_SECONDS,
        seconds=STEP_SECONDS * len(stages),
        shown=round(shown - 0.2, 2),
        gone=round(shown, 2),
        stages=[[_line(places[here], places[there]) for here, there in stage] for stage in stages],
        ranks=places,
    )


def _place(rank: int, ranks: int) -> tuple[float, float]:
    turn = 2 * math.pi * rank / ranks
    return round(SIDE / 2 + RADIUS * math.sin(turn), 1), round(SIDE / 2 - RADIUS * math.cos(turn), 1)


def _line(here: tuple[float, float], there: tuple[float, float]) -> Message:
    part = RANK_RADIUS / math.dist(here, there)
    x, y = ((there[axis] - here[axis]) * part for axis in (0, 1))
    ends = (here[0] + x, here[1] + y, there[0] - x, there[1] - y)
    return Message(*(round(end, 1) for end in ends))


if __name__ == "__main__":
    sys.stdout.write(schedule_picture())
