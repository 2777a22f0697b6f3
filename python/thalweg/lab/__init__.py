# SPDX-License-Identifier: BSD-3-Clause
"""A cluster in a box: hosts as network namespaces with links of limited rate."""
