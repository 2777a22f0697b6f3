# SPDX-License-Identifier: BSD-3-Clause
"""Pages of HTML in one look: each is one file that opens without a network."""
