# SPDX-License-Identifier: BSD-3-Clause
"""What tests need that load programs onto network devices."""

import os

import pytest

from thalweg.errors import ThalwegError
from thalweg.nic.agent import command


def _why_not() -> str:
    if os.geteuid() != 0:
        return "root alone may load programs into the kernel"
    try:
        command("eth0", "best")
    except ThalwegError as error:
        return error.message
    return ""


NEED = [pytest.mark.skipif(bool(_why_not()), reason=_why_not() or "it runs"), pytest.mark.xdist_group("lab")]
"""Marks of such tests: they are skipped where programs cannot be loaded, and one lab stands at a time."""
