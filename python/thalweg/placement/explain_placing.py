# SPDX-License-Identifier: BSD-3-Clause
"""`thalweg tune explain` of a recorded pattern: what `thalweg run --place auto` does for its program, and why.

It asks what the running job asks: the pattern, where the job's hosts are, and what earlier runs tried.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from thalweg import _core
from thalweg.errors import USAGE, ThalwegError
from thalweg.machine.files import hosts_in, places_in
from thalweg.networks.batch import batch_machine, knows_job, nodes_of_job, ranks_of_nodes
from thalweg.placement.explain import hottest_link
from thalweg.placement.files import read_pattern, recorded_header
from thalweg.placement.machine import Slots
from thalweg.settings.layers import effective_settings, value_in_effect
from thalweg.settings.options import BY_NAME
from thalweg.units import time_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from thalweg.placement.pattern import Pattern

_GOAL = "hop-bytes:1,contention:1"
_SEARCH_S = 0.1
_GAIN_MIN = 0.02
_TRIAL_PART = 0.05
"""As src/run/mpi/place has them."""


class Kept(NamedTuple):
    """What runs on the same slots tried: "open", "go" or "stay", and how many times as fast each round was."""

    verdict: str
    ratios: list[float]
    saved_s: float
    slot_of: list[int]


def patterns_of(program: str, ranks: int) -> list[str]:
    """List the patterns that runs of a program have left, of so many ranks, or of any for 0; the newest first."""
    settings = effective_settings({}, os.environ, os.getcwd())
    folder = Path(str(value_in_effect(BY_NAME["patterns"], settings, os.environ)))
    files = folder.glob(f"{Path(program).name}-{'[0-9a-f]' * 16}-{ranks or '*'}.pattern")
    return [str(file) for file in sorted(files, key=lambda file: file.stat().st_mtime, reverse=True)]


def job_slots(ranks: int, node_list: str, hosts: Sequence[str]) -> Slots:
    """Give the slots of a job on these hosts, as many ranks on each one after the other; none: all of the list's.

    Without a list the network is the one that Slurm describes, the hosts are the job's, and have as many ranks as Slurm
    says. Raises ThalwegError.
    """
    if node_list:
        names = list(hosts) or hosts_in(node_list)
        known = places_in(node_list, names, "")
    else:
        names = list(hosts) or nodes_of_job(os.environ)
        known = _core.node_places("", names, batch_machine(os.environ, names), "Slurm's topology")
    if why := known.why_unknown(len(names)):
        named = node_list or "Slurm's topology"
        raise ThalwegError(USAGE, f"{named}: {why}", "name the network's shape in its first line: # torus:4x2")
    counts = ranks_of_nodes(os.environ) if not (node_list or hosts) else []
    if len(counts) != len(names) or sum(counts) != ranks:
        counts = [-(-ranks // len(names))] * len(names)
    nodes = np.repeat(np.arange(len(names)), counts)[:ranks].tolist()
    return Slots(*_core.job_slots(known, nodes, len(names)), np.bincount(nodes, minlength=len(names)))


class Timed(NamedTuple):
    """Runs that were timed, as started and placed."""

    verdict: str
    """open, go or stay."""
    started_s: list[float]
    placed_s: list[float]
    slot_of: list[int]


def timed_runs(pattern_file: str, slots: Slots) -> Timed | None:
    """Give how long runs took on these slots; None where whole runs do not decide."""
    runs = Path(pattern_file + ".runs")
    if not runs.exists():
        return None
    pattern_text, runs_text = (Path(path).read_bytes().decode("utf-8", "replace") for path in (pattern_file, runs))
    found = _core.kept_runs(pattern_text, runs_text, slots.machine, slots.nodes)
    return None if found is None else Timed(*found)


def kept_trial(pattern_file: str, slots: Slots) -> Kept | None:
    """Give what earlier runs tried on these slots; None where they tried nothing."""
    trials = Path(pattern_file + ".trials")
    if not trials.exists():
        return None
    pattern_text, trials_text = (Path(path).read_bytes().decode("utf-8", "replace") for path in (pattern_file, trials))
    found = _core.kept_trial(pattern_text, trials_text, slots.machine, slots.nodes)
    return None if found is None else Kept(*found)


def explained_placing(pattern_file: str, node_list: str, hosts: Sequence[str]) -> dict[str, Any]:
    """Give what is recorded, and as findings, lines for people: what would be tried, and what earlier runs found."""
    pattern = read_pattern(pattern_file)
    header = recorded_header(pattern_file)
    total = float(pattern.matrix().sum())
    findings = [
        f"{header.command or pattern_file}: {pattern.tasks} ranks, a run of {time_text(header.seconds)}",
        f"recorded in {pattern_file}: {len(pattern.phases)} phases, {total:.6g} bytes",
    ]
    if not node_list and not knows_job(os.environ):
        findings.append(
            "where hosts are is not known: give --node-list FILE, as to the run; else only nodes are told apart"
        )
    else:
        slots = job_slots(pattern.tasks, node_list, hosts)
        nodes = np.unique(slots.nodes).size
        findings.append(f"on {nodes} nodes of {slots.machine.name}")
        runs = timed_runs(pattern_file, slots)
        if nodes > 1 and runs:
            findings += _judged(pattern, slots, runs)
        elif nodes > 1:
            findings += _outcome(pattern, slots, kept_trial(pattern_file, slots), header.seconds)
        else:
            findings.append("ranks stay where they are: the job is on one node")
    return {
        "pattern": pattern_file,
        "command": header.command,
        "ranks": pattern.tasks,
        "run_s": header.seconds,
        "phases": len(pattern.phases),
        "bytes": total,
        "findings": findings,
    }


def _outcome(pattern: Pattern, slots: Slots, kept: Kept | None, seconds: float) -> list[str]:
    nothing_better = "ranks stay where they are: no other numbering is better by the pattern"
    budget_s = _TRIAL_PART * seconds
    lines = []
    if kept is not None and kept.verdict == "stay" and not kept.ratios:
        return [f"{nothing_better}, as an earlier run found"]
    if kept is None:
        found = _core.map_tasks(
            pattern.core,
            slots.machine,
            slots.nodes,
            _GOAL,
            min(_SEARCH_S, budget_s),
            0,
            False,
            1,
            np.empty(0),
            None,
            True,
        )
        slot_of = found.slot_of
        is_better = found.method != "identity" and _value(found.placed, found.identity) <= 1 - _GAIN_MIN
        if not is_better:
            return [nothing_better]
        lines.append(f"no run on these slots has tried yet; what would be tried was found by {found.method}")
    else:
        slot_of = np.asarray(kept.slot_of, dtype=np.int32)
        lines.append(_verdict(kept))
    lines += _predicted(pattern, slots, slot_of)
    if kept is None or kept.verdict == "open":
        saved = kept.saved_s if kept else budget_s  # of the recorded run
        lines.append(f"the next run may spend {time_text(max(0.0, saved + budget_s))} on trying, as each has 5 %")
    lines.append(f"slots: {' '.join(map(str, slot_of.tolist()))}")
    return lines


def _predicted(pattern: Pattern, slots: Slots, slot_of: NDArray[np.int32]) -> list[str]:
    """Write both numberings' metrics, and what loads the hottest link then."""
    after, before = (
        _core.placement_metrics(pattern.core, slots.machine, slots.nodes, one, np.empty(0))
        for one in (slot_of, np.arange(pattern.tasks, dtype=np.int32))
    )
    lines = [
        f"{'predicted':24} {'as started':>12} {'placed':>12}",
        f"{'hops per byte':24} {before.hops_per_byte:12.4g} {after.hops_per_byte:12.4g}",
        f"{'most loaded link, bytes':24} {before.phase_link_max:12.4g} {after.phase_link_max:12.4g}",
    ]
    if hottest := hottest_link(pattern, slots, slot_of):
        pairs = ", ".join(f"{pair.sender} to {pair.receiver}" for pair in hottest.pairs[:3])
        lines.append(f"then link {hottest.name} carries most: ranks {pairs}")
    return lines


