# SPDX-License-Identifier: BSD-3-Clause
"""How many cores the command may use, as Open MPI counts slots: cores, not hardware threads."""

import os


def core_count(sysfs: str = "/sys/devices/system/cpu") -> int:
    """Count the cores of the processors that this process may run on."""
    cores = set()
    for processor in os.sched_getaffinity(0):
        try:
            with open(f"{sysfs}/cpu{processor}/topology/thread_siblings_list", encoding="ascii") as file:
                cores.add(file.read().strip())
        except OSError:
            cores.add(str(processor))
    return len(cores)
