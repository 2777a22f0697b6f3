# SPDX-License-Identifier: BSD-3-Clause
"""Pages can be read: short lines, short sentences, American spelling, and paths that exist."""

import re
import subprocess
from pathlib import Path

import pytest
from house.prose import prose, prose_figures, sentences, word_count
from markdown_it import MarkdownIt

ROOT = Path(__file__).resolve().parent.parent.parent

COLUMNS_MAX = 120
WORDS_MAX = 30
README_LINES_MAX = 90

# Plain English: the subject comes first, instead of It, That, So, Where or What, and a noun instead of "what".
WEAK_PERCENT_MAX = 8
WHAT_PERCENT_MAX = 1

VERBS = (
    "author categor character custom emphas familiar general initial local material maxim minim modern normal optim "
    "organ parallel priorit random real recogn serial special standard summar symbol synchron token util vector visual"
)
BRITISH = re.compile(
    rf"\b(?:(?:re|un|de)?(?:{'|'.join(VERBS.split())})is(?:e|es|ed|er|ers|ing|ation|ations|able)"
    r"|analys(?:e|es|ed|ing)|(?:behavi|col|fav|flav|harb|hon|lab|neighb|rum|vap)our\w*|(?:cent|fib|lit|met|theat)re[sd]?"
    r"|(?:cancel|channel|label|level|model|signal|travel)l(?:ed|ing)|(?:def|off|lic|pret)ence|arte(?:fact)s?|catal(?:ogue)s?"
    r"|gr(?:ey)|programmes?|whilst|amongst|(?:learn|spel)t|age(?:ing)|judge(?:ment)|practis(?:e|ed|ing))\b",
    re.IGNORECASE,
)
FOLDERS = "cmake|docs|examples|include|labs|python|scripts|src|tests"
COMMENT = re.compile(r"/\*.*?\*/|(?:^[ \t]*//[^\n]*\n)+|//[^\n]*", re.DOTALL | re.MULTILINE)
PATH = re.compile(rf"^(?:{FOLDERS})/[\w./-]*$|^[a-z]\w*/[\w/]+\.(?:cpp|hpp|h|py|inc|c)$")


def pages() -> list[Path]:
    names = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [ROOT / name for name in names.splitlines() if (ROOT / name).exists()]


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def indented_blocks(text: str) -> list[int]:
    """Number the lines at which code begins that is only indented: two such blocks in a row run into one."""
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    return [token.map[0] + 1 for token in tokens if token.type == "code_block" and token.map]


def long_sentences(text: str) -> list[str]:
    counted = [(number, word_count(sentence), sentence) for number, sentence in sentences(text)]
    return [f"{number}: {words} words: {sentence[:60]}" for number, words, sentence in counted if words > WORDS_MAX]


def long_lines(text: str) -> list[int]:
    """Number the lines of prose that are too long.

    Rows of tables may be longer, as Markdown has no way to wrap them: their cells' sentences are limited all the same.
    So may code, which shows what a command printed as it printed it.
    """
    return [number for number, line in prose(text) if len(line) > COLUMNS_MAX and not line.lstrip().startswith("|")]


def british_words(text: str) -> list[str]:
    return [f"{number}: {found[0]}" for number, words in sentences(text) for found in BRITISH.finditer(words)]


def lost_paths(text: str) -> list[str]:
    """Name the files and folders that a page points to and that are in neither the root, a building nor include/."""
    named = {code for code in re.findall(r"`([^`\s]+)`", text) if PATH.match(code)}
    roots = (ROOT, ROOT / "src", *(ROOT / "src").iterdir(), ROOT / "include")
    return sorted(path for path in named if not any((root / path).exists() for root in roots))


def anchors(text: str) -> set[str]:
    """Give the names by which links reach a page's headings."""
    titles = re.findall(r"^#+ (.+)$", "\n".join(line for _, line in prose(text)), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("path", pages(), ids=name_of)
def test_lines_are_short(path: Path) -> None:
    assert long_lines(path.read_text()) == []


@pytest.mark.parametrize("path", pages(), ids=name_of)
def test_sentences_are_short(path: Path) -> None:
    assert long_sentences(path.read_text()) == []


@pytest.mark.parametrize("path", pages(), ids=name_of)
def test_sentences_begin_with_their_subject(path: Path) -> None:
    """`make house` has these figures for all pages together. A short page may have one weak beginning."""
    figures = prose_figures([path.read_text()])
    assert figures["weak_begin_percent"] < max(WEAK_PERCENT_MAX, 150 / max(1, figures["sentences"]))
    assert figures["what_percent"] < WHAT_PERCENT_MAX


def comments(text: str) -> str:
    """Give the comments of a header as paragraphs, without the code in them, which is indented by two blanks."""
    lines = []
    for block in COMMENT.findall(text):
        words = [re.sub(r"^\s*(?:///?<?|/?\*+<?/?) ?", "", line).removesuffix("*/") for line in block.splitlines()]
        lines += ["" if line.startswith("  ") else line for line in words]
        lines.append("")
    return "\n".join(lines)


def test_comments_of_public_headers_begin_with_their_subject() -> None:
    figures = prose_figures([comments(path.read_text()) for path in sorted((ROOT / "include/thalweg").iterdir())])
    assert figures["sentences"] > 100
    assert figures["weak_begin_percent"] < WEAK_PERCENT_MAX
    assert figures["what_percent"] < WHAT_PERCENT_MAX


def test_comments_are_found() -> None:
    text = "/* One fact.\n *\n *   code(what);\n * Two facts. */\nint x; // What x is.\n/// It is\n/// three.\nint y;\n"
    assert [sentence for _, sentence in sentences(comments(text))] == [
        "One fact.", "Two facts.", "What x is.", "It is three.",
    ]  # fmt: skip


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text().splitlines()) <= README_LINES_MAX


