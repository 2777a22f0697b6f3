# SPDX-License-Identifier: BSD-3-Clause
"""Files that others have written: networks of Slurm, InfiniBand and hwloc 1, in all the ways that they come in."""

from collections.abc import Callable
from pathlib import Path

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from support import Command, examples
from test_machine_readers import fabric_of, hops, machine_of, route
from thalweg import _core
from thalweg.errors import SETTINGS, ThalwegError
from thalweg.networks import hwloc, infiniband, slurm
from thalweg.networks.graphs import text_of
from thalweg.networks.read import read_machine

TWO_RACKS = "SwitchName=s0 Nodes=n[0-3]\nSwitchName=s1 Nodes=n[4-7]\nSwitchName=top Switches=s[0-1]\n"


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("=", " = "),
        lambda text: text.replace("n[0-3]", '"n[0-3]"').replace("s[0-1]", '"s[0-1]"'),
        lambda text: text.replace("n[0-3]", "n[0-1],\\\nn[2-3]"),
        lambda text: text.replace("n[0-3]", "n[0-3],,n0,n[1-2],"),
        lambda text: text.replace("\n", " # a rack\r\n"),
        lambda text: "\ufeff" + text.replace(" Nodes", "\tNodes").replace("\n", "  \n\n"),
        lambda text: text.replace("Nodes=n[0-3]", "Switches= LinkSpeed=1 Nodes=n[0-3]"),
    ],
)
def test_slurms_own_syntax_is_read(tmp_path: Path, change: Callable[[str], str]) -> None:
    file = tmp_path / "topology.conf"
    file.write_bytes(change(TWO_RACKS).encode())
    reading = read_machine(str(file))
    machine = reading.interconnect
    assert (machine.nodes, machine.vertices, machine.links) == (8, 11, 20)
    assert (hops(machine, "n0", "n3"), hops(machine, "n3", "n4")) == (2, 4)
    assert not reading.remarks


def test_an_escaped_mark_is_no_comment() -> None:
    assert slurm.read("SwitchName=s0 Nodes=n\\#1,n2", "topology.conf").nodes == ["n_1", "n2"]


def test_what_slurm_warns_of_is_a_remark() -> None:
    two_homed = slurm.read(TWO_RACKS.replace("n[4-7]", "n[3-7]"), "topology.conf")
    assert list(two_homed.remarks) == ["topology.conf:2: node n3 is below s0 and s1: s0 counts"]
    assert hops(machine_of(two_homed), "n2", "n3") == 2
    above_itself = slurm.read("SwitchName=s0 Switches=s0 Nodes=n1", "topology.conf")
    assert list(above_itself.remarks) == ["topology.conf:1: switch s0 is above itself: left out"]
    assert machine_of(above_itself).nodes == 1
    forest = slurm.read(TWO_RACKS.partition("SwitchName=top")[0], "topology.conf")
    assert list(forest.remarks) == ["2 trees, with no links between: jobs are to stay inside of one"]
    assert hops(machine_of(forest), "n0", "n1") == 2


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("# a comment\nSwitchName=s0 Nodes=n[0-3]\nSwitchName=s1 Nodes=n[4-7\n", ":3: the list of names 'n[4-7'"),
        ("SwitchName=s0 Nodes=bg[000x133]\n", ":1: the list of names 'bg[000x133]'"),
        ("\n\nSwitchName=s0 Nodes=n0\nSwitchName=top Switches=s[0-2]\n", ":4: switch s1 is not described"),
        ("SwitchName=s0 Nodes=n0\nRingName=r Nodes=n1\n", ":2: a topology of rings"),
        ("BlockName=b Nodes=n1\nBlockName=c Nodes=n1\n", ":2: node n1 is in b and c"),
        ("SwitchName=s0 Nodes=n0\nSwitchName=s1 Nodes=n1 n2\n", ":2: 'n2' is no KEY=VALUE"),
        ("SwitchName=s0 Noodles=n0\n", ":1: 'noodles' is not known"),
        ("SwitchName=s0 Nodes=s0\n", ":1: node s0 is a switch too"),
    ],
)
def test_slurms_topologies_are_refused_with_the_line(text: str, said: str) -> None:
    with pytest.raises(ThalwegError) as caught:
        slurm.read(text, "topology.conf")
    assert caught.value.message.startswith(f"topology.conf{said}")
    assert caught.value.remedy


