# SPDX-License-Identifier: BSD-3-Clause
"""Every source says under which license it is, in its first lines."""

import subprocess
import sys
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from typing import Any

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "license"
LINE = "SPDX-License-Identifier: BSD-3-Clause"


@pytest.fixture(scope="module")
def script() -> Any:
    """Load the script, whose name has no end that Python knows."""
    spec = spec_from_loader("license_script", SourceFileLoader("license_script", str(SCRIPT)))
    assert spec
    assert spec.loader
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_source_has_its_line() -> None:
    done = subprocess.run([sys.executable, SCRIPT, "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("name", "text", "head"),
    [
        ("src/a.hpp", "#pragma once\n", f"// {LINE}\n#pragma once\n"),
        ("src/a.cpp", "// Says.\n", f"// {LINE}\n\n// Says.\n"),
        ("include/a.h", "/* Says. */\n", f"/* {LINE} */\n/* Says. */\n"),
        ("a.py", '"""Says."""\n', f'# {LINE}\n"""Says."""\n'),
        ("scripts/a", "#!/bin/sh\n# Says.\n", f"#!/bin/sh\n# {LINE}\n\n# Says.\n"),
        ("a/CMakeLists.txt", "", f"# {LINE}\n"),
        ("a.f90", "! Says.\n", f"! {LINE}\n\n! Says.\n"),
    ],
)
def test_it_comes_first_but_for_the_interpreter(script: Any, name: str, text: str, head: str) -> None:
    assert script.licensed(text, script.comment(name, text[:2])) == head


@pytest.mark.parametrize(
    "name", ["python/thalweg/_core.pyi", "docs/a.md", "tests/a/inputs/b.py", "tests/page/words.inc", "a.json"]
)
def test_others_have_none(script: Any, name: str) -> None:
    assert script.comment(name, "") == ""
