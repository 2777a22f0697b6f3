# SPDX-License-Identifier: BSD-3-Clause
"""Collectives on the network devices of a lab's hosts, by an unmodified MPI program; and what is left of them."""

import json
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import cards
import devices
import pytest

pytestmark = cards.NEED


@pytest.mark.parametrize("case", [(devices.HOSTS, "nic"), (2 * devices.HOSTS, "nic:radix=2,where=card")])
def test_an_unmodified_program_runs_its_barriers_on_the_devices(
    lab: None, program: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: tuple[int, str]
) -> None:
    """Ranks that sleep at once, so often that the doorbell's ring goes round; or that poll and yield before."""
    del lab
    ranks, use = case
    if ranks == devices.HOSTS:
        monkeypatch.setenv("THALWEG_YIELD_US", "0")
    done, report = devices.run(program, tmp_path, ranks, f"barrier={use}", 600)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "wrong 0\n"
    joined = "" if "card" in use else f", joined by that of {devices.AGGREGATOR}"
    assert report["nic"] == f"collectives run on the hosts' network devices{joined}"
    assert use in devices.ran_on(report)
    last = report["last_on_nics"]
    assert isinstance(last, list)
    assert {entry["function"] for entry in last} == {"MPI_Barrier"}
    assert {entry["rank"] for entry in last} <= set(range(ranks))
    assert sum(entry["calls"] for entry in last) > 0
    status = json.loads(devices.thalweg("nic", "status", "--json", host=f"{devices.NAME}-h0").stdout)
    assert status["starts"] > 0
    assert status["refused"] == 0
    assert {group["user"] for group in status["groups"]} <= {devices.NOBODY}  # most are forgotten


def test_nonblocking_calls_end_while_ranks_compute(lab: None, nonblocking: str, tmp_path: Path) -> None:
    """Also several at once, and barriers of two communicators in opposite order."""
    del lab
    done, report = devices.run_nonblocking(nonblocking, tmp_path)
    assert done.stdout == "wrong 0, ended while all computed\n", done.stdout + done.stderr
    for function in ("MPI_Ibarrier", "MPI_Iallreduce", "MPI_Ireduce"):
        assert devices.ran_on(report, function) == {"nic"}


def test_broadcasts_of_all_lengths_and_roots_are_relayed(lab: None, broadcasts: str, tmp_path: Path) -> None:
    """Where a rank comes late, and with two ranks on a host; those that are too long for cards run on the engine."""
    del lab
    for ranks, use in ((devices.HOSTS, "nic"), (2 * devices.HOSTS - 1, "nic:radix=2,where=card")):
        done, report = devices.run_broadcasts(broadcasts, tmp_path, ranks, use)
        assert done.stdout == "wrong 0, ended while all computed\n", done.stdout + done.stderr
        assert devices.ran_on(report, "MPI_Ibcast") == {use}
        assert devices.ran_on(report, "MPI_Bcast") == {use, f"{use} on the engine"}
        assert "MPI_Bcast of no or of more than 90112 bytes runs on our engine" in str(report["nic"])


def test_blocks_are_put_together_and_dealt_out(lab: None, blocks: str, tmp_path: Path) -> None:
    """At all roots, in place, in datatypes with gaps, nonblocking; the engine runs what is too long for cards."""
    del lab
    for ranks, use in ((devices.HOSTS, "nic"), (2 * devices.HOSTS - 1, "nic:radix=2,where=card")):
        done, report = devices.run_blocks(blocks, tmp_path, ranks, use)
        assert done.stdout == "wrong 0, ended while all computed\n", done.stdout + done.stderr
        for call in ("gather", "allgather", "scatter"):
            assert devices.ran_on(report, f"MPI_{call.capitalize()}") == {use, f"{use} on the engine"}
            assert devices.ran_on(report, f"MPI_I{call}") == {use}
        assert "MPI_Gather of no or of more than 8192 bytes in all runs on our engine" in str(report["nic"])


def test_messages_are_matched_on_the_devices_of_their_receivers(lab: None, messages: str) -> None:
    """With any source and any tag, long ones, and those of ranks of the same host."""
    del lab
    done = devices.thalweg("lab", "run", "-n", str(2 * devices.HOSTS - 1), "--", messages)
    assert done.stdout == "all right: messages are matched on the hosts' network devices\n", done.stdout + done.stderr


def test_exact_sums_are_those_of_no_order(lab: None, exact_sums: str, tmp_path: Path) -> None:
    """Of so many ranks on so many hosts, in two orders of ranks; what is too long runs on the engine."""
    del lab
    use = "allreduce=nic:sum=exact;reduce=nic:sum=exact"
    for ranks in (devices.HOSTS, 2 * devices.HOSTS - 1):
        done, report = devices.run_words(tmp_path, ranks, use, exact_sums)
        assert "passed exact_sums" in done.stdout, done.stdout + done.stderr
        for function in ("MPI_Allreduce", "MPI_Reduce", "MPI_Iallreduce", "MPI_Ireduce"):
            assert "nic:sum=exact" in devices.ran_on(report, function)


