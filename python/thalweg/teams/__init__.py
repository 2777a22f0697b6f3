# SPDX-License-Identifier: BSD-3-Clause
"""Teams for programs with mpi4py and numpy: symmetric memory, puts and gets, and collectives (docs/teams.md)."""
