# SPDX-License-Identifier: BSD-3-Clause
"""Simulations on machines whose ranks share cores, as a lab's hosts do."""

import json
from pathlib import Path

import pytest

import thalweg
from thalweg import _core
from thalweg.cli import application
from thalweg.errors import SETTINGS, ThalwegError
from thalweg.simulation.ground import Costs


def lab_machine(cores: int, nodes_per_machine: int) -> _core.Machine:
    """Give a machine on which so many hosts share so many cores."""
    machine = _core.default_machine()
    machine.cores, machine.nodes_per_machine = cores, nodes_per_machine
    return machine


def test_hosts_share_the_cores_that_the_machine_file_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "lab.toml"
    file.write_text(lab_machine(2, 8).to_text())
    words = ["simulate", "alltoall", "direct", "-n", "8", "--machine", str(file), "--json"]
    found = []
    for more in ([], ["--cores", "0"], ["--cores", "8"], ["--cores", "1"]):
        application([*words, *more])
        found.append(json.loads(capsys.readouterr().out))
    times = [one["finish_ns"] for one in found]
    assert times[1] == times[2] < times[0] < times[3]
    assert found[0]["why_ns"]["core"] > 0 == found[1]["why_ns"]["core"]
    assert sum(found[0]["why_ns"].values()) == times[0]
    assert found[1]["fingerprint"] == found[2]["fingerprint"]


def test_machines_have_cores_of_their_own() -> None:
    """Half as many hosts on each of two machines is as many cores more; ranks of a node are on one machine."""
    times = [
        thalweg.simulate("allreduce", "ring", 8, 4096, costs=Costs(lab_machine(1, each), network="star")).finish
        for each in (8, 4, 2, 1)
    ]
    assert times == sorted(times, reverse=True)
    assert times[0] > times[-1]
    together = [
        thalweg.simulate("allreduce", "ring", 8, 4096, costs=Costs(lab_machine(cores, 1), ranks_per_node=4)).finish
        for cores in (1, 2, 4)
    ]
    assert together == sorted(together, reverse=True)
    own = Costs(lab_machine(4, 1), ranks_per_node=4, cores=0)
    assert thalweg.simulate("allreduce", "ring", 8, 4096, costs=own).finish == together[-1]


def test_no_rank_stands_for_others_where_cores_are_shared() -> None:
    """The barrier of ranks that are alike is folded, but not where they wait for each other's cores."""
    own, shared = (
        thalweg.simulate("barrier", "dissemination", 64, costs=Costs(loggops="0,1000,0,0", cores=cores))
        for cores in (0, 1)
    )
    assert own.finish == shared.finish
    alone = thalweg.simulate("barrier", "dissemination", 64, costs=Costs(loggops="0,1000", ranks_per_node=0, cores=1))
    assert alone.finish > 64 * own.finish / 2
    assert alone.folded == 0
    assert int(alone.busy.sum()) <= alone.finish


def test_cores_are_counted() -> None:
    with pytest.raises(ThalwegError) as raised:
        thalweg.simulate("barrier", "dissemination", 4, costs=Costs(cores=-1))
    assert raised.value.status == SETTINGS
