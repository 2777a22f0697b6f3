# SPDX-License-Identifier: BSD-3-Clause
"""One rank is killed while the others are in a call of a stream, or about to come to one.

python killed.py CALL VICTIM
"""

import os
import signal
import sys
import time

import numpy as np
from mpi4py import MPI

import thalweg

COMM = MPI.COMM_WORLD
CALL, VICTIM = sys.argv[1], int(sys.argv[2]) % COMM.size
ITEMS = np.zeros(10_000, np.int64)


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def handler(items: np.ndarray) -> None:
    if CALL == "handler" and COMM.rank == VICTIM and 1 in items:
        die()


def send_for_ever(stream: thalweg.Stream) -> None:
    """The victim takes nothing in, so buffers run out."""
    while True:
        stream.send(VICTIM, ITEMS)


def test_for_ever(stream: thalweg.Stream) -> None:
    request = stream.start_finish()
    while not request.test():
        pass


def progress_for_ever(stream: thalweg.Stream) -> None:
    while True:
        stream.progress()


def main() -> None:
    with thalweg.Stream(COMM, np.int64, handler, buffer_bytes=512) as stream:
        stream.send(np.arange(10_000) % COMM.size, ITEMS)
        stream.finish()
        if CALL == "handler":
            stream.send(VICTIM, 1)
            stream.finish()
        if COMM.rank == VICTIM:
            time.sleep(0.3)
            die()
        stream.send(np.arange(100) % COMM.size, ITEMS[:100])
        calls = {
            "finish": thalweg.Stream.finish,
            "send": send_for_ever,
            "test": test_for_ever,
            "progress": progress_for_ever,
        }
        calls[CALL](stream)
    print("survived")


if __name__ == "__main__":
    main()
