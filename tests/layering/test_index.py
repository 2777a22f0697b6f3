# SPDX-License-Identifier: BSD-3-Clause
"""Each strategy of the index stands in one file, and the gate finds it there when that file changes."""

import re
import subprocess
from collections import Counter
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path

ROOT = Path(__file__).parents[2]
STRATEGIES = ROOT / "src" / "core" / "strategies"
SCRIPT = ROOT / "scripts" / "proofs-of-the-gate"


def indexed() -> list[str]:
    found = re.findall(r"^THALWEG_STRATEGY\((\w+), (\w+)\)$", (STRATEGIES / "index.inc").read_text(), re.MULTILINE)
    return [f"{operation}_{name}" for operation, name in found]


def test_the_gate_finds_each_strategy_in_one_file() -> None:
    spec = spec_from_loader("proofs_of_the_gate", SourceFileLoader("proofs_of_the_gate", str(SCRIPT)))
    assert spec is not None and spec.loader is not None
    script = module_from_spec(spec)
    spec.loader.exec_module(script)
    found = Counter(name for file in STRATEGIES.rglob("*.cpp") for name in script.strategies(file))
    assert found == Counter(indexed())


def test_it_names_what_is_proven_whole() -> None:
    """A share of the rank counts, then strategies of the index; nothing where there is no history."""
    share, *whole = subprocess.run([SCRIPT], capture_output=True, text=True, check=True).stdout.split() or [""]
    assert not share or re.fullmatch(r"\d+/12", share)
    assert set(whole) <= set(indexed())
