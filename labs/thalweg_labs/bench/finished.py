# SPDX-License-Identifier: BSD-3-Clause
"""Jobs of benchmarks: each ends well in its time, or says what it was."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

from thalweg.errors import FAILED, ThalwegError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def finished(words: Sequence[str], limit_s: float, variables: Mapping[str, str] | None = None, remedy: str = "") -> str:
    """Run a command beside these variables of the environment, and give what it prints.

    Raises ThalwegError for one that fails, or does not end within `limit_s` seconds. It is killed then; what it has
    started is left to it.
    """
    environment = os.environ | dict(variables or {})
    try:
        done = subprocess.run(words, capture_output=True, text=True, check=False, env=environment, timeout=limit_s)
    except subprocess.TimeoutExpired as error:
        raise ThalwegError(FAILED, f"{' '.join(words)} did not end within {limit_s:g} s", remedy) from error
    if done.returncode:
        message = f"{' '.join(words)} ended with status {done.returncode}\n{done.stderr[-2000:]}"
        raise ThalwegError(FAILED, message, remedy)
    return done.stdout
