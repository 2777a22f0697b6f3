# SPDX-License-Identifier: BSD-3-Clause
"""Lists of what C++ keeps: what Python got of them stays good when another list is assigned."""

from thalweg import _core


def test_picks_stay_good() -> None:
    tuning = _core.Tuning()
    picks = []
    for call in ("barrier", "allreduce"):
        pick = _core.Pick()
        pick.call = call
        picks.append(pick)
    tuning.picks = picks
    held = tuning.picks
    tuning.picks = [held[1]] * 1000
    tuning.picks = []
    assert [pick.call for pick in held] == ["barrier", "allreduce"]


def test_costs_stay_good() -> None:
    machine = _core.default_machine()
    levels = machine.levels
    ranges = [level.ranges for level in levels]
    rates = machine.copy
    before = [[cost.bytes_max for cost in one] for one in ranges], [rate.bytes_max for rate in rates]
    for level in levels:
        level.ranges = []
    machine.levels = []
    machine.copy = []
    assert ([[cost.bytes_max for cost in one] for one in ranges], [rate.bytes_max for rate in rates]) == before
