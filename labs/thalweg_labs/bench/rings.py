# SPDX-License-Identifier: BSD-3-Clause
"""Tokens that go round a ring of elements in Python: our objects, and charm4py's, which somebody has installed.

Both run in the Python that has charm4py, mpi4py and numpy. Thalweg does not need charm4py for anything else.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import thalweg
from thalweg.errors import FAILED, ThalwegError
from thalweg.rows import Row, paired_row
from thalweg_labs.bench.finished import finished

_PROGRAMS = Path(__file__).parent / "program"
_PACKAGE = Path(thalweg.__file__).parents[1]
_BUCKETS = (1, 50, 500)
"""Tokens at a time."""
_HOPS = 10_000
"""Of all tokens together."""
_PATIENCE_S = 300


def rows(python: str, mpi: str, ranks: int, rounds: int) -> Iterator[Row]:
    """Give the time of a hop. The first round of each job is not counted: connections are made in it."""
    for bucket in _BUCKETS:
        words = [str(rounds + 1), str(bucket), str(_HOPS // bucket)]
        ours = [f"mpirun.{mpi}", "-n", str(ranks), python, str(_PROGRAMS / "ring_objects.py"), *words]
        own = _hops(ours, {"PYTHONPATH": str(_PACKAGE)})
        theirs = [python, "-m", "charmrun.start", f"+p{ranks}", str(_PROGRAMS / "ring_charm4py.py"), *words]
        pairs = list(zip(own, _hops(theirs, {}), strict=True))
        case = f"ring in Python, bucket of {bucket}, {ranks} ranks, {mpi}"
        yield paired_row(case, "wall time", "ns", pairs, "charm4py")


def _hops(command: Sequence[str], variables: Mapping[str, str]) -> list[float]:
    """Run a program, and give what it prints of its rounds but the first."""
    remedy = "name a Python that has charm4py, mpi4py and numpy: --charm4py PYTHON"
    printed = finished(command, _PATIENCE_S, variables, remedy)
    found = [float(text) for text in re.findall(r"^hop (\S+)$", printed, re.MULTILINE)]
    if len(found) < 2:
        raise ThalwegError(FAILED, f"{' '.join(command)} printed no rounds:\n{printed[-2000:]}", remedy)
    return found[1:]
