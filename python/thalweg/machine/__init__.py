# SPDX-License-Identifier: BSD-3-Clause
"""The machine: what it is made of, and what messages cost on it."""
