# SPDX-License-Identifier: BSD-3-Clause
"""Look at what Thalweg needs on this host, and say what works, what does not, and what to do."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from thalweg.errors import ThalwegError
from thalweg.health import host, installation, mpis, slurm
from thalweg.health.finding import FAIL, Finding

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def findings(environment: Mapping[str, str], folder: str) -> list[Finding]:
    """Look at everything. A part that cannot be looked at is a finding, too."""
    parts: list[tuple[str, Callable[[], list[Finding]]]] = [
        ("Thalweg", installation.itself),
        ("Python", installation.python),
        ("MPI", lambda: mpis.libraries(environment)),
        ("Slurm", lambda: slurm.cluster(environment)),
        ("settings", lambda: installation.settings(environment, folder)),
        ("tuning", lambda: installation.tuning(environment, folder)),
        ("machine", lambda: installation.machine(environment)),
        ("folders", lambda: installation.folders(environment)),
        ("cores", host.cores),
        ("memory", host.memory),
        ("shared memory", host.shared_memory),
        ("ptrace", host.ptrace),
        ("LD_PRELOAD", lambda: host.preload(environment)),
        ("agent", host.agent),
    ]
    found: list[Finding] = []
    for subject, look in parts:
        try:
            found += look()
        except ThalwegError as error:
            found.append(Finding(FAIL, subject, error.message, error.remedy))
        except (OSError, ValueError, ImportError) as error:
            remedy = "mount -t proc proc /proc, as root" if not os.path.exists("/proc/self") else ""
            found.append(Finding(FAIL, subject, f"it cannot be looked at: {error}", remedy))
    return found
