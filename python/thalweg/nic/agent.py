# SPDX-License-Identifier: BSD-3-Clause
"""Start a host's agent, which loads the programs into the kernel and serves the host's jobs."""

import json
import os
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from thalweg.errors import INSTALLATION, NIC, ThalwegError
from thalweg.libraries import library_folders
from thalweg.nic.limits import Limits, limits_of_host

HOOKS = ("best", "tcx", "clsact")
_AGENT = "thalweg-nic-agent"
_PROGRAMS = "thalweg-nic-card.bpf.o"
_PATIENCE_S = 20
"""Kernels prove the programs when they are loaded."""


def command(
    device: str, hook: str, limits: Limits | None = None, aggregator: str = "", operators: str = ""
) -> list[str]:
    """Write the agent's command line; without limits, with the host's.

    `device`: its name, or NAME/all for a router whose address is on it. `aggregator`: where groups may have a card
    without ranks, as an address; "self": on this agent's own, for others; "self,ADDRESS": with that one above it; "":
    as the limits say, which also say what is above "self". `operators`: a folder with operators of users; "": the one
    that the limits name.
    """
    if hook not in HOOKS:
        raise ThalwegError(NIC, f"'{hook}' is no hook of network devices", f"choose one of {', '.join(HOOKS)}")
    given = limits or limits_of_host()
    if aggregator == "self" and given.aggregator:
        aggregator = f"self,{given.aggregator}"
    return [
        _part(_AGENT),
        _part(_PROGRAMS),
        device,
        hook,
        aggregator or given.aggregator or "none",
        str(given.groups_per_user),
        str(given.starts_per_second),
        operators or given.operators or "-",
        *given.networks,
    ]


def serve(device: str, hook: str, aggregator: str = "", operators: str = "") -> NoReturn:
    """Take this process's place with the agent."""
    words = command(device, hook, aggregator=aggregator, operators=operators)
    sys.stdout.flush()
    os.execv(words[0], words)


def try_operators(folder: str) -> list[dict[str, Any]]:
    """Have the kernel look at a folder's operators of users: each has a name, and what it was refused for, if it was.

    Needs the rights of an agent. Fails where the agent's own programs are not loaded, or the folder cannot be read.
    """
    tried = subprocess.run([_part(_AGENT), _part(_PROGRAMS), folder], capture_output=True, text=True, check=False)
    if tried.returncode != 0:
        raise ThalwegError(NIC, tried.stderr.strip(), "name a folder with files *.o, as root: --operators")
    return list(json.loads(tried.stdout))


def start_on(  # noqa: PLR0913 - what an agent is told
    namespaces: Sequence[str],
    device: str,
    log: Path,
    *,
    hook: str = "best",
    limits: Limits | None = None,
    aggregator: str = "",
) -> None:
    """Start an agent in each network namespace; they live until they are ended. Returns when all serve."""
    words = command(device, hook, limits, aggregator)
    tool = shutil.which("ip") or "ip"
    with log.open("ab") as errors:
        agents = [
            subprocess.Popen(
                [tool, "netns", "exec", name, *words],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=errors,
                start_new_session=True,
            )
            for name in namespaces
        ]
    end_s = time.monotonic() + _PATIENCE_S
    for name, agent in zip(namespaces, agents, strict=True):
        assert agent.stdout is not None
        ready, _, _ = select.select([agent.stdout], [], [], max(0.0, end_s - time.monotonic()))
        if not ready or not agent.stdout.readline().startswith(b"serving"):
            said = log.read_text().strip() or "it says nothing"
            message = f"the agent of {name} does not serve: {said}"
            raise ThalwegError(NIC, message, "thalweg nic check says what a host needs")
        agent.stdout.close()
        agent.returncode = 0  # it goes on after this process, which is not to warn of it


def _part(name: str) -> str:
    folders = library_folders()
    for folder in folders:
        path = Path(folder, name)
        if path.is_file():
            return str(path)
    message = f"{name}, a part of thalweg nic, is missing in {' and '.join(folders)}"
    raise ThalwegError(INSTALLATION, message, "build Thalweg with clang and libbpf installed: make build")
