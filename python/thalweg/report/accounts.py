# SPDX-License-Identifier: BSD-3-Clause
"""Accounts that reports name, by number where the job knew no name."""

from __future__ import annotations

import pwd


def user_name(user: str) -> str:
    """Name an account that is known by its number alone, where it is known here."""
    if not user.isdecimal():
        return user
    try:
        return pwd.getpwuid(int(user)).pw_name
    except (KeyError, OverflowError):
        return user
