# SPDX-License-Identifier: BSD-3-Clause
"""Figures of papers beside their values: what is held, and that the commands write them."""

import json
import math
from pathlib import Path

import pytest

from thalweg_labs.bench import papers, papers_combining, papers_molecules, papers_objects, papers_tram
from thalweg_labs.bench.papers_fat_tree import Allocation, bandwidth
from thalweg_labs.bench.papers_rows import Request


# Table 4.1's finding, with messages of 2 KiB on fewer nodes.
@pytest.mark.parametrize(("missing", "is_better"), [(0, False), (1, True), (2, True)])
def test_k_shift_is_better_only_where_nodes_are_missing(missing: int, is_better: bool) -> None:  # noqa: FBT001
    where = Allocation(64, missing, {})
    assert (bandwidth(where, "k_shift", 2048) > bandwidth(where, "k_prefix", 2048)) == is_better


# Equations 3.17 to 3.20, where a message takes both ends' processors and no bytes count.
@pytest.mark.parametrize(("strategy", "messages"), [("direct", 63), ("mesh2d", 14), ("mesh3d", 9), ("hypercube", 6)])
def test_exchanges_have_the_messages_of_their_meshes(strategy: str, messages: int) -> None:
    found = papers_combining.neighbor_send(64, 63, 1, strategy, 1)
    assert found.messages == 64 * messages
    alpha = 11e3 + (papers_combining.COMBINING_US * 1e3 if strategy != "direct" else 0)
    assert found.finish == pytest.approx(messages * alpha, rel=0.12)


def test_few_destinations_are_straight() -> None:
    found = papers_combining.neighbor_send(64, 5, 76, "direct")
    assert found.messages == 64 * 5
    rows = {row.case: row.ours for row in papers_combining.by_degree(76, "3.16", 64, (4, 63))}
    assert rows["76 bytes, 4 a node: direct is best up to"] == 4


def test_streams_save_messages() -> None:
    row = papers_tram.all_to_all((4, 4, 4))
    assert row.ours > 2
    assert all(math.prod(sides) == 1024 for sides in papers_tram.SHAPES.values())
    assert all(math.prod(sides) == nodes for nodes, shapes in papers_tram.EPIDEMIC.items() for sides in shapes.values())


# What a value is compared with are the text's own ones, of the same number of ranks.
def test_tables_of_calls_are_whole() -> None:
    assert set(papers_objects.RING) == {(ranks, bucket) for ranks in papers_objects.RANKS for bucket in (1, 5, 50, 500)}
    assert [papers_objects.ratio_of(text) for text in ("9.4/7.7/6.3", "10.1/11.3", "")] == ["1.5", "0.89", ""]


# A step has two transposes, and a mesh of 108 ranks sends 19 messages where straight ones are 107.
def test_molecules_are_simulated() -> None:
    gains = {row.case: row.ours for row in papers_molecules.simulated()}
    assert gains["ApoA-1, simulated, 1 a node: gain of the mesh"] > 0
    assert set(papers_molecules.BY_DIRECT) < set(papers_molecules.WAYS)


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("request_", "figures"),
    [
        (Request(3, ranks_max=512), {"3.4", "3.6", "3.8"}),
        (Request(4, ranks_max=64), {"table 4.1"}),
        (Request(5, ranks_max=2, calls=1000), {"table 5.1", "table 5.4", "table 5.9"}),
        (Request(7, ranks_max=2), {"flocks", *(f"table 7.{table}" for table in (1, 2, 3, 4, 5))}),
        (Request(8, ranks_max=1024, tram=True), {"TRAM 4a", "TRAM 4c", "TRAM 7", "TRAM 8"}),
    ],
)
def test_figures_are_written(
    request_: Request, figures: set[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    papers.run(request_, str(tmp_path / "rows.json"))
    assert "What the text does not say" in capsys.readouterr().out
    rows = json.loads((tmp_path / "rows.json").read_text())
    assert {row["figure"] for row in rows} == figures
    assert all(row["ours"] >= 0 or "gain of the mesh" in row["case"] for row in rows)
