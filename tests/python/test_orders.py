# SPDX-License-Identifier: BSD-3-Clause
"""The order of ranks, as Python sees it: labs out of order, lists of hosts, pairs of measurements."""

from pathlib import Path

import pytest

from support import Command
from thalweg import _core
from thalweg.errors import ThalwegError
from thalweg.lab.hosts import checked
from thalweg.strategies import make_sample
from thalweg.trials.cases import Case, candidates, node_places, remark_on_routes
from thalweg.trials.places import NOWHERE, Place
from thalweg.trials.session import NATIVE, Job, Samples
from thalweg_labs.bench.order import ordered_strategies, rows_of

_PLACE = Place(NOWHERE, frozenset(), NOWHERE, NOWHERE)


def _job(node_list: Path | None, hosts: tuple[str, ...]) -> Job:
    nodes = tuple(range(len(hosts)))
    return Job(len(hosts), nodes, 1, (), (_PLACE,) * len(hosts), hosts, str(node_list or ""))


def _machine(network: str) -> _core.Machine:
    machine = _core.default_machine()
    machine.network = network
    return machine


def test_a_lab_deals_its_hosts_out_in_any_order() -> None:
    assert checked("labs", 8, "1gbit", "ring").dealt == [f"labs-h{host}" for host in range(8)]
    shuffled = checked("labs", 8, "1gbit", "ring", 3)
    assert shuffled.dealt != shuffled.names
    assert sorted(shuffled.dealt) == shuffled.names
    assert shuffled.dealt == checked("labs", 8, "1gbit", "torus:4x2", 3).dealt
    with pytest.raises(ThalwegError, match="no seed"):
        checked("labs", 8, "1gbit", "ring", -1)


def test_candidates_know_where_hosts_are(tmp_path: Path) -> None:
    hosts = tmp_path / "hosts"
    hosts.write_text("# ring\n" + "".join(f"n{place} {place}\n" for place in range(4)))
    job = _job(hosts, ("n0", "n2", "n1", "n3"))
    case = Case("allgather", 1 << 20)
    best, *_ = candidates(case, job, _machine(""))
    assert "order=" in best.text
    assert all("order=" not in one.text for one in candidates(case, _job(None, job.hosts), _machine("")))
    assert node_places(job, _machine("torus:2x2")).network == "ring"


def test_what_is_wrong_with_a_list_of_hosts_is_said(tmp_path: Path) -> None:
    hosts = tmp_path / "hosts"
    with pytest.raises(ThalwegError, match="cannot be read"):
        node_places(_job(hosts, ("a", "b")), _machine("ring"))
    hosts.write_text("a 0\nb 5\n")
    with pytest.raises(ThalwegError, match="2: host b has no place"):
        node_places(_job(hosts, ("a", "b")), _machine("ring"))
    hosts.write_text("a 0\nb 1\n")
    found = node_places(_job(hosts, ("a", "c")), _machine("ring"))
    assert "1 of 2 nodes" in remark_on_routes(2, found)
    assert not remark_on_routes(2, node_places(_job(hosts, ("b", "a")), _machine("ring")))


def test_a_shape_that_does_not_fit_is_remarked() -> None:
    remark = remark_on_routes(5, _core.NodePlaces("torus:4x2"))
    assert "'torus:4x2' has 8 places, not 5" in remark
    assert not remark_on_routes(8, _core.NodePlaces("torus:4x2"))
    assert not remark_on_routes(1, _core.NodePlaces("torus:4x2"))


def test_orders_are_shown(thalweg: Command) -> None:
    words = ("strategies", "show", "allgather", "ring", "-n", "4", "--rank", "0", "--param", "order=tour")
    shown = thalweg(*words, "--network", "ring", "--places", "0,2,1,3")
    assert shown.returncode == 0, shown.stderr
    assert "to 2" in shown.stdout
    assert "from 3" in shown.stdout
    assert "proven" in thalweg(*words, "--network", "ring", "--places", "0,2,1,3", "--format", "proof").stdout
    refused = thalweg(*words)
    assert refused.returncode != 0
    assert "--network ring" in refused.stderr
    assert "whole numbers" in thalweg(*words, "--network", "ring", "--places", "0,x").stderr
    with pytest.raises(ThalwegError, match="has 4 places, not 3"):
        make_sample("allgather", "ring", 3, network="torus:2x2")


def test_pairs_of_batches_make_the_rows() -> None:
    assert "ring" in ordered_strategies("allgather", [])
    assert ordered_strategies("allgather", ["direct", "ring"]) == ["ring"]
    samples = {
        name: Samples(times, times, 3)
        for name, times in {
            NATIVE: (60.0, 66.0, 90.0),
            "ring": (40.0, 44.0, 90.0),
            "ring:order=tour": (20.0, 22.0, 30.0),
        }.items()
    }
    rows = list(rows_of(Case("allgather", 1024), 8, samples))
    assert [(row["peer_name"], row["ratio"]) for row in rows] == [("the order of ranks", 2.0), (NATIVE, 3.0)]
    assert {row["case"] for row in rows} == {"allgather ring:order=tour, 1 KiB, 8 ranks"}
