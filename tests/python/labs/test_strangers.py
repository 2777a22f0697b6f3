# SPDX-License-Identifier: BSD-3-Clause
"""The strangers' benchmark: what it reads from IMB and its own program, and a small run of it."""

import json
from pathlib import Path

import pytest

from support import Command
from thalweg_labs.bench.strangers import CALL, IMB_NAMES, OPERATIONS, TURN, imb_times

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
        assert len({row["case"] for row in found}) == 2 * cases
        assert sum(TURN in row["case"] for row in found) == cases
        assert all(row["ours"] >= 0 and row["peer"] >= 0 and row["ratio"] > 0 for row in found)
        assert f"{mpi}, 2 ranks, strangers, {way}: geometric mean" in result.stdout
