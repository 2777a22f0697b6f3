# SPDX-License-Identifier: BSD-3-Clause
"""Exports to the libraries' own tuning formats, and that the libraries load them."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from support import Command, Programs
from thalweg.errors import USAGE
from thalweg.rules import formats
from thalweg.rules.algorithms import Algorithm, algorithms, variables
from thalweg.rules.formats import Rule
from thalweg.rules.library import Library, intel_presets_of, library_of
from thalweg.trials.cases import OPERATIONS, Case
from thalweg.tune import library_trials
from thalweg.tune.library_trials import Trial


def _library(program: str) -> Library:
    library = library_of(program, os.environ)
    assert library is not None
    return library


def _read_openmpi(text: str) -> dict[int, dict[int, list[tuple[int, ...]]]]:
    """Read dynamic rules as coll/tuned does: numbers only, comments to the end of the line."""
    numbers = [int(word) for line in text.splitlines() for word in line.split("#")[0].split()]
    place = iter(numbers)
    rules: dict[int, dict[int, list[tuple[int, ...]]]] = {}
    for _ in range(next(place)):
        collective = rules.setdefault(next(place), {})
        for _ in range(next(place)):
            sizes = collective.setdefault(next(place), [])
            sizes += [tuple(next(place) for _ in range(4)) for _ in range(next(place))]
    assert not list(place)
    return rules


def test_open_mpis_rules_say_what_was_found() -> None:
    rules = {
        "broadcast": [Rule(8, None), Rule(65536, Algorithm("pipeline", 3, 8192))],
        "allgather": [Rule(8, Algorithm("bruck", 2))],
        "barrier": [Rule(0, Algorithm("tree", 6))],
    }
    read = _read_openmpi(formats.openmpi_rules(rules, 8))
    assert read[7][8] == [(0, 0, 0, 0), (8, 0, 0, 0), (65536, 3, 0, 8192)]
    assert read[0][8] == [(0, 0, 0, 0), (64, 2, 0, 0)]
    assert read[6][8] == [(0, 6, 0, 0)]
    for collective in read.values():
        assert list(collective) == [1, 8, 9]
        assert collective[1] == collective[9] == [(0, 0, 0, 0)]


def _leaves(tree: dict[str, Any]) -> list[str]:
    return [key for key, below in tree.items() if not below] + [
        leaf for below in tree.values() if below for leaf in _leaves(below)
    ]


def test_mpichs_selection_changes_only_what_was_found(programs: Programs) -> None:
    defaults = formats.mpich_defaults(_library(programs.mpich()).path)
    rules = {
        "broadcast": [Rule(8, Algorithm("scatter_ring_allgather")), Rule(65536, None)],
        "allgather": [Rule(8, Algorithm("ring")), Rule(512, Algorithm("brucks"))],
        "barrier": [Rule(0, Algorithm("dissemination"))],
        "reduce": [Rule(8, None)],
    }
    selection = json.loads(formats.mpich_selection(rules, 8, defaults))
    assert set(selection) == set(defaults)
    changed = {key for key in selection if selection[key] != defaults[key]}
    assert changed == {"collective=bcast", "collective=allgather", "collective=barrier"}
    bcast = selection["collective=bcast"]["comm_type=intra"]
    default = defaults["collective=bcast"]["comm_type=intra"]
    assert bcast["comm_size<8"] == bcast["comm_size=any"] == default
    assert bcast["comm_size<=8"] == {
        "avg_msg_size<=724": {"algorithm=MPIR_Bcast_intra_scatter_ring_allgather": {}},
        "avg_msg_size=any": default,
    }
    # An all-gather's sizes are those of all ranks together.
    assert list(selection["collective=allgather"]["comm_type=intra"]["comm_size<=8"]) == [
        "total_msg_size<=512",
        "total_msg_size=any",
    ]
    known = {leaf for tree in defaults.values() for leaf in _leaves(tree)}
    for tree in selection.values():
        assert set(_leaves(tree)) <= known


def test_mpichs_algorithms_are_named_only_where_they_can_work(programs: Programs) -> None:
    rules = {
        "allreduce": [Rule(8, Algorithm("reduce_scatter_allgather"))],
        "reduce": [Rule(8, Algorithm("reduce_scatter_gather"))],
        "alltoall": [Rule(8, Algorithm("brucks"))],
        "reduce_scatter": [Rule(8, Algorithm("pairwise"))],
    }
    selection = json.loads(formats.mpich_selection(rules, 8, formats.mpich_defaults(_library(programs.mpich()).path)))

    def branch(call: str) -> dict[str, Any]:
        [(_, found)] = selection[f"collective={call}"]["comm_type=intra"]["comm_size<=8"].items()
        assert isinstance(found, dict)
        return found

    assert set(branch("allreduce")["is_op_built_in=yes"]) == {"count<pow2", "count=any"}
    assert "algorithm=MPIR_Reduce_intra_binomial" in branch("reduce")["is_op_built_in=no"]
    assert "algorithm=MPIR_Alltoall_intra_pairwise_sendrecv_replace" in branch("alltoall")["is_sendbuf_inplace=yes"]
    assert "is_commutative=no" in branch("reduce_scatter_block")
    assert "recursive_doubling" not in [one.name for one in algorithms("mpich", "allgather", 6)]
    assert "recursive_doubling" in [one.name for one in algorithms("mpich", "allgather", 8)]


def test_jobs_try_every_algorithm_once(programs: Programs) -> None:
    operations = list(OPERATIONS)
    for library in (_library(programs.openmpi()), _library(programs.mpich())):
        tried: dict[str, list[Algorithm]] = {}
        choices = library.choices(operations, 8)
        for chosen in library_trials.rounds(choices):
            for operation, algorithm in chosen.items():
                assert variables(library.family, operation, algorithm)
                tried.setdefault(operation, []).append(algorithm)
        assert tried == choices
        assert choices == {
            name: algorithms(library.family, name, 8) for name in operations if algorithms(library.family, name, 8)
        }


INTEL_INFO = """
I_MPI_ADJUST_BARRIER
  Description:
    Controls barrier algorithm: Control selection of MPI_Barrier algorithm pres
   ets.
    <presetid> - Preset identifier
    range: 0-2
