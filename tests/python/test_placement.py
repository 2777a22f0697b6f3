# SPDX-License-Identifier: BSD-3-Clause
"""Placement from Python and the command: patterns, files, formats, bounds, and errors that name value and remedy."""

import itertools
import json
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import io, sparse

import thalweg
from support import Command, examples
from thalweg import _core
from thalweg.cli import place
from thalweg.errors import SETTINGS, ThalwegError
from thalweg.placement.bounds import hop_bytes_bound, link_bound
from thalweg.placement.drawings import drawings
from thalweg.placement.explain import explanation, hottest_link
from thalweg.placement.files import read_pattern
from thalweg.placement.formats import FORMATS, text_of
from thalweg.placement.machine import read_slots, slots_of
from thalweg.placement.mapping import Budget
from thalweg.placement.pictures import write_pictures
from thalweg_labs.bench.patterns import PATTERNS, box

FEW = Budget(proposals=3000)
MACHINES = ("torus:2x3", "mesh:5", "torus:5", "mesh:2x2x2", "torus:4x2")


def cube(side: int) -> thalweg.placement.machine.Slots:
    """Give a cube of nodes in a larger torus."""
    nodes = np.stack(np.unravel_index(np.arange(side**3), (side,) * 3, order="F"), axis=1)
    return slots_of("torus:16x16x16", nodes)


@given(data=st.data(), machine=st.sampled_from(MACHINES))
@settings(max_examples=examples(60))
def test_no_mapping_beats_a_bound(data: st.DataObject, machine: str) -> None:
    """Of few ranks all mappings are tried."""
    slots = slots_of(machine)
    tasks = min(slots.nodes.size, data.draw(st.integers(2, 6)))
    slots = slots._replace(nodes=slots.nodes[:tasks])
    entries = data.draw(st.lists(st.integers(0, 4), min_size=tasks * tasks, max_size=tasks * tasks))
    pattern = thalweg.Pattern(np.array(entries).reshape(tasks, tasks))
    found = [
        _core.placement_metrics(pattern.core, slots.machine, slots.nodes, np.array(one, np.int32), np.empty(0))
        for one in itertools.permutations(range(tasks))
    ]
    least = min(metrics.hop_bytes for metrics in found)
    assert hop_bytes_bound(pattern, slots).value <= least
    assert link_bound(pattern, slots).value <= min(metrics.link_max for metrics in found)
    placed = thalweg.map_ranks(pattern, slots, budget=FEW).placed
    assert least <= placed.hop_bytes <= found[0].hop_bytes


def test_regular_patterns_on_their_cube_are_proven_optimal() -> None:
    """Figures that were computed apart: 1 hop per byte and 0.5 for a stencil, 1.5 and 1 for recursive doubling."""
    for name, hops, link in (("stencil", 1.0, 1.0), ("recursive doubling", 1.5, 2.0)):
        found = thalweg.map_ranks(PATTERNS[name](64), cube(4), budget=Budget(proposals=1))
        assert found.method == "identity"
        assert found.placed.hops_per_byte == hops
        assert found.placed.link_max == link
        assert found.above_bound("hop-bytes") == pytest.approx(0, abs=1e-6)
    assert found.above_bound("link") == pytest.approx(0, abs=1e-6)


def test_phases_are_not_what_their_sum_is() -> None:
    found = thalweg.map_ranks(PATTERNS["recursive doubling"](16), "torus:16", budget=FEW, objective="contention")
    assert found.placed.phase_link_max <= found.identity.phase_link_max
    assert found.identity.phase_link_max != found.identity.link_max


@pytest.mark.parametrize("name", PATTERNS)
@pytest.mark.parametrize("ranks", [1, 2, 8, 12])
def test_made_patterns_are_placed(name: str, ranks: int) -> None:
    pattern = PATTERNS[name](ranks)
    assert pattern.tasks == ranks
    found = thalweg.map_ranks(pattern, "torus:4x4", budget=FEW, objective="time")
    assert len(set(found.slot_of.tolist())) == ranks
    assert int(np.prod(box(ranks))) == ranks


def test_matrices_of_all_kinds_are_one_pattern() -> None:
    dense = np.array([[7, 2, 0], [0, 0, 3], [1, 0, 0]])
    for matrix in (dense, dense.tolist(), sparse.csr_matrix(dense), sparse.coo_array(dense.astype(np.float32))):
        pattern = thalweg.Pattern(matrix)
        assert pattern.matrix().toarray().tolist() == [[0, 2, 0], [0, 0, 3], [1, 0, 0]]
        assert thalweg.map_ranks(matrix, "mesh:3", budget=FEW).placed.hop_bytes == 7


