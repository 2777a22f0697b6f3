# SPDX-License-Identifier: BSD-3-Clause
"""Leaves and a spine that aggregate: routers of a lab that is a fat tree."""

import os
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import cards
import devices
import pytest

from thalweg.lab.hosts import saved
from thalweg.nic.agent import start_on
from thalweg.trials.session import Session, start_words
from thalweg.trials.shipped import trial_program

pytestmark = cards.NEED

RANKS = devices.HOSTS
LEAVES = [f"{devices.NAME}-s0", f"{devices.NAME}-s1"]
SPINE = f"{devices.NAME}-s2"
SPINE_ADDRESS = "10.78.0.3"
JOINED = f"joined by those of 2 switches and by that of {SPINE_ADDRESS}"
_NEW_LINK = """
ip -n {leaf} link del h3
ip -n {leaf} link add h3 type veth peer name eth0 netns {host}
ip -n {host} address add 10.77.0.4/24 dev eth0
ip -n {host} link set eth0 up
ip -n {host} route add 10.78.0.0/16 dev eth0
ip -n {leaf} address add 10.77.0.254/32 dev h3
ip -n {leaf} link set h3 up
ip -n {leaf} route add 10.77.0.4/32 dev h3
ip netns exec {leaf} sh -c 'cd /proc/sys/net/ipv4; echo 0 > conf/h3/rp_filter; echo 1 > conf/h3/proxy_arp'
"""


@pytest.fixture(scope="module")
def fat_tree() -> Iterator[None]:
    devices.lab_up(RANKS, "fat-tree:2x2")
    yield
    assert devices.thalweg("lab", "down").returncode == 0


def _serve(hook: str, log: Path, *, has_spine: bool = True) -> None:
    """Have agents on all hosts and switches with that hook, whatever was there before."""
    lab = saved(devices.NAME)
    assert lab is not None
    for host in (*devices.ALL, *LEAVES, SPINE):
        if devices.agents(host):
            devices.end(host)
    above = ""
    if has_spine:
        above = f",{SPINE_ADDRESS}"
        start_on([SPINE], "lo/all", log, hook=hook, aggregator="self")
    start_on(LEAVES, "lo/all", log, hook=hook, aggregator=f"self{above}")
    for host, name in enumerate(devices.ALL):
        start_on([name], "eth0", log, hook=hook, aggregator=lab.leaf_address(host))


def _reduce(folder: Path, program: str, ranks: int, use: str) -> tuple[str, str]:
    """Give the digest of all results, and what the devices did."""
    done, report = devices.run_words(folder, ranks, f"allreduce={use};reduce={use}", program, devices.TURNS)
    assert done.stdout.startswith("wrong 0 "), done.stdout + done.stderr
    return done.stdout, str(report["nic"])


def test_a_job_that_is_tuned_knows_which_switches_its_hosts_are_on(fat_tree: None) -> None:
    """So what is predicted is the tree that runs (test_nic_tree.py)."""
    del fat_tree
    with Session(start_words([], RANKS, trial_program("openmpi", os.environ)), lab=devices.NAME) as session:
        assert session.job.leaves == (0, 0, 1, 1)
        assert not session.has_devices()


def test_leaves_and_a_spine_join_the_hosts_with_the_same_bits_until_a_leaf_is_killed(
    fat_tree: None, reductions: str, broadcasts: str, program: str, tmp_path: Path
) -> None:
    """Later jobs do without."""
    del fat_tree
    digest, said = _reduce(tmp_path, reductions, RANKS, "nic")
    assert JOINED in said
    for switch in (*LEAVES, SPINE):
        assert {(group["ranks"], group["cards"]) for group in devices.status(switch)["groups"]} <= {(0, 2)}
    assert _reduce(tmp_path, reductions, RANKS, "nic:where=card")[0] == digest
    done, report = devices.run_broadcasts(broadcasts, tmp_path, RANKS, "nic")
    assert done.stdout == "wrong 0, ended while all computed\n", done.stdout + done.stderr
    assert JOINED in str(report["nic"])
    devices.end(LEAVES[1])
    done, report = devices.run(program, tmp_path, RANKS, "barrier=nic")
    assert done.stdout == "wrong 0\n", done.stderr
    assert devices.ran_on(report) == {"nic", "nic on the engine"}
    assert "the aggregator at 10.78.0.2 does not answer" in str(report["nic"])


