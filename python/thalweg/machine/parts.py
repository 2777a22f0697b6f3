"""What this machine is made of, from hwloc: sockets, caches, cores and memory."""

import shutil
import subprocess


def describe_parts() -> list[str]:
    """List the machine's parts, a line each, as hwloc sees them; one line where hwloc is not there."""
    program = shutil.which("lstopo-no-graphics") or shutil.which("hwloc-ls")
    if program is None:
        return ["parts: hwloc is not installed (Debian: apt install hwloc-nox)"]
    done = subprocess.run(
        [program, "--no-io", "--no-bridges", "--of", "console"], capture_output=True, text=True, check=False
    )
    return [line for line in done.stdout.splitlines() if line.strip()]
