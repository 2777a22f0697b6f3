"""Barriers on the network devices of a lab's hosts, by an unmodified MPI program; and what is left of them."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from thalweg.errors import ThalwegError
from thalweg.lab.hosts import folder_of
from thalweg.nic.agent import command

SOURCE = Path(__file__).parent / "barriers.c"
NAME = f"nic{os.getpid()}"
HOSTS = 4

Finished = subprocess.CompletedProcess[str]


def _why_not() -> str:
    if os.geteuid() != 0:
        return "root alone may load programs into the kernel"
    try:
        command("eth0", "best")
    except ThalwegError as error:
        return error.message
    return ""


pytestmark = [pytest.mark.skipif(bool(_why_not()), reason=_why_not() or "it runs"), pytest.mark.xdist_group("lab")]


def _thalweg(*words: str, host: str = "") -> Finished:
    inside = ["ip", "netns", "exec", host] if host else []
    return subprocess.run(
        [*inside, sys.executable, "-m", "thalweg", *words],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env=os.environ | {"THALWEG_LAB": NAME},
    )


def _agents(host: str) -> list[int]:
    pids = subprocess.run(["ip", "netns", "pids", host], capture_output=True, text=True, check=True).stdout.split()
    return [int(pid) for pid in pids if "thalweg-nic-agent" in Path("/proc", pid, "cmdline").read_text()]


def _attached(host: str) -> list[str]:
    """Name the programs on a host's device, as the kernel lists them."""
    words = ["ip", "netns", "exec", host, "bpftool", "--json", "net", "show", "dev", "eth0"]
    listed = json.loads(subprocess.run(words, capture_output=True, text=True, check=True).stdout)
    return [program["name"] for program in listed[0]["tc"]]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("nic") / "barriers"
    subprocess.run(["mpicc.openmpi", "-O1", "-o", str(path), str(SOURCE)], check=True)
    return str(path)


@pytest.fixture(scope="module")
def lab() -> Iterator[None]:
    made = _thalweg("lab", "up", "--hosts", str(HOSTS), "--nic")
    if made.returncode != 0 and "does not load" in made.stderr:
        pytest.skip(made.stderr)
    assert made.returncode == 0, made.stderr
    yield
    assert _thalweg("lab", "down").returncode == 0
    assert not folder_of(NAME).exists()


def _run(program: str, folder: Path, ranks: int, use: str, barriers: int = 200) -> tuple[Finished, dict[str, object]]:
    report = folder / "report.json"
    words = ["--use", use, "--report", str(report), "--", program, str(folder / "entered"), str(barriers)]
    done = _thalweg("lab", "run", "-n", str(ranks), *words)
    found = json.loads(report.read_text()) if report.exists() else {}
    return done, found


def _ran_on(report: dict[str, object]) -> set[str]:
    calls = report["calls"]
    assert isinstance(calls, list)
    return {end["strategy"] for call in calls if call["function"] == "MPI_Barrier" for end in call["ran_on"]}


@pytest.mark.parametrize(("ranks", "use"), [(HOSTS, "nic"), (2 * HOSTS, "nic:radix=2")])
def test_an_unmodified_program_runs_its_barriers_on_the_devices(
    lab: None, program: str, tmp_path: Path, ranks: int, use: str
) -> None:
    del lab
    done, report = _run(program, tmp_path, ranks, f"barrier={use}")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "wrong 0\n"
    assert report["network_device"] == "barriers run on the hosts' network devices"
    assert use in _ran_on(report)
    status = json.loads(_thalweg("nic", "status", "--json", host=f"{NAME}-h0").stdout)
    assert status["starts"] > 0
    assert status["refused"] == 0


def test_without_an_agent_the_engine_runs_them_and_the_report_says_so(
    lab: None, program: str, tmp_path: Path
) -> None:
    del lab
    (agent,) = _agents(f"{NAME}-h1")
    os.kill(agent, signal.SIGKILL)
    while _attached(f"{NAME}-h1"):
        time.sleep(0.01)
    done, report = _run(program, tmp_path, HOSTS, "barrier=nic")
    assert done.stdout == "wrong 0\n", done.stderr
    assert "rank 1: no agent serves the network device" in str(report["network_device"])
    assert _ran_on(report) >= {"nic on the engine"}
    missing = _thalweg("nic", "status", host=f"{NAME}-h1")
    assert missing.returncode == 8
    assert "thalweg nic serve" in missing.stderr
