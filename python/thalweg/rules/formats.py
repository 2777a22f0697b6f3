# SPDX-License-Identifier: BSD-3-Clause
"""The libraries' own tuning formats, written from what was found best by call, ranks and size."""

import json
import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from thalweg.errors import SETTINGS, ThalwegError
from thalweg.rules.algorithms import Algorithm, intel_variable, mpich_call, openmpi_call


class Rule(NamedTuple):
    """From units of so many bytes on, this algorithm; nothing: the library's default."""

    size: int
    algorithm: Algorithm | None


Rules = Mapping[str, Sequence[Rule]]
"""By operation, sizes ascending."""

# Open MPI 4.1, ompi/mca/coll/base/coll_base_functions.h, enum COLLTYPE.
_OPENMPI_NUMBERS = {
    "allgather": 0,
    "allreduce": 2,
    "alltoall": 3,
    "barrier": 6,
    "broadcast": 7,
    "gather": 9,
    "reduce": 11,
    "reduce_scatter": 13,
    "scatter": 15,
}
# What coll/tuned compares a rule's size with: the unit, or the units of all ranks
# (coll_tuned_decision_dynamic.c: of reduce_scatter it adds up all counts).
_OPENMPI_TOTALS = ("allgather", "alltoall", "gather", "reduce_scatter", "scatter")


_INT_MAX = 2**31 - 1


def openmpi_size(operation: str, unit: int, ranks: int) -> int:
    """Give the size by which coll/tuned finds a rule for units of so many bytes."""
    return unit * ranks if operation in _OPENMPI_TOTALS else unit


def openmpi_rules(rules: Rules, ranks: int) -> str:
    """Write a coll_tuned_dynamic_rules_filename: by collective, communicator size and message size.

    A rule holds from its size on, communicators' likewise; algorithm 0 is the library's own decision, as it stays for
    fewer and for more than `ranks` ranks.
    """
    known = {operation: found for operation, found in rules.items() if operation in _OPENMPI_NUMBERS and found}
    lines = [f"{len(known)} # collectives"]
    for operation in sorted(known, key=_OPENMPI_NUMBERS.__getitem__):
        found = known[operation]
        lines += [f"{_OPENMPI_NUMBERS[operation]} # {openmpi_call(operation)}", "3 # communicator sizes"]
        lines += ["1 # ranks", "1 # message sizes", "0 0 0 0 # the library decides"]
        lines += [f"{ranks} # ranks", f"{len(found) + (found[0].size > 0)} # message sizes"]
        if found[0].size > 0:
            lines.append("0 0 0 0 # the library decides")
        for rule in found:
            algorithm = rule.algorithm or Algorithm("the library decides")
            size = openmpi_size(operation, rule.size, ranks)
            lines.append(f"{size} {algorithm.number} {algorithm.fanout} {algorithm.segment} # {algorithm.text}")
        lines += [f"{ranks + 1} # ranks", "1 # message sizes", "0 0 0 0 # the library decides"]
    return "\n".join(lines) + "\n"


def mpich_defaults(library: str) -> dict[str, Any]:
    """Read the selection that an MPICH library carries, as a selection file replaces all of it."""
    data = Path(library).read_bytes()
    for match in re.finditer(rb'\{"collective=[^\x00]*\}', data):
        text = match.group().decode("ascii", "replace")
        if '"algorithm=MPIR_Bcast_intra_binomial"' in text:
            selection = json.loads(text)
            assert isinstance(selection, dict)
            return selection
    raise ThalwegError(SETTINGS, f"{library} carries no selection of algorithms", "is it MPICH 4?")


def mpich_selection(rules: Rules, ranks: int, defaults: Mapping[str, Any]) -> str:
    """Write an MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE: the library's own selection, with rules for `ranks` ranks."""
    selection = json.loads(json.dumps(defaults))
    for operation, found in rules.items():
        collective = selection.get(f"collective={mpich_call(operation)}")
        if collective is None or "comm_type=intra" not in collective or not any(rule.algorithm for rule in found):
            continue
        default = collective["comm_type=intra"]
        measure, factor = ("total_msg_size", ranks) if "total_msg_size" in json.dumps(default) else ("avg_msg_size", 1)
        branches: dict[str, Any] = {}
        for index, rule in enumerate(found):
            # A rule holds up to the middle of its size and the next one's, by ratio.
            last = index + 1 == len(found)
            key = f"{measure}=any" if last else f"{measure}<={factor * _between(rule.size, found[index + 1].size)}"
            branches[key] = _guarded(operation, rule.algorithm.name, default) if rule.algorithm else default
        if operation == "barrier":
            branches = branches[f"{measure}=any"]
        collective["comm_type=intra"] = {
            f"comm_size<{ranks}": default,
            f"comm_size<={ranks}": branches,
            "comm_size=any": default,
        }
    return json.dumps(selection, indent=1) + "\n"


def _guarded(operation: str, algorithm: str, default: Mapping[str, Any]) -> dict[str, Any]:
    """Write an algorithm where it can work, and what MPICH uses elsewhere: it asserts that files are right."""
    call = mpich_call(operation).capitalize()
    leaf: dict[str, Any] = {f"algorithm=MPIR_{call}_intra_{algorithm}": {}}
    if operation in ("allreduce", "reduce") and algorithm.startswith("reduce_scatter"):
        simple: dict[str, Any] = {
            f"algorithm=MPIR_{call}_intra_{'recursive_doubling' if operation == 'allreduce' else 'binomial'}": {}
        }
        return {"is_op_built_in=no": simple, "is_op_built_in=yes": {"count<pow2": simple, "count=any": leaf}}
    if operation == "alltoall":
        return {"is_sendbuf_inplace=yes": default["is_sendbuf_inplace=yes"], "is_sendbuf_inplace=no": leaf}
    if operation == "reduce_scatter":
        return {"is_commutative=yes": leaf, "is_commutative=no": default["is_commutative=no"]}
    return leaf


def intel_settings(rules: Rules, ranks: int) -> str:
    """Write a file of I_MPI_ADJUST settings for a shell: PRESET:FROM-TO@RANKS-RANKS, joined by semicolons.

    Preset 0 is the library's own decision. All sizes are covered, as Intel MPI (2021.18) takes the first of its ranges
    for smaller sizes and the last for larger ones; that version heeds sizes, but not the number of ranks.
    """
    lines = [f"# Intel MPI's settings for {ranks} ranks: set -a; . this file"]
    for operation, found in sorted(rules.items()):
        entries = []
        begin = 0
        for index, rule in enumerate(found):
            last = index + 1 == len(found)
            end = _INT_MAX if last else _between(rule.size, found[index + 1].size)
            entries.append(f"{rule.algorithm.number if rule.algorithm else 0}:{begin}-{end}@{ranks}-{ranks}")
            begin = end + 1
        lines.append(f"{intel_variable(operation)}='{';'.join(entries)}'")
    return "\n".join(lines) + "\n"


def intel_variables(text: str) -> dict[str, str]:
    """Read such a file as a shell would."""
    return dict(re.findall(r"^(I_MPI_ADJUST_\w+)='([^']*)'$", text, re.MULTILINE))


def _between(small: int, large: int) -> int:
    return round(math.sqrt(max(small, 1) * large))
