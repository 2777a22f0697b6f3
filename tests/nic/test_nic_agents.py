# SPDX-License-Identifier: BSD-3-Clause
"""Agents that are killed and replaced while jobs run, that are there twice, that are too old, that end."""

import contextlib
import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import cards
import devices
import pytest

from thalweg.lab.hosts import folder_of
from thalweg.nic.limits import Limits

pytestmark = cards.NEED


def _kill_servers_while(job: Future[tuple[devices.Finished, dict[str, object]]]) -> int:
    """Kill what serves on random hosts at random times, once all ranks have joined; give how often."""
    while not job.done() and not devices.has_calls():
        time.sleep(0.05)
    killed = 0
    while not job.done():
        for pid in devices.serving(random.choice(devices.ALL)):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
                killed += 1
        time.sleep(random.uniform(0.01, 0.2))
    return killed


@pytest.mark.parametrize(
    "case",
    [
        ("", devices.HOSTS, 1000),
        pytest.param(("tcx", 2 * devices.HOSTS, 5000), marks=pytest.mark.exhaustive),
        pytest.param(("clsact", devices.HOSTS, 5000), marks=pytest.mark.exhaustive),
    ],
)
def test_what_serves_is_replaced_within_a_job(
    lab: None, program: str, tmp_path: Path, case: tuple[str, int, int]
) -> None:
    """Barriers go on in the kernel, and the next process has the same groups and members."""
    del lab
    hook, ranks, barriers = case
    log = tmp_path / "log" if hook else folder_of(devices.NAME) / "agents.log"
    if hook:
        devices.serve(hook, log)
    with ThreadPoolExecutor(1) as pool:
        job = pool.submit(devices.run, program, tmp_path, ranks, "barrier=nic", barriers)
        killed = _kill_servers_while(job)
        done, report = job.result()
    assert done.stdout == "wrong 0\n", done.stderr
    assert "nic" in devices.ran_on(report)
    assert killed > 0
    assert log.read_text().count("by signal 9; another one goes on") > 0
    while devices.has_ranks():  # the ends of ranks are seen by those that came later
        time.sleep(0.05)


@pytest.mark.exhaustive
def test_reductions_and_nonblocking_calls_go_on_when_what_serves_is_replaced(
    lab: None, reductions: str, nonblocking: str, tmp_path: Path
) -> None:
    """Right, and none hangs; nonblocking calls may end later than ranks compute, as much is lost."""
    del lab
    devices.serve("tcx", tmp_path / "log")
    devices.lose_packets(tmp_path)
    with ThreadPoolExecutor(1) as pool:
        words = (tmp_path, devices.HOSTS, "allreduce=nic;reduce=nic", reductions, str(20 * int(devices.TURNS)))
        job = pool.submit(devices.run_words, *words)
        assert _kill_servers_while(job) > 0
        done, _ = job.result()
        assert done.stdout.startswith("wrong 0 "), done.stdout + done.stderr
        job = pool.submit(devices.run_nonblocking, nonblocking, tmp_path)
        _kill_servers_while(job)
        done, _ = job.result()
    assert done.stdout.startswith("wrong 0, "), done.stdout + done.stderr


def test_a_second_agent_leaves_the_first_one_alone(lab: None) -> None:
    del lab
    before = devices.agents(devices.ALL[0])
    second = devices.thalweg("nic", "serve", host=devices.ALL[0])
    assert second.returncode != 0
    assert "one agent serves a host" in second.stderr
    assert devices.agents(devices.ALL[0]) == before
    assert devices.thalweg("nic", "status", host=devices.ALL[0]).returncode == 0


@pytest.mark.exhaustive
def test_a_users_starts_are_held_back_beyond_the_limit(lab: None, program: str, tmp_path: Path) -> None:
    """They are as lost, so all is right, and takes longer."""
    del lab
    devices.serve("tcx", tmp_path / "log", Limits((), 64, 30))
    done, report = devices.run(program, tmp_path, devices.HOSTS, "barrier=nic", 20)
    assert done.stdout == "wrong 0\n", done.stderr
    assert "nic" in devices.ran_on(report)
    said = devices.thalweg("nic", "status", host=devices.ALL[0]).stdout
    assert re.search(r", [1-9]\d* held back", said)


OLD_AGENT = """
import socket, struct
agent = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
agent.bind(b"\\0thalweg-nic")
agent.listen()
print("serving", flush=True)
for _ in range(2):  # a rank asks at its start, and again when it wants a group
    connection = agent.accept()[0]
    version = struct.unpack_from("I", connection.recv(4096))[0]
    connection.send(struct.pack("IIII112s", 1, 1, 0, 0, f"the agent speaks version 1, not {version}".encode()))
"""


@pytest.mark.exhaustive
def test_an_agent_of_an_older_version_is_as_none(lab: None, program: str, tmp_path: Path) -> None:
    del lab
    devices.serve("tcx", tmp_path / "log")
    devices.end(devices.ALL[1])
    inside = ["ip", "netns", "exec", devices.ALL[1], sys.executable, "-c", OLD_AGENT]
    with subprocess.Popen(inside, stdout=subprocess.PIPE, text=True) as old:
        assert old.stdout is not None
        assert old.stdout.readline() == "serving\n"
        done, report = devices.run(program, tmp_path, devices.HOSTS, "barrier=nic")
    assert done.stdout == "wrong 0\n", done.stderr
    assert "rank 1: the agent refuses: the agent speaks version 1, not" in str(report["nic"])
    assert devices.ran_on(report) >= {"nic on the engine"}


@pytest.mark.exhaustive
@pytest.mark.parametrize("hook", ["tcx", "clsact"])
def test_a_job_whose_agent_ends_goes_on(lab: None, program: str, tmp_path: Path, hook: str) -> None:
    del lab
    devices.serve(hook, tmp_path / "log")
    with ThreadPoolExecutor(1) as pool:
        job = pool.submit(devices.run, program, tmp_path, devices.HOSTS, "barrier=nic", 1_000_000)
        while not json.loads(devices.thalweg("nic", "status", "--json", host=f"{devices.NAME}-h2").stdout)["groups"]:
            time.sleep(0.05)
        devices.end(f"{devices.NAME}-h2")
        devices.say_enough(tmp_path)
        done, report = job.result()
    assert done.stdout == "wrong 0\n", done.stderr
    assert f"the agent of {devices.NAME}-h2 has ended, and our engine runs them" in str(report["nic"])
