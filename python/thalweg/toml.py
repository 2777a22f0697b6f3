# SPDX-License-Identifier: BSD-3-Clause
"""The reader of TOML that Python has since 3.11; before, the package that it was made of."""

import sys

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

__all__ = ["tomllib"]
