"""What jobs of streams share with those of the interposer."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "mpi"))
