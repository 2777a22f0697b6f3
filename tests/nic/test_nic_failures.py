# SPDX-License-Identifier: BSD-3-Clause
"""What becomes of those who wait on network devices when somebody ends: ranks, hosts, agents."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import cards
import pytest

from thalweg.nic.status import VERSION

MEMBER = Path(__file__).parent / "member.py"
INBOX = Path(__file__).parent / "inbox.py"
NAME = f"nicf{os.getpid()}"
NOBODY = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
ADDRESSES = ["10.77.0.1", "10.77.0.2", "10.77.0.3"]

Process = subprocess.Popen[str]


pytestmark = cards.NEED


def _thalweg(*words: str, host: int | None = None) -> str:
    inside = ["ip", "netns", "exec", f"{NAME}-h{host}"] if host is not None else []
    done = subprocess.run(
        [*inside, sys.executable, "-m", "thalweg", *words],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        env=os.environ | {"THALWEG_LAB": NAME},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def lab() -> Iterator[None]:
    _thalweg("lab", "up", "--hosts", "3", "--nic")
    yield
    _thalweg("lab", "down")


def _member(words: str, host: int, calls: int) -> Process:
    """Start a rank, alone on its host, as a user without rights; give it once it has joined. `words`: see there."""
    group, above, *below = words.split()
    given = [group, str(host), *(above.split("/")), *below, str(calls)]
    member = subprocess.Popen(
        ["ip", "netns", "exec", f"{NAME}-h{host}", *NOBODY, sys.executable, str(MEMBER), *given],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert _line(member) == "joined"
    return member


def _line(member: Process) -> str:
    assert member.stdout is not None
    return member.stdout.readline().strip()


def _go_on(*members: Process) -> None:
    for member in members:
        assert member.stdin is not None
        member.stdin.write("\n")
        member.stdin.flush()


def _chain(group: int, calls: tuple[int, int, int]) -> list[Process]:
    """Have host 1 below host 0, and host 2 below host 1, each with so many calls."""
    first, second, third = ADDRESSES
    return [
        _member(f"{group} -/0 {second}", 0, calls[0]),
        _member(f"{group} {first}/1 {third}", 1, calls[1]),
        _member(f"{group} {second}/1", 2, calls[2]),
    ]


def _end(*members: Process) -> None:
    for member in members:
        member.kill()
        member.communicate(timeout=20)


def _status(host: int) -> dict[str, list[dict[str, object]]]:
    """Give what the agent of that host says of the only group that has ranks there."""
    asking = [sys.executable, "-c", "import json; from thalweg.nic.status import ask; print(json.dumps(ask()))"]
    asked = subprocess.run(["ip", "netns", "exec", f"{NAME}-h{host}", *asking], capture_output=True, check=True)
    groups = json.loads(asked.stdout)["groups"]
    (found,) = [group for group in groups if group["present"]]
    return dict(found)


def test_all_hosts_know_who_is_missing_and_who_has_ended(lab: None) -> None:
    del lab
    members = _chain(1, (3, 3, 2))
    _go_on(*members)
    for member, calls in zip(members, (2, 2, 2), strict=True):
        assert [_line(member) for _ in range(calls)] == [f"ended {call}" for call in range(1, calls + 1)]
    # The third call waits for rank 2 alone. The agents need a round for each host in between.
    for host in (0, 1):
        while not (waiting := _status(host)["waiting"]) or waiting[0]["epoch"] != 3 or _missing(waiting) != [2]:
            assert all(member.poll() is None for member in members)
    assert "waits" in (text := _thalweg("nic", "status", host=0))
    assert f"rank 2 on {NAME}-h2" in text
    os.kill(members[2].pid, signal.SIGKILL)
    for member in members[:2]:
        assert _line(member) == f"kind 1 rank 2 after 2 host {NAME}-h2"
    _end(*members)


def _missing(waiting: list[dict[str, object]]) -> list[int]:
    missing = waiting[0]["missing"]
    assert isinstance(missing, list)
    return [one["rank"] for one in missing]


def test_groups_stay_inside_of_the_networks_that_the_agent_was_told(lab: None) -> None:
    del lab
    words = [*NOBODY, sys.executable, str(MEMBER), "3", "0", "-", "0", "192.168.7.7", "1"]
    refused = subprocess.run(["ip", "netns", "exec", f"{NAME}-h0", *words], capture_output=True, text=True, check=False)
    assert refused.returncode != 0
    assert "192.168.7.7 is in none of the networks that groups may be in" in refused.stderr


FLOOD = """
import socket, struct, sys
key, first, last = int(sys.argv[1], 16), int(sys.argv[2]), int(sys.argv[3])
sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
sender.bind((sys.argv[4], 7747))
for _ in range(200):
    for kind in (2, 3):
        for epoch in range(first, last + 1):
            packet = struct.pack(">HBBIQIBBHII", 0x5457, int(sys.argv[5]), kind, 4, key, epoch, 1, 0, 0, 0, 0)
            sender.sendto(packet, (sys.argv[6], 7747))
