# SPDX-License-Identifier: BSD-3-Clause
"""The remote agent: what launchers call instead of ssh to start something on one of the lab's hosts.

MPI libraries take ranks with the same host name for neighbors that share memory, so what starts on a host gets the
host's own name, System V and POSIX shared memory and folder for temporary files as well as its network; and its own
cores where there are enough, one that it shares with other hosts where there are not. Hosts that moved from core to
core would be faster or slower by half, for as long as the system leaves them where they are.
"""

from collections.abc import Sequence
from pathlib import Path

_SCRIPT = """#!/bin/sh
# agent [OPTION...] HOST COMMAND...: starts a shell's command on one of the lab's hosts.
while [ "${1#-}" != "$1" ]; do shift; done
host=$1
shift
case $host in
CORES
esac
exec taskset -c "$cores" ip netns exec "$host" unshare --uts --ipc --mount --propagation private sh -c '
  hostname "$1" &&
  mount -t tmpfs tmpfs /dev/shm &&
  mkdir -p "$0/$1" &&
  export TMPDIR="$0/$1" &&
  shift &&
  eval "$*"
' FOLDER "$host" "$@"
"""


def agent_of(folder: Path) -> Path:
    """Say where the agent of the lab with that folder is."""
    return folder / "agent"


def cores_of_hosts(cores: Sequence[int], hosts: int) -> list[list[int]]:
    """Deal cores out to hosts."""
    if hosts > len(cores):
        return [[cores[host % len(cores)]] for host in range(hosts)]
    return [list(cores[host::hosts]) for host in range(hosts)]


def write_agent(folder: Path, names: Sequence[str], cores: Sequence[int]) -> None:
    """Write the agent into the folder of the lab with hosts of these names, on these cores."""
    dealt = cores_of_hosts(cores, len(names))
    lines = [f"{name}) cores={','.join(map(str, own))} ;;" for name, own in zip(names, dealt, strict=True)]
    agent = agent_of(folder)
    agent.write_text(_SCRIPT.replace("CORES", "\n".join(lines)).replace("FOLDER", str(folder)))
    agent.chmod(0o755)