@pytest.mark.parametrize("path", pages(), ids=name_of)
def test_spelling_is_american(path: Path) -> None:
    assert british_words(path.read_text()) == []


@pytest.mark.parametrize("path", pages(), ids=name_of)
def test_files_that_pages_name_exist(path: Path) -> None:
    assert lost_paths(path.read_text()) == []


@pytest.mark.parametrize("path", pages(), ids=name_of)
def test_headings_that_pages_link_to_exist(path: Path) -> None:
    for target, anchor in re.findall(r"\]\(([^)#:]*)#([^)]+)\)", path.read_text()):
        page = path.parent / target if target else path
        assert anchor in anchors(page.read_text()), f"{target}#{anchor}"


@pytest.mark.parametrize("path", pages(), ids=name_of)
def test_code_is_fenced(path: Path) -> None:
    assert indented_blocks(path.read_text()) == []


def test_indented_code_is_seen() -> None:
    text = "A program:\n\n    int main() {}\n\n1. as in\n\n       a list\n\n```sh\nmake\n\n    more\n```\n"
    assert indented_blocks(text) == [3, 7]


LONG = " ".join(["word"] * (WORDS_MAX + 1))
GOOD = " ".join(["word"] * WORDS_MAX)


@pytest.mark.parametrize(
    "text",
    [
        f"{LONG}.",
        f"Short. {LONG}",
        f"- an item\n- {LONG}",
        f"1. {GOOD}\n   and its last line",
        f"| a | {LONG} |",
        f"A paragraph of\n{GOOD}",
        f"# {LONG}",
        f"Code.\n\n    not counted\n\n{LONG}",
        f"```\ncode\n```\n{LONG}",
        f"*Thalweg.* {GOOD} `code with blanks` ",
    ],
)
def test_a_long_sentence_is_seen(text: str) -> None:
    assert len(long_sentences(text)) == 1


@pytest.mark.parametrize(
    "text",
    [
        f"{GOOD}. {GOOD[1:].capitalize()}! 8 ranks {GOOD[10:]}.",
        f"- {GOOD}\n- {GOOD}",
        f"| {GOOD} | {GOOD} |\n| --- | --- |\n| {GOOD}. Word. | `{LONG}` |",
        f"# Title\n{GOOD}",
        f"Code:\n\n    {LONG}\n\n{GOOD}",
        f"```\n{LONG}\n```",
        f"<!-- {LONG} -->",
        f"[{GOOD}](a/very/long-target)",
    ],
)
def test_short_sentences_are_let_through(text: str) -> None:
    assert long_sentences(text) == []


def test_long_lines_are_seen_but_for_tables_and_code() -> None:
    wide = "x" * (COLUMNS_MAX + 1)
    text = f"{wide}\n\n    {wide}\n\n| {wide} |\n\n```\n{wide}\n```\n  {wide}\n{wide[1:]}"
    assert long_lines(text) == [1, 10]


# In two parts, lest somebody mends them.
SPLIT = (("Synchro", "nisation"), ("neighb", "ours"), ("optim", "ised"), ("cen", "tre"), ("label", "led"), ("gr", "ey"))


def test_british_spelling_is_seen() -> None:
    words = [first + rest for first, rest in SPLIT]
    text = f"{', '.join(words)}. In other words: promise, exercise, advise, center, learned."
    assert [found.split()[-1] for found in british_words(text)] == words
    assert british_words(f"`{words[0]}` ok\n\n    {words[1]} in code") == []


def test_headings_have_anchors() -> None:
    assert anchors("# One: `two`, three\n\n    # a comment\n\n## 4. Run again") == {"one-two-three", "4-run-again"}


def test_lost_paths_are_seen() -> None:
    text = "`src/core/base/error.hpp` `base/error.hpp` `src/none.hpp` `docs` `wait/none.hpp` `run.json` `mpirun -n 2`"
    assert lost_paths(text) == ["src/none.hpp", "wait/none.hpp"]
