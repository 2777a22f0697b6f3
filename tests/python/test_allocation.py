# SPDX-License-Identifier: BSD-3-Clause
"""How many nodes a job has, by what its batch system says."""

import pytest

from thalweg.launch.allocation import even_nodes, is_allocated


def test_without_a_batch_system_all_ranks_are_here() -> None:
    assert even_nodes(5, {"SLURM_TASKS_PER_NODE": "2"}) == 1
    assert not is_allocated({"SLURM_TASKS_PER_NODE": "2"})


@pytest.mark.parametrize(
    ("tasks", "ranks", "nodes"),
    [
        ("4", 4, 1),
        ("4", 3, 1),
        ("4", 5, 0),
        ("4(x2)", 8, 2),
        ("4(x2)", 4, 0),
        ("3,1", 4, 0),
        ("4(x2),1", 9, 0),
        ("", 4, 0),
    ],
)
def test_slurm_says_how_many_ranks_each_node_has(tasks: str, ranks: int, nodes: int) -> None:
    environment = {"SLURM_JOB_ID": "1", "SLURM_TASKS_PER_NODE": tasks}
    assert is_allocated(environment)
    assert even_nodes(ranks, environment) == nodes


@pytest.mark.parametrize("name", ["SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "FLUX_JOB_ID"])
def test_elsewhere_it_is_not_known(name: str) -> None:
    assert even_nodes(4, {name: "1"}) == 0