def test_reductions_on_the_devices_have_the_engines_bits(lab: None, reductions: str, tmp_path: Path) -> None:
    """With one rank on a host and with two; the engine runs the same schedule where an agent is missing."""
    del lab
    found = {}
    for ending in ("nic", "nic on the engine"):
        for ranks in (devices.HOSTS, 2 * devices.HOSTS - 2):
            done, report = devices.run_words(tmp_path, ranks, "allreduce=nic;reduce=nic", reductions, devices.TURNS)
            assert done.stdout.startswith("wrong 0 "), done.stdout + done.stderr
            assert ending in devices.ran_on(report, "MPI_Allreduce") & devices.ran_on(report, "MPI_Reduce")
            assert "MPI_Allreduce of no or of more than 256 words runs on our engine" in str(report["nic"])
            found[ending, ranks] = done.stdout
        if ending == "nic":
            devices.end(f"{devices.NAME}-h1")
    for ranks in (devices.HOSTS, 2 * devices.HOSTS - 2):
        assert found["nic", ranks] == found["nic on the engine", ranks]


def test_without_an_agent_the_engine_runs_them_and_the_report_says_so(
    lab: None, program: str, messages: str, tmp_path: Path
) -> None:
    del lab
    if devices.agents(f"{devices.NAME}-h1"):
        devices.end(f"{devices.NAME}-h1")
    done, report = devices.run(program, tmp_path, devices.HOSTS, "barrier=nic")
    assert done.stdout == "wrong 0\n", done.stderr
    assert "rank 1: no agent serves the network device" in str(report["nic"])
    assert devices.ran_on(report) >= {"nic on the engine"}
    done = devices.thalweg("lab", "run", "-n", str(devices.HOSTS), "--", messages)
    assert "all right: the MPI library matches messages: rank 1: no agent serves" in done.stdout, done.stderr
    missing = devices.thalweg("nic", "status", host=f"{devices.NAME}-h1")
    assert missing.returncode == 8
    assert "thalweg nic serve" in missing.stderr


@pytest.mark.exhaustive
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_filters_of_clsact_do_as_well(lab: None, program: str, messages: str, tmp_path: Path, number: int) -> None:
    """They are taken away also where the process that keeps is killed."""
    del lab
    devices.end_all()
    devices.serve("clsact", tmp_path / "log")
    done, report = devices.run(program, tmp_path, devices.HOSTS, "barrier=nic")
    assert done.stdout == "wrong 0\n", done.stderr
    assert "nic" in devices.ran_on(report)
    test_messages_are_matched_on_the_devices_of_their_receivers(None, messages)
    programs = devices.programs()
    assert len(programs) == 2 * devices.HOSTS
    devices.end_all(number)
    assert devices.left_of(programs) == {}


@pytest.mark.exhaustive
def test_messages_that_are_lost_are_sent_again(lab: None, messages: str, tmp_path: Path) -> None:
    del lab
    devices.serve("tcx", tmp_path / "log")
    devices.lose_packets(tmp_path)
    test_messages_are_matched_on_the_devices_of_their_receivers(None, messages)


@pytest.mark.exhaustive
@pytest.mark.usefixtures("lab")
def test_packets_that_are_lost_are_sent_again(
    nonblocking: str, reductions: str, broadcasts: str, blocks: str, tmp_path: Path
) -> None:
    """By ranks that wait, and for those that do not by their agents."""
    devices.serve("tcx", tmp_path / "log")
    devices.lose_packets(tmp_path)
    done, report = devices.run_nonblocking(nonblocking, tmp_path)
    assert done.stdout == "wrong 0, ended while all computed\n", done.stdout + done.stderr
    assert devices.ran_on(report, "MPI_Iallreduce") == {"nic"}
    done, _ = devices.run_words(tmp_path, devices.HOSTS, "allreduce=nic;reduce=nic", reductions, devices.TURNS)
    assert done.stdout.startswith("wrong 0 "), done.stdout + done.stderr
    for ranks, use in ((devices.HOSTS, "nic"), (2 * devices.HOSTS - 1, "nic:radix=2,where=card")):
        for run, program in ((devices.run_broadcasts, broadcasts), (devices.run_blocks, blocks)):
            done, _ = run(program, tmp_path, ranks, use)
            assert done.stdout == "wrong 0, ended while all computed\n", done.stdout + done.stderr


FORGER = """
import socket, struct, sys, time
from thalweg.nic.status import VERSION
seen = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
seen.bind(("", 7747))
end = time.monotonic() + 2
while time.monotonic() < end:
    for kind in (1, 2, 3):
        for epoch in range(1, 40):
            packet = struct.pack(">HBBIQIBBHII", 0x5457, VERSION, kind, int(sys.argv[1], 16), 1, epoch, 1, 0, 0, 0, 0)
            seen.sendto(packet, ("10.77.0.1", 7747))
"""


@pytest.mark.exhaustive
def test_forged_packets_are_refused_and_counted(lab: None, program: str, tmp_path: Path) -> None:
    del lab
    devices.serve("tcx", tmp_path / "log")
    with ThreadPoolExecutor(1) as pool:
        job = pool.submit(devices.run, program, tmp_path, devices.HOSTS, "barrier=nic", 4000)
        groups: list[dict[str, str]] = []
        while not groups:
            time.sleep(0.05)
            groups = json.loads(devices.thalweg("nic", "status", "--json", host=f"{devices.NAME}-h0").stdout)["groups"]
        forger = ["ip", "netns", "exec", f"{devices.NAME}-h3", sys.executable, "-c", FORGER, groups[0]["group"]]
        subprocess.run(forger, check=True)
        done, _ = job.result()
    assert done.stdout == "wrong 0\n", done.stderr
    assert json.loads(devices.thalweg("nic", "status", "--json", host=f"{devices.NAME}-h0").stdout)["refused"] > 100
