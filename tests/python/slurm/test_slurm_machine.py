# SPDX-License-Identifier: BSD-3-Clause
"""The machine is measured in real jobs on two nodes, started by srun and by mpirun; answers are JSON."""

from typing import Any

import pytest
from cluster import Cluster

from answer_forms import checked

pytestmark = [pytest.mark.xdist_group("slurm"), pytest.mark.exhaustive]

SRUN = ["srun", "--mpi=pmix", "-N", "2", "-n", "4"]
LAUNCHES = (["--", *SRUN], ["-n", "4"])
"""Behind `salloc`: srun, or the MPI library's own launcher on the nodes of the allocation."""


def answer(cluster: Cluster, name: str, *words: str) -> dict[str, Any]:
    done = cluster.run("salloc", "--quiet", "-N", "2", "-n", "4", "thalweg", "machine", *words)
    assert done.status == 0, done.out + done.err
    found: dict[str, Any] = checked(f"machine {words[0]}", (cluster.shared / name).read_text())
    return found


@pytest.mark.parametrize("launch", LAUNCHES)
def test_a_probe_of_two_nodes_tells_their_levels_apart(cluster: Cluster, launch: list[str]) -> None:
    """Messages between nodes take longer than those within one; predictions then know this machine."""
    way = "srun" if "--" in launch else "mpirun"
    files = ["--json", f"probe-{way}.json", "-o", f"probe-{way}.toml"]
    found = answer(cluster, files[1], "probe", *files, *launch)
    assert (found["ranks"], found["job_nodes"]) == (4, 2)
    assert len({level["level"] for level in found["levels"]}) >= 2
    assert (cluster.shared / files[3]).exists()


@pytest.mark.parametrize("launch", LAUNCHES)
def test_guidelines_are_checked_on_two_nodes(cluster: Cluster, launch: list[str]) -> None:
    way = "srun" if "--" in launch else "mpirun"
    found = answer(cluster, f"check-{way}.json", "check", "--bytes", "8", "--json", f"check-{way}.json", *launch)
    assert (found["ranks"], found["nodes"]) == (4, 2)
    assert found["guidelines"] > 0
