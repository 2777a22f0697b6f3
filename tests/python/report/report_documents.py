# SPDX-License-Identifier: BSD-3-Clause
"""A report as JSON has it, for tests to change."""

from typing import Any

SITE: dict[str, Any] = {
    "function": "MPI_Allreduce",
    "source": "main.cpp:46 (solve<int>)",
    "communicator_ranks": 2,
    "calls": 10,
    "bytes": 80,
    "time_ns": 4e8,
    "time_ns_least_rank": 1e8,
    "time_ns_most_rank": 3e8,
    "longest_call_ns": 1e8,
    "cpu_ns": 1e6,
    "ran_on": [{"strategy": "native", "calls": 10, "passed_on_because": "no strategy chosen"}],
    "waiting_share": 0.75,
    "last_ranks": [{"rank": 1, "others_waited_ns": 3e8}],
}


def document(rank_count: int = 2, **changes: Any) -> dict[str, Any]:
    """Give a report as JSON has it."""
    whole = {
        "format": "thalweg-report",
        "version": 1,
        "command": ["./solve", "a&b"],
        "mpi": {"library": "Open MPI v4.1.4", "path": "/lib/libmpi.so", "family": "Open MPI"},
        "wait": {"yields": False, "reason": "waits as the library does"},
        "tuning": "no tuning file /home/tuning.toml",
        "ended_by": "MPI_Finalize",
        "ranks_without_report": 0,
        "nodes": 1,
        "wall_ns": 1e9,
        "ranks": [
            {"rank": rank, "node": rank // 4, "host": f"n{rank // 4}", "pid": 1, "wall_ns": 1e9, "mpi_ns": 2e8}
            for rank in range(rank_count)
        ],
        "calls": [SITE],
        "settings": ["THALWEG_SUMMARY=1"],
        "precedence": {"rule": "", "user_settings": []},
        "fingerprint": ["AMD EPYC", "2"],
        "method": {"time": "every call"},
    }
    return whole | changes
