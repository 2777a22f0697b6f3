# SPDX-License-Identifier: BSD-3-Clause
"""One module per program: what it is, how its problem is prepared, what it answers."""