def test_rates_are_read_whatever_follows_them() -> None:
    text = fabric_of(2, 1, 2)[0]
    full = text.replace("4xFDR", "4xFDR s=4 w=2 v=4").replace("4xEDR", "4xEDR s=4 w=2 v=4")
    assert infiniband.read(full, "fabric.txt").cables == infiniband.read(text, "fabric.txt").cables
    unknown = infiniband.read(text.replace("4xEDR", "4x???"), "fabric.txt")
    assert {cable.capacity for cable in unknown.cables} == {1}
    assert "2 links whose rate is not known count as the slowest" in unknown.remarks[0]
    assert unknown.remarks[0].startswith("fabric.txt:7: ")


def test_hosts_that_call_themselves_alike_are_told_apart() -> None:
    text = fabric_of(2, 1, 2)[0]
    for number in range(4):
        text = text.replace(f'"n{number} HCA-1"', '"localhost HCA-1"')
    graph = infiniband.read(text, "fabric.txt")
    assert machine_of(graph).nodes == 4
    assert "4 adapters call themselves localhost" in graph.remarks[0]


def test_hosts_have_places_by_addresses_and_full_names(tmp_path: Path) -> None:
    text = fabric_of(2, 1, 2)[0]
    names = ["10.0.0.0", "10.0.0.1", "n2.cluster.org", "n3"]
    for number, name in enumerate(names):
        text = text.replace(f'"n{number} HCA-1"', f'"{name} mlx5_0"')
    (tmp_path / "net.txt").write_text(text_of(infiniband.read(text, "fabric.txt")))
    known = _core.node_places(
        "", ["10.0.0.1", "10.0.0.0", "n2", "n3.cluster.org", "10.0.0.9"], f"graph:{tmp_path / 'net.txt'}", "hosts"
    )
    assert known.places == [1, 0, 2, 3, -1]


def test_cables_to_where_they_come_from_are_left_out() -> None:
    text = fabric_of(2, 1, 2)[0]
    leaf = f"S-{1:016x}"
    loop = f'[20]\t"{leaf}"[21]\t# "leaf 0" lid 500 4xEDR\n[21]\t"{leaf}"[20]\t# "leaf 0" lid 500 4xEDR\n'
    head, mark, rest = text.partition("[1]\t")
    graph = infiniband.read(head + loop + mark + rest, "fabric.txt")
    assert graph.cables == infiniband.read(text, "fabric.txt").cables
    assert list(graph.remarks) == ["fabric.txt:5: a cable from leaf_0 to itself: left out"]


def test_fabrics_are_refused_with_the_line() -> None:
    text = fabric_of(2, 1, 2)[0]
    switches = text.partition("vendid")[0]
    with pytest.raises(ThalwegError, match=r"^fabric.txt:5: port 1 of S-\w+ leads to H-\w+, which is not described"):
        infiniband.read(switches + f'Ca\t1 "H-{9:016x}"\t# "n9 HCA-1"\n', "fabric.txt")


def test_tables_are_read_as_numbers_alone(tmp_path: Path, thalweg: Command) -> None:
    text, tables = fabric_of(2, 2, 2)
    plain = "\n".join(line if "Unicast" in line else line.partition(" :")[0] + " " for line in tables.split("\n"))
    expected = machine_of(infiniband.read(text, "fabric.txt", tables))
    found = machine_of(infiniband.read(text, "fabric.txt", plain))
    assert [route(found, "n0", f"n{to}") for to in range(1, 4)] == [
        route(expected, "n0", f"n{to}") for to in range(1, 4)
    ]
    (tmp_path / "fabric.txt").write_text(text)
    (tmp_path / "topology.conf").write_text(TWO_RACKS)
    (tmp_path / "empty").write_text("")
    for source, words in (("fabric.txt", "lead over no cable"), ("topology.conf", "forwarding tables")):
        done = thalweg("machine", source, "--tables", "empty", cwd=tmp_path)
        assert done.returncode == SETTINGS.number
        assert words in done.stderr


