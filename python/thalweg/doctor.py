# SPDX-License-Identifier: BSD-3-Clause
"""Look at what Thalweg needs on this host, and say what works, what does not, and what to do."""

from __future__ import annotations

import os
import platform
import re
import shutil
from importlib.metadata import version
from typing import TYPE_CHECKING, NamedTuple

from thalweg.errors import ThalwegError
from thalweg.launch.cores import core_count
from thalweg.launch.launchers import Launcher, launcher_of
from thalweg.libraries import interposer
from thalweg.programs.families import FAMILIES, Family, LoadedMpi
from thalweg.programs.processes import executable, output_of
from thalweg.settings.layers import effective_settings
from thalweg.settings.variables import unknown_variables
from thalweg.units import count_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

OK, NONE, WARN, FAIL = "ok", "none", "warn", "fail"
_SHARED_MEMORY = "/dev/shm"  # noqa: S108 - Linux has it for everybody, as MPI libraries use it
_SHARED_MEMORY_MIN = 64 << 20
_SECONDS = 20.0


class Finding(NamedTuple):
    """What was looked at, how it is, and the command or change that helps; empty where nothing is to be done."""

    state: str
    subject: str
    text: str
    remedy: str = ""


def findings(environment: Mapping[str, str], folder: str) -> list[Finding]:
    """Look at everything. A part that cannot be looked at is a finding, too."""
    parts: list[tuple[str, Callable[[], list[Finding]]]] = [
        ("Thalweg", _itself),
        ("MPI", lambda: _libraries(environment)),
        ("Slurm", lambda: _slurm(environment)),
        ("settings", lambda: _settings(environment, folder)),
        ("tuning", lambda: _tuning(environment, folder)),
        ("machine", lambda: _machine(environment)),
        ("cores", _cores),
        ("shared memory", _shared_memory),
        ("LD_PRELOAD", lambda: _preload(environment)),
        ("agent", _agent),
    ]
    found: list[Finding] = []
    for subject, look in parts:
        try:
            found += look()
        except ThalwegError as error:
            found.append(Finding(FAIL, subject, error.message, error.remedy))
        except (OSError, ValueError) as error:
            found.append(Finding(FAIL, subject, f"it cannot be looked at: {error}"))
    return found


def _itself() -> list[Finding]:
    system = platform.freedesktop_os_release().get("PRETTY_NAME", platform.system())
    text = f"{version('thalweg')}, Python {platform.python_version()}, {system}, Linux {platform.release()}"
    return [Finding(OK, "Thalweg", text)]


def _libraries(environment: Mapping[str, str]) -> list[Finding]:
    """Give a finding for each family of libraries; it fails where none of them can be used."""
    found = [_family(family, environment) for family in FAMILIES]
    if not any(one.state == OK for one in found):
        remedy = "install one (Debian: openmpi-bin or mpich), or load its module"
        found.append(Finding(FAIL, "MPI", "no MPI library with a launcher was found", remedy))
    return found


def _family(family: Family, environment: Mapping[str, str]) -> Finding:
    library = _library_of(family, environment)
    if not library:
        return Finding(NONE, family.title, "not found")
    fits = interposer(family)  # raises where the installation lacks it
    try:
        launcher: Launcher = launcher_of(LoadedMpi(family, library), environment)
    except ThalwegError as error:
        return Finding(WARN, family.title, f"{library}: {error.message}", error.remedy)
    return Finding(OK, family.title, f"{library}, launcher {launcher.path}, interposer {os.path.basename(fits)}")


def _library_of(family: Family, environment: Mapping[str, str]) -> str:
    """Find a family's library as the dynamic linker would: in LD_LIBRARY_PATH, else in its cache."""
    for folder in environment.get("LD_LIBRARY_PATH", "").split(":"):
        for soname in family.sonames:
            if folder and os.path.exists(path := os.path.join(folder, soname)):
                return path
    linker = executable("ldconfig", environment) or "/sbin/ldconfig"
    if not os.access(linker, os.X_OK):
        return ""
    listing = output_of([linker, "-p"], environment, _SECONDS).text
    for soname in family.sonames:
        if found := re.search(rf"^\s*{re.escape(soname)} .*=> (\S+)$", listing, re.MULTILINE):
            return found[1]
    return ""


