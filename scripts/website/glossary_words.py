# SPDX-License-Identifier: BSD-3-Clause
"""Sphinx shows what a word of docs/glossary.md says where the pointer rests on its first use in a page."""

import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

from website.glossary import GLOSSARY, meanings

LEFT_ALONE = (nodes.title, nodes.literal, nodes.literal_block, nodes.reference, nodes.abbreviation, nodes.table)


def explain_words(_app: Sphinx, doctree: nodes.document, name: str) -> None:
    """Put the explanation behind the first use of each word in the paragraphs of a page."""
    if name in ("index", "docs/glossary") or name.startswith("api/"):
        return
    known = meanings(GLOSSARY.read_text())
    left = dict(known)
    for text in list(doctree.findall(nodes.Text)):
        parent = text.parent
        if left and not _is_left_alone(parent) and (parts := _explained(str(text), left)):
            parent.replace(text, parts)


def _is_left_alone(node: nodes.Element | None) -> bool:
    while node is not None:
        if isinstance(node, LEFT_ALONE):
            return True
        node = node.parent
    return False


def _explained(text: str, left: dict[str, str]) -> list[nodes.Node]:
    """Split a text around the words that are still left, which are taken out; empty where it has none."""
    pattern = "|".join(re.escape(word) for word in sorted(left, key=len, reverse=True))
    parts: list[nodes.Node] = []
    end = 0
    for found in re.finditer(rf"\b({pattern})s?\b", text, re.IGNORECASE):
        explanation = left.pop(found[1].lower(), "")
        if explanation:
            parts += [nodes.Text(text[end : found.start()]), nodes.abbreviation("", found[0], explanation=explanation)]
            end = found.end()
    return [*parts, nodes.Text(text[end:])] if parts else []


def setup(app: Sphinx) -> dict[str, Any]:
    """Register it."""
    app.connect("doctree-resolved", explain_words)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
