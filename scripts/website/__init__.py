# SPDX-License-Identifier: BSD-3-Clause
"""The site of the documentation: `make docs` builds it from the pages of the repository."""
