# SPDX-License-Identifier: BSD-3-Clause
"""Sphinx's settings for the site."""

import re
from importlib.metadata import version as version_of
from typing import Any

from sphinx.application import Sphinx

project = "Thalweg"
author = "The Thalweg authors"
release = version = version_of("thalweg")
extensions = [
    "myst_nb",
    "breathe",
    "sphinx.ext.autodoc",
    "sphinx_copybutton",
    "sphinx_design",
    "website.glossary_words",
]
root_doc = "index"
exclude_patterns = ["build", "extra"]

# Fences of the pages that name no language show output.
highlight_language = "text"
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence", "attrs_block"]
copybutton_exclude = ".linenos, .gp, .go"

nb_execution_mode = "force"
nb_execution_timeout = 600
nb_execution_raise_on_error = True

breathe_default_project = "thalweg"
breathe_default_members = ("members",)
primary_domain = "cpp"
autodoc_typehints = "description"
autodoc_member_order = "bysource"

html_theme = "furo"
html_title = f"Thalweg {release}"
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#0b5394", "color-brand-content": "#0b5394"},
    "dark_css_variables": {"color-brand-primary": "#7ab8f5", "color-brand-content": "#7ab8f5"},
}
html_static_path: list[str] = []

# A word in single backticks is code in docstrings too, and tables there are aligned text.
default_role = "code"


def keep_alignment(_app: Sphinx, _kind: str, _name: str, _object: Any, _options: Any, lines: list[str]) -> None:
    """Show paragraphs of a docstring as they stand where their lines are aligned, and none that Python wrote."""
    if lines[:1] and lines[0].startswith("Alias for field number"):
        lines[:] = []
    paragraphs = [part.split("\n") for part in "\n".join(lines).split("\n\n")]
    lines[:] = []
    for part in paragraphs:
        aligned = any(re.search(r"^\s|\S {2,}\S", line) for line in part)
        lines += ["::", "", *(f"    {line}" for line in part), ""] if aligned else [*part, ""]


def setup(app: Sphinx) -> None:
    """Register it."""
    app.connect("autodoc-process-docstring", keep_alignment)
