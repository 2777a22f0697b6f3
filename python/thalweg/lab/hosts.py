"""What the lab is made of, by name: hosts, their addresses, and the folder of its files."""

import json
import os
import re
from pathlib import Path
from typing import NamedTuple

from thalweg.errors import LAB, USAGE, ThalwegError

PREFIX = "thalweg-"
SWITCH = f"{PREFIX}switch"
FOLDER = Path("/run/thalweg-lab")
NETNS = Path("/etc/netns")
HOSTS_MAX = 250
_RATE = re.compile(r"\d+(\.\d+)?[kmg]?bit")


class Lab(NamedTuple):
    """A lab as it was asked for."""

    hosts: int
    rate: str
    """Of each link in each direction, in the words of tc: 200mbit."""

    @property
    def names(self) -> list[str]:
        """Name the hosts, which are their network namespaces too."""
        return [f"{PREFIX}h{index}" for index in range(self.hosts)]

    def address(self, index: int) -> str:
        """Give a host's address on its only link."""
        return f"10.77.0.{index + 1}"


def checked(hosts: int, rate: str) -> Lab:
    """Refuse what cannot be built."""
    if not 2 <= hosts <= HOSTS_MAX:
        raise ThalwegError(USAGE, f"a lab of {hosts} hosts cannot be made", f"choose 2 to {HOSTS_MAX}: --hosts 8")
    if not _RATE.fullmatch(rate):
        raise ThalwegError(USAGE, f"'{rate}' is no rate of a link", "write 200mbit, 1gbit or 64kbit")
    return Lab(hosts, rate)


def saved() -> Lab | None:
    """Read which lab is up; nothing where none is."""
    try:
        return Lab(**json.loads((FOLDER / "lab.json").read_text()))
    except FileNotFoundError:
        return None
    except (ValueError, TypeError) as error:
        message = f"{FOLDER / 'lab.json'} is damaged: {error}"
        raise ThalwegError(LAB, message, "remove what is left: thalweg lab down") from error


def save(lab: Lab) -> None:
    """Remember which lab is up."""
    (FOLDER / "lab.json").write_text(json.dumps(lab._asdict()))


def require_root() -> None:
    """Refuse to go on as anybody else."""
    if os.geteuid() != 0:
        raise ThalwegError(
            LAB, "hosts are network namespaces, which root alone may make", "run it as root, or with sudo"
        )
