# SPDX-License-Identifier: BSD-3-Clause
"""The protocols of barriers and broadcasts between cards hold in every interleaving: models, searched whole by Spin.

They are also searched with a rule left out; Spin has to find a rank that waits for ever then.
"""

from pathlib import Path

import pytest
from spin import HOLDS, WAITS_FOREVER, check

MODELS = Path(__file__).parent / "models"


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("model", "options", "found"),
    [
        ("gather", "", HOLDS),
        ("gather", "NO_ANSWER", WAITS_FOREVER),
        ("gather", "NO_REPEAT", WAITS_FOREVER),
        ("gather", "NO_NEWER", WAITS_FOREVER),
        ("gather", "NO_APART", WAITS_FOREVER),
        ("relay", "", HOLDS),
        ("relay", "COMPUTING", HOLDS),
        ("relay", "NO_ROOM", WAITS_FOREVER),
        ("relay", "NO_IMPLY", WAITS_FOREVER),
        ("relay", "COMPUTING NO_PROBE", WAITS_FOREVER),
        ("relay", "COMPUTING NO_REPLY", WAITS_FOREVER),
    ],
)
def test_model(model: str, options: str, found: str, tmp_path: Path) -> None:
    """Every state that can be reached was looked at, and what was expected came out."""
    check(MODELS / f"{model}.pml", options, found, tmp_path)
