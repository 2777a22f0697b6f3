# SPDX-License-Identifier: BSD-3-Clause
"""inbox GROUP RANK: an inbox on the device of a rank that is alone on its host, for a group of three ranks on three.

Joins through the host's agent, and does what lines of the standard input say: `receive` posts the next receive, from
anybody with any tag; `send RANK TAG` sends the next message, which is empty; `look` prints how many receives have a
message, the last one's source and tag, and how many messages each rank has accepted.
"""

import array
import mmap
import socket
import struct
import sys
import time

import member

from thalweg.nic.status import AGENT, VERSION

RANKS, WIDTH, PAGE_BYTES = 3, 4, 2816
RECEIVES, MATCH = 64, struct.Struct("=IIIIII")
SEND, RECEIVE = 1, 2
ANY_SOURCE, ANY_TAG = 0xFFFF, 0xFFFFFFFF


def join(number: int, rank: int) -> tuple[mmap.mmap, socket.socket]:
    agent = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    agent.connect(AGENT)
    head = struct.pack("=QIHHHHHH", member.KEY, number, 1, RANKS, 0, 0, 0, WIDTH)
    places = [member.place(f"10.77.0.{other + 1}") for other in range(RANKS)]
    places += [bytes(8)] * (member.CONTRIBUTORS - RANKS)
    ranks = [*range(RANKS)] + [0] * (member.CONTRIBUTORS - RANKS)
    group = head + bytes(8) + b"".join(places) + member.NO_OPERATOR
    agent.send(struct.pack("=IIII", VERSION, 2, rank, 0) + group + array.array("i", ranks).tobytes() + member.NO_NAME)
    reply, descriptors, _, _ = socket.recv_fds(agent, 128, 3)
    assert len(descriptors) == 3, reply
    sys.agent = agent  # type: ignore[attr-defined] # for as long as the process lives
    return mmap.mmap(descriptors[0], 2 * PAGE_BYTES), socket.socket(fileno=descriptors[1])


def wish(number: int, epoch: int, what: tuple[int, int, int]) -> bytes:
    to, tag, kind = what
    packet = struct.pack(">HBBIQIBBBB", 0x5457, VERSION, 1, number, member.KEY, epoch, 0, 0, 0, 0)
    return packet + struct.pack(">IIHH", tag, 0, to, kind)


def look(desk: memoryview) -> str:
    matches = [match for match in MATCH.iter_unpack(desk[: RECEIVES * MATCH.size]) if match[0]]
    source, tag = max(matches, default=(0, -1, -1))[1:3]
    known = struct.unpack_from(f"={RANKS}Q", desk, RECEIVES * MATCH.size)
    return f"matches {len(matches)} source {source} tag {tag} accepted {' '.join(str(one >> 32) for one in known)}"


def main(number: int, rank: int) -> None:
    page, starts = join(number, rank)
    desk = memoryview(page)[PAGE_BYTES:]
    print("joined", flush=True)
    posted = 0
    sent = [0] * RANKS
    for line in sys.stdin:
        word, *rest = line.split()
        if word == "receive":
            posted += 1
            starts.send(wish(number, posted, (ANY_SOURCE, ANY_TAG, RECEIVE)))
            print("posted", flush=True)
        elif word == "send":
            to, tag = int(rest[0]), int(rest[1])
            end_s = time.monotonic() + member.PATIENCE_S
            # Until it is accepted, as packets may be lost.
            while struct.unpack_from("=Q", desk, RECEIVES * MATCH.size + 8 * to)[0] >> 32 <= sent[to]:
                assert time.monotonic() < end_s
                starts.send(wish(number, sent[to], (to, tag, SEND)))
                time.sleep(0.005)
            sent[to] += 1
            print("sent", flush=True)
        else:
            print(look(desk), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
