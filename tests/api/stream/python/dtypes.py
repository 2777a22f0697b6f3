# SPDX-License-Identifier: BSD-3-Clause
"""Items of every dtype without objects arrive as they were sent, in order, from arrays of every layout."""

import numpy as np
from mpi4py import MPI

import thalweg

DTYPES = [
    *("?", "i1", "<u2", ">u2", "i4", "u8", "f2", "f4", ">f8", "c8", "c16"),
    *("M8[ns]", "m8[D]", "S1", "S13", "U7", "V5", "V4000", "(3,)f8", "(2,3)i2"),
    [("key", "u4"), ("value", "f8")],
    np.dtype([("key", "u1"), ("value", "f8"), ("position", "f4", (3,))], align=True),
    {"names": ["late", "early"], "formats": ["i2", "i4"], "offsets": [10, 2], "itemsize": 24},
]


def items_of(dtype: np.dtype, source: int, to: int, count: int) -> np.ndarray:
    """What a rank sends to another."""
    random = np.random.default_rng([source, to, count])
    code = random.integers(0, 90, (count, dtype.itemsize), np.uint8)
    if dtype.base.kind == "b":
        code %= 2
    if dtype.base.kind == "U":
        code[:, np.arange(dtype.itemsize) % 4 > 0] = 0
    return np.frombuffer(code.tobytes(), dtype.base).reshape(-1, *dtype.shape)


def layouts(items: np.ndarray) -> list[np.ndarray]:
    """The same items in memory of several kinds."""
    spread = np.zeros((2 * len(items), *items.shape[1:]), items.dtype)[::2]
    spread[...] = items
    backward = items[::-1].copy()[::-1]
    frozen = items.copy()
    frozen.flags.writeable = False
    return [items, spread, backward, frozen]


def check(comm: MPI.Intracomm, dtype: np.dtype, shape: str) -> None:
    arrived: list[np.ndarray] = []
    with thalweg.Stream(comm, dtype, lambda items: arrived.append(items.copy()), shape=shape) as stream:
        assert stream.dtype == dtype
        assert stream.size == comm.size
        for source in sorted({0, comm.size - 1}):
            for count in (0, 1, 700):
                if comm.rank == source:
                    for to in range(comm.size):
                        for items in layouts(items_of(dtype, source, to, count)):
                            stream.send(to, items)
                            stream.send([to] * count, items)
                            stream.send(np.full(2 * count, to)[::2], items)
                stream.finish()
                got = np.frombuffer(b"".join(items.tobytes() for items in arrived), dtype.base)
                expected = items_of(dtype, source, comm.rank, count).reshape(-1)
                # Compared by fields, as numpy need not copy what is between them.
                assert all(np.array_equal(part, expected) for part in np.split(got, 12)), (
                    dtype,
                    source,
                    count,
                    got,
                    expected,
                )
                arrived.clear()


def single_items(comm: MPI.Intracomm) -> None:
    """Python's own values, scalars and lists of them."""
    arrived: list[np.ndarray] = []
    with thalweg.Stream(comm, "f8", lambda items: arrived.append(items.copy())) as stream:
        if comm.rank == 0:
            stream.send(0, 1.5)
            stream.send(np.int8(0), np.float64(2.5))
            stream.send(np.array(0), np.array(3.5))
            stream.send([0, 0], [4, 5.5])
            stream.send([], [])
        stream.finish()
        assert np.concatenate(arrived or [np.empty(0)]).tolist() == ([1.5, 2.5, 3.5, 4, 5.5] if comm.rank == 0 else [])
    arrived.clear()
    with thalweg.Stream(comm, [("a", "i4"), ("b", "f4")], lambda items: arrived.append(items.copy())) as stream:
        if comm.rank == 0:
            stream.send(0, (1, 2.5))
            stream.send([0], [(2, 3.5)])
        stream.finish()
        assert [item for items in arrived for item in items.tolist()] == [(1, 2.5), (2, 3.5)] * (comm.rank == 0)
    arrived.clear()
    with thalweg.Stream(comm, "(3,)f4", lambda items: arrived.append(items.copy())) as stream:
        if comm.rank == 0:
            stream.send(0, [1, 2, 3])
            stream.send([0, 0], np.arange(6, dtype="f4").reshape(2, 3))
        stream.finish()
        assert [i for items in arrived for i in items.tolist()] == [[1, 2, 3], [0, 1, 2], [3, 4, 5]] * (comm.rank == 0)


def main() -> None:
    comm = MPI.COMM_WORLD
    for dtype in DTYPES:
        check(comm, np.dtype(dtype), "2x2x2" if comm.size == 8 else "")
    single_items(comm)
    print("all right")


if __name__ == "__main__":
    main()
