# SPDX-License-Identifier: BSD-3-Clause
"""The site's parts that need no generator: pages, links, fences, pictures, and comments of headers."""

import re
import shutil
from pathlib import Path

import pytest
from pygments.lexers import get_lexer_by_name
from website.__main__ import remote_sources
from website.api import INTERNAL, SUBJECTS, functions, read_headers, without_comment
from website.glossary import GLOSSARY, ORDINARY, meanings
from website.header_comments import c_header, cpp_header
from website.pages import ROOT, doors, stage, tracked, with_links
from website.pictures import PICTURES
from website.schedule_picture import messages_by_stage, schedule_picture

FENCE = re.compile(r"^ *```(\S*)$", re.MULTILINE)
# What man pages and generated pages are read by, and what the doors lead to by another page.
UNLISTED = {"README.md", "structures.md"}


def pages() -> list[Path]:
    return [ROOT / name for name in tracked("*.md") if (ROOT / name).exists()]


@pytest.mark.parametrize("path", pages(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_fences_are_closed_and_in_languages_that_are_known(path: Path) -> None:
    fences = FENCE.findall(path.read_text())
    assert len(fences) % 2 == 0
    assert not any(fences[1::2]), "a fence begins inside of another"
    for language in filter(None, fences[::2]):
        get_lexer_by_name(language)


def test_doors_lead_to_every_page() -> None:
    listed = {target for door in doors() for target, _ in door.pages}
    assert len(doors()) == 4
    assert {path.name for path in (ROOT / "docs").glob("*.md")} - listed <= UNLISTED
    assert all((ROOT / "docs" / target).exists() for target in listed)


def test_the_committed_picture_is_that_of_the_strategy() -> None:
    assert (ROOT / "docs" / "schedule.svg").read_text() == schedule_picture(), (
        "run: PYTHONPATH=scripts .venv/bin/python -m website.schedule_picture >docs/schedule.svg"
    )


def test_messages_are_found_stage_by_stage() -> None:
    text = (
        "x of 2 ranks, rank 0\nstage 0\n     0  send input[0] to 1\n     1  receive a from 1\nstage 1\n     2  copy\n"
    )
    assert messages_by_stage([text, text.replace("to 1", "to 0")]) == [[(0, 1), (1, 0)]]


def test_pictures_are_of_pages_that_there_are() -> None:
    assert all((ROOT / "docs" / f"{one.page}.md").exists() for one in PICTURES)
    assert all((one.function is None) != (not one.command) for one in PICTURES)


def test_staged_pages_link_to_pages_and_copies(tmp_path: Path) -> None:
    stage(tmp_path)
    assert "grid-item-card} I run MPI programs" in (tmp_path / "index.md").read_text()
    for path in tmp_path.rglob("*.md"):
        text = re.sub(r"^```.*?^```$", "", path.read_text(), flags=re.MULTILINE | re.DOTALL)
        for target in re.findall(r"\]\(([^)#:\s]+)", text):
            if not target.startswith(("api/", "http")):
                assert (path.parent / target).is_file(), f"{path.relative_to(tmp_path)}: {target}"


def test_pages_that_load_from_elsewhere_are_found(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text('<a href="https://a.org">a</a><script src="x.js"></script><link rel="icon" href="i.svg">')
    assert remote_sources(tmp_path) == []
    page.write_text('<script defer src="https://a.org/x.js"></script>')
    assert remote_sources(tmp_path) == ['page.html: <script defer src="https://a.org/x.js']


def test_code_is_left_alone_where_links_are_followed(tmp_path: Path) -> None:
    text = "[a](decisions)\n```cpp\n[](int x)\n[b](decisions)\n```\n"
    assert with_links(text, ROOT / "docs" / "design.md", tmp_path) == text.replace(
        "[a](decisions)", "[a](decisions/index.md)"
    )


def test_the_glossary_explains_words_of_one_sense() -> None:
    found = meanings(GLOSSARY.read_text())
    assert found["rank"].startswith("a process of a job")
    assert "stream" in found
    assert "phase" not in found  # of streams, and of patterns
    assert not ORDINARY & set(found)
    assert not any("](" in text for text in found.values())


C_HEADER = """/* SPDX-License-Identifier: BSD-3-Clause */
/* Boxes. */
#include <a.h>

/* Both. */
THALWEG_API int first(void);
THALWEG_API int second(int a,
                       int b);

THALWEG_API int third(void);
/* A table.
 *
 *   one   1
 *   two   2 */
typedef struct box {
  int side; /* in mm */
} box;
"""


def test_comments_of_c_headers_are_doxygens() -> None:
    found = c_header(C_HEADER)
    assert found.startswith("/** @file\n * Boxes. */")
    assert "/** Both. */\nTHALWEG_API int first(void);\n/** Both. */\nTHALWEG_API int second(" in found
    assert "\n\nTHALWEG_API int third" in found
    assert " * @verbatim\n *   one   1\n *   two   2" in found
    assert "int side; /**< in mm */" in found


def test_the_comment_at_the_top_of_a_cpp_header_is_the_files() -> None:
    found = cpp_header(
        "// SPDX-License-Identifier: BSD-3-Clause\n#pragma once\n\n// Boxes.\n//\n//   box b;\n\nclass box;\n"
    )
    assert (
        found
        == "#pragma once\n\n/// @file\n/// Boxes.\n///\n/// @verbatim\n///   box b;\n/// @endverbatim\n\nclass box;\n"
    )


def test_every_public_header_is_in_the_reference() -> None:
    folder = ROOT / "include" / "thalweg"
    found = {path.name for patterns in SUBJECTS.values() for pattern in patterns for path in folder.glob(pattern)}
    assert {path.name for path in folder.iterdir()} - found == set(INTERNAL)


@pytest.mark.skipif(shutil.which("doxygen") is None, reason="scripts/prepare doxygen")
def test_every_function_of_the_public_headers_has_a_comment_that_appears(tmp_path: Path) -> None:
    xml = read_headers(tmp_path)
    names = {name for name, _, words in functions(xml) if words}
    assert {"thalweg_stream_send", "thalweg::team::allreduce", "thalweg::basic_array::fence"} <= names
    assert without_comment(xml) == []