I_MPI_ADJUST_BARRIER_LIST
  Description:
    Controls barrier algorithm filter
I_MPI_SPIN_COUNT
  Description:
    range: 0-9
"""


def test_intels_presets_are_what_it_tells_of() -> None:
    assert intel_presets_of(INTEL_INFO) == {
        "I_MPI_ADJUST_BARRIER": [Algorithm("preset_1", 1), Algorithm("preset_2", 2)]
    }
    assert intel_presets_of("no such option") == {}


def test_intels_settings_cover_all_sizes() -> None:
    rules = {
        "broadcast": [Rule(8, None), Rule(512, Algorithm("preset_3", 3)), Rule(65536, None)],
        "barrier": [Rule(0, Algorithm("preset_6", 6))],
    }
    text = formats.intel_settings(rules, 8)
    assert formats.intel_variables(text) == {
        "I_MPI_ADJUST_BARRIER": "6:0-2147483647@8-8",
        "I_MPI_ADJUST_BCAST": "0:0-64@8-8;3:65-5793@8-8;0:5794-2147483647@8-8",
    }
    # What a shell makes of the file is what the library gets.
    shell = subprocess.run(
        ["sh", "-c", f'{text}\necho "$I_MPI_ADJUST_BCAST"'], capture_output=True, text=True, check=True
    )
    assert shell.stdout.strip() == formats.intel_variables(text)["I_MPI_ADJUST_BCAST"]


def test_only_what_is_surely_faster_becomes_a_rule() -> None:
    def trial(own: float, default: float = 100) -> Trial:
        return Trial(tuple(own + index for index in range(7)), tuple(default + index for index in range(7)))

    ring, linear, bruck = Algorithm("ring", 4), Algorithm("linear", 1), Algorithm("bruck", 2)
    assert library_trials.best({ring: trial(50), linear: trial(100)}) == ring
    # A job that ran while the machine was slow is held against the default at that time.
    assert library_trials.best({ring: trial(50), bruck: trial(400, default=1000), linear: trial(90)}) == bruck
    assert library_trials.best({linear: trial(100)}) is None
    assert library_trials.best({}) is None
    cases = {Case("allgather", 64): {ring: trial(50)}, Case("allgather", 8): {ring: trial(200)}}
    assert library_trials.rules_of(cases) == {"allgather": [Rule(8, None), Rule(64, ring)]}
    assert library_trials.rules_of(cases, [Case("allgather", 64)]) == {}


@pytest.mark.exhaustive
@pytest.mark.parametrize(("form", "name"), [("openmpi", "rules.conf"), ("mpich", "coll.json")])
def test_an_export_is_measured_and_loaded(thalweg: Command, tmp_path: Path, form: str, name: str) -> None:
    words = ["--format", form, "-o", str(tmp_path / name), "-n", "2", "--ops", "allreduce,barrier"]
    result = thalweg("tune", "export", *words, "--bytes", "8,64KiB")
    assert result.returncode == 0, result.stderr
    # Whether some rule helps is the machine's business; a file that was written was loaded in a job too.
    assert "use them without Thalweg" in result.stdout or "no rules were written" in result.stdout


def test_one_library_at_a_time(thalweg: Command) -> None:
    intel = ["--format", "intel", "-o", "a"]
    for words in (
        [],
        ["-o", "a"],
        ["--format", "mpich"],
        ["--format", "x", "-o", "a"],
        intel,
        [*intel, "--mpi", "mpich"],
    ):
        assert thalweg("tune", "export", *words, variables={"I_MPI_ROOT": ""}).returncode == USAGE.number
