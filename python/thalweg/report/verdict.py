# SPDX-License-Identifier: BSD-3-Clause
"""What a report says in a few sentences: the largest loss first, each with the command that does something about it.

A loss that its command may mend comes before waiting, however long that is: a command only shows it.
"""

import shlex
from dataclasses import dataclass

from thalweg.launch.missing import missing_text
from thalweg.pages.render import counted, percent
from thalweg.report.run_report import CallSite, RunReport
from thalweg.report.traffic import between_nodes
from thalweg.settings.options import OPTIONS
from thalweg.units import count_text

# Parts of a run from which a loss is worth a sentence.
WAITING_MIN = 0.10
TRANSFER_MIN = 0.05
MENDED_MIN = 0.10
COMMUNICATION_MIN = 0.05
FAR_MIN = 0.25
"""Of the bytes between nodes from which another placing is worth a try."""
SENTENCES_MAX = 4
LIBRARY = "native"
TIMELINE = "timeline"


@dataclass(frozen=True)
class Finding:
    """A sentence, with its subject in front, and a command to paste; empty where there is none."""

    subject: str
    text: str
    command: str = ""


def verdict(report: RunReport, path: str) -> list[Finding]:
    """Give at most SENTENCES_MAX findings; `path` is the report's, for the commands."""
    ending = [_ending(report)] if report.ended_by != "MPI_Finalize" else []
    share = report.share(report.mpi_ns)
    if share < COMMUNICATION_MIN:
        quiet = f"takes {percent(share)} of the run: there is little to gain here."
        return [*ending, Finding("Communication", quiet)]
    losses: list[tuple[bool, float, Finding]] = []
    if (waiting := report.share(report.waiting_ns)) >= WAITING_MIN:
        losses.append((False, waiting, _waiting(report, waiting)))
    untuned = [site for site in report.calls if _runs_natively(site)]
    transfer = report.share(sum(site.time_ns - site.waiting_ns for site in untuned))
    if transfer >= TRANSFER_MIN:
        losses.append((transfer >= MENDED_MIN, transfer, _untuned(report, untuned, transfer, path)))
    far = between_nodes(report)
    if far is not None and far >= FAR_MIN and not report.placing:
        losses.append((False, 0.0, _far(report, far)))
    losses.sort(key=lambda loss: (not loss[0], -loss[1]))
    findings = [*ending, *(finding for *_, finding in losses)]
    if report.calls:
        findings.append(_longest(report))
    return findings[:SENTENCES_MAX]


def _runs_natively(site: CallSite) -> bool:
    return site.is_collective and site.ranks > 1 and all(end.strategy == LIBRARY for end in site.ran_on)


def _ending(report: RunReport) -> Finding:
    lost = report.ranks_without_report
    who = f": {missing_text(report.missing)}" if report.missing else ""
    without = f" {count_text(lost, 'rank')} left no report{who}." if lost else ""
    return Finding(f"The run was ended by {report.ended_by}", f"and the report has what was until then.{without}")


def _waiting(report: RunReport, share: float) -> Finding:
    blamed = report.blamed()
    total = sum(waited for _, waited in blamed)
    subject = f"{percent(share)} of the run is waiting for late ranks"
    command = command_of(report, "--timeline timeline.json") if TIMELINE in {option.name for option in OPTIONS} else ""
    if not blamed or total <= 0:
        text = "in collectives. No other algorithm helps there: look at the balance of the work."
        return Finding(subject, text, command)
    rank, waited = blamed[0]
    part = percent(waited / total)
    text = f"in collectives. Rank {rank} causes {part} of it. No other algorithm helps there: look at the rank's work."
    return Finding(subject, text, command)


def _far(report: RunReport, share: float) -> Finding:
    text = "Ranks that talk much may fit on fewer nodes:"
    return Finding(f"{percent(share)} of the bytes go between nodes.", text, command_of(report, "--place auto"))


def command_of(report: RunReport, options: str) -> str:
    """Write the command that runs the program again."""
    return f"thalweg run {options} -n {report.rank_count} -- {shlex.join(report.command)}"


def _untuned(report: RunReport, sites: list[CallSite], share: float, path: str) -> Finding:
    times: dict[str, float] = {}
    for site in sites:
        name = site.function.removeprefix("MPI_")
        times[name] = times.get(name, 0.0) + site.time_ns
    names = sorted(times, key=lambda name: (-times[name], name))
    listed = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    spent = "transfer" if report.samples_waiting else "spent"
    subject = f"{percent(share)} of the run is {spent} in collectives that nobody has tuned"
    untuned = "no tuning file was found" if report.tuning.startswith("no tuning file") else "the library runs them"
    return Finding(subject, f"({listed}): {untuned}. Find faster ones:", f"thalweg tune --for {shlex.quote(path)}")


def _longest(report: RunReport) -> Finding:
    site = max(report.calls, key=lambda one: one.time_ns)
    subject = f"{site.function} at {site.place}"
    waits = f", {percent(site.waiting_share)} of that waiting" if site.waiting_share is not None else ""
    text = f"takes {percent(report.share(site.time_ns))} of the run in {counted(site.calls, 'call')}{waits}."
    return Finding(subject, text)
