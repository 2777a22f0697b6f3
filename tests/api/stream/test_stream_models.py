# SPDX-License-Identifier: BSD-3-Clause
"""How streams' phases end, and how they change their mesh, holds in every interleaving: models, searched by Spin.

They are also searched with something left out that the protocols need; Spin has to find that.
"""

from pathlib import Path

from spin import BROKEN_PROMISE, HOLDS, WAITS_FOREVER, check, searches

MODELS = Path(__file__).parent / "models"
ENDS_TOO_EARLY = f"{BROKEN_PROMISE} (unhandled["
OF_NEXT_PHASE = f"{BROKEN_PROMISE} (in_full==ranks[_pid].phase)"


@searches(
    "model, options, found",
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
        ("mesh_change", "", HOLDS),
        ("mesh_change", "AT_ONCE", WAITS_FOREVER),
        ("mesh_change", "LATE", WAITS_FOREVER),
    ],
)
def test_model(model: str, options: str, found: str, tmp_path: Path) -> None:
    """Every state that can be reached was looked at, and what was expected came out."""
    check(MODELS / f"{model}.pml", options, found, tmp_path)
