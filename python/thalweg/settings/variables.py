# SPDX-License-Identifier: BSD-3-Clause
"""The variables whose names begin with THALWEG_: a mistyped one is said aloud instead of being ignored."""

from collections.abc import Mapping

from thalweg.settings.options import OPTIONS
from thalweg.settings.own_settings import OWN_SETTINGS

START = "THALWEG_"
OTHERS = (
    OWN_SETTINGS,
    "THALWEG_BARS",
    "THALWEG_BATCH_NETWORK",
    "THALWEG_CHECK",
    "THALWEG_COLUMNS",
    "THALWEG_INTERPOSERS",
    "THALWEG_JOURNAL",
    "THALWEG_JOURNAL_FOLDER",
    "THALWEG_KEEPING",
    "THALWEG_LAB",
    "THALWEG_MACHINE",
    "THALWEG_NETWORK",
    "THALWEG_REPORT_NAME",
    "THALWEG_THREADS_ON_HOSTS",
    "THALWEG_TIMELINE_MEMORY",
)
"""What is read besides the settings of `thalweg run`."""
_BEGINNINGS = ("THALWEG_NIC_", "THALWEG_TEST_", "THALWEG_BENCH_", "THALWEG_PRELOAD_")


def unknown_variables(environment: Mapping[str, str]) -> list[str]:
    """Give a line for each variable that looks like one of Thalweg's and is none."""
    given = [name for name in environment if name.startswith(START)]
    known = {variable for option in OPTIONS for variable in (option.variable, option.former_variable)} | {*OTHERS}
    unknown = [name for name in given if name not in known and not name.startswith(_BEGINNINGS)]
    if not unknown:
        return []
    from thalweg.words import did_you_mean  # noqa: PLC0415 - for a mistake alone

    return [f"{name} is no variable of Thalweg's{did_you_mean(name, known, START)}" for name in unknown]
