# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of the site's pages, made by Thalweg's own commands while it is built; none of them is in the repository."""

import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

import thalweg
from thalweg.plots import new_figure, save_figure
from thalweg.simulation.network_picture import draw_times
from website import timeline_picture

ROOT = Path(__file__).resolve().parents[2]
FOLDER = "docs/pictures"
PROGRAM = ROOT / "build" / "examples" / "radix_sort-mpich"
RING = ROOT / "tests" / "python" / "timeline" / "ring.c"


class Picture(NamedTuple):
    """A picture behind the first paragraph of a page: a command that writes it, or a function."""

    page: str
    name: str
    caption: str
    command: tuple[str, ...] = ()
    function: Callable[[str], None] | None = None


def draw_placement(path: str) -> None:
    """Draw a halo exchange in a plane whose ranks are numbered at random, on a torus."""
    ranks = np.random.default_rng(1).permutation(64).reshape(8, 8)
    pattern = np.zeros((64, 64))
    for here, there in ((ranks[1:], ranks[:-1]), (ranks[:, 1:], ranks[:, :-1])):
        pattern[here, there] = pattern[there, here] = 1 << 20
    save_figure(thalweg.map_ranks(pattern, "torus:8x8").plot(pattern), path)


def draw_sizes(path: str) -> None:
    """Draw what strategies of allreduce take over sizes, as the simulation has it."""
    sizes = [1 << power for power in range(3, 23)]
    strategies = ("recursive_doubling", "rabenseifner", "ring")
    times = {name: [thalweg.simulate("allreduce", name, 16, size).finish for size in sizes] for name in strategies}
    draw_times(sizes, times, path)


def draw_balance(path: str) -> None:
    """Draw the tasks of ranks with uneven loads, before and after."""
    loads = np.array([40, 10, 12, 8, 30, 9, 11, 8])
    ranks = np.arange(loads.size)
    figure = new_figure(7, 3)
    axes = figure.subplots()
    axes.bar(ranks - 0.2, loads, 0.4, label="before")
    axes.bar(ranks + 0.2, thalweg.balance(loads).loads, 0.4, label="after")
    axes.set_xlabel("rank")
    axes.set_ylabel("tasks")
    axes.legend()
    save_figure(figure, path)


def draw_timelines(path: str) -> None:
    """Draw what a run's ranks did, and what those of its simulation do from its trace."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        compiler = ["/usr/bin/env", "mpicc.openmpi"]
        subprocess.run([*compiler, "-o", str(folder / "ring"), str(RING)], check=True)
        run = ("run", "--no-summary", "--learn", "off", "--trace", "--patterns", ".", "--timeline", "measured.json")
        _thalweg(*run, "-n", "4", "--", "./ring", "20", "500", folder=folder)
        (trace,) = folder.glob("*.trace")
        _thalweg("simulate", "--trace", trace.name, "--timeline", "simulated.json", folder=folder)
        timeline_picture.draw(folder / "measured.json", folder / "simulated.json", path)


PICTURES = (
    Picture("machines", "machine.svg", "A tree of switches:", ("machine", "show", "tree:4^3")),
    Picture("simulation", "timeline.svg", "An allreduce on a torus, with its critical path:",
            ("simulate", "allreduce", "ring", "--ranks", "16", "--network", "torus:4x4")),
    Picture("packets", "loads.svg", "A tree of routers under load:",
            ("simulate", "network", "--network", "tree:4x3", "--packets", "20000", "--load", "0.1..1.0")),
    Picture("streams", "stream.svg", "A stream on a mesh of 4x4 ranks, whose items go by two hops:",
            ("simulate", "stream", "--shape", "4x4", "--items", "200", "--bytes", "32")),
    Picture("teams", "broadcast.svg", "A broadcast along a tree:",
            ("simulate", "broadcast", "knomial", "--ranks", "16", "--bytes", "64KiB")),
    Picture("balance", "balance.svg", "Tasks of eight ranks before and after `thalweg.balance`.",
            function=draw_balance),
    Picture("placement", "placement.svg",
            "A halo exchange whose ranks were numbered at random, before and after `thalweg.map_ranks`.",
            function=draw_placement),
    Picture("timeline", "measured_and_simulated.svg",
            "Messages of a run on four ranks, above those of its simulation: `thalweg timeline`.",
            function=draw_timelines),
    Picture("tuning", "sizes.svg", "Sizes decide which strategy is the fastest: allreduce on 16 ranks, simulated.",
            function=draw_sizes),
)  # fmt: skip


def draw(source: Path) -> None:
    """Draw all pictures into the pages that are staged in a folder; raises where a command fails."""
    folder = source / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    for one in PICTURES:
        path = folder / one.name
        caption = one.caption
        if one.function is not None:
            one.function(str(path))
        else:
            _thalweg(*one.command, "--plot", str(path))
            caption += f" `thalweg {' '.join(one.command)} --plot {one.name}`"
        _insert(source / "docs" / f"{one.page}.md", f"![{one.page}](pictures/{one.name})\n\n*{caption}*")
    _insert(source / "docs" / "tutorial.md", _report(source))


def _thalweg(*words: str, folder: Path = ROOT) -> None:
    """Run a command whose output is not wanted; raises with it where it fails."""
    command = [sys.executable, "-m", "thalweg", *words]
    done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=folder)
    if done.returncode:
        sys.exit(f"website: thalweg {' '.join(words)} ended with status {done.returncode}\n{done.stderr}")


def _report(source: Path) -> str:
    """Run a program for a report, and show its page."""
    folder = source / "extra" / "report"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / PROGRAM.name).unlink(missing_ok=True)
    (folder / PROGRAM.name).symlink_to(PROGRAM)
    words = ("--learn", "off", "--report", "run.json", "-n", "4", "--", f"./{PROGRAM.name}", "--keys-per-rank", "5000")
    _thalweg("run", *words, folder=folder)
    _thalweg("report", "run.json", "-o", "run.html", folder=folder)
    for name in (PROGRAM.name, "run.json"):
        (folder / name).unlink()
    return (
        '<iframe src="../report/run.html" title="The page of a report" loading="lazy" '
        'style="width: 100%; height: 32rem; border: 1px solid #8884"></iframe>\n\n'
        "*The page of a run: `thalweg report run.json`.*"
    )


def _insert(page: Path, text: str) -> None:
    """Put a picture behind the first paragraph."""
    lines = page.read_text().split("\n")
    begin = next(number for number, line in enumerate(lines) if line and not line.startswith(("#", "<!--")))
    end = next(number for number in range(begin, len(lines)) if not lines[number])
    page.write_text("\n".join([*lines[:end], "", *text.split("\n"), *lines[end:]]))
