# SPDX-License-Identifier: BSD-3-Clause
"""The command refuses what the index does not know, in the index's own words."""

import pytest

from thalweg.errors import SETTINGS, ThalwegError
from thalweg.strategies import all_strategies, check_selection


@pytest.mark.parametrize("strategy", all_strategies(), ids=lambda strategy: f"{strategy.operation}-{strategy.name}")
def test_every_strategy_can_be_selected(strategy: object) -> None:
    check_selection(strategy.operation, strategy.name, "--use")  # type: ignore[attr-defined]


def test_an_unknown_strategy_is_refused_with_the_nearest_names() -> None:
    with pytest.raises(
        ThalwegError, match=r"^--use: no strategy 'dirct' for alltoall\n  did you mean direct"
    ) as caught:
        check_selection("alltoall", "dirct", "--use")
    assert caught.value.status == SETTINGS
