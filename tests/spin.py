# SPDX-License-Identifier: BSD-3-Clause
"""Models of protocols, which Spin searches whole."""

import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

HOLDS = "errors: 0"
WAITS_FOREVER = "invalid end state"
BROKEN_PROMISE = "assertion violated"


def searches(names: str, cases: Sequence[tuple[str, str, str]]) -> pytest.MarkDecorator:
    """Let a test have models, what they are told, and what is to be found there.

    The gate searches each model first as it is, and with the first thing left out: models change with their own files.
    """
    first = {(model, found == HOLDS): options for model, options, found in reversed(cases)}
    return pytest.mark.parametrize(
        names,
        [
            pytest.param(
                model,
                options,
                found,
                marks=() if first[model, found == HOLDS] == options else pytest.mark.exhaustive,
            )
            for model, options, found in cases
        ],
    )


def check(model: Path, options: str, found: str, folder: Path) -> None:
    """Search a model in a folder of its own: every state that can be reached is looked at, or what is wrong is found.

    `options`: names that the model is told by -D.
    """
    defined = [f"-D{name}" for name in options.split()]
    command = ["spin", *defined, "-search", "-safety", "-m1000000", str(model)]
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=300)
    assert found in result.stdout, result.stdout + result.stderr
    if found == HOLDS:
        assert "Search not completed" not in result.stdout
        assert "truncated" not in result.stdout
        stored = re.search(r"(\d+) states, stored", result.stdout)
        assert stored is not None
        assert int(stored[1]) > 10000, "the model hardly moves"