CORE_1 = '<object type="Core"><object type="PU"/></object>'
CACHE_1 = '<object type="Cache" depth="{}" cache_type="{}">{}</object>'
XML_1 = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE topology SYSTEM "hwloc.dtd">\n'
    '<topology><object type="{}">{}</object></topology>'
)


def part(kind: str, inside: str, count: int = 2) -> str:
    return count * f'<object type="{kind}">{inside}</object>'


@pytest.mark.parametrize(
    ("inside", "name"),
    [
        (part("NUMANode", part("Socket", CACHE_1.format(3, 0, 2 * CORE_1), 1)), "2x2"),
        (part("Socket", 2 * CACHE_1.format(3, 0, 3 * CACHE_1.format(1, 2, CORE_1))), "2x2x3"),
        (part("Group", part("Socket", 4 * CORE_1)), "2x2x4"),
        (part("Socket", part("NUMANode", 2 * CORE_1)), "2x2x2"),
        (part("Socket", part("Misc", CORE_1)), "2x2"),
        (part("Socket", 2 * CACHE_1.format(2, 1, 2 * CORE_1)), "2x2x2"),
    ],
)
def test_hwloc_1_has_other_names_for_the_same(inside: str, name: str) -> None:
    assert hwloc.read(XML_1.format("Machine", inside), "node.xml") == f"hierarchy:{name}"


def test_xml_is_refused_with_the_line() -> None:
    with pytest.raises(ThalwegError, match=r"^node.xml:3: this is no XML"):
        hwloc.read(XML_1.format("Machine", CORE_1).replace("</topology>", ""), "node.xml")
    deep = 3000 * '<object type="Group">' + CORE_1 + 3000 * "</object>"
    with pytest.raises(ThalwegError, match="parts inside of more than"):
        hwloc.read(XML_1.format("Machine", deep), "node.xml")


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ('<?xml version="1.0"?>\n<platform version="4.1"/>', "SimGrid"),
        ("router 0 node 0 router 1\nrouter 1 node 1", "BookSim"),
        ('Switch 8 "leaf"\n[1] "host0"\n', "ibsim"),
        ("---\n- topology: topo1\n  cluster_default: true\n", "topology.yaml"),
        ("RingName=ring0 Nodes=node[01-08]\n", "rings"),
        ("\ufeffRingName=ring0 Nodes=node[01-08]\n", "rings"),
        ('{"nodes": []}', "JSON"),
        ("digraph net {\n a -> b\n}", "Graphviz"),
    ],
)
def test_kinds_that_are_not_read_are_named(tmp_path: Path, thalweg: Command, text: str, kind: str) -> None:
    (tmp_path / "net").write_text(text)
    done = thalweg("machine", "net", cwd=tmp_path)
    assert done.returncode == SETTINGS.number
    assert kind in done.stderr


def test_a_graph_that_is_none_names_the_command_that_makes_one(tmp_path: Path, thalweg: Command) -> None:
    (tmp_path / "topology.conf").write_text(TWO_RACKS)
    done = thalweg("machine", "graph:topology.conf", cwd=tmp_path)
    assert "thalweg machine topology.conf -o GRAPH" in done.stderr


def test_lists_stand_for_their_names_in_graphs(tmp_path: Path) -> None:
    (tmp_path / "net").write_text("node n[001-004]\nswitch s0\nlink n[001-004] s0\n")
    machine = read_machine(str(tmp_path / "net")).interconnect
    assert (machine.nodes, machine.node_named("n003"), machine.links) == (4, 2, 8)


@given(data=st.data())
@settings(max_examples=examples(200))
def test_any_bytes_are_read_or_refused(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    whole = data.draw(
        st.sampled_from([TWO_RACKS, fabric_of(2, 1, 2)[0], XML_1.format("Machine", 4 * CORE_1), ""])
    ).encode()
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(whole)))
        whole = whole[:at] + data.draw(st.binary(max_size=4)) + whole[at + data.draw(st.integers(0, 30)) :]
    file = tmp_path_factory.getbasetemp() / "foreign"
    file.write_bytes(whole)
    try:
        assert read_machine(str(file)).interconnect.nodes > 0
    except ThalwegError as error:
        assert str(file) in error.message or "parts inside" in error.message
        assert error.remedy
