# SPDX-License-Identifier: BSD-3-Clause
"""The table of commands: help, what is imported, groups' usual commands, mistakes, extensions, and earlier names."""

import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st

from support import Command
from thalweg.cli import application, former, pages
from thalweg.cli.run import TEXTS
from thalweg.cli.table import BY_NAME, COMMANDS, GROUPS, function_of, names_in, top_names
from thalweg.cli.tree import make_application
from thalweg.errors import USAGE, ThalwegError

ROOT = Path(__file__).resolve().parents[2]
HEAVY = {"typer", "rich", "numpy", "scipy", "difflib", "inspect"}
"""Modules whose import takes about as long as all else that starts a program."""


def options_of(name: str) -> set[str]:
    command: Any = typer.main.get_command(make_application())
    for word in name.split():
        command = command.commands[word]
    return {option for each in command.params for option in (*each.opts, *each.secondary_opts)}


def refusal_of(*words: str) -> ThalwegError:
    with pytest.raises(ThalwegError) as caught:
        application(words)
    assert caught.value.status == USAGE
    return caught.value


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_a_command_is_summed_up_by_its_first_sentence(command: Any) -> None:
    text = TEXTS[command.name] if command.reads_words else function_of(command).__doc__
    assert text is not None
    assert text.split("\n\n")[0].rstrip(".") == command.summary


def test_groups_have_commands_and_one_of_them_is_usual() -> None:
    assert set(GROUPS) == {name.partition(" ")[0] for name in BY_NAME if " " in name}
    assert not set(GROUPS) & set(BY_NAME)
    for name, group in GROUPS.items():
        assert group.usual in ("", *names_in(name))


def test_help_has_a_line_for_each_and_keeps_their_order() -> None:
    page = pages.main_page(["bench"])
    places = [page.index(f"\n  {name} ") for name in top_names()]
    assert places == sorted(places)
    assert page.count("bench") == 1
    for name in GROUPS:
        assert all(f"\n  {inner} " in pages.group_page(name) for inner in names_in(name))


def imported_by(*words: str) -> set[str]:
    """Give the modules that a command line imports; what it prints and whether it succeeds does not matter."""
    script = (
        "import sys; from thalweg.__main__ import main; sys.argv = ['thalweg', *sys.argv[1:]]\n"
        "try: main()\nexcept SystemExit: pass\n"
        "print('\\n', *sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", script, *words], capture_output=True, text=True, check=True)
    return set(done.stderr.splitlines()[-1].split())


@pytest.mark.parametrize(
    "words", [("--help",), ("run", "--help"), ("tune", "--help"), ("run", "--dry-run", "--mpi", "mpich", "/bin/true")]
)
def test_a_start_imports_little(words: tuple[str, ...]) -> None:
    assert imported_by(*words) & HEAVY == set()


def test_only_the_module_of_the_command_is_imported() -> None:
    own = {command.target.partition(":")[0] for command in COMMANDS}
    assert imported_by("machine", "torus:2x2") & own == {"thalweg.cli.machine"}
    assert imported_by("tune", "search", "--help") & own == {"thalweg.cli.tune"}
    assert imported_by("run", "--help") & own == {"thalweg.cli.run"}


@pytest.mark.parametrize(
    ("words", "name", "rest"),
    [
        (["tune", "-n", "8"], "tune search", ["-n", "8"]),
        (["tune"], "tune search", []),
        (["tune", "--", "mpirun", "-np", "2"], "tune search", ["--", "mpirun", "-np", "2"]),
        (["tune", "explain", "allreduce"], "tune explain", ["allreduce"]),
        (["machine", "torus:4x4x4"], "machine show", ["torus:4x4x4"]),
        (["simulate", "allreduce", "ring"], "simulate program", ["allreduce", "ring"]),
        (["simulate", "--trace", "f"], "simulate program", ["--trace", "f"]),
        (["simulate", "network"], "simulate network", []),
        (["strategies", "alltoall"], "strategies list", ["alltoall"]),
        (["strategies", "scan"], "strategies list", ["scan"]),
        (["place", "map", "f"], "place map", ["f"]),
        (["balance", "f"], "balance", ["f"]),
    ],
)
def test_a_groups_usual_command_needs_no_name(
    words: list[str], name: str, rest: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    called: list[tuple[str, list[str]]] = []

    def run_command(command: Any, words: list[str]) -> int:
        called.append((command.name, words))
        return 0

    monkeypatch.setattr("thalweg.cli.run_command", run_command)
    assert application(words) == 0
    assert called == [(name, rest)]


def test_a_file_is_no_mistyped_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert "did you mean thalweg machine probe?" in refusal_of("machine", "prob").remedy
    Path("prob").write_text("no network\n")
    with pytest.raises(ThalwegError, match="prob"):
        application(["machine", "prob"])


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (["strategis"], "thalweg strategies"),
        (["prob"], "thalweg machine probe"),
        (["network"], "thalweg simulate network"),
        (["--hlp"], "thalweg --help"),
        (["tune", "explian", "allreduce"], "thalweg tune explain"),
        (["nic", "chek"], "thalweg nic check"),
        (["tune", "search", "--budgt", "5s"], "--budget"),
        (["tune", "--budgt", "5s"], "--budget"),
        (["lab", "run", "--natve", "x"], "--native"),
        (["run", "--lern", "off", "x"], "--learn"),
    ],
    ids=" ".join,
)
def test_a_mistyped_word_is_guessed(words: list[str], meant: str) -> None:
    assert f"did you mean {meant}?" in refusal_of(*words).remedy


