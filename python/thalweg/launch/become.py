# SPDX-License-Identifier: BSD-3-Clause
"""Take the place of this process by a program."""

import os
import signal
from collections.abc import Mapping
from typing import NoReturn

from thalweg.programs.processes import IGNORED_BY_PYTHON


def become(path: str, words: tuple[str, ...], environment: Mapping[str, str]) -> NoReturn:
    """Run a program in place of this process, with signals as a shell leaves them; OSError where it cannot start."""
    before = {number: signal.signal(number, signal.SIG_DFL) for number in IGNORED_BY_PYTHON}
    try:
        os.execve(path, words, environment)
    except OSError:
        for number, handler in before.items():
            signal.signal(number, handler)
        raise
