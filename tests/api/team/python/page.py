# SPDX-License-Identifier: BSD-3-Clause
import numpy as np
from mpi4py import MPI

import thalweg

with thalweg.Team(MPI.COMM_WORLD) as team:
    halo = team.allocate(4)  # four numbers on every rank, zeros
    arrived = team.allocate(1, np.uint64)
    edge = np.array([1.0, 2.0]) + 10 * team.rank
    following = (team.rank + 1) % team.size
    signal = thalweg.Signal(arrived, 0, 1)
    team.put(halo, following, np.s_[2:], edge, signal)  # halo[2:] = edge there, and then arrived[0] = 1
    total = team.start().allreduce(edge)
    team.wait(arrived, 0, 1)
    print(f"rank {team.rank}: {halo.array}, sums {total.wait()}")
