# SPDX-License-Identifier: BSD-3-Clause
"""Work that moves to where there is time: who sends how many tasks to whom, by which scheme and why."""
