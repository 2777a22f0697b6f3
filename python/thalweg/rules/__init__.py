# SPDX-License-Identifier: BSD-3-Clause
"""Rules: the algorithms that MPI libraries let their users choose, and the files that tell a library what to use."""
