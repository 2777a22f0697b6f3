# SPDX-License-Identifier: BSD-3-Clause
"""The demo's figures as tables of a page: `python -m thalweg_labs.demo.page rows.json PAGE`."""

import json
import os
import re
import subprocess
import sys
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from thalweg.errors import SETTINGS, ThalwegError
from thalweg.rows import Row, geometric_mean
from thalweg_labs.demo.catalog import PROGRAMS
from thalweg_labs.demo.rows import EXPOSED
from thalweg_labs.demo.site import FLAVORS

BEGIN = "<!-- Figures of the demo, written by python -m thalweg_labs.demo.page; do not edit. -->"
END = "<!-- End of the demo's figures. -->"

_MIN_S = 1e-6
_TIMES = {"wall time", "CPU time"}
_CASE = re.compile(r"(?P<name>[^/]+)/(?P<flavor>[^/]+)/(?P<ranks>\d+)")
_TITLES = {(program.name, program.flavor.name): program.title for program in PROGRAMS}


class Figures(NamedTuple):
    """One program with one number of ranks: times in seconds, natively and under Thalweg."""

    title: str
    flavor: str
    ranks: int
    wall_s: tuple[float, float]
    cpu_s: tuple[float, float]
    exposed_s: tuple[float, float] | None = None
    """What a program waited that overlaps communication with computation; None of others."""

    @property
    def wall_ratio(self) -> float:
        """How many times as fast the program is under Thalweg."""
        return self.wall_s[0] / self.wall_s[1]

    @property
    def cpu_ratio(self) -> float:
        """How many times less CPU time it takes under Thalweg."""
        return self.cpu_s[0] / self.cpu_s[1]

    @property
    def exposed_ratio(self) -> float:
        """How many times less it waits under Thalweg; 1 of a program that does not overlap."""
        native, ours = (max(time, _MIN_S) for time in self.exposed_s or (1.0, 1.0))
        return native / ours


def figures_of(rows: Sequence[Row]) -> list[Figures]:
    """Put together what rows say of a case; rows of means are left out, as the table has means of its own.

    Raises:
        ThalwegError: if there is no case, or one without wall or CPU time.

    """
    cases: dict[str, dict[str, tuple[float, float]]] = {}
    for row in rows:
        if _CASE.fullmatch(row["case"]):
            cases.setdefault(row["case"], {})[row["metric"]] = (row["peer"], row["ours"])
    if not cases or any(times.keys() - {EXPOSED} != _TIMES for times in cases.values()):
        message = "these are no rows of the demo: each case has a wall time and a CPU time"
        raise ThalwegError(SETTINGS, message, "write them: python -m thalweg_labs.demo --json rows.json")
    return [_figures(case, times) for case, times in cases.items()]


def _figures(case: str, times: Mapping[str, tuple[float, float]]) -> Figures:
    name, flavor, ranks = case.split("/")
    title = _TITLES.get((name, flavor), name)
    return Figures(title, flavor, int(ranks), times["wall time"], times["CPU time"], times.get(EXPOSED))


def tables(figures: Sequence[Figures], machine: str, *, short: bool = False) -> str:
    """Write what was measured where, a line for each MPI library and number of ranks, and each program unless short."""
    where = textwrap.fill(f"Measured on {machine}:", width=120, break_long_words=False, break_on_hyphens=False)
    ranks = "".join(f" --ranks {count}" for count in sorted({one.ranks for one in figures}))
    lines = [where, "", "```sh", f"python -m thalweg_labs.demo{ranks} --json rows.json", "```", ""]
    has_exposed = any(one.exposed_s for one in figures)
    more = " exposed time |" if has_exposed else ""
    rule = " --: |" if has_exposed else ""
    heads = "| MPI library | ranks | programs | wall time: mean | worst | best | CPU time: mean | worst | best |"
    lines += [f"{heads}{more}", f"| --- | --: | --: | --: | --: | --: | --: | --: | --: |{rule}"]
    lines += _groups(figures, has_exposed=has_exposed)
    if short:
        return "\n".join(lines)
    lines += ["", "<details><summary>Each program</summary>", ""]
    lines += [f"| program | MPI library | ranks | alone, s | with Thalweg, s | wall time | CPU time |{more}"]
    lines += [f"| --- | --- | --: | --: | --: | --: | --: |{rule}"]
    lines += [
        f"| {one.title} | {_title_of(one.flavor)} | {one.ranks} | {one.wall_s[0]:.2f} | {one.wall_s[1]:.2f} "
        f"| {_times(one.wall_ratio)} | {_times(one.cpu_ratio)} |" + (f" {_exposed(one)} |" if has_exposed else "")
        for one in figures
    ]
    return "\n".join([*lines, "", "</details>"])


