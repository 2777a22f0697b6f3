# SPDX-License-Identifier: BSD-3-Clause
"""A run's timeline above that of its simulation, with messages as arrows, as ui.perfetto.dev would show them."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from thalweg.plots import new_figure, save_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLORS = {"compute": "#b5cdeb", "transfer": "#f2ac42", "waiting": "#a92a55", "thalweg": "#8a8f98"}
ARROWS_MAX = 40


def draw(measured: Path, simulated: Path, path: str) -> None:
    """Draw the middle part of both, as much as holds some messages."""
    figure = new_figure(9, 4.4)
    panels = figure.subplots(2, 1)
    for axes, file, title in zip(panels, (measured, simulated), ("measured", "simulated"), strict=True):
        events = json.loads(file.read_text())["traceEvents"]
        _draw_rows(axes, events, title)
    panels[0].legend(loc="upper left", bbox_to_anchor=(1, 1), frameon=False)
    save_figure(figure, path)


def _draw_rows(axes: "Axes", events: list[dict[str, Any]], title: str) -> None:
    names = {
        (one["pid"], one["tid"]): one["args"]["name"]
        for one in events
        if one["name"] == "thread_name" and one["args"]["name"].startswith("rank")
    }
    rows = {key: place for place, key in enumerate(sorted(names))}
    arrows = _arrows(events, rows)
    first = len(arrows) // 2
    shown = arrows[first : first + ARROWS_MAX] or arrows
    begin, end = (min(one[0] for one in shown), max(one[2] for one in shown)) if shown else (0.0, _end(events))
    for kind, color in COLORS.items():
        chosen = [
            one for one in events
            if one["ph"] == "X" and one["cat"] == kind and (one["pid"], one["tid"]) in rows
            and one["ts"] < end and one["ts"] + one["dur"] > begin
        ]  # fmt: skip
        if not chosen:
            continue
        axes.barh(
            [rows[one["pid"], one["tid"]] for one in chosen], [one["dur"] / 1e3 for one in chosen],
            left=[(one["ts"] - begin) / 1e3 for one in chosen], height=0.7, color=color, label=kind,
        )  # fmt: skip
    for sent, source, received, target in shown:
        arrow = {"arrowstyle": "->", "linewidth": 0.7, "color": "#1a2130", "shrinkA": 0, "shrinkB": 0}
        ends = ((received - begin) / 1e3, target), ((sent - begin) / 1e3, source)
        axes.annotate("", *ends, arrowprops=arrow, annotation_clip=False)
    axes.set_xlim(0, (end - begin) / 1e3)
    axes.set_yticks(range(len(rows)), [names[key] for key in rows])
    axes.invert_yaxis()
    axes.set_title(title, loc="left", fontsize="medium")
    axes.set_xlabel("ms")


def _arrows(events: list[dict[str, Any]], rows: dict[tuple[int, int], int]) -> list[tuple[float, int, float, int]]:
    """Give when and from which row each message was sent, and when it had come to which row, in order of time."""
    ends: dict[tuple[str, str], tuple[float, int]] = {
        (one["ph"], one["id"]): (one["ts"], rows[one["pid"], one["tid"]])
        for one in events
        if one["ph"] in "sf" and (one["pid"], one["tid"]) in rows
    }
    return sorted((*ends["s", key], *ends["f", key]) for kind, key in ends if kind == "s" and ("f", key) in ends)


def _end(events: list[dict[str, Any]]) -> float:
    return float(max(one["ts"] + one["dur"] for one in events if one["ph"] == "X"))
