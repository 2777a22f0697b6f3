"""The protocol of barriers between cards holds in every interleaving: a model, searched whole by Spin.

It is also searched with a rule left out; Spin has to find a rank that waits for ever then.
"""

from pathlib import Path

import pytest
from spin import HOLDS, WAITS_FOREVER, check

MODEL = Path(__file__).parent / "models" / "gather.pml"


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("left_out", "found"),
    [
        ("", HOLDS),
        ("NO_ANSWER", WAITS_FOREVER),
        ("NO_REPEAT", WAITS_FOREVER),
        ("NO_NEWER", WAITS_FOREVER),
        ("NO_APART", WAITS_FOREVER),
    ],
)
def test_model(left_out: str, found: str, tmp_path: Path) -> None:
    """Every state that can be reached was looked at, and what was expected came out."""
    check(MODEL, left_out, found, tmp_path)