def _run_all(
    folder: Path, ranks: int, use: str, programs: dict[str, str], joined: str, *, said: str = "wrong 0, ended while"
) -> None:
    for run, name in ((devices.run_broadcasts, "broadcasts"), (devices.run_blocks, "blocks")):
        done, report = run(programs[name], folder, ranks, use)
        assert done.stdout.startswith(said), done.stdout + done.stderr
        assert joined in str(report["nic"])
    digest, ran = _reduce(folder, programs["reductions"], ranks, use)
    assert joined in ran
    assert _reduce(folder, programs["reductions"], ranks, f"{use},where=card")[0] == digest


@pytest.mark.exhaustive
@pytest.mark.parametrize("hook", ["tcx", "clsact"])
def test_all_collectives_are_right_with_several_ranks_a_host(
    fat_tree: None, programs: dict[str, str], tmp_path: Path, hook: str
) -> None:
    del fat_tree
    _serve(hook, tmp_path / "log")
    _run_all(tmp_path, 2 * RANKS - 1, "nic:radix=2", programs, JOINED)


@pytest.mark.exhaustive
def test_leaves_join_their_hosts_without_a_spine(fat_tree: None, programs: dict[str, str], tmp_path: Path) -> None:
    """The root's leaf is above the other one then."""
    del fat_tree
    _serve("best", tmp_path / "log", has_spine=False)
    _run_all(tmp_path, RANKS, "nic:radix=8", programs, "joined by those of 2 switches")


@pytest.mark.exhaustive
def test_where_an_agent_has_not_answered_at_the_start_hosts_do_without_switches(
    fat_tree: None, transfers: str, tmp_path: Path
) -> None:
    """It answers before the first barrier, but ranks did not know each host's switch."""
    del fat_tree
    _serve("best", tmp_path / "log")
    done, report = devices.run_transfers(transfers, tmp_path, "barrier")
    assert done.returncode == 0, done.stderr
    assert devices.ran_on(report) == {"nic", "nic on the engine"}
    assert "no aggregator joins the hosts: when MPI began, agents named others or none" in str(report["nic"])


@pytest.mark.exhaustive
@pytest.mark.parametrize("ended", [LEAVES[0], LEAVES[1], SPINE])
def test_a_job_goes_on_when_a_switch_has_ended(fat_tree: None, program: str, tmp_path: Path, ended: str) -> None:
    del fat_tree
    _serve("best", tmp_path / "log")
    with ThreadPoolExecutor(1) as pool:
        job = pool.submit(devices.run, program, tmp_path, RANKS, "barrier=nic", 1_000_000)
        while not devices.has_calls():
            assert not job.done()
        devices.end(ended)
        devices.say_enough(tmp_path)
        done, report = job.result()
    assert done.stdout == "wrong 0\n", done.stderr
    assert "has ended, and our engine runs them from then on" in str(report["nic"])
    done, report = devices.run(program, tmp_path, RANKS, "barrier=nic")
    assert done.stdout == "wrong 0\n", done.stderr
    assert "no aggregator joins the hosts" in str(report["nic"])


@pytest.mark.exhaustive
@pytest.mark.parametrize("hook", ["tcx", "clsact"])
def test_a_link_that_comes_later_is_served(fat_tree: None, reductions: str, tmp_path: Path, hook: str) -> None:
    """The router takes packets for itself at its ports alone; the host's only device is another one then."""
    del fat_tree
    _serve(hook, tmp_path / "log")
    subprocess.run(["sh", "-ec", _NEW_LINK.format(leaf=LEAVES[1], host=devices.ALL[-1])], check=True)
    devices.wait_until(lambda: devices.is_hooked(LEAVES[1], "h3"))
    assert JOINED in _reduce(tmp_path, reductions, RANKS, "nic")[1]


@pytest.mark.exhaustive
def test_packets_that_are_lost_between_switches_are_sent_again(
    fat_tree: None, programs: dict[str, str], nonblocking: str, tmp_path: Path
) -> None:
    """And on the links of two hosts; also for ranks that compute, though that may take longer than they do."""
    del fat_tree
    _serve("clsact", tmp_path / "log")
    ports = [(LEAVES[0], "s2"), (LEAVES[1], "s2"), (LEAVES[0], "h0"), (LEAVES[1], "h2")]
    for where in ("ingress", "egress"):
        devices.lose_packets(tmp_path, where, ports)
    _run_all(tmp_path, RANKS, "nic:radix=8", programs, JOINED, said="wrong 0")
    done, _ = devices.run_nonblocking(nonblocking, tmp_path)
    assert done.stdout.startswith("wrong 0"), done.stdout + done.stderr
