# SPDX-License-Identifier: BSD-3-Clause
"""member GROUP RANK PARENT OWN BELOW... CALLS: one rank's barriers on the device, as a process of its own.

Joins a group through the host's agent, alone on this host, and runs so many barriers: a host above (`-` where
there is none) to which this one is contributor OWN, and hosts below. Prints how many ended, then what the agent says
of somebody who is gone, if it does.
"""

import array
import contextlib
import mmap
import socket
import struct
import sys
import time

from thalweg.nic.status import AGENT, VERSION

CONTRIBUTORS, WINDOW, PORT = 64, 8, 7747
DEPARTURE_AT, PATIENCE_S = 2560, 60.0
KEY = 0xFEEDFEED
NO_OPERATOR, NO_NAME = bytes(16), bytes(32)


def place(address: str) -> bytes:
    return socket.inet_aton(address) + struct.pack(">HH", PORT, 0)


def main(number: int, rank: int, place_above: tuple[str, int], below: list[str], calls: int) -> None:
    parent, own = place_above
    agent = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    agent.connect(AGENT)
    root = parent == "-"
    head = struct.pack("=QIHHHHHH", KEY, number, 1, 1 + len(below), not root, own, 0, 0)
    cards = [place(address) for address in below]
    places = [bytes(8), *cards] + [bytes(8)] * (CONTRIBUTORS - 1 - len(below))
    group = head + (bytes(8) if root else place(parent)) + b"".join(places) + NO_OPERATOR
    ranks = [rank] + [100 + index for index in range(len(below))]
    ranks += [0] * (CONTRIBUTORS - len(ranks))
    agent.send(struct.pack("=IIII", VERSION, 2, 0, 0) + group + array.array("i", ranks).tobytes() + NO_NAME)
    reply, descriptors, _, _ = socket.recv_fds(agent, 128, 3)
    assert len(descriptors) == 3, reply
    page = mmap.mmap(descriptors[0], 4096)
    starts = socket.socket(fileno=descriptors[1])
    print("joined", flush=True)
    sys.stdin.readline()  # until all have
    for epoch in range(1, calls + 1):
        packet = struct.pack(">HBBIQIBBHII", 0x5457, VERSION, 1, number, KEY, epoch, 0, 0, 0, 0, 0)
        end_s = time.monotonic() + PATIENCE_S
        while struct.unpack_from("=I", page, 4 * (epoch % WINDOW))[0] != epoch:
            kind, gone, after = struct.unpack_from("=IiI", page, DEPARTURE_AT)
            if kind:
                host = page[DEPARTURE_AT + 16 : DEPARTURE_AT + 64].split(b"\0")[0].decode()
                print(f"kind {kind} rank {gone} after {after} host {host}", flush=True)
                return
            assert time.monotonic() < end_s, f"call {epoch} does not end"
            with contextlib.suppress(OSError):  # as where the link is cut
                starts.send(packet)
            time.sleep(0.005)
        print(f"ended {epoch}", flush=True)
    sys.stdin.readline()


if __name__ == "__main__":
    words = sys.argv[1:]
    main(int(words[0]), int(words[1]), (words[2], int(words[3])), words[4:-1], int(words[-1]))
