# SPDX-License-Identifier: BSD-3-Clause
"""The package as programs and notebooks use it."""

import re

import numpy as np

import thalweg


def test_it_says_its_version() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+", thalweg.__version__)


def test_results_are_said_in_a_line() -> None:
    """Large arrays do not fill the screen of whoever looks at a result."""
    machine = thalweg.Machine("torus:8x8")
    ring = np.roll(np.eye(64), 1, axis=1) * 1000
    results = [
        thalweg.map_ranks(ring, machine, budget=thalweg.Budget(proposals=100)),
        thalweg.balance(np.arange(64)),
        thalweg.simulate("allreduce", "ring", ranks=64),
    ]
    for result in results:
        text = repr(result)
        assert "\n" not in text
        assert len(text) < 400
        assert re.match(r"<(Placement|Balance|Simulation) ", text)
