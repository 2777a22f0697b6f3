# SPDX-License-Identifier: BSD-3-Clause
"""RandomAccess as HPCC has it: its own program, run beside streams under the same rule of 1,024 pending updates.

Debian's package hpcc brings it for Open MPI. It always makes all of HPCC's tests, so their problem is kept small.
"""

import math
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from thalweg.errors import FAILED, ThalwegError
from thalweg.launch.mpis import named_mpi
from thalweg.programs.find import find_program

_INPUT = """HPLinpack benchmark input file
Innovative Computing Laboratory, University of Tennessee
HPL.out output file name (if any)
8 device out
1 # of problems sizes (N)
{matrix} Ns
1 # of NBs
80 NBs
0 PMAP process mapping
1 # of process grids (P x Q)
{rows} Ps
{columns} Qs
16.0 threshold
1 # of panel fact
2 PFACTs
1 # of recursive stopping criterium
4 NBMINs
1 # of panels in recursion
2 NDIVs
1 # of recursive panel fact.
1 RFACTs
1 # of broadcast
1 BCASTs
1 # of lookahead depth
1 DEPTHs
2 SWAP
64 swapping threshold
0 L1 in (0=transposed,1=no-transposed) form
0 U in (0=transposed,1=no-transposed) form
1 Equilibration (0=no,1=yes)
8 memory alignment in double
##### This line (no. 32) is ignored (it serves as a separator). ######
0 Number of additional problem sizes for PTRANS
1200 values of N
0 number of additional blocking sizes for PTRANS
40 values of NB
"""


class Run(NamedTuple):
    """A job of HPCC's."""

    mpi: str
    ranks: int
    lab: str
    words: int
    """Of the table, which all ranks share."""


def table_words(items: int, ranks: int) -> int:
    """Give the table's size where each rank makes so many updates, four for each word; a power of two, as HPCC's."""
    return 1 << max(items // 4 * ranks, 1).bit_length() - 1


def input_text(run: Run) -> str:
    """Write hpccinf.txt: HPCC's table is the largest power of two of words that fits into half of HPL's memory."""
    rows = max(side for side in range(1, math.isqrt(run.ranks) + 1) if run.ranks % side == 0)
    return _INPUT.format(matrix=math.isqrt(run.words - 1) + 1, rows=rows, columns=run.ranks // rows)


def time_ns(output: str, ranks: int) -> float | None:
    """Read the time that an update of a rank has taken from hpccoutf.txt, if HPCC finds its answer right."""
    found = dict(re.findall(r"^MPIRandomAccess_(\w+)=(\S+)$", output, re.MULTILINE))
    if not found or float(found["ErrorsFraction"]) > 0.01:
        return None
    return float(found["time"]) / float(found["ExeUpdates"]) * ranks * 1e9


def times_ns(run: Run, jobs: int) -> list[float]:
    """Run so many jobs; nothing, and a message, where HPCC is not installed for that MPI."""
    program = find_program(["hpcc"], os.environ)
    if program is None or program.mpi is None:
        print("hpcc is not installed (Debian: apt-get install hpcc), so its RandomAccess is left out")
        return []
    if program.mpi.family != named_mpi(run.mpi, os.environ).family:
        print(f"hpcc runs with {program.mpi.family.title} only, so its RandomAccess is left out")
        return []
    return [_time_ns_of_job(run) for _ in range(jobs)]


def _time_ns_of_job(run: Run) -> float:
    # Hosts of a lab have temporary folders of their own.
    with tempfile.TemporaryDirectory(prefix=".hpcc-", dir=Path.cwd()) as folder:
        Path(folder, "hpccinf.txt").write_text(input_text(run), encoding="utf-8")
        where = ["lab", "run", "--name", run.lab, "--native"] if run.lab else ["run", "--disable", "--mpi", run.mpi]
        command = [sys.executable, "-m", "thalweg", *where, "-n", str(run.ranks), "--", "hpcc"]
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
        output = Path(folder, "hpccoutf.txt")
        time = time_ns(output.read_text(encoding="utf-8"), run.ranks) if output.exists() else None
    if time is None:
        message = f"hpcc on {run.ranks} ranks ended with status {done.returncode} and no valid RandomAccess"
        raise ThalwegError(FAILED, f"{message}\n{done.stderr[-2000:]}")
    return time
