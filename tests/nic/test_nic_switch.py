# SPDX-License-Identifier: BSD-3-Clause
"""A switch or a host that aggregates for a lab's hosts, and what becomes of jobs when it ends."""

import contextlib
import os
import signal
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import cards
import devices
import pytest

from thalweg.lab.hosts import folder_of
from thalweg.nic.agent import start_on

pytestmark = cards.NEED

RANKS = devices.HOSTS


@contextlib.contextmanager
def _waiting(program: str, folder: Path) -> Iterator[Future[tuple[devices.Finished, dict[str, object]]]]:
    """Have a job whose ranks are at their barriers, until it is told that these are enough."""
    with ThreadPoolExecutor(1) as pool:
        job = pool.submit(devices.run, program, folder, RANKS, "barrier=nic", 1_000_000)
        try:
            while not devices.has_calls():
                assert not job.done()
            yield job
        finally:
            devices.say_enough(folder)


def test_a_job_goes_on_when_its_aggregator_has_ended_and_later_jobs_do_without(
    lab: None, program: str, tmp_path: Path
) -> None:
    """Its host still answers: only its agent is gone, with the switch's programs."""
    del lab
    with _waiting(program, tmp_path) as job:
        (group,) = [group for group in devices.status(devices.SWITCH)["groups"] if not group["gone"]]
        assert (group["ranks"], group["cards"], group["user"]) == (0, RANKS, devices.NOBODY)
        said = devices.thalweg("nic", "status", host=devices.SWITCH).stdout
        assert "which aggregates for other hosts" in said
        assert f"joins {RANKS} hosts" in said
        said = devices.thalweg("nic", "status", host=devices.ALL[0]).stdout
        assert f"whose groups {devices.SWITCH} may join" in said
        devices.end(devices.SWITCH)
        devices.say_enough(tmp_path)
        _expect_told(*job.result())
    done, report = devices.run(program, tmp_path, RANKS, "barrier=nic")
    assert done.stdout == "wrong 0\n", done.stderr
    said = str(report["nic"])
    assert f"no aggregator joins the hosts: rank 0: the aggregator at {devices.AGGREGATOR} does not answer" in said
    assert devices.ran_on(report) == {"nic", "nic on the engine"}
    _serve_on_the_switch()


def _expect_told(done: devices.Finished, report: dict[str, object]) -> None:
    """It may have not told its name yet."""
    assert done.stdout == "wrong 0\n", done.stderr
    said = str(report["nic"])
    names = (devices.SWITCH, devices.AGGREGATOR)
    assert any(f"the agent of {name} has ended, and our engine runs them" in said for name in names), said


def _serve_on_the_switch() -> None:
    log = folder_of(devices.NAME) / "switch.log"
    start_on([devices.SWITCH], "bridge", log, aggregator="self")


@pytest.mark.exhaustive
def test_another_agent_on_the_switch_does_not_know_the_groups_of_one_before(
    lab: None, program: str, tmp_path: Path
) -> None:
    """It comes so soon that nobody may have noticed that there was none."""
    del lab
    with _waiting(program, tmp_path) as job:
        devices.end(devices.SWITCH)
        _serve_on_the_switch()
        devices.say_enough(tmp_path)
        _expect_told(*job.result())


def _run_all(folder: Path, ranks: int, use: str, programs: dict[str, str]) -> None:
    for run, name in ((devices.run_broadcasts, "broadcasts"), (devices.run_blocks, "blocks")):
        done, report = run(programs[name], folder, ranks, use)
        assert done.stdout == "wrong 0, ended while all computed\n", done.stdout + done.stderr
        assert "joined by that of" in str(report["nic"])
    words = [programs["reductions"], devices.TURNS]
    done, _ = devices.run_words(folder, ranks, f"allreduce={use};reduce={use}", *words)
    assert done.stdout.startswith("wrong 0 "), done.stdout + done.stderr


@pytest.mark.exhaustive
@pytest.mark.parametrize("hook", ["tcx", "clsact"])
def test_the_switch_aggregates_though_its_agent_is_killed(
    lab: None, programs: dict[str, str], tmp_path: Path, hook: str
) -> None:
    """The process that serves: another one goes on with the same groups. Trees deeper than a switch, several ranks."""
    del lab
    devices.serve(hook, tmp_path / "log", aggregator=devices.AGGREGATOR)
    with ThreadPoolExecutor(1) as pool:
        job = pool.submit(_run_all, tmp_path, 2 * RANKS - 1, "nic:radix=2", programs)
        while not job.done():
            for pid in (killed := devices.serving(devices.SWITCH)):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            # Another one says how its groups are before it answers: who says nothing for long is taken for gone.
            devices.wait_for_another(devices.SWITCH, killed)
        job.result()


@pytest.mark.exhaustive
def test_packets_to_and_from_the_switch_that_are_lost_are_sent_again(
    lab: None, programs: dict[str, str], nonblocking: str, tmp_path: Path
) -> None:
    """Also for ranks that compute."""
    del lab
    devices.serve("clsact", tmp_path / "log", aggregator=devices.AGGREGATOR)
    devices.lose_packets(tmp_path)
    devices.lose_packets(tmp_path, "egress")
    _run_all(tmp_path, RANKS, "nic", programs)
    done, _ = devices.run_nonblocking(nonblocking, tmp_path)
    assert done.stdout == "wrong 0, ended while all computed\n", done.stdout + done.stderr


@pytest.mark.exhaustive
def test_a_host_without_ranks_aggregates_as_well(lab: None, programs: dict[str, str], tmp_path: Path) -> None:
    del lab
    box, address = devices.ALL[-1], f"10.77.0.{RANKS}"
    devices.end_all()
    start_on([box], "eth0", tmp_path / "log", aggregator="self")
    start_on(devices.ALL[:-1], "eth0", tmp_path / "log", aggregator=address)
    _run_all(tmp_path, RANKS - 1, "nic", programs)
    assert all(group["ranks"] == 0 for group in devices.status(box)["groups"])
