# SPDX-License-Identifier: BSD-3-Clause
"""What a recorded program takes on a simulated machine, for people and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from thalweg.answers.answer import answered
from thalweg.units import time_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from thalweg.simulation.recording import Played, Recording
    from thalweg.simulation.replaying import Replay

WRITTEN_LINKS = 8


def print_played(recording: Recording, played: Sequence[Played], *, json_file: str) -> None:
    """Print what each call site of each phase takes, longest first, and the sum."""
    if answered("simulate program", as_data(recording, played), json_file):
        return
    print(f"{recording.command or 'a recorded program'} on {recording.ranks} ranks{_where(played)}\n")
    print(f"  {'phase':<16} {'begins':>7} {'messages':>10} {'bytes':>12} {'time':>9}  call site")
    for one in sorted(played, key=lambda entry: -entry.seconds):
        sent = one.site.sent
        print(
            f"  {one.site.phase:<16} {one.site.repeats:>7} {sent.messages.sum():>10} {sent.bytes.sum():>12} "
            f"{time_text(one.seconds):>9}  {one.site.name}{_hottest(one)}"
        )
    print(f"\n  {time_text(_sum(played))} for all messages, one site after the other; no computation is in it")
    if recording.seconds:
        print(f"  the recorded run took {time_text(recording.seconds)}, computation and all")


def _sum(played: Sequence[Played]) -> float:
    return sum(one.seconds for one in played)


def _where(played: Sequence[Played]) -> str:
    if not played:
        return ""
    found = played[0].simulation
    return f"{' of ' + found.network.name if found.network else ''}, level {found.level}"


def _hottest(one: Played) -> str:
    found = one.simulation
    if not found.links.numbers.size:
        return ""
    busy = float(found.links.busy[0]) / max(found.finish, 1)
    return f"; {found.link_name(int(found.links.numbers[0]))} busy {busy:.0%}"


def as_data(recording: Recording, played: Sequence[Played]) -> dict[str, Any]:
    """Write the answer as plain data; times in seconds."""
    return {
        "subject": recording.command,
        "ranks": recording.ranks,
        "recorded_seconds": recording.seconds,
        "seconds": _sum(played),
        "level": played[0].simulation.level if played else "",
        "network": played[0].simulation.network.name if played and played[0].simulation.network else "",
        "sites": [
            {
                "phase": one.site.phase,
                "repeats": one.site.repeats,
                "site": one.site.name,
                "messages": int(one.site.sent.messages.sum()),
                "bytes": int(one.site.sent.bytes.sum()),
                "seconds": one.seconds,
                "rounds": one.rounds,
                "finish_ns": one.simulation.finish,
                "why_ns": one.simulation.why,
                "links": [
                    {"link": one.simulation.link_name(int(link)), "bytes": float(size)}
                    for link, size in zip(
                        one.simulation.links.numbers[:WRITTEN_LINKS],
                        one.simulation.links.bytes[:WRITTEN_LINKS],
                        strict=True,
                    )
                ],
                "fingerprint": f"{one.simulation.fingerprint:016x}",
            }
            for one in played
        ],
    }


def print_replayed(found: Replay) -> None:
    """Print a traced run beside what was simulated of it."""
    clock = "processor time" if found.is_cpu_time else "time"
    print(f"\ntraced: {found.command or 'a program'}, {found.calls} calls")
    print(f"  the traced run took {time_text(found.recorded_seconds)}; simulated over traced: {found.ratio:.2f}")
    print(f"  between calls its ranks computed for {time_text(float(found.computed_seconds.mean()))} ({clock}, mean)")
    for remark in found.remarks:
        print(f"  {remark}")


def replayed_data(found: Replay) -> dict[str, Any]:
    """Write the same as plain data; times in seconds."""
    return {
        "subject": found.command,
        "calls": found.calls,
        "recorded_seconds": found.recorded_seconds,
        "computed_seconds": found.computed_seconds.tolist(),
        "is_cpu_time": found.is_cpu_time,
        "ratio": found.ratio,
        "remarks": found.remarks,
    }
