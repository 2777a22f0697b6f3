"""Streams' protocols hold in every interleaving: how phases end, and the queue of slots. Models, searched by Spin.

Each model is also searched with something left out that the protocol needs; Spin has to find that.
"""

from pathlib import Path

import pytest
from spin import BROKEN_PROMISE, HOLDS, WAITS_FOREVER, check

MODELS = Path(__file__).parent / "models"
ENDS_TOO_EARLY = f"{BROKEN_PROMISE} (unhandled["
OF_NEXT_PHASE = f"{BROKEN_PROMISE} (in_full==ranks[_pid].phase)"
OTHER_SLOT = f"{BROKEN_PROMISE} (number["
NO_SLOT = f"{BROKEN_PROMISE} (slot!="


@pytest.mark.parametrize(
    ("model", "options", "found"),
    [
        ("phase_end", "", HOLDS),
        ("phase_end", "NO_MARK", ENDS_TOO_EARLY),
        ("phase_end", "NO_ACTIVITY", ENDS_TOO_EARLY),
        ("phase_end", "NO_HOLD", OF_NEXT_PHASE),
        ("phase_end", "NO_WAVE_NUMBER", ENDS_TOO_EARLY),
        ("phase_end", "MESH", HOLDS),
        ("phase_end", "MESH NO_ORDER", ENDS_TOO_EARLY),
        ("phase_end", "MESH NO_SPREADING", ENDS_TOO_EARLY),
        ("phase_end", "HOLE", HOLDS),
        ("slot_queue", "", HOLDS),
        ("slot_queue", "EARLY_LINK", WAITS_FOREVER),
        ("slot_queue", "NO_STUB", OTHER_SLOT),
        ("slot_queue", "NO_LOOK", NO_SLOT),
        ("slot_queue", "NO_RESET", OTHER_SLOT),
    ],
)
def test_model(model: str, options: str, found: str, tmp_path: Path) -> None:
    """Every state that can be reached was looked at, and what was expected came out."""
    check(MODELS / f"{model}.pml", options, found, tmp_path)
