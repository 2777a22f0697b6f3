# SPDX-License-Identifier: BSD-3-Clause
"""Trials: one job whose ranks measure on request, for the probe, the tuner, the exports and the benchmarks."""
