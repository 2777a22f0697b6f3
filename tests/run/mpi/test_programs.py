# SPDX-License-Identifier: BSD-3-Clause
"""Programs of their own: threads, sessions, C++, and the three flavors of Fortran."""

from pathlib import Path

import pytest
from jobs import NATIVE, PASSING, YIELDING, Mode, build, build_cxx, build_fortran, run, using
from mpis import MPIS, Mpi, named

ENGINE = using("allreduce=recursive_doubling;broadcast=knomial;allgather=ring;alltoall=direct")
IDS = ["native", "passing", "yielding", "engine"]
MODES = [NATIVE, PASSING, YIELDING, ENGINE]
EVERY_MPI = pytest.mark.parametrize("mpi", MPIS, ids=lambda mpi: mpi.name)


def in_modes(names: list[str]) -> pytest.MarkDecorator:
    """Let a test run in each mode on each MPI; natively, which shows that a program is right, on the first is enough.

    The gate leaves the others out.
    """
    return pytest.mark.parametrize(
        ("name", "mode"),
        [
            pytest.param(
                name,
                mode,
                id=f"{name}-{mode_id}",
                marks=pytest.mark.exhaustive if mode is NATIVE and name != names[0] else (),
            )
            for name in names
            for mode, mode_id in zip(MODES, IDS, strict=True)
        ],
    )


def check(mpi: Mpi, program: Path, mode: Mode, passed: str, ranks: int = 2) -> None:
    """Run a program that says that it passed, or fails."""
    result = run(mpi, ranks, [str(program), "--known", mpi.known_names], mode)
    if result.status != 0 or f"passed {passed}" not in result.out:
        pytest.fail(result.explain(), pytrace=False)


@in_modes([mpi.name for mpi in MPIS])
def test_threads(name: str, mode: Mode) -> None:
    """Threads run collectives on communicators of their own at the same time."""
    mpi = named(name)
    check(mpi, build(mpi, "threads"), mode, "threads")


@in_modes([mpi.name for mpi in MPIS])
def test_sessions(name: str, mode: Mode) -> None:
    """Sessions never call MPI_Init."""
    mpi = named(name)
    check(mpi, build(mpi, "sessions"), mode, "sessions")


@EVERY_MPI
def test_cxx(mpi: Mpi) -> None:
    """C++ programs."""
    check(mpi, build_cxx(mpi), ENGINE, "cxx", ranks=3)


@in_modes(["openmpi4", "mpich4"])
@pytest.mark.parametrize("flavor", ["mpifh", "mpimod", "f08"])
def test_fortran(name: str, flavor: str, mode: Mode) -> None:
    """Fortran, with MPI_IN_PLACE, MPI_BOTTOM and MPI_STATUS_IGNORE."""
    mpi = named(name)
    check(mpi, build_fortran(mpi, flavor), mode, "fortran")


@pytest.mark.parametrize("name", ["openmpi4", "mpich4"])
def test_graphs_are_made_after_any_number_of_collectives(name: str) -> None:
    """Open MPI 4.1 alone hangs after 23 nonblocking ones, where ours begin sooner."""
    mpi = named(name)
    check(mpi, build(mpi, "graphs_after_collectives"), YIELDING, "graphs_after_collectives", ranks=4)


@EVERY_MPI
def test_grids_of_fewer_ranks_than_their_parent(mpi: Mpi) -> None:
    """MPICH 5 gives them the parent's group, of which no communicator of ours can be made."""
    check(mpi, build(mpi, "smaller_grids"), ENGINE, "smaller_grids", ranks=5)


@pytest.mark.parametrize("wait", ["yield", "spin"])
@pytest.mark.parametrize("ranks", [2, 3])
@EVERY_MPI
def test_waiting_lets_the_library_go_on(mpi: Mpi, ranks: int, wait: str) -> None:
    """A rank that waits in a call of ours holds up none of the program's messages."""
    if mpi.spins and wait == "spin" and ranks > 2:
        pytest.skip("what stays native crawls where ranks outnumber cores")
    mode = using(
        "barrier=dissemination;broadcast=knomial;scatter=knomial;gather=knomial;allgather=ring;alltoall=direct;"
        "reduce=knomial;allreduce=recursive_doubling;reduce_scatter=pairwise",
        wait,
    )
    check(mpi, build(mpi, "waiting"), mode, "waiting", ranks=ranks)


