# SPDX-License-Identifier: BSD-3-Clause
"""The parts of a host that `thalweg doctor` looks at."""
