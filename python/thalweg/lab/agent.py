"""The remote agent: what launchers call instead of ssh to start something on one of the lab's hosts.

MPI libraries take ranks with the same host name for neighbours that share memory, so what starts on a host gets the
host's own name, System V and POSIX shared memory and folder for temporary files as well as its network.
"""

from pathlib import Path

_SCRIPT = """#!/bin/sh
# agent [OPTION...] HOST COMMAND...: starts a shell's command on one of the lab's hosts.
while [ "${1#-}" != "$1" ]; do shift; done
host=$1
shift
exec ip netns exec "$host" unshare --uts --ipc --mount --propagation private sh -c '
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


def write_agent(folder: Path) -> None:
    """Write the agent into the lab's folder."""
    agent = agent_of(folder)
    agent.write_text(_SCRIPT.replace("FOLDER", str(folder)))
    agent.chmod(0o755)
