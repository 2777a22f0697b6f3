# SPDX-License-Identifier: BSD-3-Clause
"""Reports of invented runs, for tests of what commands say of them."""

import json
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

FUNCTIONS = (
    "MPI_Allreduce",
    "MPI_Bcast",
    "MPI_Iallreduce",
    "MPI_Barrier",
    "MPI_Alltoallv",
    "MPI_Send",
    "MPI_Scan_init",
)
RAN = ("native", "ring", "dissemination")


def report_document(ranks: int = 2, **changes: Any) -> dict[str, Any]:
    """Give a report as JSON has it."""
    whole = {
        "format": "thalweg-report",
        "version": 1,
        "command": ["./app"],
        "mpi": {"library": "MPICH 4.0.2", "path": "/lib/libmpich.so.12", "family": "MPICH"},
        "wait": {"yields": False, "reason": "as the library does"},
        "tuning": "no tuning file",
        "ended_by": "MPI_Finalize",
        "ranks_without_report": 0,
        "nodes": 1,
        "wall_ns": 1e10,
        "ranks": [
            {"rank": rank, "node": 0, "host": "one", "pid": 1, "wall_ns": 1e10, "mpi_ns": 5e9} for rank in range(ranks)
        ],
        "calls": [],
        "settings": [],
        "precedence": {"rule": "", "user_settings": []},
        "fingerprint": ["a processor", "2"],
        "method": {},
    }
    return whole | changes


def _site(data: st.DataObject, number: int, ranks: int) -> dict[str, Any]:
    function = data.draw(st.sampled_from(FUNCTIONS))
    calls, time_ns = data.draw(st.integers(1, 99)), data.draw(st.floats(0, 1e9))
    ran = [{"strategy": data.draw(st.sampled_from(RAN)), "calls": calls, "passed_on_because": ""}]
    return {
        "function": function,
        "source": f"main.cpp:{number} (main)",
        "communicator_ranks": data.draw(st.integers(1, ranks)),
        "calls": calls,
        "bytes": 64 * calls,
        "time_ns": time_ns,
        "time_ns_least_rank": 0,
        "time_ns_most_rank": time_ns,
        "longest_call_ns": time_ns,
        "cpu_ns": 0,
        "ran_on": [] if function == "MPI_Send" else ran,
        "waiting_share": data.draw(st.none() | st.floats(0, 1)),
        "last_ranks": [],
    }


def report_file(path: Path, data: st.DataObject) -> str:
    """Write the report of a run with any call sites, and give its name."""
    ranks = data.draw(st.integers(1, 4))
    calls = [_site(data, number, ranks) for number in range(data.draw(st.integers(0, 5)))]
    path.write_text(json.dumps(report_document(ranks, nodes=data.draw(st.integers(1, ranks)), calls=calls)))
    return str(path)
