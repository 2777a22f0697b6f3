# SPDX-License-Identifier: BSD-3-Clause
"""Jobs outlive the agents of their hosts: results have the same bits, whoever ends when, and whoever comes anew."""

import random
import signal
import struct
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import cards
import devices
import pytest

from thalweg.nic.agent import start_on

pytestmark = cards.NEED

OPERATIONS = ("barrier", "allreduce", "reduce", "broadcast", "gather", "allgather", "scatter")


class Job:
    """Random calls by a seed, on all hosts; how many the first rank has made is seen while they are made."""

    def __init__(self, program: str, folder: Path, seed: int, calls: int, *, ranks: int, use: str) -> None:
        self.calls = calls
        self._file = folder / "made"
        self._file.write_bytes(bytes(8192))
        choices = ";".join(f"{operation}={use}" for operation in OPERATIONS)
        words = (program, str(self._file), str(calls), str(seed))
        self._pool = ThreadPoolExecutor(1)
        self._job = self._pool.submit(devices.run_words, folder, ranks, choices, *words)

    def wait_until(self, made: int) -> None:
        """Wait until the first rank has made so many calls, or the job has ended; a job begun anew starts at 0."""
        while not self._job.done() and self._made() < made:
            time.sleep(0.001)

    def _made(self) -> int:
        first: int = struct.unpack("i", self._file.read_bytes()[:4].ljust(4, b"\0"))[0]
        return first

    def result(self) -> tuple[devices.Finished, str]:
        done, report = self._job.result()
        self._pool.shutdown()
        return done, str(report.get("nic"))


def _serve(host: str, log: Path, aggregator: str = devices.AGGREGATOR) -> None:
    is_switch = host == devices.SWITCH
    start_on([host], "bridge" if is_switch else "eth0", log, aggregator="self" if is_switch else aggregator)


def test_a_job_goes_on_when_an_agent_is_killed_or_started_anew(lab: None, surviving: str, tmp_path: Path) -> None:
    """All that was under way comes out, by messages; the report says why, and later calls are our engine's."""
    del lab
    found = []
    for ends in (None, signal.SIGKILL, signal.SIGTERM):
        job = Job(surviving, tmp_path, 1, 120, ranks=devices.HOSTS, use="nic")
        job.wait_until(40)
        if ends is not None:
            devices.end(devices.ALL[1], ends)
        if ends is signal.SIGTERM:
            _serve(devices.ALL[1], tmp_path / "log")
        done, said = job.result()
        assert done.returncode == 0, done.stderr
        assert done.stdout.startswith("wrong 0, "), done.stdout
        if ends is not None:
            assert "has ended, and our engine runs them from then on" in said
            assert "on the engine" in done.stderr
        if ends is signal.SIGKILL:
            _serve(devices.ALL[1], tmp_path / "log")
        found.append(done.stdout)
    assert found[1:] == found[:1] * 2


@pytest.mark.exhaustive
@pytest.mark.parametrize("seed", range(2, 14))
def test_a_job_goes_on_whichever_agent_ends_at_whatever_call(
    lab: None, surviving: str, tmp_path: Path, seed: int
) -> None:
    """Of a host or of the switch, once or again, also where hosts below hosts have two ranks each."""
    del lab
    chosen = random.Random(seed)
    ranks, use = ((devices.HOSTS, "nic"), (2 * devices.HOSTS - 1, "nic:radix=2,where=card"))[seed % 2]
    job = Job(surviving, tmp_path, seed, 2000, ranks=ranks, use=use)
    expected, _ = job.result()
    job = Job(surviving, tmp_path, seed, 2000, ranks=ranks, use=use)
    victims = devices.ALL if ranks > devices.HOSTS else [*devices.ALL, devices.SWITCH]
    for made in sorted(chosen.sample(range(1990), 2)):
        job.wait_until(made)
        victim = chosen.choice(victims)
        devices.end(victim, chosen.choice([signal.SIGTERM, signal.SIGKILL]))
        _serve(victim, tmp_path / "log")
    done, _ = job.result()
    assert done.returncode == 0, done.stderr
    assert done.stdout == expected.stdout
    assert done.stdout.startswith("wrong 0, ")
