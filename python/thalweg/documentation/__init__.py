# SPDX-License-Identifier: BSD-3-Clause
"""Man pages and reference pages, written from the model of the command line: `python -m thalweg.documentation docs`."""
