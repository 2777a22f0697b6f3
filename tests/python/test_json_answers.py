# SPDX-License-Identifier: BSD-3-Clause
"""Answers as JSON: each has its format and version, and no key that its published schema does not describe."""

import inspect
import json
import math
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from answer_forms import checked
from report_answers import report_file
from support import Command
from thalweg import _core
from thalweg.answers.answer import answer_of, answered
from thalweg.answers.schemas import SCHEMAS
from thalweg.cli import application
from thalweg.cli.table import BY_NAME, COMMANDS, function_of
from thalweg.errors import USAGE, ThalwegError
from thalweg.machine.probed import probed_data
from thalweg.nic.check import Finding

COUNTS = st.integers(1, 9)
QUICK = settings(deadline=None, max_examples=15, suppress_health_check=list(HealthCheck))


class Asked:
    """Asks commands in this process."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self._capsys = capsys

    def __call__(self, command: str, *words: str) -> Any:
        """Give the answer on standard output, which has nothing else."""
        self._capsys.readouterr()
        application([*command.split(), *words, "--json"])
        return checked(command, self._capsys.readouterr().out)


@pytest.fixture
def ask(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Asked:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("THALWEG_TUNING", str(tmp_path / "tuning.toml"))
    return Asked(tmp_path, capsys)


def test_schemas_are_schemas() -> None:
    for name, form in SCHEMAS.items():
        Draft202012Validator.check_schema(form)
        assert name in BY_NAME


def test_every_command_with_json_has_a_schema() -> None:
    typed = {
        one.name
        for one in COMMANDS
        if not one.reads_words and "json_file" in inspect.signature(function_of(one)).parameters  # type: ignore[arg-type]
    }
    assert typed | {"try"} == set(SCHEMAS)


@given(call=st.sampled_from(_core.calls()), size=st.integers(0, 1 << 20), ranks=COUNTS, per_node=COUNTS)
@QUICK
def test_a_call_is_explained(ask: Asked, call: str, size: int, ranks: int, per_node: int) -> None:
    words = ("--bytes", str(size), "-n", str(ranks), "--ranks-per-node", str(per_node))
    found = ask("tune explain", call, *words)
    assert (found["kind"], found["ranks"]) == ("call", ranks)
    assert bool(found["candidates"]) != call.startswith("neighbor_"), "the graph of neighborhoods is the program's"


@given(data=st.data())
@QUICK
def test_reports_are_explained_and_compared(ask: Asked, data: st.DataObject) -> None:
    one, other = (report_file(ask.folder / name, data) for name in ("one.json", "other.json"))
    found = ask("tune explain", one)
    assert found["kind"] == "report"
    assert found["gain_max"] <= sum(row["share"] for row in found["calls"]) + 1e-9
    times = [row["time_ns"] for row in found["calls"]]
    assert times == sorted(times, reverse=True)
    compared = ask("compare", one, other)
    assert compared["whole"][0]["name"] == "wall time"


@given(
    matrix=st.integers(2, 6).flatmap(
        lambda ranks: st.lists(
            st.lists(st.integers(0, 9), min_size=ranks, max_size=ranks), min_size=ranks, max_size=ranks
        )
    )
)
@QUICK
def test_ranks_are_placed(ask: Asked, matrix: list[list[int]]) -> None:
    path = ask.folder / "pairs.csv"
    path.write_text("".join(",".join(map(str, row)) + "\n" for row in matrix))
    found = ask("place map", str(path), "--machine", "torus:3x2", "--proposals", "20")
    assert sorted(set(found["slot_of"])) == sorted(found["slot_of"])
    asked = ask("place advise", str(path), "--machine", "torus:6", "--seconds", "0.001")
    assert asked["allocations"]


@given(loads=st.lists(st.integers(0, 99), min_size=1, max_size=9))
@QUICK
def test_loads_are_balanced(ask: Asked, loads: list[int]) -> None:
    path = ask.folder / "loads.txt"
    path.write_text(" ".join(map(str, loads)) + "\n")
    assert ask("balance", str(path))["tasks"] == sum(loads)


@given(sides=st.lists(st.integers(1, 4), min_size=1, max_size=3), kind=st.sampled_from(["torus", "mesh"]))
@QUICK
def test_networks_are_shown(ask: Asked, sides: list[int], kind: str) -> None:
    found = ask("machine show", f"{kind}:{'x'.join(map(str, sides))}")
    assert found["nodes"] == math.prod(sides)
    assert sum(one["nodes"] for one in found["hops_from_first"]) == found["nodes"] - 1


@given(entry=st.sampled_from(_core.strategies()), ranks=COUNTS)
@QUICK
def test_schedules_are_shown_and_simulated(ask: Asked, entry: _core.Strategy, ranks: int) -> None:
    try:
        found = ask("strategies show", entry.operation, entry.name, "-n", str(ranks))
    except ThalwegError:
        return  # a strategy that does not serve so many ranks
    assert [one["rank"] for one in found["schedules"]] == list(range(ranks))
    assert found["proof"]["faults"] == []


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("config", ()),
        ("doctor", ()),
        ("strategies list", ("alltoall",)),
        ("strategies verify", ("--ops", "barrier", "-n", "1-3")),
        ("top", ()),
        ("nic check", ("--device", "lo")),
        ("simulate program", ("allreduce", "ring", "-n", "8", "--machine", "torus:4x2")),
        ("simulate program", ("stream", "--shape", "2x2", "--items", "9", "--bytes", "8")),
        ("simulate network", ("--network", "star:4", "--load", "0.1", "--packets", "100")),
        ("simulate network", ("--network", "tree:4x2", "--reduce", "units=3,groups=2", "--bytes", "8,1KiB")),
    ],
)
def test_other_answers(ask: Asked, command: str, words: tuple[str, ...]) -> None:
    assert ask(command, *words)


def test_a_probed_machine() -> None:
    machine = _core.default_machine()
    found = probed_data(machine, SimpleNamespace(ranks=2, nodes=[0, 0]), "machine.toml")  # type: ignore[arg-type]
    answer = checked("machine probe", json.dumps(answer_of("machine probe", found)))
    assert len(answer["levels"]) == len(machine.levels)


def test_what_an_agent_serves() -> None:
    assert Finding(is_good=True, text="").is_good
    served = dict.fromkeys(("starts", "ups", "downs", "refused", "held_back"), 0)
    texts = dict.fromkeys(("address", "hook", "aggregator"), "")
    checked("nic status", json.dumps(answer_of("nic status", served | texts | {"operators": [], "groups": []})))


def test_numbers_that_json_lacks_are_null(capsys: pytest.CaptureFixture[str]) -> None:
    assert answered("x", {"values": [math.inf, -math.inf, math.nan, 1.5]}, "-")
    assert json.loads(capsys.readouterr().out)["values"] == [None, None, None, 1.5]


def test_a_file_is_written_and_people_read_on(thalweg: Command, tmp_path: Path) -> None:
    done = thalweg("strategies", "alltoall", "--json", "found.json", cwd=tmp_path)
    assert done.stdout.startswith("alltoall\n")
    alone = thalweg("strategies", "--json", "alltoall", cwd=tmp_path)
    assert json.loads((tmp_path / "found.json").read_text()) == json.loads(alone.stdout)
    assert alone.stdout == thalweg("strategies", "alltoall", "--json", "-", cwd=tmp_path).stdout


def test_no_file_of_the_users_is_taken_for_the_answers(thalweg: Command, tmp_path: Path) -> None:
    pattern = tmp_path / "pairs.json"
    pattern.write_text("[]")
    done = thalweg("place", "map", "--machine", "torus:2", "--json", str(pattern))
    assert done.returncode == USAGE.number
    assert pattern.read_text() == "[]"


def test_a_file_that_cannot_be_written_is_refused_at_once(thalweg: Command, tmp_path: Path) -> None:
    done = thalweg("config", "--json", str(tmp_path / "none" / "x.json"))
    assert done.returncode == 3
    assert (done.stdout, "cannot be written" in done.stderr) == ("", True)


@pytest.mark.parametrize("name", ["report", *SCHEMAS])
def test_schemas_are_published(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    application(["schema", *name.split()])
    shown = json.loads(capsys.readouterr().out)
    assert shown == SCHEMAS.get(name, shown)
    assert shown["properties"]["format"] if name == "report" else shown["title"]
    application(["schema"])
    assert f"{name} " in capsys.readouterr().out


def test_a_schema_that_is_not_there_is_guessed() -> None:
    with pytest.raises(ThalwegError, match="'place mpa'") as caught:
        application(["schema", "place", "mpa"])
    assert "did you mean place map?" in caught.value.remedy
