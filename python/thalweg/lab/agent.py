"""The remote agent: what launchers call instead of ssh to start something on one of the lab's hosts.

MPI libraries take ranks with the same host name for neighbours that share memory, so what starts on a host gets the
host's own name, System V and POSIX shared memory and folder for temporary files as well as its network.
"""

from thalweg.lab.hosts import FOLDER

AGENT = FOLDER / "agent"

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


def write_agent() -> None:
    """Write the agent into the lab's folder."""
    AGENT.write_text(_SCRIPT.replace("FOLDER", str(FOLDER)))
    AGENT.chmod(0o755)
