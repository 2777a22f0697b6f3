# SPDX-License-Identifier: BSD-3-Clause
"""Collectives on network devices: the agent of a host, what it says, and whether a host can have one."""
