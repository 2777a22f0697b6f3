# SPDX-License-Identifier: BSD-3-Clause
"""What this host grants: cores, memory, shared memory, and reading each other's memory."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

from thalweg.errors import ThalwegError
from thalweg.health.finding import NONE, OK, WARN, Finding
from thalweg.launch.cores import core_count
from thalweg.units import count_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_SHARED_MEMORY = "/dev/shm"  # noqa: S108 - Linux has it for everybody, as MPI libraries use it
_SHARED_MEMORY_MIN = 64 << 20
_MEMORY_MIN = 256 << 20
_OWN_GROUPS = "/proc/self/cgroup"
_MOUNTS = "/proc/self/mountinfo"
_SCOPE = "/proc/sys/kernel/yama/ptrace_scope"


def cores() -> list[Finding]:
    """Count the cores, and say how much of them the control group grants."""
    text = count_text(core_count(), "core")
    granted = min(_granted_cores(), default=0.0)
    if not granted:
        return [Finding(OK, "cores", f"{text}, no limit of the control group")]
    remedy = "start no more ranks than that: waits are decided by cores" if granted < core_count() else ""
    return [Finding(WARN if remedy else OK, "cores", f"{text}, of which the control group grants {granted:g}", remedy)]


def memory() -> list[Finding]:
    """Say how much memory there is, and how much of it the control group grants."""
    with open("/proc/meminfo", encoding="ascii") as file:
        fields = dict(line.split(":") for line in file)
    total, available = (int(fields[name].split()[0]) << 10 for name in ("MemTotal", "MemAvailable"))
    text = f"{_mebibytes(total)}, of which {_mebibytes(available)} are available"
    limits = [int(value) for value in _values("memory", ("memory.max", "memory.limit_in_bytes")) if value.isdecimal()]
    granted = min(limits, default=total)
    if granted >= total:
        return [Finding(OK, "memory", f"{text}, no limit of the control group")]
    remedy = "ask for more (Slurm: --mem, --mem-per-cpu)" if granted < _MEMORY_MIN else ""
    text += f"; the control group grants {_mebibytes(granted)}"
    return [Finding(WARN if remedy else OK, "memory", text, remedy)]


def _mebibytes(count: int) -> str:
    return f"{count >> 20} MiB"


def _granted_cores() -> Iterator[float]:
    for value in _values("cpu", ("cpu.max",)):
        quota, _, period = value.partition(" ")
        if quota.isdecimal():
            yield int(quota) / int(period)
    for quota, period in zip(
        _values("cpu", ("cpu.cfs_quota_us",)), _values("cpu", ("cpu.cfs_period_us",)), strict=False
    ):
        if quota.isdecimal():
            yield int(quota) / int(period)


def _values(controller: str, names: tuple[str, ...]) -> Iterator[str]:
    """Give what these files of this process's control groups say, from its own group up to the uppermost seen."""
    for folder, uppermost in _groups(controller):
        above = folder
        while above.startswith(uppermost):
            for name in names:
                try:
                    with open(os.path.join(above, name), encoding="ascii") as file:
                        yield file.read().strip()
                except OSError:
                    continue
            if above == uppermost:
                break
            above = os.path.dirname(above)


def _groups(controller: str) -> Iterator[tuple[str, str]]:
    """Give this process's folders with a controller's files, and the folders in which those trees are mounted.

    A container may have a part of a tree mounted, whose place in the whole tree is the mount's root.
    """
    own: dict[str, str] = {}
    with open(_OWN_GROUPS, encoding="utf-8", errors="replace") as file:
        for line in file:
            _, controllers, path = line.rstrip("\n").split(":", 2)
            own |= dict.fromkeys(controllers.split(","), path)
    with open(_MOUNTS, encoding="utf-8", errors="replace") as file:
        for line in file:
            before, _, after = line.partition(" - ")
            root, place = before.split()[3:5]
            kind, _, options = after.split()[:3]
            name = "" if kind == "cgroup2" else controller
            if name not in own or kind not in ("cgroup", "cgroup2") or (name and name not in options.split(",")):
                continue
            inside = os.path.relpath(own[name], root)
            folder = place if inside.startswith("..") else os.path.normpath(os.path.join(place, inside))
            yield folder, place


def shared_memory() -> list[Finding]:
    """Say how much memory ranks of a host can share."""
    remedy = "mount it, or free some (containers: --shm-size)"
    if not os.path.isdir(_SHARED_MEMORY):
        return [Finding(WARN, "shared memory", f"there is no {_SHARED_MEMORY}", remedy)]
    free = shutil.disk_usage(_SHARED_MEMORY).free
    text = f"{_SHARED_MEMORY} has {_mebibytes(free)} free"
    if not os.access(_SHARED_MEMORY, os.W_OK):
        return [Finding(WARN, "shared memory", f"{_SHARED_MEMORY} cannot be written", "chmod 1777, as root")]
    if free < _SHARED_MEMORY_MIN:
        return [Finding(WARN, "shared memory", text, remedy)]
    return [Finding(OK, "shared memory", text)]


def ptrace() -> list[Finding]:
    """Say whether ranks may read each other's memory, by which long messages are copied once instead of twice."""
    try:
        with open(_SCOPE, encoding="ascii") as file:
            scope = int(file.read())
    except OSError:
        return [Finding(OK, "ptrace", "ranks may read each other's memory: this kernel has no Yama")]
    if scope > 1:
        text = f"ranks may not read each other's memory (Yama, {scope}): long messages are copied twice"
        return [Finding(WARN, "ptrace", text, "sysctl kernel.yama.ptrace_scope=1, as root")]
    text = "ranks may read each other's memory" if not scope else "ranks that allow it may be read by others (Yama, 1)"
    return [Finding(OK, "ptrace", text)]


def preload(environment: Mapping[str, str]) -> list[Finding]:
    """Name what others have loaded in front of every program."""
    given = environment.get("LD_PRELOAD", "")
    if not given:
        return [Finding(OK, "LD_PRELOAD", "nobody else uses it")]
    return [Finding(WARN, "LD_PRELOAD", f"{given} is loaded too", "thalweg run keeps it: measure with and without")]


def agent() -> list[Finding]:
    """Say whether an agent for network cards serves this host."""
    from thalweg.nic.status import ask  # noqa: PLC0415 - a socket that others do without

    try:
        served = ask()
    except ThalwegError:
        return [Finding(NONE, "agent", "none serves this host, and jobs need none (thalweg nic check)")]
    return [Finding(OK, "agent", f"it serves {served['address']} through {served['hook']}")]
