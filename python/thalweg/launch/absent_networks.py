# SPDX-License-Identifier: BSD-3-Clause
"""Spare Open MPI 4 the search for network cards that this machine does not have.

Opening its components for Omni-Path and True Scale cards takes 0.2 s of every MPI_Init, for their library measures the
processor's clock before it looks for a card. Where all ranks run on this machine and it has no such card, those
components are left out.
"""

import os
from collections.abc import Mapping, Sequence

from thalweg.launch.launchers import OPEN_RTE, Launcher

_VARIABLE = "OMPI_MCA_mtl"
_COMPONENTS = ("psm2", "psm")
_DEVICES = ("hfi1", "ipath")
_HOST_OPTIONS = (
    "-H",
    "-host",
    "--host",
    "-hostfile",
    "--hostfile",
    "-machinefile",
    "--machinefile",
    "--default-hostfile",
)
_PARAMETERS = ("/etc/openmpi/openmpi-mca-params.conf", "~/.openmpi/mca-params.conf")
_HOSTS = "/etc/openmpi/openmpi-default-hostfile"


def variables(
    launcher: Launcher, words: Sequence[str], environment: Mapping[str, str], root: str = "/"
) -> dict[str, str]:
    """Return Open MPI's parameter that leaves the components out; nothing where the user chose hosts or components."""
    if launcher.kind != OPEN_RTE or any(name.startswith(("OMPI_MCA_mtl", "OMPI_MCA_pml")) for name in environment):
        return {}
    if any(word in _HOST_OPTIONS or word in ("mtl", "pml") for word in words) or _lines(root, _HOSTS):
        return {}
    if _has_card(_under(root, "/dev")):
        return {}
    chosen = _chosen(root)
    if chosen and not chosen.startswith("^"):
        return {}
    excluded = [name for name in chosen.removeprefix("^").split(",") if name]
    return {_VARIABLE: "^" + ",".join([*excluded, *(name for name in _COMPONENTS if name not in excluded)])}


def _has_card(devices: str) -> bool:
    return os.path.isdir(devices) and any(name.startswith(_DEVICES) for name in os.listdir(devices))


def _chosen(root: str) -> str:
    """Read the administrator's or the user's own choice of components; the latter's file is read last."""
    chosen = ""
    for path in _PARAMETERS:
        for line in _lines(root, path):
            name, equals, value = line.partition("=")
            if equals and name.strip() == "mtl":
                chosen = value.strip().replace(" ", "")
    return chosen


def _lines(root: str, path: str) -> list[str]:
    try:
        with open(_under(root, os.path.expanduser(path)), encoding="utf-8", errors="replace") as file:
            return [line for line in map(str.strip, file) if line and not line.startswith("#")]
    except OSError:
        return []


def _under(root: str, path: str) -> str:
    return os.path.join(root, path.removeprefix("/"))
