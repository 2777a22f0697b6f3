# SPDX-License-Identifier: BSD-3-Clause
"""The strangers' benchmark: what it reads from IMB and its own program, and a small run of it."""

import json
import re
from pathlib import Path

import pytest

from support import Command
from thalweg_labs.bench.strangers import (
    BESIDE,
    CALL,
    EXPOSED,
    IMB_NAMES,
    OPERATIONS,
    TURN,
    hidden_lines,
    hidden_part,
    imb_times,
    own_times,
)

IMB = """
#----------------------------------------------------------------
# Benchmarking Allreduce
# #processes = 2
#----------------------------------------------------------------
       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]
            0          400         0.05         0.06         0.05
           24          400         1.25         1.75         1.50

#---------------------------------------------------
# Benchmarking Barrier
# #processes = 2
#---------------------------------------------------
 #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]
          400         0.20         0.40         0.30

#----------------------------------------------------------------
# Benchmarking PingPong
# #processes = 2
#----------------------------------------------------------------
       #bytes #repetitions      t[usec]   Mbytes/sec
           24          400         9.25         9.75
"""


def test_imbs_tables_are_read() -> None:
    assert imb_times(IMB) == {
        ("allreduce", 0, CALL): 0.05,
        ("allreduce", 24, CALL): 1.5,
        ("barrier", 0, CALL): 0.3,
    }
    assert imb_times("") == {}
    assert set(IMB_NAMES) <= set(OPERATIONS)


def test_what_a_computation_hides_is_read() -> None:
    """A call of 100 us that exposes 30 beside a computation of 100 is hidden to 70 %."""
    pattern = re.compile(r"^([\w:]+) (\d+) \d+ ([\d.]+) ([\d.]+)$", re.MULTILINE)
    times = own_times(pattern, "ialltoall:4 24 9 100.0 104.5\nbeside ialltoall:4 24 100.0 130.0\nscan 8 3 1.0 2.0\n")
    key = ("ialltoall:4", 24)
    assert [times[(*key, what)] for what in (CALL, TURN, BESIDE, EXPOSED)] == [100.0, 104.5, 130.0, 30.0]
    assert hidden_part(times, *key) == pytest.approx(0.7)
    late = times | {(*key, EXPOSED): 300.0}
    assert hidden_part(late, *key) == 0, "computation that is lost hides nothing"
    assert hidden_lines([times], [late]) == ["ialltoall:4 24 B: 0% hidden natively, 70% so"]


@pytest.mark.parametrize("mpi", ["openmpi", pytest.param("mpich", marks=pytest.mark.exhaustive)])
def test_every_operation_is_measured_in_every_way(thalweg: Command, tmp_path: Path, mpi: str) -> None:
    file = tmp_path / "rows.json"
    words = ["--mpi", mpi, "-n", "2", "--sizes", "24,1500", "--warm", "2", "--calls", "3", "--turns", "1"]
    result = thalweg("bench", "strangers", *words, "--tuning", "off", "--json", str(file))
    assert result.returncode == 0, result.stderr
    rows = json.loads(file.read_text())
    cases = len(OPERATIONS) * 2 - 1  # a barrier has one size
    for way in ("untuned", "untuned, learning off", "the library again"):
        found = [row for row in rows if row["metric"] == way]
        nonblocking = 2 * sum(operation.startswith("i") for operation in OPERATIONS)
        assert len({row["case"] for row in found}) == 2 * cases + 2 * nonblocking
        assert result.stdout.count(f"strangers, {way}: ialltoall") == 2
        assert sum(TURN in row["case"] for row in found) == cases
        assert all(row["ours"] >= 0 and row["peer"] >= 0 and row["ratio"] > 0 for row in found)
        assert f"{mpi}, 2 ranks, strangers, {way}: geometric mean" in result.stdout
