# SPDX-License-Identifier: BSD-3-Clause
"""Timelines: what ranks did when, of runs and of simulations, for Perfetto and OTF2's tools."""
