# SPDX-License-Identifier: BSD-3-Clause
"""The switches that hosts are on, as tuning, explanations and simulations of devices' schedules know them."""

from pathlib import Path

import pytest

import thalweg
from thalweg import _core
from thalweg.simulation.candidates import simulate_candidate
from thalweg.strategies import make_sample
from thalweg.trials.cases import Case, candidates
from thalweg.trials.places import NOWHERE, Place
from thalweg.trials.session import Job
from thalweg.tune import explain

_PLACE = Place(NOWHERE, frozenset(), NOWHERE, NOWHERE)
SHAPE = "fat-tree:4x2"
DEALT = (0, 4, 1, 5, 2, 6, 3, 7)
"""In turns from the two switches, so that a tree in the order of ranks crosses between them again and again."""
LEAVES = (0, 1, 0, 1, 0, 1, 0, 1)
NIC = "nic:radix=2"


@pytest.fixture
def machine() -> _core.Machine:
    found = _core.default_machine()
    found.network = SHAPE
    return found


@pytest.fixture
def node_list(tmp_path: Path) -> str:
    path = tmp_path / "hosts"
    path.write_text(f"# {SHAPE}\n" + "".join(f"h{host} {host}\n" for host in range(8)))
    return str(path)


HOSTS = tuple(f"h{host}" for host in DEALT)
WHERE = _core.NodePlaces(SHAPE, 0, DEALT)


def _job(node_list: str, leaves: tuple[int, ...]) -> Job:
    return Job(8, tuple(range(8)), 1, (), (_PLACE,) * 8, HOSTS, node_list, leaves)


def _predicted(found: list[_core.Candidate]) -> dict[str, float]:
    return {one.text: one.seconds for one in found if one.text.startswith("nic") and not one.is_bound}


@pytest.mark.parametrize("operation", ["barrier", "allreduce", "broadcast", "gather"])
def test_a_jobs_candidates_follow_its_switches_and_so_do_explanations(
    operation: str, machine: _core.Machine, node_list: str
) -> None:
    """A job whose agents name no switches has a tree of hosts, whatever the network's shape is."""
    size = 0 if operation == "barrier" else 64
    case = Case(operation, size)
    of_job = _predicted(candidates(case, _job(node_list, LEAVES), machine))
    without = _predicted(candidates(case, _job(node_list, ()), machine))
    question = explain.Question(case.call, size, 8, 1, node_list, HOSTS)
    assert of_job
    assert of_job == _predicted(explain.candidates(question, machine))
    assert of_job != without
    for text, seconds in of_job.items():
        selection = f"{case.call}={text}"
        assert _core.predict(selection, size, 8, list(range(8)), machine, WHERE, LEAVES)[0] == pytest.approx(seconds)
    for text, seconds in without.items():
        selection = f"{case.call}={text}"
        assert _core.predict(selection, size, 8, list(range(8)), machine, WHERE, [])[0] == pytest.approx(seconds)


def test_places_say_which_switches_they_are_on() -> None:
    assert tuple(WHERE.leaves(range(8))) == LEAVES
    assert _core.NodePlaces(SHAPE, 0, [0, 1, 2]).leaves([0, 0, 1, 2]) == []
    assert _core.NodePlaces().leaves(range(8)) == []


def test_simulations_play_the_schedule_that_is_shown(machine: _core.Machine) -> None:
    def crossing(sample: _core.Sample) -> int:
        """Count the messages that go up between the switches."""
        lines = [(rank, line) for rank in range(8) for line in sample.print(rank).splitlines() if "send" in line]
        return sum(f"to {peer}" in line for rank, line in lines for peer in range(8) if LEAVES[rank] != LEAVES[peer])

    shown = make_sample("barrier", "nic", 8, parameters={"radix": "2"}, network=SHAPE, places=DEALT)
    assert "2 switches" in shown.describe()
    assert crossing(shown) == 2  # to the root's switch and back
    flat = make_sample("barrier", "nic", 8, parameters={"radix": "2"}, network=SHAPE, places=DEALT, leaves=[])
    assert crossing(flat) > 2
    nodes = list(range(8))
    found = simulate_candidate(f"barrier={NIC}", 0, nodes, machine, WHERE)
    assert found.finish == simulate_candidate(f"barrier={NIC}", 0, nodes, machine, WHERE, leaves=LEAVES).finish
    assert found.finish != simulate_candidate(f"barrier={NIC}", 0, nodes, machine, WHERE, leaves=[]).finish
    played = thalweg.simulate(
        "barrier", "nic", 8, 0, parameters={"radix": "2"}, machine=machine, network=SHAPE, placement=DEALT
    )
    assert played.messages == found.messages
    assert played.finish == found.finish


def test_explanations_simulate_where_the_list_of_hosts_says_they_are(machine: _core.Machine, node_list: str) -> None:
    """In a tour through the network too, which the list alone makes known."""
    question = explain.Question("allgather", 1 << 20, 8, 1, node_list, HOSTS)
    space = explain.candidates(question, machine)
    own = next(one for one in space if one.text == "ring")
    tour = next(one for one in space if one.text == "ring:order=tour")
    cells = [explain.simulated_cells(question, one, machine) for one in (own, tour)]
    assert all(cell[0] for cell in cells)
    assert cells[0] != cells[1]
