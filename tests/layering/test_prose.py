"""Pages can be read: short lines, short sentences, American spelling, and paths that exist."""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

ROOT = Path(__file__).resolve().parent.parent.parent

COLUMNS_MAX = 120
WORDS_MAX = 30

BLOCK = re.compile(r"^(?:[-*+]|\d+\.)\s|^#+\s")
FENCE = re.compile(r"^\s*```")
SENTENCE_END = re.compile(r"(?<=[.!?])[\"')*_]*\s+(?=[\"'(*_\[]*[A-Z0-9])")
# Stands for a piece of code: one word, whatever is in it.
CODE = "Code"

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
FOLDERS = "benchmarks|cmake|docs|examples|include|python|scripts|src|tests"
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


def prose(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines that are no code and no comment, with their numbers from 1; an empty one for each left out."""
    fenced = False
    blank = True
    text = re.sub(r"<!--.*?-->", lambda comment: "\n" * comment[0].count("\n"), text, flags=re.DOTALL)
    for number, line in enumerate(text.splitlines(), 1):
        if FENCE.match(line):
            fenced = not fenced
            yield number, ""
        elif fenced or (line.startswith("    ") and blank) or line.startswith("        "):
            yield number, ""
            continue  # an indented block goes on after its own lines
        else:
            yield number, line
        blank = not line.strip()


def blocks(text: str) -> Iterator[tuple[int, str]]:
    """Yield paragraphs, list items, headings and table cells, each with the number of its first line."""
    first, held = 0, ""
    for number, line in [*prose(text), (0, "")]:
        words = line.strip()
        is_row = words.startswith("|")
        if held and (not words or is_row or BLOCK.match(words)):
            yield first, held
            held = ""
        if is_row:
            cells = re.split(r"(?<!\\)\|", re.sub(r"`[^`]*`", CODE, words).strip("|"))
            yield from ((number, cell) for cell in cells if not re.fullmatch(r"[\s:-]*", cell))
        elif words:
            first = first if held else number
            held = f"{held} {words}" if held else re.sub(BLOCK, "", words)
            if words.startswith("#"):
                yield first, held
                held = ""


def plain(text: str) -> str:
    """Give the words that are read: code counts as one, links as their text."""
    text = re.sub(r"(`+).*?\1", CODE, text)
    return re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)


def sentences(text: str) -> Iterator[tuple[int, str]]:
    for number, block in blocks(text):
        yield from ((number, sentence) for sentence in SENTENCE_END.split(plain(block)))


def long_sentences(text: str) -> list[str]:
    counted = [(number, len(re.findall(r"\S*\w\S*", sentence)), sentence) for number, sentence in sentences(text)]
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
    """Name the files and folders that a page points to and that are not there, under the root, src/ or include/."""
    named = {code for code in re.findall(r"`([^`\s]+)`", text) if PATH.match(code)}
    roots = (ROOT, ROOT / "src", ROOT / "include")
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
    text = "`src/core/error.hpp` `core/error.hpp` `src/none.hpp` `docs` `wait/none.hpp` `run.json` `mpirun -n 2`"
    assert lost_paths(text) == ["src/none.hpp", "wait/none.hpp"]
