# SPDX-License-Identifier: BSD-3-Clause
"""Reports with all that a page shows, for tests of it: of any number of ranks, made up of sines."""

import math
from typing import Any

from report_documents import SITE, document

NAMES = (
    ("MPI_Allreduce", "solve.cpp", 46, "Solver::step(int)", "allreduce"),
    ("MPI_Alltoallv", "transpose.cpp", 60, "exchange", "alltoallv"),
    ("MPI_Waitall", "halo.cpp", 212, "exchange_halo", ""),
    ("MPI_Iallreduce", "norm.cpp", 31, "residual", "allreduce"),
    ("MPI_Bcast", "main.cpp", 18, "main", "broadcast"),
)


def whole_document(rank_count: int = 16, ranks_per_node: int = 4, **changes: Any) -> dict[str, Any]:
    """Give a report of version 2 with every part."""
    parts = {
        "thalweg": {"version": "0.2.0"},
        "start_time": "2026-11-29T21:50:12Z",
        "user": "ada",
        "folder": "/home/ada/flow",
        "job": {"manager": "slurm", "id": "4711", "name": "flow"},
        "thread_level": "funneled",
        "command": ["./flow", "--mesh", "channel 512.msh"],
        "fingerprint": [{"name": "processor", "value": "AMD EPYC 7763"}, {"name": "transport", "value": "default"}],
        "nodes": -(-rank_count // ranks_per_node),
        "wall_ns": 42.3e9,
        "calls": [site(place, rank_count) for place in range(len(NAMES))],
        "traffic": traffic(rank_count, ranks_per_node),
        "slices": slices(rank_count),
        "picks": [pick(rank_count)],
        "learned": [learned(rank_count)],
        "placing": placing(rank_count),
    }
    groups = rank_groups(rank_count, ranks_per_node) if rank_count > 1024 else []
    kept = [*range(32), *range(rank_count - 32, rank_count)] if groups else list(range(rank_count))
    parts["ranks"] = [rank_time(rank, rank // ranks_per_node) for rank in kept]
    return document(1, version=2, **parts | ({"rank_groups": groups} if groups else {}) | changes)


def rank_time(rank: int, node: int) -> dict[str, Any]:
    mpi = 14e9 + 6e9 * math.sin(rank / 3)
    waiting = mpi * (0.5 + 0.3 * math.cos(rank / 5))
    return {
        "rank": rank, "node": node, "host": f"n{node:04}", "pid": 1, "wall_ns": 42e9, "mpi_ns": mpi,
        "waiting_ns": waiting, "transfer_ns": mpi - waiting, "sent_bytes": 1e9, "own_ns": 1e6,
    }  # fmt: skip


def rank_groups(rank_count: int, ranks_per_node: int) -> list[dict[str, Any]]:
    return [
        rank_time(first, first // ranks_per_node)
        | {
            "first": first,
            "last": min(first + ranks_per_node, rank_count) - 1,
            "ranks": min(ranks_per_node, rank_count - first),
            "mpi_ns_min": 8e9,
            "mpi_ns_max": 21e9,
            "latest_rank": first,
        }
        for first in range(0, rank_count, ranks_per_node)
    ]


def site(place: int, rank_count: int) -> dict[str, Any]:
    function, file, line, within, _ = NAMES[place]
    time = 2.2e11 * rank_count / 16 / (place + 1)
    hidden = {"hidden": {"in_flight_ns": time, "exposed_ns": 0.3 * time}} if function.startswith("MPI_I") else {}
    waiting = {} if function == "MPI_Waitall" else {"waiting_share": 0.7 / (place + 1)}
    return {
        **{key: value for key, value in SITE.items() if key != "waiting_share" or waiting},
        **waiting,
        **hidden,
        "id": place,
        "function": function,
        "source": f"{file}:{line} ({within})",
        "file": f"/home/ada/flow/{file}",
        "line": line,
        "within": within,
        "own": False,
        "communicator_ranks": rank_count,
        "calls": 1000 * rank_count,
        "bytes": 8192.0 * 1000 * rank_count * (place + 1),
        "time_ns": time,
        "ran_on": [] if function == "MPI_Waitall" else [{"strategy": "native", "calls": 1000 * rank_count}],
        "last_ranks": [
            {"rank": (place * 3 + step) % rank_count, "others_waited_ns": time / (3 + step)} for step in range(3)
        ],
        "durations": {
            "p50_ns": 2.1e5,
            "p95_ns": 9.7e5,
            "max_ns": 1.3e8,
            "histogram": [[65536.0 * 2 ** (step / 4), 1 + round(900 * math.exp(-((step - 9) ** 2) / 20))]
                          for step in range(40)],
        },
        "sizes": [[4096, 400 * rank_count, 3e6], [8192, 600 * rank_count, 7e6]],
    }  # fmt: skip


def traffic(rank_count: int, ranks_per_node: int) -> dict[str, Any]:
    """Give neighbors in a row and in a plane, and everybody to rank 0."""
    by_node = rank_count > 1024
    size = -(-rank_count // ranks_per_node) if by_node else rank_count
    row = max(2, round(math.sqrt(size)))
    entries = {
        (place, (place + step) % size): [place, (place + step) % size, heavy, 4000]
        for place in range(size)
        for step, heavy in ((1, 6 << 30), (size - 1, 6 << 30), (row, 400 << 20), (size - row, 400 << 20))
        if (place + step) % size != place or size == 1
    }
    entries |= {(place, 0): [place, 0, 64 << 10, 10] for place in range(1, size) if (place, 0) not in entries}
    total = sum(entry[2] for entry in entries.values())
    return {
        "by": "node" if by_node else "rank", "size": size, "entries": list(entries.values()), "total_bytes": total,
        "kept_share": 1.0,
    }  # fmt: skip


def slices(rank_count: int) -> dict[str, Any]:
    rows = min(rank_count, 64)
    group = -(-rank_count // rows)
    width = 42e9 / 100
    table = []
    for row in range(rows):
        mpi = [width * (0.35 + 0.25 * math.sin(step / 6 + row / 4)) for step in range(100)]
        waiting = [part * (0.5 + 0.4 * math.cos(step / 9 - row / 3)) for step, part in enumerate(mpi)]
        first = row * group
        table.append({"first": first, "last": first + group - 1, "mpi_ns": mpi, "waiting_ns": waiting})
    return {"begin_ns": 0, "width_ns": width, "rows": table}


def pick(rank_count: int) -> dict[str, Any]:
    return {
        "call": 0, "operation": "allreduce", "bytes": 8192, "ranks": rank_count, "strategy": "ring:window=2",
        "source": "tuning file", "time_ns": 21e3, "predicted_ns": 19e3,
        "alternatives": [{"strategy": "library", "time_ns": 88e3}, {"strategy": "recursive_doubling", "time_ns": 40e3},
                         {"strategy": "tree:fanout=4", "time_ns": 31e3}],
    }  # fmt: skip


def learned(rank_count: int) -> dict[str, Any]:
    return {
        "call": "alltoallv", "ranks": rank_count, "nodes": 4, "bytes": 65536, "communicators": 1, "calls": 8000,
        "state": "settled", "searched": True, "searches": 1, "use": "bruck:radix=4", "time_s": 12.0, "spent_s": 0.2,
        "measured_calls": 300, "arrival_skew_s": 0.1, "transfer_s": 0.2,
        "trials": [{"candidate": "native", "outcome": "kept", "measured_s": 0.0021, "rounds": 20},
                   {"candidate": "bruck:radix=4", "outcome": "won", "measured_s": 0.0011, "rounds": 20},
                   {"candidate": "pairwise", "outcome": "slower", "measured_s": 0.0019, "rounds": 9}],
    }  # fmt: skip


def placing(rank_count: int) -> dict[str, Any]:
    half = rank_count // 2
    return {
        "why": "ranks that talk are on one node", "method": "multilevel", "search_s": 0.1, "network": "torus:2x2",
        "predicted": {"as_started": {"hop_bytes": 9e12, "hops_per_byte": 1.9, "most_loaded_link_bytes": 8e11},
                      "placed": {"hop_bytes": 5e12, "hops_per_byte": 1.1, "most_loaded_link_bytes": 4e11}},
        "trial": {"rounds": 8, "wins": 7, "before_s": 0.4, "placed_s": 0.3, "ratios": []}, "adopted": True,
        "proposed": [rank // 2 if rank % 2 == 0 else half + rank // 2 for rank in range(rank_count)], "slots": [],
    }  # fmt: skip
