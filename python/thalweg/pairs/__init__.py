# SPDX-License-Identifier: BSD-3-Clause
"""`thalweg try`: a user's program natively and under Thalweg, in turns."""
