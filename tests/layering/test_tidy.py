# SPDX-License-Identifier: BSD-3-Clause
"""Sizes and promises that a reader relies on: small files and functions, and documents whose commands exist."""

import ast
import functools
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from house import cpp
from house.sources import line_count

from thalweg.cli.table import GROUPS
from thalweg.cli.tree import make_application
from thalweg.launch.flags import LAB_FLAGS, RUN_FLAGS, Parser

ROOT = Path(__file__).resolve().parent.parent.parent

FILE_LINES_MAX = 400
FUNCTION_LINES_MAX = 60

# Longer with a reason.
LONG_FILES = {
    "tests/python/test_launch.py": "one matrix of launchers and forms",
    "tests/run/mpi/conformance": "the checks of one call each",
    "src/run/mpi/abi/functions.py": "the table of MPI's functions",
}


LONG_FUNCTIONS = {"src/run/mpi/abi/generate.py: main": "writes one file after the other"}


def tracked(*patterns: str) -> list[Path]:
    listing = subprocess.run(["git", "ls-files", *patterns], cwd=ROOT, capture_output=True, text=True, check=True)
    return [ROOT / line for line in listing.stdout.splitlines() if (ROOT / line).exists()]


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def cpp_functions(text: str) -> Iterator[tuple[str, int]]:
    """Name and length of every function with a body: members and lambdas too."""
    for node in cpp.nodes(cpp.parse(text), "function_definition", "lambda_expression"):
        yield text.splitlines()[node.start_point.row].strip(), cpp.line_count(node)


def python_functions(text: str) -> Iterator[tuple[str, int]]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef) and node.end_lineno is not None:
            yield node.name, node.end_lineno - node.lineno + 1


def test_files_are_small() -> None:
    lengths = {name_of(path): line_count(path.read_text()) for path in tracked("*.[ch]pp", "*.[ch]", "*.py")}
    long = {name: lines for name, lines in lengths.items() if lines > FILE_LINES_MAX}
    assert [name for name in long if not any(name.startswith(known) for known in LONG_FILES)] == []


def test_functions_fit_on_a_screen() -> None:
    compiled = [(path, cpp_functions(path.read_text())) for path in tracked("*.[ch]pp", "*.[ch]")]
    python = [(path, python_functions(path.read_text())) for path in tracked("*.py")]
    long = [
        f"{name_of(path)}: {name}"
        for path, functions in compiled + python
        for name, lines in functions
        if lines > FUNCTION_LINES_MAX
    ]
    assert long == list(LONG_FUNCTIONS)


def test_the_parser_of_c_and_cpp_sees_every_kind_of_function() -> None:
    text = """
struct A {
  A() : x(1) {
    f();
  }
  int x;
};
int A::get() const noexcept {
  return std::ranges::any_of(v, [&](int i) {
    return i;
  });
}
"""
    assert [lines for _, lines in cpp_functions(text)] == [3, 5, 3]


def test_headers_are_guarded() -> None:
    assert [name_of(path) for path in tracked("*.hpp") if "#pragma once" not in path.read_text()] == []


def commands_in(text: str) -> Iterator[str]:
    """Yield the lines of a document's code blocks."""
    fenced = False
    for line in text.splitlines():
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif fenced:
            yield line.strip().removeprefix("$ ")


@functools.cache
def application() -> Any:
    return typer.main.get_command(make_application())


def unknown_words(line: str) -> list[str]:
    """Name what a command line has that the command does not: a word for a command, or options."""
    words = re.sub(r"\s#.*|[<|>;&].*", "", line).split()
    command, own = application(), words[: words.index("--")] if "--" in words else words
    while commands := getattr(command, "commands", None):
        if own and own[0] in commands:
            command, own = commands[own[0]], own[1:]
        elif usual := GROUPS[command.name].usual if command.name in GROUPS else "":
            command = commands[usual]
        else:
            return own[:1]
    if command.name == "run":  # up to the program
        flags = LAB_FLAGS if "--native" in own else RUN_FLAGS
        Parser("thalweg run", flags).read(own)
        return []
    known = {name for each in command.params for name in (*each.opts, *each.secondary_opts)} | {"--help", "-h"}
    return [word for word in own if word.startswith("--") and word.partition("=")[0] not in known]


def test_unknown_words_are_seen() -> None:
    assert unknown_words("tune -n 8 --ops allreduce  # --what") == []
    assert unknown_words("tune explain allreduce --byte 8") == ["--byte"]
    assert unknown_words("show alltoall") == ["show"]
    assert unknown_words("place halo.mtx") == ["halo.mtx"]


def documents() -> list[Path]:
    return tracked("README.md", "docs/*.md")


@pytest.mark.parametrize("path", documents(), ids=name_of)
def test_commands_in_documents_exist(path: Path) -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    for line in commands_in(path.read_text()):
        if found := re.match(r"(?:\S*/)?thalweg ([a-z].*)", line):
            assert unknown_words(found[1]) == [], line
        if found := re.match(r"make ([a-z]+)", line):
            assert found[1] in targets, line


@pytest.mark.parametrize("path", documents(), ids=name_of)
def test_files_that_documents_link_to_exist(path: Path) -> None:
    prose = re.sub(r"^```.*?^```$", "", path.read_text(), flags=re.MULTILINE | re.DOTALL)  # programs have lambdas
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", prose):
        assert (path.parent / target).exists(), target


def test_nothing_names_a_machine() -> None:
    words = re.compile(r"(?<![\w.$])/(?:work|opt/mpis)/")
    found = [
        name_of(path)
        for path in tracked()
        if path.suffix not in (".png", ".gz")
        and path.name != "test_tidy.py"
        and words.search(path.read_text(errors="replace"))
    ]
    assert found == []


def test_test_modules_have_names_of_their_own() -> None:
    """Pytest imports them by name alone, and stops at the second of a name."""
    names = [path.name for path in (ROOT / "tests").rglob("test_*.py")]
    assert sorted(set(names)) == sorted(names)
