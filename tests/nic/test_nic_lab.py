"""Collectives on the network devices of a lab's hosts, by an unmodified MPI program; and what is left of them."""

import json
import os
import signal
import subprocess
import sys
import sysconfig
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import cards
import pytest

from thalweg.lab.hosts import folder_of
from thalweg.nic.agent import start_on

SOURCES = Path(__file__).parent
NAME = f"nic{os.getpid()}"
HOSTS = 4
TURNS = "60"  # 56 have a vector that is too long for cards
ALL = [f"{NAME}-h{index}" for index in range(HOSTS)]
NOBODY = 65534

Finished = subprocess.CompletedProcess[str]


pytestmark = cards.NEED


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


def _end(host: str, number: int = signal.SIGKILL) -> None:
    """End a host's agent, and wait until it is gone."""
    (agent,) = _agents(host)
    os.kill(agent, number)
    while _agents(host):
        time.sleep(0.01)


def _loaded() -> dict[int, str]:
    """Give the names of the programs that the kernel has, by number: those that no hook and no process holds end."""
    listed = subprocess.run(["bpftool", "--json", "prog", "show"], capture_output=True, text=True, check=True).stdout
    return {entry["id"]: entry.get("name", "") for entry in json.loads(listed) if entry["type"] == "sched_cls"}


def _are_gone(programs: Iterable[int]) -> bool:
    """Tell whether they end within a few seconds."""
    return any(not set(programs) & set(_loaded()) or time.sleep(0.1) for _ in range(50))


def _compiled(name: str, folders: pytest.TempPathFactory) -> str:
    path = folders.mktemp("nic") / name
    subprocess.run(["mpicc.openmpi", "-O1", "-o", str(path), str(SOURCES / f"{name}.c")], check=True)
    return str(path)


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> str:
    return _compiled("barriers", tmp_path_factory)


@pytest.fixture(scope="module")
def reductions(tmp_path_factory: pytest.TempPathFactory) -> str:
    return _compiled("reductions", tmp_path_factory)


@pytest.fixture(scope="module")
def lab() -> Iterator[None]:
    before = set(_loaded())
    made = _thalweg("lab", "up", "--hosts", str(HOSTS), "--nic")
    if made.returncode != 0 and "does not load" in made.stderr:
        pytest.skip(made.stderr)
    assert made.returncode == 0, made.stderr
    programs = set(_loaded()) - before
    assert len(programs) >= 2 * HOSTS
    yield
    programs |= set(_loaded()) - before
    assert _thalweg("lab", "down").returncode == 0
    assert not folder_of(NAME).exists()
    assert _are_gone(programs)


def _run_words(folder: Path, ranks: int, use: str, *words: str) -> tuple[Finished, dict[str, object]]:
    report = folder / "report.json"
    done = _thalweg("lab", "run", "-n", str(ranks), "--use", use, "--report", str(report), "--", *words)
    return done, json.loads(report.read_text()) if report.exists() else {}


def _run(program: str, folder: Path, ranks: int, use: str, barriers: int = 200) -> tuple[Finished, dict[str, object]]:
    entered = folder / "entered"
    entered.write_bytes(bytes(8192))
    return _run_words(folder, ranks, use, program, str(entered), str(barriers))


def _ran_on(report: dict[str, object], function: str = "MPI_Barrier") -> set[str]:
    calls = report["calls"]
    assert isinstance(calls, list)
    return {end["strategy"] for call in calls if call["function"] == function for end in call["ran_on"]}


@pytest.mark.parametrize(("ranks", "use"), [(HOSTS, "nic"), (2 * HOSTS, "nic:radix=2")])
def test_an_unmodified_program_runs_its_barriers_on_the_devices(
    lab: None, program: str, tmp_path: Path, ranks: int, use: str
) -> None:
    del lab
    done, report = _run(program, tmp_path, ranks, f"barrier={use}")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "wrong 0\n"
    assert report["network_device"] == "collectives run on the hosts' network devices"
    assert use in _ran_on(report)
    status = json.loads(_thalweg("nic", "status", "--json", host=f"{NAME}-h0").stdout)
    assert status["starts"] > 0
    assert status["refused"] == 0
    assert {group["user"] for group in status["groups"]} == {NOBODY}


@pytest.fixture(scope="module")
def nonblocking(tmp_path_factory: pytest.TempPathFactory) -> str:
    return _compiled("nonblocking", tmp_path_factory)


def _run_nonblocking(program: str, folder: Path) -> tuple[Finished, dict[str, object]]:
    shared = folder / "shared"
    shared.write_bytes(bytes(8192))
    return _run_words(folder, HOSTS, "barrier=nic;allreduce=nic;reduce=nic", program, str(shared))


def test_nonblocking_calls_end_while_ranks_compute(lab: None, nonblocking: str, tmp_path: Path) -> None:
    """Also several at once, and barriers of two communicators in opposite order."""
    del lab
    done, report = _run_nonblocking(nonblocking, tmp_path)
    assert done.stdout == "wrong 0, ended while all computed\n", done.stdout + done.stderr
    for function in ("MPI_Ibarrier", "MPI_Iallreduce", "MPI_Ireduce"):
        assert _ran_on(report, function) == {"nic"}


def test_reductions_on_the_devices_have_the_engines_bits(lab: None, reductions: str, tmp_path: Path) -> None:
    """With one rank on a host and with two; the engine runs the same schedule where an agent is missing."""
    del lab
    found = {}
    for ending in ("nic", "nic on the engine"):
        for ranks in (HOSTS, 2 * HOSTS - 2):
            done, report = _run_words(tmp_path, ranks, "allreduce=nic;reduce=nic", reductions, TURNS)
            assert done.stdout.startswith("wrong 0 "), done.stdout + done.stderr
            assert ending in _ran_on(report, "MPI_Allreduce") & _ran_on(report, "MPI_Reduce")
            assert "MPI_Allreduce of no or of more than 32 words runs on our engine" in str(report["network_device"])
            found[ending, ranks] = done.stdout
        if ending == "nic":
            _end(f"{NAME}-h1")
    for ranks in (HOSTS, 2 * HOSTS - 2):
        assert found["nic", ranks] == found["nic on the engine", ranks]


