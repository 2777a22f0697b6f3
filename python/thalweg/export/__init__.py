# SPDX-License-Identifier: BSD-3-Clause
"""Exports: the MPI libraries' own algorithms, measured and compared, for programs that run without Thalweg."""
