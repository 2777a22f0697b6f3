# SPDX-License-Identifier: BSD-3-Clause
"""Noise as it is measured: what ranks saw, as a file that simulations read."""

import os
import random
from itertools import pairwise
from pathlib import Path

import pytest

import thalweg
from support import plain_environment
from thalweg.errors import USAGE, ThalwegError
from thalweg.machine.noise import CoreNoise, described_noise, file_text, measured_noise, noise_text
from thalweg.simulation.ground import Costs
from thalweg.trials.session import Session, start_words
from thalweg.trials.shipped import trial_program


def made(seed: int, pauses: str) -> CoreNoise:
    """Make a core that is away for 10 us about every 100 us."""
    draw = random.Random(seed)
    at, detours = 0.0, []
    while at < 0.01:
        at += 90e-6 if pauses == "regular" else draw.expovariate(1 / 90e-6)
        detours.append((at, 10e-6))
        at += 10e-6
    return CoreNoise(at + 90e-6, detours)


def test_a_file_of_noise_is_simulated(tmp_path: Path) -> None:
    """A tenth of the time is taken from what computes for long, whatever the moments."""
    file = tmp_path / "core.noise"
    file.write_text(file_text([made(1, "regular"), made(2, "random")]))
    quiet = thalweg.simulate("allreduce", "ring", ranks=8, unit_bytes=1 << 22)
    noisy = thalweg.simulate("allreduce", "ring", ranks=8, unit_bytes=1 << 22, costs=Costs(noise=str(file)))
    assert noisy.seconds > quiet.seconds
    assert noisy.why["noise"] > 0
    assert noisy.seconds == thalweg.simulate("allreduce", "ring", 8, 1 << 22, costs=Costs(noise=str(file))).seconds
    at_random = thalweg.simulate("barrier", "dissemination", ranks=64, costs=Costs(noise="random:20000,3000"))
    assert at_random.why["noise"] > 0


def test_noise_is_described() -> None:
    """Regular and random pauses are told apart."""
    assert ", regularly: " in described_noise(made(1, "regular"))
    assert ", at random: " in described_noise(made(2, "random"))
    assert described_noise(CoreNoise(1.0, [])) == "none in 1 s"


@pytest.mark.parametrize(
    ("text", "said"), [("thalweg-noise\nprocessor 5\n9 9\n", ":3: "), ("thalweg-noise\n", ":1: no processor")]
)
def test_damaged_files_name_the_line(tmp_path: Path, text: str, said: str) -> None:
    """Every error says where it is."""
    file = tmp_path / "core.noise"
    file.write_text(text)
    with pytest.raises(ThalwegError, match=said):
        thalweg.simulate("barrier", "dissemination", ranks=8, costs=Costs(noise=str(file)))


def test_what_is_no_noise_is_refused(tmp_path: Path) -> None:
    """Neither a missing file nor a foreign one."""
    with pytest.raises(ThalwegError, match="No such file"):
        noise_text(str(tmp_path / "none"))
    (tmp_path / "other").write_text("bytes\n")
    with pytest.raises(ThalwegError, match="other:1: it begins with"):
        noise_text(str(tmp_path / "other"))
    assert noise_text("1000,10") == "1000,10"


@pytest.mark.parametrize("words", ["99", "1000,", "1000,1000", "5,0", "random:", "random:9", "1,2,3,4", "1e6,3"])
def test_words_that_are_no_noise_are_refused_as_such(words: str) -> None:
    """The command line is wrong, and nothing has been simulated."""
    with pytest.raises(ThalwegError) as error:
        thalweg.simulate("barrier", "dissemination", ranks=8, costs=Costs(noise=words))
    assert (error.value.status, words in error.value.message) == (USAGE, True)
    assert "PERIOD,DURATION" in error.value.remedy


def test_cores_are_looked_at() -> None:
    """Each rank sees detours that follow one another, within the time that it looked."""
    with Session(start_words([], 2, trial_program("openmpi", os.environ)), variables=plain_environment()) as session:
        found = measured_noise(session, 0.05)
    assert len(found) == 2
    for one in found:
        assert one.seconds > 0.05 - 1e-9  # it is a difference of two readings
        assert all(duration > 1e-6 for _, duration in one.detours)
        assert all(begin + duration <= after + 1e-9 for (begin, duration), (after, _) in pairwise(one.detours))
        assert 0 <= one.part < 1
