# SPDX-License-Identifier: BSD-3-Clause
"""Tuning: trials in real jobs, guided by the model, and the file that keeps what was found."""
