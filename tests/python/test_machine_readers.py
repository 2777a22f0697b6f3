# SPDX-License-Identifier: BSD-3-Clause
"""Files that describe networks: Slurm's, InfiniBand's, hwloc's, and what `thalweg machine` makes of them."""

from collections.abc import Sequence
from pathlib import Path

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

from support import Command, examples
from thalweg import _core
from thalweg.errors import ThalwegError
from thalweg.networks import hwloc, infiniband, slurm
from thalweg.networks.graphs import Graph, text_of
from thalweg.networks.hostlists import expand
from thalweg.networks.read import read_machine


def machine_of(graph: Graph) -> _core.Interconnect:
    return _core.parse_graph(text_of(graph), "net.txt")


def hops(machine: _core.Interconnect, a: str, b: str) -> int:
    one, other = (np.array([machine.node_named(name)]) for name in (a, b))
    return int(machine.hops(one, other)[0])


def route(machine: _core.Interconnect, a: str, b: str) -> list[str]:
    links, _ = machine.route(machine.node_named(a), machine.node_named(b))
    return [machine.link_name(link) for link in links.tolist()]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("n1", ["n1"]),
        ("n[001-003,020]", ["n001", "n002", "n003", "n020"]),
        ("r[1-2]-n[8-10],login", ["r1-n8", "r1-n9", "r1-n10", "r2-n8", "r2-n9", "r2-n10", "login"]),
        ("n[09-11]x", ["n09x", "n10x", "n11x"]),
    ],
)
def test_lists_of_names_are_written_out(text: str, names: list[str]) -> None:
    assert expand(text) == names


@given(st.lists(st.tuples(st.integers(0, 99), st.integers(0, 20)), min_size=1, max_size=5), st.integers(1, 4))
def test_ranges_have_all_their_numbers(ranges: Sequence[tuple[int, int]], width: int) -> None:
    text = ",".join(f"{first:0{width}}-{first + more}" for first, more in ranges)
    names = [f"n{number:0{width}}" for first, more in ranges for number in range(first, first + more + 1)]
    assert expand(f"n[{text}]") == names


@given(st.text(alphabet="n019[]-, ", max_size=12))
@settings(max_examples=examples(300))
def test_any_list_is_read_or_refused(text: str) -> None:
    try:
        assert all(expand(text))
    except ThalwegError as error:
        assert error.remedy


TREE = """
# two racks
SwitchName=s0 Nodes=tux[0-3]
switchname=s1 nodes=tux[4-7] LinkSpeed=10
SwitchName=top \\
  Switches=s[0-1]  # above both
"""
LISTING = """SwitchName=s0 Level=0 LinkSpeed=1 Nodes=tux[0-3]
SwitchName=s1 Level=0 LinkSpeed=1 Nodes=tux[4-7]
SwitchName=top Level=1 LinkSpeed=1 Nodes=tux[0-7] Switches=s[0-1]
"""


@pytest.mark.parametrize("text", [TREE, LISTING])
def test_slurms_switches_are_a_tree(text: str) -> None:
    assert slurm.looks_so(text)
    machine = machine_of(slurm.read(text, "topology.conf"))
    assert (machine.nodes, machine.vertices, machine.diameter) == (8, 11, 4)
    assert hops(machine, "tux0", "tux3") == 2
    assert hops(machine, "tux3", "tux4") == 4


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("SwitchName=s0 Nodes=n0 n1", ":1: 'n1'"),
        ("SwitchName=s0 Nodes=n[0-\n", "list of names"),
        ("SwitchName=s0 Nodes=n0\nSwitchName=s0 Nodes=n1", "comes twice"),
        ("SwitchName=s0 Nodes=n0\nSwitchName=s1 Switches=s2", "s2 is not described"),
        ("SwitchName=s0 Switches=s1\nSwitchName=s1 Switches=s0", "no nodes"),
        ("SwitchName=s0 Color=red Nodes=n0", ":1: 'color'"),
        ("RingName=r0 Nodes=n[0-3]", "rings"),
        ("BlockName=b0 Nodes=n[0-3]\nBlockName=b1 Nodes=n3", ":2: node n3"),
        ("BlockName=b0 Nodes=n0\nBlockName=b0 Nodes=n1", "comes twice"),
        ("BlockName=b0 Nodes=n0\nBlockSizes=0", "BlockSizes=0"),
        ("BlockName=b0 Color=red Nodes=n0", ":1: 'color'"),
        ("BlockSizes=4", "no nodes"),
        ("Nodes=n0", ":1: "),
    ],
)
def test_what_is_no_topology_of_slurms_is_refused(text: str, message: str) -> None:
    with pytest.raises(ThalwegError, match=message) as caught:
        slurm.read(text, "topology.conf")
    assert caught.value.remedy


