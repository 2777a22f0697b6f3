# SPDX-License-Identifier: BSD-3-Clause
"""The extension's stub says what the extension has, in nanobind's own words."""

import ast
from pathlib import Path

from nanobind.stubgen import StubGen  # type: ignore[import-untyped]

from thalweg import _core

STUB = Path(__file__).parents[2] / "python" / "thalweg" / "_core.pyi"


def declarations(text: str) -> list[str]:
    """Give the statements of a stub without docstrings, and without imports, whose order is a matter of taste."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            node.body = [
                statement
                for statement in node.body
                if not (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant))
                and not isinstance(statement, ast.Import | ast.ImportFrom | ast.Pass)
            ]
    return [ast.unparse(statement) for statement in tree.body]


def test_the_stub_is_the_extensions() -> None:
    """`make stub` writes it anew."""
    generator = StubGen(module=_core)
    generator.put(_core)
    assert declarations(STUB.read_text()) == declarations(generator.get())
