# SPDX-License-Identifier: BSD-3-Clause
"""Whether Thalweg itself is whole, which settings hold, and what has been measured and tuned."""

from __future__ import annotations

import os
import platform
import re
import sys
from importlib import metadata
from typing import TYPE_CHECKING

from thalweg.health.finding import FAIL, OK, WARN, Finding
from thalweg.settings.layers import default_patterns_folder, default_tuning_file, effective_settings
from thalweg.settings.variables import unknown_variables
from thalweg.units import count_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_REQUIREMENT = re.compile(r"[\w.-]+")
_EXTRAS = re.compile(r"extra == ['\"](plot|mpi4py)['\"]")


def itself() -> list[Finding]:
    """Say which Thalweg this is, on which system, and whether its compiled core loads."""
    try:
        system = platform.freedesktop_os_release().get("PRETTY_NAME", platform.system())
    except OSError:
        system = platform.system()
    text = f"{_version('thalweg') or 'not installed as a package'}, {system}, Linux {platform.release()}"
    try:
        from thalweg import _core  # noqa: F401, PLC0415 - it may be what is missing
    except ImportError as error:
        return [Finding(FAIL, "Thalweg", f"{text}: its compiled core does not load: {error}", "install it again")]
    return [Finding(OK, "Thalweg", text)]


def _is_for_this_python(requirement: str) -> bool:
    """Tell whether a package is needed: some are by an older Python alone."""
    below = re.search(r"python_version < ['\"](\d+)\.(\d+)", requirement)
    return below is None or sys.version_info[:2] < (int(below[1]), int(below[2]))


def python() -> list[Finding]:
    """Say which libraries of Python there are, of those that Thalweg needs and of those that it can use."""
    text = f"{platform.python_version()} ({sys.executable})"
    try:
        required = metadata.requires("thalweg") or []
    except metadata.PackageNotFoundError:
        return [Finding(WARN, "Python", text, "install the package: pip install thalweg")]
    needed = [line for line in required if "extra ==" not in line and _is_for_this_python(line)]
    missing = [name for name in _names(needed) if not _version(name)]
    if missing:
        return [Finding(FAIL, "Python", f"{text} lacks {', '.join(missing)}", f"pip install {' '.join(missing)}")]
    optional = _names([line for line in required if _EXTRAS.search(line)])
    given = [f"{name} {known}" if (known := _version(name)) else f"no {name}" for name in optional]
    return [Finding(OK, "Python", ", ".join([text, *given]))]


def _names(requirements: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(found[0] for line in requirements if (found := _REQUIREMENT.match(line))))


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""


def settings(environment: Mapping[str, str], folder: str) -> list[Finding]:
    """Name the settings that are not the defaults, and variables that look like Thalweg's and are none."""
    effective = effective_settings({}, environment, folder)
    given = [name for name, value in effective.items() if value.origin != "default"]
    text = f"{', '.join(given)} set; thalweg config says where" if given else "all defaults"
    unknown = [Finding(WARN, "settings", line, "unset it") for line in unknown_variables(environment)]
    return [Finding(OK, "settings", text), *unknown]


def tuning(environment: Mapping[str, str], folder: str) -> list[Finding]:
    """Say for which jobs the tuning file has picks, and whether they are of machines like this one."""
    from thalweg import _core  # noqa: PLC0415 - itself says whether it is there
    from thalweg.tune import store  # noqa: PLC0415

    path = str(effective_settings({}, environment, folder)["tuning"].value)
    if path == "off":
        return [Finding(OK, "tuning", "off: no tuning file is read")]
    if not os.path.exists(path):
        return [Finding(WARN, "tuning", "no tuning file: calls learn as they run", "thalweg tune -n RANKS")]
    known = store.load(path)
    here = _core.local_fingerprint(dict(environment))
    fitting = [one for one in known if (one.machine.processor, one.machine.kernel) == (here.processor, here.kernel)]
    jobs = sorted({(pick.ranks, pick.nodes) for one in fitting for pick in one.picks})
    total = count_text(sum(len(one.picks) for one in known), "pick")
    if not jobs:
        text = f"{path}: {total}, none of this processor and kernel"
        return [Finding(WARN, "tuning", text, "thalweg tune -n RANKS")]
    sizes = ", ".join(f"{ranks} on {count_text(nodes, 'node')}" for ranks, nodes in jobs)
    return [Finding(OK, "tuning", f"{path}: {total}; here for ranks {sizes}")]


def machine(environment: Mapping[str, str]) -> list[Finding]:
    """Say whether this machine has been measured."""
    from thalweg.machine import files  # noqa: PLC0415 - the compiled core may be what is missing

    newest = files.newest(environment)
    if not newest:
        return [Finding(WARN, "machine", "never measured: predictions use a default machine", "thalweg machine probe")]
    return [Finding(OK, "machine", f"{files.load(newest).title} ({newest})")]


def folders(environment: Mapping[str, str]) -> list[Finding]:
    """Say whether what is tuned and recorded can be kept."""
    kept = {
        "XDG_DATA_HOME": os.path.dirname(default_tuning_file(environment)),
        "XDG_CACHE_HOME": os.path.dirname(default_patterns_folder(environment)),
    }
    refused = {name: path for name, path in kept.items() if not os.access(_existing(path), os.W_OK)}
    if not refused:
        return [Finding(OK, "folders", f"{' and '.join(kept.values())} can be written")]
    text = f"{' and '.join(refused.values())} cannot be written: nothing that is tuned or recorded there is kept"
    return [Finding(WARN, "folders", text, f"set {' and '.join(refused)} to a folder that you may write")]


def _existing(path: str) -> str:
    """Give the nearest folder above that exists."""
    path = os.path.abspath(path)
    while not os.path.exists(path):
        path = os.path.dirname(path)
    return path
