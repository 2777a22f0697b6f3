# SPDX-License-Identifier: BSD-3-Clause
"""An mpi4py whose MPI is not the one that Thalweg was built with is told so."""

from mpi4py import MPI

import thalweg

for _ in range(2):
    try:
        thalweg.Stream(MPI.COMM_WORLD, int, len)
    except thalweg.StreamError as failed:
        print(failed)
print("all right")
