"""A timeline of ranks, as a picture."""

import numpy as np

from thalweg.errors import USAGE, ThalwegError
from thalweg.plots import new_figure
from thalweg.simulation.simulate import Simulation, kinds

DRAWN_RANKS_MAX = 64
DRAWN_SEGMENTS_MAX = 200_000
_COLORS = ("tab:blue", "tab:gray", "tab:orange", "tab:purple", "tab:green")


def draw_timeline(found: Simulation, path: str) -> None:
    """Draw what the first ranks' processors did, and the critical path; the file's name says the format."""
    line = found.timeline
    drawn = line.ranks < DRAWN_RANKS_MAX
    if not line.ranks.size or int(drawn.sum()) > DRAWN_SEGMENTS_MAX:
        raise ThalwegError(
            USAGE, f"{path}: the program has nothing to draw, or too much", "simulate fewer ranks or operations"
        )
    ranks = min(found.ranks, DRAWN_RANKS_MAX)
    figure = new_figure(12, 1 + 0.16 * ranks)
    axes = figure.add_subplot()
    for kind, (name, color) in enumerate(zip(kinds(), _COLORS, strict=True)):
        chosen = drawn & (line.kinds == kind)
        if chosen.any():
            begins = line.begins[chosen] / 1e3
            axes.barh(line.ranks[chosen], line.ends[chosen] / 1e3 - begins, left=begins, color=color, label=name)
    on_path = found.path.ranks < DRAWN_RANKS_MAX
    middles = np.repeat(found.path.ranks[on_path], 2)
    times = np.column_stack((found.path.begins[on_path], found.path.ends[on_path])).ravel() / 1e3
    axes.plot(times, middles, color="tab:red", linewidth=1, label="critical path")
    axes.set_xlabel("us")
    axes.set_ylabel("rank")
    axes.invert_yaxis()
    axes.legend(loc="upper left", bbox_to_anchor=(1, 1))
    figure.savefig(path)
