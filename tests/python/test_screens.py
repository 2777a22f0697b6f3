# SPDX-License-Identifier: BSD-3-Clause
"""Commands on terminals of any width and kind, and in pipes: nothing is too wide, and nothing is lost."""

import json
import re
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from screens import CLOSED, FULL, PIPE, Screens, Shown
from support import plain_environment
from thalweg.errors import FILES

REPORT = {
    "format": "thalweg-report",
    "version": 1,
    "command": ["./a program", "--of", "x" * 60],
    "mpi": {"library": "MPICH 4.0.2", "path": "/usr/lib/libmpich.so.12", "family": "MPICH"},
    "wait": {"yields": False, "reason": "waiting is the library's: no node has more ranks than cores"},
    "tuning": "no tuning file /home/somebody/.local/share/thalweg/tuning.toml",
    "ended_by": "MPI_Finalize",
    "ranks_without_report": 0,
    "settings": [],
    "precedence": {"rule": "", "user_settings": []},
    "fingerprint": ["a processor", "2"],
    "method": {},
    "nodes": 1,
    "wall_ns": 2e9,
    "ranks": [{"rank": rank, "node": 0, "host": "one", "pid": rank, "wall_ns": 2e9, "mpi_ns": 1e9} for rank in (0, 1)],
    "calls": [
        {
            "function": "MPI_Allreduce",
            "source": "solve.cpp:42 (example::with_a_long_name::solve_everything_that_there_is)",
            "module": "/bin/app", "address": "0x40", "phase": 0, "communicator_ranks": 2, "callers": 2,
            "calls": 2000, "bytes": 16000, "time_ns": 1e9, "time_ns_least_rank": 4e8, "time_ns_most_rank": 6e8,
            "longest_call_ns": 1e6, "cpu_ns": 8e8, "waiting_share": 0.6, "last_ranks": [],
            "ran_on": [{"strategy": "native", "calls": 2000, "passed_on_because": "no strategy chosen"}],
        }
    ],
}  # fmt: skip
COMMANDS = [
    ("strategies", "alltoall"),
    ("strategies", "show", "allreduce", "ring", "-n", "4"),
    ("machine", "torus:2x2"),
    ("tune", "explain", "barrier", "-n", "6", "--ranks-per-node", "3"),
    ("tune", "explain", "run.json"),
    ("tune", "explain", "run.json", "--details"),
    ("place", "map", "pairs.csv", "--machine", "torus:2x2", "--proposals", "100", "--compare"),
    ("place", "advise", "pairs.csv", "--machine", "torus:4x4", "--seconds", "0.01"),
    ("balance", "loads.txt"),
    ("simulate", "allreduce", "ring", "-n", "8", "--machine", "torus:2x4"),
    ("config",),
    ("compare", "run.json", "run.json"),
    ("help",),
    ("run", "--help"),
    ("tune", "search", "--help"),
    ("lab",),
    ("run",),
    ("run", "--lern", "off", "./a"),
    ("tune", "explain", "a_name_that_no_collective_of_any_library_has_had_until_now_nor_will_have"),
]
COLORS = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")
TO_PASTE = ("next: ", "page: ", "  thalweg ")


@pytest.fixture(scope="module")
def screens(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Screens]:
    folder = tmp_path_factory.mktemp("screens")
    (folder / "run.json").write_text(json.dumps(REPORT))
    (folder / "loads.txt").write_text("3 14 1 5\n")
    (folder / "pairs.csv").write_text("0,9,1,0\n9,0,4,0\n1,4,0,7\n0,0,7,0\n")
    names = ("HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME")
    # Short, as a long path takes several rows of its cell.
    short = {"THALWEG_TUNING": "/nobody/tuning.toml", "THALWEG_PATTERNS": "/nobody/patterns"}
    # Workers of the tests have the size of another screen.
    ours = {name: value for name, value in plain_environment().items() if name not in ("COLUMNS", "LINES")}
    made = Screens(ours | dict.fromkeys(names, str(folder)) | short, folder)
    yield made
    made.close()


@pytest.fixture(scope="module")
def piped(screens: Screens) -> dict[tuple[str, ...], Shown]:
    """Give what each command writes where stdout is a pipe."""
    return {command: screens.show(*command, where=PIPE) for command in COMMANDS}