def test_entries_that_come_twice_are_added_up_in_full() -> None:
    entries = (np.array([100, 100], np.int8), ([0, 0], [1, 1]))
    assert thalweg.Pattern(sparse.coo_array(entries, shape=(2, 2))).matrix().toarray().tolist() == [[0, 200], [0, 0]]


def test_machines_that_are_made_say_where_slots_are() -> None:
    """Of nodes with different numbers of slots, formats name the host of each, also where one has none."""
    machine = thalweg.Machine("mesh:4", [3, 1, 0], slots_per_node=[2, 0, 1])
    found = thalweg.map_ranks(np.ones((3, 3)), machine, budget=Budget(proposals=1))
    assert found.method == "identity"
    assert found.slots.nodes.tolist() == [3, 3, 0]
    hosts = ["three", "one", "none"]
    assert text_of(found, "slurm-hostfile", hosts).split() == ["three", "three", "none"]
    assert text_of(found, "ompi-rankfile", hosts).splitlines()[1:] == ["rank 1=three slot=1", "rank 2=none slot=0"]
    assert thalweg.map_ranks(np.ones((4, 4)), thalweg.Machine("mesh:4"), budget=FEW).slots.nodes.size == 4
    with pytest.raises(ThalwegError, match=r"give them to thalweg\.Machine"):
        thalweg.map_ranks(np.ones((2, 2)), machine, slots_per_node=2)


def test_files_are_read(tmp_path: Path) -> None:
    dense = np.array([[0, 2, 0], [2, 0, 3], [0, 3, 0]])
    io.mmwrite(tmp_path / "a.mtx", sparse.coo_array(dense))
    (tmp_path / "a.csv").write_text("0,2,0\n2,0,3\n0,3,0\n")
    (tmp_path / "a.dat").write_text("3\n 0 1 2\n 1 0 1\n 2 1 0\n\n 0 2 0\n 2 0 3\n 0 3 0\n")
    (tmp_path / "a.graph").write_text("% a graph\n3 2 001\n2 2\n1 2 3 3\n2 3\n")
    for name in ("a.mtx", "a.csv", "a.graph", "a.dat"):
        assert read_pattern(str(tmp_path / name)).matrix().toarray().tolist() == dense.tolist(), name


HEADS = {
    "mtx": "%%MatrixMarket matrix coordinate real general\n",
    "csv": "",
    "dat": "1\n",
    "graph": "",
    "json": '{"format": "thalweg-pattern", "version": 1, "ranks": 3, "phases": [{"name": "", "repeats": 1, "sent": [[',
    "pattern": "thalweg-pattern 1\nranks 3\nsite 0 call MPI_Send\nphase 1 all\n",
}


@given(text=st.text(alphabet="0123456789 .,-%\nenx", max_size=60), ending=st.sampled_from(list(HEADS)))
@settings(max_examples=examples(150))
def test_damaged_files_are_refused_with_a_remedy(
    tmp_path_factory: pytest.TempPathFactory, text: str, ending: str
) -> None:
    path = tmp_path_factory.getbasetemp() / f"damaged.{ending}"
    path.write_text(HEADS[ending] + text)
    try:
        pattern = read_pattern(str(path))
    except ThalwegError as error:
        assert error.remedy
    else:
        assert pattern.tasks >= 0


