# SPDX-License-Identifier: BSD-3-Clause
"""Requests that programs free: the library gives their handles to other operations, whose time is not theirs."""

import json
from pathlib import Path

from support import Command, Programs

SOURCE = """
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>
int main(int count, char** words) {
  int own = 1, sum = 0, reused = 0;
  MPI_Init(&count, &words);
  for (int round = 0; round < 50; ++round) {
    MPI_Request freed, request;
    MPI_Ireduce(&own, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD, &freed);
    request = freed;
    MPI_Request_free(&request);
    for (int i = 0; i < 50; ++i) {
      MPI_Ibarrier(MPI_COMM_WORLD, &request);
      reused += request == freed;
      if (i % 10 == 0)
        usleep(100);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
  }
  printf("%d", reused);
  MPI_Finalize();
  return 0;
}
"""


def test_handles_of_freed_requests_count_for_others(thalweg: Command, programs: Programs, tmp_path: Path) -> None:
    """No end of a reduction is ever seen, though all barriers have the handles that reductions had."""
    program = programs.build("freed_requests", SOURCE, "mpicc.openmpi")
    result = thalweg("run", "--report", "run.json", "-n", "1", "--", program)
    assert result.stdout == "2500", result.stderr
    calls = {one["function"]: one for one in json.loads((tmp_path / "run.json").read_text())["calls"]}
    assert "hidden" not in calls["MPI_Ireduce"]
    assert calls["MPI_Ibarrier"]["hidden"]["in_flight_ns"] > calls["MPI_Ibarrier"]["hidden"]["exposed_ns"]
