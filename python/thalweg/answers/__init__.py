# SPDX-License-Identifier: BSD-3-Clause
"""Answers of commands as JSON, each with a published schema."""
