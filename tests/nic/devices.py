# SPDX-License-Identifier: BSD-3-Clause
"""A lab whose hosts have agents, as tests have it: jobs on it, and what becomes of its agents."""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import sysconfig
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from attempts import run_job

from thalweg.nic.agent import start_on
from thalweg.nic.limits import Limits

SOURCES = Path(__file__).parent
NAME = f"nic{os.getpid()}"
HOSTS = 4
TURNS = "64"  # the last ones have a vector that is too long for cards
ALL = [f"{NAME}-h{index}" for index in range(HOSTS)]
SWITCH = f"{NAME}-s0"
PORTS = [(SWITCH, f"h{host}") for host in range(HOSTS)]
AGGREGATOR = "10.77.0.254"
NOBODY = 65534

Finished = subprocess.CompletedProcess[str]


def thalweg(*words: str, host: str = "") -> Finished:
    inside = ["ip", "netns", "exec", host] if host else []
    return run_job(
        lambda: subprocess.run(
            [*inside, sys.executable, "-m", "thalweg", *words],
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
            env=os.environ | {"THALWEG_LAB": NAME},
        ),
        lambda result: result.stderr,
    )


def lab_up(hosts: int = HOSTS, topology: str = "star", *words: str) -> None:
    """Have the lab with agents; skip the test where the kernel does not load their programs."""
    made = thalweg("lab", "up", "--hosts", str(hosts), "--network", topology, "--nic", *words)
    if made.returncode != 0 and "does not load" in made.stderr:
        pytest.skip(made.stderr)
    assert made.returncode == 0, made.stderr


def status(host: str) -> dict[str, list[dict[str, object]]]:
    """Give what a host's agent says of its groups."""
    return dict(json.loads(thalweg("nic", "status", "--json", host=host).stdout))


def agents(host: str) -> dict[int, int]:
    """Give the processes of a host's agent, each with its parent."""
    pids = subprocess.run(["ip", "netns", "pids", host], capture_output=True, text=True, check=True).stdout.split()
    found = {}
    for pid in pids:
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            stat = Path("/proc", pid, "stat").read_text()
            if "thalweg-nic-agent" in Path("/proc", pid, "cmdline").read_text():
                found[int(pid)] = int(stat.rpartition(")")[2].split()[1])
    return found


@contextlib.contextmanager
def stopped(host: str) -> Iterator[Callable[[], None]]:
    """Have the agent of a host stopped, until what is given is called or at the end."""

    def go_on() -> None:
        for pid in pids:
            os.kill(pid, signal.SIGCONT)

    for pid in (pids := agents(host)):
        os.kill(pid, signal.SIGSTOP)
    try:
        yield go_on
    finally:
        go_on()


def serving(host: str) -> list[int]:
    """Give the process that serves; the agent's other one keeps what must not end with it."""
    found = agents(host)
    return [pid for pid, parent in found.items() if parent in found]


def wait_until(is_so: Callable[[], bool]) -> None:
    """Wait for what an agent does in its own time; a loaded machine takes long for it."""
    deadline = time.monotonic() + 120
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def wait_for_another(host: str, ended: list[int]) -> None:
    """Wait until another process serves in place of one that has ended, and answers."""
    wait_until(lambda: bool(set(serving(host)) - set(ended)))
    assert "groups" in status(host)


def is_hooked(host: str, device: str) -> bool:
    """Tell whether the agent's programs take what arrives at a device: by a link that it holds, or by a filter."""
    inside = ["ip", "netns", "exec", host]
    words = [*inside, "cat", f"/sys/class/net/{device}/ifindex"]
    index = subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()
    words = [*inside, "tc", "filter", "show", "dev", device, "ingress"]
    filters = subprocess.run(words, capture_output=True, text=True, check=False).stdout
    return "arriving" in filters or any(
        re.search(rf"link_type:\s*tcx.*^ifindex:\s*{index}$", text, re.MULTILINE | re.DOTALL)
        for pid in agents(host)
        for text in _descriptors(pid)
    )


def _descriptors(pid: int) -> Iterator[str]:
    """Yield what the kernel says of each file that a process has open."""
    for file in Path("/proc", str(pid), "fdinfo").iterdir():
        with contextlib.suppress(FileNotFoundError):
            yield file.read_text()


def end(host: str, number: int = signal.SIGKILL) -> None:
    """End a host's agent by the process that keeps, and wait until both are gone."""
    found = agents(host)
    (keeper,) = [pid for pid, parent in found.items() if parent not in found]
    os.kill(keeper, number)
    while agents(host):
        time.sleep(0.01)


def programs() -> set[int]:
    """Give the numbers of the programs that the agents of all hosts hold."""
    found = set()
    for pid in (pid for host in (*ALL, SWITCH) for pid in agents(host)):
        for text in _descriptors(pid):
            found |= {int(number) for number in re.findall(r"prog_id:\s*(\d+)", text)}
    return found


