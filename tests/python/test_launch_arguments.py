# SPDX-License-Identifier: BSD-3-Clause
"""The command line of `thalweg run`: what is Thalweg's, and what the launcher's and the program's."""

from collections import Counter

import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st

from thalweg.cli.tree import make_application
from thalweg.errors import SETTINGS, USAGE, ThalwegError
from thalweg.launch.arguments import Arguments, read_arguments, read_lab_arguments, words_of
from thalweg.settings.options import OPTIONS


class TestReadingTheCommandLine:
    def test_the_program_begins_at_the_first_other_word(self) -> None:
        arguments = read_arguments(["-n", "8", "--wait", "spin", "./app", "-n", "3", "--use", "x"])
        assert arguments == Arguments(8, False, {"wait": "spin"}, ("./app", "-n", "3", "--use", "x"))

    @pytest.mark.parametrize(("former", "now"), [("always", "yield"), ("never", "spin"), ("auto", "auto")])
    def test_a_flag_of_earlier_versions_is_read(self, former: str, now: str) -> None:
        assert read_arguments(["--polite", former, "p"]).flags == {"wait": now}

    def test_two_dashes_end_the_options(self) -> None:
        assert read_arguments(["-n2", "--", "-v", "x"]).command == ("-v", "x")
        assert read_arguments(["-n2", "--", "--", "x"]).command == ("--", "x")
        assert read_arguments(["-n2", "-", "x"]).command == ("-", "x")

    @pytest.mark.parametrize(
        ("words", "same"),
        [
            (["-vn8"], ["-v", "-n", "8"]),
            (["-vn", "8"], ["-v", "-n", "8"]),
            (["-np=8"], ["-n", "8"]),
            (["--rank", "8"], ["-n", "8"]),
            (["--no-sum"], ["--no-summary"]),
            (["-ua=b"], ["--use", "a=b"]),
            (["--tuning="], ["--tuning", ""]),
        ],
    )
    def test_flags_are_written_as_getopt_long_has_them(self, words: list[str], same: list[str]) -> None:
        def read(words: list[str]) -> object:
            try:
                return read_arguments([*words, "p"])
            except ThalwegError as error:
                return error.message

        assert read(words) == read(same)

    def test_selections_are_gathered(self) -> None:
        words = ["--use", "a=b:c=1", "-u", "d=e", "--use=f=g;h=i", "p"]
        assert read_arguments(words).flags == {"use": {"a": "b:c=1", "d": "e", "f": "g", "h": "i"}}

    @pytest.mark.parametrize(
        ("words", "status", "message"),
        [
            ([], USAGE, "which program?"),
            (["-n", "2"], USAGE, "which program?"),
            (["-n", "0", "p"], USAGE, "the number of ranks is a whole number from 1 to"),
            (["-n", "two", "p"], USAGE, "the number of ranks is a whole number"),
            (["--strategy", "x", "p"], USAGE, "no option --strategy"),
            (["-np", "two", "p"], USAGE, "-n two: the number of ranks is a whole number"),
            (["-np", "2"], USAGE, "which program?"),
            (["--use", "allreduce=ring:segment=64KiB;ring", "p"], SETTINGS, "'ring' is not of the form"),
            (["--use"], USAGE, "--use needs a value, SELECTION"),
            (["--use", "allreduce", "p"], SETTINGS, "--use: 'allreduce' is not of the form operation=strategy"),
            (["--use", "a=b;a=c", "p"], SETTINGS, "--use: a is selected twice: b and c"),
            (["--dry-run=1", "p"], USAGE, "--dry-run takes no value"),
            (["--no-s", "p"], USAGE, "--no-s may be --no-setup or --no-summary or --no-shared-memory"),
            (["-vx", "p"], USAGE, "no option -vx"),
            (["--native", "p"], USAGE, "no option --native"),
            (["--wait", "maybe", "p"], SETTINGS, "--wait: 'maybe' is not one of auto, yield, spin"),
            (["--poll-us", "1.5", "p"], SETTINGS, "--poll-us: '1.5' is not a whole number of microseconds"),
        ],
    )
    def test_what_cannot_be_understood_is_refused(self, words: list[str], status: object, message: str) -> None:
        with pytest.raises(ThalwegError) as caught:
            read_arguments(words)
        assert caught.value.status == status
        assert message in caught.value.message

    @pytest.mark.parametrize("ranks", [["-np", "4"], ["--np", "4"], ["--np=4"], ["-n4"], ["-v", "-np", "4"]])
    def test_ranks_are_given_as_launchers_have_it(self, ranks: list[str]) -> None:
        arguments = read_arguments([*ranks, "--wait", "spin", "./app", "-np", "3"])
        assert (arguments.ranks, arguments.command) == (4, ("./app", "-np", "3"))

    @pytest.mark.parametrize("words", [["--help"], ["-h"], ["-n", "2", "--help"], ["-n", "two", "-h", "p"]])
    def test_help_is_asked_for_anywhere_before_the_program(self, words: list[str]) -> None:
        assert read_arguments(words).asks_for_help
        assert not read_arguments(["p", *words]).asks_for_help

    @pytest.mark.parametrize(("mistyped", "meant"), [("--lern", "--learn"), ("--no-sumary", "--no-summary")])
    def test_a_mistyped_option_is_guessed(self, mistyped: str, meant: str) -> None:
        with pytest.raises(ThalwegError) as caught:
            read_arguments([mistyped, "off", "p"])
        assert f"did you mean {meant}?" in caught.value.remedy

    @pytest.mark.parametrize(
        "option", ["-x", "-genv", "-host", "--hostfile", "--oversubscribe", "-npernode", "-f=hosts"]
    )
    def test_options_of_launchers_stand_behind_these(self, option: str) -> None:
        with pytest.raises(ThalwegError) as caught:
            read_arguments(["-n", "2", option, "FOO=1", "p"])
        name = option.partition("=")[0]
        assert caught.value.message == f"thalweg run: {name} is an option of launchers"
        assert f"thalweg run mpirun -n 8 {name} …" in caught.value.remedy

    def test_commas_join_selections_that_have_no_parameters(self) -> None:
        words = ["--use", "a=b,c=d:e=1,f=g;h=i,j=k", "p"]
        assert read_arguments(words).flags == {"use": {"a": "b", "c": "d:e=1,f=g", "h": "i", "j": "k"}}

    def test_what_was_read_can_be_written(self) -> None:
        words = [
            "--use",
            "a=b:c=1,d=2;e=f",
            "--wait",
            "spin",
            "--no-summary",
            "--record",
            "--poll-us",
            "7",
            "--dry-run",
        ]
        arguments = read_arguments([*words, "p"])
        assert read_arguments([*words_of(arguments), "p"]) == arguments

    def test_a_command_may_have_flags_of_its_own(self) -> None:
        words = ["--native", "-n", "8", "--name", "other", "--no-summary", "./app", "--native"]
        arguments = read_lab_arguments(words)
        assert (arguments.native, arguments.lab) == (True, "other")
        assert (arguments.ranks, arguments.flags, arguments.command) == (8, {"summary": False}, ("./app", "--native"))
        with pytest.raises(ThalwegError, match="thalweg lab run: which program"):
            read_lab_arguments(["-n", "8"])

    @pytest.mark.parametrize("group", ["", "lab"])
    def test_help_and_completion_know_the_same_flags(self, group: str) -> None:
        commands = typer.main.get_command(make_application()).commands  # type: ignore[attr-defined]
        commands = commands[group].commands if group else commands
        shown = {flag for parameter in commands["run"].params for flag in (*parameter.opts, *parameter.secondary_opts)}
        expected = {"--ranks", "-n", "--dry-run", "command"} | (
            {"--native", "--name"} if group else {"--html", "--open"}
        )
        for option in OPTIONS:
            expected |= {option.flag, *([option.short] if option.short else [])}
            expected |= {option.negation} if option.kind == "switch" else set()
        assert shown == expected
        for option in OPTIONS:
            sample = {
                "selections": "a=b",
                "choice": (option.choices or ("",))[0],
                "microseconds": "1",
                "percent": "1",
                "mebibytes": "1",
                "file": "f",
                "tuning": "f",
                "place": "auto",
                "mpi": "mpich",
            }.get(option.kind)
            words = [option.flag, *([sample] if sample else []), "program"]
            assert set(read_arguments(words).flags) == {option.name}

    def test_help_shows_the_options_under_headings(self) -> None:
        sizes = Counter(option.panel for option in OPTIONS)
        assert set(sizes) == {"Choose", "Wait", "Observe", "Timeline", "Place", "More"}
        assert max(sizes.values()) <= 6

    @given(words=st.lists(st.text(max_size=8), max_size=6))
    def test_any_words_are_read_or_refused(self, words: list[str]) -> None:
        try:
            arguments = read_arguments(words)
        except ThalwegError as error:
            assert error.status in (USAGE, SETTINGS)
        else:
            assert arguments.command or arguments.asks_for_help
            assert list(arguments.command) == words[len(words) - len(arguments.command) :]
