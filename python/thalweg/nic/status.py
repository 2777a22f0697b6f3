# SPDX-License-Identifier: BSD-3-Clause
"""Ask a host's agent what it serves."""

import functools
import json
import socket
import struct
from typing import Any

from thalweg.errors import NIC, ThalwegError

AGENT = b"\0thalweg-nic"
VERSION = 9
_STATUS = 3
_PATIENCE_S = 5.0
_LONGEST = 1 << 20
_DEPARTURES = {"ended": "ended", "silent": "does not answer", "agent ended": "has no agent any more"}


def ask() -> dict[str, Any]:
    """Give what the agent says: its hook, packets so far, and each group with who is missing on any of its hosts."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as agent:
        agent.settimeout(_PATIENCE_S)
        try:
            agent.connect(AGENT)
            agent.send(struct.pack("=II", VERSION, _STATUS))
            text = agent.recv(_LONGEST)
        except OSError as error:
            message = f"no agent serves this host: {error.strerror or error}"
            raise ThalwegError(NIC, message, "start one: thalweg nic serve") from error
    answer: dict[str, Any] = json.loads(text)
    return answer


def lines(status: dict[str, Any]) -> list[str]:
    """Write it for people."""
    packets = f"{status['starts']} starts, {status['ups']} up, {status['downs']} down, {status['refused']} refused"
    if status["held_back"]:
        packets += f", {status['held_back']} held back"
    role = {"": "", "self": ", which aggregates for other hosts"}
    joined = role.get(status["aggregator"], f", whose groups {_host(status['aggregator'])} may join")
    found = [f"agent on {status['address']} through {status['hook']}{joined}: {packets}"]
    for one in status["operators"]:
        what = (
            f" of {one['words']} words, {one['digest']}"
            if not one["objection"]
            else f" is left out: {one['objection']}"
        )
        found.append(f"operator {one['name']}{what}")
    for group in status["groups"]:
        ranks = f"{group['present']} of {group['ranks']} ranks here"
        if not group["ranks"]:
            ranks = f"joins {group['cards']} hosts"
        what = "inboxes" if group["inboxes"] else f"{group['ended']} calls ended"
        found.append(f"group {group['group']} of user {group['user']}: {ranks}, {what}")
        for gone in group["gone"]:
            rank = f"rank {gone['rank']} on " if gone["rank"] >= 0 else ""
            when = "" if group["inboxes"] else f" after call {gone['after']}"
            found.append(f"  {rank}{gone['host']} {_DEPARTURES[gone['how']]}{when}")
        for waiting in group["waiting"]:
            missing = ", ".join(f"rank {one['rank']} on {_host(one['host'])}" for one in waiting["missing"])
            found.append(
                f"  call {waiting['epoch']} waits {waiting['waited_ms'] / 1000:.1f} s"
                f" for {missing or 'its end to come'}"
            )
    return found


@functools.cache
def _host(address: str) -> str:
    """Name a host, where its address has a name here."""
    try:
        return socket.getnameinfo((address, 0), 0)[0]
    except OSError:  # as where no server of names can be reached
        return address
