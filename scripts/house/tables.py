# SPDX-License-Identifier: BSD-3-Clause
"""The figures as a page that people read: tables in Markdown."""

from collections.abc import Iterable, Sequence
from typing import Any

NAMES_SHOWN = 10


def table(head: Sequence[object], rows: Iterable[Sequence[object]]) -> str:
    """Write a table whose numbers stand right."""
    body = [[str(cell) for cell in row] for row in rows]
    numeric = [all(row[column][:1].isdigit() for row in body) for column in range(len(head))]
    lines = [[str(cell) for cell in head], ["--:" if right else "---" for right in numeric], *body]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _spread(figures: dict[str, Any], *names: str) -> str:
    return " / ".join(str(figures[f"lines_{name}"]) for name in names)


def _sizes(figures: dict[str, Any]) -> str:
    rows = []
    for name in ("src", "include", "tests", "python", "labs"):
        part = figures[name]
        rows.append(
            (
                f"`{name}`",
                part["files"],
                part["lines"],
                _spread(part, "median", "p90", "max"),
                part["files_per_10000_lines"],
                f"{part['small_files_percent']} %",
                part["function"]["functions"],
                _spread(part["function"], "median", "p90", "p99", "max"),
                part.get("assertions_per_1000_code_lines", "-"),
            )
        )
    head = (
        "folder, files, lines, file lines median / p90 / max, files per 10k lines, of <= 40 lines, functions, "
        "function lines median / p90 / p99 / max, assertions per 1k code lines"
    )
    return table(head.split(", "), rows)


def _cycles(figures: dict[str, Any]) -> str:
    rows = [
        (
            f"`{name}`",
            part["units"],
            part["units_in_cycles"],
            "; ".join(" ".join(group) for group in part["cycles"]) or "-",
        )
        for name, part in figures["cycles"].items()
    ]
    return table(("folder", "units", "of them in cycles", "cycles"), rows)


def _classes(figures: dict[str, Any]) -> str:
    rows = [
        (f"`{name}`", counts["methods"], counts["members"])
        for folder in ("src", "include")
        for name, counts in figures[folder]["large_classes"].items()
    ]
    counted = figures["src"]["classes"] + figures["include"]["classes"]
    return f"{len(rows)} of {counted} classes.\n\n{table(('class', 'methods', 'members'), rows)}"


def _counts(figures: dict[str, Any]) -> str:
    interposer, commands, twice = figures["interposer"], figures["commands"], figures["duplicates"]
    rows = (
        ("exact pairs of at least 6 lines, `src` and `include`", twice["pairs"]),
        ("exact pairs of at least 6 lines, `python`", twice["python_pairs"]),
        ("switches over `mpi::Operation` in `src/run/mpi`", interposer["switches_over_operation"]),
        ("variables of the process or of a thread in `src/run/mpi`", interposer["process_variables"]),
        ("commands (and of `bench`)", f"{commands['commands']} ({commands['added_commands']})"),
        ("options (and of `bench`)", f"{commands['options']} ({commands['added_options']})"),
    )
    return table(("subject", "count"), rows)


def _prose(figures: dict[str, Any]) -> str:
    rows = [
        (
            f"`{name}`" if "." in name else name,
            page["sentences"],
            page["words"],
            f"{page['words_median']} / {page['words_p90']}",
            f"{page['weak_begin_percent']} %",
            f"{page['what_percent']} %",
        )
        for name, page in figures["prose"].items()
    ]
    head = (
        "page",
        "sentences",
        "words",
        "words median / p90",
        "begin with It, That, So, Where, What",
        "have a free what",
    )
    return table(head, rows)


def _rooms(figures: dict[str, Any]) -> str:
    return table(("room", "files", "lines"), ((f"`{name}`", *room.values()) for name, room in figures["rooms"].items()))


def _longest_pairs(figures: dict[str, Any]) -> str:
    places = sorted(figures["duplicates"]["places"], key=lambda place: -place[2])[:NAMES_SHOWN]
    return table(("here", "there", "lines"), ((f"`{one}`", f"`{other}`", lines) for one, other, lines in places))


SECTIONS = (
    ("Sizes", _sizes),
    ("Cycles", _cycles),
    ("Classes with more than 40 methods and members", _classes),
    ("Counts", _counts),
    ("The longest pairs", _longest_pairs),
    ("Prose", _prose),
    ("Rooms", _rooms),
)


def tables(figures: dict[str, Any]) -> str:
    """Write all of it."""
    version = figures["version"]
    head = f"Measured by `make house` at {version['commit']} of {version['date']}."
    return "\n\n".join([head, *(f"## {title}\n\n{write(figures)}" for title, write in SECTIONS)])
