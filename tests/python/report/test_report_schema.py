# SPDX-License-Identifier: BSD-3-Clause
"""The published schema of reports, and the loader, say the same."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from report_documents import document

from support import Command
from thalweg.errors import ThalwegError
from thalweg.report.run_report import read_report, report_of, schema_text

SCHEMA: dict[str, Any] = json.loads(schema_text())


class Watched(dict[str, Any]):
    """An object that notes which of its keys are read."""

    def __init__(self, value: dict[str, Any], place: str, seen: set[str]) -> None:
        super().__init__({key: watched(inner, f"{place}/{key}", seen) for key, inner in value.items()})
        self.place = place
        self.seen = seen

    def get(self, key: str, default: Any = None) -> Any:
        self.seen.add(f"{self.place}/{key}")
        return super().get(key, default)


def watched(value: Any, place: str, seen: set[str]) -> Any:
    if isinstance(value, dict):
        return Watched(value, place, seen)
    if isinstance(value, list):
        return [watched(inner, place, seen) for inner in value]
    return value


TIME = "2026-11-29T21:50:12Z"


def example(schema: dict[str, Any]) -> Any:
    """Give a value that has everything that a schema knows."""
    if "const" in schema or "enum" in schema:
        return schema.get("const", schema.get("enum", [None])[-1])
    if "anyOf" in schema:
        return example(schema["anyOf"][-1])
    kind = schema["type"] if isinstance(schema["type"], str) else schema["type"][0]
    if kind == "object":
        return {key: example(inner) for key, inner in schema.get("properties", {}).items()}
    if kind == "array":
        return [example(inner) for inner in schema.get("prefixItems", [])] or [example(schema["items"])]
    return {"string": TIME if "pattern" in schema else "a text", "integer": 1, "number": 0.5, "boolean": True}[kind]


def properties(schema: dict[str, Any], place: str = "") -> Iterator[str]:
    for key, inner in schema.get("properties", {}).items():
        yield f"{place}/{key}"
        yield from properties(inner, f"{place}/{key}")
    for inner in [schema.get("items"), *schema.get("anyOf", [])]:
        if isinstance(inner, dict):
            yield from properties(inner, place)


# The two gains are handed on as they are: what they say is for people.
HANDED_ON = ("/calls/stream/", "/calls/exchange/", "/format")


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    Draft202012Validator(SCHEMA).validate(example(SCHEMA))


def test_the_loader_reads_every_property() -> None:
    seen: set[str] = set()
    report_of(Watched(example(SCHEMA), "", seen))
    unread = {name for name in properties(SCHEMA) if not name.startswith(HANDED_ON)} - seen
    assert unread == set()


def test_the_schema_has_every_property_that_the_loader_reads() -> None:
    seen: set[str] = set()
    report_of(Watched(example(SCHEMA), "", seen))
    assert seen - set(properties(SCHEMA)) == set()


def test_what_version_2_added_is_read(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_text(json.dumps(example(SCHEMA)))
    report = read_report(str(path))
    assert (report.version, report.job.manager, report.thread_level) == (2, "flux", "multiple")
    assert report.named_fingerprint == (("a text", "a text"),)
    assert report.traffic is not None
    assert report.traffic.entries[0].messages == 1
    assert report.slices is not None
    assert report.slices.rows[0].waiting_ns == (0.5,)
    assert report.rank_groups[0].latest_rank == 1
    assert report.picks[0].alternatives[0].time_ns == 0.5
    assert report.calls == ()
    site = report.own_calls[0]
    assert site.is_own
    assert site.durations is not None
    assert site.durations.histogram == ((0.5, 1),)
    assert site.hidden is not None
    assert site.hidden.share == 0
    assert (site.file, site.line, site.within) == ("a text", 1, "a text")
    assert report.total_ns == 0.5


def test_version_1_is_valid_and_has_none_of_it(tmp_path: Path) -> None:
    Draft202012Validator(SCHEMA).validate(document())
    path = tmp_path / "run.json"
    path.write_text(json.dumps(document()))
    report = read_report(str(path))
    assert (report.traffic, report.slices, report.picks, report.job.id) == (None, None, (), "")
    assert (report.calls[0].within, report.calls[0].id, report.calls[0].is_own) == ("solve<int>", 0, False)
    assert report.fingerprint == ("AMD EPYC", "2")


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"version": 3}, "version 3, and versions 1 to 2 are known"),
        ({"traffic": {"by": "rank", "size": 2, "entries": [[0, 1]], "total_bytes": 1, "kept_share": 1}}, "'entries'"),
        ({"slices": {"begin_ns": 0, "width_ns": 1, "rows": [{"first": 0, "last": 0, "mpi_ns": "1"}]}}, "'mpi_ns'"),
        ({"picks": [{}]}, "'operation'"),
        ({"job": {"manager": "slurm"}}, "'id'"),
        ({"fingerprint": [{"name": "processor"}]}, "'value'"),
    ],
)
def test_what_is_damaged_is_named(changes: dict[str, Any], named: str, tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_text(json.dumps(document(**changes)))
    with pytest.raises(ThalwegError, match=named):
        read_report(str(path))


def test_the_command_prints_the_schema(thalweg: Command) -> None:
    done = thalweg("report", "--schema")
    assert done.returncode == 0
    assert json.loads(done.stdout) == SCHEMA
