# SPDX-License-Identifier: BSD-3-Clause
"""MPICH's own tests of collectives, communicators, topologies and threads, from Debian's source package."""
