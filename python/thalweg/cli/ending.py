# SPDX-License-Identifier: BSD-3-Clause
"""Commands end soon at a signal: by Ctrl-C, SIGTERM or SIGHUP, also amid long work of the core."""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread
from types import FrameType

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_PATIENCE_SECONDS = 0.5
_SHOW_CURSOR = "\x1b[?25h"


@contextmanager
def ends_at_signals() -> Iterator[None]:
    """Let signals end what runs in here as an error does, so that jobs that were started are ended too.

    Python hears of a signal when its main thread comes back from the core. Where that takes long, a thread that hears
    of it at once ends the process. Signals that are ignored, as under nohup, stay so.
    """
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    heard = Event()

    def leave(number: int, frame: FrameType | None) -> None:
        del frame
        heard.set()
        if number == signal.SIGINT:
            raise KeyboardInterrupt
        raise SystemExit(128 + number)

    before = {number: signal.getsignal(number) for number in _SIGNALS}
    kept = [number for number, handler in before.items() if handler is not signal.SIG_IGN]
    for number in kept:
        signal.signal(number, leave)
    wakeup_before = signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    Thread(target=_end_what_does_not_hear, args=(reader, heard), daemon=True).start()
    try:
        yield
    finally:
        signal.set_wakeup_fd(wakeup_before)
        for number in kept:
            signal.signal(number, before[number])
        os.close(writer)  # which ends the thread


def _end_what_does_not_hear(reader: int, heard: Event) -> None:
    while numbers := os.read(reader, 1):
        if numbers[0] in _SIGNALS and not heard.wait(_PATIENCE_SECONDS):
            leave_now(128 + numbers[0])
    os.close(reader)


def leave_now(status: int) -> None:
    """End the process with all its threads, whatever they do; what shows progress may have hidden the cursor."""
    if sys.stderr is not None and sys.stderr.isatty():
        os.write(sys.stderr.fileno(), _SHOW_CURSOR.encode())
    os._exit(status)
