# SPDX-License-Identifier: BSD-3-Clause
"""Calls from many places in Python, all by the one extension that mpi4py is."""

import sys
import threading
from collections.abc import Iterator

import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
out, into = np.ones(8), np.zeros(8)


def step() -> None:
    comm.Allreduce(out, into)
    comm.Allreduce(into, out)


def values() -> Iterator[list[int]]:
    while True:
        yield comm.allgather(comm.rank)


class Größe:  # noqa: PLC2401
    def messen(self) -> None:
        comm.Alltoall(np.ones(comm.size), np.zeros(comm.size))


for _ in range(100):
    step()
    out[:] = 1
generator = values()
for _ in range(30):
    next(generator)
Größe().messen()
comm.Barrier()
list(map(lambda root: comm.bcast(1, root), [0] * 7))  # noqa: C417
exec(compile("\n\ncomm.Barrier()\n", "made/at run.py", "exec"))
if MPI.Query_thread() == MPI.THREAD_MULTIPLE:
    thread = threading.Thread(target=lambda: comm.Barrier(), name="other")  # noqa: PLW0108
    thread.start()
    thread.join()
if "crash" in sys.argv:
    comm.Abort(9)
print("all right", flush=True)
