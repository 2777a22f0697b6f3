# SPDX-License-Identifier: BSD-3-Clause
"""What options of several benchmarks have in common."""

import importlib
from typing import Any

from thalweg.cli.outputs import output_file
from thalweg.cli.printing import size_from_text

_SIX = ("barrier", "broadcast", "allreduce", "allgather", "alltoall", "reduce_scatter")
JSON = output_file("--json", help="Write the rows here.", show_default=False)


def words(text: str) -> list[str]:
    """Split a list with commas."""
    return [word.strip() for word in text.split(",") if word.strip()]


def cases(operations: str, sizes: str) -> Any:
    """Give the calls of some operations, by default the usual six, at some sizes."""
    module = importlib.import_module("thalweg.trials.cases")
    return module.cases(words(operations) or _SIX, [size_from_text(size) for size in words(sizes)] or module.SIZES)