def rows_of(text: str) -> list[str]:
    """Give what a screen shows at the end: without colors, and of a row that was written again the last state."""
    return [COLORS.sub("", row.rpartition("\r")[2]) for row in text.split("\n")]


def words_of(text: str) -> list[str]:
    """Give the letters and figures of a text, wherever its lines are broken."""
    return re.findall(r"\w+", "\n".join(rows_of(text)))


@given(
    command=st.sampled_from(COMMANDS),
    width=st.integers(40, 200),
    variables=st.sampled_from([{"TERM": "xterm"}, {"TERM": "dumb"}, {"NO_COLOR": "1"}, {"PYTHONIOENCODING": "ascii"}]),
)
@settings(deadline=None, max_examples=30, suppress_health_check=list(HealthCheck))
def test_no_row_is_wider_than_the_screen(
    screens: Screens, command: tuple[str, ...], width: int, variables: dict[str, str]
) -> None:
    check_width(screens.show(*command, width=width, variables=variables).text, width)


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_terminals_that_know_ascii_alone_are_not_left_out(screens: Screens, command: tuple[str, ...]) -> None:
    check_width(screens.show(*command, width=40, variables={"PYTHONIOENCODING": "ascii"}).text, 40)


def check_width(text: str, width: int) -> None:
    assert "Traceback" not in text
    for row in rows_of(text):
        # Only what is to be pasted, or is one word, may be wider.
        assert len(row) <= width or row.startswith(TO_PASTE) or len(row.split()) == 1, (row, width)


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_narrow_screen_loses_nothing(
    screens: Screens, piped: dict[tuple[str, ...], Shown], command: tuple[str, ...]
) -> None:
    """All of what a pipe gets stands there, but for figures that change from run to run."""
    whole = piped[command]
    assert "Traceback" not in whole.errors
    narrow = "".join(words_of(screens.show(*command, width=80).text))
    missing = [word for word in words_of(whole.text + whole.errors) if word not in narrow and not word.isdecimal()]
    assert missing == []


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_full_disk_and_a_closed_output_are_no_traceback(
    screens: Screens, piped: dict[tuple[str, ...], Shown], command: tuple[str, ...]
) -> None:
    full, closed = screens.show(*command, where=FULL), screens.show(*command, where=CLOSED)
    assert "Traceback" not in full.errors + closed.errors
    assert full.status == (FILES.number if piped[command].text else piped[command].status)
    assert closed.status == piped[command].status


def test_the_next_command_is_the_last_line_for_people_and_no_data(screens: Screens) -> None:
    following = "next: thalweg tune --for run.json  # about 1 min, may save up to 10 % of the run"
    assert rows_of(screens.show("tune", "explain", "run.json").text)[-2:] == [following, ""]
    piped = screens.show("tune", "explain", "run.json", where=PIPE)
    assert piped.errors == f"{following}\n"
    assert "next:" not in piped.text


@pytest.mark.parametrize(
    ("asked", "same"),
    [
        (("help",), ("--help",)),
        (("help", "tune", "explain"), ("tune", "explain", "--help")),
        (("tune", "--", "--help"), ("tune", "search", "--help")),
        (("run", "--", "-h"), ("run", "--help")),
        (("try", "-n", "2", "--", "--help"), ("try", "--help")),
    ],
)
def test_help_is_found_wherever_it_is_asked_for(
    screens: Screens, asked: tuple[str, ...], same: tuple[str, ...]
) -> None:
    shown = screens.show(*asked, where=PIPE)
    assert shown.status == 0
    assert shown.text.startswith("Usage: thalweg")
    assert shown == screens.show(*same, where=PIPE)


def test_what_users_of_other_tools_ask_for_is_named(screens: Screens) -> None:
    assert "did you mean thalweg doctor?" in screens.show("info", where=PIPE).errors


def test_the_command_names_itself_once(screens: Screens) -> None:
    assert screens.show("run", where=PIPE).errors.startswith("thalweg run: which program?")
    assert screens.show("tune", "explain", "nosuch", where=PIPE).errors.startswith("thalweg: 'nosuch' is no collective")