def left_of(numbers: set[int]) -> dict[int, str]:
    """Give those programs that no hook lets go of in half a minute, as a loaded machine takes long for it."""
    for _ in range(300):
        shown = subprocess.run(["bpftool", "--json", "prog", "show"], capture_output=True, text=True, check=True)
        left = {entry["id"]: entry.get("name", "") for entry in json.loads(shown.stdout) if entry["id"] in numbers}
        if not left:
            break
        time.sleep(0.1)
    return left


def say_enough(folder: Path) -> None:
    """Have the program of barriers make no more of them."""
    with (folder / "entered").open("r+b") as file:
        file.seek(8188)
        file.write((1).to_bytes(4, sys.byteorder))


def run_words(folder: Path, ranks: int, use: str, *words: str) -> tuple[Finished, dict[str, object]]:
    report = folder / "report.json"
    done = thalweg("lab", "run", "-n", str(ranks), "--use", use, "--report", str(report), "--", *words)
    return done, json.loads(report.read_text()) if report.exists() else {}


def run(program: str, folder: Path, ranks: int, use: str, barriers: int = 200) -> tuple[Finished, dict[str, object]]:
    entered = folder / "entered"
    entered.write_bytes(bytes(8192))
    return run_words(folder, ranks, use, program, str(entered), str(barriers))


def ran_on(report: dict[str, object], function: str = "MPI_Barrier") -> set[str]:
    calls = report["calls"]
    assert isinstance(calls, list)
    return {end["strategy"] for call in calls if call["function"] == function for end in call["ran_on"]}


def run_transfers(program: str, folder: Path, meeting: str) -> tuple[Finished, dict[str, object]]:
    """Have the second host's agent stopped from before the start until the program's messages have come through."""
    through = folder / "through"
    through.write_text("")
    with stopped(ALL[1]) as go_on, ThreadPoolExecutor(1) as pool:
        job = pool.submit(run_words, folder, HOSTS, "barrier=nic", program, str(through), meeting)
        while not through.read_text() and not job.done():
            time.sleep(0.01)
        go_on()
        return job.result()


def run_nonblocking(program: str, folder: Path) -> tuple[Finished, dict[str, object]]:
    shared = folder / "shared"
    shared.write_bytes(bytes(8192))
    return run_words(folder, HOSTS, "barrier=nic;allreduce=nic;reduce=nic", program, str(shared))


def run_broadcasts(program: str, folder: Path, ranks: int, use: str) -> tuple[Finished, dict[str, object]]:
    shared = folder / "shared"
    shared.write_bytes(bytes(8192))
    return run_words(folder, ranks, f"broadcast={use}", program, str(11 * ranks), str(shared))


def run_blocks(program: str, folder: Path, ranks: int, use: str) -> tuple[Finished, dict[str, object]]:
    shared = folder / "shared"
    shared.write_bytes(bytes(8192))
    return run_words(folder, ranks, f"gather={use};allgather={use};scatter={use}", program, "40", str(shared))


def end_all(number: int = signal.SIGKILL) -> None:
    for host in (*ALL, SWITCH):
        if agents(host):
            end(host, number)


def serve(hook: str, log: Path, limits: Limits | None = None, *, aggregator: str = "") -> None:
    """Have agents on all hosts with that hook, whatever was there before; the switch aggregates where it is named."""
    end_all()
    if aggregator == AGGREGATOR:
        start_on([SWITCH], "bridge", log, hook=hook, limits=limits, aggregator="self")
    start_on(ALL, "eth0", log, hook=hook, limits=limits, aggregator=aggregator)


def lose_packets(folder: Path, where: str = "ingress", ports: Sequence[tuple[str, str]] = PORTS) -> None:
    """Have switches lose a fifth of the cards' packets at ports, for as long as the lab is up; may be said again."""
    loss = folder / "loss.o"
    include = f"-I/usr/include/{sysconfig.get_config_var('MULTIARCH')}"
    words = ["clang", "-O2", "-g", "-target", "bpf", include, "-c", str(SOURCES / "loss.bpf.c"), "-o", str(loss)]
    subprocess.run(words, check=True)
    for switch, port in ports:
        tc = ["ip", "netns", "exec", switch, "tc"]
        subprocess.run([*tc, "qdisc", "add", "dev", port, "clsact"], check=False, stderr=subprocess.DEVNULL)
        program = ["pref", "1", "handle", "1", "bpf", "direct-action", "obj", str(loss), "sec", "tc"]
        subprocess.run([*tc, "filter", "replace", "dev", port, where, *program], check=True)


def groups() -> list[dict[str, object]]:
    """Give what the first host's agent says of its groups."""
    found = json.loads(thalweg("nic", "status", "--json", host=ALL[0]).stdout)["groups"]
    return list(found)


def has_calls() -> bool:
    """Tell whether a group of all hosts is at work: some rank of it is there, and calls have ended."""
    return any(group["present"] and group["ended"] for group in groups())


def has_ranks() -> bool:
    """Tell whether the agent still takes some rank for being there."""
    return any(group["present"] for group in groups())
