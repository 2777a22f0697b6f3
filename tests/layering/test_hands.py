# SPDX-License-Identifier: BSD-3-Clause
"""One hand: what several people write looks alike where clang-format has no say."""

import re
from pathlib import Path

from house import cpp, sources

ROOT = Path(__file__).resolve().parents[2]
DECLARING = ("declaration_list", "field_declaration_list")


def test_type_parameters_are_typename() -> None:
    """Templates say `typename`, as most of ours do."""
    found = [
        f"{file.name}: {line.strip()}"
        for file in sources.cpp_of(sources.tracked(ROOT), "src", "include", "tests")
        for line in file.text.splitlines()
        if re.search(r"\btemplate <(?:[^>]*, ?)?class\b", line)
    ]
    assert found == []


def undocumenting(text: str) -> list[str]:
    """Give the first lines of comments above declarations of a header which no documentation would have."""
    found = []
    for scope in cpp.nodes(cpp.parse(text), *DECLARING):
        pairs = zip(scope.children, scope.children[1:], strict=False)
        for comment, declared in pairs:
            is_next = declared.start_point.row == comment.end_point.row + 1
            if comment.type == "comment" and is_next and declared.type in DOCUMENTED:
                words = cpp.words_of(comment)
                if words.startswith("// "):
                    found.append(words)
    return found


DOCUMENTED = (
    "class_specifier",
    "struct_specifier",
    "enum_specifier",
    "declaration",
    "field_declaration",
    "function_definition",
    "template_declaration",
    "alias_declaration",
)


def test_a_plain_comment_above_a_declaration_is_found() -> None:
    text = "namespace a {\n// Yes.\nint f();\n/// No.\nint g();\n\n// A heading.\n\nint h() {\n  // Inside.\n}\n}\n"
    assert undocumenting(text) == ["// Yes."]


def test_contracts_in_headers_are_documentation() -> None:
    """A comment above a declaration begins with `///`, so that editors and generators take it for its contract."""
    found = {
        file.name: comments
        for file in sources.cpp_of(sources.tracked(ROOT), "src", "include")
        if file.name.endswith(".hpp") and (comments := undocumenting(file.text))
    }
    assert found == {}
