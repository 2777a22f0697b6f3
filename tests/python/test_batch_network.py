# SPDX-License-Identifier: BSD-3-Clause
"""The network that Slurm describes is found by itself: in a job, for commands, and for lists of names."""

import os
import time
from pathlib import Path

import pytest

from support import Command
from thalweg.errors import ThalwegError
from thalweg.networks import slurm
from thalweg.networks.batch import VARIABLE, described_network, pruned, ranks_of_nodes, variables_for_ranks
from thalweg.networks.read import read_machine

TREE = """SwitchName=s0 Level=0 LinkSpeed=1 Nodes=n[0-3]
SwitchName=s1 Level=0 LinkSpeed=1 Nodes=n[4-7]
SwitchName=s2 Level=0 LinkSpeed=1 Nodes=n[8-11]
SwitchName=top Level=1 LinkSpeed=1 Nodes=n[0-11] Switches=s[0-2]
"""


@pytest.fixture
def cluster(tmp_path: Path) -> dict[str, str]:
    """Make the environment of a job on six nodes, whose scontrol knows the switches."""
    return environment_of(tmp_path, f"#!/bin/sh\ncat <<END\n{TREE}END\n")


def environment_of(folder: Path, scontrol: str) -> dict[str, str]:
    (folder / "bin").mkdir()
    command = folder / "bin" / "scontrol"
    command.write_text(scontrol)
    command.chmod(0o755)
    return {
        "PATH": f"{folder / 'bin'}:{os.environ['PATH']}",
        "XDG_CACHE_HOME": str(folder / "cache"),
        "SLURM_JOB_ID": "7",
        "SLURM_JOB_NODELIST": "n[0-1,4-5,8-9]",
    }


def test_a_job_knows_the_switches_of_its_nodes_alone(cluster: dict[str, str]) -> None:
    variables, remarks = variables_for_ranks(cluster, has_list=False)
    assert not remarks
    name = variables[VARIABLE]
    machine = read_machine(name).interconnect
    assert (machine.nodes, machine.vertices) == (6, 6 + 4)
    assert [machine.node_named(node) for node in ("n0", "n1", "n4", "n5", "n8", "n9")] == [0, 1, 2, 3, 4, 5]
    assert machine.node_named("n2") == -1


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"SLURM_JOB_NODELIST": "n[0-1]"}, "two nodes are the same in each order"),
        ({"SLURM_PROCID": "3"}, "the first rank looks for all"),
        ({VARIABLE: "graph:mine"}, "it is known already"),
    ],
)
def test_a_job_does_not_look_needlessly(cluster: dict[str, str], changes: dict[str, str], why: str) -> None:
    assert variables_for_ranks(cluster | changes, has_list=False) == ({}, []), why


def test_a_list_of_the_users_comes_before(cluster: dict[str, str]) -> None:
    assert variables_for_ranks(cluster, has_list=True) == ({}, [])


@pytest.mark.parametrize(
    ("scontrol", "remark"),
    [
        ("#!/bin/sh\nexit 1\n", ""),
        ("#!/bin/sh\necho 'no topology information available'\n", ""),
        ("#!/bin/sh\necho 'SwitchName=s0 Nodes=n[0-1]'\n", "node n4 and 3 more is not in it"),
        ("#!/bin/sh\necho 'SwitchName=s0 Nodes=n['\n", "topology is not used"),
        ("#!/no/such/interpreter\n", ""),
    ],
)
def test_what_slurm_does_not_know_fails_no_job(tmp_path: Path, scontrol: str, remark: str) -> None:
    environment = environment_of(tmp_path, scontrol) | {"SLURM_CONF": str(tmp_path / "slurm.conf")}
    variables, remarks = variables_for_ranks(environment, has_list=False)
    assert variables == {}
    assert len(remarks) == bool(remark)
    assert remark in "".join(remarks)


def test_the_configuration_is_read_where_scontrol_is_not(tmp_path: Path) -> None:
    environment = environment_of(tmp_path, "#!/bin/sh\nexit 1\n") | {"SLURM_CONF": str(tmp_path / "slurm.conf")}
    (tmp_path / "topology.conf").write_text("BlockName=b0 Nodes=n[0-5]\nBlockName=b1 Nodes=n[6-11]\n")
    found = described_network(environment, ["n0", "n6"])
    assert found
    assert found.source == str(tmp_path / "topology.conf")
    assert [*found.graph.switches] == ["b0", "b1", "all_blocks"]


@pytest.mark.parametrize(
    ("text", "counts"),
    [("4,1(x2)", [4, 1, 1]), ("2(x3)", [2, 2, 2]), ("7", [7]), ("", []), ("4,", []), ("x(4)", []), ("1(x", [])],
)
def test_ranks_of_nodes_are_as_slurm_says(text: str, counts: list[int]) -> None:
    assert ranks_of_nodes({"SLURM_TASKS_PER_NODE": text}) == counts


def test_pruning_keeps_distances(cluster: dict[str, str]) -> None:
    graph = slurm.read(TREE, "topology.conf")
    kept = pruned(graph, ["n5", "n0"])
    assert ([*kept.nodes], [*kept.switches]) == (["n5", "n0"], ["s0", "s1", "top"])
    with pytest.raises(ThalwegError, match="node x is not in it"):
        pruned(graph, ["x"])
    assert described_network(cluster, []) == (
        graph._replace(comment="from Slurm's topology scontrol show topology"),
        "scontrol show topology",
    )


def test_old_networks_leave_the_cache(cluster: dict[str, str]) -> None:
    folder = Path(cluster["XDG_CACHE_HOME"]) / "thalweg" / "networks"
    folder.mkdir(parents=True)
    old, foreign = folder / "slurm-0.graph", folder / "mine.graph"
    for path in (old, foreign):
        path.write_text("")
        os.utime(path, (time.time() - 90 * 86400,) * 2)
    variables, _ = variables_for_ranks(cluster, has_list=False)
    assert variables[VARIABLE].startswith(f"graph:{folder}/slurm-")
    assert not old.exists()
    assert foreign.exists()


RING = "\n".join(",".join("9" if abs(i - j) in (1, 5) else "0" for j in range(6)) for i in range(6))


def test_a_pattern_is_mapped_onto_the_job_without_a_file(
    thalweg: Command, cluster: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "ring.csv").write_text(RING)
    words = ("place", "map", str(tmp_path / "ring.csv"), "--seconds", "0.1", "--format", "slurm-hostfile")
    done = thalweg(*words, variables=cluster)
    assert sorted(done.stdout.split()) == ["n0", "n1", "n4", "n5", "n8", "n9"]
    outside = {name: value for name, value in cluster.items() if not name.startswith("SLURM")}
    named = thalweg(*words, "--machine", "slurm", "--nodes", "n[3-8]", variables=outside)
    assert sorted(named.stdout.split()) == [f"n{number}" for number in range(3, 9)]
    wrong = thalweg(*words, "--machine", "slurm", "--nodes", "alloc.txt", variables=outside)
    assert wrong.returncode
    assert "node alloc.txt is not in it" in wrong.stderr
    assert "no machine" in thalweg(*words, variables=outside).stderr
