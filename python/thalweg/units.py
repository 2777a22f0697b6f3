# SPDX-License-Identifier: BSD-3-Clause
"""Times, rates and sizes as people read them."""


def time_text(seconds: float) -> str:
    """Write a time with three digits: 1.23 ms."""
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def count_text(count: int, noun: str) -> str:
    """Write a number of things: 1 rank, 2 ranks."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def partners_text(degree: float) -> str:
    """Write to how many others a rank sends: to 1 other each, to 2.5 others each; empty for 0, which is all."""
    return f" to {degree:g} other{'' if degree == 1 else 's'} each" if degree else ""


def rate_text(seconds_per_byte: float) -> str:
    """Write a time per byte as a rate: 12.3 GB/s."""
    if seconds_per_byte <= 0:
        return "-"
    rate = 1 / seconds_per_byte
    for unit, scale in (("GB/s", 1e9), ("MB/s", 1e6)):
        if rate >= scale:
            return f"{rate / scale:.3g} {unit}"
    return f"{rate / 1e3:.3g} kB/s"


def size_text(size: int) -> str:
    """Write a size exactly: 64 KiB, 1000 B."""
    for unit, scale in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if size and size % scale == 0:
            return f"{size // scale} {unit}"
    return f"{size} B"


def times_text(factor: float) -> str:
    """Write a factor with three digits: 1.23 x."""
    return f"{factor:.3g} x"