def test_formats_say_the_same() -> None:
    placement = thalweg.map_ranks(np.eye(4, k=2), slots_of("mesh:2", None, 2), budget=FEW)
    names = ["one", "two"]
    hosts = [names[slot // 2] for slot in placement.slot_of]
    assert text_of(placement, "list").split() == [str(slot) for slot in placement.slot_of]
    assert text_of(placement, "slurm-hostfile", names).split() == hosts
    assert text_of(placement, "mpich-hosts", names).split() == [f"{host}:1" for host in hosts]
    assert text_of(placement, "ompi-rankfile", names).splitlines() == [
        f"rank {rank}={hosts[rank]} slot={slot % 2}" for rank, slot in enumerate(placement.slot_of)
    ]
    order = [int(rank) for rank in text_of(placement, "mpich-rank-order").split(",")]
    assert [order.index(rank) for rank in range(4)] == placement.slot_of.tolist()
    assert "+n0" in text_of(placement, "ompi-rankfile")
    for form, given_names in (("best", []), ("mpich-hosts", []), ("slurm-hostfile", ["one"])):
        with pytest.raises(ThalwegError):
            text_of(placement, form, given_names)
    with pytest.raises(ThalwegError, match="slots"):
        text_of(thalweg.map_ranks(np.ones((3, 3)), "mesh:5", budget=FEW), "mpich-rank-order")


def test_formats_name_cores_of_one_node(tmp_path: Path) -> None:
    """What cores share is a machine whose nodes are cores, all of one host."""
    (tmp_path / "resources").write_text("cores 4\nresource there 1 0-1>2-3\n")
    slots = slots_of(f"resources:{tmp_path / 'resources'}", np.array([3, 0, 2]))
    placement = thalweg.map_ranks(np.eye(3, k=1), slots, objective="contention", budget=FEW)
    cores = slots.nodes[placement.slot_of].tolist()
    for names, host in (([], "+n0"), (["alone"], "alone")):
        expected = [f"rank {rank}={host} slot={core}" for rank, core in enumerate(cores)]
        assert text_of(placement, "ompi-rankfile", names).splitlines() == expected
    assert text_of(placement, "mpich-hosts", ["alone"]).split() == ["alone:1"] * 3


def test_the_hottest_link_is_explained() -> None:
    traffic = np.zeros((6, 6))
    traffic[0, 3] = traffic[1, 4] = 10
    traffic[2, 5] = 1
    pattern, slots = thalweg.Pattern(traffic), slots_of("mesh:6")
    hottest = hottest_link(pattern, slots, np.arange(6, dtype=np.int32))
    assert hottest is not None
    assert hottest.load == 21
    assert [(pair.sender, pair.receiver) for pair in hottest.pairs] == [(0, 3), (1, 4), (2, 5)]
    assert hottest.swap is not None
    assert hottest.swap.link_max < 21
    assert hottest.sites == []
    assert hottest_link(thalweg.Pattern(np.zeros((2, 2))), slots_of("mesh:2"), np.arange(2, dtype=np.int32)) is None


RECORDED = """thalweg-pattern 1
ranks 4
site 0 call MPI_Isend halo.c:42 (exchange)
site 1 direct MPI_Alltoall fft.c:7 (rows)
phase 2 first
0 2 60 2 0
1 3 20 2 1
phase 1 last
0 2 30 1 1
3 1 50 1 0
"""


def test_the_hottest_link_is_traced_to_source_lines(thalweg: Command, tmp_path: Path) -> None:
    path = tmp_path / "run.pattern"
    path.write_text(RECORDED)
    hottest = hottest_link(read_pattern(str(path)), slots_of("mesh:4"), np.arange(4, dtype=np.int32))
    assert hottest is not None
    assert [(pair.sender, pair.receiver, pair.bytes) for pair in hottest.pairs] == [(0, 2, 90), (1, 3, 20)]
    halo, rows = "MPI_Isend halo.c:42 (exchange)", "MPI_Alltoall fft.c:7 (rows) [direct]"
    assert [tuple(site) for site in hottest.sites] == [(halo, 60), (rows, 50)]
    done = thalweg("place", "map", str(path), "--machine", "torus:2x2", "--seconds", "0", "--explain", "--draw")
    assert done.returncode == 0, done.stderr
    assert "% from MPI_Isend halo.c:42 (exchange)" in done.stdout
    path.write_text(RECORDED.replace("50 1 0", "50 1 2"))
    with pytest.raises(ThalwegError, match="call site 2"):
        read_pattern(str(path))


@given(data=st.data(), machine=st.sampled_from((*MACHINES, "torus:2x3x4", "xgft:4x2:1x2", "star:5")))
@settings(max_examples=examples(30))
def test_drawings_are_lines_for_any_machine(data: st.DataObject, machine: str) -> None:
    slots = slots_of(machine)
    tasks = data.draw(st.integers(1, slots.nodes.size + 5))
    ends = st.tuples(st.integers(0, tasks - 1), st.integers(0, tasks - 1), st.integers(0, 9))
    traffic = np.zeros((tasks, tasks))
    for sender, receiver, size in data.draw(st.lists(ends, max_size=12)):
        traffic[sender, receiver] = size
    pattern = thalweg.Pattern(traffic)
    placement = thalweg.map_ranks(pattern, slots, budget=FEW, bounds=False, sharing=thalweg.Sharing())
    for line in (*drawings(pattern, placement), *explanation(pattern, placement)):
        assert "\n" not in line
        assert line.isascii()


@given(data=st.data(), machine=st.sampled_from((*MACHINES, "torus:2x3x4", "xgft:4x2:1x2", "star:5", "torus:30x30x2")))
@settings(max_examples=examples(30))
def test_pictures_are_svg_for_any_machine(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject, machine: str
) -> None:
    path = tmp_path_factory.getbasetemp() / "picture.svg"
    slots = slots_of(machine)
    tasks = data.draw(st.integers(1, min(slots.nodes.size, 12)))
    ends = st.tuples(st.integers(0, tasks - 1), st.integers(0, tasks - 1), st.integers(0, 9))
    traffic = np.zeros((tasks, tasks))
    for sender, receiver, size in data.draw(st.lists(ends, max_size=12)):
        traffic[sender, receiver] = size
    pattern = thalweg.Pattern(traffic)
    write_pictures(pattern, thalweg.map_ranks(pattern, slots, budget=FEW, bounds=False), str(path))
    root = ET.fromstring(path.read_text())
    height, width = float(root.attrib["height"]), float(root.attrib["width"])
    for part in root:
        for opacity in ("fill-opacity", "stroke-opacity"):
            assert 0 <= float(part.get(opacity, "1")) <= 1
        for key, most in (("x", width), ("y", height), ("cx", width), ("cy", height)):
            assert 0 <= float(part.get(key, "0")) <= most


def test_links_are_drawn_on_the_machine_as_they_are_loaded(tmp_path: Path) -> None:
    traffic = np.zeros((6, 6))
    traffic[0, 1] = traffic[1, 4] = 10
    traffic[4, 5] = 5
    pattern = thalweg.Pattern(traffic)
    placement = thalweg.map_ranks(pattern, "mesh:3x2", budget=Budget(proposals=1), bounds=False)
    write_pictures(pattern, placement, str(tmp_path / "a.svg"))
    lines = [part for part in ET.parse(tmp_path / "a.svg").getroot() if part.tag.endswith("line")]
    opacities = sorted(float(line.attrib["stroke-opacity"]) for line in lines if "stroke-opacity" in line.attrib)
    assert opacities == [0.5, 0.5, 1, 1, 1, 1]  # three links, as numbered and placed


def test_links_are_drawn_between_their_nodes() -> None:
    traffic = np.zeros((6, 6))
    traffic[0, 1] = traffic[1, 4] = 10
    traffic[4, 5] = 5
    pattern = thalweg.Pattern(traffic)
    placement = thalweg.map_ranks(pattern, "mesh:3x2", budget=Budget(proposals=1), bounds=False)
    assert placement.method == "identity"
    assert drawings(pattern, placement)[-4:] == ["  [ ]9[ ] [ ]", "       9", "  [ ] [ ]5[ ]", ""]


def test_ranks_that_outnumber_slots_share_them() -> None:
    pattern, slots = PATTERNS["stencil"](64), slots_of("mesh:2x2x2")
    with pytest.raises(ThalwegError, match="share slots"):
        thalweg.map_ranks(pattern, slots, budget=FEW)
    placed = thalweg.map_ranks(pattern, slots, budget=Budget(proposals=50000), sharing=thalweg.Sharing())
    assert np.bincount(placed.slot_of).tolist() == [8] * 8
    assert placed.imbalance == 0
    assert placed.placed.hop_bytes <= 1.2 * 2 * 3 * 16  # cubes of 2 x 2 x 2 are the optimum
    assert placed.placed.hop_bytes <= placed.identity.hop_bytes
    weights = np.arange(64) % 5
    heavy = thalweg.map_ranks(pattern, slots, budget=FEW, sharing=thalweg.Sharing(weights, 0.1))
    assert heavy.imbalance is not None
    assert heavy.imbalance <= 0.25
    for wrong in (weights[:5], -weights, weights * np.nan):
        with pytest.raises(ThalwegError):
            thalweg.map_ranks(pattern, slots, budget=FEW, sharing=thalweg.Sharing(wrong))
    # Where there are slots enough, each has one.
    assert len(set(thalweg.map_ranks(pattern, "torus:4x4x4", sharing=thalweg.Sharing()).slot_of.tolist())) == 64


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ((np.ones((3, 2)), "mesh:4"), "square"),
        ((-np.ones((2, 2)), "mesh:4"), "from 0"),
        ((np.full((2, 2), np.nan), "mesh:4"), "from 0"),
        ((np.full((2, 2), 1e300), "mesh:4"), "from 0"),
        ((np.ones((5, 5)), "mesh:4"), "more nodes"),
        ((np.ones((2, 2)), "crossbar:4"), "crossbar"),
        ((np.array([["a"]]), "mesh:4"), "numbers"),
    ],
)
def test_what_is_no_problem_is_refused(arguments: tuple[np.ndarray, str], problem: str) -> None:
    with pytest.raises(ThalwegError, match=problem):
        thalweg.map_ranks(*arguments, budget=FEW)


