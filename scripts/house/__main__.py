# SPDX-License-Identifier: BSD-3-Clause
"""Measure the house: `make house` prints tables, and `make house JSON=1` all figures as JSON."""

import argparse
import json
import subprocess
from pathlib import Path

from house.figures import house_figures
from house.tables import tables

ROOT = Path(__file__).resolve().parents[2]


def version(root: Path) -> dict[str, str]:
    """Name the commit that is measured, with its date, and say whether the files differ from it."""
    git = ["git", "-C", str(root)]
    shown = subprocess.run([*git, "log", "-1", "--format=%h %cs"], capture_output=True, text=True, check=True)
    commit, date = shown.stdout.split()
    status = [*git, "status", "--porcelain", "-uno", "--", ".", ":!docs/results"]  # where the answer may be kept
    changed = subprocess.run(status, capture_output=True, text=True, check=True).stdout
    return {"commit": f"{commit} and changes" if changed else commit, "date": date}


def main() -> None:
    """Print the figures of this working copy."""
    parser = argparse.ArgumentParser(prog="house", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print all figures as JSON, with the places behind them")
    wishes = parser.parse_args()
    figures = {"version": version(ROOT), **house_figures(ROOT)}
    print(json.dumps(figures, indent=2) if wishes.json else tables(figures))


if __name__ == "__main__":
    main()
