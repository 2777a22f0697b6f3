# SPDX-License-Identifier: BSD-3-Clause
"""Templates become pages; all that is not marked as HTML is escaped."""

from dataclasses import replace
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from thalweg.pages.charts import Matrix
from thalweg.units import time_text

if TYPE_CHECKING:
    from jinja2 import Environment

_HOURS_FROM_S = 36_000
_WHOLE_FROM_S = 1000


@cache
def _environment() -> "Environment":
    from jinja2 import Environment, PackageLoader, StrictUndefined  # noqa: PLC0415 - commands without pages do without

    environment = Environment(
        autoescape=True,
        loader=PackageLoader("thalweg.pages"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "counted": counted,
        "percent": percent,
        "size": bytes_text,
        "time": ns_text,
        "titled": _titled,
        "drawing": _drawing,
    }
    return environment


def render(template: str, **values: Any) -> str:
    """Write a page from the template of that name."""
    folder = files(__package__) / "templates"
    style, script = ((folder / name).read_text() for name in ("style.css", "script.js"))
    return (
        _environment()
        .get_template(template)
        .render(version=version("thalweg"), style=_trusted(style), script=_trusted(script), **values)
    )


def _trusted(text: str) -> Any:
    from markupsafe import Markup  # noqa: PLC0415 - comes with jinja2

    return Markup(text)  # noqa: S704 - files of the package


def _drawing(svg: str) -> Any:
    return _trusted(f'<div class="paper">{svg}</div>')


def _titled(matrix: Matrix, words: str) -> Matrix:
    return replace(matrix, title=words + matrix.title)


def percent(share: float) -> str:
    """Write a part: 12 %, 0.4 %."""
    return f"{share:.0%}".replace("%", " %") if share >= 0.01 or share <= 0 else f"{100 * share:.1g} %"


def counted(count: int, noun: str) -> str:
    """Write a number of things with marks at thousands: 1 rank, 10,000 ranks."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def bytes_text(size: float) -> str:
    """Write a mean size: 40 B, 1.5 MiB."""
    for unit, scale in (("TiB", 1 << 40), ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if size >= scale:
            return f"{size / scale:.4g} {unit}" if size / scale >= 1000 else f"{size / scale:.3g} {unit}"
    return f"{size:.3g} B" if size < 1000 else f"{size:.0f} B"


def ns_text(nanoseconds: float) -> str:
    """Write a time that is given in nanoseconds: 1.23 ms, 12 h."""
    seconds = nanoseconds * 1e-9
    if seconds >= _HOURS_FROM_S:
        return f"{seconds / 3600:,.0f} h"
    if seconds >= _WHOLE_FROM_S:
        return f"{seconds:,.0f} s"
    return time_text(seconds) if seconds > 0 else "0 s"