def test_files_that_are_no_text_are_refused(thalweg: Command, tmp_path: Path) -> None:
    """What an error quotes of them need not be text for Python."""
    (tmp_path / "bytes").write_bytes(b"node \xff\xfe\nlink a \xff\n")
    for form in ("graph", "resources"):
        with pytest.raises(ThalwegError, match=r":\d+: "):
            slots_of(f"{form}:{tmp_path / 'bytes'}")
    (tmp_path / "a.csv").write_text("0 1 1\n1 0 1\n1 1 0\n")
    for content in (b"", b"\xff", b"1 1 x"):
        (tmp_path / "weights").write_bytes(content)
        done = thalweg(
            "place", "map", str(tmp_path / "a.csv"), "--machine", "mesh:2", "--weights", str(tmp_path / "weights")
        )
        assert done.returncode == SETTINGS.number
        assert "Traceback" not in done.stderr
        assert "Warning" not in done.stderr


def test_nodes_that_are_none_are_refused(tmp_path: Path) -> None:
    for nodes in ([[0, 4]], [[0, 0], [0, 0]], [[0, 0, 0]], [[-1, 0]]):
        with pytest.raises(ThalwegError):
            slots_of("torus:4x4", np.array(nodes))
    assert slots_of("torus:4x4", np.array([5, 2])).nodes.tolist() == [5, 2]
    with pytest.raises(ThalwegError, match="machine"):
        read_slots("", "")
    (tmp_path / "nodes").write_text("4 4 2\n0 1\n1 0\n")
    assert read_slots("", str(tmp_path / "nodes")).nodes.tolist() == [4, 1]
    with pytest.raises(ThalwegError, match="objective"):
        thalweg.map_ranks(np.ones((2, 2)), "mesh:2", objective="nearness")


