# SPDX-License-Identifier: BSD-3-Clause
"""Reports of invented runs, for tests of what commands say of them."""

import json
from pathlib import Path

from hypothesis import strategies as st

FUNCTIONS = ("MPI_Allreduce", "MPI_Bcast", "MPI_Iallreduce", "MPI_Barrier", "MPI_Alltoallv", "MPI_Send", "MPI_Scan_init")
RAN = ("native", "ring", "dissemination")


def report_file(path: Path, data: st.DataObject) -> str:
    """Write the report of a run with any call sites, and give its name."""
    ranks = data.draw(st.integers(1, 4))
    times = st.floats(0, 1e9)
    sites = data.draw(
        st.lists(st.tuples(st.sampled_from(FUNCTIONS), st.integers(1, ranks), times, st.integers(1, 99)), max_size=5)
    )
    path.write_text(
        json.dumps({
            "format": "thalweg-report",
            "version": 1,
            "command": ["./app"],
            "mpi": {"library": "MPICH 4.0.2", "path": "/lib/libmpich.so.12", "family": "MPICH"},
            "wait": {"yields": False, "reason": "as the library does"},
            "tuning": "no tuning file",
            "ended_by": "MPI_Finalize",
            "ranks_without_report": 0,
            "nodes": data.draw(st.integers(1, ranks)),
            "wall_ns": 1e10,
            "ranks": [
                {"rank": rank, "node": 0, "host": "one", "pid": 1, "wall_ns": 1e10, "mpi_ns": 5e9}
                for rank in range(ranks)
            ],
            "calls": [
                {
                    "function": function,
                    "source": f"main.cpp:{number} (main)",
                    "communicator_ranks": members,
                    "calls": calls,
                    "bytes": 64 * calls,
                    "time_ns": time_ns,
                    "time_ns_least_rank": 0,
                    "time_ns_most_rank": time_ns,
                    "longest_call_ns": time_ns,
                    "cpu_ns": 0,
                    "ran_on": []
                    if function == "MPI_Send"
                    else [{"strategy": data.draw(st.sampled_from(RAN)), "calls": calls, "passed_on_because": ""}],
                    "waiting_share": data.draw(st.none() | st.floats(0, 1)),
                    "last_ranks": [],
                }
                for number, (function, members, time_ns, calls) in enumerate(sites)
            ],
            "settings": [],
            "precedence": {"rule": "", "user_settings": []},
            "fingerprint": ["a processor", "2"],
            "method": {},
        })
    )  # fmt: skip
    return str(path)
