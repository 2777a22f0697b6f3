# SPDX-License-Identifier: BSD-3-Clause
"""What a batch system says of the nodes that a job may use."""

import re
from collections.abc import Mapping

_JOBS = ("SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "FLUX_JOB_ID")
_TASKS = re.compile(r"(\d+)(?:\(x(\d+)\))?")


def is_allocated(environment: Mapping[str, str]) -> bool:
    """Tell whether a batch system has given nodes to whoever has this environment."""
    return any(name in environment for name in _JOBS)


def even_nodes(ranks: int, environment: Mapping[str, str]) -> int:
    """Give the number of nodes of a job with so many ranks, if each has as many; 0 where that is not known.

    Without an allocation all ranks are on this host. Of batch systems Slurm alone says it in one variable: 4(x2) for
    four ranks on each of two nodes. Launchers fill nodes in their order.
    """
    if not is_allocated(environment):
        return 1
    found = _TASKS.fullmatch(environment.get("SLURM_TASKS_PER_NODE", ""))
    if found is None:
        return 0
    slots, nodes = int(found[1]), int(found[2] or 1)
    return nodes if ranks == slots * nodes or (nodes == 1 and ranks <= slots) else 0
