# SPDX-License-Identifier: BSD-3-Clause
"""What the administrator lets a host's users do with its network device: a file in TOML.

networks = ["10.0.0.0/8"]      # where the hosts of a group may be; anywhere, if it is left out
groups_per_user = 64           # from 1 to 256
starts_per_second = 200000     # of a user on this host, from 0, which is as many as it likes, to 1000000000
aggregator = "10.0.0.250"      # whose card may join this host's groups, or those of the switch below; none, if left out
operators = "/etc/thalweg/operators"    # a folder with operators of users; none, if left out
"""

import ipaddress
from pathlib import Path
from typing import NamedTuple

from thalweg.errors import NIC, ThalwegError
from thalweg.settings.files import check_keys
from thalweg.toml import tomllib

FILE = Path("/etc/thalweg/nic.toml")
_GROUPS_MAX = 256
_STARTS_MAX = 1_000_000_000


class Limits(NamedTuple):
    """What users may do."""

    networks: tuple[str, ...] = ()
    groups_per_user: int = 64
    starts_per_second: int = 200_000
    aggregator: str = ""
    operators: str = ""


def read_limits(text: str, source: str) -> Limits:
    """Read a file's text; fails with the file and the entry where something is wrong in it."""
    try:
        entries = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ThalwegError(NIC, f"{source} is no TOML: {error}", "see docs/nic.md for what may be there") from error
    networks = entries.pop("networks", [])
    groups = entries.pop("groups_per_user", Limits().groups_per_user)
    starts = entries.pop("starts_per_second", Limits().starts_per_second)
    aggregator = entries.pop("aggregator", "")
    operators = entries.pop("operators", "")
    check_keys(entries, text, source, "entry", Limits._fields, NIC)
    if type(groups) is not int or not 1 <= groups <= _GROUPS_MAX:
        raise ThalwegError(NIC, f"{source}: groups_per_user is {groups}", f"write a number from 1 to {_GROUPS_MAX}")
    if type(starts) is not int or not 0 <= starts <= _STARTS_MAX:
        said = f"{source}: starts_per_second is {starts}"
        raise ThalwegError(NIC, said, f"write a number from 0 to {_STARTS_MAX}")
    if not isinstance(networks, list):
        raise ThalwegError(NIC, f"{source}: networks is {networks}", 'write a list like ["10.0.0.0/8"]')
    if aggregator and not is_address(aggregator):
        raise ThalwegError(NIC, f"{source}: aggregator is {aggregator}", "write an IPv4 address like 10.0.0.250")
    if operators != "" and not (isinstance(operators, str) and Path(operators).is_absolute()):
        raise ThalwegError(NIC, f"{source}: operators is {operators}", "write a folder's whole path")
    allowed = tuple(_network(network, source) for network in networks)
    return Limits(allowed, groups, starts, str(aggregator), operators)


def is_address(text: object) -> bool:
    """Tell whether it is an IPv4 address."""
    try:
        return isinstance(text, str) and bool(ipaddress.IPv4Address(text))
    except ValueError:
        return False


def limits_of_host(file: Path = FILE) -> Limits:
    """Read the host's file; without one everything is allowed that the agent can do."""
    try:
        return read_limits(file.read_text(encoding="utf-8-sig"), str(file))
    except FileNotFoundError:
        return Limits()
    except (OSError, UnicodeDecodeError) as error:
        raise ThalwegError(NIC, f"{file} cannot be read: {error}", "make it a text that root may read") from error


def _network(text: object, source: str) -> str:
    try:
        if isinstance(text, str) and "/" in text:
            return str(ipaddress.IPv4Network(text))
    except ValueError:
        pass
    raise ThalwegError(NIC, f"{source}: '{text}' is no IPv4 network", "write one like 10.0.0.0/8")
