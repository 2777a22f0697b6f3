# SPDX-License-Identifier: BSD-3-Clause
"""A probed machine as plain data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from thalweg.machine.page import level_name

if TYPE_CHECKING:
    from thalweg import _core
    from thalweg.trials.session import Job

_ANY_SIZE = 1 << 60
_SECONDS = ("latency", "send", "receive", "overlapped", "overlapped_shared", "gap", "unexpected")
_PER_BYTE = ("send", "receive", "overlapped", "overlapped_shared", "gap", "unexpected")
_FACTORS = ("two_way", "shared", "trip_two_way", "trip_shared", "trip_shared_two_way")


def probed_data(machine: _core.Machine, job: Job, path: str) -> dict[str, Any]:
    """Give what a probe found: seconds, seconds a byte, and factors; `path` is the machine file."""
    memory = [
        {
            "bytes_max": _size(copied.bytes_max),
            "copy_s_per_byte": _figure(copied.per_byte),
            "combine_s_per_byte": _figure(combined.per_byte),
        }
        for copied, combined in zip(machine.copy, machine.combine, strict=True)
    ]
    return {
        "machine_file": path,
        "title": machine.title,
        "mpi": machine.mpi,
        "transport": machine.transport,
        "date": machine.date,
        "cores": machine.cores,
        "ranks": job.ranks,
        "job_nodes": len(set(job.nodes)),
        "network": machine.network,
        "hosts": [{"host": host, "node": node} for host, node in machine.nodes],
        "levels": [_level(one) for one in machine.levels],
        "memory": memory,
        "switch_core_s": _figure(machine.switch_core),
        "distances": {
            "looks": machine.distances.looks,
            "changes": machine.distances.changes,
            "classes": [_distances(one) for one in machine.distances.classes],
        },
    }


def _distances(one: _core.DistanceClass) -> dict[str, Any]:
    return {
        "round_trip_s": _figure(one.round_trip),
        "write_s_per_byte": _figure(one.write_per_byte),
        "read_s_per_byte": _figure(one.read_per_byte),
        "groups": one.groups,
    }


def _level(level: _core.LevelCosts) -> dict[str, Any]:
    figures = ("burst_bytes", "pairs", "samples", "outliers", "worst")
    return {
        "level": level_name(level),
        **{name: getattr(level, name) for name in figures},
        "round_trip_s": _figure(level.round_trip),
        "per_posted_s": _figure(level.per_posted),
        "hops": level.hops,
        "hop_s": _figure(level.hop),
        "hop_s_per_byte": _figure(level.hop_per_byte),
        "ranges": [_costs(one) for one in level.ranges],
    }


def _costs(cost: _core.MessageCost) -> dict[str, Any]:
    return {
        "bytes_max": _size(cost.bytes_max),
        **{f"{name}_s": _figure(getattr(cost, name)) for name in _SECONDS},
        **{f"{name}_s_per_byte": _figure(getattr(cost, f"{name}_per_byte")) for name in _PER_BYTE},
        **{name: _figure(getattr(cost, name)) for name in _FACTORS},
    }


def _size(size: int) -> int | None:
    return None if size > _ANY_SIZE else size


def _figure(figure: _core.Figure) -> dict[str, float]:
    return {"value": figure.value, "low": figure.low, "high": figure.high}