def test_the_command(thalweg: Command, tmp_path: Path) -> None:
    pattern = tmp_path / "pattern.csv"
    np.savetxt(pattern, np.eye(8, k=4) * 5, fmt="%d", delimiter=",")
    common = ("place", "map", str(pattern), "--machine", "mesh:8", "--proposals", "20000")
    done = thalweg(*common, "--compare", "--explain", "-o", str(tmp_path / "out"), "--format", "ompi-rankfile")
    assert done.returncode == 0, done.stderr
    assert "proven optimal" in done.stdout
    assert "emahd-nodes" in done.stdout
    assert "link (" in done.stdout
    assert (tmp_path / "out").read_text().startswith("rank 0=+n")
    answer = json.loads(thalweg(*common, "--json", "--plot", str(tmp_path / "map.svg")).stdout)
    assert sorted(answer["slot_of"]) == list(range(8))
    assert answer["placed"]["hop-bytes"] == 20
    assert (tmp_path / "map.svg").read_text().startswith("<svg")
    assert thalweg("place", "map", str(pattern), "--machine", "mesh:4").returncode == SETTINGS.number
    (tmp_path / "weights").write_text("1\n" * 8)
    few = ("place", "map", str(pattern), "--machine", "mesh:4", "--proposals", "2000")
    shared = thalweg(*few, "--weights", str(tmp_path / "weights"), "--draw")
    assert shared.returncode == 0, shared.stderr
    assert "the heaviest has 0 % more" in shared.stdout
    assert thalweg(*few, "--weights", str(pattern)).returncode == SETTINGS.number
    assert thalweg("place", "map", str(tmp_path / "none.csv"), "--machine", "mesh:4").returncode == SETTINGS.number


def test_formats_of_the_command_are_those_that_are_written() -> None:
    assert list(FORMATS) == place.formats()


def test_the_benchmark_writes_rows(thalweg: Command, tmp_path: Path) -> None:
    """Of few ranks; Scotch is asked only where it is installed."""
    (tmp_path / "two.qap").write_text("3 -1 10\n0 5 2\n5 0 0\n2 0 0\n0 1 2\n1 0 1\n2 1 0\n")
    words = ("--sizes", "4", "--seconds", "0.01", "--scale", "27", "--scale-seconds", "0.1", "--qaplib", str(tmp_path))
    done = thalweg("bench", "place", *words, "--json", str(tmp_path / "rows.json"))
    assert done.returncode == 0, done.stderr
    rows = json.loads((tmp_path / "rows.json").read_text())
    assert {"best known", "optimum", "mahd", "localopt"} <= {row["peer_name"] for row in rows}
    scaled = next(row for row in rows if row["peer_name"] == "optimum")
    assert scaled["ours"] == 1
    solved = next(row for row in rows if row["peer_name"] == "best known")
    assert (solved["metric"], solved["peer"]) == ("cost (proven)", 10)