def _exposed(one: Figures) -> str:
    """Write what a program waited, alone and with Thalweg; nothing of one that does not say."""
    if one.exposed_s is None:
        return ""
    native, ours = one.exposed_s
    return f"{native:.2f} s, {ours:.2f} s: {_times(one.exposed_ratio)}"


def _groups(figures: Sequence[Figures], *, has_exposed: bool) -> Iterator[str]:
    for flavor, ranks in sorted({(one.flavor, one.ranks) for one in figures}):
        group = [one for one in figures if (one.flavor, one.ranks) == (flavor, ranks)]
        cells = [_title_of(flavor), str(ranks), str(len(group))]
        for ratios in ([one.wall_ratio for one in group], [one.cpu_ratio for one in group]):
            cells += [f"**{_times(geometric_mean(ratios))}**", _times(min(ratios)), _times(max(ratios))]
        if has_exposed:
            ratios = [one.exposed_ratio for one in group if one.exposed_s]
            cells += [f"**{_times(geometric_mean(ratios))}**" if ratios else ""]
        yield f"| {' | '.join(cells)} |"


def _title_of(flavor: str) -> str:
    return FLAVORS[flavor].title if flavor in FLAVORS else flavor


def _times(ratio: float) -> str:
    return f"{ratio:.1f}x" if ratio >= 10 else f"{ratio:.2f}x"


def put_into(page: str, text: str) -> str:
    """Replace what stands between the marks of a page.

    Raises:
        ThalwegError: if the page has not each mark once, in order.

    """
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end or BEGIN in after or END in after:
        message = "the page has no place for the demo's figures"
        raise ThalwegError(SETTINGS, message, f"put these two lines into it: {BEGIN} and {END}")
    return f"{before}{BEGIN}\n\n{text}\n\n{END}{after}"


def this_machine(flavors: Sequence[str]) -> str:
    """Describe the machine that this runs on, and its MPI libraries."""
    known = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(encoding="utf-8"), re.MULTILINE)
    cores = len(os.sched_getaffinity(0))
    words = [f"{cores} cores" + (f" ({known[1]})" if known else ""), f"Linux {os.uname().release}"]
    words += [f"{FLAVORS[name].title} {_version(FLAVORS[name].launcher[0])}" for name in flavors if name in FLAVORS]
    return ", ".join(words)


def _version(launcher: str) -> str:
    done = subprocess.run([launcher, "--version"], capture_output=True, text=True, check=False)
    found = re.search(r"\d+\.\d+(?:\.\d+)?", done.stdout)
    return found[0] if found else "of unknown version"


def main(
    rows: Annotated[Path, typer.Argument(help="What the demo wrote with --json.")],
    page: Annotated[Path, typer.Argument(help="The page whose figures are replaced.")],
    *,
    machine: Annotated[str, typer.Option(help="Where the rows were measured; this machine unless given.")] = "",
    note: Annotated[str, typer.Option(help="What else must be known, as: other jobs ran beside.")] = "",
    short: Annotated[bool, typer.Option("--short", help="Leave out the lines of single programs.")] = False,
) -> None:
    """Put the figures of a run of the demo into a page."""
    figures = figures_of(json.loads(rows.read_text()))
    where = machine or this_machine(sorted({one.flavor for one in figures}))
    page.write_text(put_into(page.read_text(), tables(figures, f"{where}; {note}" if note else where, short=short)))


if __name__ == "__main__":
    try:
        typer.run(main)
    except ThalwegError as error:
        typer.echo(f"thalweg: {error}", err=True)
        sys.exit(error.status.number)
