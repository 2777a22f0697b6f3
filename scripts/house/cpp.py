# SPDX-License-Identifier: BSD-3-Clause
"""What tree-sitter's parser of C++ sees in a file: functions, classes, variables that live as long as the process.

It needs no compiler and no configured build, and sees what the preprocessor would leave out. Macros are not expanded.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import tree_sitter
import tree_sitter_cpp

PARSER = tree_sitter.Parser(tree_sitter.Language(tree_sitter_cpp.language()))

CLASSES = ("class_specifier", "struct_specifier")
# A variable is looked for in these, and not in what else is at the top of a file.
SCOPES = {
    "translation_unit",
    "namespace_definition",
    "declaration_list",
    "linkage_specification",
    "preproc_if",
    "preproc_ifdef",
    "preproc_else",
}


@dataclass(frozen=True)
class Class:
    """A class, with what it has of its own; nested classes count for themselves."""

    name: str
    methods: int
    members: int


@dataclass(frozen=True)
class Function:
    """A function with a body: its text up to that, and its lines, counted from 1."""

    head: str
    first: int
    last: int


def parse(text: str) -> tree_sitter.Node:
    """Give the root of a text's tree."""
    return PARSER.parse(text.encode()).root_node


def nodes(parent: tree_sitter.Node, *kinds: str) -> Iterator[tree_sitter.Node]:
    """Yield the nodes of some kinds, also those inside of others."""
    if parent.type in kinds:
        yield parent
    for child in parent.children:
        yield from nodes(child, *kinds)


def words_of(node: tree_sitter.Node) -> str:
    """Give a node's text."""
    return node.text.decode() if node.text else ""


def first_line(node: tree_sitter.Node) -> str:
    """Give the line that a node begins with."""
    return words_of(node).split("\n", 1)[0]


def line_count(node: tree_sitter.Node) -> int:
    """Count the lines that a node touches."""
    return node.end_point.row - node.start_point.row + 1


def functions(root: tree_sitter.Node) -> list[int]:
    """Give the length of every function that has a body and a name: lambdas count with the function around them."""
    return [one.last - one.first + 1 for one in functions_of(root)]


def functions_of(root: tree_sitter.Node) -> list[Function]:
    """Give every function that has a body and a name."""
    found = []
    for node in nodes(root, "function_definition"):
        if body := node.child_by_field_name("body"):
            head = words_of(node)[: body.start_byte - node.start_byte]
            found.append(Function(head, node.start_point.row + 1, node.end_point.row + 1))
    return found


def is_function(declarator: tree_sitter.Node | None) -> bool:
    """Say whether a declarator declares a function, and not a pointer to one."""
    while declarator is not None:
        if declarator.type == "function_declarator":
            inner = declarator.child_by_field_name("declarator")
            return inner is not None and inner.type != "parenthesized_declarator"
        declarator = declarator.child_by_field_name("declarator") or next(
            (child for child in declarator.named_children if child.type.endswith("declarator")), None
        )
    return False


def _has(node: tree_sitter.Node, word: str) -> bool:
    """Say whether a declaration has a word before its type, as `static` or `constexpr`."""
    return any(words_of(child) == word for child in node.children if child.type != "compound_statement")


def _declarators(node: tree_sitter.Node) -> list[tree_sitter.Node]:
    return node.children_by_field_name("declarator")


def classes(root: tree_sitter.Node) -> Iterator[Class]:
    """Yield every class that has a body and a name."""
    for node in nodes(root, *CLASSES):
        body, name = node.child_by_field_name("body"), node.child_by_field_name("name")
        if body is None or name is None:
            continue
        methods = members = 0
        for child in body.named_children:
            item = child.named_children[-1] if child.type == "template_declaration" else child
            if item.type == "function_definition":
                methods += 1
            elif item.type in ("declaration", "field_declaration") and not _has(item, "constexpr"):
                found = [is_function(declarator) for declarator in _declarators(item)]
                methods += sum(found)
                members += len(found) - sum(found)
        yield Class(words_of(name), methods, members)


def _is_constant(node: tree_sitter.Node, declarator: tree_sitter.Node) -> bool:
    """Say whether a variable can have no other value later: what a constant pointer points to may have."""
    if _has(node, "constexpr"):
        return True
    pointers = list(nodes(declarator, "pointer_declarator")) if declarator.type != "identifier" else []
    if declarator.type == "init_declarator":
        inner = declarator.child_by_field_name("declarator")
        pointers = list(nodes(inner, "pointer_declarator")) if inner else []
    return _has(node, "const") and all(_has(pointer, "const") for pointer in pointers)


def _variables_of(node: tree_sitter.Node) -> Iterator[str]:
    for declarator in _declarators(node):
        if not is_function(declarator) and not _is_constant(node, declarator):
            yield first_line(node)


def _is_at_the_top(node: tree_sitter.Node) -> bool:
    """Say whether a declaration is a namespace's: what is around it are namespaces and conditions alone."""
    parent = node.parent
    while parent is not None and parent.type in SCOPES:
        parent = parent.parent
    return parent is None


def process_variables(root: tree_sitter.Node) -> Iterator[str]:
    """Yield the variables that outlive every call, of the process or of a thread: namespaces', static and inline ones.

    A constant pointer to what can change counts; constants do not, nor what is only declared.
    """
    for node in nodes(root, "declaration"):
        lasts = not _has(node, "extern") if _is_at_the_top(node) else _has(node, "static") or _has(node, "thread_local")
        if lasts:
            yield from _variables_of(node)
    for node in nodes(root, "field_declaration"):
        if _has(node, "static") and _has(node, "inline"):
            yield from _variables_of(node)


def switches_over(root: tree_sitter.Node, enumeration: str) -> int:
    """Count the switches whose labels are an enumeration's, named as given (so `a::E` is not `E`)."""
    found = 0
    for node in nodes(root, "switch_statement"):
        labels = [
            words_of(value) for case in nodes(node, "case_statement") if (value := case.child_by_field_name("value"))
        ]
        found += any(label.startswith(f"{enumeration}::") for label in labels)
    return found


def assertions(root: tree_sitter.Node) -> int:
    """Count what is asserted, while the program is compiled or while it runs."""
    calls = (node.child_by_field_name("function") for node in nodes(root, "call_expression"))
    stated = sum(call is not None and words_of(call) in ("THALWEG_ASSERT", "assert") for call in calls)
    return stated + sum(1 for _ in nodes(root, "static_assert_declaration"))


def code_lines(root: tree_sitter.Node) -> int:
    """Count the lines that have more than a comment."""
    rows: set[int] = set()
    pending = [root]
    while pending:
        node = pending.pop()
        if node.type == "comment":
            continue
        if node.child_count == 0:
            rows.update(range(node.start_point.row, node.end_point.row + (node.end_point.column > 0)))
        pending.extend(node.children)
    return len(rows)
