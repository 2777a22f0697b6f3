# SPDX-License-Identifier: BSD-3-Clause
"""Look whether this host can run collectives on a network device."""

import ipaddress
import json
import os
import re
import subprocess
from pathlib import Path
from typing import NamedTuple

from thalweg.errors import ThalwegError
from thalweg.nic.agent import command, try_operators
from thalweg.nic.status import ask

_CAPABILITIES = {"CAP_NET_ADMIN": 12, "CAP_PERFMON": 38, "CAP_BPF": 39}
_TCX = (6, 6)
_OLDEST = (5, 12)
"""Atomic exchanges in programs."""
_DEVICES = Path("/sys/class/net")


class Finding(NamedTuple):
    """One thing that was looked at."""

    is_good: bool
    text: str


def findings(device: str, role: str = "", operators: str = "") -> list[Finding]:
    """Look at all that an agent needs; who asks may lack what only the agent needs.

    `role`: switch, router or none. `operators`: a folder with operators of users, which the kernel is to look at.
    """
    own = [_kernel(), _rights(), _parts(device), _device(device, role)]
    if role:
        own += [_address(device), _ports(device) if role == "switch" else _routes()]
    if operators:
        own += _operators(operators)
    return [*own, _agent()]


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


def _device(device: str, role: str) -> Finding:
    folder = _DEVICES / device
    if not folder.exists():
        devices = ", ".join(sorted(path.name for path in _DEVICES.iterdir()))
        return Finding(False, f"there is no device {device}: --{role or 'device'} may name {devices}")
    driver = (folder / "device" / "driver").resolve().name if (folder / "device" / "driver").exists() else "no driver"
    advice = "a card that delays interrupts delays them: ethtool -C DEVICE rx-usecs 0 adaptive-rx off"
    return Finding(True, f"device {device} is {(folder / 'operstate').read_text().strip()} ({driver}); {advice}")


def _address(device: str) -> Finding:
    words = ["ip", "-4", "-json", "address", "show", "dev", device]
    found = subprocess.run(words, capture_output=True, text=True, check=False)
    known = [entry["local"] for link in json.loads(found.stdout or "[]") for entry in link.get("addr_info", [])]
    own = [address for address in known if not ipaddress.ip_address(address).is_loopback]
    if not own:
        return Finding(False, f"device {device} has no address that hosts can send to: ip address add")
    return Finding(True, f"device {device} has the address {own[0]}")


def _ports(bridge: str) -> Finding:
    ports = sorted(path.name for path in (_DEVICES / bridge).glob("brif/*"))
    if not (_DEVICES / bridge / "bridge").exists():
        return Finding(False, f"device {bridge} is no bridge: name one, or serve a router with --router")
    return Finding(bool(ports), f"bridge {bridge} has {', '.join(ports) or 'no'} ports")


def _routes() -> Finding:
    does = Path("/proc/sys/net/ipv4/ip_forward").read_text(encoding="ascii").strip() == "1"
    return Finding(does, "this host routes" if does else "this host does not route: sysctl net.ipv4.ip_forward=1")


def _operators(folder: str) -> list[Finding]:
    try:
        tried = try_operators(folder)
    except ThalwegError as error:
        return [Finding(False, f"{error.message}; {error.remedy}")]
    if not tried:
        return [Finding(False, f"there is no operator in {folder}: files *.o are looked for")]
    return [
        Finding(not one["objection"], f"operator {one['name']} " + (one["objection"] or f"of {one['words']} words"))
        for one in tried
    ]


def _agent() -> Finding:
    try:
        status = ask()
    except ThalwegError as error:
        return Finding(False, f"{error.message}; {error.remedy}")
    return Finding(True, f"an agent serves {status['address']} through {status['hook']}")
