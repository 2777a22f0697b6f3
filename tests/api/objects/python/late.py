# SPDX-License-Identifier: BSD-3-Clause
"""What an entry method sends is there while the method still computes, and calls nothing of Thalweg's.

Called elements leave files, for which their callers wait: messages cannot show it. No time is asserted.
"""

import tempfile
import time
from pathlib import Path

import numpy as np
from mpi4py import MPI

import thalweg

comm = MPI.COMM_WORLD
folder = Path(comm.bcast(tempfile.mkdtemp(prefix="late.") if comm.rank == 0 else None))


def compute_until(name: str) -> None:
    deadline = time.monotonic() + 20
    while not (folder / name).exists():
        if time.monotonic() > deadline:
            raise TimeoutError(f"nothing came while the caller computed: {name}")


class Cell(thalweg.Element):
    def take(self, name: str, argument: object) -> None:
        assert argument is None or isinstance(argument, np.ndarray)
        (folder / name).touch()

    def short(self, to: int) -> None:
        for number in range(3):  # those behind the first one go into a buffer that is open
            self.array[to].take(f"short{to}.{number}", None)
            compute_until(f"short{to}.{number}")

    def urgent(self, to: int) -> None:
        self.array[to].urgent.take(f"urgent{to}", None)
        compute_until(f"urgent{to}")

    def large(self, to: int) -> None:
        self.array[to].take(f"large{to}", np.ones(100_000 // 8))
        compute_until(f"large{to}")

    def all(self) -> None:
        self.array.section(range(1, self.array.size)).take_all()
        for to in range(1, self.array.size):
            compute_until(f"all{to}")

    def take_all(self) -> None:
        (folder / f"all{self.at[0]}").touch()

    def bracket(self, to: int) -> None:
        halo.begin()
        halo[to].take(f"bracket{to}", None)
        halo.end()
        compute_until(f"bracket{to}")

    def flushed(self, to: int) -> None:
        self.array[to].take(f"flushed{to}", None)
        self.array.flush()
        compute_until(f"flushed{to}")


with thalweg.Array(Cell, comm.size, comm) as cells:
    halo = thalweg.Association(cells, "direct")
    for method in ("short", "urgent", "large", "bracket", "flushed"):
        for to in range(1, comm.size):
            if comm.rank == 0:
                cells[0].call(method, to)
            cells.finish()
    if comm.rank == 0:
        cells[0].all()
    cells.finish()

    # Associations come and go: 32 at a time.
    halo.close()
    for _ in range(80):
        with thalweg.Association(cells, "mesh"):
            cells.finish()
    for _ in range(80):
        thalweg.Association(cells, "direct")  # it ends with its last reference
        cells.finish()
    living = [thalweg.Association(cells, "direct") for _ in range(32)]
    try:
        thalweg.Association(cells, "direct")
    except thalweg.ObjectsError as failed:
        assert "32 associations" in str(failed), failed
    else:
        raise AssertionError("33 associations")
    living.pop().close()
    cells.finish()
    thalweg.Association(cells, "direct")

if comm.rank == 0:
    for path in folder.iterdir():
        path.unlink()
    folder.rmdir()
print("all right")
