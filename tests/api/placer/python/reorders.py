# SPDX-License-Identifier: BSD-3-Clause
"""Weights in all forms give the same communicator, on hosts of the test's own making if it may make them."""

import ctypes
import os
import socket

import numpy as np
from mpi4py import MPI

import thalweg

world = MPI.COMM_WORLD
rank, size = world.Get_rank(), world.Get_size()
CLONE_NEWUTS = 0x04000000


def has_hosts() -> bool:
    """Take the name of one of two hosts, as only root can."""
    libc = ctypes.CDLL(None)
    done = os.geteuid() == 0 and libc.unshare(CLONE_NEWUTS) == 0
    if done:
        socket.sethostname(f"thalweg-host{rank % 2}")
    return bool(world.allreduce(done, MPI.LAND))


def check_forms(*, moves: bool) -> None:
    """Pairs of ranks that are on different hosts come together."""
    matrix = np.zeros((size, size))
    for one in range(size - size % 2):
        matrix[one, one ^ 1] = 1e6
    forms = [
        {to: matrix[rank, to] for to in range(size) if matrix[rank, to]},
        matrix[rank],
        matrix[[rank]],
        matrix,
    ]
    for weights in forms:
        comm, found = thalweg.reorder(world, weights, report=True)
        assert found.is_renumbered == moves, found
        assert found.reason
        assert found.hops_per_byte <= found.hops_per_byte_before
        order = comm.allgather(rank)
        assert sorted(order) == list(range(size))
        assert (order != list(range(size))) == moves
        if moves:
            assert all(order[one] % 2 == order[one ^ 1] % 2 for one in range(size))
        comm.Free()
    comm = thalweg.reorder(world, matrix, objective="link", seconds=0.01, gain=0.1)
    assert isinstance(comm, MPI.Intracomm)
    comm.Free()


def check_errors() -> None:
    """What a rank gives wrong is raised there as it is, and fails everywhere."""
    last = rank == size - 1
    row = np.zeros(size)
    for wrong, weights, options in (
        ("sends to rank", {size: 1.0}, {}),
        ("sends -1 bytes", {0: -1.0}, {}),
        ("weights of shape", np.zeros(size + 3), {}),
        ("", "much", {}),
        ("an objective speed", row, {"objective": "speed"}),
        ("", row, {"seconds": "long"}),
        ("", row, {"network": 7}),
    ):
        try:
            thalweg.reorder(world, weights if last else row, **(options if last else {}))
        except (thalweg.PlaceError, TypeError, ValueError, AttributeError, ctypes.ArgumentError) as failed:
            assert not last or wrong in str(failed), failed
        else:
            raise AssertionError(wrong)
    try:
        thalweg.reorder("world", row)
    except thalweg.PlaceError as failed:
        assert "no communicator" in str(failed)
    else:
        raise AssertionError


check_forms(moves=False)
check_errors()
if has_hosts():
    check_forms(moves=size == 4)
    check_errors()
print("all right")
