# SPDX-License-Identifier: BSD-3-Clause
"""What goes wrong is said by name, and memory is not taken away from arrays that lie in it."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
from mpi4py import MPI

import thalweg

COMM = MPI.COMM_WORLD
HERE = rf"on rank {COMM.rank} of {COMM.size}: "


def require(call: Callable[[], object], text: str) -> None:
    try:
        call()
    except thalweg.TeamError as failed:
        assert re.search(text, str(failed)), f"no '{text}' in: {failed}"
        assert failed.remedy in str(failed)
        return
    raise AssertionError(f"no error: {text}")


def bad_teams() -> None:
    for comm in (None, "world", MPI, 0x44000000):
        require(lambda comm=comm: thalweg.Team(comm), "^Team: .* is no communicator of mpi4py; give one")
    require(lambda: thalweg.Team(MPI.COMM_NULL), "^create: the communicator is MPI_COMM_NULL")


def bad_memory(team: thalweg.Team) -> None:
    table = team.allocate((3, 4), np.int64)
    for rank in (-1, team.size, 1 << 33):
        require(lambda rank=rank: team.put(table, rank, 0, 1), rf"^put {HERE}.*rank {rank}")
        require(lambda rank=rank: team.get(table, rank), rf"^get {HERE}.*rank {rank}")
        require(lambda rank=rank: team.add(table, rank, (0, 0), 1), rf"^add {HERE}.*rank {rank}|^update")
        require(lambda rank=rank: table.of_rank(rank), rf"^of_rank {HERE}rank {rank}")
    require(lambda: team.put(table, 0, 3, 1), f"^put {HERE}no part of memory of shape .3, 4.: index 3 is out of bounds")
    require(lambda: team.put(table, 0, (0, 0, 0), 1), "no part of memory .*too many indices")
    require(lambda: team.put(table, 0, "key", 1), "no part of memory")
    require(lambda: team.put(table, 0, 0, np.ones(4)), "data of float64; the memory is of int64: convert by astype")
    require(lambda: team.put(table, 0, 0, np.ones(3, int)), r"data of shape \(3,\) for a part of shape \(4,\)")
    require(lambda: team.get(table, 0, 0, np.empty(4)), "an array of float64.* as the output for int64 of shape")
    require(lambda: team.add(table, 0, 0, 1), "^add .*0 as the place of a word; give the index of one element")
    require(lambda: team.add(table, 0, (0, 0), 1 << 63), "the value 9223372036854775808; numbers of int64 end at")
    require(lambda: team.wait(table, (0, 0), 1, "above"), "the condition 'above'; there are equal, not_equal")
    reals = team.allocate(2)
    require(lambda: team.add(reals, 0, 0, 1), "memory of float64; atomic operations are on whole numbers")
    require(lambda: team.wait(reals, 0, 1), "memory of float64; words of uint64 or int64")
    signal = thalweg.Signal(table, (0, 0), 1, "sub")
    require(lambda: team.put(reals, 0, 0, 1.0, signal), "a signal of kind 'sub'; give 'set' or 'add'")
    require(lambda: team.put(reals, 0, 0, 1.0, thalweg.Signal(reals, 0, 1)), "a signal on memory of float64")
    require(lambda: team.allocate(2, object), "memory of object; give a dtype of plain data")
    require(lambda: team.allocate((2, -1)), "the shape .2, -1.; extents are at least 0")
    part = team.split(0)
    assert part is not None
    require(lambda: part.put(reals, 0, 0, 1.0), "the memory of another team; give what this team has allocated")
    require(lambda: part.release(reals), "the memory of another team")
    part.free()
    view = table[1]
    for end in (lambda: team.release(table), team.free):
        require(end, f"{HERE}an array of rank {team.rank}'s memory is still in use; delete it before, or keep a copy")
    view[...] = 7  # is still there
    assert table[1, 3] == 7
    del view
    team.release(table)
    require(lambda: team.release(table), f"^release {HERE}the memory was released")
    require(lambda: team.put(table, 0, 0, 1), "the memory was released; allocate some")
    team.release(reals)


def bad_collectives(team: thalweg.Team) -> None:
    mine = np.ones(2)
    require(lambda: team.broadcast([1, 2]), f"^broadcast {HERE}list as the output; give a writable array")
    require(lambda: team.broadcast(np.ones((4, 4))[:, 1]), "as the output; give a writable array without gaps")
    require(lambda: team.broadcast(mine, team.size), f"^broadcast {HERE}.*root {team.size}")
    require(lambda: team.broadcast(mine, 1 << 32), f"^broadcast {HERE}.*4294967296")
    require(
        lambda: team.allreduce(mine, np.ones(3)), r"an output of float64 of shape \(3,\); the call gives float64 of"
    )
    require(lambda: team.allreduce(mine, op="sum"), "'sum' as the operator; give one of mpi4py")
    require(lambda: team.allreduce(np.ones(2, np.float16)), "data of float16; give numbers that MPI knows")
    require(lambda: team.allreduce(np.ones(2, ">f8")), "data of >f8; give numbers that MPI knows")
    require(lambda: team.allreduce(np.array([None])), "data of object, which refers to objects")
    require(lambda: team.alltoall(np.ones((team.size + 1, 2))), "give a row for each of")
    for sync in ("some", ("mine", "some"), ("mine",), 3):
        require(lambda sync=sync: team.scan(mine, sync=sync), "as the synchronization; give one of mine, loose, strict")
    if team.rank == 0:
        require(lambda: team.scatter(None, mine, 0), "^scatter .*no data; give an array")
    require(lambda: team.use("broadcast=native"), "^use ")
    require(lambda: team.strategy("gossip", 8), "no collective 'gossip'; there are broadcast, scatter")
    require(lambda: team.row(0), "rows of 0 columns")


def after_the_end() -> None:
    team = thalweg.Team(COMM)
    memory = team.allocate(2)
    request = team.start().allgather(memory)
    dropped: Any = team.start().barrier()
    del dropped
    team.free()
    team.free()
    assert request.wait().shape == (COMM.size, 2)
    assert request.test()
    for call in (team.barrier, team.complete, team.quiet, team.progress, lambda: team.allocate(1), team.inboxes):
        require(call, f"{HERE}the team was freed; make another one")
    require(lambda: memory[0], f"^of_rank {HERE}the team was freed")
    try:
        with thalweg.Team(COMM):
            len(COMM)  # ends the block at once: other ranks may not come to free()
    except TypeError:
        pass


def main() -> None:
    bad_teams()
    with thalweg.Team(COMM) as team:
        bad_memory(team)
        bad_collectives(team)
        team.open_inboxes()
        following = (team.rank + 1) % team.size
        team.send(np.full(3, team.rank), following, 5)
        out = np.empty(3, int)
        got = team.receive(out)
        assert (got.source, got.tag, got.bytes) == ((team.rank - 1) % team.size, 5, 24)
        assert list(out) == [got.source] * 3
        assert team.inboxes()
        assert team.strategy("broadcast", 8).startswith("broadcast=")
    after_the_end()
    print("all right")


if __name__ == "__main__":
    main()
