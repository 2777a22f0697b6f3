# SPDX-License-Identifier: BSD-3-Clause
"""Operators of users on network devices: results as those of MPI's functions, and what is left to hosts."""

import contextlib
import json
import os
import signal
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import cards
import devices
import pytest

from thalweg.nic.agent import start_on
from thalweg.nic.limits import Limits

pytestmark = cards.NEED

INCLUDE = devices.SOURCES.parent.parent / "include"
TURNS = "30"  # each of five operators with each of six lengths
USE = "allreduce=nic;reduce=nic"


def _compile(folder: Path, *names: str, options: tuple[str, ...] = ()) -> Path:
    folder.mkdir(exist_ok=True)
    folder.chmod(0o755)
    for name in names:
        words = ["clang", "-O2", "-g", "-target", "bpf", f"-I{INCLUDE}", *options]
        words += ["-c", str(devices.SOURCES / "operators" / f"{name}.c"), "-o", str(folder / f"{name}.o")]
        subprocess.run(words, check=True)
    return folder


@pytest.fixture(scope="module")
def operators(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("nic") / "operators"
    return _compile(folder, "matrix_product", "saturating_sum", "endless", "beyond")


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("nic") / "user_operators"
    words = ["mpicc.openmpi", "-O1", f"-I{INCLUDE}", "-o", str(path), str(devices.SOURCES / "user_operators.c"), "-ldl"]
    subprocess.run(words, check=True)
    return str(path)


def _serve(folder: Path, log: Path, *, hook: str = "best", apart: str = "", other: Path | None = None) -> None:
    """Have agents with the operators on all hosts and on the switch; `apart` has those of `other`, or none."""
    devices.end_all()
    for host in (devices.SWITCH, *devices.ALL):
        own = folder if host != apart else other
        is_switch = host == devices.SWITCH
        start_on(
            [host],
            "bridge" if is_switch else "eth0",
            log,
            hook=hook,
            limits=Limits(operators=str(own or "")),
            aggregator="self" if is_switch else devices.AGGREGATOR,
        )


def _run(folder: Path, ranks: int, program: str, use: str = USE, turns: str = TURNS) -> tuple[str, set[str]]:
    """Run it, right; give what the report says of devices, and what ran allreduces, all by operators of users."""
    done, report = devices.run_words(folder, ranks, use, program, turns)
    assert done.stdout == "wrong 0\n", done.stdout + done.stderr
    return str(report["nic"]), devices.ran_on(report, "MPI_Allreduce")


def test_devices_combine_by_operators_of_users(lab: None, operators: Path, program: str, tmp_path: Path) -> None:
    """What the verifier refuses is left out, and runs on the engine; and so is what does not commute."""
    del lab
    log = tmp_path / "log"
    devices.serve("best", log, Limits(operators=str(operators)), aggregator=devices.AGGREGATOR)
    said = json.loads(devices.thalweg("nic", "status", "--json", host=devices.ALL[0]).stdout)["operators"]
    refused = {one["name"]: one["objection"] for one in said}
    assert refused["matrix_product"] == refused["saturating_sum"] == ""
    assert "infinite loop" in refused["endless"]
    assert "outside of the allowed memory range" in refused["beyond"]
    assert "the operator beyond is left out: " in log.read_text()
    found, ran = _run(tmp_path, devices.HOSTS, program)
    assert f"collectives run on the hosts' network devices, joined by that of {devices.AGGREGATOR}" in found
    assert "rank 0: the agent refuses: it left out the operator endless; " in found
    assert "MPI_Allreduce of a named operator on no or more elements than eight packets have runs on" in found
    assert ran >= {"nic", "nic on the engine"}


@pytest.mark.exhaustive
@pytest.mark.parametrize("hook", ["tcx", "clsact"])
def test_they_go_on_when_what_serves_is_replaced(
    lab: None, operators: Path, program: str, tmp_path: Path, hook: str
) -> None:
    """Also for two ranks on a host, in a tree that is deeper, and on the hosts' cards alone."""
    del lab
    _serve(operators, tmp_path / "log", hook=hook)
    for ranks, use in ((2 * devices.HOSTS - 1, "nic:radix=2"), (2 * devices.HOSTS, "nic:radix=3,where=card")):
        with ThreadPoolExecutor(1) as pool:
            job = pool.submit(_run, tmp_path, ranks, program, f"allreduce={use};reduce={use}", "600")
            while not job.done():
                for pid in devices.serving(devices.ALL[1]):
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
                time.sleep(1)
            _, ran = job.result()
        assert use in ran
    assert "another one goes on" in (tmp_path / "log").read_text()
    programs = devices.programs()
    devices.end_all()
    assert devices.left_of(programs) == {}


@pytest.mark.exhaustive
def test_hosts_that_differ_leave_it_to_the_engine(lab: None, operators: Path, program: str, tmp_path: Path) -> None:
    """One that has none, or another version; the switch is then done without."""
    del lab
    other = _compile(tmp_path / "other", "matrix_product", options=("-DOTHER",))
    for apart, folder, expected in (
        (devices.ALL[2], None, "rank 2: the agent refuses: it has no operator matrix_product"),
        (devices.ALL[2], other, "rank 2: its agent has another version of the operator matrix_product than that of"),
        (devices.SWITCH, None, "no aggregator joins the hosts: rank 0: it has no operator"),
    ):
        _serve(operators, tmp_path / "log", apart=apart, other=folder)
        found, ran = _run(tmp_path, devices.HOSTS, program)
        assert expected in found
        assert ("nic" in ran) == (apart == devices.SWITCH)


@pytest.mark.exhaustive
def test_packets_that_are_lost_are_sent_again(lab: None, operators: Path, program: str, tmp_path: Path) -> None:
    del lab
    _serve(operators, tmp_path / "log")
    devices.lose_packets(tmp_path)
    _, ran = _run(tmp_path, devices.HOSTS, program)
    assert "nic" in ran


def test_check_has_the_kernel_look_at_them_beforehand(operators: Path) -> None:
    said = devices.thalweg("nic", "check", "--operators", str(operators)).stdout
    assert "yes  operator matrix_product of 4 words\n" in said
    assert "no   operator endless infinite loop detected" in said
    missing = devices.thalweg("nic", "check", "--operators", "/nowhere").stdout
    assert "operators cannot be looked for in /nowhere" in missing
