# SPDX-License-Identifier: BSD-3-Clause
"""Random arrays of tasks in a job: none is lost, and loads end as even as is promised."""

import contextlib

import numpy as np
from mpi4py import MPI

import thalweg

world = MPI.COMM_WORLD
rank, size = world.Get_rank(), world.Get_size()
TASK = np.dtype([("id", np.int64), ("weight", np.float64), ("place", np.float32, 3)])


def random_tasks(seed: int, of: int) -> np.ndarray:
    """Make a rank's tasks."""
    random = np.random.default_rng((seed, of))
    tasks = np.zeros(random.integers(0, 40) if seed % 3 else 60 * (of == seed % size), TASK)
    tasks["id"] = of * 1000 + np.arange(len(tasks))
    tasks["weight"] = random.exponential(size=len(tasks))
    tasks["place"] = tasks["id"][:, np.newaxis]
    return tasks


def check(seed: int, balancer: thalweg.Balancer) -> None:
    """Move in one of the ways."""
    before = np.concatenate([random_tasks(seed, of) for of in range(size)])
    tasks = random_tasks(seed, rank)
    weights = tasks["weight"] if seed % 2 else None
    if seed % 4 < 2:
        tasks = balancer.move(tasks, weights, scheme="sweep" if seed % 8 < 4 else "alias")
    else:
        moving = balancer.start(tasks, weights)
        assert 0 <= moving.kept() <= len(tasks)
        moving.test()
        tasks = moving.finish()
        assert moving.outcome.imbalance >= 1
    after = np.concatenate(world.allgather(tasks))
    assert sorted(after["id"]) == sorted(before["id"])
    assert (after["place"] == after["id"][:, np.newaxis]).all()
    if weights is None:
        assert len(tasks) in {len(before) // size, -(-len(before) // size)}
    else:
        error = abs(tasks["weight"].sum() - before["weight"].sum() / size)
        assert error <= before["weight"].max(initial=0) * (size + 1) / 2 + 1e-9


def check_errors(balancer: thalweg.Balancer) -> None:
    """What a rank gives wrong is raised there as it is, and fails everywhere."""
    tasks = np.arange(10 if rank == 0 else 0)
    last = rank == size - 1
    for wrong, given in (
        ("weights of shape", {"weights": [1] * (len(tasks) + last)}),
        ("nothing is called", {"scheme": "swap" if last else "alias"}),
        ("a speed that is below 0", {"speed": -1 if last else 1}),
        ("", {"threshold": "high" if last else 0}),
    ):
        try:
            balancer.move(tasks, **given)
        except (thalweg.BalanceError, TypeError) as failed:
            assert not last or wrong in str(failed), failed
        else:
            raise AssertionError(wrong)
    with contextlib.suppress(thalweg.BalanceError):
        balancer.move(np.array([None]) if last else tasks)
        raise AssertionError
    matrix = balancer.move(np.full((3 * size if last else 0, 2, 2), 7.0, np.float32))
    assert matrix.shape == (3, 2, 2)
    assert (matrix == 7).all()


with thalweg.Balancer(world) as balancer:
    for seed in range(16):
        check(seed, balancer)
    check_errors(balancer)
with thalweg.Balancer(world, order=np.arange(size)[::-1]) as reversed_one:
    check(1, reversed_one)
try:
    reversed_one.move(np.arange(3))
except thalweg.BalanceError as failed:
    assert "closed" in str(failed)
try:
    thalweg.Balancer(world, order=[0] * (size + 1))
except thalweg.BalanceError as failed:
    assert "the order" in str(failed)
else:
    raise AssertionError
print("all right")
