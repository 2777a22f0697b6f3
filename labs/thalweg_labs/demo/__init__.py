# SPDX-License-Identifier: BSD-3-Clause
"""The demo: real programs, natively and under Thalweg, on every MPI at hand (`python -m thalweg_labs.demo`)."""
