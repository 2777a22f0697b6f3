# SPDX-License-Identifier: BSD-3-Clause
"""What jobs of teams share with those of the interposer."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "run" / "mpi"))
