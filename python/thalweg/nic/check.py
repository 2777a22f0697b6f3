"""Look whether this host can run collectives on a network device."""

import os
import re
from pathlib import Path
from typing import NamedTuple

from thalweg.errors import ThalwegError
from thalweg.nic.agent import command
from thalweg.nic.status import ask

_CAPABILITIES = {"CAP_NET_ADMIN": 12, "CAP_PERFMON": 38, "CAP_BPF": 39}
_TCX = (6, 6)
_OLDEST = (5, 12)
"""Atomic exchanges in programs."""


class Finding(NamedTuple):
    """One thing that was looked at."""

    is_good: bool
    text: str


def findings(device: str) -> list[Finding]:
    """Look at all that an agent needs; who asks may lack what only the agent needs."""
    return [_kernel(), _rights(), _parts(device), _device(device), _agent()]


def _kernel() -> Finding:
    release = os.uname().release
    found = re.match(r"(\d+)\.(\d+)", release)
    version = (int(found[1]), int(found[2])) if found else (0, 0)
    if version < _OLDEST:
        return Finding(False, f"Linux {release} is too old: 5.12 at least is needed")
    hook = "tcx hooks" if version >= _TCX else "no tcx hooks (6.6 has them): clsact is used"
    return Finding(True, f"Linux {release} has {hook}")


def _rights() -> Finding:
    status = Path("/proc/self/status").read_text(encoding="ascii", errors="replace")
    found = re.search(r"^CapEff:\s*([0-9a-f]+)", status, re.MULTILINE)
    effective = int(found[1], 16) if found else 0
    missing = [name for name, bit in _CAPABILITIES.items() if not effective >> bit & 1]
    if missing:
        return Finding(False, f"this user lacks {', '.join(missing)}: an agent needs them, jobs do not")
    return Finding(True, "this user may start an agent")


def _parts(device: str) -> Finding:
    try:
        return Finding(True, f"the agent is built: {command(device, 'best')[0]}")
    except ThalwegError as error:
        return Finding(False, f"{error.message}; {error.remedy}")


def _device(device: str) -> Finding:
    folder = Path("/sys/class/net", device)
    if not folder.exists():
        devices = ", ".join(sorted(path.name for path in Path("/sys/class/net").iterdir()))
        return Finding(False, f"there is no device {device}: --device may name {devices}")
    driver = (folder / "device" / "driver").resolve().name if (folder / "device" / "driver").exists() else "no driver"
    advice = "a card that delays interrupts delays them: ethtool -C DEVICE rx-usecs 0 adaptive-rx off"
    return Finding(True, f"device {device} is {(folder / 'operstate').read_text().strip()} ({driver}); {advice}")


def _agent() -> Finding:
    try:
        status = ask()
    except ThalwegError as error:
        return Finding(False, f"{error.message}; {error.remedy}")
    return Finding(True, f"an agent serves {status['address']} through {status['hook']}")