def _judged(pattern: Pattern, slots: Slots, runs: Timed) -> list[str]:
    """Write what whole runs have said, which decide where the predicted gain is large."""
    said = {"go": "ranks are placed", "stay": "ranks stay where they are"}.get(runs.verdict, "not decided yet")
    lines = [f"{said}: judged by whole runs, as the gain is predicted to be large"]
    lines += [
        f"{len(seconds)} runs {kind}: {time_text(float(np.median(seconds)))} in the middle"
        for seconds, kind in ((runs.started_s, "as started"), (runs.placed_s, "placed"))
        if seconds
    ]
    if runs.started_s and runs.placed_s:
        gained = float(np.median(runs.started_s)) - float(np.median(runs.placed_s))
        lines.append(f"a placed run is {time_text(abs(gained))} {'shorter' if gained >= 0 else 'longer'}")
    slot_of = np.asarray(runs.slot_of, dtype=np.int32)
    return [*lines, *_predicted(pattern, slots, slot_of), f"slots: {' '.join(map(str, runs.slot_of))}"]


def _value(after: _core.PlacementMetrics, before: _core.PlacementMetrics) -> float:
    """Give the goal's value, each objective as a part of what ranks have as they are started."""
    parts = [(after.hop_bytes, before.hop_bytes), (after.phase_link_max, before.phase_link_max)]
    return sum(new / old if old else 1.0 for new, old in parts) / len(parts)


def _verdict(kept: Kept) -> str:
    if not kept.ratios:
        return "runs so far were too brief for a trial"
    wins = sum(ratio > 1 for ratio in kept.ratios)
    middle = sorted(kept.ratios)[len(kept.ratios) // 2]
    rounds = f"{middle:.2f} times the speed in the middle, faster in {wins} of {len(kept.ratios)} rounds"
    said = {"go": "ranks are placed", "stay": "ranks stay where they are"}.get(kept.verdict, "not decided yet")
    return f"{said}: tried by earlier runs, {rounds}"
