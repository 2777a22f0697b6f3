# SPDX-License-Identifier: BSD-3-Clause
"""Where machine files are kept, and which one is meant."""

import contextlib
import hashlib
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from thalweg import _core, text_files
from thalweg.errors import SETTINGS, ThalwegError
from thalweg.networks.hostlists import expand
from thalweg.settings.layers import default_tuning_file
from thalweg.text_files import lines_of, read_text

_FINGERPRINT_LINES = 8


def folder(environment: Mapping[str, str]) -> Path:
    """Say where probes leave their machine files."""
    return Path(default_tuning_file(environment)).parent / "machines"


def file_of(fingerprint: Sequence[str], environment: Mapping[str, str]) -> Path:
    """Name the machine file of a job's fingerprint."""
    mpi = "".join(letter if letter.isalnum() else "-" for letter in fingerprint[4]).strip("-").lower()
    key = hashlib.sha256("\n".join(fingerprint).encode()).hexdigest()[:8]
    return folder(environment) / f"{mpi}-{fingerprint[6]}x{fingerprint[7]}-{key}.toml"


def known_file_of(fingerprint: Sequence[str], environment: Mapping[str, str]) -> str:
    """Name the machine file of a job's fingerprint; empty where no probe of such a job was here."""
    path = file_of(fingerprint, environment) if len(fingerprint) == _FINGERPRINT_LINES else None
    return str(path) if path and os.path.exists(path) else ""  # not where its name is too long


def load(path: str) -> _core.Machine:
    """Read a machine file."""
    try:
        return _core.load_machine(path)
    except _core.Error as error:
        raise ThalwegError(SETTINGS, *error.args) from error


def read_node_list(path: str, interconnect: _core.Interconnect) -> list[tuple[str, int]]:
    """Read where hosts are (docs/machines.md), as names and numbers of nodes.

    Raises ThalwegError with the line, and for a list without hosts.
    """
    try:
        hosts = _core.parse_node_list(read_text(path, "name a readable list of hosts"), interconnect, path)
    except _core.Error as error:
        raise ThalwegError(SETTINGS, *error.args) from error
    if not hosts:
        raise ThalwegError(SETTINGS, f"{path}: there is no host in it", "write a host's name a line")
    return hosts


def hosts_in(path: str) -> list[str]:
    """Name the hosts of a list, in its order. Raises ThalwegError where there are none."""
    text = read_text(path, "name a readable list of hosts")
    if names := [name for line in lines_of(text, path) for name in expand(line.text.split()[0], line.place)]:
        return names
    raise ThalwegError(SETTINGS, f"{path} names no host", "write a host and its place on each line")


def places_in(path: str, hosts: Sequence[str], shape: str) -> _core.NodePlaces:
    """Read where these hosts are; the list's first line may name the network's shape instead."""
    try:
        return _core.node_places(read_text(path, "name a readable list of hosts"), list(hosts), shape, path)
    except _core.Error as error:
        raise ThalwegError(SETTINGS, *error.args) from error


def nodes_text(hosts: Sequence[tuple[str, int]]) -> str:
    """Write hosts with their nodes, for people."""
    return ", ".join(f"{host} at {node}" for host, node in hosts)


def newest(environment: Mapping[str, str]) -> str:
    """Name the file of the last probe; empty if there was none."""
    files = sorted(folder(environment).glob("*.toml"), key=lambda file: file.stat().st_mtime)
    return str(files[-1]) if files else ""


def titled(title: str, environment: Mapping[str, str]) -> str:
    """Name the machine file with that title; empty if there is none.

    Files that do not read are passed over: nobody asked for them.
    """
    for file in folder(environment).glob("*.toml"):
        with contextlib.suppress(ThalwegError):
            if load(str(file)).title == title:
                return str(file)
    return ""


def save(machine: _core.Machine, path: Path) -> None:
    """Write a machine file, whole or not at all."""
    write_text(machine.to_text(), path)


def write_text(text: str, path: Path) -> None:
    """Write a file beside machines, in a folder that is made where there is none. Raises ThalwegError."""
    remedy = "name another: --output FILE"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ThalwegError(SETTINGS, f"{path} cannot be written: {error.strerror}", remedy) from error
    text_files.write_text(text, path, remedy)
