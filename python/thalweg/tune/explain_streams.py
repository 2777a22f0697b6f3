# SPDX-License-Identifier: BSD-3-Clause
"""What the streams of a program did, for people, from the report of its run (docs/streams.md)."""

from collections.abc import Mapping
from typing import Any

from thalweg.units import count_text, size_text, time_text

# Why a buffer was sent, by the report's name for how many.
_REASONS = {
    "buffers_full": "as they were full",
    "buffers_flushed": "by flush",
    "buffers_waited": "after a period",
    "buffers_closed": "at ends of phases",
}


def stream_lines(stream: Mapping[str, Any]) -> list[str]:
    """Tell of one stream: what went through it and how, its phases, and how its shape was chosen."""
    total, largest = stream["total"], stream["max_of_a_rank"]
    where = f"{count_text(stream['ranks'], 'rank')} on {count_text(stream['nodes'], 'node')}, {stream['shape']}"
    buffers = f"buffers of {size_text(stream['buffer_bytes'])}"
    near, far = size_text(total["near_bytes"]), size_text(total["far_bytes"])
    memory, overflow = size_text(largest["max_memory_bytes"]), size_text(largest["max_overflow_bytes"])
    duration = f"{_phases(largest['phases'])} in {_time(largest['duration_ns'])}"
    lines = [
        f"stream at {stream['source']}: {where}, {buffers}; {duration}",
        f"  {_items(stream)}; {near} sent in nodes, {far} between nodes in {total['far_messages']} messages",
        f"  buffers sent {_reasons(total)}; those with items were {_share(stream)} full",
        f"  most of a rank: {_waits(largest)}; {memory} of memory, of that {overflow} for what no buffer was free for",
    ]
    phases = stream["phases"]
    if len(phases) > 1:
        longest = max(phases, key=lambda phase: phase["max_of_a_rank"]["duration_ns"])
        for name, phase in {"first": phases[0], "longest": longest, "last": phases[-1]}.items():
            lines.append(f"  {name} of {len(phases)} phases that were noted: {_phase(phase)}")
    remarks = [f"  {remark}" for remark in stream.get("remarks") or []]
    return lines + _choice_lines(stream.get("choice") or {}) + remarks


def _choice_lines(choice: Mapping[str, Any]) -> list[str]:
    lines = []
    for one in choice.get("candidates", []):
        said = [f"predicted {time_text(one['predicted_s'])}"] if "predicted_s" in one else []
        said += [f"measured {time_text(one['measured_s'])}"] if "measured_s" in one else []
        said += [one["note"]] if one.get("note") else []
        lines.append(f"  candidate {one['candidate']}: {', '.join(said)}")
    return lines


def _items(stream: Mapping[str, Any]) -> str:
    total = stream["total"]
    if not stream["item_bytes"]:
        return f"{size_text(total['delivered_bytes'])} of items of any size"
    hops = f", {stream['hops_per_item']:.2f} hops each" if "hops_per_item" in stream else ""
    return f"{total['delivered_items']} items of {size_text(stream['item_bytes'])}{hops}"


def _phase(phase: Mapping[str, Any]) -> str:
    total, largest = phase["total"], phase["max_of_a_rank"]
    return (
        f"number {phase['number']}, {_time(largest['duration_ns'])}, {size_text(total['delivered_bytes'])} delivered, "
        f"buffers {_share(phase)} full, up to {_time(largest['waited_ns'])} of waiting for buffers"
    )


def _waits(largest: Mapping[str, int]) -> str:
    return f"{_time(largest['waited_ns'])} for free buffers, {_time(largest['finish_ns'])} for ends of phases"


def _reasons(total: Mapping[str, int]) -> str:
    return ", ".join(f"{total[name]} {why}" for name, why in _REASONS.items())


def _share(figures: Mapping[str, Any]) -> str:
    return f"{100 * figures.get('fill', 0):.0f} %"


def _phases(count: int) -> str:
    return f"{count} phase{'s' if count != 1 else ''}"


def _time(nanoseconds: float) -> str:
    return time_text(nanoseconds * 1e-9)