def _slurm(environment: Mapping[str, str]) -> list[Finding]:
    srun = executable("srun", environment)
    if srun is None:
        return [Finding(NONE, "Slurm", "no srun in PATH")]
    said = output_of([srun, "--version"], environment, _SECONDS).text.strip()
    listed = output_of([srun, "--mpi=list"], environment, _SECONDS)
    kinds = sorted(set(re.findall(r"\b(pmix\w*|pmi2|cray_shasta)\b", f"{listed.text} {listed.errors}")))
    return [Finding(OK, "Slurm", f"{said}, srun --mpi: {', '.join(kinds) or 'nothing that MPI libraries use'}")]


def _settings(environment: Mapping[str, str], folder: str) -> list[Finding]:
    settings = effective_settings({}, environment, folder)
    given = [name for name, value in settings.items() if value.origin != "default"]
    text = f"{', '.join(given)} set; thalweg config says where" if given else "all defaults"
    unknown = [Finding(WARN, "settings", line, "unset it") for line in unknown_variables(environment)]
    return [Finding(OK, "settings", text), *unknown]


def _tuning(environment: Mapping[str, str], folder: str) -> list[Finding]:
    from thalweg.tune import store  # noqa: PLC0415 - the compiled core may be what is missing

    path = str(effective_settings({}, environment, folder)["tuning"].value)
    if not os.path.exists(path):
        return [Finding(WARN, "tuning", "no tuning file: calls learn as they run", "thalweg tune -n RANKS")]
    known = store.load(path)
    picks = sum(len(one.picks) for one in known)
    text = f"{path}: {count_text(picks, 'pick')} for {count_text(len(known), 'kind')} of jobs"
    return [Finding(OK, "tuning", text)]


def _machine(environment: Mapping[str, str]) -> list[Finding]:
    from thalweg.machine import files  # noqa: PLC0415 - the compiled core may be what is missing

    newest = files.newest(environment)
    if not newest:
        return [Finding(WARN, "machine", "never measured: predictions use a default machine", "thalweg machine probe")]
    return [Finding(OK, "machine", f"{files.load(newest).title} ({newest})")]


def _cores() -> list[Finding]:
    text = count_text(core_count(), "core")
    try:
        with open("/sys/fs/cgroup/cpu.max", encoding="ascii") as file:
            quota, _, period = file.read().partition(" ")
    except OSError:
        return [Finding(OK, "cores", text)]
    if not quota.isdigit():
        return [Finding(OK, "cores", f"{text}, no limit of the control group")]
    allowed = int(quota) / int(period)
    remedy = "start no more ranks than that: waits are decided by cores" if allowed < core_count() else ""
    return [Finding(WARN if remedy else OK, "cores", f"{text}, of which the control group grants {allowed:g}", remedy)]


def _shared_memory() -> list[Finding]:
    free = shutil.disk_usage(_SHARED_MEMORY).free
    text = f"{_SHARED_MEMORY} has {free >> 20} MiB free"
    if free < _SHARED_MEMORY_MIN:
        return [Finding(WARN, "shared memory", text, "free some, or mount it larger (containers: --shm-size)")]
    return [Finding(OK, "shared memory", text)]


def _preload(environment: Mapping[str, str]) -> list[Finding]:
    given = environment.get("LD_PRELOAD", "")
    if not given:
        return [Finding(OK, "LD_PRELOAD", "nobody else uses it")]
    return [Finding(WARN, "LD_PRELOAD", f"{given} is loaded too", "thalweg run keeps it: measure with and without")]


def _agent() -> list[Finding]:
    from thalweg.nic.status import ask  # noqa: PLC0415 - a socket that others do without

    try:
        served = ask()
    except ThalwegError:
        return [Finding(NONE, "agent", "none serves this host, and jobs need none (thalweg nic check)")]
    return [Finding(OK, "agent", f"it serves {served['address']} through {served['hook']}")]


def lines_of(found: list[Finding]) -> list[str]:
    """Write findings for people, one a line, with what to do behind an arrow."""
    width = max(len(one.subject) for one in found)
    return [
        f"{one.state:4}  {one.subject:{width}}  {one.text}" + (f" -> {one.remedy}" if one.remedy else "")
        for one in found
    ]
