# SPDX-License-Identifier: BSD-3-Clause
"""Figures of the sources: how large, tangled and readable they are (`make house`)."""
