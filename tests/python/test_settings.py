# SPDX-License-Identifier: BSD-3-Clause
"""Settings: precedence, files with all that can be wrong with them, and the way to the ranks."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support import Command, examples
from thalweg.errors import SETTINGS, ThalwegError
from thalweg.settings.files import line_of
from thalweg.settings.layers import default_tuning_file, effective_settings, environment_layer, variables_for_ranks
from thalweg.settings.options import BY_NAME, OPTIONS, Option
from thalweg.settings.own_settings import marked
from thalweg.settings.tables import tables
from thalweg.settings.user_algorithms import chosen_by_user
from thalweg.settings.values import selections_from_text, text_for_ranks, value_from_text, value_from_toml

ROOT = Path(__file__).resolve().parents[2]
WORD = st.text("abcdefgh_123", min_size=1, max_size=8)
SELECTIONS = st.dictionaries(WORD, WORD, max_size=4)


def values_of(option: Option) -> st.SearchStrategy[Any]:
    """Give any value that an option may have."""
    kinds: dict[str, st.SearchStrategy[Any]] = {
        "selections": SELECTIONS,
        "switch": st.booleans(),
        "microseconds": st.integers(0, 60_000_000),
        "percent": st.integers(0, 100),
        "mebibytes": st.integers(0, 65536),
        "choice": st.sampled_from(option.choices or ("",)),
        "file": WORD.map(lambda word: f"/folder/{word}"),
        "tuning": st.just("off") | WORD.map(lambda word: f"/folder/{word}"),
        "place": st.sampled_from(("auto", "off")) | WORD.map(lambda word: f"/folder/{word}"),
        "mpi": WORD,
    }
    return kinds[option.kind]


@st.composite
def layers(draw: st.DrawFn) -> tuple[Option, list[Any]]:
    """Give an option and what flags, the environment, the project's and the user's file say: a value or nothing."""
    option = draw(st.sampled_from(OPTIONS))
    return option, draw(st.lists(st.none() | values_of(option), min_size=4, max_size=4))


def write_toml(path: Path, option: Option, value: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("" if value is None else f"{option.name} = {toml(value)}\n")


def toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f'"{key}" = {toml(item)}' for key, item in value.items()) + "}"
    return json.dumps(value)


@given(case=layers())
@settings(max_examples=examples(300), deadline=None)
def test_flags_win_over_environment_over_project_over_user_over_default(
    tmp_path_factory: pytest.TempPathFactory, case: tuple[Option, list[Any]]
) -> None:
    option, (flag, variable, project, user) = case
    base = tmp_path_factory.getbasetemp() / "layers"
    write_toml(base / "thalweg.toml", option, project)
    write_toml(base / "home" / "thalweg" / "config.toml", option, user)
    environment = {"XDG_CONFIG_HOME": str(base / "home")}
    if variable is not None:
        environment[option.variable] = text_for_ranks(variable)
    flags = {} if flag is None else {option.name: flag}
    result = effective_settings(flags, environment, str(base))[option.name]

    said = [value for value in (flag, variable, project, user) if value is not None]
    if option.kind == "selections":
        expected: Any = {}
        for value in reversed(said):
            expected |= value
        assert (result.value or {}) == expected
        for operation, origin in result.origins.items():
            first = next(
                place for place, value in enumerate((flag, variable, project, user)) if operation in (value or {})
            )
            assert origin.startswith(("--use", "THALWEG_USE", str(base / "thalweg.toml"), str(base / "home"))[first])
    else:
        default = default_tuning_file(environment) if option.kind == "tuning" else option.default
        assert result.value == (said[0] if said else default)
        assert (result.origin == "default") == (not said)


@given(selections=SELECTIONS)
def test_selections_survive_the_way_to_the_ranks(selections: dict[str, str]) -> None:
    assert selections_from_text(text_for_ranks(selections), "--use") == selections


@given(option=st.sampled_from(OPTIONS), text=st.text(max_size=20))
@settings(max_examples=examples(500))
def test_any_text_is_a_value_or_a_refusal_that_names_its_origin(option: Option, text: str) -> None:
    try:
        value_from_text(option, text, "--flag")
    except ThalwegError as error:
        assert error.status == SETTINGS
        assert error.message.startswith("--flag: ")


TOML_VALUES = st.recursive(
    st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@given(option=st.sampled_from(OPTIONS), given_value=TOML_VALUES)
@settings(max_examples=examples(500))
def test_any_toml_is_a_value_or_a_refusal_that_names_its_line(option: Option, given_value: object) -> None:
    try:
        value_from_toml(option, given_value, "file:3", "/folder")
    except ThalwegError as error:
        assert error.status == SETTINGS
        assert error.message.startswith("file:3")


@given(data=st.binary(max_size=300) | st.text(max_size=200).map(lambda text: text.encode("utf-8", "replace")))
@settings(max_examples=examples(400), deadline=None)
def test_any_file_is_settings_or_a_refusal_that_names_the_file(
    tmp_path_factory: pytest.TempPathFactory, data: bytes
) -> None:
    folder = tmp_path_factory.getbasetemp() / "fuzz"
    folder.mkdir(exist_ok=True)
    (folder / "thalweg.toml").write_bytes(data)
    try:
        effective_settings({}, {}, str(folder))
    except ThalwegError as error:
        assert error.status == SETTINGS
        assert error.message.startswith(str(folder / "thalweg.toml"))


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        ("wait = 'auto'\nreport = ", "2", "Invalid value"),
        ("a b", "1:3", "Expected '='"),
        ("\n\npolte = 'auto'\n", "3", "unknown setting 'polte'"),
        ("wait = 'auto'\nverbose = 1\n", "2", "1 is not true or false"),
        ("wait = 'often'\n", "1", "'often' is not one of auto, yield, spin"),
        ("poll_us = -1\n", "1", "-1 is not between 0 and 60000000 microseconds"),
        ("learn_budget = 101\n", "1", "101 is not between 0 and 100 percent"),
        ("summary = true\n[use]\nalltoall = 3\n", "2", ": 3 is not of the form"),
        ("use = 'alltoall=direct'\n", "1", "is not a table of operation"),
        ("mpi = ''\n", "1", "is not a text in quotes"),
    ],
)
def test_a_broken_file_is_refused_with_its_line(
    thalweg: Command, tmp_path: Path, text: str, place: str, words: str
) -> None:
    (tmp_path / "thalweg.toml").write_text(text)
    result = thalweg("config")
    assert result.returncode == SETTINGS.number
    assert f"./thalweg.toml:{place}: " in result.stderr
    assert words in result.stderr


def test_lines_are_found_in_tables() -> None:
    text = 'summary = true\n[use]\n# alltoall = "x"\n"alltoall" = "direct"\n[other]\nalltoall = 1\n'
    assert line_of(text, "summary") == 1
    assert line_of(text, "alltoall", "use") == 4
    assert line_of(text, "use") == 2
    assert line_of("use = { alltoall = 'x' }", "alltoall", "use") == 1


def test_an_unreadable_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "thalweg.toml").mkdir()
    with pytest.raises(ThalwegError, match="cannot be read: Is a directory"):
        effective_settings({}, {}, str(tmp_path))


def test_ranks_get_what_somebody_set_and_what_the_command_does_by_itself() -> None:
    default = {
        "THALWEG_SUMMARY": "1",
        "THALWEG_LEARN": "exact",
        "THALWEG_TUNING": default_tuning_file({}),
    }
    assert variables_for_ranks(effective_settings({}, {}, "/nowhere")) == default
    settings_now = effective_settings({"wait": "spin", "mpi": "mpich"}, {"THALWEG_USE": "barrier=native"}, "/nowhere")
    assert variables_for_ranks(settings_now) == default | {
        "THALWEG_USE": "barrier=native",
        "THALWEG_WAIT": "spin",
    }


def test_paths_start_from_where_they_are_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir("/usr")
    assert value_from_text(BY_NAME["report"], "run.json", "--report") == "/usr/run.json"
    (tmp_path / "thalweg.toml").write_text("report = 'run.json'\n")
    assert effective_settings({}, {}, str(tmp_path))["report"].value == str(tmp_path / "run.json")


def test_former_names_are_read(tmp_path: Path) -> None:
    assert environment_layer({"THALWEG_POLITE": "never"})["wait"][:2] == ("spin", "THALWEG_POLITE")
    both = environment_layer({"THALWEG_POLITE": "never", "THALWEG_WAIT": "yield"})
    assert both["wait"][:2] == ("yield", "THALWEG_WAIT")
    file = tmp_path / "thalweg.toml"
    file.write_text("verbose = true\npolite = 'always'\n")
    found = effective_settings({}, {}, str(tmp_path))["wait"]
    assert (found.value, found.origin) == ("yield", f"{file}:2")


def test_an_empty_variable_is_not_set() -> None:
    assert environment_layer({"THALWEG_WAIT": ""}) == {}


def test_config_prints_values_and_origins(thalweg: Command, tmp_path: Path) -> None:
    (tmp_path / "thalweg.toml").write_text('[use]\nalltoall = "direct"\n')
    result = thalweg("config", "--json", variables={"THALWEG_WAIT": "spin"})
    assert result.returncode == 0, result.stderr
    rows = {row["setting"]: (row["value"], row["origin"]) for row in json.loads(result.stdout)["settings"]}
    assert rows["use.alltoall"] == ("direct", "./thalweg.toml:2")
    assert rows["wait"] == ("spin", "THALWEG_WAIT")
    assert rows["verbose"] == (False, "default")
    # What holds where nobody set anything, as the interposer has it.
    in_effect = {"learn_budget": 2, "poll_us": 0, "yield_us": 5000, "sleep_us": 1000, "report": None}
    assert {name: rows[name] for name in in_effect} == {name: (value, "default") for name, value in in_effect.items()}
    assert str(rows["patterns"][0]).endswith("/thalweg/patterns")
    shown = thalweg("config", variables={"THALWEG_LERN": "off"})
    assert "wait" in shown.stdout
    assert "THALWEG_LERN is no variable of Thalweg's; did you mean THALWEG_LEARN?" in shown.stderr


def test_every_option_has_its_own_names() -> None:
    names = [name for option in OPTIONS for name in (option.flag, option.negation, option.short) if name]
    assert len(names) == len(set(names))
    assert len({option.variable for option in OPTIONS}) == len(OPTIONS)


@pytest.mark.parametrize("words", [["config"], ["config", "--json"]])
def test_config_refuses_a_selection_that_nobody_knows(thalweg: Command, words: list[str]) -> None:
    result = thalweg(*words, variables={"THALWEG_USE": "allreduce=ring;alltoall=no_such", "THALWEG_WAIT": "spin"})
    assert result.returncode == SETTINGS.number, result.stderr
    assert "THALWEG_USE" in result.stderr and "no_such" in result.stderr
    # The values are shown nonetheless.
    assert "ring" in result.stdout and "no_such" in result.stdout and "spin" in result.stdout


def test_the_ranks_tables_are_current() -> None:
    """What the interposer knows of options and limits is what the command knows: `make man` writes it."""
    for name, text in tables().items():
        assert (ROOT / "src" / "run" / "mpi" / "state" / name).read_text() == text, f"{name} is out of date: make man"


def test_users_choices_of_algorithms() -> None:
    for name in ("OMPI_MCA_coll_tuned_use_dynamic_rules", "MPIR_CVAR_BCAST_INTRA_ALGORITHM", "I_MPI_ADJUST_BCAST"):
        assert chosen_by_user({name: "1"}), name
    for name in ("OMPI_MCA_btl", "MPIR_CVAR_CH4_PROGRESS_THROTTLE", "MPIR_CVAR_ALGORITHM_NOTES", "I_MPI_WAIT_MODE"):
        assert not chosen_by_user({name: "1"}), name
    assert chosen_by_user({"MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE": "x"})
    own = {"OMPI_MCA_coll_tuned_use_dynamic_rules": "1"}
    assert not chosen_by_user(marked(own, {}))
    assert chosen_by_user(marked(own, {}) | {"OMPI_MCA_coll_tuned_priority": "31"})
