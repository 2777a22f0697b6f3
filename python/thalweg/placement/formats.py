# SPDX-License-Identifier: BSD-3-Clause
"""How launchers want to be told which rank goes where."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from thalweg.errors import SETTINGS, ThalwegError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from thalweg.placement.machine import Slots
    from thalweg.placement.mapping import Placement


def check_format(form: str, slots: Slots, tasks: int, hosts: Sequence[str]) -> None:
    """See before a search that its answer can be written so.

    Raises ThalwegError for another form, for other than a name for each node, each once, and where a form cannot leave
    slots empty.
    """
    if form not in FORMATS:
        raise ThalwegError(SETTINGS, f"no format is called {form}", f"choose one of {', '.join(FORMATS)}")
    count = slots.node_count
    if hosts and len(hosts) != count:
        raise ThalwegError(SETTINGS, f"names of {len(hosts)} hosts for {count} nodes", "name each node's host once")
    if len(set(hosts)) < len(hosts):
        twice = next(host for host in hosts if hosts.count(host) > 1)
        raise ThalwegError(SETTINGS, f"host {twice} is named twice", "name each node's host once")
    if form in _NAMING and not hosts:
        raise ThalwegError(SETTINGS, f"{form} without names of hosts", "give --hosts FILE, a name a line")
    if form == "mpich-rank-order" and tasks != slots.nodes.size:
        raise ThalwegError(
            SETTINGS,
            f"mpich-rank-order of {tasks} ranks on {slots.nodes.size} slots",
            "give as many slots as ranks: this format fills all",
        )


def text_of(placement: Placement, form: str, hosts: Sequence[str] = ()) -> str:
    """Write a placement in a form of FORMATS; `hosts` names the job's nodes in their order.

    Raises ThalwegError as check_format() does.
    """
    check_format(form, placement.slots, placement.slot_of.size, hosts)
    return FORMATS[form](placement, hosts)


def _hosts_and_cores(placement: Placement, hosts: Sequence[str]) -> list[tuple[str, int]]:
    """Name each rank's host and core; hosts without names as launchers do, by their number in the allocation."""
    indices, cores = (array[placement.slot_of].tolist() for array in placement.slots.nodes_and_cores())
    return [(hosts[index] if hosts else f"+n{index}", core) for index, core in zip(indices, cores, strict=True)]


def _ompi_rankfile(placement: Placement, hosts: Sequence[str]) -> str:
    """Name host and slot of each rank: mpirun --rankfile."""
    ranks = enumerate(_hosts_and_cores(placement, hosts))
    return "".join(f"rank {rank}={host} slot={core}\n" for rank, (host, core) in ranks)


def _mpich_hosts(placement: Placement, hosts: Sequence[str]) -> str:
    """List a host for each rank, in the order of ranks: mpiexec -f."""
    return "".join(f"{host}:1\n" for host, _ in _hosts_and_cores(placement, hosts))


def _slurm_hostfile(placement: Placement, hosts: Sequence[str]) -> str:
    """List a host for each rank: SLURM_HOSTFILE, with srun --distribution=arbitrary."""
    return "".join(f"{host}\n" for host, _ in _hosts_and_cores(placement, hosts))


def _mpich_rank_order(placement: Placement, _hosts: Sequence[str]) -> str:
    """List ranks in the order of slots: MPICH_RANK_ORDER, with MPICH_RANK_REORDER_METHOD=3."""
    ranks = np.empty_like(placement.slot_of)
    ranks[placement.slot_of] = np.arange(ranks.size)
    return ",".join(map(str, ranks.tolist())) + "\n"


def _list(placement: Placement, _hosts: Sequence[str]) -> str:
    """Write the slot of each rank."""
    return "".join(f"{slot}\n" for slot in placement.slot_of.tolist())


FORMATS: dict[str, Callable[[Placement, Sequence[str]], str]] = {
    "list": _list,
    "ompi-rankfile": _ompi_rankfile,
    "mpich-hosts": _mpich_hosts,
    "mpich-rank-order": _mpich_rank_order,
    "slurm-hostfile": _slurm_hostfile,
}
_NAMING = ("mpich-hosts", "slurm-hostfile")
