# SPDX-License-Identifier: BSD-3-Clause
"""Foreign processes that compute beside what is measured."""

import contextlib
import subprocess
from collections.abc import Iterator

_BURNER = ("sh", "-c", "while :; do :; done")


@contextlib.contextmanager
def busy_processes(count: int) -> Iterator[list["subprocess.Popen[bytes]"]]:
    """Let so many processes compute for the length of the block."""
    burners = [subprocess.Popen(_BURNER) for _ in range(count)]
    try:
        yield burners
    finally:
        for burner in burners:
            burner.kill()
            burner.wait()
