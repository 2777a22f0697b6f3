# SPDX-License-Identifier: BSD-3-Clause
"""What programs take on machines that nobody here has: simulations of schedules and of programs in GOAL."""