BLOCKS = """
BlockName=b1 Nodes=tux[0-3]
BlockName=b2 Nodes=tux[4-7]
BlockName=b3 Nodes=tux[8-11]
BlockName=b4 Nodes=tux[12-15]
BlockSizes=4,8
"""
BLOCKS_LISTED = """BlockName=b1 BlockIndex=0 Nodes=tux[0-3] BlockSize=4
BlockName=b2 BlockIndex=1 Nodes=tux[4-7] BlockSize=4
BlockName=b3 BlockIndex=2 Nodes=tux[8-11] BlockSize=4
BlockName=b4 BlockIndex=3 Nodes=tux[12-15] BlockSize=4
AggregatedBlock=b[1-2] BlockIndex=4 Nodes=tux[0-7] BlockSize=8
AggregatedBlock=b[3-4] BlockIndex=5 Nodes=tux[8-15] BlockSize=8
"""


@pytest.mark.parametrize("text", [BLOCKS, BLOCKS_LISTED])
def test_slurms_blocks_are_in_larger_ones(text: str) -> None:
    assert slurm.looks_so(text)
    machine = machine_of(slurm.read(text, "topology.conf"))
    assert (machine.nodes, machine.vertices) == (16, 16 + 4 + 2 + 1)
    assert [hops(machine, "tux0", other) for other in ("tux3", "tux4", "tux8")] == [2, 4, 6]


def test_blocks_without_larger_ones_meet_in_one_switch() -> None:
    machine = machine_of(slurm.read("BlockName=b1 Nodes=a[0-1]\nBlockName=b2 Nodes=c[0-1]\n", "topology.conf"))
    assert (machine.nodes, machine.vertices, hops(machine, "a0", "c1")) == (4, 7, 4)


def fabric_of(leaves: int, spines: int, hosts: int) -> tuple[str, str]:
    """Write a two-level fat tree, with tables that go up by the destination's number."""
    lines, tables = ["#\n# Topology file: generated on a day\n#"], []

    def leaf(number: int) -> str:
        return f"S-{number + 1:016x}"

    def spine(number: int) -> str:
        return f"S-{number + 1001:016x}"

    def adapter(number: int) -> str:
        return f"H-{number + 2001:016x}"

    for one in range(leaves):
        lines.append(f'Switch\t36 "{leaf(one)}"\t\t# "leaf {one}" base port 0 lid {500 + one} lmc 0')
        for port in range(hosts):
            node = one * hosts + port
            lines.append(f'[{port + 1}]\t"{adapter(node)}"[1](abc) \t\t# "n{node} HCA-1" lid {node + 1} 4xFDR')
        lines += [f'[{31 + up}]\t"{spine(up)}"[{one + 1}]\t\t# "spine" lid {600 + up} 4xEDR' for up in range(spines)]
        tables.append(f"Unicast lids [0x0-0x2] of switch Lid {500 + one} guid 0x{one + 1:016x} (leaf {one}):")
        tables.append("  Lid  Out   Destination\n       Port     Info ")
        for node in range(leaves * hosts):
            out = node % hosts + 1 if node // hosts == one else 31 + (node + 1) % spines
            tables.append(f"0x{node + 1:04x} {out:03d} : (Channel Adapter portguid 0x1: 'n{node} HCA-1')")
    for up in range(spines):
        lines.append(f'Switch\t36 "{spine(up)}"\t\t# "spine" enhanced port 0 lid {600 + up} lmc 0')
        lines += [
            f'[{one + 1}]\t"{leaf(one)}"[{31 + up}]\t\t# "leaf {one}" lid {500 + one} 4xEDR' for one in range(leaves)
        ]
    for node in range(leaves * hosts):
        lines.append(f'vendid=0x2c9\nCa\t1 "{adapter(node)}"\t\t# "n{node} HCA-1"')
        lines.append(
            f'[1](abc) \t"{leaf(node // hosts)}"[{node % hosts + 1}]\t\t# lid {node + 1} lmc 0 "leaf" lid 500 4xFDR'
        )
    return "\n".join(lines) + "\n", "\n".join(tables) + "\n"


def test_a_fabric_is_a_graph_with_its_rates_and_tables() -> None:
    text, tables = fabric_of(3, 2, 4)
    assert infiniband.looks_so(text)
    machine = machine_of(infiniband.read(text, "fabric.txt", tables))
    assert (machine.nodes, machine.vertices, machine.links, machine.diameter) == (12, 17, 36, 4)
    assert route(machine, "n0", "n4") == [
        "n0 to leaf_0",
        "leaf_0 to spine_S-00000000000003ea",
        "spine_S-00000000000003ea to leaf_1",
        "leaf_1 to n4",
    ]
    assert route(machine, "n0", "n5")[1] == "leaf_0 to spine"
    links, _ = machine.route(0, 5)
    assert [round(machine.capacity(link), 2) for link in links.tolist()] == [1, 1.83, 1.83, 1]


def test_adapters_of_a_host_are_a_node() -> None:
    text = fabric_of(1, 1, 4)[0].replace('"n1 HCA-1"', '"n0 HCA-2"')
    machine = machine_of(infiniband.read(text, "fabric.txt"))
    assert (machine.nodes, machine.links) == (3, 10)
    assert hops(machine, "n0", "n2") == 2


