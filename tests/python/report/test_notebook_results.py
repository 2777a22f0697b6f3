# SPDX-License-Identifier: BSD-3-Clause
"""Results show themselves in notebooks: short, as tables, as pictures and as data frames."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from report_documents import SITE, document

import thalweg
from thalweg import Report
from thalweg._core import Interconnect
from thalweg.machine.figures import vertex_places
from thalweg.notebook_html import facts_html, table_html

CHAIN = np.diag(np.ones(15), 1) + np.diag(np.ones(15), -1)


def read(folder: Path, **changes: Any) -> Report:
    path = folder / "run.json"
    path.write_text(json.dumps(document(**changes)))
    return thalweg.read_report(str(path))


def results() -> dict[str, Any]:
    return {
        "machine": thalweg.Machine("torus:4x4", slots_per_node=2),
        "placement": thalweg.map_ranks(CHAIN, "torus:4x4", budget=thalweg.Budget(proposals=100)),
        "simulation": thalweg.simulate("allreduce", "ring", 8, timeline=True),
        "network": thalweg.simulate_network("tree:4^2", loads=[0.2, 0.9], packets=500, workers=1),
    }


@pytest.mark.parametrize("name", ["machine", "placement", "simulation", "network"])
def test_results_have_a_short_text_a_table_and_a_picture(name: str) -> None:
    found = results()[name]
    assert len(repr(found)) < 200
    assert "array" not in repr(found)
    assert re.fullmatch(r"<table><caption>.+</caption>.*</table>", found._repr_html_())
    figure = found.plot(CHAIN) if name == "placement" else found.plot()
    assert figure._repr_png_().startswith(b"\x89PNG")


def test_slots_are_named_without_their_arrays() -> None:
    assert repr(results()["placement"].slots) == "<Slots of torus:4x4: 16 on 16 nodes>"


def test_a_report_shows_its_longest_sites(tmp_path: Path) -> None:
    sites = [SITE | {"time_ns": time, "source": f"m.cpp:{time:.0f} (f<int>)"} for time in range(1, 21)]
    report = read(tmp_path, calls=sites)
    assert repr(report) == "<Report of ./solve a&b: 2 ranks on 1 node, 1 s, 20 % in MPI>"
    shown = report._repr_html_()
    assert "a&amp;b" in shown
    assert shown.index("m.cpp:20") < shown.index("m.cpp:11")
    assert "m.cpp:10" not in shown
    assert "10 more call sites" in shown
    assert report.plot()._repr_png_().startswith(b"\x89PNG")


def test_frames_have_what_the_report_has(tmp_path: Path) -> None:
    unsampled = {key: value for key, value in SITE.items() if key != "last_ranks"} | {"waiting_share": None}
    report = read(tmp_path, calls=[unsampled, SITE | {"time_ns": 6e8}])
    calls, ranks = report.calls_frame(), report.ranks_frame()
    assert calls["time_ns"].tolist() == [6e8, 4e8]
    assert calls["time_ns"].sum() == sum(site.time_ns for site in report.calls)
    assert calls["waiting_share"].isna().tolist() == [False, True]
    assert calls["mean_ns"].tolist() == [6e7, 4e7]
    names = {"function": "MPI_Allreduce", "place": "main.cpp:46", "within": "solve<int>", "strategies": "native"}
    assert calls.iloc[0].to_dict().items() >= names.items()
    assert ranks["rank"].tolist() == [0, 1]
    assert ranks["mpi_ns"].sum() == report.mpi_ns


def test_a_report_without_calls_has_an_empty_frame(tmp_path: Path) -> None:
    assert read(tmp_path, calls=[]).calls_frame().empty


def test_no_report_is_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "other.json"
    path.write_text("{}")
    with pytest.raises(thalweg.ThalwegError, match=re.escape(str(path))):
        thalweg.read_report(str(path))


def test_a_simulation_without_a_timeline_says_how_to_get_one() -> None:
    with pytest.raises(thalweg.ThalwegError, match="timeline=True"):
        thalweg.simulate("allreduce", "ring", 8).plot()


@pytest.mark.parametrize(
    "name", ["ring:8", "torus:4x4x4", "mesh:3x2*2", "star:8", "tree:4^3", "xgft:4x4:1x2", "dragonfly:4x4x1"]
)
def test_every_vertex_of_a_picture_has_a_place_of_its_own(name: str) -> None:
    machine = Interconnect(name)
    places = vertex_places(machine)
    assert places.shape == (machine.vertices, 2)
    assert np.isfinite(places).all()
    assert len(np.unique(places.round(6), axis=0)) == machine.vertices


@given(st.lists(st.text(min_size=1), min_size=2, max_size=2))
def test_tables_escape_what_they_show(words: list[str]) -> None:
    one, other = words
    for text in (facts_html(one, [(one, other)]), table_html(one, [one, other], [words])):
        assert set(re.findall(r"<[^>]*>", text)) <= {
            f"<{slash}{tag}>" for tag in ("table", "caption", "thead", "tbody", "tr", "th", "td") for slash in ("", "/")
        }
