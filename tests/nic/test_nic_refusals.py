# SPDX-License-Identifier: BSD-3-Clause
"""Calls that were chosen for network devices where these cannot run them: the engine does, and the report says why."""

import subprocess
from pathlib import Path

import cards
import devices
import pytest

from thalweg.nic.limits import Limits

pytestmark = cards.NEED


def _set(host: str, *words: str) -> None:
    subprocess.run(["ip", "-n", host, "link", "set", "eth0", *words], check=True)


def test_who_waits_for_an_agent_that_is_stopped_lets_the_programs_messages_go_on(
    lab: None, transfers: str, tmp_path: Path
) -> None:
    """In a group's first call, and for inboxes. The agent goes on once they have come through, and answers in time."""
    del lab
    done, report = devices.run_transfers(transfers, tmp_path, "barrier")
    assert done.returncode == 0, done.stderr
    assert devices.ran_on(report) == {"nic", "nic on the engine"}
    done, _ = devices.run_transfers(transfers, tmp_path, "inboxes")
    assert done.stdout == "messages are matched on the hosts' network devices\n", done.stdout + done.stderr


def test_devices_of_a_small_mtu_do_without_messages_down_a_tree(lab: None, broadcasts: str, tmp_path: Path) -> None:
    """Also where it has become small since the agent was started; what fits goes on."""
    del lab
    _set(devices.ALL[1], "mtu", "1280")
    try:
        words = (tmp_path, devices.HOSTS, "broadcast=nic;reduce=nic", broadcasts, "11")
        done, report = devices.run_words(*words)
    finally:
        _set(devices.ALL[1], "mtu", "1500")
    assert done.stdout.startswith("wrong 0, "), done.stdout + done.stderr
    assert "rank 1: the device's MTU is 1280, and messages down a tree need 1476" in str(report["nic"])
    assert devices.ran_on(report, "MPI_Bcast") == {"nic on the engine"}
    assert devices.ran_on(report, "MPI_Reduce") == {"nic"}


def test_groups_beyond_a_users_limit_are_as_none(lab: None, broadcasts: str, tmp_path: Path) -> None:
    """Each root has a group. Of those that the agents do not take, all ranks know."""
    del lab
    devices.serve("tcx", tmp_path / "log", Limits((), 2, 0))
    words = (tmp_path, devices.HOSTS, "broadcast=nic", broadcasts, str(11 * devices.HOSTS))
    try:
        done, report = devices.run_words(*words)
    finally:
        devices.serve("tcx", tmp_path / "log", aggregator=devices.AGGREGATOR)
    assert done.stdout.startswith("wrong 0, "), done.stdout + done.stderr
    assert "the agent refuses: 2 groups are all that there are for a user" in str(report["nic"])
    assert devices.ran_on(report, "MPI_Bcast") == {"nic", "nic on the engine"}


@pytest.mark.exhaustive
def test_no_host_needs_multicasts(lab: None, program: str, tmp_path: Path) -> None:
    """Starts have such an address, and end within their own host."""
    del lab
    for host in devices.ALL:
        _set(host, "multicast", "off")
    try:
        done, report = devices.run(program, tmp_path, devices.HOSTS, "barrier=nic")
    finally:
        for host in devices.ALL:
            _set(host, "multicast", "on")
    assert done.stdout == "wrong 0\n", done.stderr
    assert devices.ran_on(report) == {"nic", "nic on the engine"}


@pytest.mark.exhaustive
@pytest.mark.parametrize("stopped", [devices.ALL[1], devices.SWITCH])
def test_an_agent_that_is_stopped_is_as_none(lab: None, program: str, tmp_path: Path, stopped: str) -> None:
    """One of a host that is there but does not answer, or the switch's: the job goes on without, after a while."""
    del lab
    with devices.stopped(stopped):
        done, report = devices.run(program, tmp_path, devices.HOSTS, "barrier=nic")
    assert done.stdout == "wrong 0\n", done.stderr
    if stopped == devices.SWITCH:
        assert devices.ran_on(report) == {"nic", "nic on the engine"}
        assert "no aggregator joins the hosts" in str(report["nic"])
    else:
        assert devices.ran_on(report) >= {"nic on the engine"}
        assert "rank 1: the agent does not answer" in str(report["nic"])
