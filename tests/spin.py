"""Models of protocols, which Spin searches whole."""

import re
import subprocess
from pathlib import Path

HOLDS = "errors: 0"
WAITS_FOREVER = "invalid end state"
BROKEN_PROMISE = "assertion violated"


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
