"""Where machine files are kept, and which one is meant."""

import contextlib
import hashlib
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from thalweg import _core
from thalweg.errors import SETTINGS, ThalwegError
from thalweg.settings.layers import default_tuning_file


def folder(environment: Mapping[str, str]) -> Path:
    """Say where probes leave their machine files."""
    return Path(default_tuning_file(environment)).parent / "machines"


def file_of(fingerprint: Sequence[str], environment: Mapping[str, str]) -> Path:
    """Name the machine file of a job's fingerprint."""
    mpi = "".join(letter if letter.isalnum() else "-" for letter in fingerprint[4]).strip("-").lower()
    key = hashlib.sha256("\n".join(fingerprint).encode()).hexdigest()[:8]
    return folder(environment) / f"{mpi}-{fingerprint[6]}x{fingerprint[7]}-{key}.toml"


def load(path: str) -> _core.Machine:
    """Read a machine file."""
    try:
        return _core.load_machine(path)
    except _core.Error as error:
        raise ThalwegError(SETTINGS, *error.args) from error


def read_node_list(path: str, interconnect: _core.Interconnect) -> list[tuple[str, int]]:
    """Read where hosts are (docs/machines.md), as names and numbers of nodes. Raises ThalwegError with the line."""
    try:
        return _core.parse_node_list(_text(path), interconnect, path)
    except _core.Error as error:
        raise ThalwegError(SETTINGS, *error.args) from error


def hosts_in(path: str) -> list[str]:
    """Name the hosts of a list, in its order. Raises ThalwegError where there are none."""
    words = [line.split() for line in _text(path).splitlines()]
    if names := [line[0] for line in words if line and not line[0].startswith("#")]:
        return names
    raise ThalwegError(SETTINGS, f"{path} names no host", "write a host and its place on each line")


def places_in(path: str, hosts: Sequence[str], shape: str) -> _core.NodePlaces:
    """Read where these hosts are; the list's first line may name the network's shape instead."""
    try:
        return _core.node_places(_text(path), list(hosts), shape, path)
    except _core.Error as error:
        raise ThalwegError(SETTINGS, *error.args) from error


def _text(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no text"
        raise ThalwegError(SETTINGS, f"{path}: {reason}", "name a readable list of hosts") from error


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
    """Write a file beside machines, whole or not at all."""
    fresh = path.with_name(f"{path.name}.new-{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh.write_text(text, encoding="utf-8")
        fresh.replace(path)
    except OSError as error:
        fresh.unlink(missing_ok=True)
        raise ThalwegError(
            SETTINGS, f"{path} cannot be written: {error.strerror}", "name another: --output FILE"
        ) from error