"""


def _flood(host: int, key: str, first: int, last: int) -> None:
    """Send the first host's card so many forged packets, as one that is below it and as one above."""
    words = [key, str(first), str(last), ADDRESSES[host], str(VERSION), ADDRESSES[0]]
    subprocess.run(["ip", "netns", "exec", f"{NAME}-h{host}", sys.executable, "-c", FLOOD, *words], check=True)


def test_a_flood_of_forged_and_replayed_packets_ends_nothing(lab: None) -> None:
    """From a neighbor without the key, from a stranger with it, and of calls that were long ago."""
    del lab
    members = _chain(4, (20, 19, 20))
    _go_on(*members)
    for member, calls in zip(members, (19, 19, 19), strict=True):
        assert [_line(member) for _ in range(calls)] == [f"ended {call}" for call in range(1, calls + 1)]
    before = _refused()
    _flood(1, "BAD", 20, 20)
    _flood(2, "FEEDFEED", 20, 20)
    assert _refused() - before > 200  # of 800, as sockets may be full
    counted = _refused()
    _flood(1, "FEEDFEED", 1, 19)
    assert _refused() - counted >= 200  # none may tell the first host of an end
    (waiting,) = _status(0)["waiting"]
    assert isinstance(waiting, dict)
    assert waiting["epoch"] == 20
    assert members[0].poll() is None
    _end(*members)


FORGED_MESSAGES = """
import socket, struct, sys
key, version, to = int(sys.argv[1], 16), int(sys.argv[2]), int(sys.argv[3])
sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
sender.bind((sys.argv[4], 7747))
for _ in range(200):
    for kind in (4, 5):
        for speaker in sorted({1, 2, 7} - {int(sys.argv[5])}):
            packet = struct.pack(">HBBIQIBBBB", 0x5457, version, kind, 6, key, kind - 4, speaker, 0, 0, 0)
            sender.sendto(packet + struct.pack(">IIHH", 9, 0, to, 1), ("10.77.0.1", 7747))
"""


def _forge(host: int, key: str, to: int) -> None:
    """Send the first host's card 800 messages and answers for rank `to`, as ranks elsewhere and one there is not."""
    words = [key, str(VERSION), str(to), ADDRESSES[host], str(host)]
    inside = ["ip", "netns", "exec", f"{NAME}-h{host}"]
    subprocess.run([*inside, sys.executable, "-c", FORGED_MESSAGES, *words], check=True)


def _inbox(rank: int) -> Process:
    words = [*NOBODY, sys.executable, str(INBOX), "6", str(rank)]
    started = subprocess.Popen(
        ["ip", "netns", "exec", f"{NAME}-h{rank}", *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert _line(started) == "joined"
    return started


def _ask(inbox: Process, words: str) -> str:
    assert inbox.stdin is not None
    inbox.stdin.write(f"{words}\n")
    inbox.stdin.flush()
    return _line(inbox)


def test_forged_messages_and_answers_come_to_no_inbox(lab: None) -> None:
    """Without the key, with it from a stranger, as a rank elsewhere, for a rank elsewhere; real ones go on."""
    del lab
    inboxes = [_inbox(rank) for rank in range(3)]
    assert _ask(inboxes[0], "receive") == "posted"
    before = _refused()
    _forge(1, "BAD", 0)
    _forge(1, "FEEDFEED", 2)
    assert _refused() - before > 400  # of 1600, as sockets may be full
    assert _ask(inboxes[0], "look") == "matches 0 source -1 tag -1 accepted 0 0 0"
    assert _ask(inboxes[2], "send 0 5") == "sent"
    assert _ask(inboxes[0], "look") == "matches 1 source 2 tag 5 accepted 0 0 0"
    assert _ask(inboxes[0], "send 1 6") == "sent"
    before = _refused()
    _forge(2, "FEEDFEED", 0)
    assert _refused() - before > 200
    assert _ask(inboxes[0], "look").startswith("matches 1 source 2 tag 5 accepted 0 ")
    assert _ask(inboxes[2], "send 0 7") == "sent"
    assert _ask(inboxes[0], "receive") == "posted"
    _end(*inboxes)


def _refused() -> int:
    asking = [sys.executable, "-c", "from thalweg.nic.status import ask; print(ask()['refused'])"]
    asked = subprocess.run(["ip", "netns", "exec", f"{NAME}-h0", *asking], capture_output=True, check=True)
    return int(asked.stdout)


@pytest.mark.exhaustive
def test_a_host_whose_link_is_cut_is_told_to_all(lab: None) -> None:
    del lab
    members = _chain(2, (100_000, 100_000, 100_000))
    _go_on(*members)
    for member in members:
        while _line(member) != "ended 200":  # the agents have told each other their hosts' names by then
            assert member.poll() is None
    subprocess.run(["ip", "-n", f"{NAME}-h1", "link", "set", "eth0", "down"], check=True)
    try:
        for member, gone in ((members[0], "kind 2 rank 100"), (members[2], "kind 2 rank -1")):
            while (said := _line(member)).startswith("ended"):
                pass
            assert said.startswith(gone)
            assert said.endswith(f"host {NAME}-h1")
    finally:
        subprocess.run(["ip", "-n", f"{NAME}-h1", "link", "set", "eth0", "up"], check=True)
    _end(*members)
