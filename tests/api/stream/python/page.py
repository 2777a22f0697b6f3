# SPDX-License-Identifier: BSD-3-Clause
import numpy as np
from mpi4py import MPI

import thalweg

comm = MPI.COMM_WORLD
bars = 1000  # of each rank: bar b of all is bar b // size of rank b % size
histogram = np.zeros(bars, np.int64)


def count(samples: np.ndarray) -> None:  # all that have arrived together: an array
    histogram[:] += np.bincount(samples, minlength=bars)


with thalweg.Stream(comm, np.int64, count) as samples:
    bar = np.random.default_rng(comm.rank).integers(0, bars * comm.size, 1_000_000)
    samples.send(bar % comm.size, bar // comm.size)  # item i goes to rank i of the first array
    samples.finish()  # every sample of every rank has been counted

total = comm.allreduce(histogram.sum())
if comm.rank == 0:
    print(f"{total} samples")
