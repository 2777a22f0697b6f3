# SPDX-License-Identifier: BSD-3-Clause
"""Programs: what a command line starts, which MPI family it uses, and why it may not be interposed."""
