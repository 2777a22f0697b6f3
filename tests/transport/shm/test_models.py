"""The protocols between ranks that share memory hold in every interleaving: models, searched whole by Spin.

Each model is also searched with something left out that the protocol needs; Spin has to find that.
"""

import re
import subprocess
from pathlib import Path

import pytest

MODELS = Path(__file__).parent / "models"
HOLDS = "errors: 0"
LOST_WAKE_UP = "invalid end state"
WRONG_BYTES = "assertion violated"


@pytest.mark.parametrize(
    ("model", "left_out", "found"),
    [
        ("doorbell", "", HOLDS),
        ("doorbell", "NO_FENCE", LOST_WAKE_UP),
        ("doorbell", "NO_SECOND_LOOK", LOST_WAKE_UP),
        ("channel", "", HOLDS),
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
    options = [f"-D{left_out}"] if left_out else []
    command = ["spin", *options, "-search", "-safety", "-m1000000", str(MODELS / f"{model}.pml")]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=300)
    assert found in result.stdout, result.stdout + result.stderr
    if found == HOLDS:
        assert "Search not completed" not in result.stdout
        assert "truncated" not in result.stdout
        stored = re.search(r"(\d+) states, stored", result.stdout)
        assert stored is not None
        assert int(stored[1]) > 10000, "the model hardly moves"
