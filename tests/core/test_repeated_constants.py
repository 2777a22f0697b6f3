# SPDX-License-Identifier: BSD-3-Clause
"""Constants that stand in several places, as texts or below the rooms that share them, are the same everywhere."""

import inspect
import re
from pathlib import Path

import pytest

from thalweg._core import EvidenceLimits
from thalweg.balancing.balancer import Balancer

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    ("file", "pattern"),
    [
        ("interfaces/balance.toml", r'"double hysteresis", ".*0: ([\d.]+)"'),
        ("interfaces/objects.toml", r'"double hysteresis", ".*0: ([\d.]+)"'),
        ("docs/balance.md", r"`hysteresis` .*; ([\d.]+) by default"),
        ("docs/objects.md", r"`hysteresis` .*; ([\d.]+) \|"),
        ("docs/decisions/evidence.md", r"hysteresis: ([\d.]+) times"),
    ],
)
def test_texts_name_the_hysteresis_of_the_rule(file: str, pattern: str) -> None:
    found = re.findall(pattern, (ROOT / file).read_text())
    assert [float(number) for number in found] == [EvidenceLimits.hysteresis]


def test_the_balancer_in_python_has_the_hysteresis_of_the_rule() -> None:
    assert inspect.signature(Balancer.start).parameters["hysteresis"].default == EvidenceLimits.hysteresis


def test_the_model_copies_once_what_shared_memory_does() -> None:
    shared = re.findall(r" min_published = (.+);", (ROOT / "src/runtime/transport/shm/port.hpp").read_text())
    modeled = re.findall(r" min_copied_once = (.+);", (ROOT / "src/core/model/step_costs.hpp").read_text())
    numbers = [[re.sub(r"std::\w+", "", text) for text in found] for found in (shared, modeled)]
    assert numbers == [["{4} << 10"]] * 2