def test_nothing_is_guessed_where_nothing_is_near() -> None:
    assert "did you mean" not in str(refusal_of("xyzzy"))


EXTENSION = """
import typer
def make():
    app = typer.Typer()
    @app.command()
    def greet(name: str = "nobody"):
        print("hello", name)
    return app
"""


def test_an_installed_package_adds_a_command(thalweg: Command, tmp_path: Path) -> None:
    (tmp_path / "greeting.py").write_text(EXTENSION)
    folder = tmp_path / "greeting-1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: greeting\nVersion: 1.0\n")
    (folder / "entry_points.txt").write_text("[thalweg.commands]\ngreet = greeting:make\n")
    installed = {"PYTHONPATH": str(tmp_path)}
    assert thalweg("greet", "--name", "you", variables=installed).stdout == "hello you\n"
    assert "greet" in thalweg("--help", variables=installed).stdout
    assert "did you mean --name?" in thalweg("greet", "--nme", "you", variables=installed).stderr


@pytest.mark.parametrize("name", former.COMMANDS)
@given(words=st.lists(st.text(max_size=8).filter(lambda word: not word.startswith("--")), max_size=4))
def test_a_former_command_answers_with_the_words_to_paste(name: str, words: list[str]) -> None:
    error = refusal_of(name, *words)
    assert shlex.split(error.remedy) == ["thalweg", *former.COMMANDS[name].split(), *words]


@pytest.mark.parametrize("command", former.OPTIONS)
def test_former_options_stand_for_others(command: str) -> None:
    known = options_of(command)
    for option, now in former.OPTIONS[command].items():
        assert {word for word in now.split() if word.startswith("--")} <= known, option
        if (command, option) != ("balance", "--machine"):  # which may still be a network's name
            assert option not in known


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("show alltoall bruck --ranks 7 --goal", "strategies show alltoall bruck --ranks 7 --format goal"),
        ("map 'a b' --slots-per-node=4", "place map 'a b' --ranks-per-node=4"),
        ("export --ompi rules -n 2", "tune export --format openmpi --output rules -n 2"),
        ("export -n 2 --ompi=rules", "tune export -n 2 --format openmpi --output=rules"),
        ("tune -n 2 --sizes 8 -- srun --sizes 3", "tune search -n 2 --bytes 8 -- srun --sizes 3"),
        ("balance f --machine torus:4 --costs m", "balance f --network torus:4 --machine m"),
        (
            "simulate network --buffers 2 --credits=link",
            "simulate network --router buffers=2 --router credit_rule=link",
        ),
        ("probe --nodes hosts -- mpirun -n 2", "machine probe --node-list hosts -- mpirun -n 2"),
    ],
)
def test_former_options_are_written_anew(words: str, line: str) -> None:
    assert refusal_of(*shlex.split(words)).remedy == f"thalweg {line}"


def test_a_former_command_leaves_with_the_status_of_usage(thalweg: Command) -> None:
    done = thalweg("verify", "--ranks", "1-9")
    assert (done.returncode, done.stdout) == (USAGE.number, "")
    assert done.stderr.splitlines()[1] == "  thalweg strategies verify --ranks 1-9"


def test_the_document_names_what_changed() -> None:
    page = (ROOT / "docs" / "commands.md").read_text()
    rows = {tuple(cell.strip() for cell in line.strip("|").split("|")) for line in page.splitlines() if "|" in line}
    for name, now in former.COMMANDS.items():
        assert (f"`thalweg {name}`", f"`thalweg {now}`") in rows
    for command, options in former.OPTIONS.items():
        for option, now in options.items():
            assert any(
                row[:1] == (f"`thalweg {command}`",) and f"`{option}" in row[1] and re.search(f"`{now}[ `]", row[2])
                for row in rows
                if len(row) == 3
            ), (command, option)
