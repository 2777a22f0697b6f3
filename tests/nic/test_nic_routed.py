# SPDX-License-Identifier: BSD-3-Clause
"""Networks whose switches have one host each: there the hosts' cards make the tree alone, through routers."""

from collections.abc import Iterator
from pathlib import Path

import cards
import devices
import pytest

pytestmark = [*cards.NEED, pytest.mark.exhaustive]


@pytest.fixture(params=["ring", "torus:2x2"])
def routed(request: pytest.FixtureRequest) -> Iterator[None]:
    devices.lab_up(topology=request.param)
    yield
    assert devices.thalweg("lab", "down").returncode == 0


def test_cards_of_hosts_behind_routers_make_a_tree(
    routed: None, programs: dict[str, str], program: str, tmp_path: Path
) -> None:
    """Each operation at all roots, with two ranks on some hosts; reductions have the engine's bits."""
    del routed
    ranks = 2 * devices.HOSTS - 1
    alone = "collectives run on the hosts' network devices"
    digests = []
    for _ in ("nic", "nic on the engine"):
        words = [programs["reductions"], devices.TURNS]
        done, report = devices.run_words(tmp_path, ranks, "allreduce=nic;reduce=nic", *words)
        assert done.stdout.startswith("wrong 0 "), done.stdout + done.stderr
        digests.append(done.stdout)
        if len(digests) == 1:
            assert str(report["nic"]).startswith(f"{alone};")
            for run, name in ((devices.run_broadcasts, "broadcasts"), (devices.run_blocks, "blocks")):
                done, _ = run(programs[name], tmp_path, ranks, "nic:radix=2")
                assert done.stdout == "wrong 0, ended while all computed\n", done.stdout + done.stderr
            done, report = devices.run(program, tmp_path, ranks, "barrier=nic")
            assert done.stdout == "wrong 0\n", done.stderr
            assert report["nic"] == alone
            devices.end(devices.ALL[1])
    assert digests[0] == digests[1]
