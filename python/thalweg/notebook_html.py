# SPDX-License-Identifier: BSD-3-Clause
"""Small tables of HTML, as which notebooks show results."""

from collections.abc import Sequence
from html import escape


def facts_html(title: str, facts: Sequence[tuple[str, str]]) -> str:
    """Write a table of names and values under a title; all three are plain text."""
    rows = "".join(f"<tr><th>{escape(name)}</th><td>{escape(value)}</td></tr>" for name, value in facts)
    return f"<table><caption>{escape(title)}</caption><tbody>{rows}</tbody></table>"


def table_html(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Write a table with a name over each column; all is plain text."""
    head = "".join(f"<th>{escape(name)}</th>" for name in columns)
    body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table><caption>{escape(title)}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
