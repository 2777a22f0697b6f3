# SPDX-License-Identifier: BSD-3-Clause
"""The tree that network devices run is the one that is predicted and shown, on hosts of a fat tree out of order."""

import os
import re
from collections.abc import Iterator

import cards
import devices
import pytest

from thalweg import _core
from thalweg.lab.hosts import saved
from thalweg.machine.probe_devices import hops_of, measure_devices
from thalweg.strategies import make_sample
from thalweg.trials.cases import Case, candidates, node_places
from thalweg.trials.session import Session, start_words
from thalweg.trials.shipped import trial_program
from thalweg.tune import explain

pytestmark = cards.NEED

HOSTS = 8
SHAPE = "fat-tree:4x2"
USE = "nic:radix=2,where=card"


@pytest.fixture(scope="module")
def fat_tree() -> Iterator[None]:
    devices.lab_up(HOSTS, SHAPE, "--shuffle", "3")
    yield
    assert devices.thalweg("lab", "down").returncode == 0


def _shown_children(known: _core.NodePlaces, leaves: list[int] | None = None) -> list[int]:
    """Count the hosts below each one in the schedule that `thalweg strategies show` prints."""
    sample = make_sample(
        "barrier", "nic", HOSTS, parameters={"radix": "2"}, network=known.network, places=known.places, leaves=leaves
    )
    first_stages = (sample.print(rank).split("send")[0] for rank in range(HOSTS))
    return [len(re.findall("receive", text)) for text in first_stages]


@pytest.mark.exhaustive
def test_tuning_and_explanations_predict_the_tree_that_runs(fat_tree: None) -> None:
    del fat_tree
    words = start_words([], HOSTS, trial_program("openmpi", os.environ))
    machine = _core.default_machine()
    machine.network = SHAPE
    lab = saved(devices.NAME)
    assert lab is not None
    with Session(words, lab=devices.NAME) as session:
        job = session.job
        known = node_places(job, machine)
        session.measure("barrier", 0, [USE], batches=1)
        ran = []
        for host in job.hosts:
            (group,) = devices.status(host)["groups"]
            ran.append(group["cards"])
        machine.device = measure_devices(session)
    assert job.hosts == tuple(lab.dealt)
    assert list(job.leaves) == known.leaves(range(HOSTS))
    assert max(job.leaves) == 1
    assert ran == _shown_children(known)
    assert ran != _shown_children(known, [])
    tuned = candidates(Case("barrier", 0), job, machine)
    question = explain.Question("barrier", 0, HOSTS, 1, job.node_list, job.hosts)
    assert [(one.text, one.seconds) for one in tuned] == [
        (one.text, one.seconds) for one in explain.candidates(question, machine)
    ]
    costs = machine.device
    assert costs.is_known
    predicted = next(one.seconds for one in tuned if one.text == USE)
    added = costs.start.value + hops_of(job, USE) * costs.hop.value + costs.wake.value
    assert predicted == pytest.approx(added)
