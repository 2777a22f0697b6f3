# SPDX-License-Identifier: BSD-3-Clause
"""Which rank goes where, so that those that talk much are near each other on the machine."""