@given(data=st.data())
@settings(max_examples=examples(150))
def test_damaged_descriptions_are_read_or_refused(data: st.DataObject) -> None:
    fabric, tables = fabric_of(2, 2, 2)
    text, tables = data.draw(
        st.sampled_from(
            [(TREE, ""), (LISTING, ""), (BLOCKS, ""), (BLOCKS_LISTED, ""), (fabric, ""), (fabric, tables), (XML, "")]
        )
    )
    for _ in range(data.draw(st.integers(1, 3))):
        begin = data.draw(st.integers(0, len(text) - 1))
        kept = data.draw(st.integers(begin, min(len(text), begin + 40)))
        text = text[:begin] + data.draw(st.text(alphabet='[]"SH-0123 =\n#<>/x', max_size=3)) + text[kept:]
    try:
        if tables or text.startswith("#\n# Topo"):
            machine_of(infiniband.read(text, "fabric.txt", tables))
        elif "<" in text:
            found = hwloc.read(text, "node.xml")
            assert isinstance(found, str) or machine_of(found)
        else:
            machine_of(slurm.read(text, "topology.conf"))
    except (ThalwegError, _core.Error):
        pass


def xml_of(tree: object) -> str:
    """Write hwloc's XML of nested (kind, parts…)."""

    def part(one: object) -> str:
        assert isinstance(one, tuple)
        kind, *inside = one
        return f'<object type="{kind}" os_index="0">{"".join(map(part, inside))}</object>'

    return f'<?xml version="1.0"?><!DOCTYPE topology SYSTEM "hwloc2.dtd"><topology>{part(tree)}</topology>'


CORE = ("Core", ("PU",), ("PU",))
CACHE = ("L3Cache", *[("L2Cache", CORE)] * 4)
XML = xml_of(("Machine", *[("Package", ("NUMANode",), CACHE, CACHE)] * 2))


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (XML, "hierarchy:2x2x4"),
        (xml_of(("Machine", ("Package", CACHE))), "star:4"),
        (xml_of(("Machine", ("Package", ("L3Cache", CORE)))), "star:1"),
        (
            xml_of(("Machine", ("NUMANode", ("Package", CORE, CORE)), ("NUMANode", ("Package", CORE, CORE)))),
            "hierarchy:2x2",
        ),
        (xml_of(("Machine", ("PU",), ("PU",))), "star:2"),
    ],
)
def test_the_inside_of_a_node_is_a_hierarchy(text: str, name: str) -> None:
    assert hwloc.looks_so(text)
    assert hwloc.read(text, "node.xml") == name


def test_unequal_parts_are_a_graph() -> None:
    found = hwloc.read(xml_of(("Machine", ("Package", CACHE), ("Package", CORE, CORE))), "node.xml")
    assert isinstance(found, Graph)
    machine = machine_of(found)
    assert machine.nodes == 6
    assert hops(machine, "core0", "core3") == 2
    assert hops(machine, "core0", "core4") == 4


def test_the_command_prints_and_writes_networks(thalweg: Command, tmp_path: Path) -> None:
    (tmp_path / "topology.conf").write_text(TREE)
    (tmp_path / "hosts").write_text("tux0\ntux7\nfront 3\n")
    read = thalweg("machine", "topology.conf", "--nodes", "hosts", "-o", "net.txt", cwd=tmp_path)
    assert read.returncode == 0, read.stderr
    assert "diameter:  4 hops" in read.stdout
    assert "3 hosts have places, as tux0 at 0, front at 3, tux7 at 7" in read.stdout
    again = thalweg("machine", "graph:net.txt", cwd=tmp_path)
    assert again.stdout.splitlines()[1:7] == read.stdout.splitlines()[1:7]
    named = thalweg("machine", "torus:8x8x8*16+2")
    assert "nodes:     9216, of which 8192 take ranks" in named.stdout
    assert "        2  " in named.stdout


@pytest.mark.parametrize(
    "words", [["cube:4"], ["no/such/file"], ["torus:4", "-o", "x"], ["torus:4", "--nodes", "none"]]
)
def test_the_command_refuses_what_is_no_network(thalweg: Command, words: list[str], tmp_path: Path) -> None:
    result = thalweg("machine", *words, cwd=tmp_path)
    assert result.returncode != 0
    assert "thalweg" in result.stderr


@pytest.mark.parametrize("text", ["", "# nobody\n"])
def test_lists_and_tables_that_hold_nothing_are_refused_by_their_name(
    thalweg: Command, text: str, tmp_path: Path
) -> None:
    (tmp_path / "empty.txt").write_text(text)
    (tmp_path / "fabric.txt").write_text(fabric_of(1, 1, 4)[0])
    for words in (("torus:4", "--nodes"), ("fabric.txt", "--tables")):
        said = thalweg("machine", *words, "empty.txt", cwd=tmp_path)
        assert said.returncode != 0
        assert "empty.txt: " in said.stderr


def test_this_machine_is_read(tmp_path: Path) -> None:
    file = tmp_path / "node.xml"
    file.write_text(XML)
    assert read_machine(str(file)).interconnect.name == "hierarchy:2x2x4"
