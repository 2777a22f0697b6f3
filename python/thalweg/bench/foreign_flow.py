"""Another job's traffic on a lab: a plain TCP stream from one host to another, as fast as links let it."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from thalweg.errors import FAILED, ThalwegError
from thalweg.lab.hosts import Lab

_PORT = 7741
_RECEIVER = f"""
import socket
with socket.create_server(("", {_PORT})) as server:
    print("ready", flush=True)
    stream = server.accept()[0]
    while stream.recv(1 << 16):
        pass
"""
# With less under way than fills a link's queue for long, as in networks whose switches have small queues.
_SENDER = f"""
import socket, sys
with socket.socket() as stream:
    stream.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 17)
    stream.connect((sys.argv[1], {_PORT}))
    while True:
        stream.sendall(bytes(1 << 16))
"""


@contextmanager
def foreign_flow(lab: Lab, sender: int, receiver: int) -> Iterator[None]:
    """Send from one host's place to another's while the context lasts."""
    on = ["ip", "netns", "exec"]
    with subprocess.Popen(
        [*on, lab.names[receiver], sys.executable, "-c", _RECEIVER], stdout=subprocess.PIPE, text=True
    ) as sink:
        if sink.stdout is None or sink.stdout.readline() != "ready\n":
            raise ThalwegError(FAILED, f"{lab.names[receiver]} does not listen on port {_PORT}")
        with subprocess.Popen([*on, lab.names[sender], sys.executable, "-c", _SENDER, lab.address(receiver)]) as source:
            try:
                yield
            finally:
                for process in (source, sink):
                    process.send_signal(signal.SIGTERM)