def test_without_an_agent_the_engine_runs_them_and_the_report_says_so(lab: None, program: str, tmp_path: Path) -> None:
    del lab
    if _agents(f"{NAME}-h1"):
        _end(f"{NAME}-h1")
    done, report = _run(program, tmp_path, HOSTS, "barrier=nic")
    assert done.stdout == "wrong 0\n", done.stderr
    assert "rank 1: no agent serves the network device" in str(report["network_device"])
    assert _ran_on(report) >= {"nic on the engine"}
    missing = _thalweg("nic", "status", host=f"{NAME}-h1")
    assert missing.returncode == 8
    assert "thalweg nic serve" in missing.stderr


def _end_all(number: int = signal.SIGKILL) -> None:
    for host in ALL:
        if _agents(host):
            _end(host, number)


def _serve(hook: str, log: Path) -> None:
    """Have agents on all hosts with that hook, whatever was there before."""
    _end_all()
    start_on(ALL, "eth0", log, hook)


@pytest.mark.exhaustive
def test_filters_of_clsact_do_as_well(lab: None, program: str, tmp_path: Path) -> None:
    del lab
    _end_all()
    before = set(_loaded())
    _serve("clsact", tmp_path / "log")
    done, report = _run(program, tmp_path, HOSTS, "barrier=nic")
    assert done.stdout == "wrong 0\n", done.stderr
    assert "nic" in _ran_on(report)
    programs = set(_loaded()) - before
    assert len(programs) == 2 * HOSTS
    _end_all(signal.SIGTERM)
    assert _are_gone(programs)


def _lose_packets(folder: Path) -> None:
    """Have the switch lose a fifth of the cards' packets, for as long as the lab is up."""
    loss = folder / "loss.o"
    include = f"-I/usr/include/{sysconfig.get_config_var('MULTIARCH')}"
    words = ["clang", "-O2", "-g", "-target", "bpf", include, "-c", str(SOURCES / "loss.bpf.c"), "-o", str(loss)]
    subprocess.run(words, check=True)
    for host in range(HOSTS):
        tc = ["ip", "netns", "exec", f"{NAME}-s0", "tc"]
        subprocess.run([*tc, "qdisc", "add", "dev", f"h{host}", "clsact"], check=True)
        program = ["bpf", "direct-action", "obj", str(loss), "sec", "tc"]
        subprocess.run([*tc, "filter", "add", "dev", f"h{host}", "ingress", *program], check=True)


@pytest.mark.exhaustive
def test_packets_that_are_lost_are_sent_again(lab: None, nonblocking: str, reductions: str, tmp_path: Path) -> None:
    """By ranks that wait, and for those that do not by their agents."""
    del lab
    _serve("tcx", tmp_path / "log")
    _lose_packets(tmp_path)
    done, report = _run_nonblocking(nonblocking, tmp_path)
    assert done.stdout == "wrong 0, ended while all computed\n", done.stdout + done.stderr
    assert _ran_on(report, "MPI_Iallreduce") == {"nic"}
    done, _ = _run_words(tmp_path, HOSTS, "allreduce=nic;reduce=nic", reductions, TURNS)
    assert done.stdout.startswith("wrong 0 "), done.stdout + done.stderr


FORGER = """
import json, socket, struct, subprocess, sys, time
seen = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
seen.bind(("", 7747))
end = time.monotonic() + 2
while time.monotonic() < end:
    for kind in (1, 2, 3):
        for epoch in range(1, 40):
            packet = struct.pack(">HBBIQIHH", 0x5457, 2, kind, int(sys.argv[1], 16), 1, epoch, 1, 0)
            seen.sendto(packet, ("10.77.0.1", 7747))
"""


@pytest.mark.exhaustive
def test_forged_packets_are_refused_and_counted(lab: None, program: str, tmp_path: Path) -> None:
    del lab
    _serve("tcx", tmp_path / "log")
    with ThreadPoolExecutor(1) as pool:
        job = pool.submit(_run, program, tmp_path, HOSTS, "barrier=nic", 4000)
        groups: list[dict[str, str]] = []
        while not groups:
            time.sleep(0.05)
            groups = json.loads(_thalweg("nic", "status", "--json", host=f"{NAME}-h0").stdout)["groups"]
        forger = ["ip", "netns", "exec", f"{NAME}-h3", sys.executable, "-c", FORGER, groups[0]["group"]]
        subprocess.run(forger, check=True)
        done, _ = job.result()
    assert done.stdout == "wrong 0\n", done.stderr
    assert json.loads(_thalweg("nic", "status", "--json", host=f"{NAME}-h0").stdout)["refused"] > 100


@pytest.mark.exhaustive
def test_a_job_whose_agent_ends_does_not_hang(lab: None, program: str, tmp_path: Path) -> None:
    del lab
    _serve("tcx", tmp_path / "log")
    with ThreadPoolExecutor(1) as pool:
        job = pool.submit(_run, program, tmp_path, HOSTS, "barrier=nic", 100_000_000)
        while not json.loads(_thalweg("nic", "status", "--json", host=f"{NAME}-h2").stdout)["groups"]:
            time.sleep(0.05)
        _end(f"{NAME}-h2")
        done, _ = job.result()
    assert done.returncode != 0
    assert "the agent of this host has ended" in done.stderr
