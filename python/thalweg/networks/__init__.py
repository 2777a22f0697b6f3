# SPDX-License-Identifier: BSD-3-Clause
"""Files that say what a machine's network is: Slurm's, InfiniBand's, hwloc's, and graphs of our own."""
