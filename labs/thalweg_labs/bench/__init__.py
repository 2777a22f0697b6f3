# SPDX-License-Identifier: BSD-3-Clause
"""Benchmarks: each measures Thalweg against a peer and writes rows of one form."""