def _hashes(mpi: Mpi, ranks: int, mode: Mode, *words: str) -> list[str]:
    """Run all reductions whose bits tell the operands' order; gives a line for each."""
    result = run(mpi, ranks, [str(build(mpi, "operand_order")), *words], mode)
    if result.status != 0 or "passed operand_order" not in result.out:
        pytest.fail(result.explain(), pytrace=False)
    assert "halweg" not in result.err, result.err
    return result.out.splitlines()


# Natively MPICH's ranks spin. Learning begins with the third call of a kind.
@pytest.mark.parametrize(
    ("name", "ranks"),
    [
        ("openmpi4", 2),
        ("mpich4", 2),
        *(
            pytest.param(name, ranks, marks=pytest.mark.exhaustive)
            for name, ranks in (("openmpi4", 3), ("openmpi4", 4), ("openmpi4", 7), ("mpich4", 3), ("mpich4", 4))
        ),
    ],
)
def test_bits_are_the_librarys_unless_somebody_chose(name: str, ranks: int) -> None:
    """NaNs, zeros of two signs and complex products, by all kinds of operators, while Thalweg learns."""
    mpi = named(name)
    learning = Mode("learning", preload=True, settings={"THALWEG_LEARN": "exact", "THALWEG_LEARN_BUDGET": "100"})
    native = _hashes(mpi, ranks, NATIVE)
    assert [line for line in _hashes(mpi, ranks, learning) if line not in native] == []


# All strategies of all-reduce that combine on more ranks than one, and some others.
AGREEING = (
    *("recursive_doubling", "recursive_exchange:radix=3", "direct", "bine:parts=whole", "allgather_reduce"),
    *("two_level", "two_level_scatter", "ring", "nic"),
)
AGREEING_RANKS = (4, 5, 3, 8, 2)


# The gate has each strategy once.
@pytest.mark.parametrize(
    ("name", "ranks", "strategy"),
    [
        pytest.param(
            name,
            ranks,
            strategy,
            marks=() if number % 2 == library and AGREEING_RANKS[number % 5] == ranks else pytest.mark.exhaustive,
        )
        for library, name in enumerate(["openmpi4", "mpich4"])
        for number, strategy in enumerate(AGREEING)
        for ranks in AGREEING_RANKS
    ],
)
def test_all_ranks_have_the_same_bits(name: str, ranks: int, strategy: str) -> None:
    """The program compares the ranks' results, and fails where they are not the same."""
    _hashes(named(name), ranks, using(f"allreduce={strategy}"), "--agree")


@pytest.mark.parametrize("memory", [{}, {"THALWEG_SHARED_MEMORY": "0"}], ids=["shared memory", "messages"])
@EVERY_MPI
def test_operations_in_flight_go_on(mpi: Mpi, memory: dict[str, str]) -> None:
    """A rank that waits in another call holds up none of the collectives that it has begun."""
    mode = using("allreduce=recursive_doubling")
    mode = Mode(f"{mode.name} {memory}", preload=True, settings=mode.settings | memory)
    check(mpi, build(mpi, "in_flight"), mode, "in_flight", ranks=3)


@EVERY_MPI
def test_files(mpi: Mpi) -> None:
    """Files' requests go on while a rank waits for them, whatever is in flight beside."""
    mode = using("allreduce=recursive_doubling;alltoall=direct;allgather=ring")
    check(mpi, build(mpi, "files"), mode, "files", ranks=3)


@pytest.mark.parametrize("ranks", [2, 5])
@EVERY_MPI
def test_exact_sums(mpi: Mpi, ranks: int) -> None:
    """Sums are rounded once. They run on our engine here, as no device joins ranks of a host."""
    mode = using("allreduce=nic:sum=exact;reduce=nic:sum=exact", "yield")
    check(mpi, build(mpi, "exact_sums"), mode, "exact_sums", ranks=ranks)
