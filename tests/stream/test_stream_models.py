"""How streams' phases end holds in every interleaving: a model, searched by Spin.

It is also searched with something left out that the protocol needs; Spin has to find that.
"""

from pathlib import Path

import pytest
from spin import BROKEN_PROMISE, HOLDS, check

MODELS = Path(__file__).parent / "models"
ENDS_TOO_EARLY = f"{BROKEN_PROMISE} (unhandled["
OF_NEXT_PHASE = f"{BROKEN_PROMISE} (in_full==ranks[_pid].phase)"


@pytest.mark.parametrize(
    ("model", "options", "found"),
    [
        ("phase_end", "", HOLDS),
        ("phase_end", "NO_MARK", BROKEN_PROMISE),
        ("phase_end", "NO_ACTIVITY", ENDS_TOO_EARLY),
        ("phase_end", "NO_ANSWER", ENDS_TOO_EARLY),
        ("phase_end", "NO_MEETING", ENDS_TOO_EARLY),
        ("phase_end", "NO_HOLD", OF_NEXT_PHASE),
        ("phase_end", "MESH", HOLDS),
        ("phase_end", "MESH NO_ORDER", ENDS_TOO_EARLY),
        ("phase_end", "MESH NO_SPREADING", ENDS_TOO_EARLY),
        ("phase_end", "HOLE", HOLDS),
    ],
)
def test_model(model: str, options: str, found: str, tmp_path: Path) -> None:
    """Every state that can be reached was looked at, and what was expected came out."""
    check(MODELS / f"{model}.pml", options, found, tmp_path)
