# SPDX-License-Identifier: BSD-3-Clause
"""The protocols between ranks that share memory hold in every interleaving: models, searched whole by Spin.

Each model is also searched with something left out that the protocol needs; Spin has to find that.
"""

from pathlib import Path

from spin import BROKEN_PROMISE as WRONG_BYTES
from spin import HOLDS, check, searches
from spin import WAITS_FOREVER as LOST_WAKE_UP

MODELS = Path(__file__).parent / "models"


@searches(
    "model, left_out, found",
    [
        ("doorbell", "", HOLDS),
        ("doorbell", "NO_FENCE", LOST_WAKE_UP),
        ("doorbell", "NO_SECOND_LOOK", LOST_WAKE_UP),
        ("channel", "", HOLDS),
        ("channel", "SHARES_CORES", HOLDS),
        ("channel", "NO_RELEASE", WRONG_BYTES),
        ("channel", "NO_CREDIT", WRONG_BYTES),
        ("channel", "LAZY", LOST_WAKE_UP),
        ("channel", "SILENT", LOST_WAKE_UP),
        ("broadcast_buffer", "", HOLDS),
        ("broadcast_buffer", "NO_OPEN", WRONG_BYTES),
        ("broadcast_buffer", "EARLY_LEAVE", WRONG_BYTES),
        ("broadcast_buffer", "NO_LEAVE", LOST_WAKE_UP),
    ],
)
def test_model(model: str, left_out: str, found: str, tmp_path: Path) -> None:
    """Every state that can be reached was looked at, and what was expected came out."""
    check(MODELS / f"{model}.pml", left_out, found, tmp_path)
