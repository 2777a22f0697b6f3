# SPDX-License-Identifier: BSD-3-Clause
"""Names are the field's terms (docs/glossary.md), not words of this project's own, and the spelling is American."""

import io
import re
import tokenize
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent

# Private words that names had, and what the field says.
FIELDS_WORDS = {
    "aside": "unexpected",
    "bears": "supports",
    "bell": "doorbell",
    "board": "broadcast buffer",
    "challenge": "comparison",
    "climate": "yield history",
    "complain": "warn",
    "complaint": "warning",
    "contest": "comparison",
    "crowd": "core balancer",
    "crowded": "oversubscribed, contended",
    "duel": "comparison",
    "fewest": "min",
    "flight": "operation in flight",
    "immortal": "no static destructors",
    "lane": "link",
    "least": "min",
    "lesson": "tuning context",
    "meaning": "description",
    "most": "max, limit",
    "otherwise": "fallback",
    "parcel": "aggregation",
    "polite": "wait mode",
    "politely": "wait mode",
    "politeness": "wait mode",
    "purse": "exploration budget",
    "refusal": "unsupported reason",
    "refuses": "unsupported reason",
    "rival": "candidate",
    "say": "log",
    "standing": "state",
    "tell": "report",
    "told": "reported",
    "twin": "nonblocking counterpart",
    "untold": "unreported",
    "walk": "simulation",
    "walker": "rank state",
    "whereabouts": "core slots",
}
# Of several words, each of which is good by itself.
FIELDS_PHRASES = {
    "buffer side": "buffer binding",
    "call words": "call signature",
    "known call": "fast path",
    "step aside": "disable",
    "take off": "start",
}
GOOD = ("at most", "atomic thread fence", "in flight")

PUBLIC = FIELDS_WORDS | FIELDS_PHRASES
PRIVATE = re.compile(f"(?<= )({'|'.join(PUBLIC)})s?(?= )")
NAME = re.compile(r"[A-Za-z_]\w*")
PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
PROSE_OF_CPP = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'', re.DOTALL)

# Parts of words; MPI's own names are British.
BRITISH = re.compile(
    r"behaviour|colour|favour|flavour|honour|neighbour|labour|\bcentre|catalogue|grey\b|judgement|learnt\b|licence"
    r"|(?:model|label|travel|signal|cancel)l(?:ed|ing)\b|artefact|spelt\b"
    r"|(?:recogn|synchron|general|initial|normal|vector|random|optim|final|serial|real|organ|minim|maxim|summar|special"
    r"|util|parallel|emphas)is(?:e|ed|er|es|ing|ation)\b"
)
BRITISH_OF_MPI = re.compile(r"\b(?:MPI_)?(?:Test|Status_set|get)_cancelled\b")


def words_of(name: str) -> str:
    """Give a name's words in lower case, each between blanks: snake_case, CamelCase or a mixture."""
    return f" {' '.join(part.lower() for part in PART.findall(name))} "


@cache
def private_words(name: str) -> tuple[str, ...]:
    """Give the private words of a name, with what to write instead."""
    words = words_of(name)
    for good in GOOD:
        words = words.replace(f" {good} ", "  ")
    return tuple(f"{name}: {private} is {PUBLIC[private]}" for private in PRIVATE.findall(words))


def names_in(path: Path, text: str) -> set[str]:
    """Give the names of a source file, without its prose."""
    if path.suffix in (".py", ".pyi"):
        tokens = tokenize.generate_tokens(io.StringIO(text).readline)
        return {token.string for token in tokens if token.type == tokenize.NAME}
    return set(NAME.findall(PROSE_OF_CPP.sub(" ", text)))


def sources() -> list[Path]:
    folders = ("src", "include", "python/thalweg", "labs")
    found = (path for folder in folders for path in (ROOT / folder).rglob("*") if path.is_file())
    kinds = (".cpp", ".hpp", ".c", ".h", ".inc", ".py", ".pyi")
    return [path for path in found if path.suffix in kinds and "inputs" not in path.parts and "lib" not in path.parts]


def texts() -> list[Path]:
    folders = ("src", "include", "python", "tests", "labs", "examples", "cmake", "scripts", "docs")
    found = [path for folder in folders for path in (ROOT / folder).rglob("*") if path.is_file()]
    found += [ROOT / name for name in ("README.md", "CMakeLists.txt", "Makefile", "pyproject.toml")]
    kinds = (
        ".cpp",
        ".hpp",
        ".c",
        ".h",
        ".inc",
        ".py",
        ".pyi",
        ".f90",
        ".pml",
        ".md",
        ".txt",
        ".cmake",
        ".toml",
        ".1",
        "",
    )
    left_out = {"inputs", "lib", "__pycache__"}
    return [
        path
        for path in found
        if path.suffix in kinds and path != Path(__file__) and not left_out & set(path.relative_to(ROOT).parts)
    ]


def british_in(text: str) -> list[str]:
    return BRITISH.findall(BRITISH_OF_MPI.sub("", text).lower())


def test_names_are_the_fields() -> None:
    found = [
        f"{path.relative_to(ROOT)}: {word}"
        for path in sources()
        for name in sorted(names_in(path, path.read_text()) | set(path.relative_to(ROOT).with_suffix("").parts))
        for word in private_words(name)
    ]
    assert found == []


def test_spelling_is_american() -> None:
    found = {
        path.relative_to(ROOT).as_posix(): words
        for path in texts()
        if (words := british_in(path.read_text(errors="replace") + path.name))
    }
    assert found == {}


@pytest.mark.parametrize(
    ("name", "private"),
    [
        ("rival_calls", "rival"),
        ("LessonOf", "lesson"),
        ("MOST_BYTES", "most"),
        ("waits_politely", "politely"),
        ("makeByTwins", "twin"),
        ("known_calls", "known call"),
        ("CallWords", "call words"),
        ("take_off", "take off"),
        ("Flight", "flight"),
        ("flight_time", "flight"),
    ],
)
def test_a_planted_name_is_found(name: str, private: str) -> None:
    assert any(f": {private} is " in word for word in private_words(name))
    cpp = f"// A comment.\nint {name}(const char* text);\n"
    assert name in names_in(Path("planted.hpp"), cpp)
    assert name in names_in(Path("planted.py"), f'"""Prose."""\n{name} = f"{{text}}"\n')


@pytest.mark.parametrize(
    "name", ["at_most", "executions_in_flight", "InFlightMessage", "doorbell", "outstanding", "almost"]
)
def test_good_names_are_left_alone(name: str) -> None:
    assert private_words(name) == ()


def test_prose_is_left_alone() -> None:
    assert names_in(Path("a.cpp"), "f(\"of most\", 'a'); // at least\n/* a\n rival */") == {"f"}
    assert names_in(Path("a.py"), '"""At least."""\nf("most")  # told\n') == {"f"}


@pytest.mark.parametrize(
    "text", ["neighbourhood", "NEIGHBOURS_MAX", "is modelled", "synchronisation", "Initialiser", "greys grey"]
)
def test_planted_british_is_found(text: str) -> None:
    assert british_in(text)


@pytest.mark.parametrize(
    "text", ["MPI_Test_cancelled(", "otherwise", "promised", "precise", "excellent", "advises", "license"]
)
def test_american_is_left_alone(text: str) -> None:
    assert not british_in(text)
