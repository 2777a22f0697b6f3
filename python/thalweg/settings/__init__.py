# SPDX-License-Identifier: BSD-3-Clause
"""Settings: one table of options, read from flags, the environment and files, in that order of precedence."""
